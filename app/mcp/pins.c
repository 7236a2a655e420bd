/* pins.c - see pins.h. Each known tool is an entry with a block of its own, replaced as a whole when it changes. Cost of
 * a list: one read of the table, one hash a tool; of a tool that is new or has changed also a look at all names. */
#include "app/mcp/pins_internal.h"
#include "lib/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct entry {
    char *texts;      /* what the slices of `t` and `shape` point into */
    bzr__arena arena; /* of `definition` */
    bzr__tool t;
    bzr__pin_shape shape;
    const bzr__json *definition; /* parsed when first asked for */
    bool pending, seen, listed;  /* to be kept; met in this list; named in it */
} entry;

struct bzr__pins {
    bzr__host *host;
    bool strict, loaded;
    entry **entries;
    size_t n, cap;
    entry **foreign; /* those of other servers, by name, while a list is weighed */
    size_t n_foreign;
    bzr_str *listed; /* the names in that list, sorted */
    size_t n_listed;
    bzr_str server; /* of the list that is weighed; borrowed, like ... */
    const bzr__json *tools;
};

bzr_status bzr__pins_new(bzr__host *host, bool strict, bzr__pins **ret) {
    bzr__pins *p = calloc(1, sizeof *p);
    if (!p) return BZR_E_NOMEM;
    p->host = host;
    p->strict = strict;
    *ret = p;
    return BZR_OK;
}

static void free_entry(entry *e) {
    bzr__arena_free(&e->arena);
    free(e->texts);
    free(e);
}

void bzr__pins_free(bzr__pins *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) free_entry(p->entries[i]);
    free(p->foreign);
    free(p->listed);
    free(p->entries);
    free(p);
}

/* ---- entries ---- */

static entry *find(const bzr__pins *p, bzr_str server, bzr_str name) {
    for (size_t i = 0; i < p->n; i++)
        if (bzr__str_eq(p->entries[i]->t.name, name) && bzr__str_eq(p->entries[i]->t.server, server))
            return p->entries[i];
    return NULL;
}

/* Copy the texts to one block, one after the other. */
static bool own(bzr_str *const *texts, size_t n, entry *e) {
    size_t total = 1, at = 0;
    for (size_t i = 0; i < n; i++) total += texts[i]->n;
    e->texts = malloc(total);
    for (size_t i = 0; e->texts && i < n; i++) {
        if (texts[i]->n) memcpy(e->texts + at, texts[i]->p, texts[i]->n);
        *texts[i] = bzr__str(e->texts + at, texts[i]->n);
        at += texts[i]->n;
    }
    return e->texts != NULL;
}

/* An entry with its own copy of everything. */
static bzr_status make(const bzr__tool *t, entry **ret) {
    bzr__arena scratch;
    entry *e = calloc(1, sizeof *e);
    if (!e) return BZR_E_NOMEM;
    bzr__arena_init(&e->arena, BZR__PIN_ARENA);
    bzr__arena_init(&scratch, BZR__PIN_ARENA);
    e->t = *t;
    bzr_str *const texts[] = { &e->t.server,
                               &e->t.name,
                               &e->t.digest,
                               &e->t.body,
                               &e->t.definition,
                               &e->t.approved,
                               &e->t.approved_definition,
                               &e->t.state,
                               &e->t.why,
                               &e->shape.loose,
                               &e->shape.skeleton };
    bzr_status status = bzr__pin_shape_of(e->t.name, &scratch, &e->shape);
    if (!status && !own(texts, sizeof texts / sizeof *texts, e)) status = BZR_E_NOMEM;
    bzr__arena_free(&scratch);
    if (status) {
        free_entry(e);
        return status;
    }
    *ret = e;
    return BZR_OK;
}

/* Add, or put in the place of the one with the same names. */
static bzr_status put(bzr__pins *p, const bzr__tool *t, entry **ret) {
    entry *e;
    bzr_status status = make(t, &e);
    if (status) return status;
    *ret = e;
    for (size_t i = 0; i < p->n; i++) {
        entry *old = p->entries[i];
        if (!bzr__str_eq(old->t.name, t->name) || !bzr__str_eq(old->t.server, t->server)) continue;
        e->seen = old->seen;
        p->entries[i] = e;
        free_entry(old);
        return BZR_OK;
    }
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 32;
        entry **more = realloc(p->entries, cap * sizeof *more);
        if (!more) {
            free_entry(e);
            return BZR_E_NOMEM;
        }
        p->entries = more;
        p->cap = cap;
    }
    p->entries[p->n++] = e;
    return BZR_OK;
}

typedef struct loading {
    bzr__pins *p;
    bzr_status status;
} loading;

static bool load_one(void *ctx, const bzr__tool *t) {
    loading *l = ctx;
    entry *e;
    l->status = put(l->p, t, &e);
    return !l->status && l->p->n < BZR__PINS_MAX;
}

