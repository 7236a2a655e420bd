/* scanner.c - one thread's scratch, and the two ways bytes reach it: whole, or in chunks.
 *
 * Both ways cut the input into the same pieces: a piece ends at a line break, a blank or a code point border that
 * depends on the bytes alone, and the next begins there while TOAD__LIMIT_OVERLAP bytes of look-ahead are seen twice.
 * So a stream gives the findings of the whole text, whatever its chunks, by construction; and memory does not grow with
 * the input. */
#include "lib/scan/scanner.h"
#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <assert.h>
#include <stdlib.h>

#define PIECE             (TOAD__LIMIT_SEGMENT + TOAD__LIMIT_OVERLAP)
#define VIEW_MAX          (4u * PIECE)
#define NODES_MAX         (1536u << 10)
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
    s->html = toad__html_new();
    s->html_ahead = toad__html_new();
    return s->html && s->html_ahead;
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
    toad__html_out_init(&s->page, VIEW_MAX);
    toad__arena_init(&s->nodes, NODES_MAX);
    toad__arena_init(&s->verdict.arena, RECORDS_MAX_BYTES);
    toad__buf_init(&s->stream.pending, 2 * PIECE);
    s->stream.scanner = s;
    if (!new_parts(s)) {
        toad_scanner_free(s);
        return TOAD_E_NOMEM;
    }
    *ret = s;
    return TOAD_OK;
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
    toad__model_scratch_free(s->model_scratch);
    toad__html_free(s->html);
    toad__html_free(s->html_ahead);
    toad__html_out_free(&s->page);
    toad__arena_free(&s->nodes);
    toad__arena_free(&s->verdict.arena);
    free(s->verdict.records);
    free(s->verdict.findings);
    toad__buf_free(&s->stream.pending);
    free(s);
}

TOAD__SIZED(toad_scan_options, max_bytes);

static toad_status begin(toad_scanner *s, const toad_scan_options *options) {
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    if (!s || !toad__options_take(&o, sizeof o, options)) return TOAD_E_ARG;
    if (s->stream.open) return TOAD_E_STATE;
    if ((unsigned)o.scope > TOAD_STRICT || (unsigned)o.kind > TOAD_KIND_SEARCH) return TOAD_E_ARG;
    s->options = o;
    s->strict = o.scope == TOAD_STRICT || o.kind == TOAD_KIND_MEMORY;
    s->status = TOAD_OK;
    s->html_open = false;
    s->foreign = false;
    toad__html_reset(s->html);
    toad__verdict_begin(s);
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

/* Scan what can be scanned of `rest`, whose first byte is input byte `base`. Returns the bytes done with. */
static size_t scan_rest(toad_scanner *s, toad_str rest, uint64_t base, bool last) {
    size_t done = 0;
    while (!s->status && rest.n - done > PIECE) {
        toad_str piece = toad__str_part(rest, done, done + PIECE);
        done += toad__scan_piece(s, piece, cut_of(piece), base + done, false);
    }
    if (!last || s->status) return done;
    toad__scan_piece(s, toad__str_part(rest, done, rest.n), rest.n - done, base + done, true);
    return rest.n;
}

/* What the caller's limit leaves of a chunk that begins at input byte `at`. */
static toad_str within_limit(toad_scanner *s, toad_str chunk, uint64_t at) {
    uint64_t max = s->options.max_bytes;
    if (!max || at + chunk.n <= max) return chunk;
    toad__incomplete(s, TOAD_SIZE_LIMIT);
    return toad__str_part(chunk, 0, at >= max ? 0 : (size_t)(max - at));
}

static toad_status finish(toad_scanner *s, const toad_verdict **ret) {
    assert(!s->stream.open);
    toad_status status = s->status ? s->status : toad__verdict_finish(s);
    if (!status) *ret = &s->verdict;
    return status;
}

toad_status toad_scan(toad_scanner *s, toad_str text, const toad_scan_options *options, const toad_verdict **ret) {
    toad_status status = !ret || (!text.p && text.n) ? TOAD_E_ARG : begin(s, options);
    if (status) return status;
    s->verdict.bytes = text.n;
    scan_rest(s, within_limit(s, text, 0), 0, true);
    return finish(s, ret);
}

toad_status toad_stream_open(toad_scanner *s, const toad_scan_options *options, toad_stream **ret) {
    if (!ret) return TOAD_E_ARG;
    toad_status status = begin(s, options);
    if (status) return status;
    toad__buf_clear(&s->stream.pending);
    s->stream.base = 0;
    s->stream.status = TOAD_OK;
    s->stream.open = true;
    *ret = &s->stream;
    return TOAD_OK;
}

static void keep_from(toad__buf *b, size_t done) {
    assert(done <= b->n);
    if (!done) return;
    memmove(b->p, b->p + done, b->n - done);
    b->n -= done;
}

toad_status toad_stream_write(toad_stream *stream, toad_str chunk) {
    if (!stream || (!chunk.p && chunk.n)) return TOAD_E_ARG;
    if (!stream->open) return TOAD_E_STATE;
    toad_scanner *s = stream->scanner;
    toad__buf *pending = &stream->pending;
    toad_str rest = within_limit(s, chunk, s->verdict.bytes);
    s->verdict.bytes += chunk.n;
    while (rest.n && !stream->status) {
        assert(pending->n < 2 * PIECE); /* a full one is scanned down to the look-ahead */
        size_t take = 2 * PIECE - pending->n < rest.n ? 2 * PIECE - pending->n : rest.n;
        toad__buf_add(pending, rest.p, take);
        if (pending->status) {
            stream->status = pending->status;
            break;
        }
        rest = toad__str_part(rest, take, rest.n);
        size_t done = scan_rest(s, toad__buf_str(pending), stream->base, false);
        keep_from(pending, done);
        stream->base += done;
        stream->status = s->status;
    }
    return stream->status;
}

toad_status toad_stream_close(toad_stream *stream, const toad_verdict **ret) {
    if (!stream || !ret) return TOAD_E_ARG;
    if (!stream->open) return TOAD_E_STATE;
    toad_scanner *s = stream->scanner;
    stream->open = false;
    if (stream->status) return stream->status;
    scan_rest(s, toad__buf_str(&stream->pending), stream->base, true);
    return finish(s, ret);
}
