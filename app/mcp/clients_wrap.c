/* clients_wrap.c - an entry made to go through the proxy, and back.
 *
 * Wrapping keeps the entry's own bytes: a command's string becomes an argument as it stands, and ours are put before
 * it, directly behind the bracket. An entry counts as wrapped when it starts `toadstone proxy`. Undoing tries each
 * entry of that name in the backup: the one that would be wrapped to exactly what stands here is what stood here. */
#include "app/mcp/clients_internal.h"
#include "lib/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { ENTRIES = 1000, NAME = 64 };

toad__client_entry *toad__client_add_entry(toad__client_reading *r, toad_str name) {
    toad__client_entry *e = toad__arena_alloc(r->arena, sizeof *e);
    if (!e) return NULL;
    e->name = name;
    *r->last = e;
    r->last = &e->next;
    return e;
}

static toad_status read_entries(toad__client_reading *r) {
    r->last = &r->first;
    toad_status status = r->client->shape == TOAD__CLIENT_TOML ? toad__client_read_toml(r) : toad__client_read_json(r);
    size_t n = 0;
    for (const toad__client_entry *e = r->first; e; e = e->next) n++;
    return !status && n > ENTRIES ? TOAD_E_LIMIT : status;
}

static toad_str part(const toad__client_reading *r, toad__stretch at) {
    return toad__str_part(r->text, at.from, at.to);
}

/* ---- what is wrapped ---- */

static bool names_toadstone(toad_str command) {
    size_t from = command.n;
    while (from && command.p[from - 1] != '/' && command.p[from - 1] != '\\') from--;
    toad_str name = toad__str_part(command, from, command.n);
    return toad__str_eq(name, TOAD__S("toadstone")) || toad__str_eq(name, TOAD__S("toadstone.exe"));
}

/* Does it start `toadstone proxy`? */
static bool starts_proxy(const toad__client_entry *e) {
    return names_toadstone(e->command_text) && e->items_n && toad__str_eq(e->items[0].text, TOAD__S("proxy"));
}

static bool is_wrapped(const toad__client_entry *e) { return !e->why && starts_proxy(e); }

/* Another of our own: `toadstone mcp`. */
static bool is_ours(const toad__client_entry *e) { return names_toadstone(e->command_text) && !is_wrapped(e); }

/* Where in the items the server's own command or address stands: behind "--" or "--url". 0: nowhere. */
static size_t own_at(const toad__client_entry *e, const char *mark) {
    for (size_t i = 0; i + 1 < e->items_n; i++)
        if (toad__str_eq(e->items[i].text, toad__str_z(mark))) return i + 1;
    return 0;
}

/* ---- editing ---- */

/* What is to stand in the place of stretches of an entry, in the order of the text, whatever order it was said in. */
typedef struct edits {
    struct {
        toad__stretch at;
        toad_str text;
    } all[3];
    size_t n;
} edits;

static void put(edits *x, size_t from, size_t to, toad_str text) {
    size_t i = x->n++;
    assert(x->n <= sizeof x->all / sizeof *x->all && from <= to);
    for (; i && x->all[i - 1].at.from > from; i--) x->all[i] = x->all[i - 1];
    x->all[i].at = (toad__stretch){ from, to };
    x->all[i].text = text;
}

/* Append the stretch with its edits; one that begins within another is left out. */
static void splice(const toad__client_reading *r, toad__stretch whole, const edits *x, toad__buf *out) {
    size_t done = whole.from;
    for (size_t i = 0; i < x->n; i++) {
        if (x->all[i].at.from < done) continue;
        toad__buf_add_str(out, toad__str_part(r->text, done, x->all[i].at.from));
        toad__buf_add_str(out, x->all[i].text);
        done = x->all[i].at.to;
    }
    toad__buf_add_str(out, toad__str_part(r->text, done, whole.to));
}

typedef struct wrapping {
    const toad__client_reading *r;
    const toad__client_entry *e;
    toad_str program; /* as it is to stand, with quotes; ... */
    toad_str options; /* ... and "proxy" and what follows, up to "--" or "--url", which are not in it */
} wrapping;

static const toad__client_words *words_of(const toad__client_reading *r) {
    return &toad__client_words_of[r->client->shape];
}

static void add_quoted(toad__buf *b, const char *z) {
    toad__buf_add_z(b, ", ");
    toad__json_add_str(b, toad__str_z(z));
}

/* Does something stand directly behind the bracket? */
static bool is_tight(const toad__client_reading *r, size_t at) {
    return at >= r->text.n || !(toad__is_space((unsigned char)r->text.p[at]) || r->text.p[at] == ']');
}

