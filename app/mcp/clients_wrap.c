/* clients_wrap.c - an entry made to go through the proxy, and back.
 *
 * Wrapping keeps the entry's own bytes: a command's string becomes an argument as it stands, and ours are put before
 * it, directly behind the bracket. An entry counts as wrapped when it starts `bezoar proxy`. Undoing tries each entry
 * of that name in the backup: the one that would be wrapped to exactly what stands here is what stood here. */
#include "app/mcp/clients_internal.h"
#include "lib/base/json.h"

#include <inttypes.h>
#include <stdio.h>

enum { ENTRIES = 1000, NAME = 64 };

bzr__client_entry *bzr__client_add_entry(bzr__client_reading *r, bzr_str name) {
    bzr__client_entry *e = bzr__arena_alloc(r->arena, sizeof *e);
    if (!e) return NULL;
    e->name = name;
    *r->last = e;
    r->last = &e->next;
    return e;
}

static bzr_status read_entries(bzr__client_reading *r) {
    r->last = &r->first;
    bzr_status status = r->client->format == BZR__CLIENT_TOML ? bzr__client_read_toml(r) : bzr__client_read_json(r);
    size_t n = 0;
    for (const bzr__client_entry *e = r->first; e; e = e->next) n++;
    return !status && n > ENTRIES ? BZR_E_LIMIT : status;
}

static bzr_str part(const bzr__client_reading *r, bzr__stretch at) { return bzr__str_part(r->text, at.from, at.to); }

/* ---- what is wrapped ---- */

static bool names_bezoar(bzr_str command) {
    size_t from = command.n;
    while (from && command.p[from - 1] != '/' && command.p[from - 1] != '\\') from--;
    bzr_str name = bzr__str_part(command, from, command.n);
    return bzr__str_eq(name, BZR__S("bezoar")) || bzr__str_eq(name, BZR__S("bezoar.exe"));
}

/* The index of "proxy" among the items, or -1. */
static int proxy_at(const bzr__client *client, const bzr__client_entry *e) {
    bool argv = client->argv;
    bzr_str command = argv ? e->items_n ? e->items[0].text : BZR__S("") : e->command_text;
    int at = argv ? 1 : 0;
    bool is = names_bezoar(command) && e->items_n > (size_t)at && bzr__str_eq(e->items[at].text, BZR__S("proxy"));
    return is ? at : -1;
}

static bool is_wrapped(const bzr__client *client, const bzr__client_entry *e) {
    return !e->why && proxy_at(client, e) >= 0;
}

/* Another of our own: `bezoar mcp`. */
static bool is_ours(const bzr__client *client, const bzr__client_entry *e) {
    bzr_str command = client->argv ? e->items_n ? e->items[0].text : BZR__S("") : e->command_text;
    return names_bezoar(command) && !is_wrapped(client, e);
}

/* Where in the items the server's own command or address stands: behind "--" or "--url". 0: nowhere. */
static size_t own_at(const bzr__client_entry *e, const char *mark, int from) {
    for (size_t i = (size_t)from; i + 1 < e->items_n; i++)
        if (bzr__str_eq(e->items[i].text, bzr__str_z(mark))) return i + 1;
    return 0;
}

/* ---- editing ---- */

typedef struct edits {
    bzr_str text;
    size_t done; /* of the text */
    bzr__buf *out;
} edits;

static void put(edits *e, size_t from, size_t to, bzr_str text) {
    if (from < e->done || to < from) return;
    bzr__buf_add(e->out, e->text.p + e->done, from - e->done);
    bzr__buf_add_str(e->out, text);
    e->done = to;
}

typedef struct wrapping {
    const bzr__client_reading *r;
    const bzr__client_entry *e;
    bzr_str program; /* as it is to stand, with quotes; ... */
    bzr_str options; /* ... and "proxy" and what follows, up to "--" or "--url", which are not in it */
} wrapping;

static void add_quoted(bzr__buf *b, const char *z) {
    bzr__buf_add_z(b, ", ");
    bzr__json_add_str(b, bzr__str_z(z));
}

