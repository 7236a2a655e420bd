/* screen_edit.c - a value with only those bytes changed that have to be.
 *
 * Edits are spans of the value as it came; they are gathered, sorted and applied in one pass. What is cut from an
 * object or array takes one comma with it, so that what is left is as well formed as what came. */
#include "app/mcp/screen_internal.h"
#include "toadstone/text.h"
#include "toadstone/wrap.h"

#include <stdlib.h>

#define REMOVED "[removed by toadstone]"

typedef struct edit {
    size_t from, to; /* in the value's bytes */
    toad_str put;
} edit;

typedef struct cut {
    const toad__json *node, *parent;
} cut;

typedef struct editing {
    toad__screen *s;
    const toad__screen_in *in;
    const char *content_id; /* under which it was kept, or "" */
    toad__arena *arena;
    edit *edits;
    cut *cuts;
    size_t n, cap, n_cuts;
    toad_status status;
} editing;

static size_t offset_of(const editing *e, const char *p) { return (size_t)(p - e->in->value->raw.p); }
static size_t start_of(const editing *e, const toad__json *v) { return offset_of(e, v->raw.p); }
static size_t end_of(const editing *e, const toad__json *v) { return start_of(e, v) + v->raw.n; }

static void add_edit(editing *e, size_t from, size_t to, toad_str put) {
    if (e->status) return;
    if (e->n == e->cap) {
        size_t cap = e->cap ? 2 * e->cap : 16;
        edit *more = realloc(e->edits, cap * sizeof *more);
        if (!more) {
            e->status = TOAD_E_NOMEM;
            return;
        }
        e->edits = more;
        e->cap = cap;
    }
    e->edits[e->n++] = (edit){ from, to, put };
}

/* A copy of what was written, for an edit; the buffer is freed. */
static toad_str keep(editing *e, toad__buf *b) {
    toad_str copy = b->status ? toad__str(NULL, 0) : toad__arena_dup(e->arena, toad__buf_str(b));
    if (!e->status) e->status = b->status ? b->status : copy.p ? TOAD_OK : TOAD_E_NOMEM;
    toad__buf_free(b);
    return copy;
}

/* ---- strings ---- */

static toad_status wrap(const editing *e, toad_str text, toad_text **ret) {
    toad_wrap_options options = TOAD_WRAP_OPTIONS_INIT;
    const toad__config *config = e->s->host->config;
    if (config) toad_envelope_parse(toad__str_z(toad__config_text(config, TOAD__CONFIG_ENVELOPE)), &options.envelope);
    toad_status status = toad__screen_source(e->s, e->in, &options.source);
    return status ? status : toad_wrap(text, &options, ret);
}

static int by_place(const void *left, const void *right) {
    const toad__mark *a = left, *b = right;
    if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

static const toad__mark *marks_of(const toad__reading *r, size_t leaf) {
    size_t lo = 0, hi = r->n_marks;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (r->marks[mid].leaf < leaf)
            lo = mid + 1;
        else
            hi = mid;
    }
    return r->marks + lo;
}

static bool ends_sentence(toad_str s, size_t at) {
    return s.p[at] == '\n' ||
           (strchr(".!?", s.p[at]) && s.p[at] && (at + 1 == s.n || toad__is_space((unsigned char)s.p[at + 1])));
}

static bool counts(const toad__screen *s, const toad__mark *m, bool vague) {
    return m->severity >= s->objects_from && m->vague == vague;
}

/* The text without the sentences that were marked; a vague mark counts only where there is no other.
 *
 * toad_guard redacts, too, but one text, by its own scan. Here a string is marked by scans over several of them and
 * over what they decode to, which no scan of it alone would find: what is shared by the two would be this loop. */
