/* passage.c - see passage.h. */
#include "app/act/passage.h"

#include "lib/base/str.h"

enum {
    GAP = 600,    /* bytes between two findings of one passage, at most */
    BEFORE = 160, /* bytes a passage reaches before its first finding, at most */
    BEHIND = 120, /* ... and behind its last */
    KEY = 20,     /* bytes of a name before a colon, at most */
};

/* Does a field of a record end at `i`: a closing quote before a bracket or comma, or a line that begins with a name and
 * a colon? *behind: where what follows begins. */
static bool is_border(toad_str s, size_t i, size_t *behind) {
    char c = s.p[i];
    if (c == '"' || c == '\'') {
        *behind = i + 1;
        return (!i || s.p[i - 1] != '\\') && i + 1 < s.n && memchr(",]}", s.p[i + 1], 3);
    }
    if (c != '\n') return false;
    size_t at = i + 1;
    while (at < s.n && toad__is_blank((unsigned char)s.p[at])) at++;
    if (at + 1 < s.n && s.p[at] == '-' && s.p[at + 1] == ' ') at += 2;
    size_t key = at;
    while (at < s.n && at - key <= KEY && (toad__is_alpha((unsigned char)s.p[at]) || s.p[at] == '_')) at++;
    *behind = at + 1;
    return at - key >= 2 && at - key <= KEY && at + 1 < s.n && s.p[at] == ':' &&
           toad__is_space((unsigned char)s.p[at + 1]);
}

static bool has_border(toad_str s, size_t from, size_t to) {
    size_t behind;
    for (size_t i = from; i < to; i++)
        if (is_border(s, i, &behind)) return true;
    return false;
}

static bool ends_sentence(toad_str s, size_t i) {
    return s.p[i] == '\n' || (toad__is_space((unsigned char)s.p[i]) && i && memchr(".!?", s.p[i - 1], 3));
}

static toad_span widen(toad_str s, toad_span finding) {
    size_t from = finding.start > BEFORE ? finding.start - BEFORE : 0, to = finding.end, behind;
    size_t most = s.n - to < BEHIND ? s.n : to + BEHIND;
    for (size_t i = from; i < finding.start; i++) {
        if (ends_sentence(s, i)) from = i + 1;
        if (is_border(s, i, &behind) && behind <= finding.start) from = behind;
    }
    while (to < most && !is_border(s, to, &behind)) to++;
    return (toad_span){ from, to };
}

toad_status toad__passages_of(const toad_verdict *verdict, toad_str text, toad__arena *arena, toad__passages *ret) {
    size_t count = toad_verdict_count(verdict), n = 0;
    toad_span *at = count ? toad__arena_alloc(arena, count * sizeof *at) : NULL;
    if (count && !at) return TOAD_E_NOMEM;
    for (size_t i = 0; i < count; i++) { /* sorted by where they begin */
        const toad_finding *f = toad_verdict_finding(verdict, i);
        toad_span span = { f->span.start < text.n ? f->span.start : text.n,
                           f->span.end < text.n ? f->span.end : text.n };
        if (f->severity < TOAD_MEDIUM && strcmp(f->rule, "learned_injection") != 0) continue;
        bool near = n && (span.start <= at[n - 1].end ||
                          (span.start - at[n - 1].end <= GAP && !has_border(text, at[n - 1].end, span.start)));
        if (near && span.end > at[n - 1].end) at[n - 1].end = span.end;
        if (!near) at[n++] = span;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        toad_span wide = widen(text, at[i]);
        if (kept && wide.start <= at[kept - 1].end)
            at[kept - 1].end = wide.end > at[kept - 1].end ? wide.end : at[kept - 1].end;
        else
            at[kept++] = wide;
    }
    *ret = (toad__passages){ at, kept };
    return TOAD_OK;
}
