/* clients_json.c - entries in JSON with comments and trailing commas.
 *
 * What JSON does not know is blanked in a copy, byte for byte, and the strict reader reads that: an offset in the copy
 * is one in the file. So the reader's refusals (duplicate names, bad UTF-8, nesting) hold here, too. */
#include "app/mcp/clients_internal.h"
#include "lib/base/json.h"

#include <stdlib.h>

/* ---- comments ---- */

static size_t skip_string(const char *p, size_t n, size_t at) {
    for (at++; at < n && p[at] != '"'; at++)
        if (p[at] == '\\') at++;
    return at < n ? at + 1 : n;
}

static size_t comment_end(const char *p, size_t n, size_t at) {
    bool line = p[at + 1] == '/';
    for (at += 2; at < n; at++) {
        if (line && (p[at] == '\n' || p[at] == '\r')) return at;
        if (!line && p[at] == '*' && at + 1 < n && p[at + 1] == '/') return at + 2;
    }
    return line ? n : SIZE_MAX; /* a comment without an end hides the rest from us, but maybe not from others */
}

/* Blank comments, trailing commas and a byte order mark. False: a comment has no end. */
static bool blank(char *p, size_t n) {
    size_t comma = SIZE_MAX;
    if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) memset(p, ' ', 3);
    for (size_t at = 0; at < n;) {
        bool comment = p[at] == '/' && at + 1 < n && (p[at + 1] == '/' || p[at + 1] == '*');
        if (comment) {
            size_t end = comment_end(p, n, at);
            if (end == SIZE_MAX) return false;
            for (; at < end; at++)
                if (p[at] != '\n' && p[at] != '\r') p[at] = ' ';
            continue;
        }
        if ((p[at] == '}' || p[at] == ']') && comma != SIZE_MAX) p[comma] = ' ';
        if (p[at] == ',')
            comma = at;
        else if (!toad__is_space((unsigned char)p[at]))
            comma = SIZE_MAX;
        at = p[at] == '"' ? skip_string(p, n, at) : at + 1;
    }
    return true;
}

/* ---- entries ---- */

typedef struct reading {
    toad__client_reading *r;
    toad_str copy;
} reading;

static size_t start_of(const reading *j, const toad__json *v) { return (size_t)(v->raw.p - j->copy.p); }
static toad__stretch span_of(const reading *j, const toad__json *v) {
    return (toad__stretch){ start_of(j, v), start_of(j, v) + v->raw.n };
}

/* Where the name of a member begins. */
static size_t name_of(const reading *j, const toad__json *object, const toad__json *before) {
    size_t at = before ? span_of(j, before).to : start_of(j, object) + 1;
    while (at < j->copy.n && j->copy.p[at] != '"') at++;
    return at;
}

static void read_items(const reading *j, const toad__json *array, toad__client_entry *e) {
    bool command = j->r->client->shape == TOAD__CLIENT_ARGV;
    e->args = span_of(j, array);
    for (const toad__json *v = array->child; v; v = v->next, command = false) {
        if (v->type != TOAD__JSON_STRING)
            e->why = "an argument is no text";
        else if (command)
            e->command = span_of(j, v), e->command_text = v->text;
        else if (e->items_n == TOAD__CLIENT_ITEMS)
            e->why = "it has too many arguments";
        else
            e->items[e->items_n++] = (toad__client_item){ span_of(j, v), v->text };
    }
}

static void read_env(const reading *j, const toad__json *env, const toad__json *before, toad__client_entry *e) {
    if (before) e->env_cut = (toad__stretch){ span_of(j, before).to, span_of(j, env).to };
    for (const toad__json *v = env->child; v; v = v->next) {
        bool plain = v->key.n > 0;
        for (size_t i = 0; i < v->key.n; i++) plain &= toad__is_alnum((unsigned char)v->key.p[i]) || v->key.p[i] == '_';
        if (!plain || e->env_n == TOAD__CLIENT_ITEMS)
            e->why = "the name of a variable is none";
        else
            e->env[e->env_n++] = (toad__client_item){ span_of(j, v), v->key };
    }
}

static void read_headers(const reading *j, const toad__json *object, const toad__json *headers,
                         const toad__json *before, toad__client_entry *e) {
    for (const toad__json *v = headers->child; v; v = v->next) {
        toad__buf line;
        toad__buf_init(&line, TOAD__CLIENT_FILE);
        toad__buf_add_str(&line, v->key);
        toad__buf_add_z(&line, ": ");
        toad__buf_add_str(&line, v->text);
        toad_str text = line.status ? toad__str(NULL, 0) : toad__arena_dup(j->r->arena, toad__buf_str(&line));
        toad__buf_free(&line);
        bool named = v->key.n && !memchr(v->key.p, '=', v->key.n) && !memchr(v->key.p, ':', v->key.n);
        if (!text.p || !named || v->type != TOAD__JSON_STRING || e->headers_n == TOAD__CLIENT_ITEMS)
            e->why = "a header is not understood";
        else
            e->headers[e->headers_n++] = (toad__client_item){ span_of(j, v), text };
    }
    e->headers_cut =
        (toad__stretch){ before ? span_of(j, before).to : name_of(j, object, NULL), span_of(j, headers).to };
    if (!before && headers->next) e->headers_cut.to = name_of(j, object, headers);
}

