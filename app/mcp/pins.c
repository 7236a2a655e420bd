/* pins.c - see pins.h. Each known tool is an entry with a block of its own, replaced as a whole when it changes. Cost
 * of a list: one read of the table, one hash a tool; of a tool that is new or has changed also a look at all names. */
#include "app/mcp/pins_internal.h"
#include "lib/base/utf8.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct entry {
    char *texts;       /* what the slices of `t` and `shape` point into */
    toad__arena arena; /* of `definition` */
    toad__tool t;
    toad__pin_shape shape;
    const toad__json *definition; /* parsed when first asked for */
    bool pending, seen, listed;   /* to be kept; met in this list; named in it */
} entry;

struct toad__pins {
    toad__host *host;
    bool strict, loaded;
    entry **entries;
    size_t n, cap;
    entry **foreign; /* those of other servers, by name, while a list is weighed */
    size_t n_foreign;
    toad_str *listed; /* the names in that list, sorted */
    size_t n_listed;
    toad_str server; /* of the list that is weighed; borrowed, like ... */
    const toad__json *tools;
};

toad_status toad__pins_new(toad__host *host, bool strict, toad__pins **ret) {
    toad__pins *p = calloc(1, sizeof *p);
    if (!p) return TOAD_E_NOMEM;
    p->host = host;
    p->strict = strict;
    *ret = p;
    return TOAD_OK;
}

static void free_entry(entry *e) {
    toad__arena_free(&e->arena);
    free(e->texts);
    free(e);
}

void toad__pins_free(toad__pins *p) {
    if (!p) return;
    for (size_t i = 0; i < p->n; i++) free_entry(p->entries[i]);
    free(p->foreign);
    free(p->listed);
    free(p->entries);
    free(p);
}

/* ---- entries ---- */

static entry *find(const toad__pins *p, toad_str server, toad_str name) {
    for (size_t i = 0; i < p->n; i++)
        if (toad__str_eq(p->entries[i]->t.name, name) && toad__str_eq(p->entries[i]->t.server, server))
            return p->entries[i];
    return NULL;
}

/* Copy the texts to one block, one after the other. */
static bool own(toad_str *const *texts, size_t n, entry *e) {
    size_t total = 1, at = 0;
    for (size_t i = 0; i < n; i++) total += texts[i]->n;
    e->texts = malloc(total);
    for (size_t i = 0; e->texts && i < n; i++) {
        if (texts[i]->n) memcpy(e->texts + at, texts[i]->p, texts[i]->n);
        *texts[i] = toad__str(e->texts + at, texts[i]->n);
        at += texts[i]->n;
    }
    return e->texts != NULL;
}

/* An entry with its own copy of everything. */
static toad_status make(const toad__tool *t, entry **ret) {
    toad__arena scratch;
    entry *e = calloc(1, sizeof *e);
    if (!e) return TOAD_E_NOMEM;
    toad__arena_init(&e->arena, TOAD__PIN_ARENA);
    toad__arena_init(&scratch, TOAD__PIN_ARENA);
    e->t = *t;
    toad_str *const texts[] = { &e->t.server,
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
    toad_status status = toad__pin_shape_of(e->t.name, &scratch, &e->shape);
    if (!status && !own(texts, sizeof texts / sizeof *texts, e)) status = TOAD_E_NOMEM;
    toad__arena_free(&scratch);
    if (status) {
        free_entry(e);
        return status;
    }
    *ret = e;
    return TOAD_OK;
}

/* Add, or put in the place of the one with the same names. */
static toad_status put(toad__pins *p, const toad__tool *t, entry **ret) {
    entry *e;
    toad_status status = make(t, &e);
    if (status) return status;
    *ret = e;
    for (size_t i = 0; i < p->n; i++) {
        entry *old = p->entries[i];
        if (!toad__str_eq(old->t.name, t->name) || !toad__str_eq(old->t.server, t->server)) continue;
        e->seen = old->seen;
        p->entries[i] = e;
        free_entry(old);
        return TOAD_OK;
    }
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 32;
        entry **more = realloc(p->entries, cap * sizeof *more);
        if (!more) {
            free_entry(e);
            return TOAD_E_NOMEM;
        }
        p->entries = more;
        p->cap = cap;
    }
    p->entries[p->n++] = e;
    return TOAD_OK;
}

typedef struct loading {
    toad__pins *p;
    toad_status status;
} loading;

static bool load_one(void *ctx, const toad__tool *t) {
    loading *l = ctx;
    entry *e;
    l->status = put(l->p, t, &e);
    return !l->status && l->p->n < TOAD__PINS_MAX;
}

