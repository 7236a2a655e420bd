/* hermes.c - whether hermes takes a tool's result for untrusted, and its maybe_wrap_untrusted, exactly. */
#include "compat/upstream.h"
#include "lib/base/utf8.h"

bool toad_hermes_is_untrusted_tool(toad_str name) {
    return toad__str_eq(name, TOAD__S("web_extract")) || toad__str_eq(name, TOAD__S("web_search")) ||
           toad__str_starts(name, TOAD__S("browser_")) || toad__str_starts(name, TOAD__S("mcp_"));
}

toad_status toad_hermes_maybe_wrap(toad_str name, toad_str content, toad_text **ret) {
    enum { MIN_CHARS = 32 };
    static const char tag[] = "untrusted_tool_result";
    size_t chars = 0;
    unsigned len;
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    for (size_t i = 0; i < content.n && chars < MIN_CHARS; i += len, chars++) toad__utf8_decode(content, i, &len);
    if (!toad_hermes_is_untrusted_tool(name) || chars < MIN_CHARS) {
        toad__buf_add_str(&out, content);
        return toad__finish(&out, ret);
    }
    toad__buf_add_z(&out, "<untrusted_tool_result source=\"");
    toad__buf_add_str(&out, name);
    toad__buf_add_z(&out, "\">\n");
    toad__buf_add_str(&out, toad__tool_notice());
    toad__buf_add_z(&out, "\n\n");
    for (size_t i = 0; i < content.n;) {
        size_t end = (content.p[i] | 0x20) == 'u' ? toad__ieat(content, i, tag) : 0;
        if (end)
            toad__buf_add_z(&out, "untrusted-tool-result");
        else
            toad__buf_add_c(&out, content.p[i]);
        i = end ? end : i + 1;
    }
    toad__buf_add_z(&out, "\n</untrusted_tool_result>");
    return toad__finish(&out, ret);
}
