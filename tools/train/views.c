/* views.c - the trainer's window into the library: what texts does a scan look at, and which features stand in them?
 *
 * Built as a shared object by train.py, with the linker's --wrap on three functions of the scan, so that the trainer
 * sees every folded view that the product sees (page text, hidden text, decoded text) and no other. The raw text of a
 * page is left out, as in the product: only what was extracted from it is scored. One handle, one thread. */
#include "lib/decode/decode.h"
#include "lib/html/html.h"
#include "lib/model/model.h"
#include "lib/scan/match.h"
#include "lib/text/fold.h"
#include "toadstone/scan.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct view {
    size_t at, n; /* in `text` */
    unsigned node;
    bool skip;
} view;

typedef struct growing {
    void *p;
    size_t n, cap;
} growing;

static struct {
    toad_engine *engine;
    toad_scanner *scanner;
    growing views, text, units, words, grams, glosses, tokens, fronts, blocks;
    toad__model model;
    toad__model_scratch *scratch;
    unsigned node;
} T;

/* One unit as numpy reads it. */
typedef struct unit_row {
    uint64_t cues;
    uint32_t view, start, end, tokens, spelled, words_n, grams_n, glosses_n, net_n, node;
    uint64_t words_at, grams_at, glosses_at, net_at;
} unit_row;

/* A token as the net takes it (net.h). */
typedef struct token_row {
    uint32_t hash, stem;
    uint16_t keys[TOAD__TOKEN_KEYS];
} token_row;

static void *grow(growing *g, size_t count, size_t size) {
    if (g->n + count > g->cap) {
        g->cap = (g->n + count) * 2;
        g->p = realloc(g->p, g->cap * size);
        if (!g->p) abort();
    }
    void *at = (char *)g->p + g->n * size;
    g->n += count;
    return at;
}

bool __real_toad__match(toad__matcher *m, toad__match_set which, toad_str text, const uint8_t *lines, toad__match_fn fn,
                        void *ctx);
bool __wrap_toad__match(toad__matcher *m, toad__match_set which, toad_str text, const uint8_t *lines, toad__match_fn fn,
                        void *ctx);
void __real_toad__hints_take(toad_str in, toad__hints *ret);
void __wrap_toad__hints_take(toad_str in, toad__hints *ret);
size_t __real_toad__html_feed(toad__html *h, toad_str piece, bool last, toad__html_out *out);
size_t __wrap_toad__html_feed(toad__html *h, toad_str piece, bool last, toad__html_out *out);

bool __wrap_toad__match(toad__matcher *m, toad__match_set which, toad_str text, const uint8_t *lines, toad__match_fn fn,
                        void *ctx) {
    if (which == TOAD__MATCH_TEXT && lines && text.n > 1) {
        view *v = grow(&T.views, 1, sizeof *v);
        *v = (view){ T.text.n, text.n, T.node, false };
        memcpy(grow(&T.text, text.n, 1), text.p, text.n);
    }
    return __real_toad__match(m, which, text, lines, fn, ctx);
}

void __wrap_toad__hints_take(toad_str in, toad__hints *ret) {
    T.node++;
    __real_toad__hints_take(in, ret);
}

size_t __wrap_toad__html_feed(toad__html *h, toad_str piece, bool last, toad__html_out *out) {
    size_t taken = __real_toad__html_feed(h, piece, last, out);
    view *v = T.views.p;
    if (last && out->tags * 128 > piece.n)
        for (size_t i = 0; i < T.views.n; i++)
            if (v[i].node == T.node) v[i].skip = true;
    return taken;
}

/* Scan a row; returns the severity (0..3) that the rules give it. */
EXPORT int tv_row(const char *p, size_t n, int kind) {
    if (!T.engine && (toad_engine_new(NULL, &T.engine) || toad_scanner_new(T.engine, &T.scanner))) abort();
    T.views.n = T.text.n = 0;
    T.node = 0;
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    o.kind = (toad_kind)kind;
    o.scope = kind == TOAD_KIND_MEMORY ? TOAD_STRICT : TOAD_RELAXED;
    const toad_verdict *v = NULL;
    if (toad_scan(T.scanner, (toad_str){ p, n }, &o, &v)) return -1;
    size_t kept = 0;
    view *all = T.views.p;
    for (size_t i = 0; i < T.views.n; i++)
        if (!all[i].skip) all[kept++] = all[i];
    T.views.n = kept;
    return (int)toad_verdict_severity(v);
}

EXPORT size_t tv_views(void) { return T.views.n; }
EXPORT const char *tv_view(size_t i, size_t *n) {
    const view *v = (const view *)T.views.p + i;
    *n = v->n;
    return (const char *)T.text.p + v->at;
}