static size_t gap(const bzr__client_reading *r, size_t at) {
    return at < r->text.n && (bzr__is_space((unsigned char)r->text.p[at]) || r->text.p[at] == ']') ? 0 : 1;
}

/* Arguments before those that there are. */
static void wrap_command(const wrapping *w, edits *x, bzr__buf *scratch) {
    const bzr__client_entry *e = w->e;
    bool argv = w->r->client->argv, toml = w->r->client->format == BZR__CLIENT_TOML;
    if (argv) {
        bzr__buf_add_str(scratch, w->program);
        bzr__buf_add_z(scratch, ", ");
    }
    bzr__buf_add_str(scratch, w->options);
    bzr__buf_add_z(scratch, ", \"--\"");
    if (!argv) {
        bzr__buf_add_z(scratch, ", ");
        bzr__buf_add_str(scratch, part(w->r, e->command));
    }
    if (e->items_n) bzr__buf_add_c(scratch, ',');
    if (e->items_n && gap(w->r, e->args.from + 1)) bzr__buf_add_c(scratch, ' ');
    if (argv) {
        put(x, e->args.from + 1, e->args.from + 1, bzr__buf_str(scratch));
        return;
    }
    bool args_first = e->args.to && e->args.from < e->command.from;
    if (args_first) put(x, e->args.from + 1, e->args.from + 1, bzr__buf_str(scratch));
    put(x, e->command.from, e->command.to, w->program);
    if (e->args.to && !args_first) put(x, e->args.from + 1, e->args.from + 1, bzr__buf_str(scratch));
    if (e->args.to) return;
    put(x, e->command.to, e->command.to, toml ? BZR__S("\nargs = [") : BZR__S(", \"args\": ["));
    put(x, e->command.to, e->command.to, bzr__buf_str(scratch));
    put(x, e->command.to, e->command.to, BZR__S("]"));
}

/* The variable that the value of header `i` goes into: an argument could be read by everybody on the machine. */
static const char *variable_of(size_t i, char out[40]) {
    snprintf(out, 40, "BEZOAR_HEADER_%zu", i + 1);
    return out;
}

static void add_header_env(bzr__buf *b, const bzr__client_item *header, size_t i) {
    char name[40];
    bzr__buf value;
    bzr__buf_init(&value, BZR__CLIENT_FILE);
    bzr__buf_add_str(&value, bzr__str_part(header->text, 0, bzr__str_find(header->text, BZR__S(": "), 0)));
    bzr__buf_add_c(&value, '=');
    bzr__buf_add_z(&value, variable_of(i, name));
    add_quoted(b, "--header-env");
    bzr__buf_add_z(b, ", ");
    bzr__json_add_utf8(b, bzr__buf_str(&value));
    if (value.status) b->status = value.status;
    bzr__buf_free(&value);
}

static void add_url_member(const wrapping *w, bzr__buf *b) {
    char name[40];
    bool argv = w->r->client->argv, toml = w->r->client->format == BZR__CLIENT_TOML;
    bzr__buf_add_z(b, toml ? "command = " : argv ? "\"command\": [" : "\"command\": ");
    bzr__buf_add_str(b, w->program);
    bzr__buf_add_z(b, toml ? "\nargs = [" : argv ? ", " : ", \"args\": [");
    bzr__buf_add_str(b, w->options);
    bzr__buf_add_z(b, ", \"--url\", ");
    bzr__buf_add_str(b, part(w->r, w->e->url));
    for (size_t i = 0; i < w->e->headers_n; i++) add_header_env(b, &w->e->headers[i], i);
    bzr__buf_add_c(b, ']');
    for (size_t i = 0; i < w->e->headers_n; i++) {
        bzr__buf_add_z(b, i ? ", " : argv ? ", \"environment\": {" : ", \"env\": {");
        bzr__json_add_str(b, bzr__str_z(variable_of(i, name)));
        bzr__buf_add_z(b, ": ");
        bzr__buf_add_str(b, part(w->r, w->e->headers[i].at));
    }
    if (w->e->headers_n) bzr__buf_add_c(b, '}');
}

