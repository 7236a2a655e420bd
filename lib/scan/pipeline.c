/* pipeline.c - one piece of input from bytes to findings.
 *
 * The root node is the piece as it came. For every node: sanitizer census, folded views, match, skeleton regions,
 * gates, decoders (decodings.c), page extraction (pages.c); each derived text is a further node of the queue (queue.c).
 */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/disguise/disguise.h"
#include "lib/scan/scanner.h"
#include "lib/text/encoding.h"

#define TAGS_NEEDED    3
#define PADDING_BLANKS 80
/* Bytes that are read on either side of what only the view BLANK shows: about twice the longest match of a rule. */
#define AROUND       1024u
#define GATES_MAX    32    /* as many as there are transforms (decode.h): a text may have a decoy for each */
#define GATE_OVERLAP 1024u /* bytes that the regions of two gates share */

typedef struct gate {
    const char *transform;
    uint64_t end;   /* of the last region that was read by it */
    uint64_t until; /* a match before here was dealt with by that */
} gate;

typedef struct matching {
    toad_scanner *s;
    const toad__node *node;
    const toad__view *view; /* NULL: the matched text is s->work, mapped into `under` */
    const toad__view *under;
    bool doubtful;
    toad_span within; /* of the node's text, if not empty: matches wholly outside are of no interest */
    unsigned set;
    gate gates[GATES_MAX]; /* the last place where each transform was tried */
    size_t gates_n;
} matching;

/* ---- matching ---- */

/* An offset of what `map` leads to from which all comes from `in` or before it. */
static size_t offset_before(const toad__offmap *map, size_t in) {
    size_t lo = 0, hi = map->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (map->runs[mid].in <= in)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo) return 0;
    toad__run run = map->runs[lo - 1], next = lo < map->n ? map->runs[lo] : (toad__run){ map->out_len, map->in_len };
    return next.out - run.out == next.in - run.in ? run.out + (in - run.in) : run.out;
}

/* Was the text, or one that it came from, read by this transform? Undone twice, most give back what was there. */
static bool is_undone(const toad__node *node, const char *transform) {
    for (; node->parent; node = node->parent)
        if (!strcmp(node->step->name, transform)) return true;
    return false;
}

/* The text around the match at `at` of the view may be in a cipher. It is read once by each transform: the next gate
 * that is of interest stands where the region of this one ends, or so near its end that not enough was seen behind it.
 */
static void fire_gate(matching *m, const char *transform, toad_span at) {
    toad_str text = m->node->text;
    toad_span here = toad__offmap_back(&m->view->map, at);
    size_t i = 0;
    while (i < m->gates_n && strcmp(m->gates[i].transform, transform) != 0) i++;
    bool too_deep = m->node->depth >= TOAD__LIMIT_DECODE_DEPTH;
    if (too_deep && !is_undone(m->node, transform)) toad__incomplete(m->s, TOAD_DEPTH_LIMIT);
    if (i == GATES_MAX || too_deep) return;
    if (i == m->gates_n)
        m->gates[m->gates_n++] = (gate){ transform, 0, is_undone(m->node, transform) ? UINT64_MAX : 0 };
    gate *g = &m->gates[i];
    if (here.start >= g->until) {
        toad_span region = toad__transform_region(text, here);
        if (region.start + GATE_OVERLAP < g->end) region.start = toad__utf8_floor(text, g->end - GATE_OVERLAP);
        g->end = region.end;
        g->until = region.end - (region.end < text.n && region.end > here.end + GATE_OVERLAP ? GATE_OVERLAP : 0);
        toad__transform_at(m->s, m->node, transform, region);
    }
    size_t until = g->until < text.n ? offset_before(&m->view->map, g->until) : UINT32_MAX;
    toad__matcher_skip(m->s->matchers[m->set], (uint32_t)until);
}

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
    if (enough) toad__matcher_skip(s->matchers[m->set], UINT32_MAX);
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

/* Words apart, run together, cut up, in leet, misspelled or shuffled, wherever the folded text has them. `again`: the
 * same text was read for all but the last. */
static void read_disguises(toad_scanner *s, const toad__node *node, const toad__view *view, bool again) {
    matching m = { .s = s, .node = node, .under = view };
    toad__disguise first = again ? TOAD__SHUFFLED : TOAD__APART;
    toad__disguises d = toad__disguises_of(toad__buf_str(&view->text), first, &s->work, &s->work_map);
    for (toad__reading r; !s->status && toad__disguise_next(&d, &r);) {
        m.doubtful = r.doubtful;
        if (r.kind == TOAD__SHUFFLED) {
            if (!toad__take_shuffled(s, node, view, r.text, &s->work_map)) break;
        } else
            match(&m, r.kind == TOAD__MISSPELLED ? TOAD__MATCH_TEXT : TOAD__MATCH_SKELETON, r.text, NULL);
    }
    toad_status status = s->work.status ? s->work.status : s->work_map.status;
    if (status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    if (status == TOAD_E_NOMEM || s->work_map.status == TOAD_E_NOMEM) s->status = TOAD_E_NOMEM;
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

/* Its characters were written as escapes, as in tables of emoji: everybody sees those. What they say is decoded anyway.
 */
static bool is_spelled(const toad__node *node) {
    for (; node->parent; node = node->parent)
        if (!strncmp(node->step->name, "escape", 6)) return true;
    return false;
}

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
        bool stray =
            c == TOAD__CENSUS_TAGS &&
            (is_spelled(node) || census.count[c] < TAGS_NEEDED); /* one or two carry no text: a test, a broken flag */
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
    bool again = node->step && node->step->flags & TOAD__SAME; /* its words were looked at where they came from */
    read_disguises(s, node, &s->drop, again);
    if (!(node->flags & TOAD__NODE_DERIVED)) toad__scan_urls(s, node);
    if (!s->status && s->drop.dropped) match_blank(s, node);
    if (!s->status && !(node->flags & TOAD__NODE_DERIVED)) toad__decode(s, node, &hints);
    bool page = !s->status && !(node->flags & TOAD__NODE_DERIVED) && toad__extract(s, node, &hints);
    if (!s->status && !page) toad__learned(s, node, &s->drop);
}

/* UTF-16 or UTF-32: the text is a child, the bytes themselves say nothing. `how` lives as long as the piece. */
static bool scan_foreign(toad_scanner *s, const toad__node *root, toad__step *how) {
    toad__buf_clear(&s->work);
    toad__offmap_clear(&s->work_map);
    toad_status status = toad__to_utf8(root->text, &s->work, &s->work_map, &how->name);
    if (status == TOAD_E_NOMEM) s->status = status;
    if (!how->name || s->status) return false;
    toad__node text = toad__child_of(root, how, toad__buf_str(&s->work), &s->work_map);
    toad__derive(s, &text);
    return true;
}

void toad__piece_scan(toad_scanner *s) {
    toad__node root = { .text = s->piece };
    s->piece_fences.known = false;
    toad__step how = { NULL, 0 };
    if (!scan_foreign(s, &root, &how)) scan_node(s, &root);
    for (toad__node *node = s->queue_head; node && !s->status; node = node->next) scan_node(s, node);
    toad__acts_restore(s);
}
