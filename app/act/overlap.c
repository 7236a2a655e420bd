/* overlap.c - see overlap.h. Texts inside texts go through one queue with a budget, so depth is a number and nothing
 * recurses. The table is sorted once; a bitmap of some hash bits answers most questions without a search. */
#include "app/act/overlap.h"

#include "app/act/words.h"
#include "lib/base/arena.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/decode/survey.h"
#include "lib/text/fold.h"
#include "toadstone/html.h"

#include <stdlib.h>

enum {
    WEIGHT = 8,     /* of a phrase; a word weighs 2, a character of a script without blanks 1 */
    RING = 8,       /* words a phrase has at most */
    DEPTH = 2,      /* decodings inside decodings */
    CHILDREN = 256, /* decoded texts of one text */
    SHOWN = 160,    /* bytes of a phrase that are shown */
    STRONG_WORDS = 8,
    VALUE_LEAST = 8,   /* bytes of a short argument */
    PARENTS = 3,       /* names a name ends with that are looked up */
    LONG_WORD = 10,    /* with a digit in it: an address */
    FILTER_LEAST = 12, /* binary logarithm of the filter's bits: 16 an entry or more */
};
#define FOLDED_MAX ((size_t)64 << 20)
#define POOL_MAX   ((size_t)256 << 20)

typedef struct entry {
    uint64_t hash;
    uint32_t at;
    uint32_t sort : 4, n : 28; /* pool.p[at .. at + n) */
} entry;

struct toad__overlap {
    toad__buf pool, entries; /* the folded arguments; an array of entry */
    bool sorted, has_short;
    uint64_t *filter; /* owned; of 2^(64 - shift) bits */
    unsigned shift;
    toad__view fold, plain;
    toad__arena queue;
};

toad_status toad__overlap_new(toad__overlap **ret) {
    toad__overlap *o = calloc(1, sizeof *o);
    if (!o) return TOAD_E_NOMEM;
    toad__buf_init(&o->pool, POOL_MAX);
    toad__buf_init(&o->entries, POOL_MAX * 4);
    toad__view_init(&o->fold, FOLDED_MAX);
    toad__view_init(&o->plain, FOLDED_MAX);
    toad__arena_init(&o->queue, POOL_MAX);
    *ret = o;
    return TOAD_OK;
}

void toad__overlap_free(toad__overlap *o) {
    if (!o) return;
    toad__buf_free(&o->pool);
    toad__buf_free(&o->entries);
    free(o->filter);
    toad__view_free(&o->fold);
    toad__view_free(&o->plain);
    toad__arena_free(&o->queue);
    free(o);
}

const char *toad__taken_name(toad__taken sort) {
    static const char *const names[] = { "command", "value", "phrase", "url", "path", "name", "address" };
    return names[sort];
}

bool toad__taken_is_strong(const toad__taken_list *list) {
    return list->words >= STRONG_WORDS || list->text[TOAD__TAKEN_URL].p || list->text[TOAD__TAKEN_ADDRESS].p;
}

/* What cutting a text gives: called for each thing that can be taken over. */
typedef toad_status (*thing_fn)(void *ctx, uint64_t hash, toad__taken sort, toad_span at);

typedef struct cutter {
    toad_str text;                           /* folded */
    void (*begin)(void *ctx, toad_str text); /* told of each text before it is cut; may be NULL */
    thing_fn fn;
    void *ctx;
    bool short_ones; /* also windows of two and three words: commands */
    bool parents;    /* also the names that a name ends with: what was read may hold only these */
    bool whole;      /* the text is a command: if it is that short, it is one thing */
    bool value;      /* ... or an argument, and is one with marks in it */
} cutter;

/* ---- words ---- */

/* All windows that end with the newest word of the ring (`n` words seen so far). */
static toad_status windows(const cutter *c, const toad__word *ring, size_t n) {
    const toad__word *last = &ring[(n - 1) % RING];
    unsigned weight = 0;
    uint64_t h = 0;
    for (size_t k = 1; k <= RING && k <= n; k++) {
        const toad__word *first = &ring[(n - k) % RING];
        toad_span at = { first->at.start, last->at.end };
        h = toad__word_join(h, first->hash);
        weight += first->weight;
        if (weight >= WEIGHT) return c->fn(c->ctx, h, TOAD__TAKEN_PHRASE, at);
        toad_status status = c->short_ones && (k == 2 || k == 3) ? c->fn(c->ctx, h, TOAD__TAKEN_COMMAND, at) : TOAD_OK;
        if (status) return status;
    }
    return TOAD_OK;
}

/* Marks of a language that is no speech. */
static bool has_marks(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (memchr("{}[]()<>=;|&$%", s.p[i], 14)) return s.n >= VALUE_LEAST;
    return false;
}

