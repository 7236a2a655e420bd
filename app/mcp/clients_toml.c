/* clients_toml.c - entries in TOML 1.0, as much of it as is needed to know where a table, a key and a value end.
 *
 * Every construct of the language is passed over correctly, or the file is refused; entries are read only where each
 * has a table of its own, [mcp_servers.NAME], which is how the client writes them. No recursion: nesting is counted. */
#include "app/mcp/clients_internal.h"
#include "lib/base/utf8.h"

enum { PARTS = 8, DEPTH = 64 };

typedef struct toml {
    toad__client_reading *r;
    toad_str s;
    size_t at;
    toad_status status;
    toad_str table[PARTS]; /* the header that holds now */
    size_t table_n;
    toad__client_entry *entry; /* of the table, or NULL */
} toml;

static void fail(toml *t, const char *expected) {
    if (t->status) return;
    t->status = TOAD_E_SYNTAX;
    t->r->why = expected;
    t->r->at = t->at;
}

static int peek(const toml *t, size_t ahead) {
    return t->at + ahead < t->s.n ? (unsigned char)t->s.p[t->at + ahead] : -1;
}
static bool sees(const toml *t, const char *z) {
    return toad__str_starts(toad__str_part(t->s, t->at, t->s.n), toad__str_z(z));
}

static void skip_blanks(toml *t) {
    while (peek(t, 0) == ' ' || peek(t, 0) == '\t') t->at++;
}

static bool at_line_end(const toml *t) {
    return peek(t, 0) < 0 || peek(t, 0) == '\n' || (peek(t, 0) == '\r' && peek(t, 1) == '\n');
}

static void skip_comment(toml *t) {
    if (peek(t, 0) == '#')
        while (!at_line_end(t)) t->at++;
}

/* Blanks, comments and line ends. */
static void skip_lines(toml *t) {
    for (;;) {
        skip_blanks(t);
        skip_comment(t);
        if (peek(t, 0) < 0 || !at_line_end(t)) return;
        t->at += peek(t, 0) == '\r' ? 2 : 1;
    }
}

/* ---- strings ---- */

static size_t escape(toml *t, toad__buf *out) {
    static const char from[] = "btnfre\"\\", to[] = "\b\t\n\f\r\x1b\"\\";
    int c = peek(t, 1);
    const char *named = c > 0 ? strchr(from, c) : NULL;
    if (named) {
        toad__buf_add_c(out, to[named - from]);
        return 2;
    }
    size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : c == 'x' ? 2 : 0;
    uint32_t v = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = toad__hex_value(peek(t, 2 + i));
        if (digit < 0 || v > 0xFFFFFF) digits = 0;
        v = v << 4 | (uint32_t)(digit & 15);
    }
    if (!digits || v > 0x10FFFF || (v >= 0xD800 && v < 0xE000)) {
        fail(t, "a valid escape");
        return 1;
    }
    toad__buf_add_cp(out, v);
    return 2 + digits;
}

/* A backslash at the end of a line joins it with the next. */
static bool joins_lines(toml *t) {
    size_t at = t->at + 1;
    while (at < t->s.n && (t->s.p[at] == ' ' || t->s.p[at] == '\t' || t->s.p[at] == '\r')) at++;
    if (at >= t->s.n || t->s.p[at] != '\n') return false;
    while (at < t->s.n && toad__is_space((unsigned char)t->s.p[at])) at++;
    t->at = at;
    return true;
}

