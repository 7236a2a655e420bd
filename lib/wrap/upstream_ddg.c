/* upstream_ddg.c - the ddg-search port of agent-skills (seed 001), exactly: an early fold, markers without id, one
 * notice. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "lib/wrap/envelope.h"
#include "lib/wrap/upstream.h"

static uint32_t fold(uint32_t c) {
    if ((c >= 0xFF21 && c <= 0xFF3A) || (c >= 0xFF41 && c <= 0xFF5A)) return c - 0xFEE0;
    return c == 0xFF1C ? '<' : c == 0xFF1E ? '>' : c;
}

static bzr_status add_sanitized(bzr__buf *out, bzr_str in) {
    bzr__upfold f;
    size_t done = 0;
    bzr_status status = bzr__upfold_read(&f, in, fold);
    bzr_str s = bzr__buf_str(&f.text);
    for (size_t i = 0; !status && i < s.n; i++) {
        size_t start = s.p[i] == '<' ? bzr__ieat(s, i, "<<<external_untrusted_content>>>") : 0;
        size_t end = start ? start : s.p[i] == '<' ? bzr__ieat(s, i, "<<<end_external_untrusted_content>>>") : 0;
        if (!end) continue;
        bzr_span at = bzr__offmap_back(&f.map, (bzr_span){ i, end });
        bzr__buf_add_str(out, bzr__str_part(in, done, (size_t)at.start));
        bzr__buf_add_z(out, start ? "[[MARKER_SANITIZED]]" : "[[END_MARKER_SANITIZED]]");
        done = (size_t)at.end;
        i = end - 1;
    }
    bzr__buf_add_str(out, bzr__str_part(in, done, in.n));
    bzr__upfold_free(&f);
    return status ? status : out->status;
}

bzr_status bzr_ddg_sanitize_markers(bzr_str content, bzr_text **ret) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr_status status = add_sanitized(&out, content);
    if (!status) return bzr__finish(&out, ret);
    bzr__buf_free(&out);
    return status;
}

bzr_status bzr_ddg_wrap(bzr_str content, bzr_text **ret) {
    bzr_wrap_options o = BZR_WRAP_OPTIONS_INIT;
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX / 4);
    o.notice = BZR_NOTICE_SEARCH;
    bzr__buf_add_str(&out, bzr__notice_text(&o, BZR_NOTICE_SEARCH));
    bzr__buf_add_z(&out, "\n\n<<<EXTERNAL_UNTRUSTED_CONTENT>>>\nSource: Web Search\n---\n");
    bzr_status status = add_sanitized(&out, content);
    bzr__buf_add_z(&out, "\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>");
    if (!status) return bzr__finish(&out, ret);
    bzr__buf_free(&out);
    return status;
}

static bzr_status wrap_and_free(bzr__buf *body, bzr_text **ret) {
    bzr_status status = body->status ? body->status : bzr_ddg_wrap(bzr__buf_str(body), ret);
    bzr__buf_free(body);
    return status;
}

/* String.trim at the end of what was written from `from` on. */
static void trim_end(bzr__buf *b, size_t from) {
    while (b->n > from) {
        size_t last = bzr__utf8_floor(bzr__buf_str(b), b->n - 1);
        if (last < from || bzr__jsspace(bzr__buf_str(b), last) != b->n) break;
        b->n = last;
    }
}

bzr_status bzr_ddg_format_text(bzr_str query, const bzr_search_result *results, size_t n, bzr_text **ret) {
    bzr__buf body;
    bzr__buf_init(&body, SIZE_MAX / 4);
    bzr__buf_add_z(&body, "Query: ");
    bzr__buf_add_str(&body, query);
    bzr__buf_add_z(&body, "\n\n");
    if (!n) bzr__buf_add_z(&body, "No results found.\n");
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_u64(&body, i + 1);
        bzr__buf_add_z(&body, ". ");
        bzr__buf_add_str(&body, results[i].title);
        bzr__buf_add_z(&body, "\n   ");
        bzr__buf_add_str(&body, results[i].url);
        if (results[i].snippet.n) bzr__buf_add_z(&body, "\n   ");
        bzr__buf_add_str(&body, results[i].snippet);
        bzr__buf_add_z(&body, "\n\n");
    }
    if (n) trim_end(&body, 0);
    return wrap_and_free(&body, ret);
}

/* JSON.stringify: only what JSON must escape. */
static void add_string(bzr__buf *out, bzr_str s) {
    static const char hex[] = "0123456789abcdef";
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    bzr__buf_add_c(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *hit = c ? strchr(from, c) : NULL;
        if (hit) {
            bzr__buf_add_c(out, '\\');
            bzr__buf_add_c(out, to[hit - from]);
        } else if (c < 0x20) {
            bzr__buf_add_z(out, "\\u00");
            bzr__buf_add_c(out, hex[c >> 4]);
            bzr__buf_add_c(out, hex[c & 15]);
        } else {
            bzr__buf_add_c(out, (char)c);
        }
    }
    bzr__buf_add_c(out, '"');
}

static void add_member(bzr__buf *out, const char *lead, bzr_str value) {
    bzr__buf_add_z(out, lead);
    add_string(out, value);
}

bzr_status bzr_ddg_format_json(bzr_str query, const bzr_search_result *results, size_t n, bzr_text **ret) {
    bzr__buf body;
    bzr__buf_init(&body, SIZE_MAX / 4);
    add_member(&body, "{\n  \"query\": ", query);
    bzr__buf_add_z(&body, ",\n  \"results\": [");
    for (size_t i = 0; i < n; i++) {
        add_member(&body, i ? ",\n    {\n      \"title\": " : "\n    {\n      \"title\": ", results[i].title);
        add_member(&body, ",\n      \"url\": ", results[i].url);
        add_member(&body, ",\n      \"snippet\": ", results[i].snippet);
        bzr__buf_add_z(&body, "\n    }");
    }
    bzr__buf_add_z(&body, n ? "\n  ],\n  \"count\": " : "],\n  \"count\": ");
    bzr__buf_add_u64(&body, n);
    bzr__buf_add_z(&body, "\n}");
    return wrap_and_free(&body, ret);
}