static void wrap_url(const wrapping *w, edits *x, bzr__buf *scratch) {
    const bzr__client_entry *e = w->e;
    bzr__buf type;
    bzr__buf_init(&type, 64);
    if (w->r->client->stdio_type) bzr__json_add_str(&type, bzr__str_z(w->r->client->stdio_type));
    add_url_member(w, scratch);
    for (size_t at = e->at.from; at < e->at.to;) { /* three edits in the order of the text */
        size_t next = e->at.to;
        const bzr__stretch *const all[] = { &e->type, &e->url_member, &e->headers_cut }, *first = NULL;
        for (size_t i = 0; i < 3; i++)
            if (all[i]->to && all[i]->from >= at && all[i]->from < next) first = all[i], next = first->from;
        if (!first) break;
        if (first == &e->type) put(x, first->from, first->to, type.n ? bzr__buf_str(&type) : part(w->r, e->type));
        if (first == &e->url_member) put(x, first->from, first->to, bzr__buf_str(scratch));
        if (first == &e->headers_cut) put(x, first->from, first->to, BZR__S(""));
        at = first->from + 1;
    }
    if (type.status) x->out->status = type.status;
    bzr__buf_free(&type);
}

/* Append the entry as it is wrapped. */
static bzr_status wrap_entry(const wrapping *w, bzr__buf *out) {
    bzr__buf scratch;
    edits x = { w->r->text, w->e->at.from, out };
    bzr__buf_init(&scratch, BZR__CLIENT_FILE);
    if (w->e->url.to)
        wrap_url(w, &x, &scratch);
    else
        wrap_command(w, &x, &scratch);
    put(&x, w->e->at.to, w->e->at.to, BZR__S(""));
    bzr_status status = scratch.status ? scratch.status : out->status;
    bzr__buf_free(&scratch);
    return status;
}

/* ---- undoing ---- */

/* From the entry itself: what stands behind "--" is the command, what is before it goes. */
static void unwrap_command(const bzr__client_reading *r, const bzr__client_entry *e, size_t own, bzr__buf *out) {
    bool argv = r->client->argv, args_first = argv || e->args.from < e->command.from;
    edits x = { r->text, e->at.from, out };
    size_t rest = argv ? own : own + 1;
    size_t until = rest < e->items_n ? e->items[rest].at.from : e->items[e->items_n - 1].at.to;
    if (args_first) put(&x, e->args.from + 1, until, BZR__S(""));
    if (!argv) put(&x, e->command.from, e->command.to, part(r, e->items[own].at));
    if (!args_first) put(&x, e->args.from + 1, until, BZR__S(""));
    put(&x, e->at.to, e->at.to, BZR__S(""));
}

static const bzr__client_item *variable(const bzr__client_entry *e, bzr_str name) {
    for (size_t i = 0; i < e->env_n; i++)
        if (bzr__str_eq(e->env[i].text, name)) return &e->env[i];
    return NULL;
}

/* Its headers: those that somebody wrote into the arguments, and those in variables. False: a variable is not there, or one is no header's. */
static bool add_headers(const bzr__client_reading *r, const bzr__client_entry *e, size_t from, bzr__buf *b) {
    size_t n = 0, used = 0;
    for (size_t i = from; i + 1 < e->items_n; i++) {
        bool plain = bzr__str_eq(e->items[i].text, BZR__S("--header"));
        if (!plain && !bzr__str_eq(e->items[i].text, BZR__S("--header-env"))) continue;
        bzr_str pair = e->items[++i].text, mark = plain ? BZR__S(": ") : BZR__S("=");
        size_t end = bzr__str_find(pair, mark, 0);
        bzr_str rest = bzr__str_part(pair, end < pair.n ? end + mark.n : pair.n, pair.n);
        const bzr__client_item *value = plain ? NULL : variable(e, rest);
        if (!plain && !value) return false;
        bzr__buf_add_z(b, n++ ? ", " : ", \"headers\": {");
        bzr__json_add_utf8(b, bzr__str_part(pair, 0, end));
        bzr__buf_add_z(b, ": ");
        if (value) bzr__buf_add_str(b, part(r, value->at));
        else bzr__json_add_utf8(b, rest);
        used += value != NULL;
    }
    if (n) bzr__buf_add_c(b, '}');
    return used == e->env_n;
}