static toad_status cut_words(const cutter *c) {
    toad__word ring[RING];
    toad_status status = TOAD_OK;
    size_t at = 0, n = 0;
    while (!status && toad__word_next(c->text, &at, &ring[n % RING])) {
        n++;
        status = windows(c, ring, n);
    }
    bool value = c->value && has_marks(c->text);
    if (status || !(c->whole || value) || n < 2 || n > 3) return status;
    uint64_t h = 0;
    for (size_t k = n; k-- > 0;) h = toad__word_join(h, ring[k].hash);
    return c->fn(c->ctx, h, c->whole ? TOAD__TAKEN_COMMAND : TOAD__TAKEN_VALUE,
                 (toad_span){ ring[0].at.start, ring[n - 1].at.end });
}

/* ---- tokens ---- */

static toad_status give(const cutter *c, toad__taken sort, size_t from, size_t to) {
    return c->fn(c->ctx, toad__word_hash(toad__str_part(c->text, from, to), 2), sort, (toad_span){ from, to });
}

/* Dots between letters or digits, and a letter behind the last. */
static bool is_name(toad_str s) {
    size_t dots = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '.')
            dots += i && i + 1 < s.n && s.p[i - 1] != '.';
        else if (!toad__is_word_byte((unsigned char)s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    }
    return dots && s.n >= 5 && toad__is_word_byte((unsigned char)s.p[s.n - 1]) && !toad__is_digit(s.p[s.n - 1]);
}

static bool is_long_word(toad_str s) {
    bool digit = false;
    for (size_t i = 0; i < s.n; i++) {
        if (!toad__is_alnum((unsigned char)s.p[i])) return false;
        digit |= toad__is_digit(s.p[i]);
    }
    return digit && s.n >= LONG_WORD;
}

static size_t find(toad_str s, size_t from, size_t to, char c) {
    const char *hit = from < to ? memchr(s.p + from, c, to - from) : NULL;
    return hit ? (size_t)(hit - s.p) : to;
}

/* A name, and if asked for what is left of it without its first labels. */
static toad_status cut_name(const cutter *c, size_t from, size_t to) {
    toad_status status = give(c, TOAD__TAKEN_NAME, from, to);
    for (int i = 0; i < PARENTS && c->parents && !status; i++) {
        from = find(c->text, from, to, '.') + 1;
        if (from >= to || !is_name(toad__str_part(c->text, from, to))) break;
        status = give(c, TOAD__TAKEN_NAME, from, to);
    }
    return status;
}

/* What comes after the scheme: host, and path if there is one. */
static toad_status cut_address(const cutter *c, size_t from, size_t to, bool url) {
    toad_str s = c->text;
    size_t slash = find(s, from, to, '/'), stop = find(s, from, find(s, from, slash, '?'), '#');
    size_t at = find(s, from, stop, '@'), host = at < stop ? at + 1 : from, host_end = find(s, host, stop, ':');
    bool has_name = is_name(toad__str_part(s, host, host_end));
    toad_status status = has_name ? cut_name(c, host, host_end) : TOAD_OK;
    if (!status && at < stop && has_name && !url) status = give(c, TOAD__TAKEN_ADDRESS, from, host_end);
    if (!status && stop < to && to - from >= 4)
        status = give(c, url || has_name ? TOAD__TAKEN_URL : TOAD__TAKEN_PATH, from, to);
    if (!status && is_long_word(toad__str_part(s, from, to))) status = give(c, TOAD__TAKEN_ADDRESS, from, to);
    return status;
}

static toad_status cut_token(const cutter *c, size_t from, size_t to) {
    toad_str s = c->text;
    while (to > from && toad__is_edge(s.p[to - 1])) to--;
    size_t scheme = from + toad__str_find(toad__str_part(s, from, to), TOAD__S("://"), 0);
    if (scheme < to) return cut_address(c, scheme + 3, to, true);
    for (size_t i = to; i > from; i--) { /* name=value: the value counts by itself */
        if (s.p[i - 1] != '=' && s.p[i - 1] != ':') continue;
        toad_status status = cut_address(c, i, to, false);
        if (status) return status;
        break;
    }
    size_t start = from;
    while (start < to && s.p[start] != '/' && toad__is_edge(s.p[start])) start++;
    return cut_address(c, start, to, false);
}

static toad_status cut_tokens(const cutter *c) {
    toad_status status = TOAD_OK;
    for (size_t at = 0, end; at < c->text.n && !status; at = end + 1) {
        for (end = at; end < c->text.n && !toad__ends_token((unsigned char)c->text.p[end]); end++) {}
        if (end - at >= 4) status = cut_token(c, at, end);
    }
    return status;
}

/* ---- texts inside texts ---- */