/* Arguments before those that there are. */
static void wrap_command(const wrapping *w, edits *x, toad__buf *b) {
    const toad__client_entry *e = w->e;
    bool argv = w->r->client->shape == TOAD__CLIENT_ARGV, has = e->args.to;
    size_t at = has ? e->args.from + 1 : e->command.to;
    if (argv) toad__buf_add_str(b, w->program);
    if (argv || !has) toad__buf_add_z(b, words_of(w->r)->args);
    toad__buf_add_str(b, w->options);
    toad__buf_add_z(b, ", \"--\"");
    if (!argv) toad__buf_add_z(b, ", ");
    if (!argv) toad__buf_add_str(b, part(w->r, e->command));
    if (argv || e->items_n) toad__buf_add_z(b, is_tight(w->r, at) ? ", " : ",");
    if (!has) toad__buf_add_c(b, ']');
    put(x, at, at, toad__buf_str(b));
    if (!argv) put(x, e->command.from, e->command.to, w->program);
}

/* The variable that the value of header `i` goes into: an argument could be read by everybody on the machine. */
static const char *variable_of(size_t i, char out[40]) {
    snprintf(out, 40, "TOADSTONE_HEADER_%zu", i + 1);
    return out;
}

static void add_header_env(toad__buf *b, const toad__client_item *header, size_t i) {
    char name[40];
    toad__buf value;
    toad__buf_init(&value, TOAD__CLIENT_FILE);
    toad__buf_add_str(&value, toad__str_part(header->text, 0, toad__str_find(header->text, TOAD__S(": "), 0)));
    toad__buf_add_c(&value, '=');
    toad__buf_add_z(&value, variable_of(i, name));
    add_quoted(b, "--header-env");
    toad__buf_add_z(b, ", ");
    toad__json_add_utf8(b, toad__buf_str(&value));
    if (value.status) b->status = value.status;
    toad__buf_free(&value);
}

/* Command and arguments in the place of the address; the headers' values become variables. */
static void wrap_url(const wrapping *w, edits *x, toad__buf *b) {
    const toad__client_entry *e = w->e;
    const toad__client_words *words = words_of(w->r);
    char name[40];
    toad__buf_add_z(b, words->command);
    toad__buf_add_str(b, w->program);
    toad__buf_add_z(b, words->args);
    toad__buf_add_str(b, w->options);
    toad__buf_add_z(b, ", \"--url\", ");
    toad__buf_add_str(b, part(w->r, e->url));
    for (size_t i = 0; i < e->headers_n; i++) add_header_env(b, &e->headers[i], i);
    toad__buf_add_c(b, ']');
    for (size_t i = 0; i < e->headers_n; i++) {
        toad__buf_add_z(b, i ? ", " : words->env);
        toad__json_add_str(b, toad__str_z(variable_of(i, name)));
        toad__buf_add_z(b, ": ");
        toad__buf_add_str(b, part(w->r, e->headers[i].at));
    }
    if (e->headers_n) toad__buf_add_c(b, '}');
    put(x, e->url_member.from, e->url_member.to, toad__buf_str(b));
    if (e->headers_cut.to) put(x, e->headers_cut.from, e->headers_cut.to, TOAD__S(""));
}

/* Append the entry as it is wrapped. */
static toad_status wrap_entry(const wrapping *w, toad__buf *out) {
    const char *type = w->r->client->stdio_type;
    char quoted[24];
    toad__buf scratch;
    edits x = { .n = 0 };
    toad__buf_init(&scratch, TOAD__CLIENT_FILE);
    if (w->e->url.to)
        wrap_url(w, &x, &scratch);
    else
        wrap_command(w, &x, &scratch);
    if (w->e->url.to && w->e->type.to && type)
        put(&x, w->e->type.from, w->e->type.to,
            toad__str(quoted, (size_t)snprintf(quoted, sizeof quoted, "\"%s\"", type)));
    splice(w->r, w->e->at, &x, out);
    toad_status status = scratch.status ? scratch.status : out->status;
    toad__buf_free(&scratch);
    return status;
}

/* ---- undoing ---- */

/* From the entry itself: what stands behind "--" is the command, what is before it goes. */
static void unwrap_command(const toad__client_reading *r, const toad__client_entry *e, size_t own, toad__buf *out) {
    bool argv = r->client->shape == TOAD__CLIENT_ARGV;
    size_t rest = argv ? own : own + 1;
    edits x = { .n = 0 };
    put(&x, e->args.from + 1, rest < e->items_n ? e->items[rest].at.from : e->items[e->items_n - 1].at.to, TOAD__S(""));
    if (!argv) put(&x, e->command.from, e->command.to, part(r, e->items[own].at));
    splice(r, e->at, &x, out);
}