/* What the store knows; what it does not know any more is forgotten. */
static toad_status load(toad__pins *p) {
    loading l = { p, TOAD_OK };
    if (!p->host->store) return TOAD_OK;
    for (size_t i = 0; i < p->n; i++) free_entry(p->entries[i]);
    p->n = 0;
    toad_status status =
        toad__host_store_failed(p->host, toad__store_tools(p->host->store, TOAD__S(""), TOAD__PINS_MAX, load_one, &l));
    p->loaded = !status && !l.status;
    return l.status ? l.status : status;
}

/* ---- weighing ---- */

static int order_of(toad_str a, toad_str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

static int by_name(const void *left, const void *right) {
    return order_of((*(entry *const *)left)->t.name, (*(entry *const *)right)->t.name);
}

static int by_text(const void *left, const void *right) {
    return order_of(*(const toad_str *)left, *(const toad_str *)right);
}

static bool is_listed(const toad__pins *p, toad_str name) {
    return p->n_listed && bsearch(&name, p->listed, p->n_listed, sizeof *p->listed, by_text);
}

static toad_status sort_listed(toad__pins *p) {
    size_t n = 0;
    const toad__json *first = p->tools && p->tools->type == TOAD__JSON_ARRAY ? p->tools->child : NULL;
    for (const toad__json *t = first; t; t = t->next) n++;
    free(p->listed);
    p->n_listed = 0;
    p->listed = malloc((n ? n : 1) * sizeof *p->listed);
    if (!p->listed) return TOAD_E_NOMEM;
    for (const toad__json *t = first; t; t = t->next) {
        toad_str name = toad__json_get_text(t, "name");
        if (name.p) p->listed[p->n_listed++] = name;
    }
    qsort(p->listed, p->n_listed, sizeof *p->listed, by_text);
    for (size_t i = 0; i < p->n; i++) p->entries[i]->listed = is_listed(p, p->entries[i]->t.name);
    return TOAD_OK;
}

static toad_status sort_foreign(toad__pins *p) {
    free(p->foreign);
    p->n_foreign = 0;
    p->foreign = malloc((p->n ? p->n : 1) * sizeof *p->foreign);
    if (!p->foreign) return TOAD_E_NOMEM;
    for (size_t i = 0; i < p->n; i++)
        if (!toad__str_eq(p->entries[i]->t.server, p->server)) p->foreign[p->n_foreign++] = p->entries[i];
    qsort(p->foreign, p->n_foreign, sizeof *p->foreign, by_name);
    return TOAD_OK;
}

toad_status toad__pins_begin(toad__pins *p, toad_str server, const toad__json *tools) {
    p->server = server;
    p->tools = tools;
    toad_status status = load(p);
    if (!status) status = sort_foreign(p);
    if (!status) status = sort_listed(p);
    for (size_t i = 0; i < p->n; i++) p->entries[i]->seen = p->entries[i]->pending = false;
    return status;
}

static bool is_usable(toad_str name) {
    return name.n && name.n <= TOAD__PIN_NAME && !memchr(name.p, 0, name.n) && toad__utf8_valid_upto(name) == name.n;
}

/* Names as they may stand in a sentence of ours. */
static void quote(toad_str name, char *out, size_t room) {
    toad__buf b;
    toad__buf_init(&b, 16 * TOAD__PIN_NAME);
    toad__json_add_str(&b, toad__str_part(name, 0, 64));
    snprintf(out, room, "%.*s", b.status ? 3 : (int)b.n, b.status ? "\"?\"" : b.p);
    toad__buf_free(&b);
}

typedef struct foreign {
    const toad__pins *p;
    const entry *found;
} foreign;

/* A tool of another server that this one does not have, too. */
static bool is_foreign(void *ctx, toad_str word) {
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
    if (lo == f->p->n_foreign || !toad__str_eq(f->p->foreign[lo]->t.name, word)) return false;
    if (find(f->p, f->p->server, word) || is_listed(f->p, word)) return false;
    f->found = f->p->foreign[lo];
    return true;
}

/* Names that count, tool_6 and tool_9, look alike, but nobody is misled. */
static bool differ_in_digits(toad_str a, toad_str b) {
    bool only = a.n == b.n;
    for (size_t i = 0; i < a.n && only; i++)
        only = a.p[i] == b.p[i] || (toad__is_digit((unsigned char)a.p[i]) && toad__is_digit((unsigned char)b.p[i]));
    return only;
}

/* The name passes for that of a tool that was there before, and is trusted. */
static const entry *looks_like(const toad__pins *p, toad_str name, const toad__pin_shape *shape) {
    for (size_t i = 0; i < p->n; i++) {
        const entry *e = p->entries[i];
        if (toad__str_eq(e->t.name, name) || !toad__str_eq(e->t.state, TOAD__S("trusted"))) continue;
        if (toad__str_eq(e->shape.skeleton, shape->skeleton) && !differ_in_digits(e->shape.loose, shape->loose))
            return e;
    }
    return NULL;
}

static void say(toad__pin_ruling *r, bool held, const char *format, toad_str tool, toad_str server) {
    char a[90], b[90];
    quote(tool, a, sizeof a);
    quote(server, b, sizeof b);
    r->held |= held;
    snprintf(r->why, sizeof r->why, format, a, b);
}

/* Is there something about it beside what the scan says? */
static void judge_names(const toad__pins *p, const toad__json *tool, const toad__tool *t, const toad__pin_shape *shape,
                        toad__pin_ruling *ret) {
    foreign f = { p, NULL };
    bool all = true;
    const entry *other = looks_like(p, t->name, shape);
    if (other) {
        say(ret, true, "its name passes for %s of server %s", other->t.name, other->t.server);
    } else if (toad__pin_speaks_of(tool, is_foreign, &f, &all)) {
        say(ret, true, "it speaks of %s, a tool of server %s", f.found->t.name, f.found->t.server);
    } else if (!all) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "it names too many things to look at");
    }
}