typedef struct item {
    toad_str text;
    unsigned depth;
    struct item *next;
} item;

typedef struct forms {
    toad__overlap *o;
    item *head, **tail;
    unsigned depth, children; /* of the text being decoded */
    size_t budget;
    bool cut;
    toad_status status;
} forms;

static bool push(forms *f, toad_str text, unsigned depth) {
    item *it = toad__arena_alloc(&f->o->queue, sizeof *it);
    if (!it) return (f->status = TOAD_E_NOMEM), false;
    *it = (item){ text, depth, NULL };
    *f->tail = it;
    f->tail = &it->next;
    return true;
}

static bool take_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    forms *f = ctx;
    (void)step;
    (void)map;
    if (f->budget < text.n || f->children >= CHILDREN) return (f->cut = true), false;
    f->budget -= text.n;
    f->children++;
    toad_str copy = toad__arena_dup(&f->o->queue, text);
    if (!copy.p) return (f->status = TOAD_E_NOMEM), false;
    return push(f, copy, f->depth + 1);
}

static void decode(forms *f, toad_str raw) {
    toad_status status = toad__fold(&f->o->plain, raw, TOAD__FOLD_KEEP_CASE);
    if (status == TOAD_E_LIMIT)
        f->cut = true;
    else if (status)
        f->status = status;
    if (f->status) return;
    toad_str plain = toad__buf_str(&f->o->plain.text);
    toad__hints of_raw, of_plain;
    toad__survey survey;
    toad__hints_take(raw, &of_raw);
    toad__hints_take(plain, &of_plain);
    toad__survey_take(plain, &survey);
    for (const toad__decoder *const *row = toad__decoders; *row && !f->status; row++) {
        const toad__decoder *d = *row;
        bool as_is = d->reads == TOAD__RAW;
        if (!toad__is_wanted(d, as_is ? &of_raw : &of_plain)) continue;
        toad__sink sink = { .ctx = f,
                            .child = take_child,
                            .room = f->budget,
                            .hints = as_is ? &of_raw : &of_plain,
                            .survey = as_is ? NULL : &survey };
        d->run(as_is ? raw : plain, &sink);
        if (sink.status == TOAD_E_LIMIT)
            f->cut = true;
        else if (sink.status)
            f->status = sink.status;
    }
}

/* The page as a person sees it, where markup stands between the letters. */
static void extract(forms *f, toad_str text) {
    toad_extracted *page;
    if (f->status || !memchr(text.p, '<', text.n)) return;
    f->status = toad_extract(text, NULL, &page);
    if (f->status) return;
    f->children = 0;
    f->depth = DEPTH - 1;
    if (toad_extracted_visible(page).n) take_child(f, NULL, toad_extracted_visible(page), NULL);
    toad_extracted_free(page);
}

static toad_status cut_folded(toad__overlap *o, toad_str text, unsigned flags, cutter *c, bool *cut) {
    toad_status status = toad__fold(&o->fold, text, flags);
    if (status == TOAD_E_LIMIT)
        *cut = true;
    else if (status)
        return status;
    c->text = toad__buf_str(&o->fold.text);
    if (c->begin) c->begin(c->ctx, c->text);
    status = cut_words(c);
    return status ? status : cut_tokens(c);
}

/* Cut `text` in all its forms. */
static toad_status cut_forms(forms *f, toad_str text, cutter *c) {
    toad__arena_free(&f->o->queue);
    toad__arena_init(&f->o->queue, POOL_MAX);
    f->tail = &f->head;
    if (text.n > f->budget) {
        f->cut = true;
        text.n = f->budget;
    }
    if (!text.n) return TOAD_OK;
    f->budget -= text.n;
    if (push(f, text, 0)) extract(f, text);
    for (const item *it = f->head; it && !f->status; it = it->next) {
        f->status = cut_folded(f->o, it->text, TOAD__FOLD_DROP, c, &f->cut);
        if (!f->status && f->o->fold.dropped) f->status = cut_folded(f->o, it->text, TOAD__FOLD_BLANK, c, &f->cut);
        f->depth = it->depth;
        f->children = 0;
        if (!f->status && it->depth < DEPTH) decode(f, it->text);
    }
    return f->status;
}

/* ---- the table ---- */

typedef struct adding {
    toad__overlap *o;
    size_t base; /* where the text being cut stands in the pool */
} adding;

static void begin(void *ctx, toad_str text) {
    adding *a = ctx;
    a->base = a->o->pool.n;
    toad__buf_add_str(&a->o->pool, text);
}

