/* mcp_state.c - what a handler carries over a round of 2026-07-28, given to the client and not to be changed by it.
 *
 * A request state is hex: expiry (8 bytes), a random mark (16), the state, and an HMAC-SHA-256 over these with the
 * method, the principal and the parameters that make the call (all but _meta, inputResponses and requestState). So it
 * fits only the same call of the same principal. That it is used once is the server's matter (spend): only something
 * that outlives the process can know. */
#include "lib/base/random.h"
#include "proto/mcp_internal.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#define HEAD 24
#define MAC  32
#define LIFE 900 /* seconds */

static bool is_carried(toad_str key) {
    return toad__str_eq(key, TOAD__S("_meta")) || toad__str_eq(key, TOAD__S("inputResponses")) ||
           toad__str_eq(key, TOAD__S("requestState"));
}

/* Each part with its length before it, so that no two calls have the same bytes. */
static void add_part(toad__buf *b, toad_str part) {
    toad__buf_add_u64(b, part.n);
    toad__buf_add_c(b, ':');
    toad__buf_add_str(b, part);
}

static bool sign(const toad__mcp *mcp, const mcp_entry *entry, toad_str body, unsigned char mac[MAC]) {
    toad__buf b;
    toad__buf_init(&b, 2 * TOAD__RPC_MESSAGE_MAX);
    add_part(&b, body);
    add_part(&b, entry->rpc.method);
    add_part(&b, mcp->server->principal);
    for (const toad__json *m = entry->rpc.params ? entry->rpc.params->child : NULL; m; m = m->next) {
        if (is_carried(m->key)) continue;
        add_part(&b, m->key);
        add_part(&b, m->raw);
    }
    unsigned n = 0;
    bool ok = !b.status && HMAC(EVP_sha256(), mcp->key, sizeof mcp->key, (const unsigned char *)b.p, b.n, mac, &n) &&
              n == MAC;
    toad__buf_free(&b);
    return ok;
}

static void add_hex(toad__buf *b, const unsigned char *p, size_t n) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_c(b, digits[p[i] >> 4]);
        toad__buf_add_c(b, digits[p[i] & 15]);
    }
}

static int64_t now(const toad__mcp *mcp) { return mcp->server->now ? mcp->server->now(mcp->server->ctx) : 0; }

bool mcp_seal(toad__mcp *mcp, const mcp_entry *entry, toad_str state, toad__buf *out) {
    unsigned char body[HEAD + TOAD__MCP_STATE_MAX], mac[MAC];
    uint64_t end = (uint64_t)(now(mcp) + LIFE);
    if (state.n > TOAD__MCP_STATE_MAX || !toad__random(body + 8, 16)) return false;
    for (int i = 0; i < 8; i++) body[i] = (unsigned char)(end >> (56 - 8 * i));
    if (state.n) memcpy(body + HEAD, state.p, state.n);
    if (!sign(mcp, entry, toad__str(body, HEAD + state.n), mac)) return false;
    add_hex(out, body, HEAD + state.n);
    add_hex(out, mac, MAC);
    return true;
}

/* In constant time: how far a forgery fits is nobody's to know. */
static bool same(const unsigned char *a, const unsigned char *b, size_t n) {
    unsigned char differ = 0;
    for (size_t i = 0; i < n; i++) differ |= (unsigned char)(a[i] ^ b[i]);
    return !differ;
}

/* It is used up by answers, not by asking what was asked. */
static bool is_answered(const mcp_entry *entry) {
    const toad__json *answers = toad__json_get(entry->rpc.params, "inputResponses");
    return answers && answers->child;
}

bool mcp_unseal(toad__mcp *mcp, mcp_entry *entry, toad_str sealed, toad_str *ret) {
    unsigned char bytes[HEAD + TOAD__MCP_STATE_MAX + MAC], mac[MAC];
    size_t n = sealed.n / 2;
    if (sealed.n % 2 || n < HEAD + MAC || n > sizeof bytes) return false;
    for (size_t i = 0; i < n; i++) {
        int high = toad__hex_value((unsigned char)sealed.p[2 * i]),
            low = toad__hex_value((unsigned char)sealed.p[2 * i + 1]);
        if (high < 0 || low < 0 || toad__is_upper((unsigned char)sealed.p[2 * i]) ||
            toad__is_upper((unsigned char)sealed.p[2 * i + 1]))
            return false;
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    uint64_t end = 0;
    for (int i = 0; i < 8; i++) end = end << 8 | bytes[i];
    bool ok = sign(mcp, entry, toad__str(bytes, n - MAC), mac) && same(mac, bytes + n - MAC, MAC);
    if (!ok || (mcp->server->now && (uint64_t)now(mcp) > end)) return false;
    if (is_answered(entry) && mcp->server->spend && !mcp->server->spend(mcp->server->ctx, toad__str(bytes + 8, 16)))
        return false;
    *ret = toad__arena_dup(&entry->own, toad__str(bytes + HEAD, n - MAC - HEAD));
    return ret->p != NULL;
}
