/* resolve.c - see resolve.h. */
#include "net/resolve.h"
#include "sys/clock.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* Owned by both threads until the later of them lets go. */
typedef struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t finished;
    unsigned owners;
    bool done;
    toad__addresses found;
    char host[256];
} lookup;

static void let_go(lookup *l) {
    pthread_mutex_lock(&l->lock);
    bool last = --l->owners == 0;
    pthread_mutex_unlock(&l->lock);
    if (!last) return;
    pthread_cond_destroy(&l->finished);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void add(toad__addresses *found, const struct sockaddr *address) {
    if (found->n == TOAD__ADDRESSES_MAX) return;
    toad__address *a = &found->list[found->n];
    *a = (toad__address){ .v6 = address->sa_family == AF_INET6 };
    if (a->v6)
        memcpy(a->bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    else if (address->sa_family == AF_INET)
        memcpy(a->bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    else
        return;
    found->n++;
}

static void *look_up(void *argument) {
    lookup *l = argument;
    struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM }, *list = NULL;
    toad__addresses found = { .n = 0 };
    if (!getaddrinfo(l->host, NULL, &hints, &list)) {
        for (const struct addrinfo *a = list; a; a = a->ai_next) add(&found, a->ai_addr);
        freeaddrinfo(list);
    }
    pthread_mutex_lock(&l->lock);
    l->found = found;
    l->done = true;
    pthread_cond_signal(&l->finished);
    pthread_mutex_unlock(&l->lock);
    let_go(l);
    return NULL;
}

static bool start(lookup *l) {
    pthread_t thread;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    l->owners = 2;
    bool ok = !pthread_create(&thread, &attributes, look_up, l);
    if (!ok) l->owners = 1;
    pthread_attr_destroy(&attributes);
    return ok;
}

toad__refusal toad__resolve(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    (void)ctx;
    lookup *l = calloc(1, sizeof *l);
    if (!l || strlen(host) >= sizeof l->host) return free(l), TOAD__REFUSED_UNRESOLVED;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->finished, NULL);
    strcpy(l->host, host);
    l->owners = 1;
    bool late = false;
    struct timespec until = toad__wall_in(timeout_ms); /* the clock of pthread_cond_timedwait */
    if (start(l)) {
        pthread_mutex_lock(&l->lock);
        while (!l->done && !late) late = pthread_cond_timedwait(&l->finished, &l->lock, &until) != 0;
        late = !l->done;
        *ret = l->found;
        pthread_mutex_unlock(&l->lock);
    } else {
        ret->n = 0;
    }
    let_go(l);
    return late ? TOAD__REFUSED_RESOLVE_TIMEOUT : ret->n ? TOAD__ALLOWED : TOAD__REFUSED_UNRESOLVED;
}