/* The same for a remote server: its address comes in the place of command and arguments. */
static const char *unwrap_url(const bzr__client_reading *r, const bzr__client_entry *e, size_t own, bzr__buf *out) {
    bool argv = r->client->argv, toml = r->client->format == BZR__CLIENT_TOML;
    bzr_str type = argv ? BZR__S("\"remote\"") : BZR__S("\"http\"");
    bzr__buf url;
    edits x = { r->text, e->at.from, out };
    bzr__buf_init(&url, BZR__CLIENT_FILE);
    bzr__buf_add_z(&url, toml ? "" : "\"");
    bzr__buf_add(&url, r->client->url_keys, strcspn(r->client->url_keys, " "));
    bzr__buf_add_z(&url, toml ? " = " : "\": ");
    bzr__buf_add_str(&url, part(r, e->items[own].at));
    bool whole = toml || add_headers(r, e, own, &url), behind = !e->env_cut.to || e->env_cut.from >= e->args.to;
    bool type_first = e->type.from < e->command_name;
    if (e->type.to && type_first) put(&x, e->type.from, e->type.to, type);
    put(&x, e->command_name, e->args.to, bzr__buf_str(&url));
    bool cut_first = e->env_cut.from < e->type.from;
    if (!toml && cut_first) put(&x, e->env_cut.from, e->env_cut.to, BZR__S(""));
    if (e->type.to && !type_first) put(&x, e->type.from, e->type.to, type);
    if (!toml && !cut_first) put(&x, e->env_cut.from, e->env_cut.to, BZR__S(""));
    put(&x, e->at.to, e->at.to, BZR__S(""));
    if (url.status) out->status = url.status;
    bzr__buf_free(&url);
    return whole && behind ? NULL : "its variables are not those that wrapping gave it";
}

/* The entry of the backup that would be wrapped to this one. */
static bool from_backup(const bzr__client_reading *r, const bzr__client_entry *e, const bzr__client_reading *backup,
                        bzr_str program, bzr_str options, bzr__buf *out) {
    for (const bzr__client_entry *old = backup->first; old; old = old->next) {
        bzr__buf again;
        if (!bzr__str_eq(old->name, e->name) || old->why || is_wrapped(backup->client, old)) continue;
        const wrapping w = { backup, old, program, options };
        bzr__buf_init(&again, BZR__CLIENT_FILE);
        bool same = !wrap_entry(&w, &again) && bzr__str_eq(bzr__buf_str(&again), part(r, e->at));
        bzr__buf_free(&again);
        if (!same) continue;
        bzr__buf_add_str(out, part(backup, old->at));
        return true;
    }
    return false;
}

static const char *unwrap_entry(const bzr__client_reading *r, const bzr__client_entry *e,
                                const bzr__client_reading *backup, bzr__buf *out) {
    int proxy = proxy_at(r->client, e);
    size_t command = own_at(e, "--", proxy), url = own_at(e, "--url", proxy);
    if (!command && !url) return "it starts the proxy in a way that is not understood";
    bool remote = url && (!command || url < command);
    size_t own = remote ? url : command;
    bzr_str program = r->client->argv ? part(r, e->items[0].at) : part(r, e->command);
    bzr_str options =
        own - 1 > (size_t)proxy ? bzr__str_part(r->text, e->items[proxy].at.from, e->items[own - 2].at.to) : BZR__S("");
    if (from_backup(r, e, backup, program, options, out)) return NULL;
    if (remote && e->args.from < e->command_name) return "its arguments were put before its command";
    if (remote) return unwrap_url(r, e, own, out);
    unwrap_command(r, e, own, out);
    return NULL;
}

