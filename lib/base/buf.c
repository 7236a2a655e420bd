#include "lib/base/buf.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void toad__buf_init(toad__buf *b, size_t max) { *b = (toad__buf){ .max = max }; }

void toad__buf_free(toad__buf *b) {
    free(b->p);
    *b = (toad__buf){ .max = b->max };
}

void toad__buf_clear(toad__buf *b) {
    b->n = 0;
    b->status = TOAD_OK;
}

static bool grow(toad__buf *b, size_t need) {
    size_t cap = b->cap < 64 ? 64 : b->cap;
    while (cap < need) cap += cap / 2 + 64;
    if (cap > b->max) cap = b->max;
    char *p = realloc(b->p, cap);
    if (!p) {
        b->status = TOAD_E_NOMEM;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

char *toad__buf_room(toad__buf *b, size_t n) {
    assert(b->n <= b->cap || !b->p);
    assert(b->n <= b->max);
    if (b->status) return NULL;
    if (n > b->max - b->n) {
        b->status = TOAD_E_LIMIT;
        return NULL;
    }
    if ((b->n + n > b->cap || !b->p) && !grow(b, b->n + n)) return NULL;
    return b->p + b->n;
}

void toad__buf_add(toad__buf *b, const void *p, size_t n) {
    char *to = n ? toad__buf_room(b, n) : NULL;
    if (!to) return;
    memcpy(to, p, n);
    b->n += n;
}

void toad__buf_add_str(toad__buf *b, toad_str s) { toad__buf_add(b, s.p, s.n); }
void toad__buf_add_z(toad__buf *b, const char *z) { toad__buf_add(b, z, strlen(z)); }
void toad__buf_add_c(toad__buf *b, char c) { toad__buf_add(b, &c, 1); }

void toad__buf_add_cp(toad__buf *b, uint32_t c) {
    char out[4];
    toad__buf_add(b, out, toad__utf8_encode(c, out));
}

void toad__buf_add_u64(toad__buf *b, uint64_t v) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    toad__buf_add(b, digits + at, sizeof digits - at);
}

toad_str toad__buf_str(const toad__buf *b) { return (toad_str){ b->p, b->n }; }

toad_status toad__buf_to_text(toad__buf *b, toad_text **ret) {
    if (b->status) return b->status;
    toad_text *text = malloc(sizeof *text);
    if (!text) return TOAD_E_NOMEM;
    *text = (toad_text){ b->p, b->n };
    *b = (toad__buf){ .max = b->max };
    *ret = text;
    return TOAD_OK;
}

toad_status toad__finish(toad__buf *b, toad_text **ret) {
    toad_status status = toad__buf_to_text(b, ret);
    toad__buf_free(b);
    return status;
}
