/* outheis.c - outheis' own sanitizing and its `!` marker, exactly as upstream has them. */
#include "lib/base/buf.h"
#include "lib/base/utf8.h"
#include "lib/memory/pyspace.h"
#include "toadstone/memory.h"

/* outheis' class. */
static bool is_invisible(uint32_t c) {
    return c <= 8 || c == 0x0B || c == 0x0C || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0xAD ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

toad_status toad_memory_outheis_sanitize(toad_str text, toad_text **ret) {
    toad__buf kept, out;
    toad__buf_init(&kept, SIZE_MAX / 4);
    toad__buf_init(&out, SIZE_MAX / 4);
    for (size_t i = 0; i < text.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(text, i, &len);
        if (!is_invisible(c)) toad__buf_add_str(&kept, toad__str_part(text, i, i + len));
        i += len;
    }
    toad__buf_add_str(&out, toad__pyspace_trim(toad__buf_str(&kept)));
    toad_status status = kept.status;
    toad__buf_free(&kept);
    if (!status) status = toad__buf_to_text(&out, ret);
    toad__buf_free(&out);
    return status;
}

/* Is one of `words` a part of `s`, ASCII case ignored? */
static bool holds_any(toad_str s, const char *const *words) {
    for (; *words; words++) {
        toad_str word = toad__str_z(*words);
        for (size_t i = 0; i + word.n <= s.n; i++)
            if (toad__str_ieq(toad__str_part(s, i, i + word.n), word)) return true;
    }
    return false;
}

static size_t code_points(toad_str s) {
    size_t n = 0;
    unsigned len;
    for (size_t i = 0; i < s.n; i += len, n++) toad__utf8_decode(s, i, &len);
    return n;
}

void toad_memory_explicit(toad_str text, toad_str *content, const char **type, toad_str *remaining) {
    static const char *const feedback[] = { "prefer", "please", "always", "never",  "response", "format",
                                            "style",  "short",  "long",   "formal", "casual",   NULL };
    static const char *const context[] = { "working", "project", "currently", "focus", "deadline", "this week", NULL };
    text = toad__pyspace_trim(text);
    *content = (toad_str){ NULL, 0 };
    *type = NULL;
    *remaining = text;
    if (!toad__str_starts(text, TOAD__S("!")) || code_points(text) < 3) return;
    toad_str rest = toad__pyspace_trim(toad__str_part(text, 1, text.n));
    if (!rest.n || rest.p[0] == '!') return;
    *content = rest;
    *type = holds_any(rest, feedback) ? "feedback" : holds_any(rest, context) ? "context" : "user";
    *remaining = TOAD__S("");
}
