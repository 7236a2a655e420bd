/* openclaw_suspicious.c - OpenClaw's detectSuspiciousPatterns, exactly: fourteen expressions, ASCII case ignored, only
 * ever logged there.
 *
 * Each is a chain of steps tried at every place where its first word stands; no step can be entered twice with profit,
 * so there is nothing to backtrack into, but for one optional group that is tried with and without. For detection use
 * the scanner: these miss most attacks and hit plain text. */
#include "compat/upstream.h"

/* \s+ ; 0 if there is none. */
static size_t space(toad_str s, size_t at) {
    size_t i = at ? toad__jsspace(s, at) : 0;
    return i > at ? i : 0;
}

/* Any of the words (separated by '|'), longest first where one begins another; 0 if none. */
static size_t any(toad_str s, size_t at, const char *words) {
    char word[32];
    while (at && *words) {
        size_t n = strcspn(words, "|");
        memcpy(word, words, n);
        word[n] = 0;
        size_t end = toad__ieat(s, at, word);
        if (end) return end;
        words += n + (words[n] == '|');
    }
    return 0;
}

/* A\s+B */
static size_t word_space_any(toad_str s, size_t at, const char *a, const char *b) {
    size_t i = any(s, at, a);
    i = i ? space(s, i) : 0;
    return i ? any(s, i, b) : 0;
}

/* WORD\s+(all\s+)?(previous|prior|above) */
static size_t verb_previous(toad_str s, size_t at, const char *verb) {
    size_t i = any(s, at, verb);
    i = i ? space(s, i) : 0;
    size_t all = i ? any(s, i, "all") : 0;
    all = all ? space(s, all) : 0;
    return i ? any(s, all ? all : i, "previous|prior|above") : 0;
}

static bool ignore_previous(toad_str s, size_t at) {
    size_t i = verb_previous(s, at, "ignore");
    i = i ? space(s, i) : 0;
    return i && any(s, i, "instruction|prompt");
}
static bool disregard(toad_str s, size_t at) { return verb_previous(s, at, "disregard") != 0; }
static bool forget(toad_str s, size_t at) {
    size_t i = word_space_any(s, at, "forget", "everything|all|your");
    i = i ? space(s, i) : 0;
    return i && any(s, i, "instruction|rule|guideline");
}
static bool you_are_now(toad_str s, size_t at) {
    size_t i = word_space_any(s, at, "you", "are");
    i = i ? space(s, i) : 0;
    i = i ? word_space_any(s, i, "now", "an|a") : 0;
    if (!i) return false;
    return space(s, i) != 0;
}
static bool new_instructions(toad_str s, size_t at) {
    size_t i = word_space_any(s, at, "new", "instructions|instruction");
    return i && any(s, i, ":");
}
static bool system_prompt(toad_str s, size_t at) {
    size_t i = any(s, at, "system");
    if (!i) return false;
    i = toad__jsspace(s, i);
    size_t colon = any(s, i, ":");
    return any(s, toad__jsspace(s, colon ? colon : i), "prompt|override|command") != 0;
}

static bool is_word(toad_str s, size_t at) {
    return at < s.n && (toad__is_alnum((unsigned char)s.p[at]) || s.p[at] == '_');
}

/* Offset of the first `exec` of the line from `at` on that is a word, or `end`. */
static size_t exec_word(toad_str s, size_t at, size_t end) {
    for (; at < end; at++) {
        size_t after = (s.p[at] | 0x20) == 'e' ? any(s, at, "exec") : 0;
        if (after && !is_word(s, after) && !is_word(s, at - 1)) return after;
    }
    return end;
}

/* \bexec\b.*command\s*= : a line is searched once, from its first `exec` on. */
static bool exec_command(toad_str s) {
    for (size_t line = 1; line < s.n;) {
        size_t end = line;
        while (end < s.n && s.p[end] != '\n' && s.p[end] != '\r') end++;
        for (size_t i = exec_word(s, line, end); i < end; i++) {
            size_t k = (s.p[i] | 0x20) == 'c' ? any(s, i, "command") : 0;
            if (k && any(s, toad__jsspace(s, k), "=")) return true;
        }
        line = end + 1;
    }
    return false;
}
static bool elevated(toad_str s, size_t at) {
    size_t i = any(s, at, "elevated");
    i = i ? any(s, toad__jsspace(s, i), "=") : 0;
    return i && any(s, toad__jsspace(s, i), "true");
}
static bool rm_rf(toad_str s, size_t at) { return word_space_any(s, at, "rm", "-rf") != 0; }
static bool delete_all(toad_str s, size_t at) {
    size_t i = word_space_any(s, at, "delete", "all");
    i = i ? space(s, i) : 0;
    return i && any(s, i, "email|file|data");
}
static bool system_tag(toad_str s, size_t at) { return any(s, at, "<system>|</system>") != 0; }

