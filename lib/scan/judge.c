/* judge.c - severity comes from act, addressee and place, not from the phrase (attacks.md sections 8 and 15).
 *
 * The rule gives the severity of the plain, visible, unquoted text. Text that a person does not see, or that had to be decoded, is raised;
 * text that is quoted, stands in a code fence or is announced as an example is lowered by one step, never to nothing. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#define QUOTE_REACH 160
#define CUE_REACH 64

static bzr_severity up(bzr_severity v) { return v < BZR_HIGH ? (bzr_severity)(v + 1) : BZR_HIGH; }
static bzr_severity down(bzr_severity v) { return v > BZR_LOW ? (bzr_severity)(v - 1) : v; }

/* Places where ordinary pages keep text that is not on the screen. */
static bool is_weak(bzr__hidden_reason r) {
    switch (r) {
    case BZR__HIDDEN_ALT: case BZR__HIDDEN_TITLE: case BZR__HIDDEN_ARIA: case BZR__HIDDEN_PLACEHOLDER: case BZR__HIDDEN_META:
    case BZR__HIDDEN_JSON_LD: case BZR__HIDDEN_SCRIPT: case BZR__HIDDEN_STYLE: case BZR__HIDDEN_FALLBACK: case BZR__HIDDEN_NOSCRIPT:
    case BZR__HIDDEN_DATA: case BZR__HIDDEN_ATTRIBUTE: case BZR__HIDDEN_LINK: case BZR__HIDDEN_FORM: case BZR__HIDDEN_SVG: return true;
    default: return false;
    }
}

static bzr__hidden_reason reason_at(const bzr__node *node, uint64_t at) {
    size_t lo = 0, hi = node->pieces_n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (node->pieces[mid].end <= at) lo = mid + 1;
        else hi = mid;
    }
    return lo < node->pieces_n ? node->pieces[lo].reason : BZR__HIDDEN_NOT;
}

/* How this span came to be read, over all steps. */
static unsigned flags_of(const bzr__node *node, bzr_span at) {
    unsigned flags = node->flags;
    for (; node->parent; node = node->parent) {
        if (node->pieces_n && is_weak(reason_at(node, at.start))) flags |= BZR__NODE_WEAK;
        at = bzr__offmap_back(&node->map, at);
    }
    return flags;
}

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static bool is_word(char c) { return bzr__is_alnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

/* Opened by a quotation mark on the left and closed by the same on the right, both near, on the outside of words, and with no other such
 * mark between: what stands between two quotations is not quoted. The left mark must open: an even number of them precedes it in reach. */
static bool is_quoted(bzr_str t, bzr_span at) {
    size_t floor = at.start > QUOTE_REACH ? at.start - QUOTE_REACH : 0, ceil = at.end + QUOTE_REACH < t.n ? at.end + QUOTE_REACH : t.n;
    for (size_t i = at.start; i > floor; i--) {
        char q = t.p[i - 1];
        if (!is_quote(q)) continue;
        bool opens = (i == 1 || !is_word(t.p[i - 2])) && i < t.n && t.p[i] != ' ' && t.p[i] != ')' && t.p[i] != ',';
        if (!opens) {
            if (q == '\'') continue; /* an apostrophe */
            return false;
        }
        for (size_t k = at.end; k < ceil; k++)
            if (t.p[k] == q && t.p[k - 1] != ' ' && (k + 1 == t.n || !is_word(t.p[k + 1]))) return true;
        return false;
    }
    return false;
}

/* An odd number of code fences above: the span stands in a fenced block. Fences are counted on line starts of the folded text. */
static bool is_fenced(const bzr__view *v, bzr_span at) {
    bzr_str t = bzr__buf_str(&v->text);
    bool open = false, closes = false;
    for (size_t i = bzr__str_find(t, BZR__S("```"), 0); i < t.n; i = bzr__str_find(t, BZR__S("```"), i + 3)) {
        if (!bzr__view_line_start(v, i)) continue;
        if (i < at.start) open = !open;
        else if (open) {
            closes = true;
            break;
        }
    }
    return open && closes;
}

/* Words that announce a mention rather than a use. */
static const char *const mention_cues[] = {
    "such as", "e.g.", "for example", "for instance", "phrases like", "phrase like", "telling you to", "telling it to", "telling the model to", "tells the model to",
    "tells you to", "asking it to", "asks the model to", "attempts to", "attempt to", "tries to", "trying to", "try to", "tested", "we test", "detects", "detect ",
    "blocks", "blocked", "matches", "flagged", "contains", "containing", "attack:", "example:", "payload:", "input:", "called", "known as",
    "instruct the model to", "instructs the model to", "instructing the model", "convince", "attacker", "prompt injection", "jailbreak", "said:", "says:", "reads:", "malicious", "poisoned", "injected",
};

static bool is_mentioned(bzr_str t, bzr_span at) {
    size_t from = at.start > CUE_REACH ? at.start - CUE_REACH : 0;
    bzr_str before = bzr__str_part(t, from, at.start);
    for (size_t i = 0; i < sizeof mention_cues / sizeof *mention_cues; i++)
        if (bzr__str_find(before, bzr__str_z(mention_cues[i]), 0) < before.n) return true;
    return false;
}

/* Part of the phrase was kept apart by characters that the sanitizer removes: whoever wrote it hid it. */
static bool is_smuggled(const bzr__node *node, const bzr__view *view, bzr_span at) {
    if (!view || view->ascii || !view->dropped) return false;
    bzr_span raw = bzr__offmap_back(&view->map, at);
    return !bzr__sanitize_is_clean(bzr__str_part(node->text, raw.start, raw.end));
}

bzr_severity bzr__judge(const bzr_scanner *s, const bzr__rule *rule, const bzr__node *node, const bzr__view *view, bzr_span at) {
    (void)s;
    bzr_span raw = view ? bzr__offmap_back(&view->map, at) : at;
    unsigned flags = flags_of(node, raw);
    bzr_severity hidden = rule->hidden_severity != BZR_NONE ? rule->hidden_severity : up(rule->severity);
    if (flags & (BZR__NODE_ENCODED | BZR__NODE_SMUGGLED)) return rule->severity == BZR_NONE ? BZR_LOW : hidden;
    if (flags & BZR__NODE_HIDDEN) {
        if (!(flags & BZR__NODE_WEAK)) return hidden;
        if (rule->severity == BZR_NONE) return BZR_LOW;
        return rule->severity >= BZR_MEDIUM ? hidden : rule->severity;
    }
    if (rule->severity == BZR_NONE) return BZR_NONE;
    if (is_smuggled(node, view, at)) return hidden;
    if (rule->severity == BZR_LOW || !view) return rule->severity;
    bzr_str t = bzr__buf_str(&view->text);
    return is_quoted(t, at) || is_mentioned(t, at) || is_fenced(view, at) ? down(rule->severity) : rule->severity;
}
