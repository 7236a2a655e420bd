/* render_json.c - the library's verdict object, and the same findings as SARIF 2.1.0 (OASIS, section numbers below).
 *
 * Offsets are bytes in the file, columns are code points (columnKind, 3.14.17), lines are counted by line feeds. */
#include "bezoar/bezoar.h"
#include "face/cli/render.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

void render_json(bzr__buf *b, const rendering *r) {
    bzr_text *text;
    bzr_status status = bzr_verdict_json(r->verdict, &text);
    if (status) {
        b->status = status;
        return;
    }
    bzr__buf_add_z(b, "{\"path\":");
    bzr__json_add_utf8(b, bzr__str_z(r->name));
    bzr__buf_add_c(b, ',');
    bzr__buf_add_str(b, bzr__str_part(bzr_text_str(text), 1, SIZE_MAX));
    bzr_text_free(text);
}

static const char *level_name(bzr_severity s) { return s == BZR_HIGH ? "error" : s == BZR_MEDIUM ? "warning" : "note"; }

/* A path as a relative URI reference (RFC 3986); an absolute one as a file URI. */
static void add_uri(bzr__buf *b, const char *name) {
    static const char hex[] = "0123456789ABCDEF";
    bzr_str path = bzr__str_z(strcmp(name, "-") ? name : "stdin");
    while (bzr__str_starts(path, BZR__S("./"))) path = bzr__str_part(path, 2, path.n);
    bzr__buf_add_z(b, path.n && path.p[0] == '/' ? "\"file://" : "\"");
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        bool plain = bzr__is_alnum(c) || (c && strchr("-._~/", c));
        char escaped[3] = { '%', hex[c >> 4], hex[c & 15] };
        bzr__buf_add(b, plain ? path.p + i : escaped, plain ? 1 : 3);
    }
    bzr__buf_add_c(b, '"');
}

static void add_number(bzr__buf *b, const char *name, uint64_t v) {
    bzr__buf_add_z(b, name);
    bzr__buf_add_u64(b, v);
}

static void add_region(bzr__buf *b, const rendering *r, size_t i) {
    const bzr_finding *f = bzr_verdict_finding(r->verdict, i);
    const bzr__place *from = &r->places[2 * i], *to = from + 1;
    bzr__buf_add_z(b, ",\"region\":{");
    if (from->line) {
        add_number(b, "\"startLine\":", from->line);
        add_number(b, ",\"startColumn\":", from->column);
        add_number(b, ",\"endLine\":", to->line);
        add_number(b, ",\"endColumn\":", to->column);
        bzr__buf_add_c(b, ',');
    }
    add_number(b, "\"byteOffset\":", f->span.start);
    add_number(b, ",\"byteLength\":", f->span.end - f->span.start);
    bzr__buf_add_z(b, ",\"snippet\":{\"text\":\"");
    bzr__buf_add_str(b, f->excerpt);
    bzr__buf_add_z(b, "\"}}");
}

/* FNV-1a over rule, path and words: stable when lines move (3.27.17). */
static void add_fingerprint(bzr__buf *b, const rendering *r, const bzr_finding *f) {
    static const char hex[] = "0123456789abcdef";
    uint64_t h = 0xcbf29ce484222325u;
    bzr_str parts[] = { bzr__str_z(f->rule), bzr__str_z(r->name), f->excerpt };
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < parts[k].n; i++) h = (h ^ (unsigned char)parts[k].p[i]) * 0x100000001b3u;
    bzr__buf_add_z(b, ",\"partialFingerprints\":{\"bezoar/v1\":\"");
    for (int shift = 60; shift >= 0; shift -= 4) bzr__buf_add_c(b, hex[h >> shift & 15]);
    bzr__buf_add_z(b, "\"}");
}

