/* scanner.c - one thread's scratch, and the two ways bytes reach it: whole, or in chunks.
 *
 * Both ways cut the input into the same pieces: a piece ends at a line break, a blank or a code point border that
 * depends on the bytes alone, and the next begins there while TOAD__LIMIT_OVERLAP bytes of look-ahead are seen twice.
 * So a stream gives the findings of the whole text, whatever its chunks, by construction; and memory does not grow with
 * the input. What a piece says is known without any other, but for the page it may be a part of, which is read when the
 * piece is taken; the verdict of the text is merged of theirs, in order (pieces.h). */
#include "lib/scan/scanner.h"
#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define PIECE             (TOAD__LIMIT_SEGMENT + TOAD__LIMIT_OVERLAP)
#define VIEW_MAX          (4u * PIECE)
#define NODES_MAX         (4u << 20)
#define RECORDS_MAX_BYTES (1u << 20)

static bool new_parts(toad_scanner *s) {
    for (unsigned set = 0; set < TOAD__SETS; set++) {
        if (!s->engine->sets[set]) continue;
        size_t n = s->engine->counts[set] + 1;
        s->matchers[set] = toad__matcher_new(s->engine->sets[set]);
        s->heads[set] = malloc(n * sizeof *s->heads[set]);
        s->tallies[set] = calloc(n, sizeof *s->tallies[set]);
        if (!s->matchers[set] || !s->heads[set] || !s->tallies[set]) return false;
    }
    toad__records_forget(s);
    if (s->engine->has_model && !(s->model_scratch = toad__model_scratch_new())) return false;
    s->stream.html = toad__html_new();
    s->html_ahead = toad__html_new();
    return s->stream.html && s->html_ahead;
}

toad_status toad_scanner_new(const toad_engine *engine, toad_scanner **ret) {
    if (!engine || !ret) return TOAD_E_ARG;
    toad_scanner *s = calloc(1, sizeof *s);
    if (!s) return TOAD_E_NOMEM;
    s->engine = engine;
    toad__view_init(&s->drop, VIEW_MAX);
    toad__view_init(&s->blank, VIEW_MAX);
    toad__view_init(&s->plain, VIEW_MAX);
    toad__buf_init(&s->work, VIEW_MAX);
    toad__offmap_init(&s->work_map);
    toad__buf_init(&s->fences.at, VIEW_MAX);
    toad__buf_init(&s->piece_fences.at, VIEW_MAX);
    toad__html_out_init(&s->page, VIEW_MAX);
    toad__arena_init(&s->nodes, NODES_MAX);
    toad__arena_init(&s->verdict.arena, RECORDS_MAX_BYTES);
    toad__arena_init(&s->stream.verdict.arena, RECORDS_MAX_BYTES);
    toad__buf_init(&s->copy, PIECE);
    toad__buf_init(&s->stream.pending, 2 * PIECE);
    toad__html_out_init(&s->stream.passed, VIEW_MAX);
    s->stream.scanner = s;
    if (!new_parts(s)) {
        toad_scanner_free(s);
        return TOAD_E_NOMEM;
    }
    *ret = s;
    return TOAD_OK;
}

static void free_verdict(struct toad_verdict *v) {
    toad__arena_free(&v->arena);
    free(v->records);
    free(v->findings);
}

void toad_scanner_free(toad_scanner *s) {
    if (!s) return;
    for (unsigned set = 0; set < TOAD__SETS; set++) {
        toad__matcher_free(s->matchers[set]);
        free(s->heads[set]);
        free(s->tallies[set]);
    }
    toad__view_free(&s->drop);
    toad__view_free(&s->blank);
    toad__view_free(&s->plain);
    toad__buf_free(&s->work);
    toad__offmap_free(&s->work_map);
    toad__buf_free(&s->fences.at);
    toad__buf_free(&s->piece_fences.at);
    toad__model_scratch_free(s->model_scratch);
    toad__html_free(s->stream.html);
    toad__html_free(s->html_ahead);
    toad__html_out_free(&s->page);
    toad__arena_free(&s->nodes);
    free_verdict(&s->verdict);
    free_verdict(&s->stream.verdict);
    toad__buf_free(&s->copy);
    toad__buf_free(&s->stream.pending);
    toad__html_out_free(&s->stream.passed);
    free(s);
}

