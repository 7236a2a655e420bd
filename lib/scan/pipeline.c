/* pipeline.c - one piece of input from bytes to findings.
 *
 * The root node is the piece as it came. For every node: sanitizer census, folded views, match, skeleton regions,
 * gates, decoders, page extraction; each derived text is a further node of the queue. The work per byte is bounded:
 * decoders may give DECODE_FACTOR times the piece plus DECODE_BASE in all, nodes are at most DECODE_DEPTH decodings
 * deep, extraction is done once per branch. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/decode/survey.h"
#include "lib/scan/scanner.h"
#include "lib/text/encoding.h"
#include "lib/text/scramble.h"
#include "lib/text/skeleton.h"

#define HIDDEN_STEP    "html:hidden"
#define MARKDOWN_STEP  "markdown"
#define TYPOS_NEEDED   2
#define TAGS_NEEDED    3
#define PADDING_BLANKS 80
#define AROUND                                                                                                        \
    1024u /* bytes that are read on either side of what only the view BLANK shows: about twice the longest match of a \
             rule */
#define GATES_MAX 16

typedef struct matching {
    toad_scanner *s;
    const toad__node *node;
    const toad__view *view; /* NULL: the matched text is s->work, mapped into `under` */
    const toad__view *under;
    bool doubtful;
    toad_span within; /* of the node's text, if not empty: matches wholly outside are of no interest */
    unsigned set;
    struct {
        const char *transform;
        uint64_t until;
    } gates[GATES_MAX]; /* the last place where each transform was tried */
    size_t gates_n;
} matching;

/* ---- the queue ---- */

static void enqueue(toad_scanner *s, toad__node *node) {
    if (s->queue_tail)
        s->queue_tail->next = node;
    else
        s->queue_head = node;
    s->queue_tail = node;
}

static bool copy_map(toad_scanner *s, const toad__offmap *from, toad__offmap *to) {
    *to = *from;
    to->runs = toad__arena_alloc(&s->nodes, from->n * sizeof *from->runs);
    if (!to->runs) return false;
    if (from->n) memcpy(to->runs, from->runs, from->n * sizeof *from->runs);
    to->cap = to->n;
    return true;
}

static uint64_t hash(toad_str t) {
    uint64_t h = t.n * 0x9e3779b97f4a7c15u, v;
    size_t at = 0;
    for (; at + 8 <= t.n; at += 8) {
        memcpy(&v, t.p + at, 8);
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; at < t.n; at++) h = (h ^ (unsigned char)t.p[at]) * 0x100000001b3u;
    return h;
}

/* A text read out of `parent`, borrowing it and its map: what derive takes. */
static toad__node child_of(const toad__node *parent, const char *step, toad_str text, const toad__offmap *map) {
    return (toad__node){ .text = text,
                         .map = *map,
                         .parent = parent,
                         .step = step,
                         .depth = parent->depth,
                         .flags = parent->flags & ~(unsigned)TOAD__NODE_DERIVED,
                         .hash = hash(text) };
}

/* Percent signs and then entities give what entities and then percent signs give: the same text from the same place is
 * read once. */
static bool is_known(const toad_scanner *s, const toad__node *child) {
    size_t from = toad__node_origin(child, (toad_span){ 0, child->text.n }).start;
    for (const toad__node *n = s->queue_head; n; n = n->next)
        if (n->hash == child->hash && n->flags == child->flags && toad__str_eq(n->text, child->text) &&
            toad__node_origin(n, (toad_span){ 0, n->text.n }).start == from)
            return true;
    return false;
}

/* Queue a copy of `child`. Out of arena is a limit of ours, not an error. */
static toad__node *derive(toad_scanner *s, const toad__node *child) {
    toad__node *node = toad__arena_alloc(&s->nodes, sizeof *node);
    toad_str copy = toad__arena_dup(&s->nodes, child->text);
    if (node) *node = *child;
    if (!node || !copy.p || !copy_map(s, &child->map, &node->map)) {
        toad__incomplete(s, TOAD_DECODE_LIMIT);
        return NULL;
    }
    node->text = copy;
    enqueue(s, node);
    return node;
}

/* ---- decoders ---- */