static toad_status keep(void *ctx, uint64_t hash, toad__taken sort, toad_span at) {
    adding *a = ctx;
    if (a->o->pool.status) return a->o->pool.status;
    entry e = { hash, (uint32_t)(a->base + at.start), (uint32_t)sort & 15u,
                (uint32_t)(at.end - at.start) & 0xFFFFFFFu };
    toad__buf_add(&a->o->entries, &e, sizeof e);
    a->o->has_short |= sort == TOAD__TAKEN_COMMAND || sort == TOAD__TAKEN_VALUE;
    return a->o->entries.status;
}

toad_status toad__overlap_add(toad__overlap *o, toad_str text, bool command) {
    adding a = { .o = o };
    cutter c = { .begin = begin, .fn = keep, .ctx = &a, .parents = true, .value = true };
    forms f = { .o = o, .budget = 8 * text.n + 65536 };
    o->sorted = false;
    toad_status status = cut_forms(&f, text, &c);
    for (size_t at = 0, end; command && !status && at < text.n; at = end + 1) { /* each simple command by itself */
        for (end = at; end < text.n && !strchr(";|&\n", text.p[end]); end++) {}
        c.whole = true;
        if (end > at) status = cut_folded(o, toad__str_part(text, at, end), TOAD__FOLD_DROP, &c, &f.cut);
    }
    return status == TOAD_E_LIMIT ? TOAD_E_NOMEM : status;
}

static int by_hash(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static toad_status sort_table(toad__overlap *o) {
    entry *e = (entry *)(void *)o->entries.p;
    size_t n = o->entries.n / sizeof *e, kept = 0;
    unsigned bits = FILTER_LEAST;
    while (n >> (bits - 4)) bits++;
    uint64_t *filter = calloc((size_t)1 << (bits - 6), sizeof *filter);
    if (!filter) return TOAD_E_NOMEM;
    free(o->filter);
    o->filter = filter;
    o->shift = 64 - bits;
    if (n) qsort(e, n, sizeof *e, by_hash);
    for (size_t i = 0; i < n; i++) {
        if (kept && e[kept - 1].hash == e[i].hash) continue;
        e[kept++] = e[i];
        uint64_t bit = e[i].hash >> o->shift;
        filter[bit >> 6] |= UINT64_C(1) << (bit & 63);
    }
    o->entries.n = kept * sizeof *e;
    o->sorted = true;
    return TOAD_OK;
}

static const entry *find_entry(const toad__overlap *o, uint64_t hash) {
    uint64_t bit = hash >> o->shift;
    if (!(o->filter[bit >> 6] >> (bit & 63) & 1)) return NULL;
    const entry *e = (const entry *)(const void *)o->entries.p;
    size_t from = 0, to = o->entries.n / sizeof *e;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (e[middle].hash == hash) return &e[middle];
        if (e[middle].hash < hash)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* ---- looking ---- */

typedef struct looking {
    const toad__overlap *o;
    toad__taken_list *list;
    size_t run, run_at; /* windows in a row that stand in the table; where the first of them begins in the pool */
} looking;

static void offer(looking *l, toad__taken sort, size_t at, size_t n) {
    toad_str *best = &l->list->text[sort];
    if (n > SHOWN) n = toad__utf8_floor(toad__str_part(toad__buf_str(&l->o->pool), at, at + n), SHOWN);
    if (!best->p || n > best->n) *best = toad__str(l->o->pool.p + at, n);
}

static toad_status match(void *ctx, uint64_t hash, toad__taken sort, toad_span at) {
    looking *l = ctx;
    const entry *e = find_entry(l->o, hash);
    (void)at;
    if (sort != TOAD__TAKEN_PHRASE) {
        bool short_one = sort == TOAD__TAKEN_COMMAND && e && e->sort == TOAD__TAKEN_VALUE;
        if (e && (e->sort == sort || short_one)) offer(l, (toad__taken)e->sort, e->at, e->n);
        return TOAD_OK;
    }
    if (!e || e->sort != sort) {
        l->run = 0;
        return TOAD_OK;
    }
    if (!l->run++ || e->at < l->run_at || e->at - l->run_at > SHOWN) l->run_at = e->at;
    offer(l, sort, l->run_at, e->at + e->n - l->run_at);
    if (l->run + 3 > l->list->words) l->list->words = l->run + 3;
    return TOAD_OK;
}

toad_status toad__overlap_look(toad__overlap *o, toad_str content, size_t *budget, toad__taken_list *ret) {
    toad__taken_list list = { 0 };
    looking l = { .o = o, .list = &list };
    cutter c = { .fn = match, .ctx = &l, .short_ones = o->has_short };
    forms f = { .o = o, .budget = *budget };
    toad_status status = o->sorted ? TOAD_OK : sort_table(o);
    if (!status && o->entries.n) status = cut_forms(&f, content, &c);
    *budget = o->entries.n ? f.budget : *budget;
    if (status) return status;
    list.cut = f.cut;
    *ret = list;
    return TOAD_OK;
}
