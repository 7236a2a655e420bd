#include "lib/base/buf.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"

#include <stdlib.h>
#include <string.h>

void bzr__buf_init(bzr__buf *b, size_t max) { *b = (bzr__buf){ .max = max }; }

void bzr__buf_free(bzr__buf *b) {
    free(b->p);
    *b = (bzr__buf){ .max = b->max };
}

void bzr__buf_clear(bzr__buf *b) {
    b->n = 0;
    b->status = BZR_OK;
}

static bool grow(bzr__buf *b, size_t need) {
    size_t cap = b->cap < 64 ? 64 : b->cap;
    while (cap < need) cap += cap / 2 + 64;
    if (cap > b->max) cap = b->max;
    char *p = realloc(b->p, cap);
    if (!p) {
        b->status = BZR_E_NOMEM;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

char *bzr__buf_room(bzr__buf *b, size_t n) {
    if (b->status) return NULL;
    if (n > b->max - b->n) {
        b->status = BZR_E_LIMIT;
        return NULL;
    }
    if ((b->n + n > b->cap || !b->p) && !grow(b, b->n + n)) return NULL;
    return b->p + b->n;
}

void bzr__buf_add(bzr__buf *b, const void *p, size_t n) {
    char *to = n ? bzr__buf_room(b, n) : NULL;
    if (!to) return;
    memcpy(to, p, n);
    b->n += n;
}

void bzr__buf_add_str(bzr__buf *b, bzr_str s) { bzr__buf_add(b, s.p, s.n); }
void bzr__buf_add_z(bzr__buf *b, const char *z) { bzr__buf_add(b, z, strlen(z)); }
void bzr__buf_add_c(bzr__buf *b, char c) { bzr__buf_add(b, &c, 1); }

void bzr__buf_add_cp(bzr__buf *b, uint32_t c) {
    char out[4];
    bzr__buf_add(b, out, bzr__utf8_encode(c, out));
}

void bzr__buf_add_u64(bzr__buf *b, uint64_t v) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + v % 10);
    while (v /= 10);
    bzr__buf_add(b, digits + at, sizeof digits - at);
}

bzr_str bzr__buf_str(const bzr__buf *b) { return (bzr_str){ b->p, b->n }; }

bzr_status bzr__buf_to_text(bzr__buf *b, bzr_text **ret) {
    if (b->status) return b->status;
    bzr_text *text = malloc(sizeof *text);
    if (!text) return BZR_E_NOMEM;
    *text = (bzr_text){ b->p, b->n };
    *b = (bzr__buf){ .max = b->max };
    *ret = text;
    return BZR_OK;
}
