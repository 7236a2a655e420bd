/* neutralize.c - see neutralize.h.
 *
 * Pieces overlap by TOAD__MARKER_OVERLAP, so that a marker over a seam is seen whole by the piece in which it begins;
 * hits that begin in the overlap are left to the next piece. */
#include "lib/wrap/neutralize.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/wrap/unveil.h"

#include <assert.h>

void toad__neutralizer_init(toad__neutralizer *z) {
    *z = (toad__neutralizer){ 0 };
    toad__marker_init(&z->marker);
    toad__buf_init(&z->out, SIZE_MAX / 4);
    toad__buf_init(&z->spare, SIZE_MAX / 4);
}

void toad__neutralizer_free(toad__neutralizer *z) {
    toad__marker_free(&z->marker);
    toad__buf_free(&z->out);
    toad__buf_free(&z->spare);
}

/* One piece at a time: fills z->marker.hits with offsets into `in`. `*from` moves on; false at the end or on error. */
static bool next_piece(toad__neutralizer *z, toad_str in, size_t *from, size_t *base, toad_status *status) {
    if (*from >= in.n || *status) return false;
    toad_str piece = toad__str_part(in, *from, *from + TOAD__MARKER_PIECE);
    bool last = *from + piece.n == in.n;
    *base = *from;
    *status = toad__marker_find(&z->marker, piece);
    if (*status) return false;
    size_t next = last ? in.n : toad__utf8_floor(in, *from + piece.n - TOAD__MARKER_OVERLAP);
    size_t n = 0;
    while (n < z->marker.n && (last || *base + z->marker.hits[n].start < next)) n++;
    z->marker.n = n;
    if (n && *base + z->marker.hits[n - 1].end > next) next = *base + z->marker.hits[n - 1].end;
    assert(next > *from); /* or there would be no end */
    *from = next;
    return true;
}

/* Our own replacement for the ptc closing tag holds the tag's name; it is no marker. */
static bool is_ours(toad_str in, size_t start, size_t end) {
    toad_str ours = TOAD__S(TOAD__PTC_ESCAPED);
    return toad__str_starts(toad__str_part(in, start, in.n), ours) && end - start <= ours.n;
}

size_t toad__marker_first(toad__neutralizer *z, toad_str in, toad_status *status) {
    size_t from = 0, base;
    *status = TOAD_OK;
    while (next_piece(z, in, &from, &base, status))
        for (size_t i = 0; i < z->marker.n; i++) {
            size_t start = base + z->marker.hits[i].start;
            if (!z->ptc || !is_ours(in, start, base + z->marker.hits[i].end)) return start;
        }
    return in.n;
}

static const char *replacement(const toad__neutralizer *z, toad_str found, const char *text) {
    return z->ptc && toad__str_eq(found, TOAD__S(TOAD__PTC_CLOSE)) ? TOAD__PTC_ESCAPED : text;
}

/* `in` with every hit replaced, into z->out; *changed says whether there was one. `again`: `in` holds replacements of
 * ours. */
static toad_status replace(toad__neutralizer *z, toad_str in, bool again, bool *changed) {
    size_t from = 0, base, done = 0;
    toad_status status = TOAD_OK;
    toad__buf_clear(&z->out);
    *changed = false;
    while (next_piece(z, in, &from, &base, &status)) {
        for (size_t i = 0; i < z->marker.n; i++) {
            const toad__hit *h = &z->marker.hits[i];
            size_t start = base + h->start, end = base + h->end;
            if (end <= done || (again && z->ptc && is_ours(in, start, end))) continue;
            if (start < done) start = done;
            toad__buf_add_str(&z->out, toad__str_part(in, done, start));
            toad__buf_add_z(&z->out, replacement(z, toad__str_part(in, start, end), h->text));
            done = end;
            *changed = true;
        }
    }
    toad__buf_add_str(&z->out, toad__str_part(in, done, in.n));
    return status ? status : z->out.status;
}

/* Nothing a marker could be built from: delimiters and their look-alikes become round brackets, bars and low lines
 * become dots, and the openers of escapes become plus signs. */
static void escape_all(toad_str in, toad__buf *out) {
    static const char from[] = "<>[]{}|_&%\\~", to[] = "()()()..+++.";
    toad__buf_clear(out);
    for (size_t i = 0; i < in.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode_lenient(in, i, &len);
        const char *ascii = c < 0x80 ? NULL : toad__delimiter_ascii(c);
        char one = c < 0x80 ? (char)c : ascii ? ascii[0] : 0;
        const char *found = one ? strchr(from, one) : NULL;
        if (found)
            toad__buf_add_c(out, to[found - from]);
        else
            toad__buf_add_str(out, toad__str_part(in, i, i + len));
        i += len;
    }
}

static bool is_clean(toad__neutralizer *z, toad_status *status) {
    return toad__marker_first(z, toad__buf_str(&z->out), status) == z->out.n || *status;
}

static void keep_in_spare(toad__neutralizer *z) {
    toad__buf swap = z->out;
    z->out = z->spare;
    z->spare = swap;
}

toad_status toad__neutralize(toad__neutralizer *z, toad_str in) {
    bool changed;
    toad_status status = replace(z, in, false, &changed);
    if (status || !changed || is_clean(z, &status)) return status;
    keep_in_spare(z);
    status = replace(z, toad__buf_str(&z->spare), true, &changed);
    if (status || is_clean(z, &status)) return status;
    escape_all(toad__buf_str(&z->out), &z->spare);
    if (z->spare.status) return z->spare.status;
    status = replace(z, toad__buf_str(&z->spare), true, &changed);
    if (status || is_clean(z, &status)) return status;
    toad__buf_clear(&z->out);
    toad__buf_add_z(&z->out, TOAD__WITHHELD);
    return z->out.status;
}

/* Code points that belong to the one before them. */
static bool clings(uint32_t c) {
    return c == 0x200D || (c >= 0x300 && c <= 0x36F) || (c >= 0xFE00 && c <= 0xFE0F) ||
           (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F) || c == 0x20E3 ||
           (c >= 0xE0100 && c <= 0xE01EF);
}

static size_t outside_replacement(toad_str s, size_t at) {
    static const char *const ours[] = { TOAD__MARKER_START, TOAD__MARKER_END, TOAD__PTC_ESCAPED,
                                        "[REMOVED_SPECIAL_TOKEN]" };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        toad_str text = toad__str_z(ours[i]);
        for (size_t d = 1; d < text.n && d <= at; d++)
            if (toad__str_starts(toad__str_part(s, at - d, s.n), text)) return at - d;
    }
    return at;
}

size_t toad__cut_floor(toad_str s, size_t at) {
    enum { STEPS = 32 };
    if (at >= s.n) return s.n;
    at = toad__utf8_floor(s, at);
    for (unsigned i = 0, len; i < STEPS && at > 0; i++) {
        bool joined = clings(toad__utf8_decode(s, at, &len));
        size_t before = toad__utf8_floor(s, at - 1);
        if (!joined && toad__utf8_decode(s, before, &len) != 0x200D) break;
        at = before;
    }
    return outside_replacement(s, at);
}
