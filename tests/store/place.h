/* place.h - real databases for the tests: a private directory for SQLite, a private PostgreSQL server started here. */
#ifndef TOAD_TESTS_STORE_PLACE_H
#define TOAD_TESTS_STORE_PLACE_H

#include <stdbool.h>

typedef struct place {
    bool postgres;
    char where[512]; /* for toad__store_open */
    char directory[256];
} place;

/* Start a server of our own on a private socket, as an unprivileged user when we are root. False with the reason on
 * stderr when PostgreSQL is not installed. */
bool server_start(void);
/* As a crash: SIGKILL to the postmaster, then start again on the same files. */
void server_crash(void);
void server_up(void);
void server_stop(void);
/* A fresh empty database or directory; abort()s when it cannot be made. */
place place_new(bool postgres);
void place_drop(place *p);
/* Run SQL behind the store's back; abort()s on failure. */
void place_raw(const place *p, const char *sql);
/* The first column of the first row, as text in a static buffer; "" when there is none. */
const char *place_ask(const place *p, const char *sql);

#endif