TOAD__SIZED(toad_scan_options, max_bytes);

static toad_status begin(toad_scanner *s, const toad_scan_options *options) {
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    if (!s || !toad__options_take(&o, sizeof o, options)) return TOAD_E_ARG;
    if (s->stream.open) return TOAD_E_STATE;
    if ((unsigned)o.scope > TOAD_STRICT || (unsigned)o.kind > TOAD_KIND_SEARCH) return TOAD_E_ARG;
    toad_stream *t = &s->stream;
    s->options = o;
    t->crew = NULL;
    t->base = t->seen = 0;
    t->status = TOAD_OK;
    t->html_open = false;
    toad__html_reset(t->html);
    toad__verdict_begin(&t->verdict);
    return TOAD_OK;
}

/* Where a piece of more than PIECE bytes ends: after the last line break, else blank, of the segment's last 4 KiB, else
 * at a code point border. */
static size_t cut_of(toad_str rest) {
    assert(rest.n == PIECE);
    size_t end = TOAD__LIMIT_SEGMENT, blank = 0;
    for (size_t at = end; at > end - 4096; at--) {
        if (rest.p[at - 1] == '\n') return at;
        if (!blank && toad__is_space((unsigned char)rest.p[at - 1])) blank = at;
    }
    return blank ? blank : toad__utf8_floor(rest, end) / 4 * 4; /* a multiple of four keeps UTF-16 and UTF-32 whole */
}

/* `s` takes the piece at the beginning of `rest`. Returns the bytes that the next will not present again. */
static size_t take_piece(toad_stream *t, toad_scanner *s, toad_str rest, bool last) {
    s->options = t->scanner->options;
    s->strict = s->options.scope == TOAD_STRICT || s->options.kind == TOAD_KIND_MEMORY;
    s->status = TOAD_OK;
    if (s->nodes.blocks) toad__arena_free(&s->nodes);
    s->queue_head = s->queue_tail = NULL;
    s->children = 0;
    s->piece = toad__str_part(rest, 0, PIECE);
    s->base = t->base;
    s->decode_room = s->piece.n * TOAD__LIMIT_DECODE_FACTOR + TOAD__LIMIT_DECODE_BASE;
    for (unsigned set = 0; set < TOAD__SETS; set++)
        if (s->tallied && s->tallies[set]) memset(s->tallies[set], 0, s->engine->counts[set] * sizeof *s->tallies[set]);
    if (s->listed) toad__records_forget(s);
    s->tallied = s->listed = s->prose_known = s->acted = false;
    toad__verdict_begin(&s->verdict);
    size_t take = last ? s->piece.n : cut_of(s->piece);
    if (t->crew) { /* `rest` is the caller's, and is gone before the piece is scanned */
        toad__buf_clear(&s->copy);
        toad__buf_add_str(&s->copy, s->piece);
        t->status = s->copy.status;
        s->piece = toad__buf_str(&s->copy);
    }
    return t->status ? take : toad__page_take(t, s, take, last);
}

void toad__piece_merge(toad_stream *t, toad_scanner *s) {
    if (!t->status) t->status = s->status;
    if (!t->status) t->status = toad__verdict_merge(&t->verdict, &s->verdict);
}