static void read_member(const reading *j, const toad__json *object, const toad__json *m, const toad__json *before,
                        toad__client_entry *e) {
    bool text = m->type == TOAD__JSON_STRING, argv = j->r->client->shape == TOAD__CLIENT_ARGV;
    if (toad__str_eq(m->key, TOAD__S("command"))) {
        e->command_name = name_of(j, object, before);
        if (argv ? m->type != TOAD__JSON_ARRAY : !text)
            e->why = "its command is not understood";
        else if (argv)
            read_items(j, m, e);
        else
            e->command = span_of(j, m), e->command_text = m->text;
    } else if (toad__str_eq(m->key, TOAD__S("args")) && !argv) {
        if (m->type != TOAD__JSON_ARRAY)
            e->why = "its arguments are no list";
        else
            read_items(j, m, e);
    } else if (toad__str_is_one_of(m->key, j->r->client->url_keys)) {
        if (!text || e->url.to) e->why = "its address is not understood";
        e->url = span_of(j, m);
        e->url_member = (toad__stretch){ name_of(j, object, before), e->url.to };
        bool sse = strchr(j->r->client->url_keys, ' ') && toad__str_eq(m->key, TOAD__S("url")) &&
                   strcmp(j->r->client->name, "windsurf") != 0;
        if (sse) e->why = "it speaks HTTP with SSE, the transport before 2025-03-26";
    } else if (toad__str_eq(m->key, TOAD__S("type"))) {
        e->type = span_of(j, m);
        if (!text) e->why = "its type is not understood";
        if (toad__str_eq(m->text, TOAD__S("sse"))) e->why = "it speaks HTTP with SSE, the transport before 2025-03-26";
    } else if (toad__str_eq(m->key, TOAD__S("headers"))) {
        if (m->type == TOAD__JSON_OBJECT)
            read_headers(j, object, m, before, e);
        else
            e->why = "its headers are not understood";
    } else if (toad__str_eq(m->key, TOAD__S("env")) || toad__str_eq(m->key, TOAD__S("environment"))) {
        if (m->type == TOAD__JSON_OBJECT) read_env(j, m, before, e);
    }
}

static toad_status read_entry(const reading *j, const toad__json *v) {
    toad__client_entry *e = toad__client_add_entry(j->r, v->key);
    if (!e) return TOAD_E_NOMEM;
    e->at = span_of(j, v);
    if (v->type != TOAD__JSON_OBJECT) {
        e->why = "it is no object";
        return TOAD_OK;
    }
    for (const toad__json *m = v->child, *before = NULL; m; before = m, m = m->next) read_member(j, v, m, before, e);
    if (!e->why && !e->command.to && !e->url.to) e->why = "it has neither a command nor an address";
    if (!e->why && e->command.to && e->url.to) e->why = "it has both a command and an address";
    if (!e->why && e->headers_n && e->env_n) e->why = "it has both headers and variables";
    return TOAD_OK;
}

static toad_status read_servers(const reading *j, const toad__json *holder) {
    const toad__json *servers = toad__json_get(holder, j->r->client->root);
    toad_status status = TOAD_OK;
    if (!servers || servers->type != TOAD__JSON_OBJECT) return TOAD_OK;
    for (const toad__json *v = servers->child; v && !status; v = v->next) status = read_entry(j, v);
    return status;
}

toad_status toad__client_parse_json(toad_str text, toad__arena *arena, toad_str *ret_copy, const toad__json **ret,
                                    const char **ret_why, size_t *ret_at) {
    char *copy = toad__arena_alloc(arena, text.n + 1);
    if (!copy) return TOAD_E_NOMEM;
    if (text.n) memcpy(copy, text.p, text.n);
    *ret_at = text.n;
    *ret_why = "the end of a comment";
    if (!blank(copy, text.n)) return TOAD_E_SYNTAX;
    *ret_copy = toad__str(copy, text.n);
    return toad__json_parse(*ret_copy, arena, ret, ret_at, ret_why);
}

toad_status toad__client_read_json(toad__client_reading *r) {
    const toad__json *root;
    reading j = { .r = r };
    toad_status status = toad__client_parse_json(r->text, r->arena, &j.copy, &root, &r->why, &r->at);
    if (!status) status = read_servers(&j, root);
    const toad__json *projects =
        status ? NULL : toad__json_get(root, "projects"); /* Claude Code keeps some by directory */
    bool has = projects && projects->type == TOAD__JSON_OBJECT && !strcmp(r->client->name, "claude");
    for (const toad__json *v = has ? projects->child : NULL; v && !status; v = v->next) status = read_servers(&j, v);
    return status;
}
