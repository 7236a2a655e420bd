/* scanner.c - one thread's scratch, and the two ways bytes reach it: whole, or in chunks.
 *
 * Both ways cut the input into the same pieces: a piece ends at a line break, a blank or a code point border that depends on the
 * bytes alone, and the next begins there while BZR__LIMIT_OVERLAP bytes of look-ahead are seen twice. So a stream gives the findings of the whole text,
 * whatever its chunks, by construction; and memory does not grow with the input. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

#define PIECE (BZR__LIMIT_SEGMENT + BZR__LIMIT_OVERLAP)
#define VIEW_MAX (4u * PIECE)
#define NODES_MAX (1536u << 10)
#define RECORDS_MAX_BYTES (1u << 20)

static bool new_parts(bzr_scanner *s) {
    for (unsigned set = 0; set < BZR__SETS; set++) {
        if (!s->engine->sets[set]) continue;
        size_t n = s->engine->counts[set] + 1;
        s->matchers[set] = bzr__matcher_new(s->engine->sets[set]);
        s->heads[set] = malloc(n * sizeof *s->heads[set]);
        s->tallies[set] = calloc(n, sizeof *s->tallies[set]);
        if (!s->matchers[set] || !s->heads[set] || !s->tallies[set]) return false;
    }
    bzr__records_forget(s);
    if (s->engine->has_model && !(s->model_scratch = bzr__model_scratch_new())) return false;
    s->html = bzr__html_new();
    s->html_ahead = bzr__html_new();
    return s->html && s->html_ahead;
}

bzr_status bzr_scanner_new(const bzr_engine *engine, bzr_scanner **ret) {
    if (!engine) return BZR_E_ARG;
    bzr_scanner *s = calloc(1, sizeof *s);
    if (!s) return BZR_E_NOMEM;
    s->engine = engine;
    bzr__view_init(&s->drop, VIEW_MAX);
    bzr__view_init(&s->blank, VIEW_MAX);
    bzr__view_init(&s->plain, VIEW_MAX);
    bzr__buf_init(&s->work, VIEW_MAX);
    bzr__offmap_init(&s->work_map);
    bzr__buf_init(&s->fences.at, VIEW_MAX);
    bzr__html_out_init(&s->page, VIEW_MAX);
    bzr__arena_init(&s->nodes, NODES_MAX);
    bzr__arena_init(&s->verdict.arena, RECORDS_MAX_BYTES);
    bzr__buf_init(&s->stream.pending, 2 * PIECE);
    s->stream.scanner = s;
    if (!new_parts(s)) {
        bzr_scanner_free(s);
        return BZR_E_NOMEM;
    }
    *ret = s;
    return BZR_OK;
}

void bzr_scanner_free(bzr_scanner *s) {
    if (!s) return;
    for (unsigned set = 0; set < BZR__SETS; set++) {
        bzr__matcher_free(s->matchers[set]);
        free(s->heads[set]);
        free(s->tallies[set]);
    }
    bzr__view_free(&s->drop);
    bzr__view_free(&s->blank);
    bzr__view_free(&s->plain);
    bzr__buf_free(&s->work);
    bzr__offmap_free(&s->work_map);
    bzr__buf_free(&s->fences.at);
    bzr__model_scratch_free(s->model_scratch);
    bzr__html_free(s->html);
    bzr__html_free(s->html_ahead);
    bzr__html_out_free(&s->page);
    bzr__arena_free(&s->nodes);
    bzr__arena_free(&s->verdict.arena);
    free(s->verdict.records);
    free(s->verdict.findings);
    bzr__buf_free(&s->stream.pending);
    free(s);
}

static bzr_status begin(bzr_scanner *s, const bzr_scan_options *options) {
    static const bzr_scan_options defaults = BZR_SCAN_OPTIONS_INIT;
    if (!s) return BZR_E_ARG;
    if (!options) options = &defaults;
    if (options->size < sizeof *options) return BZR_E_ARG;
    s->options = *options;
    s->strict = options->scope == BZR_STRICT || options->kind == BZR_KIND_MEMORY;
    s->status = BZR_OK;
    s->html_open = false;
    s->foreign = false;
    bzr__html_reset(s->html);
    bzr__verdict_begin(s);
    return BZR_OK;
}

/* Where a piece of more than PIECE bytes ends: after the last line break, else blank, of the segment's last 4 KiB, else at a code point border. */
static size_t cut_of(bzr_str rest) {
    size_t end = BZR__LIMIT_SEGMENT, blank = 0;
    for (size_t at = end; at > end - 4096; at--) {
        if (rest.p[at - 1] == '\n') return at;
        if (!blank && bzr__is_space((unsigned char)rest.p[at - 1])) blank = at;
    }
    return blank ? blank : bzr__utf8_floor(rest, end) / 4 * 4; /* a multiple of four keeps UTF-16 and UTF-32 whole */
}