static void add_result(bzr__buf *b, const rendering *r, size_t i) {
    const bzr_finding *f = bzr_verdict_finding(r->verdict, i);
    size_t index = bzr__rule_list_find(r->rules, f->rule);
    bzr__buf_add_z(b, "{\"ruleId\":");
    bzr__json_add_str(b, bzr__str_z(f->rule));
    if (index != SIZE_MAX) add_number(b, ",\"ruleIndex\":", index);
    bzr__buf_add_z(b, ",\"level\":\"");
    bzr__buf_add_z(b, level_name(f->severity));
    bzr__buf_add_z(b, "\",\"message\":{\"text\":");
    bzr__json_add_str(b, bzr__str_z(f->why));
    bzr__buf_add_z(b, "},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    add_uri(b, r->name);
    bzr__buf_add_c(b, '}');
    add_region(b, r, i);
    bzr__buf_add_z(b, "}}]");
    add_fingerprint(b, r, f);
    bzr__buf_add_z(b, ",\"properties\":{\"severity\":\"");
    bzr__buf_add_z(b, bzr_severity_name(f->severity));
    bzr__buf_add_z(b, "\",\"path\":[");
    for (size_t k = 0; k < f->path_n; k++) {
        if (k) bzr__buf_add_c(b, ',');
        bzr__json_add_str(b, bzr__str_z(f->path[k]));
    }
    bzr__buf_add_z(b, "]}}");
}

void render_sarif(bzr__buf *b, const rendering *r) {
    for (size_t i = 0; i < bzr_verdict_count(r->verdict); i++) {
        add_result(b, r, i);
        bzr__buf_add_z(b, ",\n");
    }
}

/* "LLM01 AML.T0051 CWE-1427" as tags: code scanning sites know external/cwe/cwe-1427. */
static void add_tags(bzr__buf *b, bzr_str mapping) {
    bzr__buf_add_z(b, "\"tags\":[\"security\",\"prompt-injection\"");
    for (size_t at = 0, end; at < mapping.n; at = end + 1) {
        end = bzr__str_find(mapping, BZR__S(" "), at);
        bzr_str word = bzr__str_part(mapping, at, end);
        if (!word.n) continue;
        bool cwe = bzr__str_starts(word, BZR__S("CWE-"));
        bzr__buf_add_z(b, cwe ? ",\"external/cwe/cwe-" : ",\"");
        bzr__buf_add_str(b, bzr__str_part(word, cwe ? 4 : 0, word.n));
        bzr__buf_add_c(b, '"');
    }
    bzr__buf_add_c(b, ']');
}

static void add_rule(bzr__buf *b, const bzr__rule *rule) {
    static const char *const scores[] = { "1.0", "2.0", "5.5", "8.0" };
    bzr__buf_add_z(b, "{\"id\":");
    bzr__json_add_str(b, bzr__str_z(rule->id));
    bzr__buf_add_z(b, ",\"shortDescription\":{\"text\":");
    bzr__json_add_str(b, bzr__str_z(rule->title));
    bzr__buf_add_z(b, "},\"fullDescription\":{\"text\":");
    bzr__json_add_str(b, bzr__str_z(rule->why));
    bzr__buf_add_z(b, "},\"help\":{\"text\":");
    bzr__json_add_str(b, bzr__str_z(rule->why));
    bzr__buf_add_z(b, "},\"defaultConfiguration\":{\"level\":\"");
    bzr__buf_add_z(b, level_name(rule->severity));
    bzr__buf_add_z(b, "\"},\"properties\":{\"family\":");
    bzr__json_add_str(b, bzr__str_z(rule->family));
    bzr__buf_add_z(b, ",\"security-severity\":\"");
    bzr__buf_add_z(b, scores[rule->severity & 3]);
    bzr__buf_add_z(b, "\",");
    add_tags(b, bzr__str_z(rule->mapping));
    bzr__buf_add_z(b, "}}");
}

void render_sarif_open(bzr__buf *b, const bzr__rule_list *rules) {
    bzr__buf_add_z(b,
                   "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
                   "\"tool\":{\"driver\":{\"name\":\"bezoar\",\"semanticVersion\":");
    bzr__json_add_str(b, bzr__str_z(bzr_version()));
    bzr__buf_add_z(b, ",\"properties\":{\"catalogue\":");
    bzr__json_add_str(b, bzr__str_z(bzr__catalogue_version()));
    bzr__buf_add_z(b, "},\"rules\":[\n");
    for (size_t i = 0; i < rules->n; i++) {
        if (i) bzr__buf_add_z(b, ",\n");
        add_rule(b, &rules->rows[i].rule);
    }
    bzr__buf_add_z(b, "\n]}},\n\"columnKind\":\"unicodeCodePoints\",\n\"results\":[\n");
}

void render_sarif_close(bzr__buf *b, bool complete) {
    bzr__buf_add_z(b, "\n],\n\"invocations\":[{\"executionSuccessful\":");
    bzr__buf_add_z(b, complete ? "true" : "false");
    bzr__buf_add_z(b, "}]\n}]}\n");
}
