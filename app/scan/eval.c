/* eval.c - see eval.h. Rows are kept without their text: an id, a verdict, an excerpt. */
#include "app/scan/eval.h"
#include "app/host/interval.h"
#include "app/host/jsonl.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define ARENA_MAX ((size_t)4 << 30)
#define WINDOW    2048u

/* ---- a row of input ---- */

static toad_status refuse(toad__eval_input *r, const char *why) {
    snprintf(r->error, sizeof r->error, "%s", why);
    return TOAD_E_SYNTAX;
}

static toad_str text_or_dash(const toad__json *root, const char *name) {
    toad_str s = toad__json_get_text(root, name);
    return s.p && s.n ? s : TOAD__S("-");
}

/* Names that corpora use, and the kinds they are. Not here, so scanned as any kind: names that say what a text is
 * (docs, lang, obfuscated, direct, hard-negative) and not where it came from. */
static toad_kind kind_of(toad_str name) {
    static const struct {
        const char *name;
        toad_kind kind;
    } others[] = {
        { "html", TOAD_KIND_WEB },
        { "tool-output", TOAD_KIND_TOOL_RESULT },
        { "tool-description", TOAD_KIND_TOOL_DESCRIPTION },
        { "instructions", TOAD_KIND_INSTRUCTION_FILE },
    };
    toad_kind kind = TOAD_KIND_ANY;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (toad__str_eq(name, toad__str_z(others[i].name))) return others[i].kind;
    return toad_kind_parse(name, &kind) ? kind : TOAD_KIND_ANY;
}

static toad_status read_bytes(const toad__json *root, toad__arena *arena, toad__eval_input *r) {
    toad_str text = toad__json_get_text(root, "text"), b64 = toad__json_get_text(root, "bytes_b64");
    if (!text.p == !b64.p) return refuse(r, "one of \"text\" and \"bytes_b64\" is needed, a string");
    r->bytes = text;
    if (text.p) return TOAD_OK;
    char *out = toad__arena_alloc(arena, b64.n / 4 * 3 + 1);
    if (!out) return TOAD_E_NOMEM;
    r->bytes.p = out;
    return toad__base64_read(b64, out, &r->bytes.n) ? TOAD_OK
                                                    : refuse(r, "\"bytes_b64\" is not base64 (RFC 4648, padded)");
}

toad_status toad__eval_read(toad_str line, toad__arena *arena, toad__eval_input *ret) {
    const toad__json *root;
    size_t at;
    const char *expected;
    *ret = (toad__eval_input){ .kind = TOAD_KIND_ANY };
    toad_status status = toad__json_parse(line, arena, &root, &at, &expected);
    if (status == TOAD_E_NOMEM) return status;
    if (status == TOAD_E_LIMIT) return refuse(ret, "nested too deeply, or too many values");
    if (status) {
        snprintf(ret->error, sizeof ret->error, "not valid JSON at byte %zu: expected %s", at, expected);
        return TOAD_E_SYNTAX;
    }
    if (root->type != TOAD__JSON_OBJECT) return refuse(ret, "not a JSON object");
    toad_str label = toad__json_get_text(root, "label");
    ret->attack = toad__str_eq(label, TOAD__S("attack"));
    if (!ret->attack && !toad__str_eq(label, TOAD__S("benign")))
        return refuse(ret, "\"label\" is not \"attack\" or \"benign\"");
    ret->id = text_or_dash(root, "id");
    ret->dataset = text_or_dash(root, "dataset");
    ret->subset = text_or_dash(root, "subset");
    ret->kind_name = text_or_dash(root, "kind");
    ret->kind = kind_of(ret->kind_name);
    ret->pair = text_or_dash(root, "pair");
    ret->goal = text_or_dash(root, "goal");
    ret->carrier = text_or_dash(root, "carrier");
    ret->lang = text_or_dash(root, "lang");
    return read_bytes(root, arena, ret);
}

/* ---- rows ---- */