/* What the store knows; what it does not know any more is forgotten. */
static bzr_status load(bzr__pins *p) {
    loading l = { p, BZR_OK };
    if (!p->host->store) return BZR_OK;
    for (size_t i = 0; i < p->n; i++) free_entry(p->entries[i]);
    p->n = 0;
    bzr_status status =
        bzr__host_store_failed(p->host, bzr__store_tools(p->host->store, BZR__S(""), BZR__PINS_MAX, load_one, &l));
    p->loaded = !status && !l.status;
    return l.status ? l.status : status;
}

/* ---- weighing ---- */

static int order_of(bzr_str a, bzr_str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

static int by_name(const void *left, const void *right) {
    return order_of((*(entry *const *)left)->t.name, (*(entry *const *)right)->t.name);
}

static int by_text(const void *left, const void *right) {
    return order_of(*(const bzr_str *)left, *(const bzr_str *)right);
}

static bool is_listed(const bzr__pins *p, bzr_str name) {
    return p->n_listed && bsearch(&name, p->listed, p->n_listed, sizeof *p->listed, by_text);
}

static bzr_status sort_listed(bzr__pins *p) {
    size_t n = 0;
    const bzr__json *first = p->tools && p->tools->type == BZR__JSON_ARRAY ? p->tools->child : NULL;
    for (const bzr__json *t = first; t; t = t->next) n++;
    free(p->listed);
    p->n_listed = 0;
    p->listed = malloc((n ? n : 1) * sizeof *p->listed);
    if (!p->listed) return BZR_E_NOMEM;
    for (const bzr__json *t = first; t; t = t->next) {
        bzr_str name = bzr__json_get_text(t, "name");
        if (name.p) p->listed[p->n_listed++] = name;
    }
    qsort(p->listed, p->n_listed, sizeof *p->listed, by_text);
    for (size_t i = 0; i < p->n; i++) p->entries[i]->listed = is_listed(p, p->entries[i]->t.name);
    return BZR_OK;
}

static bzr_status sort_foreign(bzr__pins *p) {
    free(p->foreign);
    p->n_foreign = 0;
    p->foreign = malloc((p->n ? p->n : 1) * sizeof *p->foreign);
    if (!p->foreign) return BZR_E_NOMEM;
    for (size_t i = 0; i < p->n; i++)
        if (!bzr__str_eq(p->entries[i]->t.server, p->server)) p->foreign[p->n_foreign++] = p->entries[i];
    qsort(p->foreign, p->n_foreign, sizeof *p->foreign, by_name);
    return BZR_OK;
}

bzr_status bzr__pins_begin(bzr__pins *p, bzr_str server, const bzr__json *tools) {
    p->server = server;
    p->tools = tools;
    bzr_status status = load(p);
    if (!status) status = sort_foreign(p);
    if (!status) status = sort_listed(p);
    for (size_t i = 0; i < p->n; i++) p->entries[i]->seen = p->entries[i]->pending = false;
    return status;
}

static bool is_usable(bzr_str name) {
    return name.n && name.n <= BZR__PIN_NAME && !memchr(name.p, 0, name.n) && bzr__utf8_valid_upto(name) == name.n;
}

/* Names as they may stand in a sentence of ours. */
static void quote(bzr_str name, char *out, size_t room) {
    bzr__buf b;
    bzr__buf_init(&b, 16 * BZR__PIN_NAME);
    bzr__json_add_str(&b, bzr__str_part(name, 0, 64));
    snprintf(out, room, "%.*s", b.status ? 3 : (int)b.n, b.status ? "\"?\"" : b.p);
    bzr__buf_free(&b);
}

typedef struct foreign {
    const bzr__pins *p;
    const entry *found;
} foreign;

/* A tool of another server that this one does not have, too. */
static bool is_foreign(void *ctx, bzr_str word) {
    foreign *f = ctx;
    size_t lo = 0, hi = f->p->n_foreign;
    entry named = { .t = { .name = word } }, *const key = &named;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (by_name(&f->p->foreign[mid], &key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == f->p->n_foreign || !bzr__str_eq(f->p->foreign[lo]->t.name, word)) return false;
    if (find(f->p, f->p->server, word) || is_listed(f->p, word)) return false;
    f->found = f->p->foreign[lo];
    return true;
}

/* Names that count, tool_6 and tool_9, look alike, but nobody is misled. */
static bool differ_in_digits(bzr_str a, bzr_str b) {
    bool only = a.n == b.n;
    for (size_t i = 0; i < a.n && only; i++)
        only = a.p[i] == b.p[i] || (bzr__is_digit((unsigned char)a.p[i]) && bzr__is_digit((unsigned char)b.p[i]));
    return only;
}

/* The name passes for that of a tool that was there before, and is trusted. */
static const entry *looks_like(const bzr__pins *p, bzr_str name, const bzr__pin_shape *shape) {
    for (size_t i = 0; i < p->n; i++) {
        const entry *e = p->entries[i];
        if (bzr__str_eq(e->t.name, name) || !bzr__str_eq(e->t.state, BZR__S("trusted"))) continue;
        if (bzr__str_eq(e->shape.skeleton, shape->skeleton) && !differ_in_digits(e->shape.loose, shape->loose))
            return e;
    }
    return NULL;
}

static void say(bzr__pin_ruling *r, bool held, const char *format, bzr_str tool, bzr_str server) {
    char a[90], b[90];
    quote(tool, a, sizeof a);
    quote(server, b, sizeof b);
    r->held |= held;
    snprintf(r->why, sizeof r->why, format, a, b);
}

/* Is there something about it beside what the scan says? */
static void judge_names(const bzr__pins *p, const bzr__json *tool, const bzr__tool *t, const bzr__pin_shape *shape,
                        bzr__pin_ruling *ret) {
    foreign f = { p, NULL };
    bool all = true;
    const entry *other = looks_like(p, t->name, shape);
    if (other) {
        say(ret, true, "its name passes for %s of server %s", other->t.name, other->t.server);
    } else if (bzr__pin_speaks_of(tool, is_foreign, &f, &all)) {
        say(ret, true, "it speaks of %s, a tool of server %s", f.found->t.name, f.found->t.server);
    } else if (!all) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "it names too many things to look at");
    }
}