/* What is worth knowing of a new tool that is no reason to hold it. */
static void note(const toad__pins *p, const toad__tool *t, const toad__pin_shape *shape, toad__pin_ruling *ret) {
    for (size_t i = 0; i < p->n && !*ret->why; i++) {
        const entry *e = p->entries[i];
        bool own = toad__str_eq(e->t.server, p->server);
        if (own && toad__str_eq(e->t.body, t->body) && !e->listed)
            say(ret, false, "it is what %s of server %s was", e->t.name, e->t.server);
        else if (!own && toad__str_eq(e->shape.loose, shape->loose) && !toad__str_eq(e->t.digest, t->digest))
            say(ret, false, "another tool has this name: %s of server %s", e->t.name, e->t.server);
    }
}

static void object(const char *objection, toad__pin_ruling *ret) {
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "the scan objects: %.200s", *objection ? objection : "not all was looked at");
}

static void judge_new(const toad__pins *p, const toad__json *tool, const toad__tool *t, const toad__pin_shape *shape,
                      const char *objection, toad__pin_ruling *ret) {
    judge_names(p, tool, t, shape, ret);
    if (!ret->held) note(p, t, shape, ret);
    if (objection) object(objection, ret);
    if (ret->held || !p->strict) return;
    ret->held = true;
    if (!*ret->why) snprintf(ret->why, sizeof ret->why, "it is new");
}

/* Known, and other than when it was last seen. */
static void judge_changed(const toad__pins *p, const toad__json *tool, const entry *known, const toad__tool *t,
                          toad__arena *arena, const char *objection, toad__pin_ruling *ret) {
    toad__buf changes;
    bool trusted = toad__str_eq(t->digest, known->t.approved) && (known->t.by_user || !objection);
    if (trusted) return; /* it is again what it was */
    judge_names(p, tool, t, &known->shape, ret);
    if (objection) object(objection, ret);
    if (ret->held) return;
    toad__buf_init(&changes, 1u << 12);
    toad__pin_changes(known->t.approved.n ? known->t.approved_definition : known->t.definition, t->definition, arena,
                      &changes);
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "it has changed: %.*s", (int)(changes.n < 200 ? changes.n : 200),
             changes.n ? changes.p : "");
    toad__buf_free(&changes);
}

static void judge_known(const entry *known, const char *objection, bool *ret_changed, toad__pin_ruling *ret) {
    bool trusted = toad__str_eq(known->t.state, TOAD__S("trusted"));
    *ret_changed = false;
    if (!trusted) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "%.*s", (int)(known->t.why.n < 250 ? known->t.why.n : 250), known->t.why.p);
    } else if (objection && !known->t.by_user) {
        object(objection, ret);
        *ret_changed = true;
    }
}

