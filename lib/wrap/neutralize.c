/* neutralize.c - see neutralize.h.
 *
 * Pieces overlap by BZR__MARKER_OVERLAP, so that a marker over a seam is seen whole by the piece in which it begins;
 * hits that begin in the overlap are left to the next piece. */
#include "lib/wrap/neutralize.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/wrap/unveil.h"

void bzr__neutralizer_init(bzr__neutralizer *z) {
    *z = (bzr__neutralizer){ 0 };
    bzr__marker_init(&z->marker);
    bzr__buf_init(&z->out, SIZE_MAX / 4);
    bzr__buf_init(&z->spare, SIZE_MAX / 4);
}

void bzr__neutralizer_free(bzr__neutralizer *z) {
    bzr__marker_free(&z->marker);
    bzr__buf_free(&z->out);
    bzr__buf_free(&z->spare);
}

/* One piece at a time: fills z->marker.hits with offsets into `in`. `*from` moves on; false at the end or on error. */
static bool next_piece(bzr__neutralizer *z, bzr_str in, size_t *from, size_t *base, bzr_status *status) {
    if (*from >= in.n || *status) return false;
    bzr_str piece = bzr__str_part(in, *from, *from + BZR__MARKER_PIECE);
    bool last = *from + piece.n == in.n;
    *base = *from;
    *status = bzr__marker_find(&z->marker, piece);
    if (*status) return false;
    size_t next = last ? in.n : bzr__utf8_floor(in, *from + piece.n - BZR__MARKER_OVERLAP);
    size_t n = 0;
    while (n < z->marker.n && (last || *base + z->marker.hits[n].start < next)) n++;
    z->marker.n = n;
    if (n && *base + z->marker.hits[n - 1].end > next) next = *base + z->marker.hits[n - 1].end;
    *from = next;
    return true;
}

/* Our own replacement for the ptc closing tag holds the tag's name; it is no marker. */
static bool is_ours(bzr_str in, size_t start, size_t end) {
    bzr_str ours = BZR__S(BZR__PTC_ESCAPED);
    return bzr__str_starts(bzr__str_part(in, start, in.n), ours) && end - start <= ours.n;
}

size_t bzr__marker_first(bzr__neutralizer *z, bzr_str in, bzr_status *status) {
    size_t from = 0, base;
    *status = BZR_OK;
    while (next_piece(z, in, &from, &base, status))
        for (size_t i = 0; i < z->marker.n; i++) {
            size_t start = base + z->marker.hits[i].start;
            if (!z->ptc || !is_ours(in, start, base + z->marker.hits[i].end)) return start;
        }
    return in.n;
}

static const char *replacement(const bzr__neutralizer *z, bzr_str found, const char *text) {
    return z->ptc && bzr__str_eq(found, BZR__S(BZR__PTC_CLOSE)) ? BZR__PTC_ESCAPED : text;
}

/* `in` with every hit replaced, into z->out; *changed says whether there was one. `again`: `in` holds replacements of
 * ours. */
static bzr_status replace(bzr__neutralizer *z, bzr_str in, bool again, bool *changed) {
    size_t from = 0, base, done = 0;
    bzr_status status = BZR_OK;
    bzr__buf_clear(&z->out);
    *changed = false;
    while (next_piece(z, in, &from, &base, &status)) {
        for (size_t i = 0; i < z->marker.n; i++) {
            const bzr__hit *h = &z->marker.hits[i];
            size_t start = base + h->start, end = base + h->end;
            if (end <= done || (again && z->ptc && is_ours(in, start, end))) continue;
            if (start < done) start = done;
            bzr__buf_add_str(&z->out, bzr__str_part(in, done, start));
            bzr__buf_add_z(&z->out, replacement(z, bzr__str_part(in, start, end), h->text));
            done = end;
            *changed = true;
        }
    }
    bzr__buf_add_str(&z->out, bzr__str_part(in, done, in.n));
    return status ? status : z->out.status;
}

/* Nothing a marker could be built from: delimiters and their look-alikes become round brackets, bars and low lines
 * become dots, and the openers of escapes become plus signs. */
static void escape_all(bzr_str in, bzr__buf *out) {
    static const char from[] = "<>[]{}|_&%\\~", to[] = "()()()..+++.";
    bzr__buf_clear(out);
    for (size_t i = 0; i < in.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode_lenient(in, i, &len);
        const char *ascii = c < 0x80 ? NULL : bzr__delimiter_ascii(c);
        char one = c < 0x80 ? (char)c : ascii ? ascii[0] : 0;
        const char *found = one ? strchr(from, one) : NULL;
        if (found)
            bzr__buf_add_c(out, to[found - from]);
        else
            bzr__buf_add_str(out, bzr__str_part(in, i, i + len));
        i += len;
    }
}

static bool is_clean(bzr__neutralizer *z, bzr_status *status) {
    return bzr__marker_first(z, bzr__buf_str(&z->out), status) == z->out.n || *status;
}

static void keep_in_spare(bzr__neutralizer *z) {
    bzr__buf swap = z->out;
    z->out = z->spare;
    z->spare = swap;
}

bzr_status bzr__neutralize(bzr__neutralizer *z, bzr_str in) {
    bool changed;
    bzr_status status = replace(z, in, false, &changed);
    if (status || !changed || is_clean(z, &status)) return status;
    keep_in_spare(z);
    status = replace(z, bzr__buf_str(&z->spare), true, &changed);
    if (status || is_clean(z, &status)) return status;
    escape_all(bzr__buf_str(&z->out), &z->spare);
    if (z->spare.status) return z->spare.status;
    status = replace(z, bzr__buf_str(&z->spare), true, &changed);
    if (status || is_clean(z, &status)) return status;
    bzr__buf_clear(&z->out);
    bzr__buf_add_z(&z->out, BZR__WITHHELD);
    return z->out.status;
}

/* Code points that belong to the one before them. */
static bool clings(uint32_t c) {
    return c == 0x200D || (c >= 0x300 && c <= 0x36F) || (c >= 0xFE00 && c <= 0xFE0F) ||
           (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F) || c == 0x20E3 ||
           (c >= 0xE0100 && c <= 0xE01EF);
}

static size_t outside_replacement(bzr_str s, size_t at) {
    static const char *const ours[] = { BZR__MARKER_START, BZR__MARKER_END, BZR__PTC_ESCAPED,
                                        "[REMOVED_SPECIAL_TOKEN]" };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        bzr_str text = bzr__str_z(ours[i]);
        for (size_t d = 1; d < text.n && d <= at; d++)
            if (bzr__str_starts(bzr__str_part(s, at - d, s.n), text)) return at - d;
    }
    return at;
}

size_t bzr__cut_floor(bzr_str s, size_t at) {
    enum { STEPS = 32 };
    if (at >= s.n) return s.n;
    at = bzr__utf8_floor(s, at);
    for (unsigned i = 0, len; i < STEPS && at > 0; i++) {
        bool joined = clings(bzr__utf8_decode(s, at, &len));
        size_t before = bzr__utf8_floor(s, at - 1);
        if (!joined && bzr__utf8_decode(s, before, &len) != 0x200D) break;
        at = before;
    }
    return outside_replacement(s, at);
}
