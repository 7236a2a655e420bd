/* sinks.c - see sinks.h. */
#include "app/act/sinks.h"

#include "app/act/deed.h"
#include "app/act/words.h"
#include "app/host/json_walk.h"
#include "lib/base/str.h"

enum {
    SINK_WORDS = 8, /* more words are content */
    LONG_WORD = 6,  /* letters and digits: an identifier */
    LONG_NUMBER = 5,
};

/* Last words of names of arguments that hold content. */
static const char content[] = "body content contents text message subject title description comment note notes summary "
                              "details data caption html inputs string";
/* ... and of those that hold a command. */
static const char commands[] = "command cmd script";

static size_t digits(toad_str s, size_t at) {
    size_t from = at;
    while (at < s.n && toad__is_digit((unsigned char)s.p[at])) at++;
    return at - from;
}

bool toad__is_date(toad_str s) {
    s = toad__str_trim(s);
    size_t at = digits(s, 0), marks = 0;
    if (at != 4 && at != 2 && at != 1) return false;
    bool clock = at < 4;
    for (size_t n; at < s.n && s.p[at] == (clock ? ':' : '-'); at += 1 + n, marks++) {
        n = digits(s, at + 1);
        if (!n || n > 2) return false;
    }
    if (marks < (clock ? 1u : 2u) || marks > 2) return false;
    if (at == s.n) return true;
    if (clock || !memchr("Tt ", s.p[at], 3)) return false;
    for (at++; at < s.n; at++)
        if (!toad__is_digit((unsigned char)s.p[at]) && !memchr(":.+-Zz", s.p[at], 6)) return false;
    return true;
}

static bool is_content(toad_str name, toad_str value, bool lookup) {
    toad__tool_words words;
    toad__word word;
    size_t n = 0;
    toad__tool_words_of(name, &words);
    if (!lookup && words.n && toad__str_is_one_of(toad__tool_word(&words, words.n - 1), content)) return true;
    for (size_t at = 0; n <= SINK_WORDS && toad__word_next(value, &at, &word);) n++;
    return n > SINK_WORDS;
}

/* ---- parts ---- */

/* A name with dots between words, and before the last dot or behind it no blank: a host, with a path or an "@" or not.
 */
static bool is_address(toad_str s) {
    size_t dot = toad__str_find(s, TOAD__S("."), 1);
    size_t slash = toad__str_find(s, TOAD__S("/"), 0);
    if (toad__str_find(s, TOAD__S("://"), 0) < s.n) return true;
    if (dot + 2 >= s.n || dot > slash) return false;
    return toad__is_word_byte((unsigned char)s.p[dot - 1]) && toad__is_alpha((unsigned char)s.p[dot + 1]);
}

static bool is_identifier(toad_str s) {
    size_t letters = 0, numbers = 0;
    for (size_t i = 0; i < s.n; i++) {
        letters += toad__is_alpha((unsigned char)s.p[i]);
        numbers += toad__is_digit((unsigned char)s.p[i]);
    }
    if (letters + numbers < s.n) return false;
    return numbers && (letters ? s.n >= LONG_WORD : s.n >= LONG_NUMBER);
}

static bool is_path(toad_str s) {
    if (s.n && s.p[0] == '~') s = toad__str_part(s, 1, s.n);
    return s.n >= 3 && s.p[0] == '/' && toad__is_word_byte((unsigned char)s.p[1]);
}

static toad_status cut(toad_str name, toad_str value, bool body, toad__sink_fn fn, void *ctx) {
    for (size_t at = 0, end; at < value.n; at = end + 1) {
        for (end = at; end < value.n && !toad__ends_token((unsigned char)value.p[end]); end++) {}
        toad_str token = toad__str_part(value, at, end);
        while (token.n && toad__is_edge((unsigned char)token.p[token.n - 1])) token.n--;
        while (token.n && token.p[0] != '/' && token.p[0] != '~' && toad__is_edge((unsigned char)token.p[0]))
            token = toad__str_part(token, 1, token.n);
        if (token.n < 3 || (!body && token.n == value.n)) continue;
        bool address = is_address(token);
        if (body && toad__str_find(token, TOAD__S("@"), 0) < token.n)
            continue; /* people are data, links are followed */
        if (!address && (body || !(is_path(token) || is_identifier(token)))) continue;
        toad_status status = fn(ctx, name, token, body ? TOAD__SINK_ADDRESS : TOAD__SINK_PART);
        if (status) return status;
    }
    return TOAD_OK;
}

/* ---- commands ---- */

static bool is_command(toad_str name) {
    toad__tool_words words;
    toad__tool_words_of(name, &words);
    return words.n && toad__str_is_one_of(toad__tool_word(&words, words.n - 1), commands);
}

