/* jsonl.c - see jsonl.h. A bad line spoils only itself: its error goes into its answer and the next line is read. */
#include "app/host/jsonl.h"
#include "lib/base/cursor.h"

#include <stdio.h>
#include <stdlib.h>

bzr_status bzr__lines_open(bzr__lines *l, bzr__input *in) {
    *l = (bzr__lines){ .in = in, .piece = malloc(BZR__INPUT_PIECE) };
    bzr__buf_init(&l->line, BZR__LINE_MAX);
    in->kept.status = BZR_E_LIMIT; /* no second pass */
    return l->piece ? BZR_OK : BZR_E_NOMEM;
}

void bzr__lines_close(bzr__lines *l) {
    free(l->piece);
    bzr__buf_free(&l->line);
}

bzr_status bzr__lines_next(bzr__lines *l, bzr_str *ret, bool *more) {
    bzr__buf_clear(&l->line);
    bool any = false, ended = false;
    while (!ended && !l->eof) {
        if (l->at == l->n) {
            l->at = 0;
            if (bzr__input_read(l->in, l->piece, BZR__INPUT_PIECE, &l->n)) return BZR_E_IO;
            l->eof = !l->n;
        }
        bzr_str rest = bzr__str(l->piece + l->at, l->n - l->at);
        size_t eol = bzr__str_find(rest, BZR__S("\n"), 0);
        bzr__buf_add(&l->line, rest.p, eol);
        if (l->line.status == BZR_E_NOMEM) return BZR_E_NOMEM;
        any |= rest.n > 0;
        ended = eol < rest.n;
        l->at += eol + ended;
    }
    l->number += any;
    *more = any;
    *ret = bzr__buf_str(&l->line);
    return BZR_OK;
}

static int digit_value(unsigned char c) {
    if (bzr__is_upper(c)) return c - 'A';
    if (bzr__is_lower(c)) return c - 'a' + 26;
    if (bzr__is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool bzr__base64_read(bzr_str in, char *out, size_t *ret_n) {
    size_t n = 0;
    if (in.n % 4) return false;
    for (size_t i = 0; i < in.n; i += 4) {
        uint32_t v = 0;
        bool last = i + 4 == in.n;
        unsigned pad = last && in.p[i + 3] == '=' ? in.p[i + 2] == '=' ? 2 : 1 : 0;
        for (unsigned k = 0; k < 4; k++) {
            int digit = k >= 4 - pad ? 0 : digit_value((unsigned char)in.p[i + k]);
            if (digit < 0) return false;
            v = v << 6 | (uint32_t)digit;
        }
        if (v & ((1u << 8 * pad) - 1)) return false;
        for (unsigned k = 0; k < 3 - pad; k++) out[n++] = (char)(v >> (16 - 8 * k));
    }
    *ret_n = n;
    return true;
}

void bzr__base64_add(bzr__buf *b, bzr_str in) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < in.n; i += 3) {
        size_t left = in.n - i;
        uint32_t v = (uint32_t)(unsigned char)in.p[i] << 16;
        if (left > 1) v |= (uint32_t)(unsigned char)in.p[i + 1] << 8;
        if (left > 2) v |= (unsigned char)in.p[i + 2];
        char out[4] = { digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                        left > 2 ? digits[v & 63] : '=' };
        bzr__buf_add(b, out, 4);
    }
}

static bzr_status refuse(bzr__request *r, const char *why) {
    snprintf(r->error, sizeof r->error, "%s", why);
    return BZR_E_SYNTAX;
}

/* An absent member is fine, one of another type is not. */
static bool optional_text(const bzr__json *root, const char *name, bzr_str *ret) {
    *ret = bzr__json_get_text(root, name);
    const bzr__json *m = bzr__json_get(root, name);
    return !m || m->type == BZR__JSON_STRING || m->type == BZR__JSON_NULL;
}

static bzr_status read_bytes(const bzr__json *root, bzr__arena *arena, bzr__request *r) {
    bzr_str text, b64;
    if (!optional_text(root, "text", &text)) return refuse(r, "\"text\" is not a string");
    if (!optional_text(root, "bytes_b64", &b64)) return refuse(r, "\"bytes_b64\" is not a string");
    if (!text.p == !b64.p) return refuse(r, "one of \"text\" and \"bytes_b64\" is needed");
    r->bytes = text;
    if (text.p) return BZR_OK;
    char *out = bzr__arena_alloc(arena, b64.n / 4 * 3 + 1);
    if (!out) return BZR_E_NOMEM;
    r->bytes.p = out;
    return bzr__base64_read(b64, out, &r->bytes.n) ? BZR_OK
                                                   : refuse(r, "\"bytes_b64\" is not base64 (RFC 4648, padded)");
}

static bzr_status read_labels(const bzr__json *root, bzr__request *r) {
    bzr_str kind, scope;
    if (!optional_text(root, "source", &r->source)) return refuse(r, "\"source\" is not a string");
    if (!optional_text(root, "kind", &kind) || (kind.p && !bzr_kind_parse(kind, &r->kind)))
        return refuse(r, "\"kind\" is not known");
    if (!optional_text(root, "scope", &scope) || (scope.p && !bzr_scope_parse(scope, &r->scope)))
        return refuse(r, "\"scope\" is not \"relaxed\" or \"strict\"");
    r->has_kind = kind.p != NULL;
    r->has_scope = scope.p != NULL;
    return BZR_OK;
}

/* The id of a line that is not valid further on, so that its error can be told from others': a scalar that stands
 * first. */
static bzr_str rescue_id(bzr_str line, bzr__arena *arena) {
    bzr__cur cur = bzr__cur_of(line);
    static const char *const before[] = { "{", "\"id\"", ":" };
    for (size_t i = 0; i < 3; i++) {
        bzr__cur_skip_space(&cur);
        if (!bzr__cur_eat(&cur, bzr__str_z(before[i]))) return (bzr_str){ NULL, 0 };
    }
    bzr__cur_skip_space(&cur);
    size_t from = cur.at;
    bool quoted = bzr__cur_eat(&cur, BZR__S("\""));
    for (int c; (c = bzr__cur_peek(&cur, 0)) >= 0 && (quoted ? c != '"' : c != ',' && c != '}');)
        bzr__cur_skip(&cur, c == '\\' ? 2 : 1);
    bzr__cur_skip(&cur, quoted);
    const bzr__json *id;
    const char *expected;
    size_t at;
    bzr_str raw = bzr__str_part(line, from, cur.at);
    return bzr__json_parse(raw, arena, &id, &at, &expected) ? (bzr_str){ NULL, 0 } : id->raw;
}

bzr_status bzr__request_read(bzr_str line, bzr__arena *arena, bzr__request *ret) {
    const bzr__json *root;
    size_t at;
    const char *expected;
    *ret = (bzr__request){ .kind = BZR_KIND_ANY };
    bzr_status status = bzr__json_parse(line, arena, &root, &at, &expected);
    if (status == BZR_E_NOMEM) return status;
    if (status) {
        snprintf(ret->error, sizeof ret->error, "not valid JSON at byte %zu: expected %s", at, expected);
        ret->id = rescue_id(line, arena);
        return BZR_E_SYNTAX;
    }
    if (root->type != BZR__JSON_OBJECT) return refuse(ret, "not a JSON object");
    const bzr__json *id = bzr__json_get(root, "id");
    if (id) ret->id = id->raw;
    status = read_labels(root, ret);
    return status ? status : read_bytes(root, arena, ret);
}
