/* seal.c - see seal.h. */
#include "proto/seal.h"

#include "lib/base/hex.h"
#include "sys/digest.h"

#include <assert.h>

/* Each part with its length before it, so that no two calls have the same bytes. */
static void add_part(toad__buf *b, toad_str part) {
    toad__buf_add_u64(b, part.n);
    toad__buf_add_c(b, ':');
    toad__buf_add_str(b, part);
}

static bool sign(const toad__seal *s, toad_str body, unsigned char mac[TOAD__DIGEST]) {
    toad__buf b;
    toad__buf_init(&b, 2 * TOAD__RPC_MESSAGE_MAX);
    add_part(&b, body);
    add_part(&b, s->method);
    add_part(&b, s->principal);
    for (const toad__json *m = s->params ? s->params->child : NULL; m; m = m->next) {
        if (toad__str_is_one_of(m->key, "_meta inputResponses requestState")) continue;
        add_part(&b, m->key);
        add_part(&b, m->raw);
    }
    bool ok = !b.status;
    if (ok) toad__hmac(toad__str(s->key, TOAD__SEAL_KEY), toad__buf_str(&b), mac);
    toad__buf_free(&b);
    return ok;
}

static void add_hex(toad__buf *b, const void *bytes, size_t n) {
    char *at = toad__buf_room(b, 2 * n);
    if (!at) return;
    toad__hex(at, bytes, n);
    b->n += 2 * n;
}

bool toad__seal_close(const toad__seal *s, toad_str body, toad__buf *out) {
    unsigned char mac[TOAD__DIGEST];
    assert(body.n <= TOAD__SEAL_MOST);
    if (!sign(s, body, mac)) return false;
    toad__buf_add_str(out, s->prefix);
    add_hex(out, body.p, body.n);
    add_hex(out, mac, sizeof mac);
    return !out->status;
}

bool toad__seal_open(const toad__seal *s, toad_str sealed, size_t room, unsigned char *ret, size_t *ret_n) {
    unsigned char theirs[TOAD__DIGEST], ours[TOAD__DIGEST], bytes[TOAD__SEAL_MOST];
    assert(room <= sizeof bytes);
    if (!toad__str_starts(sealed, s->prefix)) return false;
    toad_str hex = toad__str_part(sealed, s->prefix.n, sealed.n);
    if (hex.n < 2 * TOAD__DIGEST || hex.n > 2 * (room + TOAD__DIGEST)) return false;
    toad_str body = toad__str_part(hex, 0, hex.n - 2 * TOAD__DIGEST);
    if (!toad__hex_read(body, bytes) || !toad__hex_read(toad__str_part(hex, body.n, hex.n), theirs)) return false;
    size_t n = body.n / 2;
    if (!sign(s, toad__str(bytes, n), ours) || !toad__same_bytes(ours, theirs, sizeof ours)) return false;
    memcpy(ret, bytes, n);
    *ret_n = n;
    return true;
}
