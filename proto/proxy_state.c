/* proxy_state.c - the request state of a round that the proxy itself asks for.
 *
 * It names the exchange that is parked by a random nonce and is signed over that, the method, the principal and the
 * parameters that make the call, so it fits only the same call of the same principal; the nonce is taken away with its
 * first use. The prefix tells ours from a server's, which is handed on as it came. */
#include "lib/base/random.h"
#include "proto/proxy_internal.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define MAC 32

static void add_part(toad__buf *b, toad_str part) {
    toad__buf_add_u64(b, part.n);
    toad__buf_add_c(b, ':');
    toad__buf_add_str(b, part);
}

static bool is_carried(toad_str key) {
    return toad__str_eq(key, TOAD__S("_meta")) || toad__str_eq(key, TOAD__S("inputResponses")) ||
           toad__str_eq(key, TOAD__S("requestState"));
}

static bool sign(const toad__proxy *p, toad_str method, const toad__json *params, const unsigned char nonce[16],
                 unsigned char mac[MAC]) {
    toad__buf b;
    unsigned n = 0;
    toad__buf_init(&b, 2 * TOAD__RPC_MESSAGE_MAX);
    add_part(&b, toad__str(nonce, 16));
    add_part(&b, method);
    add_part(&b, p->o.principal);
    for (const toad__json *m = params ? params->child : NULL; m; m = m->next) {
        if (is_carried(m->key)) continue;
        add_part(&b, m->key);
        add_part(&b, m->raw);
    }
    bool ok =
        !b.status && HMAC(EVP_sha256(), p->key, sizeof p->key, (const unsigned char *)b.p, b.n, mac, &n) && n == MAC;
    toad__buf_free(&b);
    return ok;
}

static void add_hex(toad__buf *b, const unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_c(b, "0123456789abcdef"[p[i] >> 4]);
        toad__buf_add_c(b, "0123456789abcdef"[p[i] & 15]);
    }
}

bool proxy_seal(toad__proxy *p, px_exchange *ex, const toad__json *params, toad__buf *out) {
    unsigned char mac[MAC];
    if (!toad__random(ex->nonce, sizeof ex->nonce) || !sign(p, ex->method, params, ex->nonce, mac)) return false;
    toad__buf_add_z(out, p->prefix);
    add_hex(out, ex->nonce, sizeof ex->nonce);
    add_hex(out, mac, MAC);
    return !out->status;
}

bool proxy_unseal(const toad__proxy *p, const toad__rpc *rpc, toad_str sealed, unsigned char nonce[16]) {
    unsigned char bytes[16 + MAC], mac[MAC], differ = 0;
    toad_str prefix = toad__str_z(p->prefix);
    if (sealed.n != prefix.n + 2 * sizeof bytes) return false;
    for (size_t i = 0; i < 2 * sizeof bytes; i++) {
        unsigned char c = (unsigned char)sealed.p[prefix.n + i];
        int digit = toad__hex_value(c);
        if (digit < 0 || toad__is_upper(c)) return false;
        bytes[i / 2] = (unsigned char)(i % 2 ? bytes[i / 2] | digit : digit << 4);
    }
    if (!sign(p, rpc->method, rpc->params, bytes, mac)) return false;
    for (size_t i = 0; i < MAC; i++) differ |= (unsigned char)(mac[i] ^ bytes[16 + i]); /* in constant time */
    memcpy(nonce, bytes, 16);
    return !differ;
}