static bool is_number_host(toad_str s) {
    size_t dots = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '.' && !toad__is_digit((unsigned char)s.p[i])) return false;
        dots += s.p[i] == '.';
    }
    return dots == 3;
}

/* Does it lead to another machine? A bare name with a dot may be a file. */
static bool is_remote(toad_str s) {
    size_t scheme = toad__str_find(s, TOAD__S("://"), 0), at = toad__str_find(s, TOAD__S("@"), 0),
           slash = toad__str_find(s, TOAD__S("/"), 0);
    if (scheme < s.n) return true;
    if (at < s.n) return is_address(toad__str_part(s, at + 1, s.n));
    return is_number_host(s) || (slash < s.n && is_address(s));
}

/* Where in "pip install NAME" a command stands. */
typedef enum installing { NOT, MANAGER, INSTALLS } installing;

static installing next_word(installing before, toad_str word) {
    static const char managers[] =
        "npm pnpm yarn bun pip pip3 uv cargo gem go apt apt-get dnf brew composer conda poetry",
                      runners[] = "npx uvx pipx bunx", verbs[] = "install add i get require";
    if (toad__str_is_one_of(word, runners)) return INSTALLS;
    if (toad__str_is_one_of(word, managers)) return MANAGER;
    if (before == MANAGER) return toad__str_is_one_of(word, verbs) ? INSTALLS : MANAGER;
    return before;
}

static toad_status cut_command(toad_str name, toad_str value, toad__sink_fn fn, void *ctx) {
    installing state = NOT;
    toad_status status = TOAD_OK;
    for (size_t at = 0, end; at < value.n && !status; at = end + 1) {
        for (end = at; end < value.n && !toad__ends_token((unsigned char)value.p[end]); end++) {}
        toad_str word = toad__str_part(value, at, end), token = word;
        while (token.n && toad__is_edge((unsigned char)token.p[token.n - 1])) token.n--;
        while (token.n && token.p[0] == '@') token = toad__str_part(token, 1, token.n); /* curl -d @FILE */
        installing before = state;
        state = next_word(state, token);
        bool package = before == INSTALLS && state == INSTALLS && word.n > 1 && word.p[0] != '-';
        if (token.n >= 3 && is_remote(token))
            status = fn(ctx, name, token, TOAD__SINK_REMOTE);
        else if (token.n >= 3 && package)
            status = fn(ctx, name, token, TOAD__SINK_PACKAGE);
        else if (token.n >= 3 && (is_address(token) || is_path(token) || is_identifier(token)))
            status = fn(ctx, name, token, TOAD__SINK_LOCAL);
        if (toad__str_eq(word, TOAD__S("&&")) || (end < value.n && memchr(";|", value.p[end], 2))) state = NOT;
    }
    return status;
}

/* ---- values ---- */

/* 98.70 and 98.7, 12.0 and 12 are one amount. */
static toad_str amount(toad_str raw) {
    if (toad__str_find(raw, TOAD__S("."), 0) == raw.n) return raw;
    while (raw.p[raw.n - 1] == '0') raw.n--;
    if (raw.p[raw.n - 1] == '.') raw.n--;
    return raw;
}

static toad_status give(toad_str name, const toad__json *v, bool lookup, toad__sink_fn fn, void *ctx) {
    if (v->type == TOAD__JSON_NUMBER) {
        toad_str value = amount(v->raw);
        return value.n >= 2 ? fn(ctx, name, value, TOAD__SINK_NUMBER) : TOAD_OK;
    }
    if (v->type != TOAD__JSON_STRING || (!lookup && toad__is_date(v->text))) return TOAD_OK;
    if (!lookup && is_command(name)) {
        toad_status whole = fn(ctx, name, v->text, TOAD__SINK_COMMAND);
        return whole ? whole : cut_command(name, v->text, fn, ctx);
    }
    bool body = is_content(name, v->text, lookup);
    toad_status status = body ? TOAD_OK : fn(ctx, name, v->text, TOAD__SINK);
    return status ? status : cut(name, v->text, body, fn, ctx);
}

toad_status toad__sinks(const toad__json *arguments, bool lookup, toad__sink_fn fn, void *ctx) {
    toad_status status = TOAD_OK;
    bool object = arguments && arguments->type == TOAD__JSON_OBJECT;
    for (const toad__json *m = object ? arguments->child : arguments; m && !status; m = object ? m->next : NULL) {
        toad__json_walk walk;
        toad__json_walk_begin(&walk, m);
        for (const toad__json *v; !status && (v = toad__json_walk_next(&walk));)
            status = give(m->key, v, lookup, fn, ctx);
    }
    return status;
}
