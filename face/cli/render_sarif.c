/* render_sarif.c - SARIF 2.1.0 (OASIS, section numbers below) as GitHub code scanning takes it.
 *
 * Columns are units of UTF-16, the default of the standard (3.14.17), lines are counted by line feeds, offsets are
 * bytes of the file. Every sentence is ours or the rule's: what stands in the file is only in snippets, escaped to
 * ASCII. A result has no line feed in it, so that results can be counted and left out as lines. */
#include "bezoar/bezoar.h"
#include "face/cli/render.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#define TAGS_MAX 20u /* GitHub reads no more of a rule */

static const char *level_name(bzr_severity s) { return s == BZR_HIGH ? "error" : s == BZR_MEDIUM ? "warning" : "note"; }

/* A path as a relative URI reference (RFC 3986), or an absolute one as a file URI. */
static void add_uri(bzr__buf *b, const char *name) {
    static const char hex[] = "0123456789ABCDEF";
    bzr_str path = bzr__str_z(strcmp(name, "-") ? name : "stdin");
    while (bzr__str_starts(path, BZR__S("./"))) path = bzr__str_part(path, 2, path.n);
    bool absolute = path.n && path.p[0] == '/';
    bzr__buf_add_z(b, absolute ? "{\"uri\":\"file://" : "{\"uri\":\"");
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        bool plain = bzr__is_alnum(c) || (c && strchr("-._~/", c));
        char escaped[3] = { '%', hex[c >> 4], hex[c & 15] };
        bzr__buf_add(b, plain ? path.p + i : escaped, plain ? 1 : 3);
    }
    bzr__buf_add_z(b, absolute ? "\"}" : "\",\"uriBaseId\":\"%SRCROOT%\"}");
}

static void add_number(bzr__buf *b, const char *name, uint64_t v) {
    bzr__buf_add_z(b, name);
    bzr__buf_add_u64(b, v);
}

static void add_text(bzr__buf *b, const char *name, const char *text) {
    bzr__buf_add_z(b, name);
    bzr__json_add_str(b, bzr__str_z(text));
}

/* GitHub wants a line even where none can be told. */
static void add_region(bzr__buf *b, const bzr__reported *row) {
    const bzr_finding *f = row->finding;
    add_number(b, ",\"region\":{\"startLine\":", row->from.line ? row->from.line : 1);
    if (row->from.line) {
        add_number(b, ",\"startColumn\":", row->from.utf16);
        add_number(b, ",\"endLine\":", row->to.line);
        add_number(b, ",\"endColumn\":", row->to.utf16);
    }
    add_number(b, ",\"byteOffset\":", f->span.start);
    add_number(b, ",\"byteLength\":", f->span.end - f->span.start);
    bzr__buf_add_z(b, ",\"snippet\":{\"text\":\"");
    bzr__buf_add_str(b, f->excerpt);
    bzr__buf_add_z(b, "\"}}");
}

/* A sentence for a reader of the alert: why, and where it stands. */
static void add_message(bzr__buf *b, const rendering *r, const bzr__reported *row) {
    static const char *const places[] = {
        "in ", "in a comment of ", "in a docstring of ", "in a quotation of ", "in a string of ", "in a code block of "
    };
    size_t i = bzr__rule_list_find(r->rules, row->finding->rule);
    bzr__buf text;
    bzr__buf_init(&text, 8192);
    bzr__buf_add_z(&text, i == SIZE_MAX ? "The text matched a rule." : r->rules->rows[i].rule.why);
    if (r->report->artifact != BZR__ARTIFACT_OTHER) {
        bzr__buf_add_z(&text, " It stands ");
        bzr__buf_add_z(&text, places[row->standing]);
        bzr__buf_add_z(&text, bzr__artifact_title(r->report->artifact));
        bzr__buf_add_c(&text, '.');
    }
    bzr__buf_add_z(b, ",\"message\":{\"text\":");
    bzr__json_add_str(b, bzr__buf_str(&text));
    bzr__buf_add_c(b, '}');
    bzr__buf_free(&text);
}

/* 3.35: the record says who accepted it, when and why. */
static void add_suppression(bzr__buf *b, const bzr__suppression *s) {
    add_text(b, ",\"suppressions\":[{\"kind\":\"external\",\"status\":\"accepted\",\"justification\":", s->reason);
    add_text(b, ",\"properties\":{\"by\":", s->by);
    add_text(b, ",\"date\":", s->date);
    if (s->expires) add_text(b, ",\"expires\":", s->expires);
    bzr__buf_add_z(b, "}}]");
}

static void add_properties(bzr__buf *b, const rendering *r, const bzr__reported *row) {
    const bzr_finding *f = row->finding;
    add_text(b, ",\"properties\":{\"severity\":", bzr_severity_name(row->severity));
    if (r->judged) add_text(b, ",\"artifact\":", bzr__artifact_name(r->report->artifact));
    if (*bzr__standing_name(row->standing)) add_text(b, ",\"in\":", bzr__standing_name(row->standing));
    bzr__buf_add_z(b, ",\"path\":[");
    for (size_t k = 0; k < f->path_n; k++) {
        if (k) bzr__buf_add_c(b, ',');
        bzr__json_add_str(b, bzr__str_z(f->path[k]));
    }
    bzr__buf_add_z(b, "]}");
}

