/* memory_prompt.c - a memory entry as a line of a prompt, in outheis' layout: external ones inside <external_content>.
 *
 * An entry is one line, so that a line break in an external entry cannot make a second bullet outside the tag. */
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

toad_status toad_memory_prompt_line(toad_str text, toad_provenance provenance, toad_text **ret) {
    bool external = provenance != TOAD_USER && provenance != TOAD_AGENT;
    toad_text *safe;
    toad__buf out;
    if (!ret) return TOAD_E_ARG;
    toad_status status = toad_neutralize(text, true, &safe);
    if (status) return status;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, external ? "- <external_content>" : "- ");
    add_flat(&out, toad_text_str(safe));
    if (external) toad__buf_add_z(&out, "</external_content>");
    toad_text_free(safe);
    return toad__finish(&out, ret);
}
