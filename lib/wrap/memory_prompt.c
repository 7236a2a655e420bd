/* memory_prompt.c - memory entries for a prompt, in outheis' layout (seed 000): external ones inside
 * <external_content>.
 *
 * An entry is one line: upstream let a line break in an external entry make a second bullet outside the tag. The exact
 * form is upstream's, byte for byte; the other neutralizes what it shows. */
#include "bezoar/memory.h"
#include "bezoar/wrap.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"
#include "lib/wrap/envelope.h"

/* `s` with each run of line breaks as one blank. */
static void add_flat(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(s, i, &len);
        bool is_break = (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
        if (!is_break)
            bzr__buf_add_str(out, bzr__str_part(s, i, i + len));
        else if (out->n && out->p[out->n - 1] != ' ')
            bzr__buf_add_c(out, ' ');
        i += len;
    }
}

static bzr_status add_line(bzr__buf *out, bzr_str text, bzr_str source, bool exact) {
    bool external = bzr__str_eq(source, BZR__S("external"));
    bzr_text *safe = NULL;
    if (!exact) {
        bzr_status status = bzr_neutralize(text, true, &safe);
        if (status) return status;
        text = bzr_text_str(safe);
    }
    bzr__buf_add_z(out, external ? "- <external_content>" : "- ");
    if (exact)
        bzr__buf_add_str(out, text);
    else
        add_flat(out, text);
    if (external) bzr__buf_add_z(out, "</external_content>");
    bzr_text_free(safe);
    return out->status;
}

bzr_status bzr_memory_prompt_line(bzr_str text, bzr_str source, bool exact, bzr_text **ret) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr_status status = add_line(&out, text, source, exact);
    if (!status) return bzr__finish(&out, ret);
    bzr__buf_free(&out);
    return status;
}

bzr_status bzr_memory_prompt(const bzr_memory_view *entries, size_t n, bool exact, bzr_text **ret) {
    static const char *const sections[][2] = { { "user", "## About the user" },
                                               { "feedback", "## Working preferences" },
                                               { "context", "## Current context" } };
    bzr__buf out;
    bzr_status status = BZR_OK;
    bzr__buf_init(&out, SIZE_MAX / 4);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        bool headed = false;
        for (size_t i = 0; i < n && !status; i++) {
            if (!bzr__str_eq(entries[i].type, bzr__str_z(sections[k][0]))) continue;
            if (!headed) bzr__buf_add_z(&out, out.n ? "\n\n" : "# Memory\n\n");
            if (!headed) bzr__buf_add_z(&out, sections[k][1]);
            bzr__buf_add_c(&out, '\n');
            headed = true;
            status = add_line(&out, entries[i].text, entries[i].source, exact);
        }
    }
    if (!status) return bzr__finish(&out, ret);
    bzr__buf_free(&out);
    return status;
}

bzr_status bzr_memory_outheis_wrap(bzr_str text, bzr_text **ret) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr__buf_add_z(&out, "<external_content>");
    bzr__buf_add_str(&out, text);
    bzr__buf_add_z(&out, "</external_content>");
    return bzr__finish(&out, ret);
}

bzr_status bzr_memory_agenda(bzr_str name, bool success, const bzr_str *headlines, size_t n, bzr_str error,
                             bzr_text **ret) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr__buf_add_z(&out, "## ");
    bzr__buf_add_str(&out, name);
    if (!success) {
        bzr__buf_add_z(&out, " (Error)\n\n_");
        bzr__buf_add_str(&out, error);
        bzr__buf_add_z(&out, "_\n");
        return bzr__finish(&out, ret);
    }
    bzr__buf_add_c(&out, '\n');
    for (size_t i = 0; i < n; i++) {
        bzr_status status = add_line(&out, headlines[i], BZR__S("external"), true);
        if (status) break;
        bzr__buf_add_c(&out, '\n');
    }
    return bzr__finish(&out, ret);
}