/* What is worth knowing of a new tool that is no reason to hold it. */
static void note(const bzr__pins *p, const bzr__tool *t, const bzr__pin_shape *shape, bzr__pin_ruling *ret) {
    for (size_t i = 0; i < p->n && !*ret->why; i++) {
        const entry *e = p->entries[i];
        bool own = bzr__str_eq(e->t.server, p->server);
        if (own && bzr__str_eq(e->t.body, t->body) && !e->listed)
            say(ret, false, "it is what %s of server %s was", e->t.name, e->t.server);
        else if (!own && bzr__str_eq(e->shape.loose, shape->loose) && !bzr__str_eq(e->t.digest, t->digest))
            say(ret, false, "another tool has this name: %s of server %s", e->t.name, e->t.server);
    }
}

static void object(const char *objection, bzr__pin_ruling *ret) {
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "the scan objects: %.200s", *objection ? objection : "not all was looked at");
}

static void judge_new(const bzr__pins *p, const bzr__json *tool, const bzr__tool *t, const bzr__pin_shape *shape,
                      const char *objection, bzr__pin_ruling *ret) {
    judge_names(p, tool, t, shape, ret);
    if (!ret->held) note(p, t, shape, ret);
    if (objection) object(objection, ret);
    if (ret->held || !p->strict) return;
    ret->held = true;
    if (!*ret->why) snprintf(ret->why, sizeof ret->why, "it is new");
}

/* Known, and other than when it was last seen. */
static void judge_changed(const bzr__pins *p, const bzr__json *tool, const entry *known, const bzr__tool *t,
                          bzr__arena *arena, const char *objection, bzr__pin_ruling *ret) {
    bzr__buf changes;
    bool trusted = bzr__str_eq(t->digest, known->t.approved) && (known->t.by_user || !objection);
    if (trusted) return; /* it is again what it was */
    judge_names(p, tool, t, &known->shape, ret);
    if (objection) object(objection, ret);
    if (ret->held) return;
    bzr__buf_init(&changes, 1u << 12);
    bzr__pin_changes(known->t.approved.n ? known->t.approved_definition : known->t.definition, t->definition, arena,
                     &changes);
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "it has changed: %.*s", (int)(changes.n < 200 ? changes.n : 200),
             changes.n ? changes.p : "");
    bzr__buf_free(&changes);
}

static void judge_known(const entry *known, const char *objection, bool *ret_changed, bzr__pin_ruling *ret) {
    bool trusted = bzr__str_eq(known->t.state, BZR__S("trusted"));
    *ret_changed = false;
    if (!trusted) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "%.*s", (int)(known->t.why.n < 250 ? known->t.why.n : 250), known->t.why.p);
    } else if (objection && !known->t.by_user) {
        object(objection, ret);
        *ret_changed = true;
    }
}

