/* json.c - the strict JSON reader and the two string writers.
 *
 * The reader keeps a stack of open containers instead of recursing, so hostile nesting costs a counter and not the C
 * stack. A member is checked against its siblings once, when its object closes: the keys are sorted by length and
 * bytes, so two hundred thousand members cost n log n and not n squared, whatever the keys are (an unkeyed hash could
 * be made to collide). A string without escapes is not copied: it points into the input.
 *
 * Invariants: cur.at never moves back; stack[0..depth) are the open containers, last[i] the newest child of stack[i];
 * nothing is handed out unless the whole input was accepted.
 * Cost: one pass over the bytes, and the sort; one node of 80 bytes per value, in the caller's arena. */
#include "lib/base/json.h"
#include "lib/base/cursor.h"
#include "lib/base/hex.h"
#include "lib/base/utf8.h"

#include <stdlib.h>

typedef struct reader {
    toad__cur cur;
    toad__arena *arena;
    const char *err;
    size_t depth;
    toad__json *stack[TOAD__JSON_DEPTH], *last[TOAD__JSON_DEPTH];
} reader;

static toad_status fail(reader *r, const char *expected) {
    r->err = expected;
    return TOAD_E_SYNTAX;
}

static toad_status fail_at(reader *r, size_t at, const char *expected) {
    r->cur.at = at;
    return fail(r, expected);
}

/* The arena's ceiling is the caller's limit; only a refused malloc is out of memory. */
static toad_status take(reader *r, size_t n, void *ret_object) {
    void *p = toad__arena_alloc(r->arena, n);
    if (!p) return n + 64 > r->arena->max - r->arena->used ? TOAD_E_LIMIT : TOAD_E_NOMEM;
    memcpy(ret_object, &p, sizeof p);
    return TOAD_OK;
}

static void skip_space(reader *r) {
    for (int c; (c = toad__cur_peek(&r->cur, 0)) == ' ' || c == '\n' || c == '\r' || c == '\t';) r->cur.at++;
}