typedef struct decoding {
    toad_scanner *s;
    const toad__node *node;
    const toad__offmap
        *through; /* the map of the text the decoder reads to the node's text; NULL: it reads the node's text */
    toad__sink *sink;
    unsigned flags;
    bool too_deep; /* there is one more layer than is looked into */
} decoding;

/* Steps that spell the same text another way and prove no intent: they neither hide nor encode. */
static bool is_plain_step(const char *step) {
    static const char *const plain[] = { "json",   "fields",           "concat",  "literals", "percent",  "entity",
                                         "escape", "quoted-printable", "rfc2047", "punycode", "char_code" };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strncmp(step, plain[i], strlen(plain[i]))) return true;
    return false;
}

/* Puzzles: a text that reads as an attack this way may be chance, and few models would solve it unasked. */
static bool is_doubtful_step(const char *step) {
    static const char *const doubtful[] = { "base64_",    "base32hex", "base85",         "morse",    "tap",
                                            "bacon",      "a1z26",     "nato",           "literals", "concat",
                                            "leet_words", "pig_latin", "reversed_words", "codes" };
    for (size_t i = 0; i < sizeof doubtful / sizeof *doubtful; i++)
        if (!strncmp(step, doubtful[i], strlen(doubtful[i]))) return true;
    return false;
}

/* Most letters are escaped, and none had to be: nobody needs that for plain English. */
static bool is_needless(toad_str text, const toad__offmap *map) {
    size_t escaped = 0;
    for (size_t i = 0; i < map->n; i++) {
        toad__run run = map->runs[i],
                  next = i + 1 < map->n ? map->runs[i + 1] : (toad__run){ map->out_len, map->in_len };
        if (next.in - run.in >= 2 * (next.out - run.out)) escaped += next.out - run.out;
    }
    return escaped * 2 >= text.n && toad__ascii_prefix(text) == text.n;
}

static unsigned flags_of_step(const decoding *d, const char *step, toad_str text, const toad__offmap *map) {
    unsigned flags = d->flags ? d->flags : is_plain_step(step) && !is_needless(text, map) ? 0 : TOAD__NODE_ENCODED;
    return is_doubtful_step(step) ? flags | TOAD__NODE_DOUBTFUL : flags;
}

/* Whether the decoder may go on. */
static bool add_child(decoding *d, const toad__node *child) {
    toad_scanner *s = d->s;
    if (is_known(s, child)) return true;
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
    return derive(s, child) != NULL;
}

static bool take_child(void *ctx, const char *step, toad_str text, const toad__offmap *map) {
    decoding *d = ctx;
    toad__offmap composed;
    toad__offmap_init(&composed);
    if (d->through) toad__offmap_then(map, d->through, &composed);
    if (composed.status == TOAD_E_NOMEM) d->s->status = TOAD_E_NOMEM;
    if (composed.status == TOAD_E_LIMIT) toad__incomplete(d->s, TOAD_DECODE_LIMIT);
    toad__node child = child_of(d->node, step, text, d->through ? &composed : map);
    child.depth++;
    child.flags |= flags_of_step(d, step, text, map);
    bool more = !composed.status && add_child(d, &child);
    toad__offmap_free(&composed);
    return more;
}