/* \]\s*\n\s*\[?(system|assistant|user)\]?: */
static bool role_after_bracket(toad_str s, size_t at) {
    size_t i = any(s, at, "]");
    size_t end = i ? toad__jsspace(s, i) : 0;
    if (!i || toad__str_find(toad__str_part(s, 0, end), TOAD__S("\n"), i) >= end) return false;
    size_t open = any(s, end, "[");
    i = any(s, open ? open : end, "system|assistant|user");
    size_t close = i ? any(s, i, "]") : 0;
    return i && any(s, close ? close : i, ":");
}

/* \[\s*(System\s*Message|System|Assistant|Internal)\s*\] */
static bool bracketed_role(toad_str s, size_t at) {
    size_t i = any(s, at, "[");
    if (!i) return false;
    i = any(s, toad__jsspace(s, i), "system|assistant|internal");
    if (!i) return false;
    size_t message = any(s, toad__jsspace(s, i), "message");
    return any(s, toad__jsspace(s, message ? message : i), "]") != 0;
}

/* ^\s*System:\s+ in each line */
static bool system_line(toad_str s, size_t at) {
    size_t i = any(s, at, "system:");
    if (!i || !space(s, i)) return false;
    for (size_t k = at; k > 0; k--) {
        unsigned char c = (unsigned char)s.p[k - 1];
        if (c == '\n' || c == '\r' || k == 1) return c == '\n' || c == '\r' || c == 0;
        if (c != ' ' && (c < 9 || c > 13)) return false;
    }
    return true;
}

static const struct pattern {
    char first, other;                    /* the byte a match begins with, lower and upper case */
    bool (*match)(toad_str s, size_t at); /* NULL: exec_command, which looks at the whole text */
    const char *source;
} patterns[] = {
    { 'i', 'I', ignore_previous, "ignore\\s+(all\\s+)?(previous|prior|above)\\s+(instructions?|prompts?)" },
    { 'd', 'D', disregard, "disregard\\s+(all\\s+)?(previous|prior|above)" },
    { 'f', 'F', forget, "forget\\s+(everything|all|your)\\s+(instructions?|rules?|guidelines?)" },
    { 'y', 'Y', you_are_now, "you\\s+are\\s+now\\s+(a|an)\\s+" },
    { 'n', 'N', new_instructions, "new\\s+instructions?:" },
    { 's', 'S', system_prompt, "system\\s*:?\\s*(prompt|override|command)" },
    { 0, 0, NULL, "\\bexec\\b.*command\\s*=" },
    { 'e', 'E', elevated, "elevated\\s*=\\s*true" },
    { 'r', 'R', rm_rf, "rm\\s+-rf" },
    { 'd', 'D', delete_all, "delete\\s+all\\s+(emails?|files?|data)" },
    { '<', '<', system_tag, "<\\/?system>" },
    { ']', ']', role_after_bracket, "\\]\\s*\\n\\s*\\[?(system|assistant|user)\\]?:" },
    { '[', '[', bracketed_role, "\\[\\s*(System\\s*Message|System|Assistant|Internal)\\s*\\]" },
    { 's', 'S', system_line, "^\\s*System:\\s+" },
};

toad_status toad_openclaw_suspicious(toad_str content, toad_text **ret) {
    toad__buf out, text;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_init(&text, SIZE_MAX / 4);
    /* one NUL in front, so that no match begins at offset 0, which means "none" to the steps; it is no \w and no white
     * space */
    toad__buf_add_c(&text, 0);
    toad__buf_add_str(&text, content);
    toad_str s = toad__buf_str(&text);
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        const struct pattern *p = &patterns[k];
        bool hit = false;
        if (!p->match) hit = exec_command(s);
        for (size_t i = 1; p->match && i < s.n && !hit; i++)
            hit = (s.p[i] == p->first || s.p[i] == p->other) && p->match(s, i);
        if (!hit) continue;
        if (out.n) toad__buf_add_c(&out, '\n');
        toad__buf_add_z(&out, p->source);
    }
    toad_status status = text.status;
    toad__buf_free(&text);
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}
