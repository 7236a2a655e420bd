/* scan.c - an input through the scanner, whole or as a stream; lines and columns in a second pass.
 *
 * Most inputs fit into memory: they are read once, and what asks later for their text finds it there. Lines are counted
 * only for inputs with findings: most have none, and counting would cost as much as scanning. Invariant of the second
 * pass: the offsets are visited in ascending order, and line and column are those of the byte at `at`. */
#include "app/scan/scan.h"
#include "app/host/pool.h"
#include "app/scan/parts.h"
#include "lib/base/str.h"
#include "lib/scan/pieces.h"

#include <errno.h>
#include <stdlib.h>

#define HEAD         8192
#define SHARED_BYTES ((size_t)1 << 20) /* from so many on it pays to start threads for one input */

static bool is_odd_control(unsigned char c) {
    return c < 0x20 && c != '\t' && c != '\n' && c != '\v' && c != '\f' && c != '\r' && c != '\b' && c != 0x1b;
}

/* Zero bytes at one place of every unit and hardly elsewhere: ASCII in 16 or 32 bits. */
static bool looks_wide(toad_str head, const size_t zeros[4]) {
    size_t quarter = head.n / 4;
    bool bom = toad__str_starts(head, TOAD__S("\xff\xfe")) || toad__str_starts(head, TOAD__S("\xfe\xff")) ||
               toad__str_starts(head, TOAD__S("\0\0\xfe\xff"));
    bool low = zeros[1] + zeros[3] > quarter, high = zeros[0] + zeros[2] > quarter;
    bool utf32 = zeros[1] + zeros[2] > quarter * 3 / 2 && (zeros[0] < quarter / 8 || zeros[3] < quarter / 8);
    return bom || utf32 || (low && zeros[0] + zeros[2] < quarter / 8) || (high && zeros[1] + zeros[3] < quarter / 8);
}

bool toad__looks_binary(toad_str head) {
    size_t zeros[4] = { 0 }, odd = 0;
    head = toad__str_part(head, 0, HEAD);
    for (size_t i = 0; i < head.n; i++) {
        zeros[i % 4] += !head.p[i];
        odd += is_odd_control((unsigned char)head.p[i]);
    }
    return odd > head.n / 32 && !looks_wide(head, zeros);
}

/* Scanners that share one input. Their pieces are handed out in turn and merged in order, so the one whose turn it is
 * has been merged: there are more of them than pieces under way. */
typedef struct crew {
    toad__crew calls;
    toad_stream *stream;
    toad__pool *pool;
    toad_scanner *scanners[TOAD__POOL_THREADS + 2];
    size_t n, next;
} crew;

static toad_scanner *whose_turn(void *ctx) {
    crew *c = ctx;
    return c->scanners[c->next++ % c->n];
}

static void submit(void *ctx, toad_scanner *s) { toad__pool_submit(((crew *)ctx)->pool, s); }
static void work(void *ctx, unsigned worker, void *job) { (void)ctx, (void)worker, toad__piece_scan(job); }
static void done(void *ctx, void *job) { toad__piece_merge(((crew *)ctx)->stream, job); }
static void tick(void *ctx) { (void)ctx; }

static void finish(void *ctx) {
    crew *c = ctx;
    toad__pool_finish(c->pool);
    c->pool = NULL;
}

static void crew_free(crew *c) {
    if (!c) return;
    if (c->pool) finish(c);
    for (size_t i = 0; i < c->n; i++) toad_scanner_free(c->scanners[i]);
    free(c);
}

static toad_status crew_new(toad_stream *stream, unsigned threads, crew **ret) {
    static const toad__pool_calls jobs = { work, done, tick };
    crew *c = calloc(1, sizeof *c);
    if (!c) return TOAD_E_NOMEM;
    c->calls = (toad__crew){ c, whose_turn, submit, finish };
    c->stream = stream;
    toad_status status = TOAD_OK;
    while (!status && c->n < threads + 2)
        if (!(status = toad__stream_helper(stream, &c->scanners[c->n]))) c->n++;
    if (!status) status = toad__pool_new(threads, c->n - 1, &jobs, c, &c->pool);
    if (status) {
        crew_free(c);
        return status;
    }
    toad__stream_lend(stream, &c->calls);
    *ret = c;
    return TOAD_OK;
}

/* A piece; of the beginning as much as is looked at, however slowly it comes through a pipe. */
static int read_piece(toad__input *in, char *room, bool first, size_t *ret_n) {
    size_t n = 1;
    int err = 0;
    for (*ret_n = 0; !err && n && *ret_n < (first ? HEAD : 1); *ret_n += n) {
        n = 0;
        err = toad__input_read(in, room + *ret_n, TOAD__INPUT_PIECE - *ret_n, &n);
    }
    return err;
}