/* ---- all entries ---- */

/* A name as the proxy takes them. */
static void make_safe(bzr_str name, char safe[NAME + 1]) {
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < NAME; i++) {
        unsigned char c = (unsigned char)name.p[i];
        safe[n++] = bzr__is_alnum(c) || c == '.' || c == '_' || c == '-' ? (char)c : '-';
    }
    if (!n || safe[0] == '-') safe[0] = 'x', n += !n;
    safe[n] = 0;
}

/* The name under which the proxy knows the server. Pins go by it, so that of two servers whose names become one, the one that lost letters gets
 * a number made of its whole name (FNV-1a), which stays the same whatever is added later. */
static void add_name(const bzr__client_reading *r, const bzr__client_entry *e, bzr__buf *b) {
    char safe[NAME + 1], other[NAME + 1];
    bool taken = false;
    make_safe(e->name, safe);
    for (const bzr__client_entry *o = r->first; o; o = o->next) {
        make_safe(o->name, other);
        taken |= o != e && !strcmp(other, safe);
    }
    if (taken && !bzr__str_eq(e->name, bzr__str_z(safe))) {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < e->name.n; i++) hash = (hash ^ (unsigned char)e->name.p[i]) * 16777619u;
        size_t n = strlen(safe) < NAME - 9 ? strlen(safe) : NAME - 9;
        snprintf(safe + n, sizeof safe - n, "-%08" PRIx32, hash);
    }
    add_quoted(b, safe);
}

static void add_options(const bzr__client_reading *r, const bzr__client_change *change, const bzr__client_entry *e, bzr__buf *b) {
    bzr__buf_add_z(b, "\"proxy\"");
    add_quoted(b, "--name");
    add_name(r, e, b);
    for (size_t i = 0; i < change->options_n; i++) add_quoted(b, change->options[i]);
    for (size_t i = 0; i < e->env_n; i++) {
        add_quoted(b, "--env");
        bzr__buf_add_z(b, ", ");
        bzr__json_add_str(b, e->env[i].text);
    }
}

static bzr_status wrap_new(const bzr__client_reading *r, const bzr__client_entry *e, const bzr__client_change *change,
                           bzr__buf *out) {
    bzr__buf options, program;
    bzr__buf_init(&options, BZR__CLIENT_FILE);
    bzr__buf_init(&program, 1u << 16);
    add_options(r, change, e, &options);
    bzr__json_add_str(&program, bzr__str_z(change->program));
    const wrapping w = { r, e, bzr__buf_str(&program), bzr__buf_str(&options) };
    bzr_status status = options.status ? options.status : program.status ? program.status : wrap_entry(&w, out);
    bzr__buf_free(&options);
    bzr__buf_free(&program);
    return status;
}

typedef struct rewriting {
    const bzr__client_change *change;
    bzr__client_reading r, backup;
    bzr__arena *arena;
    edits x;
    bzr__client_server **last;
} rewriting;

static bzr_status change_one(rewriting *w, const bzr__client_entry *e, bzr__client_server *s) {
    const bzr__client_change *c = w->change;
    bzr__buf after;
    bool wanted = !c->look && (!c->server || bzr__str_eq(e->name, bzr__str_z(c->server)));
    bool wrapped = is_wrapped(c->client, e);
    s->state = wrapped ? BZR__SERVER_WRAPPED : e->why ? BZR__SERVER_OTHER : BZR__SERVER_PLAIN;
    if (s->state == BZR__SERVER_PLAIN && is_ours(c->client, e)) {
        s->state = BZR__SERVER_OTHER;
        s->why = "it is Bezoar itself";
    }
    if (!wanted || wrapped != c->undo || s->state == BZR__SERVER_OTHER) return BZR_OK;
    bzr__buf_init(&after, BZR__CLIENT_FILE);
    bzr_status status = BZR_OK;
    if (c->undo)
        s->why = unwrap_entry(&w->r, e, &w->backup, &after);
    else
        status = wrap_new(&w->r, e, c, &after);
    if (!status) status = after.status;
    if (!status && !s->why) {
        s->before = bzr__arena_dup(w->arena, part(&w->r, e->at));
        s->after = bzr__arena_dup(w->arena, bzr__buf_str(&after));
        s->changed = true;
        s->state = c->undo ? BZR__SERVER_PLAIN : BZR__SERVER_WRAPPED;
        put(&w->x, e->at.from, e->at.to, s->after);
        if (!s->before.p || !s->after.p) status = BZR_E_NOMEM;
    }
    bzr__buf_free(&after);
    return status;
}