/* Scan what can be scanned of `rest`, whose first byte is input byte `base`. Returns the bytes done with. */
static size_t scan_rest(bzr_scanner *s, bzr_str rest, uint64_t base, bool last) {
    size_t done = 0;
    while (!s->status && rest.n - done > PIECE) {
        bzr_str piece = bzr__str_part(rest, done, done + PIECE);
        done += bzr__scan_piece(s, piece, cut_of(piece), base + done, false);
    }
    if (!last || s->status) return done;
    bzr__scan_piece(s, bzr__str_part(rest, done, rest.n), rest.n - done, base + done, true);
    return rest.n;
}

/* What the caller's limit leaves of a chunk that begins at input byte `at`. */
static bzr_str within_limit(bzr_scanner *s, bzr_str chunk, uint64_t at) {
    uint64_t max = s->options.max_bytes;
    if (!max || at + chunk.n <= max) return chunk;
    bzr__incomplete(s, BZR_SIZE_LIMIT);
    return bzr__str_part(chunk, 0, at >= max ? 0 : (size_t)(max - at));
}

static bzr_status finish(bzr_scanner *s, const bzr_verdict **ret) {
    bzr_status status = s->status ? s->status : bzr__verdict_finish(s);
    if (!status) *ret = &s->verdict;
    return status;
}

bzr_status bzr_scan(bzr_scanner *s, bzr_str text, const bzr_scan_options *options, const bzr_verdict **ret) {
    bzr_status status = !ret || (!text.p && text.n) ? BZR_E_ARG : begin(s, options);
    if (status) return status;
    s->verdict.bytes = text.n;
    scan_rest(s, within_limit(s, text, 0), 0, true);
    return finish(s, ret);
}

bzr_status bzr_stream_open(bzr_scanner *s, const bzr_scan_options *options, bzr_stream **ret) {
    if (!ret || !s || s->stream.open) return s && s->stream.open ? BZR_E_STATE : BZR_E_ARG;
    bzr_status status = begin(s, options);
    if (status) return status;
    bzr__buf_clear(&s->stream.pending);
    s->stream.base = 0;
    s->stream.status = BZR_OK;
    s->stream.open = true;
    *ret = &s->stream;
    return BZR_OK;
}

static void keep_from(bzr__buf *b, size_t done) {
    if (!done) return;
    memmove(b->p, b->p + done, b->n - done);
    b->n -= done;
}

bzr_status bzr_stream_write(bzr_stream *stream, bzr_str chunk) {
    if (!stream || !stream->open || (!chunk.p && chunk.n)) return stream && !stream->open ? BZR_E_STATE : BZR_E_ARG;
    bzr_scanner *s = stream->scanner;
    bzr__buf *pending = &stream->pending;
    bzr_str rest = within_limit(s, chunk, s->verdict.bytes);
    s->verdict.bytes += chunk.n;
    while (rest.n && !stream->status) {
        size_t take = 2 * PIECE - pending->n < rest.n ? 2 * PIECE - pending->n : rest.n;
        bzr__buf_add(pending, rest.p, take);
        if (pending->status) {
            stream->status = pending->status;
            break;
        }
        rest = bzr__str_part(rest, take, rest.n);
        size_t done = scan_rest(s, bzr__buf_str(pending), stream->base, false);
        keep_from(pending, done);
        stream->base += done;
        stream->status = s->status;
    }
    return stream->status;
}

bzr_status bzr_stream_close(bzr_stream *stream, const bzr_verdict **ret) {
    if (!stream || !ret || !stream->open) return stream && !stream->open ? BZR_E_STATE : BZR_E_ARG;
    bzr_scanner *s = stream->scanner;
    stream->open = false;
    if (stream->status) return stream->status;
    scan_rest(s, bzr__buf_str(&stream->pending), stream->base, true);
    return finish(s, ret);
}
