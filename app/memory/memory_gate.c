/* memory_gate.c - see memory_gate.h.
 *
 * What was found is kept in a table of texts, open addressing, at most FOUND_BYTES of them; full, it is emptied and
 * begins anew. The hash only spreads: texts are compared whole, so no text can pass for another. Cost: one look per
 * text seen before, one scan else. */
#include "app/memory/memory_gate.h"

#include "app/scan/rules.h"
#include "lib/base/str.h"
#include "lib/memory/pyspace.h"

#include <openssl/evp.h>
#include <stdlib.h>

#define FOUND_SLOTS 32768u /* a power of two */
#define FOUND_MOST  (FOUND_SLOTS / 4 * 3)
#define FOUND_BYTES ((size_t)32 << 20)
#define FOUND_TEXT  16384u /* longer texts are scanned each time */

typedef struct found {
    bzr_str text;                /* p NULL: free */
    const bzr__threats *threats; /* NULL: clean */
} found;

struct bzr__gate {
    found slots[FOUND_SLOTS];
    size_t n;
    bzr__arena arena;
};

static void add_id(bzr__threats *t, const char *id) {
    size_t at = 0;
    while (at < t->n && strcmp(t->ids[at], id) < 0) at++;
    if (t->n == BZR__THREATS_MAX || (at < t->n && !strcmp(t->ids[at], id))) return;
    memmove(t->ids + at + 1, t->ids + at, (t->n - at) * sizeof *t->ids);
    t->ids[at] = id;
    t->n++;
}

static bool is_pattern(const bzr_finding *f) { return strcmp(f->family, "learned") != 0; }

static bzr_status scan(bzr__host *host, bzr_str text, bzr__threats *threats) {
    const bzr_verdict *v;
    bzr_status status = bzr__host_scan(host, text, BZR_KIND_MEMORY, &v);
    if (status) return status;
    for (size_t i = 0; i < bzr_verdict_count(v); i++)
        if (is_pattern(bzr_verdict_finding(v, i))) add_id(threats, bzr_verdict_finding(v, i)->rule);
    if (bzr_verdict_completeness(v) != BZR_FULL) add_id(threats, BZR__THREAT_INCOMPLETE);
    return BZR_OK;
}

/* ---- what was found before ---- */