static bzr_status change_all(rewriting *w) {
    bzr_status status = BZR_OK;
    for (const bzr__client_entry *e = w->r.first; e && !status; e = e->next) {
        bzr__client_server *s = bzr__arena_alloc(w->arena, sizeof *s);
        if (!s) return BZR_E_NOMEM;
        s->name = bzr__arena_dup(w->arena, e->name);
        if (!s->name.p) return BZR_E_NOMEM;
        s->why = e->why;
        *w->last = s;
        w->last = &s->next;
        status = change_one(w, e, s);
    }
    put(&w->x, w->r.text.n, w->r.text.n, BZR__S(""));
    return status ? status : w->x.out->status;
}

/* What was written must be a configuration again, with the same servers, each as it was meant to be. */
static bzr_status check(const rewriting *w, const bzr__client_server *s, bzr_str text, const char **ret_why) {
    bzr__client_reading again = { .text = text, .client = w->change->client, .arena = w->arena };
    bzr_status status = read_entries(&again);
    const bzr__client_entry *a = w->r.first, *b = again.first;
    bool meant = true;
    for (; !status && a && b && s && bzr__str_eq(a->name, b->name); b = b->next, s = s->next) {
        meant &= !s->changed || (!b->why && is_wrapped(again.client, b) == (s->state == BZR__SERVER_WRAPPED));
        a = a->next;
    }
    bool same = !status && meant && !a && !b;
    if (!same && status != BZR_E_NOMEM) {
        status = BZR_E_SYNTAX;
        *ret_why = "it is written in a way that cannot be changed safely";
    }
    return status;
}

static bool in_order(const bzr__client_reading *r) {
    for (const bzr__client_entry *e = r->first; e && e->next; e = e->next)
        if (e->at.to && e->next->at.to && e->at.to > e->next->at.from) return false;
    return true;
}

bzr_status bzr__client_rewrite(bzr_str text, const bzr__client_change *change, bzr__arena *arena, bzr__buf *out,
                               bzr__client_server **ret, const char **ret_why, size_t *ret_at) {
    bzr__client_server *first = NULL;
    size_t from = out->n;
    if (!text.n) text = BZR__S("");
    rewriting w = { .change = change, .arena = arena, .x = { text, 0, out }, .last = &first };
    w.r = (bzr__client_reading){ .text = text, .client = change->client, .arena = arena };
    w.backup = (bzr__client_reading){ .text = change->backup, .client = change->client, .arena = arena };
    bzr_status status = read_entries(&w.r);
    if (status == BZR_E_SYNTAX) {
        *ret_why = w.r.why;
        *ret_at = w.r.at;
        return status;
    }
    bzr_status old = !status && change->backup.n ? read_entries(&w.backup) : BZR_OK;
    if (old == BZR_E_NOMEM) status = old;
    if (old) w.backup.first = NULL; /* a backup that cannot be read is none */
    if (!status && !in_order(&w.r)) {
        *ret_why = "tables in one piece";
        return BZR_E_SYNTAX;
    }
    if (!status) status = change_all(&w);
    *ret_at = 0;
    if (!status)
        status = check(&w, first, out->n > from ? bzr__str_part(bzr__buf_str(out), from, out->n) : BZR__S(""), ret_why);
    if (!status) *ret = first;
    return status;
}
