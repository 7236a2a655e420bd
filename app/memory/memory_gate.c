/* memory_gate.c - see memory_gate.h.
 *
 * What was found is kept in a table of texts, open addressing, at most FOUND_BYTES of them; full, it is emptied and
 * begins anew. The hash only spreads: texts are compared whole, so no text can pass for another. Cost: one look per
 * text seen before, one scan else. */
#include "app/memory/memory_gate.h"

#include "app/scan/rules.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/memory/pyspace.h"
#include "sys/digest.h"

#include <stdlib.h>

#define FOUND_SLOTS 32768u /* a power of two */
#define FOUND_MOST  (FOUND_SLOTS / 4 * 3)
#define FOUND_BYTES ((size_t)32 << 20)
#define FOUND_TEXT  16384u /* longer texts are scanned each time */

typedef struct found {
    toad_str text;                /* p NULL: free */
    const toad__threats *threats; /* NULL: clean */
} found;

struct toad__gate {
    found slots[FOUND_SLOTS];
    size_t n;
    toad__arena arena;
};

static void add_id(toad__threats *t, const char *id) {
    size_t at = 0;
    while (at < t->n && strcmp(t->ids[at], id) < 0) at++;
    if (t->n == TOAD__THREATS_MAX || (at < t->n && !strcmp(t->ids[at], id))) return;
    memmove(t->ids + at + 1, t->ids + at, (t->n - at) * sizeof *t->ids);
    t->ids[at] = id;
    t->n++;
}

static bool is_pattern(const toad_finding *f) { return strcmp(f->family, "learned") != 0; }

static toad_status scan(toad__host *host, toad_str text, toad__threats *threats) {
    const toad_verdict *v;
    toad_status status = toad__host_scan(host, text, TOAD_KIND_MEMORY, &v);
    if (status) return status;
    for (size_t i = 0; i < toad_verdict_count(v); i++)
        if (is_pattern(toad_verdict_finding(v, i))) add_id(threats, toad_verdict_finding(v, i)->rule);
    if (toad_verdict_completeness(v) != TOAD_FULL) add_id(threats, TOAD__THREAT_INCOMPLETE);
    return TOAD_OK;
}

/* ---- what was found before ---- */

