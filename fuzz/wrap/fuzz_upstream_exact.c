/* Any bytes through the functions that do exactly what upstream does: nothing is promised about the result but bounds.
 */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "toadstone/compat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size), content, rest;
    toad_openclaw_params params = { .source = TOAD__S("email"),
                                    .sender = toad__str_part(in, 0, 60),
                                    .task = toad__str_part(in, 0, 60) };
    const char *type;
    uint64_t kept = 0;
    bool truncated = false;
    toad_text *t = NULL;
    toad_unwrapped *u = NULL;
#define RUN(call)                \
    do {                         \
        t = NULL;                \
        MUST((call) == TOAD_OK); \
        toad_text_free(t);       \
    } while (0)
    RUN(toad_openclaw_sanitize(in, &t));
    RUN(toad_openclaw_strip_tokens(in, &t));
    RUN(toad_openclaw_truncate(in, size / 2, &t, &truncated, &kept));
    MUST(kept <= size / 2);
    RUN(toad_openclaw_prompt(in, &params, &t));
    RUN(toad_openclaw_suspicious(in, &t));
    RUN(toad_openclaw_strip_for_display(in, &t));
    RUN(toad_ddg_wrap(in, &t));
    RUN(toad_ddg_format_json(in, NULL, 0, &t));
    RUN(toad_ptc_exact_wrap(size ? in : TOAD__S(""), TOAD__S("x"), true, &t));
    RUN(toad_ptc_agent_feedback(in, 64, &t));
    RUN(toad_ptc_error_feedback(in, 64, &t));
    RUN(toad_hermes_maybe_wrap(TOAD__S("mcp_x"), in, &t));
    RUN(toad_outheis_sanitize(in, &t));
    RUN(toad_memory_prompt_line(in, TOAD_EXTERNAL, &t));
    RUN(toad_memory_refusal(in, &t));
    RUN(toad_docker_memories(&(toad_memory_view){ in, TOAD__S(""), toad__str_part(in, 0, 20) }, 1, &t));
    toad_outheis_explicit(in, &content, &type, &rest);
    MUST(content.n <= size && rest.n <= size);
    if (!toad_unwrap(in, toad__str_part(in, 0, 4), &u)) toad_unwrapped_free(u);
    return 0;
}