static void redact(const toad__screen *screen, size_t leaf, toad__buf *out) {
    const toad__reading *r = &screen->reading;
    toad_str s = r->leaves[leaf].text;
    if (!r->n_marks) { /* nothing was found in it: what could not be wholly looked at, for one */
        toad__buf_add_str(out, s);
        return;
    }
    const toad__mark *first = marks_of(r, leaf), *end = first;
    bool vague = true;
    size_t at = 0;
    for (; end < r->marks + r->n_marks && end->leaf == leaf; end++) vague &= !counts(screen, end, false);
    for (const toad__mark *m = first; m < end; m++) {
        size_t from = m->start, to = m->end;
        if (!counts(screen, m, vague) || to <= at) continue;
        while (from < to && (toad__is_space((unsigned char)s.p[from]) || ends_sentence(s, from))) from++;
        while (from > at && !ends_sentence(s, from - 1)) from--;
        while (from < to && toad__is_space((unsigned char)s.p[from])) from++;
        if (from < at) from = at;
        while (to < s.n && to > 0 && !ends_sentence(s, to - 1)) to++;
        toad__buf_add(out, s.p + at, from - at);
        toad__buf_add_z(out, REMOVED);
        if (to > 0 && s.p[to - 1] == '\n') toad__buf_add_c(out, '\n');
        at = to;
    }
    if (at < s.n) toad__buf_add(out, s.p + at, s.n - at);
}

static toad_status clean(toad_str text, toad_text **ret) { return toad_sanitize(text, NULL, ret, NULL); }

static toad_status redact_and_clean(const editing *e, size_t leaf, toad_text **ret) {
    toad__buf b;
    toad__buf_init(&b, TOAD__SCREEN_OUT);
    redact(e->s, leaf, &b);
    toad_status status = b.status ? b.status : clean(b.n ? toad__buf_str(&b) : TOAD__S(""), ret);
    toad__buf_free(&b);
    return status;
}

static void rewrite(editing *e, size_t i) {
    const toad__leaf *l = &e->s->reading.leaves[i];
    toad_text *text = NULL;
    toad__buf json;
    if (e->status || l->treatment == TOAD__TREAT_NONE || l->key || l->blob || (l->unit && l->unit->dropped)) return;
    e->status = l->treatment == TOAD__TREAT_SANITIZE ? clean(l->text, &text)
                : l->treatment == TOAD__TREAT_WRAP   ? wrap(e, l->text, &text)
                                                     : redact_and_clean(e, i, &text);
    if (e->status) return;
    toad__buf_init(&json, TOAD__SCREEN_OUT);
    toad__json_add_utf8(&json, toad_text_str(text));
    toad_text_free(text);
    toad_str put = keep(e, &json);
    add_edit(e, start_of(e, l->node), end_of(e, l->node), put);
}

/* ---- cuts ---- */

static int by_parent(const void *left, const void *right) {
    const cut *a = left, *b = right;
    if (a->parent != b->parent) return a->parent->raw.p < b->parent->raw.p ? -1 : 1;
    return a->node->raw.p < b->node->raw.p ? -1 : a->node->raw.p > b->node->raw.p;
}

/* Behind the comma that follows, or directly behind the value if none does. */
static size_t behind_comma(const editing *e, const toad__json *v) {
    size_t end = end_of(e, v), at = end;
    while (at < e->in->value->raw.n && toad__is_space((unsigned char)e->in->value->raw.p[at])) at++;
    return at < e->in->value->raw.n && e->in->value->raw.p[at] == ',' ? at + 1 : end;
}

/* Cut `n` children of one container, given in order. */
static void cut_children(editing *e, const cut *cuts, size_t n) {
    const toad__json *parent = cuts[0].parent, *before = NULL;
    bool kept = false;
    size_t next = 0;
    for (const toad__json *v = parent->child; v && next < n; before = v, v = v->next) {
        if (v != cuts[next].node) {
            kept = true;
            continue;
        }
        while (next < n && cuts[next].node == v) next++;
        if (kept)
            add_edit(e, end_of(e, before), end_of(e, v), TOAD__S(""));
        else
            add_edit(e, before ? behind_comma(e, before) : start_of(e, parent) + 1, behind_comma(e, v), TOAD__S(""));
    }
}

static void cut_all(editing *e) {
    qsort(e->cuts, e->n_cuts, sizeof *e->cuts, by_parent);
    for (size_t i = 0, end; i < e->n_cuts && !e->status; i = end) {
        for (end = i + 1; end < e->n_cuts && e->cuts[end].parent == e->cuts[i].parent;) end++;
        cut_children(e, e->cuts + i, end - i);
    }
}

