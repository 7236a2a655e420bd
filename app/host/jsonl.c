/* jsonl.c - see jsonl.h. A bad line spoils only itself: its error goes into its answer and the next line is read. */
#include "app/host/jsonl.h"
#include "lib/base/cursor.h"

#include <stdio.h>
#include <stdlib.h>

toad_status toad__lines_open(toad__lines *l, toad__input *in) {
    *l = (toad__lines){ .in = in, .piece = malloc(TOAD__INPUT_PIECE) };
    toad__buf_init(&l->line, TOAD__LINE_MAX);
    return l->piece ? TOAD_OK : TOAD_E_NOMEM;
}

void toad__lines_close(toad__lines *l) {
    free(l->piece);
    toad__buf_free(&l->line);
}

toad_status toad__lines_next(toad__lines *l, toad_str *ret, bool *more) {
    toad__buf_clear(&l->line);
    bool any = false, ended = false;
    while (!ended && !l->eof) {
        if (l->at == l->n) {
            l->at = 0;
            if (toad__input_read(l->in, l->piece, TOAD__INPUT_PIECE, &l->n)) return TOAD_E_IO;
            l->eof = !l->n;
        }
        toad_str rest = toad__str(l->piece + l->at, l->n - l->at);
        size_t eol = toad__str_find(rest, TOAD__S("\n"), 0);
        toad__buf_add(&l->line, rest.p, eol);
        if (l->line.status == TOAD_E_NOMEM) return TOAD_E_NOMEM;
        any |= rest.n > 0;
        ended = eol < rest.n;
        l->at += eol + ended;
    }
    l->number += any;
    *more = any;
    *ret = toad__buf_str(&l->line);
    return TOAD_OK;
}

bool toad__base64_read(toad_str in, char *out, size_t *ret_n) {
    size_t n = 0;
    if (in.n % 4) return false;
    for (size_t i = 0; i < in.n; i += 4) {
        uint32_t v = 0;
        bool last = i + 4 == in.n;
        unsigned pad = last && in.p[i + 3] == '=' ? in.p[i + 2] == '=' ? 2 : 1 : 0;
        for (unsigned k = 0; k < 4; k++) {
            int digit = k >= 4 - pad ? 0 : toad__base64_value((unsigned char)in.p[i + k]);
            if (digit < 0) return false;
            v = v << 6 | (uint32_t)digit;
        }
        if (v & ((1u << 8 * pad) - 1)) return false;
        for (unsigned k = 0; k < 3 - pad; k++) out[n++] = (char)(v >> (16 - 8 * k));
    }
    *ret_n = n;
    return true;
}

void toad__base64_add(toad__buf *b, toad_str in) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < in.n; i += 3) {
        size_t left = in.n - i;
        uint32_t v = (uint32_t)(unsigned char)in.p[i] << 16;
        if (left > 1) v |= (uint32_t)(unsigned char)in.p[i + 1] << 8;
        if (left > 2) v |= (unsigned char)in.p[i + 2];
        char out[4] = { digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                        left > 2 ? digits[v & 63] : '=' };
        toad__buf_add(b, out, 4);
    }
}

static toad_status refuse(toad__request *r, const char *why) {
    snprintf(r->error, sizeof r->error, "%s", why);
    return TOAD_E_SYNTAX;
}

/* An absent member is fine, one of another type is not. */
static bool optional_text(const toad__json *root, const char *name, toad_str *ret) {
    *ret = toad__json_get_text(root, name);
    const toad__json *m = toad__json_get(root, name);
    return !m || m->type == TOAD__JSON_STRING || m->type == TOAD__JSON_NULL;
}

static toad_status read_bytes(const toad__json *root, toad__arena *arena, toad__request *r) {
    toad_str text, b64;
    if (!optional_text(root, "text", &text)) return refuse(r, "\"text\" is not a string");
    if (!optional_text(root, "bytes_b64", &b64)) return refuse(r, "\"bytes_b64\" is not a string");
    bool none = !text.p && toad__json_get(root, "text"); /* "text": null */
    if (none ? b64.p != NULL : !text.p == !b64.p) return refuse(r, TOAD__REQUEST_EMPTY);
    r->bytes = text;
    if (none) return TOAD_OK;
    if (text.p) return TOAD_OK;
    char *out = toad__arena_alloc(arena, b64.n / 4 * 3 + 1);
    if (!out) return TOAD_E_NOMEM;
    r->bytes.p = out;
    return toad__base64_read(b64, out, &r->bytes.n) ? TOAD_OK
                                                    : refuse(r, "\"bytes_b64\" is not base64 (RFC 4648, padded)");
}

static toad_status read_labels(const toad__json *root, toad__request *r) {
    toad_str kind, scope;
    if (!optional_text(root, "source", &r->source)) return refuse(r, "\"source\" is not a string");
    if (!optional_text(root, "kind", &kind) || (kind.p && !toad_kind_parse(kind, &r->kind)))
        return refuse(r, "\"kind\" is not known");
    if (!optional_text(root, "scope", &scope) || (scope.p && !toad_scope_parse(scope, &r->scope)))
        return refuse(r, "\"scope\" is not \"relaxed\" or \"strict\"");
    r->has_kind = kind.p != NULL;
    r->has_scope = scope.p != NULL;
    return TOAD_OK;
}

/* The id of a line that is not valid further on, so that its error can be told from others': a scalar that stands
 * first. */
static toad_str rescue_id(toad_str line, toad__arena *arena) {
    toad__cur cur = toad__cur_of(line);
    static const char *const before[] = { "{", "\"id\"", ":" };
    for (size_t i = 0; i < 3; i++) {
        toad__cur_skip_space(&cur);
        if (!toad__cur_eat(&cur, toad__str_z(before[i]))) return (toad_str){ NULL, 0 };
    }
    toad__cur_skip_space(&cur);
    size_t from = cur.at;
    bool quoted = toad__cur_eat(&cur, TOAD__S("\""));
    for (int c; (c = toad__cur_peek(&cur, 0)) >= 0 && (quoted ? c != '"' : c != ',' && c != '}');)
        toad__cur_skip(&cur, c == '\\' ? 2 : 1);
    toad__cur_skip(&cur, quoted);
    const toad__json *id;
    const char *expected;
    size_t at;
    toad_str raw = toad__str_part(line, from, cur.at);
    return toad__json_parse(raw, arena, &id, &at, &expected) ? (toad_str){ NULL, 0 } : id->raw;
}

toad_status toad__request_read(toad_str line, toad__arena *arena, toad__request *ret) {
    const toad__json *root;
    size_t at;
    const char *expected;
    *ret = (toad__request){ .kind = TOAD_KIND_ANY };
    toad_status status = toad__json_parse(line, arena, &root, &at, &expected);
    if (status == TOAD_E_NOMEM) return status;
    if (status) {
        snprintf(ret->error, sizeof ret->error, "not valid JSON at byte %zu: expected %s", at, expected);
        ret->id = rescue_id(line, arena);
        return TOAD_E_SYNTAX;
    }
    if (root->type != TOAD__JSON_OBJECT) return refuse(ret, "not a JSON object");
    const toad__json *id = toad__json_get(root, "id");
    if (id) ret->id = id->raw;
    status = read_labels(root, ret);
    return status ? status : read_bytes(root, arena, ret);
}
