/* ddg.c - the ddg-search port of agent-skills, exactly: an early fold, markers without id, one
 * notice. */
#include "compat/upstream.h"
#include "lib/base/hex.h"
#include "lib/base/json.h"
#include "lib/base/utf8.h"

static uint32_t fold(uint32_t c) {
    if ((c >= 0xFF21 && c <= 0xFF3A) || (c >= 0xFF41 && c <= 0xFF5A)) return c - 0xFEE0;
    return c == 0xFF1C ? '<' : c == 0xFF1E ? '>' : c;
}

static toad_status add_sanitized(toad__buf *out, toad_str in) {
    toad__upfold f;
    size_t done = 0;
    toad_status status = toad__upfold_read(&f, in, fold);
    toad_str s = toad__buf_str(&f.text);
    for (size_t i = 0; !status && i < s.n; i++) {
        size_t start = s.p[i] == '<' ? toad__ieat(s, i, "<<<external_untrusted_content>>>") : 0;
        size_t end = start ? start : s.p[i] == '<' ? toad__ieat(s, i, "<<<end_external_untrusted_content>>>") : 0;
        if (!end) continue;
        toad_span at = toad__offmap_back(&f.map, (toad_span){ i, end });
        toad__buf_add_str(out, toad__str_part(in, done, (size_t)at.start));
        toad__buf_add_z(out, start ? "[[MARKER_SANITIZED]]" : "[[END_MARKER_SANITIZED]]");
        done = (size_t)at.end;
        i = end - 1;
    }
    toad__buf_add_str(out, toad__str_part(in, done, in.n));
    toad__upfold_free(&f);
    return status ? status : out->status;
}

toad_status toad_ddg_sanitize_markers(toad_str content, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad_status status = add_sanitized(&out, content);
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

toad_status toad_ddg_wrap(toad_str content, toad_text **ret) {
    toad_wrap_options o = TOAD_WRAP_OPTIONS_INIT;
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    o.notice = TOAD_NOTICE_SEARCH;
    toad__buf_add_str(&out, toad__notice_text(&o, TOAD_NOTICE_SEARCH));
    toad__buf_add_z(&out, "\n\n<<<EXTERNAL_UNTRUSTED_CONTENT>>>\nSource: Web Search\n---\n");
    toad_status status = add_sanitized(&out, content);
    toad__buf_add_z(&out, "\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>");
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

static toad_status wrap_and_free(toad__buf *body, toad_text **ret) {
    toad_status status = body->status ? body->status : toad_ddg_wrap(toad__buf_str(body), ret);
    toad__buf_free(body);
    return status;
}

/* String.trim at the end of what was written from `from` on. */
static void trim_end(toad__buf *b, size_t from) {
    while (b->n > from) {
        size_t last = toad__utf8_floor(toad__buf_str(b), b->n - 1);
        if (last < from || toad__jsspace(toad__buf_str(b), last) != b->n) break;
        b->n = last;
    }
}

toad_status toad_ddg_format_text(toad_str query, const toad_search_result *results, size_t n, toad_text **ret) {
    toad__buf body;
    toad__buf_init(&body, SIZE_MAX / 4);
    toad__buf_add_z(&body, "Query: ");
    toad__buf_add_str(&body, query);
    toad__buf_add_z(&body, "\n\n");
    if (!n) toad__buf_add_z(&body, "No results found.\n");
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_u64(&body, i + 1);
        toad__buf_add_z(&body, ". ");
        toad__buf_add_str(&body, results[i].title);
        toad__buf_add_z(&body, "\n   ");
        toad__buf_add_str(&body, results[i].url);
        if (results[i].snippet.n) toad__buf_add_z(&body, "\n   ");
        toad__buf_add_str(&body, results[i].snippet);
        toad__buf_add_z(&body, "\n\n");
    }
    if (n) trim_end(&body, 0);
    return wrap_and_free(&body, ret);
}

/* JSON.stringify: only what JSON must escape. */
static void add_string(toad__buf *out, toad_str s) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    toad__buf_add_c(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *hit = c ? strchr(from, c) : NULL;
        if (hit) {
            toad__buf_add_c(out, '\\');
            toad__buf_add_c(out, to[hit - from]);
        } else if (c < 0x20) {
            char escaped[6] = "\\u00";
            toad__hex(escaped + 4, &c, 1);
            toad__buf_add(out, escaped, sizeof escaped);
        } else {
            toad__buf_add_c(out, (char)c);
        }
    }
    toad__buf_add_c(out, '"');
}

static void add_member(toad__buf *out, const char *lead, toad_str value) {
    toad__buf_add_z(out, lead);
    add_string(out, value);
}

toad_status toad_ddg_format_json(toad_str query, const toad_search_result *results, size_t n, toad_text **ret) {
    toad__buf body;
    toad__buf_init(&body, SIZE_MAX / 4);
    add_member(&body, "{\n  \"query\": ", query);
    toad__buf_add_z(&body, ",\n  \"results\": [");
    for (size_t i = 0; i < n; i++) {
        add_member(&body, i ? ",\n    {\n      \"title\": " : "\n    {\n      \"title\": ", results[i].title);
        add_member(&body, ",\n      \"url\": ", results[i].url);
        add_member(&body, ",\n      \"snippet\": ", results[i].snippet);
        toad__buf_add_z(&body, "\n    }");
    }
    toad__buf_add_z(&body, n ? "\n  ],\n  \"count\": " : "],\n  \"count\": ");
    toad__buf_add_u64(&body, n);
    toad__buf_add_z(&body, "\n}");
    return wrap_and_free(&body, ret);
}