static void add_units(const toad__lexicon *x, const toad__glossary *g, uint32_t index, uint32_t node, toad_str text) {
    static toad__unit u;
    static toad__word words[TOAD__UNIT_WORDS];
    static uint32_t ids[TOAD__UNIT_GRAMS], glosses[TOAD__UNIT_GLOSSES];
    for (size_t at = 0; at < text.n;) {
        at = toad__unit_read(text, at, &u);
        if (!u.tokens_n) continue;
        unit_row *row = grow(&T.units, 1, sizeof *row);
        *row = (unit_row){ .cues = toad__unit_cues(x, &u),
                           .view = index,
                           .start = u.start,
                           .end = u.end,
                           .tokens = u.tokens_n,
                           .spelled = u.spelled,
                           .node = node,
                           .words_at = T.words.n,
                           .grams_at = T.grams.n,
                           .glosses_at = T.glosses.n,
                           .net_at = T.tokens.n };
        size_t n = toad__unit_words(&u, words);
        uint32_t *to = grow(&T.words, n, 4);
        for (size_t i = 0; i < n; i++) to[i] = words[i].id;
        row->words_n = (uint32_t)n;
        n = toad__unit_grams(text, &u, ids);
        memcpy(grow(&T.grams, n, 4), ids, n * 4);
        row->grams_n = (uint32_t)n;
        n = toad__unit_glosses(g, text, &u, glosses);
        memcpy(grow(&T.glosses, n, 4), glosses, n * 4);
        row->glosses_n = (uint32_t)n;
        for (size_t k = 0; k < u.tokens_n; k++) {
            if (u.repeats >> k & 1) continue;
            token_row *token = grow(&T.tokens, 1, sizeof *token);
            *token = (token_row){ .hash = u.tokens[k].hash, .stem = toad__token_stem(text, &u, k) };
            toad__token_keys(g, text, &u, k, token->keys);
            row->net_n++;
        }
    }
}

static void add_blocks(uint32_t index, toad_str text) {
    uint32_t ids[TOAD__FRONT_IDS];
    for (toad__front f = { .text = text }; f.at < text.n;) {
        uint32_t n = (uint32_t)toad__front_ids(&f, ids), *row = grow(&T.blocks, 2, 4);
        row[0] = index;
        row[1] = n;
        memcpy(grow(&T.fronts, n, 4), ids, n * 4);
    }
}

/* Read the units of every view of the last row, or of `text` alone if it is not NULL. Returns how many. */
EXPORT size_t tv_units(const uint8_t *slots, unsigned bits, const uint8_t *glossary, const char *text, size_t n) {
    toad__lexicon x = { slots, bits };
    toad__glossary g = { glossary, glossary + TOAD__GLOSS_SLOTS, glossary + TOAD__GLOSS_SLOTS + TOAD__GLOSS_SIEVE };
    T.units.n = T.words.n = T.grams.n = T.glosses.n = T.tokens.n = T.fronts.n = T.blocks.n = 0;
    const view *v = T.views.p;
    if (text)
        add_units(&x, &g, 0, 0, (toad_str){ text, n });
    else
        for (size_t i = 0; i < T.views.n; i++) {
            toad_str view_text = { (const char *)T.text.p + v[i].at, v[i].n };
            add_units(&x, &g, (uint32_t)i, v[i].node, view_text);
            add_blocks((uint32_t)i, view_text);
        }
    return T.units.n;
}
EXPORT const unit_row *tv_unit_rows(void) { return T.units.p; }
EXPORT const uint32_t *tv_words(size_t *n) {
    *n = T.words.n;
    return T.words.p;
}
EXPORT const uint32_t *tv_grams(size_t *n) {
    *n = T.grams.n;
    return T.grams.p;
}
EXPORT const uint32_t *tv_glosses(size_t *n) {
    *n = T.glosses.n;
    return T.glosses.p;
}
EXPORT const token_row *tv_tokens(size_t *n) {
    *n = T.tokens.n;
    return T.tokens.p;
}
/* The features of the front, block by block, and of every block its view and how many they are. */
EXPORT const uint32_t *tv_fronts(size_t *n) {
    *n = T.fronts.n;
    return T.fronts.p;
}
EXPORT const uint32_t *tv_blocks(size_t *n) {
    *n = T.blocks.n;
    return T.blocks.p;
}

EXPORT uint32_t tv_hash(const char *p, size_t n) { return toad__lexicon_hash((toad_str){ p, n }); }

EXPORT uint32_t tv_stem_hash(const char *p, size_t n) { return toad__gloss_stem_hash((toad_str){ p, n }); }
/* The hash of the first of several tokens; 0: there is but one. */
EXPORT uint32_t tv_first_hash(const char *p, size_t n) {
    static toad__unit u;
    toad__unit_read((toad_str){ p, n }, 0, &u);
    return u.tokens_n > 1 ? u.tokens[0].hash : 0;
}
EXPORT uint32_t tv_bit(uint32_t hash) { return toad__gloss_bit(hash); }
EXPORT uint32_t tv_place(uint32_t hash) { return toad__gloss_place(hash); }

/* Fold as the matcher does; at most `max` bytes into `ret`. */
EXPORT size_t tv_fold(const char *p, size_t n, char *ret, size_t max) {
    toad__view v;
    toad__view_init(&v, max);
    toad__fold(&v, (toad_str){ p, n }, TOAD__FOLD_DROP);
    size_t len = v.text.n;
    if (len) memcpy(ret, v.text.p, len);
    toad__view_free(&v);
    return len;
}

/* Use a weights file, which must outlive its use; with `gate`, another gate than its own. 0, or a toad_status. */
EXPORT int tv_model(const char *p, size_t n, const int32_t *gate) {
    if (!T.scratch && !(T.scratch = toad__model_scratch_new())) abort();
    toad_status status = toad__model_read((toad_str){ p, n }, &T.model);
    if (gate) T.model.gate = *gate;
    return (int)status;
}

/* Score folded text; the highest logits go to `logits`. Returns the thousandths of the kind. */
EXPORT unsigned tv_score(const char *p, size_t n, int kind, int32_t *logits, uint32_t *sentence) {
    toad__model_hit hit;
    toad__model_score(&T.model, T.scratch, (toad_str){ p, n }, (toad_kind)kind, 0, &hit);
    memcpy(logits, hit.logit, sizeof hit.logit);
    sentence[0] = (uint32_t)hit.sentence.start;
    sentence[1] = (uint32_t)hit.sentence.end;
    return hit.score;
}