static const toad__client_item *variable(const toad__client_entry *e, toad_str name) {
    for (size_t i = 0; i < e->env_n; i++)
        if (toad__str_eq(e->env[i].text, name)) return &e->env[i];
    return NULL;
}

/* Its headers: those that somebody wrote into the arguments, and those in variables. False: a variable is not there, or
 * one is no header's. */
static bool add_headers(const toad__client_reading *r, const toad__client_entry *e, size_t from, toad__buf *b) {
    size_t n = 0, used = 0;
    for (size_t i = from; i + 1 < e->items_n; i++) {
        bool plain = toad__str_eq(e->items[i].text, TOAD__S("--header"));
        if (!plain && !toad__str_eq(e->items[i].text, TOAD__S("--header-env"))) continue;
        toad_str pair = e->items[++i].text, mark = plain ? TOAD__S(": ") : TOAD__S("=");
        size_t end = toad__str_find(pair, mark, 0);
        toad_str rest = toad__str_part(pair, end < pair.n ? end + mark.n : pair.n, pair.n);
        const toad__client_item *value = plain ? NULL : variable(e, rest);
        if (!plain && !value) return false;
        toad__buf_add_z(b, n++ ? ", " : ", \"headers\": {");
        toad__json_add_utf8(b, toad__str_part(pair, 0, end));
        toad__buf_add_z(b, ": ");
        if (value)
            toad__buf_add_str(b, part(r, value->at));
        else
            toad__json_add_utf8(b, rest);
        used += value != NULL;
    }
    if (n) toad__buf_add_c(b, '}');
    return used == e->env_n;
}

/* The same for a remote server: its address comes in the place of command and arguments. */
static const char *unwrap_url(const toad__client_reading *r, const toad__client_entry *e, size_t own, toad__buf *out) {
    const toad__client_words *words = words_of(r);
    bool toml = r->client->shape == TOAD__CLIENT_TOML;
    toad__buf url;
    edits x = { .n = 0 };
    toad__buf_init(&url, TOAD__CLIENT_FILE);
    toad__buf_add_z(&url, words->name);
    toad__buf_add(&url, r->client->url_keys, strcspn(r->client->url_keys, " "));
    toad__buf_add_z(&url, words->value);
    toad__buf_add_str(&url, part(r, e->items[own].at));
    bool whole = toml || add_headers(r, e, own, &url), behind = !e->env_cut.to || e->env_cut.from >= e->args.to;
    put(&x, e->command_name, e->args.to, toad__buf_str(&url));
    if (e->type.to) put(&x, e->type.from, e->type.to, toad__str_z(words->remote_type));
    if (e->env_cut.to) put(&x, e->env_cut.from, e->env_cut.to, TOAD__S(""));
    splice(r, e->at, &x, out);
    if (url.status) out->status = url.status;
    toad__buf_free(&url);
    return whole && behind ? NULL : "its variables are not those that wrapping gave it";
}

/* The entry of the backup that would be wrapped to this one. */
static bool from_backup(const toad__client_reading *r, const toad__client_entry *e, const toad__client_reading *backup,
                        toad_str program, toad_str options, toad__buf *out) {
    for (const toad__client_entry *old = backup->first; old; old = old->next) {
        toad__buf again;
        if (!toad__str_eq(old->name, e->name) || old->why || is_wrapped(old)) continue;
        const wrapping w = { backup, old, program, options };
        toad__buf_init(&again, TOAD__CLIENT_FILE);
        bool same = !wrap_entry(&w, &again) && toad__str_eq(toad__buf_str(&again), part(r, e->at));
        toad__buf_free(&again);
        if (!same) continue;
        toad__buf_add_str(out, part(backup, old->at));
        return true;
    }
    return false;
}

static const char *unwrap_entry(const toad__client_reading *r, const toad__client_entry *e,
                                const toad__client_reading *backup, toad__buf *out) {
    size_t command = own_at(e, "--"), url = own_at(e, "--url");
    if (!command && !url) return "it starts the proxy in a way that is not understood";
    bool remote = url && (!command || url < command);
    size_t own = remote ? url : command;
    toad_str program = part(r, e->command);
    toad_str options = own > 1 ? toad__str_part(r->text, e->items[0].at.from, e->items[own - 2].at.to) : TOAD__S("");
    if (from_backup(r, e, backup, program, options, out)) return NULL;
    if (remote && e->args.from < e->command_name) return "its arguments were put before its command";
    if (remote) return unwrap_url(r, e, own, out);
    unwrap_command(r, e, own, out);
    return NULL;
}