/* Eight bytes at a time, from a start that strangers do not know: nobody writes texts that all fall into one slot. */
static uint64_t hash_of(const toad__gate *gate, toad_str s) {
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)(uintptr_t)gate, eight;
    for (size_t i = 0; i < s.n; i += sizeof eight) {
        eight = s.n;
        memcpy(&eight, s.p + i, s.n - i < sizeof eight ? s.n - i : sizeof eight);
        h = (h ^ eight) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

static found *slot_of(toad__gate *gate, toad_str text) {
    size_t at = hash_of(gate, text) & (FOUND_SLOTS - 1);
    while (gate->slots[at].text.p && !toad__str_eq(gate->slots[at].text, text)) at = (at + 1) & (FOUND_SLOTS - 1);
    return &gate->slots[at];
}

static void forget(toad__gate *gate) {
    memset(gate->slots, 0, sizeof gate->slots);
    gate->n = 0;
    toad__arena_free(&gate->arena);
    toad__arena_init(&gate->arena, FOUND_BYTES);
}

void toad__gate_free(toad__host *host) {
    if (!host->gate) return;
    toad__arena_free(&host->gate->arena);
    free(host->gate);
    host->gate = NULL;
}

/* Only a convenience: what cannot be kept is found again. */
static void remember(toad__gate *gate, toad_str text, const toad__threats *threats) {
    toad__threats *kept = NULL;
    if (gate->n >= FOUND_MOST) forget(gate);
    toad_str copy = toad__arena_dup(&gate->arena, text);
    if (copy.p && threats->n) kept = toad__arena_alloc(&gate->arena, sizeof *kept);
    if (!copy.p || (threats->n && !kept)) {
        forget(gate);
        return;
    }
    if (kept) *kept = *threats;
    *slot_of(gate, text) = (found){ copy, kept };
    gate->n++;
}

static toad__gate *gate_of(toad__host *host) {
    if (!host->gate) {
        host->gate = calloc(1, sizeof *host->gate);
        if (!host->gate) return NULL;
        toad__arena_init(&host->gate->arena, FOUND_BYTES);
        host->free_gate = toad__gate_free;
    }
    return host->gate;
}

toad_status toad__gate_text(toad__host *host, toad_str text, toad__threats *threats) {
    toad__threats fresh = { .n = 0 };
    if (!text.n) return TOAD_OK;
    toad__gate *gate = text.n <= FOUND_TEXT ? gate_of(host) : NULL;
    const found *known = gate ? slot_of(gate, text) : NULL;
    const toad__threats *t = known && known->text.p ? known->threats : &fresh;
    if (t == &fresh) {
        toad_status status = scan(host, text, &fresh);
        if (status) return status;
        if (gate) remember(gate, text, &fresh);
    }
    for (size_t i = 0; t && i < t->n; i++) add_id(threats, t->ids[i]);
    return TOAD_OK;
}

/* ---- rows ---- */

toad_status toad__gate_row(toad__host *host, const toad__memory *row, toad__threats *ret) {
    const toad_str fields[] = { row->content, row->category, row->source, row->session_id };
    toad_status status = TOAD_OK;
    *ret = (toad__threats){ .n = 0 };
    for (size_t i = 0; !status && i < sizeof fields / sizeof *fields; i++)
        status = toad__gate_text(host, fields[i], ret);
    return status;
}

toad_provenance toad__gate_provenance(const toad__memory *row) { return row->intact ? row->provenance : TOAD_EXTERNAL; }

bool toad__gate_is_id(toad_str id) {
    return toad__store_is_memory_id(id) && !toad__str_starts(id, TOAD__S(TOAD__ROW_PREFIX));
}

/* An id the store made: "mem_" and hex digits. */
static bool is_ours(toad_str id) {
    if (id.n > 24 || !toad__str_starts(id, TOAD__S("mem_"))) return false;
    for (size_t i = 4; i < id.n; i++)
        if (toad__hex_value((unsigned char)id.p[i]) < 0) return false;
    return true;
}

toad_status toad__gate_handle(toad__host *host, toad_str id, char ret[TOAD__HANDLE_MAX]) {
    toad__threats threats = { .n = 0 };
    bool plain = toad__gate_is_id(id);
    toad_status status = plain && !is_ours(id) ? toad__gate_text(host, id, &threats) : TOAD_OK;
    if (status) return status;
    memset(ret, 0, TOAD__HANDLE_MAX);
    if (plain && !threats.n) {
        memcpy(ret, id.p, id.n);
        return TOAD_OK;
    }
    char digest[65];
    toad__sha256_of(id, digest);
    memcpy(ret, TOAD__ROW_PREFIX, sizeof TOAD__ROW_PREFIX - 1);
    memcpy(ret + sizeof TOAD__ROW_PREFIX - 1, digest, 16);
    return TOAD_OK;
}

/* ---- writing ---- */

/* A finding this short (a character that nobody sees) is shown with so much of what stands around it. */
enum { SHORT = 12, AROUND = 12 };

static void add_around(toad_str text, toad_span span, toad__refusal *ret) {
    toad__buf words;
    size_t from = span.start > AROUND ? (size_t)span.start - AROUND : 0, to = (size_t)span.end + AROUND;
    while (from < span.start && ((unsigned char)text.p[from] & 0xC0) == 0x80) from++;
    while (to < text.n && ((unsigned char)text.p[to] & 0xC0) == 0x80) to++;
    toad__buf_init(&words, sizeof ret->words - 1);
    toad__json_add_str(&words, toad__str_part(text, from, to));
    if (!words.status && words.n > 2) memcpy(ret->words, words.p + 1, words.n - 2);
    toad__buf_free(&words);
}

static void refuse_for(const toad_finding *f, toad_str text, toad__refusal *ret) {
    *ret = (toad__refusal){ .rule = f->rule, .family = f->family, .severity = f->severity, .why = f->why };
    ret->encoded = f->decoded.n > 0;
    size_t n = f->excerpt.n < sizeof ret->words ? f->excerpt.n : sizeof ret->words - 1;
    if (n) memcpy(ret->words, f->excerpt.p, n);
    if (f->span.end - f->span.start < SHORT) add_around(text, f->span, ret);
}

static toad_status look(toad__host *host, toad_str text, toad__refusal *ret) {
    const toad_verdict *v;
    toad__gate *gate = text.n <= FOUND_TEXT ? gate_of(host) : NULL;
    const found *known = gate ? slot_of(gate, text) : NULL;
    if (known && known->text.p && !known->threats) return TOAD_OK;
    toad_status status = toad__host_scan(host, text, TOAD_KIND_MEMORY, &v);
    if (status) return status;
    const toad_finding *worst = toad_verdict_worst(v);
    if (worst && is_pattern(worst))
        refuse_for(worst, text, ret);
    else if (toad_verdict_completeness(v) != TOAD_FULL)
        *ret = (toad__refusal){ .rule = TOAD__THREAT_INCOMPLETE, .family = "", .severity = TOAD_MEDIUM };
    else if (gate && !known->text.p)
        remember(gate, text, &(toad__threats){ .n = 0 });
    return TOAD_OK;
}

toad_status toad__gate_write(toad__host *host, toad_str text, toad__buf *clean, toad__census *removed,
                             toad__refusal *ret) {
    toad__buf sane;
    *ret = (toad__refusal){ .family = "", .severity = TOAD_NONE };
    toad_status status = text.n ? look(host, text, ret) : TOAD_OK;
    if (status || ret->rule) return status;
    toad__buf_init(&sane, text.n * 3 + 64);
    status = toad__sanitize(text, &sane, NULL, removed);
    toad_str kept = toad__pyspace_trim(toad__buf_str(&sane));
    toad__buf_add_str(clean, kept);
    if (!status) status = clean->status;
    if (status)
        toad__host_fail(host, status, "the text could not be sanitized: %s", toad_status_message(status));
    else if (kept.n && !toad__str_eq(kept, text))
        status = look(host, kept, ret);
    toad__buf_free(&sane);
    return status;
}