static bool sink_failed(toad_scanner *s, const toad__sink *sink) {
    if (sink->status == TOAD_E_NOMEM) s->status = sink->status;
    if (sink->status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    return s->status != TOAD_OK;
}

static void decode(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    bool plain_ready = false, ascii = !hints->non_ascii && !hints->control;
    toad__sink sink = { .child = take_child, .room = s->decode_room, .hints = hints };
    toad__survey survey;

    for (const toad__decoder *d = toad__decoders; d->name; d++) {
        if (!d->wanted(hints)) continue;
        bool through = !d->raw && !ascii;
        if (through && !plain_ready) {
            toad_status status = toad__fold(&s->plain, node->text, TOAD__FOLD_KEEP_CASE);
            if (status == TOAD_E_NOMEM) s->status = status;
            plain_ready = true;
        }
        if (s->status) return;
        decoding job = { s, node, through ? &s->plain.map : NULL, &sink, d->raw ? TOAD__NODE_SMUGGLED : 0, false };
        toad_str text = through ? toad__buf_str(&s->plain.text) : node->text;
        if (!d->raw && !sink.survey) {
            toad__survey_take(text, &survey);
            sink.survey = &survey;
        }
        sink.ctx = &job;
        d->run(text, &sink);
        if (job.too_deep || sink_failed(s, &sink)) return;
    }
}

static void fire_gate(matching *m, const char *transform, toad_span at) {
    toad_span here = m->view ? toad__offmap_back(&m->view->map, at) : at;
    size_t i = 0;
    while (i < m->gates_n && strcmp(m->gates[i].transform, transform) != 0) i++;
    if (i < m->gates_n && here.start < m->gates[i].until) return;
    if (i == GATES_MAX || m->node->depth >= TOAD__LIMIT_DECODE_DEPTH) return;
    m->gates[i].transform = transform;
    m->gates[i].until = here.end + 2048;
    if (i == m->gates_n) m->gates_n++;
    toad__sink sink = { .child = take_child, .room = m->s->decode_room };
    decoding job = { m->s, m->node, NULL, &sink, 0, false };
    sink.ctx = &job;
    toad__transform(transform, m->node->text, here, &sink);
    sink_failed(m->s, &sink);
}

/* Shuffled words set right are a text of their own: the model reads them too. */
static void read_scrambled(toad_scanner *s, const toad__node *node, const toad__view *view, bool closely) {
    toad_str folded = toad__buf_str(&view->text);
    toad__sink sink = { .child = take_child, .room = s->decode_room };
    decoding job = { s, node, &view->map, &sink, TOAD__NODE_ENCODED, false };
    toad_span part;
    for (size_t from = 0;
         !s->status && node->depth < TOAD__LIMIT_DECODE_DEPTH && toad__scrambled_next(folded, closely, &from, &part);) {
        toad__buf_clear(&s->work);
        toad__offmap_clear(&s->work_map);
        toad__offmap_add(&s->work_map, 0, (size_t)part.start);
        toad__unscramble(toad__str_part(folded, (size_t)part.start, (size_t)part.end), &s->work, &s->work_map);
        if (s->work.status == TOAD_E_NOMEM || s->work_map.status == TOAD_E_NOMEM)
            s->status = TOAD_E_NOMEM;
        else if (!take_child(&job, "scrambled", toad__buf_str(&s->work), &s->work_map))
            return;
    }
}

/* ---- matching ---- */

static bool on_match(void *ctx, uint32_t rule, uint32_t start, uint32_t end) {
    matching *m = ctx;
    toad_scanner *s = m->s;
    const toad__rule *info = &s->engine->rules[m->set][rule];
    toad_span at = { start, end };
    if (m->within.end) {
        toad_span raw = toad__offmap_back(&m->view->map, at);
        if (raw.end <= m->within.start || raw.start >= m->within.end) return true;
    }
    if (info->gate[0]) {
        if (m->view) fire_gate(m, info->gate, at);
        return !s->status;
    }
    bool enough = false;
    if (!m->view)
        enough =
            toad__report_rule(s, m->set, rule, m->node, m->under, toad__offmap_back(&s->work_map, at), m->doubtful);
    else if (toad__verify(info->verify, toad__buf_str(&m->view->text), at))
        enough = toad__report_rule(s, m->set, rule, m->node, m->view, at, false);
    if (enough) toad__matcher_enough(s->matchers[m->set]);
    return !s->status;
}

static void match(matching *m, toad__match_set which, toad_str text, const uint8_t *lines) {
    bool unseen = m->node->flags & (TOAD__NODE_HIDDEN | TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED);
    for (m->set = 0; m->set < TOAD__SETS && !m->s->status; m->set++) {
        toad__matcher *matcher = m->s->matchers[m->set];
        if (!matcher) continue;
        toad__matcher_want(matcher, m->s->engine->wanted[m->set][m->s->strict + 2 * unseen]);
        toad__match(matcher, which, text, lines, on_match, m);
        if (toad__matcher_exhausted(matcher)) toad__incomplete(m->s, TOAD_MATCH_LIMIT);
    }
}

static bool fold(toad_scanner *s, toad__view *view, toad_str text, unsigned flags) {
    toad_status status = toad__fold(view, text, flags);
    if (status == TOAD_E_NOMEM) s->status = status;
    if (status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    return !s->status;
}

static void match_skeleton(matching *m, toad_str region, size_t from, bool symbols) {
    toad_scanner *s = m->s;
    toad__buf_clear(&s->work);
    toad__offmap_clear(&s->work_map);
    toad__offmap_add(&s->work_map, 0, from);
    if (toad__skeleton(region, symbols, &s->work, &s->work_map) == TOAD_E_NOMEM)
        s->status = TOAD_E_NOMEM;
    else
        match(m, TOAD__MATCH_SKELETON, toad__buf_str(&s->work), NULL);
}

static void match_typos(matching *m, toad_str region, size_t from) {
    toad_scanner *s = m->s;
    toad__buf_clear(&s->work);
    toad__offmap_clear(&s->work_map);
    toad__offmap_add(&s->work_map, 0, from);
    if (toad__fix_typos(region, &s->work, &s->work_map) >= TYPOS_NEEDED)
        match(m, TOAD__MATCH_TEXT, toad__buf_str(&s->work), NULL);
    if (s->work.status == TOAD_E_NOMEM || s->work_map.status == TOAD_E_NOMEM) s->status = TOAD_E_NOMEM;
}

/* Words spaced out, run together, in leet or misspelled, wherever the folded text has such regions. Are there
 * misspelled ones? */
static bool match_regions(toad_scanner *s, const toad__node *node, const toad__view *view) {
    toad_str text = toad__buf_str(&view->text);
    matching m = { .s = s, .node = node, .under = view };
    toad__region region;
    bool typos = false;
    for (size_t from = 0; !s->status && toad__region_next(text, &from, &region);) {
        toad_str part = toad__str_part(text, region.at.start, region.at.end);
        m.doubtful =
            region.kind == TOAD__REGION_TYPO || (region.kind == TOAD__REGION_LEET && memchr(part.p, '|', part.n));
        if (region.kind == TOAD__REGION_TYPO) {
            typos = true;
            match_typos(&m, part, region.at.start);
        } else {
            if (region.kind == TOAD__REGION_LEET) match_skeleton(&m, part, region.at.start, true);
            match_skeleton(&m, part, region.at.start, false);
        }
    }
    return typos;
}

/* A stretch of the node's text with blanks where the other view has nothing. What stands only in its margins has been
 * matched there. */
static void match_stretch(toad_scanner *s, const toad__node *node, size_t from, size_t to) {
    matching m = { .s = s,
                   .node = node,
                   .view = &s->blank,
                   .within = { from ? from + AROUND / 2 : 0, to < node->text.n ? to - AROUND / 2 : to } };
    from = toad__utf8_floor(node->text, from);
    to = to < node->text.n ? toad__utf8_floor(node->text, to) : to;
    if (!fold(s, &s->blank, toad__str_part(node->text, from, to), TOAD__FOLD_BLANK)) return;
    toad__offmap_shift(&s->blank.map, from);
    match(&m, TOAD__MATCH_TEXT, toad__buf_str(&s->blank.text), s->blank.lines);
}

/* May the view BLANK show something else here? Only what became nothing, blanks apart, or is a tag character, may. */
static bool shows_blank(toad_str text, toad__run run, toad__run next) {
    if (next.out > run.out) return next.in - run.in > next.out - run.out && (unsigned char)text.p[run.in] >= 0xF0;
    size_t at = run.in;
    while (at < next.in && toad__is_space((unsigned char)text.p[at])) at++;
    return at < next.in;
}

/* The view BLANK is read only where it differs from the other. */
static void match_blank(toad_scanner *s, const toad__node *node) {
    const toad__offmap *map = &s->drop.map;
    size_t from = 0, to = 0;
    for (size_t i = 0; i < map->n && !s->status; i++) {
        toad__run run = map->runs[i],
                  next = i + 1 < map->n ? map->runs[i + 1] : (toad__run){ map->out_len, map->in_len };
        if (!shows_blank(node->text, run, next)) continue;
        size_t start = run.in > AROUND ? run.in - AROUND : 0,
               end = next.in + AROUND < node->text.n ? next.in + AROUND : node->text.n;
        if (to && start > to) match_stretch(s, node, from, to);
        if (!to || start > to) from = start;
        to = end;
    }
    if (to && !s->status) match_stretch(s, node, from, to);
}

/* ---- what only C code sees ---- */

static void report_census(toad_scanner *s, const toad__node *node) {
    if (toad__sanitize_is_clean(node->text)) return;
    toad__census census;
    toad__buf_clear(&s->work);
    if (toad__sanitize(node->text, &s->work, NULL, &census) == TOAD_E_NOMEM) s->status = TOAD_E_NOMEM;
    for (int c = 0; c < TOAD__CENSUS_CLASSES; c++) {
        size_t i;
        bool strict_only = c == TOAD__CENSUS_TERMINAL_STYLE && s->strict; /* no escape sequence belongs in memory */
        if (!census.count[c] || !(census.reported[c] || strict_only)) continue;
        const char *id = toad__census_rule((toad__census_class)c);
        const toad__builtin *row = toad__builtin_find(id, &i);
        bool stray = c == TOAD__CENSUS_TAGS &&
                     census.count[c] < TAGS_NEEDED; /* one or two carry no text: a test, a broken flag */
        if (row) toad__report_builtin(s, id, node, census.first[c], strict_only || stray ? TOAD_LOW : row->severity);
    }
}

static void report_views(toad_scanner *s, const toad__node *node, const toad__view *view) {
    if (view->letters >= 40 && view->lookalikes * 5 > view->letters && view->lookalikes < view->letters)
        toad__report_builtin(s, "lookalike_text", node, (toad_span){ 0, node->text.n }, TOAD_LOW);
    for (size_t i = 0; i < view->map.n; i++) { /* of a long run of blanks one is left at most */
        toad__run run = view->map.runs[i];
        toad__run next =
            i + 1 < view->map.n ? view->map.runs[i + 1] : (toad__run){ view->map.out_len, view->map.in_len };
        if (next.out - run.out > 1 || next.in - run.in < PADDING_BLANKS || next.out == view->map.out_len || !run.out)
            continue;
        if (!toad__is_space((unsigned char)node->text.p[run.in])) continue;
        toad__report_builtin(s, "blank_padding", node, (toad_span){ run.in, next.in }, TOAD_LOW);
        return; /* a table has one on every line: the first says it, and a verdict has no room for all */
    }
}

/* ---- pages ---- */

static void derive_page(toad_scanner *s, const toad__node *node, const char *visible, const char *hidden) {
    toad__html_out *page = &s->page;
    if (page->status == TOAD_E_NOMEM) s->status = page->status;
    if (page->status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    if (page->depth_limit) toad__incomplete(s, TOAD_DEPTH_LIMIT);
    if (s->status) return;
    toad__scan_links(s, node, page);
    toad__node seen = child_of(node, visible, toad__buf_str(&page->visible), &page->visible_map);
    toad__node unseen = child_of(node, hidden, toad__buf_str(&page->hidden), &page->hidden_map);
    seen.flags |= TOAD__NODE_DERIVED;
    unseen.flags |= TOAD__NODE_DERIVED | TOAD__NODE_HIDDEN;
    if (page->visible.n && page->tags && !is_known(s, &seen)) derive(s, &seen);
    if (!page->pieces_n || is_known(s, &unseen)) return;
    toad__html_piece *pieces = toad__arena_alloc(&s->nodes, page->pieces_n * sizeof *pieces);
    if (!pieces) {
        toad__incomplete(s, TOAD_DECODE_LIMIT);
        return;
    }
    memcpy(pieces, page->pieces, page->pieces_n * sizeof *pieces);
    unseen.pieces = pieces;
    unseen.pieces_n = page->pieces_n;
    derive(s, &unseen);
}

/* Markup is dense enough that Markdown reading of the same bytes would only repeat the work. */
static bool is_page(const toad__html_out *page, size_t n) { return page->tags * 128 > n; }

/* Read the text as a page, whole, into s->page. Of the piece itself s->html remembers what the next piece goes on with:
 * up to there it is read once for both. */
static void read_page(toad_scanner *s, const toad__node *node) {
    toad__html_out_clear(&s->page);
    if (node->parent)
        toad__html_reset(s->html_ahead);
    else {
        if (s->take < node->text.n) toad__html_feed_sure(s->html, toad__str_part(node->text, 0, s->take), &s->page);
        toad__html_copy(s->html_ahead, s->html);
    }
    toad__html_feed(s->html_ahead, node->text, true, &s->page);
    if (node->parent) return;
    if (s->page.tags) s->html_open = true;
    if (!s->html_open) toad__html_reset(s->html);
}

/* Returns whether the text is a page, which is read as what was extracted from it. */
static bool extract(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    bool open = !node->parent && s->html_open, page = false;
    if (open || (hints->less && toad__html_has_markup(node->text))) {
        read_page(s, node);
        page = is_page(&s->page, node->text.n);
        if (s->page.tags || s->page.pieces_n || open) derive_page(s, node, "html", HIDDEN_STEP);
    }
    if (page || s->status || !node->text.n || !toad__markdown_wanted(node->text)) return page;
    toad__html_out_clear(&s->page);
    toad__markdown_extract(node->text, true, &s->page);
    s->page.tags = 1;
    derive_page(s, node, MARKDOWN_STEP, "markdown:hidden");
    return false;
}

/* ---- the order of work ---- */

static void scan_node(toad_scanner *s, const toad__node *node) {
    toad__hints hints;
    toad__hints_take(node->text, &hints);
    if (hints.non_ascii || hints.control) report_census(s, node);
    if (s->status || !fold(s, &s->drop, node->text, TOAD__FOLD_DROP)) return;
    s->fences.known = false;
    hints.all_shown = !s->drop.dropped && s->drop.map.in_len == node->text.n;
    report_views(s, node, &s->drop);
    matching m = { .s = s, .node = node, .view = &s->drop };
    match(&m, TOAD__MATCH_TEXT, toad__buf_str(&s->drop.text), s->drop.lines);
    bool again = !strcmp(node->step ? node->step : "", MARKDOWN_STEP); /* the raw text has the same regions */
    bool typos = !again && match_regions(s, node, &s->drop);
    read_scrambled(s, node, &s->drop, typos);
    if (!(node->flags & TOAD__NODE_DERIVED)) toad__scan_urls(s, node);
    if (!s->status && s->drop.dropped) match_blank(s, node);
    if (!s->status && !(node->flags & TOAD__NODE_DERIVED)) decode(s, node, &hints);
    bool page = !s->status && !(node->flags & TOAD__NODE_DERIVED) && extract(s, node, &hints);
    if (!s->status && !page) toad__learned(s, node, &s->drop);
}

static void reset_piece(toad_scanner *s, toad_str piece, uint64_t base) {
    if (s->nodes.blocks) toad__arena_free(&s->nodes);
    s->queue_head = s->queue_tail = NULL;
    s->children = 0;
    s->decode_room = piece.n * TOAD__LIMIT_DECODE_FACTOR + TOAD__LIMIT_DECODE_BASE;
    s->piece = piece;
    s->base = base;
    for (unsigned set = 0; set < TOAD__SETS; set++)
        if (s->tallied && s->tallies[set]) memset(s->tallies[set], 0, s->engine->counts[set] * sizeof *s->tallies[set]);
    s->tallied = s->prose_known = false;
}

/* UTF-16 or UTF-32: the text is a child, the bytes themselves say nothing. */
static bool scan_foreign(toad_scanner *s, toad__node *root) {
    const char *encoding = NULL;
    toad__buf_clear(&s->work);
    toad__offmap_clear(&s->work_map);
    toad_status status = toad__to_utf8(root->text, &s->work, &s->work_map, &encoding);
    if (status == TOAD_E_NOMEM) s->status = status;
    if (!encoding || s->status) return false;
    toad__node text = child_of(root, encoding, toad__buf_str(&s->work), &s->work_map);
    derive(s, &text);
    return true;
}

size_t toad__scan_piece(toad_scanner *s, toad_str piece, size_t take, uint64_t base, bool last) {
    reset_piece(s, piece, base);
    s->take = take;
    toad__node root = { .text = piece };
    bool was_open = s->html_open;
    if (!scan_foreign(s, &root)) scan_node(s, &root);
    for (toad__node *node = s->queue_head; node && !s->status; node = node->next) scan_node(s, node);
    if (last || !(was_open || s->html_open)) return take;
    toad__html_out_clear(&s->page);
    size_t taken = toad__html_feed(s->html, toad__str_part(piece, 0, take), false, &s->page);
    return taken ? taken : take;
}