static bzr_status weigh_one(bzr__pins *p, const bzr__json *tool, bzr__tool *t, bzr__arena *arena, const char *objection,
                            bzr__pin_ruling *ret) {
    entry *known = find(p, p->server, t->name);
    bool changed = true;
    bzr__pin_shape shape;
    bzr_status status = BZR_OK;
    if (known && known->seen) {
        say(ret, true, "%s is in the list twice", t->name, p->server);
        return BZR_OK;
    }
    if (!known && p->n >= BZR__PINS_MAX) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "there are too many tools to pin");
        return BZR_OK;
    }
    if (known && bzr__str_eq(known->t.digest, t->digest)) {
        judge_known(known, objection, &changed, ret);
    } else if (known) {
        judge_changed(p, tool, known, t, arena, objection, ret);
    } else {
        status = bzr__pin_shape_of(t->name, arena, &shape);
        if (!status) judge_new(p, tool, t, &shape, objection, ret);
    }
    if (known) known->seen = true;
    if (status || !changed) return status;
    t->state = ret->held ? BZR__S("held") : BZR__S("trusted");
    t->why = bzr__str_z(ret->why);
    if (known) {
        t->approved = known->t.approved;
        t->approved_definition = known->t.approved_definition;
        t->by_user = known->t.by_user;
    } else if (!ret->held) {
        t->approved = t->digest;
        t->approved_definition = t->definition;
    }
    status = put(p, t, &known);
    if (!status) known->seen = known->pending = known->listed = true;
    return status;
}

bzr_status bzr__pins_weigh(bzr__pins *p, const bzr__json *tool, const char *objection, bzr__pin_ruling *ret) {
    bzr__arena arena;
    char digest[65], body[65];
    bzr__pin_ruling ruling = { false, "" };
    bzr__tool t = { .server = p->server, .name = bzr__json_get_text(tool, "name") };
    if (!is_usable(t.name)) {
        *ret = (bzr__pin_ruling){ true, "it has no usable name" };
        return BZR_OK;
    }
    bzr__arena_init(&arena, BZR__PIN_ARENA);
    bzr_status status = bzr__pin_digest(tool, &arena, &t.definition, digest, body);
    t.digest = bzr__str(digest, 64);
    t.body = bzr__str(body, 64);
    if (!status) status = weigh_one(p, tool, &t, &arena, objection, &ruling);
    bzr__arena_free(&arena);
    if (status == BZR_E_LIMIT) {
        ruling = (bzr__pin_ruling){ true, "its definition is too long" };
        status = BZR_OK;
    }
    if (!status) *ret = ruling;
    return status;
}

bzr_status bzr__pins_end(bzr__pins *p) {
    size_t n = 0;
    bzr__tool *list = calloc(p->n ? p->n : 1, sizeof *list);
    if (!list) return BZR_E_NOMEM;
    for (size_t i = 0; i < p->n; i++)
        if (p->entries[i]->pending) list[n++] = p->entries[i]->t;
    bzr_status status = BZR_OK;
    if (n && p->host->store) status = bzr__store_tools_seen(p->host->store, list, n);
    free(list);
    p->tools = NULL;
    if (!status || status == BZR_E_NOMEM) return status;
    bzr__event event = { .type = BZR__S("tool_pin"),
                         .direction = BZR__S("inbound"),
                         .channel = BZR__S("mcp"),
                         .content = BZR__S("not_kept"),
                         .session_id = p->host->session };
    bzr__host_store_failed(p->host, status);
    return bzr__host_on_store_error(p->host, status, false, &event);
}

/* ---- asking ---- */

bzr_status bzr__pins_call(bzr__pins *p, bzr_str server, bzr_str tool, bzr__pin_ruling *ret) {
    entry *e = find(p, server, tool);
    bool trusted = e && bzr__str_eq(e->t.state, BZR__S("trusted"));
    bzr_status status = BZR_OK;
    *ret = (bzr__pin_ruling){ false, "" };
    if (trusted || (!e && p->loaded && !p->strict)) return BZR_OK;
    if (p->host->store && (e || !p->loaded)) {
        status = load(p);
        e = status ? NULL : find(p, server, tool);
        trusted = e && bzr__str_eq(e->t.state, BZR__S("trusted"));
    }
    if (status || trusted || (!e && !p->strict)) return status;
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "%.*s", e ? (int)(e->t.why.n < 250 ? e->t.why.n : 250) : 36,
             e ? e->t.why.p : "it was in no list that the server gave");
    return BZR_OK;
}

bzr_status bzr__pins_schema(bzr__pins *p, bzr_str server, bzr_str tool, const bzr__json **ret, bool *known) {
    size_t at;
    const char *expected;
    bzr_status status = find(p, server, tool) || p->loaded ? BZR_OK : load(p);
    entry *e = status ? NULL : find(p, server, tool);
    *ret = NULL;
    *known = e != NULL;
    if (!e) return status;
    if (!e->definition) status = bzr__json_parse(e->t.definition, &e->arena, &e->definition, &at, &expected);
    if (!status) *ret = bzr__json_get(e->definition, "outputSchema");
    return status;
}