/* ---- all entries ---- */

/* A name as the proxy takes them. */
static void make_safe(toad_str name, char safe[NAME + 1]) {
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < NAME; i++) {
        unsigned char c = (unsigned char)name.p[i];
        safe[n++] = toad__is_alnum(c) || c == '.' || c == '_' || c == '-' ? (char)c : '-';
    }
    if (!n || safe[0] == '-') safe[0] = 'x', n += !n;
    safe[n] = 0;
}

/* The name under which the proxy knows the server. Pins go by it, so that of two servers whose names become one, the
 * one that lost letters gets a number made of its whole name (FNV-1a), which stays the same whatever is added later. */
static void add_name(const toad__client_reading *r, const toad__client_entry *e, toad__buf *b) {
    char safe[NAME + 1], other[NAME + 1];
    bool taken = false;
    make_safe(e->name, safe);
    for (const toad__client_entry *o = r->first; o; o = o->next) {
        make_safe(o->name, other);
        taken |= o != e && !strcmp(other, safe);
    }
    if (taken && !toad__str_eq(e->name, toad__str_z(safe))) {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < e->name.n; i++) hash = (hash ^ (unsigned char)e->name.p[i]) * 16777619u;
        size_t n = strlen(safe) < NAME - 9 ? strlen(safe) : NAME - 9;
        snprintf(safe + n, sizeof safe - n, "-%08" PRIx32, hash);
    }
    add_quoted(b, safe);
}

static void add_options(const toad__client_reading *r, const toad__client_change *change, const toad__client_entry *e,
                        toad__buf *b) {
    toad__buf_add_z(b, "\"proxy\"");
    add_quoted(b, "--name");
    add_name(r, e, b);
    for (size_t i = 0; i < change->options_n; i++) add_quoted(b, change->options[i]);
    for (size_t i = 0; i < e->env_n; i++) {
        add_quoted(b, "--env");
        toad__buf_add_z(b, ", ");
        toad__json_add_str(b, e->env[i].text);
    }
}

static toad_status wrap_new(const toad__client_reading *r, const toad__client_entry *e,
                            const toad__client_change *change, toad__buf *out) {
    toad__buf options, program;
    toad__buf_init(&options, TOAD__CLIENT_FILE);
    toad__buf_init(&program, 1u << 16);
    add_options(r, change, e, &options);
    toad__json_add_str(&program, toad__str_z(change->program));
    const wrapping w = { r, e, toad__buf_str(&program), toad__buf_str(&options) };
    toad_status status = options.status ? options.status : program.status ? program.status : wrap_entry(&w, out);
    toad__buf_free(&options);
    toad__buf_free(&program);
    return status;
}

typedef struct rewriting {
    const toad__client_change *change;
    toad__client_reading r, backup;
    toad__arena *arena;
    toad__buf *out;
    size_t done; /* of the text */
    toad__client_server **last;
} rewriting;

/* The proxy with its options, up to the server. */
static toad_str command_of(toad__arena *arena, const toad__client_entry *e, size_t own) {
    toad__buf b;
    toad__buf_init(&b, TOAD__CLIENT_FILE);
    toad__client_add_word(&b, e->command_text);
    for (size_t i = 0; i + 1 < own; i++) {
        toad__buf_add_c(&b, ' ');
        toad__client_add_word(&b, e->items[i].text);
    }
    toad_str kept = b.status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return kept;
}

