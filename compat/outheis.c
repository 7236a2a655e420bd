/* outheis.c - the memory of outheis: its sanitizing, its lines, its `!` marker, its prompt and its news block. */
#include "compat/upstream.h"
#include "lib/base/utf8.h"
#include "lib/memory/pyspace.h"

/* outheis' class. */
static bool is_invisible(uint32_t c) {
    return c <= 8 || c == 0x0B || c == 0x0C || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0xAD ||
           (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x2064) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFC);
}

toad_status toad_outheis_sanitize(toad_str text, toad_text **ret) {
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

void toad_outheis_explicit(toad_str text, toad_str *content, const char **type, toad_str *remaining) {
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

toad_status toad_outheis_line(toad_str text, toad_str source, toad_str date, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "- ");
    toad__buf_add_str(&out, text);
    toad__buf_add_z(&out, "  <!-- ");
    toad__buf_add_str(&out, date);
    if (!toad__str_eq(source, TOAD__S("agent"))) {
        toad__buf_add_z(&out, " source:");
        toad__buf_add_str(&out, source);
    }
    toad__buf_add_z(&out, " -->\n");
    return toad__finish(&out, ret);
}

/* ---- for a prompt ---- */

static toad_status add_line(toad__buf *out, toad_str text, toad_str source) {
    bool external = toad__str_eq(source, TOAD__S("external"));
    toad__buf_add_z(out, external ? "- <external_content>" : "- ");
    toad__buf_add_str(out, text);
    if (external) toad__buf_add_z(out, "</external_content>");
    return out->status;
}

static toad_status add_safe_line(toad__buf *out, const toad_memory_view *entry) {
    toad_provenance by = toad__str_eq(entry->source, TOAD__S("external")) ? TOAD_EXTERNAL : TOAD_USER;
    toad_text *line;
    toad_status status = toad_memory_prompt_line(entry->text, by, &line);
    if (status) return status;
    toad__buf_add_str(out, toad_text_str(line));
    toad_text_free(line);
    return out->status;
}

toad_status toad_outheis_prompt_line(toad_str text, toad_str source, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    add_line(&out, text, source);
    return toad__finish(&out, ret);
}

toad_status toad_outheis_prompt(const toad_memory_view *entries, size_t n, bool exact, toad_text **ret) {
    static const char *const sections[][2] = { { "user", "## About the user" },
                                               { "feedback", "## Working preferences" },
                                               { "context", "## Current context" } };
    toad__buf out;
    toad_status status = TOAD_OK;
    toad__buf_init(&out, SIZE_MAX / 4);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        bool headed = false;
        for (size_t i = 0; i < n && !status; i++) {
            if (!toad__str_eq(entries[i].type, toad__str_z(sections[k][0]))) continue;
            if (!headed) toad__buf_add_z(&out, out.n ? "\n\n" : "# Memory\n\n");
            if (!headed) toad__buf_add_z(&out, sections[k][1]);
            toad__buf_add_c(&out, '\n');
            headed = true;
            status = exact ? add_line(&out, entries[i].text, entries[i].source) : add_safe_line(&out, &entries[i]);
        }
    }
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

toad_status toad_outheis_wrap(toad_str text, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "<external_content>");
    toad__buf_add_str(&out, text);
    toad__buf_add_z(&out, "</external_content>");
    return toad__finish(&out, ret);
}

toad_status toad_outheis_agenda(toad_str name, bool success, const toad_str *headlines, size_t n, toad_str error,
                                toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "## ");
    toad__buf_add_str(&out, name);
    if (!success) {
        toad__buf_add_z(&out, " (Error)\n\n_");
        toad__buf_add_str(&out, error);
        toad__buf_add_z(&out, "_\n");
        return toad__finish(&out, ret);
    }
    toad__buf_add_c(&out, '\n');
    for (size_t i = 0; i < n; i++) {
        add_line(&out, headlines[i], TOAD__S("external"));
        toad__buf_add_c(&out, '\n');
    }
    return toad__finish(&out, ret);
}

toad_status toad_wrap_external_content(toad_str text, toad_text **ret) {
    return toad__compat_wrap(TOAD_ENVELOPE_EXTERNAL_CONTENT, text, TOAD__S(""), false, ret);
}