/* Half of the learned score, so that its 1 stays below the next severity. */
double toad__eval_score(const toad_verdict *verdict) {
    return (double)toad_verdict_severity(verdict) + toad_verdict_score(verdict) / 2;
}

void toad__eval_init(toad__eval *e) {
    *e = (toad__eval){ .rows = NULL };
    toad__arena_init(&e->arena, ARENA_MAX);
}

void toad__eval_free(toad__eval *e) {
    toad__arena_free(&e->arena);
    free(e->rows);
}

/* FNV-1a (draft-eastlake-fnv): spreads names, promises nothing else. */
static uint64_t hash(uint64_t h, toad_str s) {
    for (size_t i = 0; i < s.n; i++) h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
    return h;
}

toad_status toad__eval_add(toad__eval *e, const toad__eval_row *row) {
    if (e->n == e->cap) {
        size_t cap = e->cap ? 2 * e->cap : 256;
        toad__eval_row *rows = realloc(e->rows, cap * sizeof *rows);
        if (!rows) return TOAD_E_NOMEM;
        e->rows = rows;
        e->cap = cap;
    }
    toad__eval_row *to = &e->rows[e->n];
    *to = *row;
    to->order = e->n;
    to->spread = hash(hash(14695981039346656037u, row->group), row->id);
    toad_str *const strings[] = { &to->id,   &to->group, &to->rules,   &to->excerpt,
                                  &to->pair, &to->goal,  &to->carrier, &to->lang };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        *strings[i] = toad__arena_dup(&e->arena, *strings[i]);
        if (!strings[i]->p) return TOAD_E_NOMEM;
    }
    e->n++;
    return TOAD_OK;
}