static toad_status change_one(rewriting *w, const toad__client_entry *e, toad__client_server *s) {
    const toad__client_change *c = w->change;
    toad__buf after;
    bool wanted = !c->look && (!c->server || toad__str_eq(e->name, toad__str_z(c->server)));
    bool wrapped = is_wrapped(e);
    size_t own = wrapped ? own_at(e, "--") : 0;
    s->programs[0] = toad__arena_dup(w->arena, e->command_text);
    s->programs[1] = own ? toad__arena_dup(w->arena, e->items[own].text) : TOAD__S("");
    s->command = wrapped ? command_of(w->arena, e, own ? own : own_at(e, "--url")) : TOAD__S("");
    if ((e->command_text.n && !s->programs[0].p) || (own && !s->programs[1].p) || !s->command.p) return TOAD_E_NOMEM;
    s->state = wrapped ? TOAD__SERVER_WRAPPED : e->why ? TOAD__SERVER_OTHER : TOAD__SERVER_PLAIN;
    if (s->state == TOAD__SERVER_PLAIN && is_ours(e)) {
        s->state = TOAD__SERVER_OTHER;
        s->why = "it is Toadstone itself";
    }
    if (s->state == TOAD__SERVER_PLAIN && e->url.to && !e->headers_n && !c->remote && !c->undo) {
        s->state = TOAD__SERVER_OTHER;
        s->why = "it is sent no token, so it may log in with OAuth, which works only without the proxy; --remote wraps "
                 "it all the same";
    }
    if (!wanted || wrapped != c->undo || s->state == TOAD__SERVER_OTHER) return TOAD_OK;
    toad__buf_init(&after, TOAD__CLIENT_FILE);
    toad_status status = TOAD_OK;
    if (c->undo)
        s->why = unwrap_entry(&w->r, e, &w->backup, &after);
    else
        status = wrap_new(&w->r, e, c, &after);
    if (!status) status = after.status;
    if (!status && !s->why) {
        s->before = toad__arena_dup(w->arena, part(&w->r, e->at));
        s->after = toad__arena_dup(w->arena, toad__buf_str(&after));
        s->changed = true;
        s->state = c->undo ? TOAD__SERVER_PLAIN : TOAD__SERVER_WRAPPED;
        toad__buf_add_str(w->out, toad__str_part(w->r.text, w->done, e->at.from));
        toad__buf_add_str(w->out, s->after);
        w->done = e->at.to;
        if (!s->before.p || !s->after.p) status = TOAD_E_NOMEM;
    }
    toad__buf_free(&after);
    return status;
}

static toad_status change_all(rewriting *w) {
    toad_status status = TOAD_OK;
    for (const toad__client_entry *e = w->r.first; e && !status; e = e->next) {
        toad__client_server *s = toad__arena_alloc(w->arena, sizeof *s);
        if (!s) return TOAD_E_NOMEM;
        s->name = toad__arena_dup(w->arena, e->name);
        if (!s->name.p) return TOAD_E_NOMEM;
        s->why = e->why;
        *w->last = s;
        w->last = &s->next;
        status = change_one(w, e, s);
    }
    toad__buf_add_str(w->out, toad__str_part(w->r.text, w->done, w->r.text.n));
    return status ? status : w->out->status;
}

/* What was written must be a configuration again, with the same servers, each as it was meant to be. */
static toad_status check(const rewriting *w, const toad__client_server *s, toad_str text, const char **ret_why) {
    toad__client_reading again = { .text = text, .client = w->change->client, .arena = w->arena };
    toad_status status = read_entries(&again);
    const toad__client_entry *a = w->r.first, *b = again.first;
    bool meant = true;
    for (; !status && a && b && s && toad__str_eq(a->name, b->name); b = b->next, s = s->next) {
        meant &= !s->changed || (!b->why && is_wrapped(b) == (s->state == TOAD__SERVER_WRAPPED));
        a = a->next;
    }
    bool same = !status && meant && !a && !b;
    if (!same && status != TOAD_E_NOMEM) {
        status = TOAD_E_SYNTAX;
        *ret_why = "it is written in a way that cannot be changed safely";
    }
    return status;
}

static bool in_order(const toad__client_reading *r) {
    for (const toad__client_entry *e = r->first; e && e->next; e = e->next)
        if (e->at.to && e->next->at.to && e->at.to > e->next->at.from) return false;
    return true;
}

toad_status toad__client_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                 toad__client_server **ret, const char **ret_why, size_t *ret_at) {
    toad__client_server *first = NULL;
    size_t from = out->n;
    if (!text.n) text = TOAD__S("");
    rewriting w = { .change = change, .arena = arena, .out = out, .last = &first };
    w.r = (toad__client_reading){ .text = text, .client = change->client, .arena = arena };
    w.backup = (toad__client_reading){ .text = change->backup, .client = change->client, .arena = arena };
    toad_status status = read_entries(&w.r);
    if (status == TOAD_E_SYNTAX) {
        *ret_why = w.r.why;
        *ret_at = w.r.at;
        return status;
    }
    toad_status old = !status && change->backup.n ? read_entries(&w.backup) : TOAD_OK;
    if (old == TOAD_E_NOMEM) status = old;
    if (old) w.backup.first = NULL; /* a backup that cannot be read is none */
    if (!status && !in_order(&w.r)) {
        *ret_why = "tables in one piece";
        return TOAD_E_SYNTAX;
    }
    if (!status) status = change_all(&w);
    *ret_at = 0;
    if (!status)
        status =
            check(&w, first, out->n > from ? toad__str_part(toad__buf_str(out), from, out->n) : TOAD__S(""), ret_why);
    if (!status) *ret = first;
    return status;
}