static toad_status weigh_one(toad__pins *p, const toad__json *tool, toad__tool *t, toad__arena *arena,
                             const char *objection, toad__pin_ruling *ret) {
    entry *known = find(p, p->server, t->name);
    bool changed = true;
    toad__pin_shape shape;
    toad_status status = TOAD_OK;
    if (known && known->seen) {
        say(ret, true, "%s is in the list twice", t->name, p->server);
        return TOAD_OK;
    }
    if (!known && p->n >= TOAD__PINS_MAX) {
        ret->held = true;
        snprintf(ret->why, sizeof ret->why, "there are too many tools to pin");
        return TOAD_OK;
    }
    if (known && toad__str_eq(known->t.digest, t->digest)) {
        judge_known(known, objection, &changed, ret);
    } else if (known) {
        judge_changed(p, tool, known, t, arena, objection, ret);
    } else {
        status = toad__pin_shape_of(t->name, arena, &shape);
        if (!status) judge_new(p, tool, t, &shape, objection, ret);
    }
    if (known) known->seen = true;
    if (status || !changed) return status;
    t->state = ret->held ? TOAD__S("held") : TOAD__S("trusted");
    t->why = toad__str_z(ret->why);
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

toad_status toad__pins_weigh(toad__pins *p, const toad__json *tool, const char *objection, toad__pin_ruling *ret) {
    toad__arena arena;
    char digest[65], body[65];
    toad__pin_ruling ruling = { false, "" };
    toad__tool t = { .server = p->server, .name = toad__json_get_text(tool, "name") };
    if (!is_usable(t.name)) {
        *ret = (toad__pin_ruling){ true, "it has no usable name" };
        return TOAD_OK;
    }
    toad__arena_init(&arena, TOAD__PIN_ARENA);
    toad_status status = toad__pin_digest(tool, &arena, &t.definition, digest, body);
    t.digest = toad__str(digest, 64);
    t.body = toad__str(body, 64);
    if (!status) status = weigh_one(p, tool, &t, &arena, objection, &ruling);
    toad__arena_free(&arena);
    if (status == TOAD_E_LIMIT) {
        ruling = (toad__pin_ruling){ true, "its definition is too long" };
        status = TOAD_OK;
    }
    if (!status) *ret = ruling;
    return status;
}

toad_status toad__pins_end(toad__pins *p) {
    size_t n = 0;
    toad__tool *list = calloc(p->n ? p->n : 1, sizeof *list);
    if (!list) return TOAD_E_NOMEM;
    for (size_t i = 0; i < p->n; i++)
        if (p->entries[i]->pending) list[n++] = p->entries[i]->t;
    toad_status status = TOAD_OK;
    if (n && p->host->store) status = toad__store_tools_seen(p->host->store, list, n);
    free(list);
    p->tools = NULL;
    if (!status || status == TOAD_E_NOMEM) return status;
    toad__event event = { .type = TOAD__S("tool_pin"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("mcp"),
                          .content = TOAD__S("not_kept"),
                          .session_id = p->host->session };
    toad__host_store_failed(p->host, status);
    return toad__host_on_store_error(p->host, status, false, &event);
}

/* ---- asking ---- */

toad_status toad__pins_call(toad__pins *p, toad_str server, toad_str tool, toad__pin_ruling *ret) {
    entry *e = find(p, server, tool);
    bool trusted = e && toad__str_eq(e->t.state, TOAD__S("trusted"));
    toad_status status = TOAD_OK;
    *ret = (toad__pin_ruling){ false, "" };
    if (trusted || (!e && p->loaded && !p->strict)) return TOAD_OK;
    if (p->host->store && (e || !p->loaded)) {
        status = load(p);
        e = status ? NULL : find(p, server, tool);
        trusted = e && toad__str_eq(e->t.state, TOAD__S("trusted"));
    }
    if (status || trusted || (!e && !p->strict)) return status;
    ret->held = true;
    snprintf(ret->why, sizeof ret->why, "%.*s", e ? (int)(e->t.why.n < 250 ? e->t.why.n : 250) : 36,
             e ? e->t.why.p : "it was in no list that the server gave");
    return TOAD_OK;
}

toad_status toad__pins_schema(toad__pins *p, toad_str server, toad_str tool, const toad__json **ret, bool *known) {
    size_t at;
    const char *expected;
    toad_status status = find(p, server, tool) || p->loaded ? TOAD_OK : load(p);
    entry *e = status ? NULL : find(p, server, tool);
    *ret = NULL;
    *known = e != NULL;
    if (!e) return status;
    if (!e->definition) status = toad__json_parse(e->t.definition, &e->arena, &e->definition, &at, &expected);
    if (!status) *ret = toad__json_get(e->definition, "outputSchema");
    return status;
}
