/* judge.c - severity comes from act, addressee and place, not from the phrase.
 *
 * The rule gives the severity of the plain, visible, unquoted text. Text that a person does not see, or that had to be
 * decoded, is raised; text that is quoted, stands in a code fence or is announced as an example is lowered by one step
 * (an order to drop but one instruction, whose words are quoted, too), all text of a piece that is about attacks by one
 * more; never to nothing. Whoever writes an attack can write all that around it as well: in what a stranger sent, what
 * is high is medium at least, and two acts that belong together are not lowered (judge_acts.c). */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#include <string.h>

#define QUOTE_REACH  160
#define CUE_REACH    64
#define FENCE_INDENT 32

static toad_severity up(toad_severity v) { return v < TOAD_HIGH ? (toad_severity)(v + 1) : TOAD_HIGH; }
static toad_severity down(toad_severity v) { return v > TOAD_LOW ? (toad_severity)(v - 1) : v; }

/* Places where ordinary pages keep text that is not on the screen. */
static bool is_weak(toad__hidden_reason r) {
    switch (r) {
    case TOAD__HIDDEN_ALT:
    case TOAD__HIDDEN_TITLE:
    case TOAD__HIDDEN_ARIA:
    case TOAD__HIDDEN_PLACEHOLDER:
    case TOAD__HIDDEN_META:
    case TOAD__HIDDEN_JSON_LD:
    case TOAD__HIDDEN_SCRIPT:
    case TOAD__HIDDEN_STYLE:
    case TOAD__HIDDEN_FALLBACK:
    case TOAD__HIDDEN_NOSCRIPT:
    case TOAD__HIDDEN_DATA:
    case TOAD__HIDDEN_ATTRIBUTE:
    case TOAD__HIDDEN_LINK:
    case TOAD__HIDDEN_FORM:
    case TOAD__HIDDEN_SVG: return true;
    default: return false;
    }
}