toad_status toad__scan_input(toad_scanner *scanner, toad__input *in, const toad_scan_options *options, unsigned look,
                             unsigned threads, toad__scan_outcome *ret) {
    toad__buf *text = &in->text;
    toad_stream *stream;
    crew *c = NULL;
    uint64_t seen = 0, max = options->max_bytes ? options->max_bytes : UINT64_MAX;
    size_t n = 1;
    *ret = (toad__scan_outcome){ .verdict = NULL };
    toad__buf_clear(text);
    for (; n && seen <= max && seen < TOAD__INPUT_KEEP; seen = text->n += n) {
        char *room = toad__buf_room(text, TOAD__INPUT_PIECE);
        if (!room) return TOAD_E_NOMEM;
        if ((ret->err = read_piece(in, room, !text->n, &n))) return TOAD_E_IO;
        toad_str head = toad__str(room, n);
        ret->container = !text->n && look & TOAD__LOOK_CONTAINER && toad__has_parts(toad__str_z(in->path), head);
        ret->binary = !text->n && look & TOAD__LOOK_BINARY && !ret->container && toad__looks_binary(head);
        if (ret->container) text->n = n;
        if (ret->container || ret->binary) return TOAD_OK;
    }
    bool whole = !n || seen > max;
    if (whole && (threads < 2 || text->n < SHARED_BYTES))
        return toad_scan(scanner, toad__buf_str(text), options, &ret->verdict);
    toad_status status = toad_stream_open(scanner, options, &stream);
    if (status) return status;
    if (threads > 1) status = crew_new(stream, threads, &c);
    if (!status) status = toad_stream_write(stream, toad__buf_str(text));
    if (!whole) toad__buf_free(text); /* it does not hold all: from here on it is room for a piece */
    if (!whole && !status && !toad__buf_room(text, TOAD__INPUT_PIECE)) status = TOAD_E_NOMEM;
    while (!status && !whole && n && seen <= max) {
        if ((ret->err = toad__input_read(in, text->p, TOAD__INPUT_PIECE, &n))) status = TOAD_E_IO;
        if (!status) status = toad_stream_write(stream, toad__str(text->p, n));
        seen += n;
    }
    toad_status closed = toad_stream_close(stream, &ret->verdict);
    crew_free(c);
    if (status) ret->verdict = NULL;
    return status ? status : closed;
}

typedef struct wanted {
    uint64_t offset;
    size_t index;
} wanted;

static int by_offset(const void *a, const void *b) {
    const wanted *x = a, *y = b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

typedef struct locator {
    const wanted *next, *end;
    toad__place here;
    uint64_t at;
    toad__place *places;
} locator;

static void advance(locator *l, toad_str text) {
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        l->here.column += (c & 0xC0) != 0x80;
        l->here.utf16 += ((c & 0xC0) != 0x80) + (c >= 0xF0 && c <= 0xF4);
    }
    l->at += text.n;
}

/* Line by line; in a line, stop at each wanted offset. */
static void locate_piece(locator *l, toad_str piece) {
    for (size_t i = 0; i < piece.n && l->next < l->end;) {
        size_t eol = toad__str_find(piece, TOAD__S("\n"), i), line = eol < piece.n ? eol + 1 : piece.n;
        for (; l->next < l->end && l->next->offset < l->at + (line - i); l->next++) {
            size_t stop = i + (size_t)(l->next->offset - l->at);
            advance(l, toad__str_part(piece, i, stop));
            i = stop;
            l->places[l->next->index] = l->here;
        }
        if (eol == piece.n) {
            advance(l, toad__str_part(piece, i, line));
        } else {
            l->at += line - i;
            l->here = (toad__place){ l->here.line + 1, 1, 1 };
        }
        i = line;
    }
}

static toad_status locate_sorted(toad__input *in, const wanted *order, size_t n, toad__place *places) {
    locator l = { order, order + n, { 1, 1, 1 }, 0, places };
    toad_status status = TOAD_OK;
    if (in->text.n) {
        locate_piece(&l, toad__buf_str(&in->text));
    } else {
        char *piece = malloc(TOAD__INPUT_PIECE);
        if (!piece) return TOAD_E_NOMEM;
        for (size_t got = 1; !status && got && l.next < l.end;) {
            if (toad__input_read(in, piece, TOAD__INPUT_PIECE, &got))
                status = TOAD_E_IO;
            else
                locate_piece(&l, toad__str(piece, got));
        }
        free(piece);
    }
    for (; l.next < l.end; l.next++) places[l.next->index] = l.here; /* at or past the end */
    return status;
}

toad_status toad__locate(toad__input *in, const uint64_t *offsets, size_t n, toad__place *places) {
    for (size_t i = 0; i < n; i++) places[i] = (toad__place){ 0, 0, 0 };
    if (!n || (!in->text.n && !toad__input_rewind(in))) return TOAD_OK;
    wanted *order = malloc(n * sizeof *order);
    if (!order) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) order[i] = (wanted){ offsets[i], i };
    qsort(order, n, sizeof *order, by_offset);
    toad_status status = locate_sorted(in, order, n, places);
    free(order);
    return status;
}