static void add_result(bzr__buf *b, const rendering *r, const bzr__reported *row) {
    size_t index = bzr__rule_list_find(r->rules, row->finding->rule);
    add_text(b, "{\"ruleId\":", row->finding->rule);
    if (index != SIZE_MAX) add_number(b, ",\"ruleIndex\":", index);
    add_text(b, ",\"level\":", level_name(row->severity));
    add_message(b, r, row);
    bzr__buf_add_z(b, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
    add_uri(b, r->uri);
    add_region(b, row);
    bzr__buf_add_z(b, "}}]");
    add_text(b, ",\"partialFingerprints\":{\"primaryLocationLineHash\":", row->fingerprint);
    add_text(b, ",\"bezoarFinding/v1\":", row->fingerprint);
    bzr__buf_add_c(b, '}');
    if (r->baseline) bzr__buf_add_z(b, ",\"baselineState\":\"new\"");
    if (row->suppression) add_suppression(b, row->suppression);
    add_properties(b, r, row);
    bzr__buf_add_z(b, "}\n");
}

void render_sarif(bzr__buf *b, bzr__buf *severities, const rendering *r) {
    for (size_t i = 0; i < r->report->n; i++) {
        const bzr__reported *row = &r->report->rows[i];
        if (row->known) continue;
        add_result(b, r, row);
        bzr__buf_add_c(severities, (char)row->severity);
    }
    if (severities->status) b->status = severities->status;
}

/* "LLM01 AML.T0051 CWE-1427" as tags: code scanning sites know external/cwe/cwe-1427. */
static void add_tags(bzr__buf *b, bzr_str mapping) {
    size_t n = 2;
    bzr__buf_add_z(b, "\"tags\":[\"security\",\"prompt-injection\"");
    for (size_t at = 0, end; at < mapping.n && n < TAGS_MAX; at = end + 1) {
        end = bzr__str_find(mapping, BZR__S(" "), at);
        bzr_str word = bzr__str_part(mapping, at, end);
        if (!word.n) continue;
        bool cwe = bzr__str_starts(word, BZR__S("CWE-"));
        bzr__buf_add_z(b, cwe ? ",\"external/cwe/cwe-" : ",\"");
        bzr__buf_add_str(b, bzr__str_part(word, cwe ? 4 : 0, word.n));
        bzr__buf_add_c(b, '"');
        n++;
    }
    bzr__buf_add_c(b, ']');
}

static void add_help(bzr__buf *b, const bzr__rule *rule) {
    bzr__buf text;
    bzr__buf_init(&text, 16384);
    bzr__buf_add_z(&text, rule->why);
    bzr__buf_add_z(&text, " An agent that reads the file may take the words for orders. Remove them, or, if they are "
                          "meant as an example, record that in a "
                          "suppression; 'bezoar rules show ");
    bzr__buf_add_z(&text, rule->id);
    bzr__buf_add_z(&text, "' explains the rule.");
    bzr__buf_add_z(b, "},\"help\":{\"text\":");
    bzr__json_add_str(b, bzr__buf_str(&text));
    bzr__buf_free(&text);
}

static void add_rule(bzr__buf *b, const bzr__rule *rule) {
    static const char *const scores[] = { "1.0", "2.0", "5.5", "8.0" };
    add_text(b, "{\"id\":", rule->id);
    add_text(b, ",\"shortDescription\":{\"text\":", rule->title);
    add_text(b, "},\"fullDescription\":{\"text\":", rule->why);
    add_help(b, rule);
    add_text(b, "},\"defaultConfiguration\":{\"level\":", level_name(rule->severity));
    add_text(b, "},\"properties\":{\"family\":", rule->family);
    add_text(b, ",\"precision\":",
             rule->severity == BZR_HIGH     ? "high"
             : rule->severity == BZR_MEDIUM ? "medium"
                                            : "low");
    add_text(b, ",\"security-severity\":", scores[rule->severity & 3]);
    bzr__buf_add_c(b, ',');
    add_tags(b, bzr__str_z(rule->mapping));
    bzr__buf_add_z(b, "}}");
}

void render_sarif_open(bzr__buf *b, const bzr__rule_list *rules) {
    add_text(b,
             "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
             "\"tool\":{\"driver\":{\"name\":\"bezoar\",\"semanticVersion\":",
             bzr_version());
    add_text(b, ",\"properties\":{\"catalogue\":", bzr__catalogue_version());
    bzr__buf_add_z(b, "},\"rules\":[\n");
    for (size_t i = 0; i < rules->n; i++) {
        if (i) bzr__buf_add_z(b, ",\n");
        add_rule(b, &rules->rows[i].rule);
    }
    bzr__buf_add_z(b, "\n]}},\n\"automationDetails\":{\"id\":\"bezoar/\"},\n\"columnKind\":\"utf16CodeUnits\",\n"
                      "\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":\"The root of the scanned "
                      "tree.\"}}},\n\"results\":[\n");
}

void sarif_note(bzr__buf *notes, const char *level, const char *text, const char *uri) {
    if (notes->n) bzr__buf_add_z(notes, ",\n");
    add_text(notes, "{\"level\":", level);
    add_text(notes, ",\"message\":{\"text\":", text);
    bzr__buf_add_c(notes, '}');
    if (uri) {
        bzr__buf_add_z(notes, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
        add_uri(notes, uri);
        bzr__buf_add_z(notes, "}}]");
    }
    bzr__buf_add_c(notes, '}');
}

void render_sarif_close(bzr__buf *b, const sarif_run *run) {
    bzr__buf_add_z(b, "\n],\n\"invocations\":[{\"executionSuccessful\":");
    bzr__buf_add_z(b, run->successful ? "true" : "false");
    if (run->notes.n) {
        bzr__buf_add_z(b, ",\"toolExecutionNotifications\":[\n");
        bzr__buf_add_str(b, run->notes);
        bzr__buf_add_c(b, ']');
    }
    bzr__buf_add_z(b, "}]\n}]}\n");
}
