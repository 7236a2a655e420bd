/* decodings.c - what decoders find in a node becomes further nodes, as far as the limits go.
 *
 * The work per byte is bounded: decoders may give DECODE_FACTOR times the piece plus DECODE_BASE in all, as
 * DECODE_CHILDREN texts at most, and nodes are at most DECODE_DEPTH decodings deep. What is cut short is said. */
#include "lib/base/utf8.h"
#include "lib/decode/survey.h"
#include "lib/scan/scanner.h"

typedef struct decoding {
    toad_scanner *s;
    const toad__node *node;
    const toad__offmap *through; /* the map of the text that is read to the node's text; NULL: it is the node's text */
    toad__sink *sink;
    bool too_deep; /* there is one more layer than is looked into */
} decoding;

/* The run of the map that holds what was put out at `at`, or the first behind it. */
static size_t run_at(const toad__offmap *map, uint64_t at) {
    size_t lo = 0, hi = map->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (map->runs[mid].out <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : 0;
}

bool toad__is_needless(toad_str text, const toad__offmap *map, toad_span at) {
    size_t escaped = 0;
    toad_str words = toad__str_part(text, at.start, at.end);
    for (size_t i = run_at(map, at.start); i < map->n && map->runs[i].out < at.end; i++) {
        toad__run run = map->runs[i],
                  next = i + 1 < map->n ? map->runs[i + 1] : (toad__run){ map->out_len, map->in_len };
        size_t from = run.out > at.start ? run.out : at.start, to = next.out < at.end ? next.out : at.end;
        if (next.in - run.in >= 2 * (next.out - run.out) && to > from) escaped += to - from;
    }
    return escaped * 2 >= words.n && toad__ascii_prefix(words) == words.n;
}

static unsigned flags_of(const toad__step *step, toad_str text, const toad__offmap *map) {
    unsigned doubtful = step->flags & TOAD__DOUBTFUL ? TOAD__NODE_DOUBTFUL : 0;
    if (step->flags & TOAD__HIDES) return TOAD__NODE_SMUGGLED | doubtful;
    return (step->flags & TOAD__PLAIN && !toad__is_needless(text, map, (toad_span){ 0, text.n }) ? 0
                                                                                                 : TOAD__NODE_ENCODED) |
           doubtful;
}

/* Whether the decoder may go on. */
static bool add_child(decoding *d, const toad__node *child) {
    toad_scanner *s = d->s;
    if (toad__is_known(s, child)) return true;
    if (child->depth > TOAD__LIMIT_DECODE_DEPTH) {
        d->too_deep = true;
        toad__incomplete(s, TOAD_DEPTH_LIMIT);
        toad__report_builtin(s, "nested_encoding", d->node, (toad_span){ 0, d->node->text.n }, TOAD_LOW);
        return false;
    }
    if (child->text.n > s->decode_room || s->children >= TOAD__LIMIT_DECODE_CHILDREN) {
        toad__incomplete(s, TOAD_DECODE_LIMIT);
        return false;
    }
    s->decode_room -= child->text.n;
    s->children++;
    d->sink->room = s->decode_room;
    return toad__derive(s, child);
}

/* A shift of what was shifted is one shift of the text before, where it was looked for; two may also be none at all. */
static bool is_shifted_again(const toad__node *node, const toad__step *step) {
    if (!(step->flags & TOAD__SHIFTS)) return false;
    while (node->step && node->step->flags & (TOAD__SAME | TOAD__PLAIN)) node = node->parent;
    return node->step && node->step->flags & TOAD__SHIFTS;
}

static bool take_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    decoding *d = ctx;
    if (is_shifted_again(d->node, step)) return true;
    toad__offmap composed;
    toad__offmap_init(&composed);
    if (d->through) toad__offmap_then(map, d->through, &composed);
    if (composed.status == TOAD_E_NOMEM) d->s->status = TOAD_E_NOMEM;
    if (composed.status == TOAD_E_LIMIT) toad__incomplete(d->s, TOAD_DECODE_LIMIT);
    toad__node child = toad__child_of(d->node, step, text, d->through ? &composed : map);
    child.depth++;
    child.flags |= flags_of(step, text, map);
    bool more = !composed.status && add_child(d, &child);
    toad__offmap_free(&composed);
    return more;
}

static bool sink_failed(toad_scanner *s, const toad__sink *sink) {
    if (sink->status == TOAD_E_NOMEM) s->status = sink->status;
    if (sink->status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    return s->status != TOAD_OK;
}

void toad__decode(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    bool plain_ready = false, ascii = !hints->non_ascii && !hints->control;
    toad__sink sink = { .child = take_child, .room = s->decode_room, .hints = hints };
    toad__survey survey;

    for (const toad__decoder *const *row = toad__decoders; *row; row++) {
        const toad__decoder *d = *row;
        bool folded = d->reads == TOAD__FOLDED, through = folded && !ascii;
        if (!toad__is_wanted(d, hints)) continue;
        if (through && !plain_ready) {
            toad_status status = toad__fold(&s->plain, node->text, TOAD__FOLD_KEEP_CASE);
            if (status == TOAD_E_NOMEM) s->status = status;
            plain_ready = true;
        }
        if (s->status) return;
        decoding job = { s, node, through ? &s->plain.map : NULL, &sink, false };
        toad_str text = through ? toad__buf_str(&s->plain.text) : node->text;
        if (folded && !sink.survey) {
            toad__survey_take(text, &survey);
            sink.survey = &survey;
        }
        sink.ctx = &job;
        d->run(text, &sink);
        if (job.too_deep || sink_failed(s, &sink)) return;
    }
}

void toad__transform_at(toad_scanner *s, const toad__node *node, const char *transform, toad_span region) {
    toad__sink sink = { .child = take_child, .room = s->decode_room };
    decoding job = { s, node, NULL, &sink, false };
    sink.ctx = &job;
    toad__transform(transform, node->text, region, &sink);
    sink_failed(s, &sink);
}

bool toad__take_shuffled(toad_scanner *s, const toad__node *node, const toad__view *view, toad_str text,
                         const toad__offmap *map) {
    static const toad__step scrambled = { "scrambled", 0 };
    toad__sink sink = { .child = take_child, .room = s->decode_room };
    decoding job = { s, node, &view->map, &sink, false };
    return take_child(&job, &scrambled, text, map);
}