/* Eight bytes at a time, from a start that strangers do not know: nobody writes texts that all fall into one slot. */
static uint64_t hash_of(const bzr__gate *gate, bzr_str s) {
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)gate, eight;
    for (size_t i = 0; i < s.n; i += sizeof eight) {
        eight = s.n;
        memcpy(&eight, s.p + i, s.n - i < sizeof eight ? s.n - i : sizeof eight);
        h = (h ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

static found *slot_of(bzr__gate *gate, bzr_str text) {
    size_t at = hash_of(gate, text) & (FOUND_SLOTS - 1);
    while (gate->slots[at].text.p && !bzr__str_eq(gate->slots[at].text, text)) at = (at + 1) & (FOUND_SLOTS - 1);
    return &gate->slots[at];
}

static void forget(bzr__gate *gate) {
    memset(gate->slots, 0, sizeof gate->slots);
    gate->n = 0;
    bzr__arena_free(&gate->arena);
    bzr__arena_init(&gate->arena, FOUND_BYTES);
}

void bzr__gate_free(bzr__host *host) {
    if (!host->gate) return;
    bzr__arena_free(&host->gate->arena);
    free(host->gate);
    host->gate = NULL;
}

/* Only a convenience: what cannot be kept is found again. */
static void remember(bzr__gate *gate, bzr_str text, const bzr__threats *threats) {
    bzr__threats *kept = NULL;
    if (gate->n >= FOUND_MOST) forget(gate);
    bzr_str copy = bzr__arena_dup(&gate->arena, text);
    if (copy.p && threats->n) kept = bzr__arena_alloc(&gate->arena, sizeof *kept);
    if (!copy.p || (threats->n && !kept)) {
        forget(gate);
        return;
    }
    if (kept) *kept = *threats;
    *slot_of(gate, text) = (found){ copy, kept };
    gate->n++;
}

static bzr__gate *gate_of(bzr__host *host) {
    if (!host->gate) {
        host->gate = calloc(1, sizeof *host->gate);
        if (host->gate) bzr__arena_init(&host->gate->arena, FOUND_BYTES);
    }
    return host->gate;
}

bzr_status bzr__gate_text(bzr__host *host, bzr_str text, bzr__threats *threats) {
    bzr__threats fresh = { .n = 0 };
    if (!text.n) return BZR_OK;
    bzr__gate *gate = text.n <= FOUND_TEXT ? gate_of(host) : NULL;
    const found *known = gate ? slot_of(gate, text) : NULL;
    const bzr__threats *t = known && known->text.p ? known->threats : &fresh;
    if (t == &fresh) {
        bzr_status status = scan(host, text, &fresh);
        if (status) return status;
        if (gate) remember(gate, text, &fresh);
    }
    for (size_t i = 0; t && i < t->n; i++) add_id(threats, t->ids[i]);
    return BZR_OK;
}

/* ---- rows ---- */

bzr_status bzr__gate_row(bzr__host *host, const bzr__memory *row, bzr__threats *ret) {
    const bzr_str fields[] = { row->content, row->category, row->source, row->session_id };
    bzr_status status = BZR_OK;
    *ret = (bzr__threats){ .n = 0 };
    for (size_t i = 0; !status && i < sizeof fields / sizeof *fields; i++)
        status = bzr__gate_text(host, fields[i], ret);
    return status;
}

bzr_provenance bzr__gate_provenance(const bzr__memory *row) { return row->intact ? row->provenance : BZR_EXTERNAL; }

bool bzr__gate_is_id(bzr_str id) {
    if (!id.n || id.n >= BZR__HANDLE_MAX || bzr__str_starts(id, BZR__S(BZR__ROW_PREFIX))) return false;
    for (size_t i = 0; i < id.n; i++)
        if (!bzr__is_alnum((unsigned char)id.p[i]) && !memchr("._:-", id.p[i], 4)) return false;
    return true;
}

/* An id the store made: "mem_" and hex digits. */
static bool is_ours(bzr_str id) {
    if (id.n > 24 || !bzr__str_starts(id, BZR__S("mem_"))) return false;
    for (size_t i = 4; i < id.n; i++)
        if (bzr__hex_value((unsigned char)id.p[i]) < 0) return false;
    return true;
}

bzr_status bzr__gate_handle(bzr__host *host, bzr_str id, char ret[BZR__HANDLE_MAX]) {
    bzr__threats threats = { .n = 0 };
    bool plain = bzr__gate_is_id(id);
    bzr_status status = plain && !is_ours(id) ? bzr__gate_text(host, id, &threats) : BZR_OK;
    if (status) return status;
    memset(ret, 0, BZR__HANDLE_MAX);
    if (plain && !threats.n) {
        memcpy(ret, id.p, id.n);
        return BZR_OK;
    }
    char digest[65];
    status = bzr__gate_digest(id, digest);
    if (status) return bzr__host_fail(host, status, "out of memory");
    memcpy(ret, BZR__ROW_PREFIX, sizeof BZR__ROW_PREFIX - 1);
    memcpy(ret + sizeof BZR__ROW_PREFIX - 1, digest, 16);
    return BZR_OK;
}

/* ---- writing ---- */

/* Graver, or as grave and of the same family but plainer: a text matches a dozen rules, and callers look for the one
 * they know. */
static bool is_worse(const bzr_finding *f, const bzr_finding *worst) {
    if (!worst || f->severity != worst->severity) return !worst || f->severity > worst->severity;
    return !strcmp(f->family, worst->family) && bzr__rule_rank(f->rule) < bzr__rule_rank(worst->rule);
}

static bzr_status look(bzr__host *host, bzr_str text, bzr__refusal *ret) {
    const bzr_verdict *v;
    bzr_status status = bzr__host_scan(host, text, BZR_KIND_MEMORY, &v);
    if (status) return status;
    const bzr_finding *worst = NULL;
    for (size_t i = 0; i < bzr_verdict_count(v); i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        if (is_pattern(f) && is_worse(f, worst)) worst = f;
    }
    if (worst)
        *ret = (bzr__refusal){ worst->rule, worst->family, worst->severity };
    else if (bzr_verdict_completeness(v) != BZR_FULL)
        *ret = (bzr__refusal){ BZR__THREAT_INCOMPLETE, "", BZR_MEDIUM };
    return BZR_OK;
}

bzr_status bzr__gate_write(bzr__host *host, bzr_str text, bzr__buf *clean, bzr__census *removed, bzr__refusal *ret) {
    bzr__buf sane;
    *ret = (bzr__refusal){ NULL, "", BZR_NONE };
    bzr_status status = text.n ? look(host, text, ret) : BZR_OK;
    if (status || ret->rule) return status;
    bzr__buf_init(&sane, text.n * 3 + 64);
    status = bzr__sanitize(text, &sane, NULL, removed);
    bzr_str kept = bzr__pyspace_trim(bzr__buf_str(&sane));
    bzr__buf_add_str(clean, kept);
    if (!status) status = clean->status;
    if (status)
        bzr__host_fail(host, status, "the text could not be sanitized: %s", bzr_status_message(status));
    else if (kept.n && !bzr__str_eq(kept, text))
        status = look(host, kept, ret);
    bzr__buf_free(&sane);
    return status;
}

bzr_status bzr__gate_digest(bzr_str text, char ret[65]) {
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned n;
    if (!EVP_Digest(text.n ? text.p : "", text.n, bytes, &n, EVP_sha256(), NULL) || n != 32) return BZR_E_NOMEM;
    for (unsigned i = 0; i < 32; i++) {
        ret[2 * i] = hex[bytes[i] >> 4];
        ret[2 * i + 1] = hex[bytes[i] & 15];
    }
    ret[64] = 0;
    return BZR_OK;
}