/* The string that begins here, decoded. */
static toad_str read_string(toml *t) {
    bool basic = peek(t, 0) == '"', many = sees(t, basic ? "\"\"\"" : "'''");
    const char *quote = many ? basic ? "\"\"\"" : "'''" : basic ? "\"" : "'";
    toad__buf out;
    toad__buf_init(&out, TOAD__CLIENT_FILE);
    t->at += strlen(quote);
    if (many && peek(t, 0) == '\r' && peek(t, 1) == '\n') t->at++;
    if (many && peek(t, 0) == '\n') t->at++;
    while (!t->status) {
        int c = peek(t, 0);
        if (sees(t, quote)) break;
        if (c < 0 || (!many && (c == '\n' || c == '\r')) || (c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
            c == 0x7f) {
            fail(t, "the end of a string");
        } else if (c == '\\' && basic) {
            if (!many || !joins_lines(t)) t->at += escape(t, &out);
        } else {
            toad__buf_add_c(&out, (char)c);
            t->at++;
        }
    }
    for (int i = 0; many && i < 2 && peek(t, 3) == quote[0]; i++) { /* two quotes may stand before the closing ones */
        toad__buf_add_c(&out, quote[0]);
        t->at++;
    }
    if (!t->status) t->at += strlen(quote);
    toad_str text =
        out.status ? toad__str(NULL, 0) : toad__arena_dup(t->r->arena, out.n ? toad__buf_str(&out) : TOAD__S(""));
    toad__buf_free(&out);
    if (!text.p && !t->status) t->status = TOAD_E_NOMEM;
    return text;
}

/* ---- keys ---- */

static bool is_bare(int c) { return toad__is_alnum(c) || c == '_' || c == '-'; }

/* A dotted key; parts beyond PARTS are read and dropped, *n counts them. */
static void read_key(toml *t, toad_str parts[PARTS], size_t *n) {
    for (*n = 0; !t->status; t->at++) {
        skip_blanks(t);
        size_t from = t->at;
        toad_str part;
        if (peek(t, 0) == '"' || peek(t, 0) == '\'') {
            if (sees(t, "\"\"\"") || sees(t, "'''")) fail(t, "a key");
            part = read_string(t);
        } else {
            while (is_bare(peek(t, 0))) t->at++;
            part = toad__str_part(t->s, from, t->at);
            if (!part.n) fail(t, "a key");
        }
        if (*n < PARTS) parts[*n] = part;
        (*n)++;
        skip_blanks(t);
        if (peek(t, 0) != '.') return;
    }
}

/* ---- values ---- */

static void skip_scalar(toml *t) {
    size_t from = t->at;
    while (peek(t, 0) > ' ' && !strchr(",]}#", peek(t, 0))) t->at++;
    if (peek(t, 0) == ' ' && t->at - from == 10 && toad__is_digit(peek(t, 1)) &&
        t->s.p[from + 4] == '-') /* a date, a blank, a time */
        for (t->at++; peek(t, 0) > ' ' && !strchr(",]}#", peek(t, 0));) t->at++;
    if (t->at == from) fail(t, "a value");
}

static void close_one(toml *t, char *open, size_t *depth) {
    char c = (char)peek(t, 0);
    if (!*depth || open[*depth - 1] != (c == ']' ? '[' : '{')) {
        fail(t, "a value");
        return;
    }
    (*depth)--;
    t->at++;
}

/* Pass over the value that begins here. With `array`, note the strings that are its items. */
static void read_value(toml *t, toad__client_entry *array) {
    char open[DEPTH];
    size_t depth = 0;
    bool wants = true; /* a value, not a comma or an end */
    do {
        if (depth) skip_lines(t);
        int c = peek(t, 0);
        if (depth && open[depth - 1] == '{' && wants && c != '}') {
            toad_str parts[PARTS];
            size_t n;
            read_key(t, parts, &n);
            if (peek(t, 0) != '=') fail(t, "= behind a key");
            t->at++;
            skip_blanks(t);
            c = peek(t, 0);
        }
        if (t->status) return;
        if (depth && (c == ']' || c == '}')) {
            close_one(t, open, &depth);
            wants = false;
        } else if (depth && !wants) {
            if (c != ',') fail(t, "a comma");
            t->at++;
            wants = true;
        } else if (c == '[' || c == '{') {
            if (depth == DEPTH)
                fail(t, "less nesting");
            else
                open[depth++] = (char)c;
            if (array && depth > 1) array->why = "an argument is no text";
            t->at++;
            wants = true;
        } else if (c == '"' || c == '\'') {
            size_t from = t->at;
            toad_str text = read_string(t);
            if (array && array->items_n < TOAD__CLIENT_ITEMS)
                array->items[array->items_n++] = (toad__client_item){ { from, t->at }, text };
            else if (array)
                array->why = "it has too many arguments";
            wants = false;
        } else {
            skip_scalar(t);
            if (array) array->why = "an argument is no text";
            wants = false;
        }
    } while (depth && !t->status);
}

/* ---- tables ---- */

static bool is_root(const toml *t, toad_str part) { return toad__str_eq(part, toad__str_z(t->r->client->root)); }

static toad__client_entry *entry_of(const toml *t, toad_str name) {
    for (toad__client_entry *e = t->r->first; e; e = e->next)
        if (toad__str_eq(e->name, name)) return e;
    return NULL;
}

static toad__client_entry *need_entry(toml *t, toad_str name) {
    toad__client_entry *e = entry_of(t, name);
    if (!e) e = toad__client_add_entry(t->r, name);
    if (!e) t->status = TOAD_E_NOMEM;
    return e;
}

static void enter_table(toml *t, size_t from) {
    bool list = peek(t, 1) == '[';
    t->at += list ? 2 : 1;
    read_key(t, t->table, &t->table_n);
    if (!sees(t, list ? "]]" : "]")) fail(t, "the end of a table's name");
    t->at += list ? 2 : 1;
    t->entry = NULL;
    if (t->status || t->table_n < 2 || !is_root(t, t->table[0])) return;
    toad__client_entry *e = need_entry(t, t->table[1]);
    if (!e || t->table_n > 2) return;
    if (e->at.to) fail(t, "no table twice");
    if (list) e->why = "it is a list of tables";
    e->at = (toad__stretch){ from, t->at };
    t->entry = e;
}

static bool is(toad_str s, const char *z) { return toad__str_eq(s, toad__str_z(z)); }

static void take_command(toml *t, toad__client_entry *e) {
    size_t from = t->at;
    bool text = (peek(t, 0) == '"' || peek(t, 0) == '\'') && !sees(t, "\"\"\"") && !sees(t, "'''");
    if (text) {
        e->command_text = read_string(t);
        e->command = (toad__stretch){ from, t->at };
    } else {
        e->why = "its command is not understood";
        read_value(t, NULL);
    }
}

static void take_args(toml *t, toad__client_entry *e) {
    size_t from = t->at;
    if (peek(t, 0) != '[') e->why = "its arguments are no list";
    read_value(t, peek(t, 0) == '[' ? e : NULL);
    e->args = (toad__stretch){ from, t->at };
}

/* env = { NAME = "value" } */
static void take_env(toml *t, toad__client_entry *e) {
    size_t from = t->at;
    read_value(t, NULL);
    size_t end = t->at;
    if (t->status || t->s.p[from] != '{') return;
    for (t->at = from + 1; !t->status;) {
        toad_str parts[PARTS];
        size_t n;
        skip_lines(t);
        if (peek(t, 0) == ',') t->at++;
        skip_lines(t);
        if (peek(t, 0) == '}') break;
        read_key(t, parts, &n);
        t->at++;
        skip_blanks(t);
        read_value(t, NULL);
        if (n == 1 && e->env_n < TOAD__CLIENT_ITEMS) e->env[e->env_n++].text = parts[0];
    }
    t->at = end;
}

static void take_pair(toml *t, toad__client_entry *e, size_t from, toad_str key) {
    bool twice =
        (is(key, "command") && e->command_name) || (is(key, "args") && e->args.to) || (is(key, "url") && e->url.to);
    if (twice) e->why = "it has a member twice";
    if (is(key, "command")) {
        e->command_name = from;
        take_command(t, e);
    } else if (is(key, "args")) {
        take_args(t, e);
    } else if (is(key, "env")) {
        take_env(t, e);
    } else if (is(key, "url")) {
        size_t value = t->at;
        read_value(t, NULL);
        e->url = (toad__stretch){ value, t->at };
        e->url_member = (toad__stretch){ from, t->at };
        if (!t->status && t->s.p[value] != '"' && t->s.p[value] != '\'') e->why = "its address is not understood";
    } else {
        if (is(key, "http_headers") || is(key, "env_http_headers") || is(key, "bearer_token_env_var"))
            e->why = "it sends headers or a token; give them to the proxy by hand";
        read_value(t, NULL);
    }
    e->at.to = t->at;
}

static void read_pair(toml *t) {
    toad_str key[PARTS];
    size_t n, from = t->at;
    read_key(t, key, &n);
    if (peek(t, 0) != '=') fail(t, "= behind a key");
    if (t->status) return;
    t->at++;
    skip_blanks(t);
    bool below = t->table_n >= 3 && is_root(t, t->table[0]);
    bool inl = (!t->table_n && n > 1 && is_root(t, key[0])) || (t->table_n == 1 && is_root(t, t->table[0]));
    if (t->entry && n == 1) {
        take_pair(t, t->entry, from, key[0]);
        return;
    }
    read_value(t, NULL);
    if (t->entry) t->entry->why = "it has members with dots in their names";
    if (below && is(t->table[2], "env")) {
        toad__client_entry *e = need_entry(t, t->table[1]);
        if (e && n == 1 && e->env_n < TOAD__CLIENT_ITEMS) e->env[e->env_n++].text = key[0];
    } else if (below && (is(t->table[2], "http_headers") || is(t->table[2], "env_http_headers"))) {
        toad__client_entry *e = need_entry(t, t->table[1]);
        if (e) e->why = "it sends headers or a token; give them to the proxy by hand";
    }
    if (inl) {
        toad__client_entry *e = need_entry(t, key[t->table_n ? 0 : 1]);
        if (e) e->why = "it has no table of its own";
    }
}

static void check_entries(toml *t) {
    for (toad__client_entry *e = t->r->first; e; e = e->next) {
        for (size_t i = 0; i < e->env_n; i++)
            for (size_t k = 0; k < e->env[i].text.n; k++)
                if (!toad__is_alnum((unsigned char)e->env[i].text.p[k]) && e->env[i].text.p[k] != '_')
                    e->why = "the name of a variable is none";
        if (!e->why && !e->command.to && !e->url.to) e->why = "it has neither a command nor an address";
        if (!e->why && e->command.to && e->url.to) e->why = "it has both a command and an address";
    }
}

toad_status toad__client_read_toml(toad__client_reading *r) {
    toml t = { .r = r, .s = r->text };
    if (toad__str_starts(r->text, TOAD__S("\xef\xbb\xbf"))) t.at = 3;
    if (toad__utf8_valid_upto(r->text) != r->text.n) {
        t.at = toad__utf8_valid_upto(r->text);
        fail(&t, "well-formed UTF-8");
    }
    for (skip_lines(&t); !t.status && t.at < t.s.n; skip_lines(&t)) {
        if (peek(&t, 0) == '[')
            enter_table(&t, t.at);
        else
            read_pair(&t);
        skip_blanks(&t);
        skip_comment(&t);
        if (!t.status && !at_line_end(&t)) fail(&t, "the end of the line");
    }
    check_entries(&t);
    return t.status;
}