/* Four hex digits `k` bytes ahead, or -1. */
static int32_t hex4(const toad__cur *cur, size_t k) {
    int32_t v = 0;
    for (size_t i = 0; i < 4; i++) {
        int digit = toad__hex_value(toad__cur_peek(cur, k + i));
        if (digit < 0) return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* One \u escape or a pair of them, standing at `cur`; 0 and *len 0 when it says no scalar value. */
static uint32_t unicode_escape(const toad__cur *cur, unsigned *len) {
    int32_t high = hex4(cur, 2);
    *len = 0;
    if (high < 0 || (high >= 0xDC00 && high <= 0xDFFF)) return 0;
    *len = 6;
    if (high < 0xD800 || high > 0xDBFF) return (uint32_t)high;
    bool paired = toad__cur_peek(cur, 6) == '\\' && toad__cur_peek(cur, 7) == 'u';
    int32_t low = paired ? hex4(cur, 8) : -1;
    *len = low >= 0xDC00 && low <= 0xDFFF ? 12 : 0;
    return *len ? 0x10000u + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00) : 0;
}

static uint32_t short_escape(int c) {
    switch (c) {
    case '"':
    case '\\':
    case '/': return (uint32_t)c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
    }
}

/* Write the meaning of `body`, the bytes between two quotes at offset `base`, to `out`, which has body.n bytes. */
static toad_status unescape(reader *r, toad_str body, size_t base, char *out, size_t *ret_n) {
    toad__cur cur = toad__cur_of(body);
    size_t n = 0;
    while (!toad__cur_end(&cur)) {
        size_t from = cur.at;
        bool escape = toad__cur_find(&cur, '\\');
        memcpy(out + n, body.p + from, cur.at - from);
        n += cur.at - from;
        if (!escape) break;
        unsigned len = 2;
        int kind = toad__cur_peek(&cur, 1);
        uint32_t c = kind == 'u' ? unicode_escape(&cur, &len) : short_escape(kind);
        if (!len || (!c && kind != 'u')) return fail_at(r, base + cur.at, "a valid escape, surrogates in pairs");
        n += toad__utf8_encode(c, out + n); /* never longer than the escape it stands for */
        toad__cur_skip(&cur, len);
    }
    *ret_n = n;
    return TOAD_OK;
}

/* A string, standing at its opening quote. */
static toad_status read_string(reader *r, toad_str *ret) {
    toad__cur *cur = &r->cur;
    size_t from = ++cur->at;
    bool escaped = false;
    int c;
    while ((c = toad__cur_peek(cur, 0)) != '"') {
        if (c < 0x20) return fail(r, c < 0 ? "the closing quote of a string" : "no raw control character in a string");
        if (c == '\\') {
            escaped = true;
            toad__cur_skip(cur, 1);
            if (toad__cur_peek(cur, 0) < 0x20) return fail(r, "a valid escape, surrogates in pairs");
        }
        cur->at++;
    }
    toad_str body = toad__str_part(cur->s, from, cur->at);
    size_t valid = toad__utf8_valid_upto(body);
    if (valid != body.n) return fail_at(r, from + valid, "well-formed UTF-8");
    cur->at++;
    *ret = body;
    if (!escaped) return TOAD_OK;
    char *out;
    toad_status status = take(r, body.n, &out);
    if (!status) status = unescape(r, body, from, out, &body.n);
    if (!status) *ret = (toad_str){ out, body.n };
    return status;
}

static bool digits(toad__cur *cur) {
    size_t from = cur->at;
    while (toad__is_digit(toad__cur_peek(cur, 0))) cur->at++;
    return cur->at > from;
}

static toad_status read_number(reader *r) {
    toad__cur *cur = &r->cur;
    (void)toad__cur_eat(cur, TOAD__S("-"));
    bool ok = toad__cur_eat(cur, TOAD__S("0")) || digits(cur);
    if (ok && toad__cur_eat(cur, TOAD__S("."))) ok = digits(cur);
    if (ok && (toad__cur_peek(cur, 0) | 0x20) == 'e') {
        cur->at++;
        if (toad__cur_peek(cur, 0) == '+' || toad__cur_peek(cur, 0) == '-') cur->at++;
        ok = digits(cur);
    }
    return ok ? TOAD_OK : fail(r, "a digit");
}

static toad_status read_scalar(reader *r, toad__json *node) {
    int c = toad__cur_peek(&r->cur, 0);
    if (c == '"') {
        node->type = TOAD__JSON_STRING;
        return read_string(r, &node->text);
    }
    if (c == '-' || toad__is_digit(c)) {
        node->type = TOAD__JSON_NUMBER;
        return read_number(r);
    }
    if (toad__cur_eat(&r->cur, TOAD__S("null")))
        node->type = TOAD__JSON_NULL;
    else if (toad__cur_eat(&r->cur, TOAD__S("true")))
        node->type = TOAD__JSON_TRUE;
    else if (toad__cur_eat(&r->cur, TOAD__S("false")))
        node->type = TOAD__JSON_FALSE;
    else
        return fail(r, "a value");
    return TOAD_OK;
}

static void link_node(reader *r, toad__json *node) {
    if (!r->depth) return;
    toad__json **last = &r->last[r->depth - 1];
    if (*last)
        (*last)->next = node;
    else
        r->stack[r->depth - 1]->child = node;
    *last = node;
}

static bool in_object(const reader *r) { return r->depth && r->stack[r->depth - 1]->type == TOAD__JSON_OBJECT; }

/* One value or the opening bracket of one, with its member name when an object is open. */
static toad_status read_node(reader *r, toad__json **ret) {
    toad_str key = { NULL, 0 };
    if (in_object(r)) {
        if (toad__cur_peek(&r->cur, 0) != '"') return fail(r, "a member name in quotes");
        toad_status status = read_string(r, &key);
        if (status) return status;
        skip_space(r);
        if (!toad__cur_eat(&r->cur, TOAD__S(":"))) return fail(r, "':' after a member name");
        skip_space(r);
    }
    toad__json *node;
    toad_status status = take(r, sizeof *node, &node);
    if (status) return status;
    int c = toad__cur_peek(&r->cur, 0);
    size_t from = r->cur.at;
    bool opens = c == '{' || c == '[';
    if (opens && r->depth == TOAD__JSON_DEPTH) return TOAD_E_LIMIT;
    if (opens) {
        node->type = c == '{' ? TOAD__JSON_OBJECT : TOAD__JSON_ARRAY;
        r->cur.at++;
    } else {
        status = read_scalar(r, node);
    }
    if (status) return status;
    node->key = key;
    node->raw = toad__str_part(r->cur.s, from, r->cur.at);
    link_node(r, node);
    if (opens) {
        r->stack[r->depth] = node;
        r->last[r->depth++] = NULL;
    }
    *ret = node;
    return TOAD_OK;
}

/* By length, then bytes; equal keys in the order of the input. */
static int compare_keys(const void *left, const void *right) {
    const toad__json *a = *(const toad__json *const *)left, *b = *(const toad__json *const *)right;
    if (a->key.n != b->key.n) return a->key.n < b->key.n ? -1 : 1;
    int order = a->key.n ? memcmp(a->key.p, b->key.p, a->key.n) : 0;
    return order ? order : a->raw.p < b->raw.p ? -1 : 1;
}

static toad_status find_twin(const toad__json *object, size_t n, const toad__json **ret) {
    const toad__json **members = malloc(n * sizeof *members);
    if (!members) return TOAD_E_NOMEM;
    size_t i = 0;
    for (const toad__json *m = object->child; m; m = m->next) members[i++] = m;
    qsort(members, n, sizeof *members, compare_keys);
    for (i = 1; i < n && !*ret; i++)
        if (toad__str_eq(members[i - 1]->key, members[i]->key)) *ret = members[i];
    free(members);
    return TOAD_OK;
}

static toad_status check_members(reader *r, const toad__json *object) {
    size_t n = 0;
    for (const toad__json *m = object->child; m; m = m->next) n++;
    if (n < 2) return TOAD_OK;
    const toad__json *twin = NULL;
    toad_status status = find_twin(object, n, &twin);
    if (status || !twin) return status;
    return fail_at(r, (size_t)(twin->raw.p - r->cur.s.p), "each member name once");
}

/* Close every container whose bracket stands here; *more says whether a further item follows. */
static toad_status close_containers(reader *r, bool fresh, bool *more) {
    while (r->depth) {
        toad__json *top = r->stack[r->depth - 1];
        bool object = top->type == TOAD__JSON_OBJECT;
        skip_space(r);
        if (toad__cur_eat(&r->cur, object ? TOAD__S("}") : TOAD__S("]"))) {
            top->raw.n = (size_t)(r->cur.s.p + r->cur.at - top->raw.p);
            toad_status status = object ? check_members(r, top) : TOAD_OK;
            if (status) return status;
            r->depth--;
            fresh = false;
            continue;
        }
        *more = true;
        if (fresh) return TOAD_OK;
        if (!toad__cur_eat(&r->cur, TOAD__S(","))) return fail(r, object ? "',' or '}'" : "',' or ']'");
        skip_space(r);
        return TOAD_OK;
    }
    *more = false;
    return TOAD_OK;
}

static toad_status read_document(reader *r, const toad__json **root) {
    bool more = true;
    skip_space(r);
    while (more) {
        toad__json *node;
        size_t depth = r->depth;
        toad_status status = read_node(r, &node);
        if (!status && !*root) *root = node;
        if (!status) status = close_containers(r, r->depth > depth, &more);
        if (status) return status;
    }
    skip_space(r);
    return toad__cur_end(&r->cur) ? TOAD_OK : fail(r, "nothing after the value");
}

toad_status toad__json_parse(toad_str in, toad__arena *arena, const toad__json **ret, size_t *err_at,
                             const char **err) {
    reader r = { .cur = toad__cur_of(in), .arena = arena, .err = "less nesting" };
    const toad__json *root = NULL;
    toad_status status = read_document(&r, &root);
    if (status) {
        *err_at = r.cur.at;
        *err = r.err;
        return status;
    }
    *ret = root;
    return TOAD_OK;
}

const toad__json *toad__json_get(const toad__json *node, const char *key) {
    if (!node || node->type != TOAD__JSON_OBJECT) return NULL;
    const toad__json *m = node->child;
    while (m && !toad__str_eq(m->key, toad__str_z(key))) m = m->next;
    return m;
}

toad_str toad__json_get_text(const toad__json *node, const char *key) {
    const toad__json *m = toad__json_get(node, key);
    if (!m || m->type != TOAD__JSON_STRING) return (toad_str){ NULL, 0 };
    return m->text.p ? m->text : TOAD__S("");
}

/* Code points from 0x7F on that no terminal, log or reader should meet raw: Default_Ignorable_Code_Point of Unicode 15
 * (which holds the bidirectional controls), C1, the line separators and the annotation characters. */
static const struct {
    uint32_t from, to;
} unseen[] = {
    { 0x7F, 0x9F },       { 0xAD, 0xAD },       { 0x34F, 0x34F },     { 0x61C, 0x61C },   { 0x115F, 0x1160 },
    { 0x17B4, 0x17B5 },   { 0x180B, 0x180F },   { 0x200B, 0x200F },   { 0x2028, 0x202E }, { 0x2060, 0x206F },
    { 0x3164, 0x3164 },   { 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFFB },
    { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
};

static bool is_unseen(uint32_t c) {
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (c <= unseen[i].to) return c >= unseen[i].from;
    return false;
}

static void add_u(toad__buf *b, uint32_t unit) {
    char out[6] = "\\u";
    toad__hex(out + 2, (unsigned char[]){ (unsigned char)(unit >> 8), (unsigned char)unit }, 2);
    toad__buf_add(b, out, sizeof out);
}

static void add_escaped(toad__buf *b, uint32_t c) {
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; named[i]; i += 2) {
        if (c != (unsigned char)named[i]) continue;
        toad__buf_add_c(b, '\\');
        toad__buf_add_c(b, named[i + 1]);
        return;
    }
    if (c > 0xFFFF) {
        add_u(b, 0xD800 + ((c - 0x10000) >> 10));
        c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    add_u(b, c);
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

static void add_quoted(toad__buf *b, toad_str s, bool ascii_only) {
    toad__buf_add_c(b, '"');
    for (size_t at = 0; at < s.n;) {
        size_t from = at;
        while (at < s.n && is_plain((unsigned char)s.p[at])) at++;
        toad__buf_add(b, s.p + from, at - from);
        if (at == s.n) break;
        unsigned len;
        uint32_t c = toad__utf8_decode(s, at, &len);
        if (c == TOAD__BAD)
            add_u(b, TOAD__REPLACEMENT);
        else if (c < 0x80 || ascii_only || is_unseen(c))
            add_escaped(b, c);
        else
            toad__buf_add(b, s.p + at, len);
        at += len;
    }
    toad__buf_add_c(b, '"');
}

void toad__json_add_key(toad__buf *b, const char *key) {
    char last = b->n ? b->p[b->n - 1] : '[';
    if (last != '{' && last != '[') toad__buf_add_c(b, ',');
    if (!key) return;
    toad__buf_add_c(b, '"');
    toad__buf_add_z(b, key);
    toad__buf_add_z(b, "\":");
}

void toad__json_add_str(toad__buf *b, toad_str s) { add_quoted(b, s, true); }
void toad__json_add_utf8(toad__buf *b, toad_str s) { add_quoted(b, s, false); }