/* Replace the dropped units that need something in their place; the others, and forged verdicts, are cut. */
static void drop(editing *e) {
    const toad__reading *r = &e->s->reading;
    const toad__unit *last = NULL;
    size_t n = 0;
    for (const toad__forged *f = r->forged; f; f = f->next) n++;
    e->cuts = toad__arena_alloc(e->arena, (n + r->n + 1) * sizeof *e->cuts);
    if (!e->cuts) {
        e->status = TOAD_E_NOMEM;
        return;
    }
    for (const toad__forged *f = r->forged; f; f = f->next) e->cuts[e->n_cuts++] = (cut){ f->node, f->parent };
    for (size_t i = 0; i < r->n; i++) {
        const toad__unit *unit = r->leaves[i].unit;
        if (!unit || unit == last || !unit->dropped) continue;
        last = unit;
        toad__buf b;
        toad__buf_init(&b, TOAD__SCREEN_OUT);
        toad__screen_stand_in(e->in->what, unit, e->content_id, &b);
        bool cut_it = !b.n && !b.status;
        toad_str put = keep(e, &b);
        if (cut_it)
            e->cuts[e->n_cuts++] = (cut){ unit->node, unit->parent };
        else
            add_edit(e, start_of(e, unit->node), end_of(e, unit->node), put);
    }
    cut_all(e);
}

/* ---- the verdict ---- */

static bool is_cut(const editing *e, const toad__json *v) {
    for (size_t i = 0; i < e->n_cuts; i++)
        if (e->cuts[i].node == v) return true;
    return false;
}

/* Is a member left? Of one object only the few members with names that we know are ever cut. */
static bool keeps_any(const editing *e, const toad__json *object) {
    for (const toad__json *v = object->child; v; v = v->next)
        if (!is_cut(e, v)) return true;
    return false;
}

static void add_verdict(editing *e, toad_str verdict) {
    const toad__json *value = e->in->value, *meta = toad__json_get(value, "_meta");
    toad__buf b;
    if (!verdict.n || value->type != TOAD__JSON_OBJECT || (meta && meta->type != TOAD__JSON_OBJECT)) return;
    const toad__json *into = meta ? meta : value;
    toad__buf_init(&b, TOAD__SCREEN_OUT);
    if (!meta) toad__buf_add_z(&b, "\"_meta\":{");
    toad__buf_add_z(&b, "\"dev.toadstone/verdict\":");
    toad__buf_add_str(&b, verdict);
    if (!meta) toad__buf_add_c(&b, '}');
    if (keeps_any(e, into)) toad__buf_add_c(&b, ',');
    size_t at = start_of(e, into) + 1;
    add_edit(e, at, at, keep(e, &b));
}

/* ---- all of it ---- */

static int by_start(const void *left, const void *right) {
    const edit *a = left, *b = right;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void apply(const editing *e, toad__buf *out) {
    toad_str raw = e->in->value->raw;
    size_t at = 0;
    for (size_t i = 0; i < e->n; i++) {
        const edit *x = &e->edits[i];
        if (x->from < at) continue; /* within what was cut */
        toad__buf_add(out, raw.p + at, x->from - at);
        toad__buf_add_str(out, x->put);
        at = x->to;
    }
    toad__buf_add(out, raw.p + at, raw.n - at);
}

toad_status toad__screen_splice(toad__screen *s, const toad__screen_in *in, toad_str verdict, const char *content_id,
                                toad__buf *out) {
    editing e = { .s = s, .in = in, .content_id = content_id, .arena = &s->arena };
    toad__reading *r = &s->reading;
    if (r->n_marks) qsort(r->marks, r->n_marks, sizeof *r->marks, by_place);
    for (size_t i = 0; i < r->n; i++) rewrite(&e, i);
    if (!e.status) drop(&e);
    if (!e.status) add_verdict(&e, verdict);
    if (e.n) qsort(e.edits, e.n, sizeof *e.edits, by_start);
    if (!e.status) apply(&e, out);
    free(e.edits);
    return e.status ? e.status : out->status;
}