/* Scan what can be scanned of `rest`, which begins at t->base; of the last all. Returns the bytes done with. */
static size_t scan_rest(toad_stream *t, toad_str rest, bool last) {
    size_t done = 0;
    for (bool more = true; more && !t->status;) {
        more = rest.n - done > PIECE;
        if (!more && !last) break;
        toad_scanner *s = t->crew ? t->crew->next(t->crew->ctx) : t->scanner;
        size_t taken = take_piece(t, s, toad__str_part(rest, done, rest.n), !more);
        assert(taken || !more);
        done += taken;
        t->base += taken;
        if (t->status) break;
        if (t->crew) {
            t->crew->scan(t->crew->ctx, s);
        } else {
            toad__piece_scan(s);
            toad__piece_merge(t, s);
        }
    }
    return done;
}

/* What the caller's limit leaves of a chunk. */
static toad_str within_limit(const toad_stream *t, toad_str chunk) {
    uint64_t max = t->scanner->options.max_bytes, left = !max ? UINT64_MAX : max > t->seen ? max - t->seen : 0;
    return toad__str_part(chunk, 0, chunk.n < left ? chunk.n : (size_t)left);
}

/* What stands beyond the limit was not looked at at all: that is said before all else. */
static toad_status finish(toad_stream *t, const toad_verdict **ret) {
    uint64_t max = t->scanner->options.max_bytes;
    assert(!t->open);
    toad_status status = t->status ? t->status : toad__verdict_finish(&t->verdict);
    if (status) return status;
    t->verdict.bytes = t->seen;
    if (max && t->seen > max) t->verdict.completeness = TOAD_SIZE_LIMIT;
    *ret = &t->verdict;
    return TOAD_OK;
}

toad_status toad_scan(toad_scanner *s, toad_str text, const toad_scan_options *options, const toad_verdict **ret) {
    toad_status status = !ret || (!text.p && text.n) ? TOAD_E_ARG : begin(s, options);
    if (status) return status;
    scan_rest(&s->stream, within_limit(&s->stream, text), true);
    s->stream.seen = text.n;
    return finish(&s->stream, ret);
}

toad_status toad_stream_open(toad_scanner *s, const toad_scan_options *options, toad_stream **ret) {
    if (!ret) return TOAD_E_ARG;
    toad_status status = begin(s, options);
    if (status) return status;
    toad__buf_clear(&s->stream.pending);
    s->stream.open = true;
    *ret = &s->stream;
    return TOAD_OK;
}

toad_status toad__stream_helper(const toad_stream *stream, toad_scanner **ret) {
    return toad_scanner_new(stream->scanner->engine, ret);
}

void toad__stream_lend(toad_stream *stream, const toad__crew *crew) { stream->crew = crew; }

static void keep_from(toad__buf *b, size_t done) {
    assert(done <= b->n);
    if (!done) return;
    memmove(b->p, b->p + done, b->n - done);
    b->n -= done;
}

toad_status toad_stream_write(toad_stream *t, toad_str chunk) {
    if (!t || (!chunk.p && chunk.n)) return TOAD_E_ARG;
    if (!t->open) return TOAD_E_STATE;
    toad_str rest = within_limit(t, chunk);
    t->seen += chunk.n;
    while (rest.n && !t->status) {
        assert(t->pending.n < 2 * PIECE); /* a full one is scanned down to the look-ahead */
        size_t room = 2 * PIECE - t->pending.n, some = room < rest.n ? room : rest.n;
        toad__buf_add(&t->pending, rest.p, some);
        rest = toad__str_part(rest, some, rest.n);
        t->status = t->pending.status;
        if (!t->status) keep_from(&t->pending, scan_rest(t, toad__buf_str(&t->pending), false));
    }
    return t->status;
}

toad_status toad_stream_close(toad_stream *t, const toad_verdict **ret) {
    if (!t || !ret) return TOAD_E_ARG;
    if (!t->open) return TOAD_E_STATE;
    t->open = false;
    scan_rest(t, toad__buf_str(&t->pending), true);
    if (t->crew) t->crew->wait(t->crew->ctx);
    return finish(t, ret);
}