static int by_text(toad_str a, toad_str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_group(const void *a, const void *b) {
    const toad__eval_row *x = a, *y = b;
    int order = by_text(x->group, y->group);
    if (!order) order = by_text(x->id, y->id);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

void toad__eval_sort(toad__eval *e) {
    if (e->n) qsort(e->rows, e->n, sizeof *e->rows, by_group);
}

size_t toad__eval_group_end(const toad__eval *e, size_t from) {
    size_t to = from;
    while (to < e->n && toad__str_eq(e->rows[to].group, e->rows[from].group)) to++;
    return to;
}

/* ---- measures ---- */

void toad__eval_interval(toad__eval_share s, double *low, double *high) {
    toad__interval(s.of ? (double)s.hits / (double)s.of : 0, (double)s.of, low, high);
}

bool toad__eval_apart(toad__eval_share a, toad__eval_share b) {
    double a_low, a_high, b_low, b_high;
    toad__eval_interval(a, &a_low, &a_high);
    toad__eval_interval(b, &b_low, &b_high);
    return a_high < b_low || b_high < a_low;
}

static int by_score(const void *a, const void *b) {
    double x = (*(const toad__eval_row *const *)a)->score, y = (*(const toad__eval_row *const *)b)->score;
    return (x > y) - (x < y);
}

/* The rank sum (Mann and Whitney 1947); rows of one score share their ranks. */
static toad_status area(const toad__eval *e, size_t from, size_t to, double *ret) {
    const toad__eval_row **order = malloc((to - from + 1) * sizeof *order);
    double wins = 0, below = 0, attacks = 0;
    if (!order) return TOAD_E_NOMEM;
    for (size_t i = from; i < to; i++) order[i - from] = &e->rows[i];
    qsort(order, to - from, sizeof *order, by_score);
    for (size_t i = 0, k; i < to - from; i = k) {
        double benign = 0, hits = 0;
        for (k = i; k < to - from && order[k]->score <= order[i]->score; k++)
            *(order[k]->attack ? &hits : &benign) += 1;
        wins += hits * (below + benign / 2);
        below += benign;
        attacks += hits;
    }
    free(order);
    *ret = attacks > 0 && below > 0 ? wins / (attacks * below) : -1;
    return TOAD_OK;
}

toad_status toad__eval_measure(const toad__eval *e, size_t from, size_t to, toad__eval_measures *ret) {
    toad__eval_measures m = { .auc = -1 };
    for (size_t i = from; i < to; i++) {
        const toad__eval_row *r = &e->rows[i];
        toad__eval_share *blocked = r->attack ? &m.blocked : &m.false_blocked,
                         *flagged = r->attack ? &m.flagged : &m.false_flagged;
        blocked->of++;
        flagged->of++;
        blocked->hits += r->severity >= TOAD_HIGH;
        flagged->hits += r->severity >= TOAD_MEDIUM;
        m.incomplete += r->incomplete;
        if (r->attack) continue;
        m.benign_bytes += r->bytes;
        m.benign_windows += r->bytes ? (r->bytes + WINDOW - 1) / WINDOW : 1;
    }
    toad_status status = area(e, from, to, &m.auc);
    if (!status) *ret = m;
    return status;
}

/* Is `a` a worse mistake than `b`? */
static bool is_worse(const toad__eval_row *a, const toad__eval_row *b) {
    if (a->score < b->score || a->score > b->score) return (a->score < b->score) == a->attack;
    return a->spread < b->spread;
}

size_t toad__eval_worst(const toad__eval *e, bool attacks, const toad__eval_row **ret, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        const toad__eval_row *r = &e->rows[i];
        if (r->attack != attacks || (r->severity >= TOAD_MEDIUM) == attacks) continue;
        size_t at = n;
        while (at && is_worse(r, ret[at - 1])) at--;
        if (at >= most) continue;
        size_t moved = (n < most ? n : most - 1) - at;
        memmove(ret + at + 1, ret + at, moved * sizeof *ret);
        ret[at] = r;
        if (n < most) n++;
    }
    return n;
}

/* ---- rules ---- */

static int by_id(const void *a, const void *b) {
    return by_text(((const toad__eval_rule *)a)->id, ((const toad__eval_rule *)b)->id);
}

static int by_alarms(const void *a, const void *b) {
    const toad__eval_rule *x = a, *y = b;
    if (x->alarms != y->alarms) return x->alarms < y->alarms ? 1 : -1;
    if (x->attacks != y->attacks) return x->attacks < y->attacks ? 1 : -1;
    return by_text(x->id, y->id);
}

/* One entry for each rule of each row; `to` NULL only counts. */
static size_t each_rule(const toad__eval *e, toad__eval_rule *to) {
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        const toad__eval_row *r = &e->rows[i];
        for (size_t from = 0, end; from < r->rules.n; from = end + 1, n++) {
            end = toad__str_find(r->rules, TOAD__S(" "), from);
            if (end > r->rules.n) end = r->rules.n;
            if (to)
                to[n] = (toad__eval_rule){ .id = toad__str_part(r->rules, from, end),
                                           .attacks = r->attack,
                                           .benign = !r->attack,
                                           .alarms = !r->attack && r->severity >= TOAD_MEDIUM };
        }
    }
    return n;
}

toad_status toad__eval_rules(const toad__eval *e, toad__eval_rule **ret, size_t *ret_n) {
    size_t all = each_rule(e, NULL), n = 0;
    toad__eval_rule *rules = malloc((all + 1) * sizeof *rules);
    if (!rules) return TOAD_E_NOMEM;
    each_rule(e, rules);
    qsort(rules, all, sizeof *rules, by_id);
    for (size_t i = 0; i < all; i++) {
        if (!n || !toad__str_eq(rules[n - 1].id, rules[i].id)) {
            rules[n++] = rules[i];
            continue;
        }
        rules[n - 1].attacks += rules[i].attacks;
        rules[n - 1].benign += rules[i].benign;
        rules[n - 1].alarms += rules[i].alarms;
    }
    qsort(rules, n, sizeof *rules, by_alarms);
    *ret = rules;
    *ret_n = n;
    return TOAD_OK;
}