static toad__hidden_reason reason_at(const toad__node *node, uint64_t at) {
    size_t lo = 0, hi = node->pieces_n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (node->pieces[mid].end <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < node->pieces_n ? node->pieces[lo].reason : TOAD__HIDDEN_NOT;
}

/* How this span came to be read, over all steps. */
static unsigned flags_of(const toad__node *node, toad_span at) {
    unsigned flags = node->flags;
    for (; node->parent; node = node->parent) {
        if (node->pieces_n && is_weak(reason_at(node, at.start))) flags |= TOAD__NODE_WEAK;
        if (node->step->flags & TOAD__PLAIN && toad__is_needless(node->text, &node->map, at))
            flags |= TOAD__NODE_ENCODED; /* whatever the text around it is */
        at = toad__offmap_back(&node->map, at);
    }
    return flags;
}

/* Between letters of scripts that write no blanks nothing but the count tells an opening mark from a closing one. */
static bool opens_by_count(toad_str t, size_t floor, size_t at) {
    if (!at || (unsigned char)t.p[at - 1] < 0x80 || t.p[at] == '\'') return false;
    unsigned before = 0;
    for (size_t i = floor; i < at; i++) before += t.p[i] == t.p[at];
    return before % 2 == 0;
}

static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static bool is_word(char c) { return toad__is_alnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

/* Opened by a quotation mark on the left and closed by the same on the right, both near, on the outside of words, and
 * with no other such mark between: what stands between two quotations is not quoted. The left mark must open: an even
 * number of them precedes it in reach. */
static bool is_quoted(toad_str t, toad_span at) {
    while (at.start < at.end && !is_word(t.p[at.start]))
        at.start++; /* a rule may begin with the sign before its words */
    size_t floor = at.start > QUOTE_REACH ? at.start - QUOTE_REACH : 0,
           ceil = at.end + QUOTE_REACH < t.n ? at.end + QUOTE_REACH : t.n;
    for (size_t i = at.start; i > floor; i--) {
        char q = t.p[i - 1];
        if (!is_quote(q)) continue;
        bool opens = (i == 1 || !is_word(t.p[i - 2]) || opens_by_count(t, floor, i - 1)) && i < t.n && t.p[i] != ' ' &&
                     t.p[i] != ')' && t.p[i] != ',';
        if (!opens) {
            if (q == '\'') continue; /* an apostrophe */
            return false;
        }
        for (size_t k = at.end; k < ceil; k++)
            if (t.p[k] == q && t.p[k - 1] != ' ' &&
                (k + 1 == t.n || !is_word(t.p[k + 1]) || (q != '\'' && (unsigned char)t.p[k + 1] >= 0x80)))
                return true;
        return false;
    }
    return false;
}

/* Three backquotes with nothing but blanks and the marks of quotations and lists before them on their line. */
static void find_fences(toad__fences *f, toad_str t) {
    toad__buf_clear(&f->at);
    for (size_t i = toad__str_find(t, TOAD__S("```"), 0); i < t.n; i = toad__str_find(t, TOAD__S("```"), i + 3)) {
        uint32_t at = (uint32_t)i;
        size_t start = i;
        while (start && i - start < FENCE_INDENT && strchr(" \t>-*", t.p[start - 1]) && t.p[start - 1]) start--;
        if (!start || t.p[start - 1] == '\n' || t.p[start - 1] == '\r')
            toad__buf_add(&f->at, (const char *)&at, sizeof at);
    }
    f->known = true;
}

/* An odd number of code fences above and one below: the span of the text stands in a fenced block. */
static bool is_between(toad_scanner *s, toad__fences *f, toad_str t, toad_span at) {
    if (!f->known) find_fences(f, t);
    if (f->at.status) s->status = f->at.status;
    size_t lo = 0, n = f->at.n / sizeof(uint32_t), hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        uint32_t fence;
        memcpy(&fence, f->at.p + mid * sizeof fence, sizeof fence);
        if (fence < at.start)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo % 2 && lo < n;
}

/* In a fenced block of the node's text, or in one of the piece: of that, what was decoded is a part. */
static bool is_fenced(toad_scanner *s, const toad__node *node, toad_span at) {
    return is_between(s, &s->fences, node->text, at) ||
           (node->parent && is_between(s, &s->piece_fences, s->piece, toad__node_origin(node, at)));
}

/* Words that announce a mention rather than a use. */
static const char *const mention_cues[] = {
    "such as",
    "e.g.",
    "for example",
    "for instance",
    "phrases like",
    "phrase like",
    "telling you to",
    "telling it to",
    "telling the model to",
    "tells the model to",
    "tells you to",
    "asking it to",
    "asks the model to",
    "asks you to",
    "ask you to",
    "attempts to",
    "attempt to",
    "tries to",
    "trying to",
    "try to",
    "tested",
    "we test",
    "detects",
    "detected",
    "detect ",
    "blocks",
    "blocked",
    "matches",
    "flagged",
    "contains",
    "containing",
    "attack:",
    "example:",
    "payload:",
    "input:",
    "called",
    "known as",
    "instruct the model to",
    "instructs the model to",
    "instructing the model",
    "convince",
    "attacker",
    "prompt injection",
    "jailbreak",
    "said:",
    "says:",
    "reads:",
    "malicious",
    "poisoned",
    "injected",
    "trick to",
    "trick you",
    "tricks you",
    "tricking you",
    "crafted to",
};

static bool is_mentioned(toad_str t, toad_span at) {
    size_t from = at.start > CUE_REACH ? at.start - CUE_REACH : 0;
    for (size_t i = from; i < at.start; i++) { /* a cue begins where a word does */
        if (i > from && toad__is_alnum((unsigned char)t.p[i - 1])) continue;
        for (size_t k = 0; k < sizeof mention_cues / sizeof *mention_cues; k++)
            if (mention_cues[k][0] == t.p[i] &&
                toad__str_starts(toad__str_part(t, i, at.start), toad__str_z(mention_cues[k])))
                return true;
    }
    return false;
}

/* The bytes of `s` from `at` on, letters small, begin with `word`. */
static bool begins_with(toad_str s, size_t at, const char *word) {
    for (; *word; word++, at++)
        if (at == s.n || toad__lower((unsigned char)s.p[at]) != *word) return false;
    return true;
}

/* Words in the head of a list whose entries are not to be done; and words that make a reminder of it. */
static const char *const forbidding_cues[] = {
    "never", "not ", "not:", "don't", "refuse", "decline", "reject", "avoid"
};
static const char *const reminding_cues[] = { "forget", "skip", "optional", "hesitat", "fail",
                                              "omit",   "miss", "until",    "without", "unless" };
#define LIST_REACH 2048u /* bytes between the head of a list and an entry */

/* Where the line that `at` is in begins; not before `from`. */
static size_t line_start(toad_str t, size_t from, size_t at) {
    while (at > from && t.p[at - 1] != '\n') at--;
    return at;
}

/* Is `line`, without blanks around it, `- x` or `* x`: an entry of a list? */
static bool is_entry(toad_str line) {
    return line.n >= 2 && (line.p[0] == '-' || line.p[0] == '*') && line.p[1] == ' ';
}

/* Does a word of `t` begin with one of the `n` cues? */
static bool has_cue(toad_str t, const char *const *cues, size_t n) {
    for (size_t i = 0; i < t.n; i++) {
        if (i && toad__is_alnum((unsigned char)t.p[i - 1])) continue;
        for (size_t k = 0; k < n; k++)
            if (begins_with(t, i, cues[k])) return true;
    }
    return false;
}

static bool forbids(toad_str head) {
    return head.n && head.p[head.n - 1] == ':' &&
           has_cue(head, forbidding_cues, sizeof forbidding_cues / sizeof *forbidding_cues) &&
           !has_cue(head, reminding_cues, sizeof reminding_cues / sizeof *reminding_cues);
}

/* Does an entry of a list begin at `at`, whose head says that what follows is not to be done? */
static bool is_forbidden_entry(toad_str t, size_t at) {
    if (at < 2 || !is_entry(toad__str_part(t, at - 2, at))) return false; /* of most, no more is looked at */
    size_t from = at > LIST_REACH ? at - LIST_REACH : 0, start = line_start(t, from, at);
    if (toad__str_trim(toad__str_part(t, start, at)).n != 1) return false; /* the sign alone stands before it */
    while (start > from) { /* up over the other entries to the line above them */
        size_t end = start - 1;
        start = line_start(t, from, end);
        toad_str line = toad__str_trim(toad__str_part(t, start, end));
        if (line.n && !is_entry(line)) return forbids(line);
    }
    return false;
}

/* Words of those who write about attacks. */
static const char *const security_cues[] = {
    "prompt injection", "injection attack", "jailbreak", "attacker", "adversar", "vulnerab", "owasp", "mitigat",
    "red team",         "red-team",         "malicious", "exploit",  "threat",   "security", "llm01", "guardrail",
    "payload",          "untrusted",        "defense",   "defence",  "cve-",     "phishing", "xss",   "sanitiz",
    "exfiltrat",        "detect",           "bypass",    "safety",   "harmful",  "attack",
};
#define SECURITY_CUES  4u   /* so many different ones ... */
#define SECURITY_BYTES 667u /* ... and one for so many bytes, or for each KiB of a short text */

/* By the low five bits of the first letter of a cue: which second letters there are. Few words pass that. */
static void begin_pairs(uint32_t second[32]) {
    memset(second, 0, 32 * sizeof *second);
    for (size_t k = 0; k < sizeof security_cues / sizeof *security_cues; k++)
        second[security_cues[k][0] & 31] |= UINT32_C(1) << (security_cues[k][1] & 31);
}

/* Is this piece about attacks? One look at each word; asked for once a piece, and only when something was found in it.
 */
bool toad__is_security_prose(toad_scanner *s) {
    if (s->prose_known) return s->prose;
    uint64_t kinds = 0, count = 0;
    uint32_t second[32];
    toad_str t = s->piece;
    begin_pairs(second);
    for (size_t i = 0; i + 1 < t.n; i++) { /* no cue is one letter */
        if (!(second[t.p[i] & 31] >> (t.p[i + 1] & 31) & 1) || (i && toad__is_alnum((unsigned char)t.p[i - 1])))
            continue;
        for (size_t k = 0; k < sizeof security_cues / sizeof *security_cues; k++) {
            if ((security_cues[k][0] ^ t.p[i]) & 31 || !begins_with(t, i, security_cues[k])) continue;
            kinds |= (uint64_t)1 << k;
            count++;
            break;
        }
    }
    unsigned different = 0;
    for (; kinds; kinds &= kinds - 1) different++;
    s->prose_known = true;
    s->prose = different >= SECURITY_CUES && count * SECURITY_BYTES >= (t.n > 1024 ? t.n : 1024);
    return s->prose;
}

/* Part of the phrase was kept apart by characters that the sanitizer removes: whoever wrote it hid it. */
static bool is_smuggled(const toad__node *node, const toad__view *view, toad_span at) {
    if (!view || view->ascii || !view->dropped) return false;
    toad_span raw = toad__offmap_back(&view->map, at);
    return !toad__sanitize_is_clean(toad__str_part(node->text, raw.start, raw.end));
}

/* Is this how the text stands, and not one way of reading what somebody took care to write otherwise? */
static bool is_as_written(const toad__node *node) {
    return !node->step || node->step->flags & (TOAD__PAGE | TOAD__SAME);
}

/* Do these words stand in the piece as they do here? Then nobody encoded them, whatever was decoded around them. */
static bool stands_plain(const toad_scanner *s, const toad__node *node, toad_span at) {
    toad_span origin = toad__node_origin(node, at);
    return toad__str_eq(toad__str_part(s->piece, origin.start, origin.end),
                        toad__str_part(node->text, at.start, at.end));
}

/* What was decoded lost the fences around it, so that what they show as code was read as a page. */
static bool shows_as_code(toad_scanner *s, const toad__node *node, toad_span at) {
    return node->depth && s->options.kind != TOAD_KIND_WEB && stands_plain(s, node, at) &&
           is_between(s, &s->piece_fences, s->piece, toad__node_origin(node, at));
}

/* Words between an order to drop instructions and the very words of the one that is meant. */
static const char *const naming_cues[] = {
    "saying ", "stating ", "claiming ", "that say ", "that said ", "which say "
};
#define NAMED_BYTES 64u /* of these words, so that an act behind them is still near (judge_acts.c) */

/* Do quoted words stand at `i`, and does the sentence end behind them? */
static bool ends_quoted(toad_str t, size_t i) {
    if (i >= t.n || !is_quote(t.p[i])) return false;
    char mark = t.p[i++];
    size_t most = t.n - i < NAMED_BYTES ? t.n : i + NAMED_BYTES;
    while (i < most && t.p[i] != mark) i++;
    return i < most && (i + 1 == t.n || t.p[i + 1] == '.' || t.p[i + 1] == '!');
}

/* Is it an order to drop earlier instructions, and is what is to be dropped but one, whose words stand there and end
 * the sentence? `at` ends in or behind the last word. Of other rules the order that is to be done instead may come
 * last. */
static bool names_its_words(const toad__rule *rule, toad_str t, toad_span at) {
    if (strcmp(rule->id, "ignore_previous_instructions") && strcmp(rule->id, "ignore_joined")) return false;
    size_t i = at.end;
    while (i < t.n && toad__is_alnum((unsigned char)t.p[i])) i++;
    if (i == t.n || t.p[i++] != ' ') return false;
    for (size_t k = 0; k < sizeof naming_cues / sizeof *naming_cues; k++)
        if (begins_with(t, i, naming_cues[k])) return ends_quoted(t, i + strlen(naming_cues[k]));
    return false;
}

/* Is it a file of the reader's own project? All else may come from a stranger. */
static bool is_own(toad_kind kind) { return kind == TOAD_KIND_CODE || kind == TOAD_KIND_INSTRUCTION_FILE; }

/* What is seen, as it is written, and graver than low. */
static toad_severity in_its_place(toad_scanner *s, const toad__rule *rule, const toad__node *node,
                                  const toad__view *view, toad_span at, toad_span raw) {
    toad_str t = toad__buf_str(&view->text);
    toad_severity severity = rule->severity,
                  least = severity == TOAD_HIGH && !is_own(s->options.kind) ? TOAD_MEDIUM : TOAD_LOW;
    bool quoted = is_quoted(t, at), mentioned = is_mentioned(t, at) || is_forbidden_entry(node->text, raw.start);
    if (quoted || mentioned || names_its_words(rule, t, at) || is_fenced(s, node, raw)) severity = down(severity);
    if (quoted && mentioned && severity > least) severity = down(severity);
    if (severity > least && toad__is_security_prose(s)) severity = down(severity);
    return severity;
}

toad_severity toad__judge(toad_scanner *s, const toad__rule *rule, const toad__node *node, const toad__view *view,
                          toad_span at, toad_severity *ret_plain) {
    toad_span raw = view ? toad__offmap_back(&view->map, at) : at;
    unsigned flags = flags_of(node, raw);
    *ret_plain = TOAD_NONE;
    if (flags & (TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED) && stands_plain(s, node, raw))
        flags &= ~(unsigned)(TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED);
    if (flags & TOAD__NODE_HIDDEN && shows_as_code(s, node, raw)) flags &= ~(unsigned)TOAD__NODE_HIDDEN;
    toad_severity hidden = rule->hidden_severity != TOAD_NONE ? rule->hidden_severity : up(rule->severity);
    if (flags & (TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED)) return rule->severity == TOAD_NONE ? TOAD_LOW : hidden;
    if (flags & TOAD__NODE_HIDDEN) {
        if (!(flags & TOAD__NODE_WEAK)) return hidden;
        if (rule->severity == TOAD_NONE) return TOAD_LOW;
        return rule->severity >= TOAD_MEDIUM ? hidden : rule->severity;
    }
    if (rule->severity == TOAD_NONE) return TOAD_NONE;
    if (is_smuggled(node, view, at)) return hidden;
    if (rule->not_in_memory && s->options.kind == TOAD_KIND_MEMORY && is_as_written(node)) return TOAD_NONE;
    if (rule->tools_severity != TOAD_NONE && s->options.kind == TOAD_KIND_TOOL_DESCRIPTION) return rule->tools_severity;
    if (rule->low_in_instructions && s->options.kind == TOAD_KIND_INSTRUCTION_FILE && is_as_written(node))
        return TOAD_LOW;
    if (rule->severity == TOAD_LOW || !view) return rule->severity;
    *ret_plain = rule->severity;
    return in_its_place(s, rule, node, view, at, raw);
}
