/* render_sarif.c - SARIF 2.1.0 (OASIS, section numbers below) as GitHub code scanning takes it.
 *
 * Columns are units of UTF-16, the default of the standard (3.14.17), lines are counted by line feeds, offsets are
 * bytes of the file. Every sentence is ours or the rule's: what stands in the file is only in snippets, escaped to
 * ASCII. A result has no line feed in it, so that results can be counted and left out as lines. */
#include "face/cli/render.h"
#include "lib/base/hex.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "toadstone/toadstone.h"

#define TAGS_MAX 20u /* GitHub reads no more of a rule */

static const char *level_name(toad_severity s) {
    return s == TOAD_HIGH ? "error" : s == TOAD_MEDIUM ? "warning" : "note";
}

/* A path as a relative URI reference (RFC 3986), or an absolute one as a file URI. */
static void add_uri(toad__buf *b, const char *name) {
    toad_str path = toad__str_z(strcmp(name, "-") ? name : "stdin");
    while (toad__str_starts(path, TOAD__S("./"))) path = toad__str_part(path, 2, path.n);
    bool absolute = path.n && path.p[0] == '/';
    toad__buf_add_z(b, absolute ? "{\"uri\":\"file://" : "{\"uri\":\"");
    for (size_t i = 0; i < path.n; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (toad__is_alnum(c) || (c && strchr("-._~/", c)))
            toad__buf_add_c(b, (char)c);
        else
            toad__buf_add_percent(b, c);
    }
    toad__buf_add_z(b, absolute ? "\"}" : "\",\"uriBaseId\":\"%SRCROOT%\"}");
}

static void add_number(toad__buf *b, const char *name, uint64_t v) {
    toad__buf_add_z(b, name);
    toad__buf_add_u64(b, v);
}

static void add_text(toad__buf *b, const char *name, const char *text) {
    toad__buf_add_z(b, name);
    toad__json_add_str(b, toad__str_z(text));
}

/* GitHub wants a line even where none can be told. */
static void add_region(toad__buf *b, const toad__reported *row) {
    const toad_finding *f = row->finding;
    bool known = row->from.line && !row->part; /* lines of a part are none of the file */
    add_number(b, ",\"region\":{\"startLine\":", known ? row->from.line : 1);
    if (known) {
        add_number(b, ",\"startColumn\":", row->from.utf16);
        add_number(b, ",\"endLine\":", row->to.line);
        add_number(b, ",\"endColumn\":", row->to.utf16);
    }
    add_number(b, ",\"byteOffset\":", f->span.start);
    add_number(b, ",\"byteLength\":", f->span.end - f->span.start);
    toad__buf_add_z(b, ",\"snippet\":{\"text\":\"");
    toad__buf_add_str(b, f->excerpt);
    toad__buf_add_z(b, "\"}}");
}

/* A sentence for a reader of the alert: why, and where it stands. */
static void add_message(toad__buf *b, const rendering *r, const toad__reported *row) {
    static const char *const places[] = { [TOAD__STANDS_PLAIN] = "in ",
                                          [TOAD__STANDS_COMMENT] = "in a comment of ",
                                          [TOAD__STANDS_DOCSTRING] = "in a docstring of ",
                                          [TOAD__STANDS_TEXT] = "in a text kept in ",
                                          [TOAD__STANDS_QUOTED] = "in a quotation of ",
                                          [TOAD__STANDS_STRING] = "in a string of ",
                                          [TOAD__STANDS_FENCED] = "in a code block of " };
    size_t i = toad__rule_list_find(r->rules, row->finding->rule);
    toad__buf text;
    toad__buf_init(&text, 8192);
    toad__buf_add_z(&text, i == SIZE_MAX ? "The text matched a rule." : r->rules->rows[i].rule.why);
    if (row->artifact != TOAD__ARTIFACT_OTHER) {
        toad__buf_add_z(&text, " It stands ");
        toad__buf_add_z(&text, places[row->standing]);
        toad__buf_add_z(&text, toad__artifact_title(row->artifact));
        toad__buf_add_c(&text, '.');
    }
    toad__buf_add_z(b, ",\"message\":{\"text\":");
    toad__json_add_str(b, toad__buf_str(&text));
    toad__buf_add_c(b, '}');
    toad__buf_free(&text);
}

/* 3.35: the record says who accepted it, when and why. */
static void add_suppression(toad__buf *b, const toad__suppression *s) {
    add_text(b, ",\"suppressions\":[{\"kind\":\"external\",\"status\":\"accepted\",\"justification\":", s->reason);
    add_text(b, ",\"properties\":{\"by\":", s->by);
    add_text(b, ",\"date\":", s->date);
    if (s->expires) add_text(b, ",\"expires\":", s->expires);
    toad__buf_add_z(b, "}}]");
}

static void add_properties(toad__buf *b, const rendering *r, const toad__reported *row) {
    const toad_finding *f = row->finding;
    add_text(b, ",\"properties\":{\"severity\":", toad_severity_name(row->severity));
    if (r->judged) add_text(b, ",\"artifact\":", toad__artifact_name(row->artifact));
    if (*toad__standing_name(row->standing)) add_text(b, ",\"in\":", toad__standing_name(row->standing));
    toad__buf_add_z(b, ",\"path\":[");
    for (size_t k = 0; k < f->path_n; k++) {
        if (k) toad__buf_add_c(b, ',');
        toad__json_add_str(b, toad__str_z(f->path[k]));
    }
    toad__buf_add_z(b, "]}");
}

