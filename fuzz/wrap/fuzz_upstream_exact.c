/* Any bytes through the functions that do exactly what upstream does: nothing is promised about the result but bounds.
 */
#include "bezoar/memory.h"
#include "bezoar/wrap.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size), content, rest;
    bzr_openclaw_params params = { .source = BZR__S("email"),
                                   .sender = bzr__str_part(in, 0, 60),
                                   .task = bzr__str_part(in, 0, 60) };
    const char *type;
    uint64_t kept = 0;
    bool truncated = false;
    bzr_text *t = NULL;
    bzr_unwrapped *u = NULL;
#define RUN(call)               \
    do {                        \
        t = NULL;               \
        MUST((call) == BZR_OK); \
        bzr_text_free(t);       \
    } while (0)
    RUN(bzr_openclaw_sanitize(in, &t));
    RUN(bzr_openclaw_strip_tokens(in, &t));
    RUN(bzr_openclaw_truncate(in, size / 2, &t, &truncated, &kept));
    MUST(kept <= size / 2);
    RUN(bzr_openclaw_prompt(in, &params, &t));
    RUN(bzr_openclaw_suspicious(in, &t));
    RUN(bzr_openclaw_strip_for_display(in, &t));
    RUN(bzr_ddg_wrap(in, &t));
    RUN(bzr_ddg_format_json(in, NULL, 0, &t));
    RUN(bzr_ptc_exact_wrap(size ? in : BZR__S(""), BZR__S("x"), true, &t));
    RUN(bzr_ptc_agent_feedback(in, 64, &t));
    RUN(bzr_ptc_error_feedback(in, 64, &t));
    RUN(bzr_hermes_maybe_wrap(BZR__S("mcp_x"), in, &t));
    RUN(bzr_memory_outheis_sanitize(in, &t));
    RUN(bzr_memory_prompt_line(in, BZR__S("external"), false, &t));
    RUN(bzr_memory_refusal(in, &t));
    RUN(bzr_memories_xml(&(bzr_memory_view){ in, BZR__S(""), bzr__str_part(in, 0, 20) }, 1, &t));
    bzr_memory_explicit(in, &content, &type, &rest);
    MUST(content.n <= size && rest.n <= size);
    if (!bzr_unwrap(in, bzr__str_part(in, 0, 4), &u)) bzr_unwrapped_free(u);
    return 0;
}
