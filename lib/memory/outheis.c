/* outheis.c - outheis' own sanitizing and its `!` marker (seed 000), exactly as upstream has them. */
#include "bezoar/memory.h"
#include "lib/base/buf.h"
#include "lib/base/utf8.h"
#include "lib/memory/pyspace.h"

/* Seed 000's class. */
static bool is_invisible(uint32_t c) {
    return c <= 8 || c == 0x0B || c == 0x0C || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0xAD ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

bzr_status bzr_memory_outheis_sanitize(bzr_str text, bzr_text **ret) {
    bzr__buf kept, out;
    bzr__buf_init(&kept, SIZE_MAX / 4);
    bzr__buf_init(&out, SIZE_MAX / 4);
    for (size_t i = 0; i < text.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(text, i, &len);
        if (!is_invisible(c)) bzr__buf_add_str(&kept, bzr__str_part(text, i, i + len));
        i += len;
    }
    bzr__buf_add_str(&out, bzr__pyspace_trim(bzr__buf_str(&kept)));
    bzr_status status = kept.status;
    bzr__buf_free(&kept);
    if (!status) status = bzr__buf_to_text(&out, ret);
    bzr__buf_free(&out);
    return status;
}

/* Is one of `words` a part of `s`, ASCII case ignored? */
static bool holds_any(bzr_str s, const char *const *words) {
    for (; *words; words++) {
        bzr_str word = bzr__str_z(*words);
        for (size_t i = 0; i + word.n <= s.n; i++)
            if (bzr__str_ieq(bzr__str_part(s, i, i + word.n), word)) return true;
    }
    return false;
}

static size_t code_points(bzr_str s) {
    size_t n = 0;
    unsigned len;
    for (size_t i = 0; i < s.n; i += len, n++) bzr__utf8_decode(s, i, &len);
    return n;
}

void bzr_memory_explicit(bzr_str text, bzr_str *content, const char **type, bzr_str *remaining) {
    static const char *const feedback[] = { "prefer", "please", "always", "never",  "response", "format",
                                            "style",  "short",  "long",   "formal", "casual",   NULL };
    static const char *const context[] = { "working", "project", "currently", "focus", "deadline", "this week", NULL };
    text = bzr__pyspace_trim(text);
    *content = (bzr_str){ NULL, 0 };
    *type = NULL;
    *remaining = text;
    if (!bzr__str_starts(text, BZR__S("!")) || code_points(text) < 3) return;
    bzr_str rest = bzr__pyspace_trim(bzr__str_part(text, 1, text.n));
    if (!rest.n || rest.p[0] == '!') return;
    *content = rest;
    *type = holds_any(rest, feedback) ? "feedback" : holds_any(rest, context) ? "context" : "user";
    *remaining = BZR__S("");
}