static void add_result(toad__buf *b, const rendering *r, const toad__reported *row) {
    size_t index = toad__rule_list_find(r->rules, row->finding->rule);
    add_text(b, "{\"ruleId\":", row->finding->rule);
    if (index != SIZE_MAX) add_number(b, ",\"ruleIndex\":", index);
    add_text(b, ",\"level\":", level_name(row->severity));
    add_message(b, r, row);
    toad__buf_add_z(b, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
    add_uri(b, r->uri);
    add_region(b, row);
    toad__buf_add_z(b, "}}]");
    add_text(b, ",\"partialFingerprints\":{\"primaryLocationLineHash\":", row->fingerprint);
    add_text(b, ",\"toadstoneFinding/v1\":", row->fingerprint);
    toad__buf_add_c(b, '}');
    if (r->baseline) toad__buf_add_z(b, ",\"baselineState\":\"new\"");
    if (row->suppression) add_suppression(b, row->suppression);
    add_properties(b, r, row);
    toad__buf_add_z(b, "}\n");
}

void render_sarif(toad__buf *b, toad__buf *severities, const rendering *r) {
    for (size_t i = 0; i < r->report->n; i++) {
        const toad__reported *row = &r->report->rows[i];
        if (row->known) continue;
        add_result(b, r, row);
        toad__buf_add_c(severities, (char)row->severity);
    }
    if (severities->status) b->status = severities->status;
}

/* "LLM01 AML.T0051 CWE-1427" as tags: code scanning sites know external/cwe/cwe-1427. */
static void add_tags(toad__buf *b, toad_str mapping) {
    size_t n = 2;
    toad__buf_add_z(b, "\"tags\":[\"security\",\"prompt-injection\"");
    for (size_t at = 0, end; at < mapping.n && n < TAGS_MAX; at = end + 1) {
        end = toad__str_find(mapping, TOAD__S(" "), at);
        toad_str word = toad__str_part(mapping, at, end);
        if (!word.n) continue;
        bool cwe = toad__str_starts(word, TOAD__S("CWE-"));
        toad__buf_add_z(b, cwe ? ",\"external/cwe/cwe-" : ",\"");
        toad__buf_add_str(b, toad__str_part(word, cwe ? 4 : 0, word.n));
        toad__buf_add_c(b, '"');
        n++;
    }
    toad__buf_add_c(b, ']');
}

static void add_help(toad__buf *b, const toad__rule *rule) {
    toad__buf text;
    toad__buf_init(&text, 16384);
    toad__buf_add_z(&text, rule->why);
    toad__buf_add_z(&text, " An agent that reads the file may take the words for orders. Remove them, or, if they are "
                           "meant as an example, record that in a "
                           "suppression; 'toadstone rules show ");
    toad__buf_add_z(&text, rule->id);
    toad__buf_add_z(&text, "' explains the rule.");
    toad__buf_add_z(b, "},\"help\":{\"text\":");
    toad__json_add_str(b, toad__buf_str(&text));
    toad__buf_free(&text);
}

static void add_rule(toad__buf *b, const toad__rule *rule) {
    static const char *const scores[] = { "1.0", "2.0", "5.5", "8.0" };
    add_text(b, "{\"id\":", rule->id);
    add_text(b, ",\"shortDescription\":{\"text\":", rule->title);
    add_text(b, "},\"fullDescription\":{\"text\":", rule->why);
    add_help(b, rule);
    add_text(b, "},\"defaultConfiguration\":{\"level\":", level_name(rule->severity));
    add_text(b, "},\"properties\":{\"family\":", rule->family);
    add_text(b, ",\"precision\":",
             rule->severity == TOAD_HIGH     ? "high"
             : rule->severity == TOAD_MEDIUM ? "medium"
                                             : "low");
    add_text(b, ",\"security-severity\":", scores[rule->severity & 3]);
    toad__buf_add_c(b, ',');
    add_tags(b, toad__str_z(rule->mapping));
    toad__buf_add_z(b, "}}");
}

void render_sarif_open(toad__buf *b, const toad__rule_list *rules) {
    add_text(b,
             "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
             "\"tool\":{\"driver\":{\"name\":\"toadstone\",\"semanticVersion\":",
             toad_version());
    add_text(b, ",\"properties\":{\"catalogue\":", toad__catalogue_version());
    toad__buf_add_z(b, "},\"rules\":[\n");
    for (size_t i = 0; i < rules->n; i++) {
        if (i) toad__buf_add_z(b, ",\n");
        add_rule(b, &rules->rows[i].rule);
    }
    toad__buf_add_z(b, "\n]}},\n\"automationDetails\":{\"id\":\"toadstone/\"},\n\"columnKind\":\"utf16CodeUnits\",\n"
                       "\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":\"The root of the scanned "
                       "tree.\"}}},\n\"results\":[\n");
}

void sarif_note(toad__buf *notes, const char *level, const char *text, const char *uri) {
    if (notes->n) toad__buf_add_z(notes, ",\n");
    add_text(notes, "{\"level\":", level);
    add_text(notes, ",\"message\":{\"text\":", text);
    toad__buf_add_c(notes, '}');
    if (uri) {
        toad__buf_add_z(notes, ",\"locations\":[{\"physicalLocation\":{\"artifactLocation\":");
        add_uri(notes, uri);
        toad__buf_add_z(notes, "}}]");
    }
    toad__buf_add_c(notes, '}');
}

void render_sarif_close(toad__buf *b, const sarif_run *run) {
    toad__buf_add_z(b, "\n],\n\"invocations\":[{\"executionSuccessful\":");
    toad__buf_add_z(b, run->successful ? "true" : "false");
    if (run->notes.n) {
        toad__buf_add_z(b, ",\"toolExecutionNotifications\":[\n");
        toad__buf_add_str(b, run->notes);
        toad__buf_add_c(b, ']');
    }
    toad__buf_add_z(b, "}]\n}]}\n");
}
