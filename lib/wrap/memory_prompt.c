/* memory_prompt.c - memory entries for a prompt, in outheis' layout: external ones inside
 * <external_content>.
 *
 * An entry is one line: upstream let a line break in an external entry make a second bullet outside the tag. The exact
 * form is upstream's, byte for byte; the other neutralizes what it shows. */
#include "lib/base/text.h"
#include "lib/base/utf8.h"
#include "lib/wrap/envelope.h"
#include "toadstone/memory.h"
#include "toadstone/wrap.h"

/* `s` with each run of line breaks as one blank. */
static void add_flat(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(s, i, &len);
        bool is_break = (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
        if (!is_break)
            toad__buf_add_str(out, toad__str_part(s, i, i + len));
        else if (out->n && out->p[out->n - 1] != ' ')
            toad__buf_add_c(out, ' ');
        i += len;
    }
}

static toad_status add_line(toad__buf *out, toad_str text, toad_str source, bool exact) {
    bool external = toad__str_eq(source, TOAD__S("external"));
    toad_text *safe = NULL;
    if (!exact) {
        toad_status status = toad_neutralize(text, true, &safe);
        if (status) return status;
        text = toad_text_str(safe);
    }
    toad__buf_add_z(out, external ? "- <external_content>" : "- ");
    if (exact)
        toad__buf_add_str(out, text);
    else
        add_flat(out, text);
    if (external) toad__buf_add_z(out, "</external_content>");
    toad_text_free(safe);
    return out->status;
}

toad_status toad_memory_prompt_line(toad_str text, toad_str source, bool exact, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad_status status = add_line(&out, text, source, exact);
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

toad_status toad_memory_prompt(const toad_memory_view *entries, size_t n, bool exact, toad_text **ret) {
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
            status = add_line(&out, entries[i].text, entries[i].source, exact);
        }
    }
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

toad_status toad_memory_outheis_wrap(toad_str text, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "<external_content>");
    toad__buf_add_str(&out, text);
    toad__buf_add_z(&out, "</external_content>");
    return toad__finish(&out, ret);
}

toad_status toad_memory_agenda(toad_str name, bool success, const toad_str *headlines, size_t n, toad_str error,
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
        toad_status status = add_line(&out, headlines[i], TOAD__S("external"), true);
        if (status) break;
        toad__buf_add_c(&out, '\n');
    }
    return toad__finish(&out, ret);
}
