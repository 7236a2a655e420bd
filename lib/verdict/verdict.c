/* verdict.c - what a scan says: severity, action, completeness, findings, and the same as one line of JSON. */
#include "lib/base/buf.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

bzr_severity bzr_verdict_severity(const bzr_verdict *v) { return v->severity; }
bzr_completeness bzr_verdict_completeness(const bzr_verdict *v) { return v->completeness; }
double bzr_verdict_score(const bzr_verdict *v) { return v->score / 1000.0; }
uint64_t bzr_verdict_bytes(const bzr_verdict *v) { return v->bytes; }
size_t bzr_verdict_count(const bzr_verdict *v) { return v->n; }
uint64_t bzr_verdict_total(const bzr_verdict *v) { return v->total; }
const bzr_finding *bzr_verdict_finding(const bzr_verdict *v, size_t i) { return i < v->n ? &v->findings[i] : NULL; }

bzr_action bzr_verdict_action(const bzr_verdict *v) {
    if (v->severity == BZR_HIGH) return BZR_BLOCK;
    if (v->severity == BZR_MEDIUM || v->completeness != BZR_FULL) return BZR_WARN;
    return BZR_ALLOW;
}

/* Seed 004: the confidence of a verdict is its severity, and low where nothing was found. */
static const char *confidence(const bzr_verdict *v) { return bzr_severity_name(v->severity == BZR_NONE ? BZR_LOW : v->severity); }

static void add_member(bzr__buf *b, const char *name, const char *value) {
    bzr__buf_add_z(b, name);
    bzr__json_add_str(b, bzr__str_z(value));
}

/* The excerpts are escaped JSON string bodies already: they are copied as they are. */
static void add_escaped(bzr__buf *b, const char *name, bzr_str body) {
    bzr__buf_add_z(b, name);
    bzr__buf_add_c(b, '"');
    bzr__buf_add_str(b, body);
    bzr__buf_add_c(b, '"');
}

static void add_finding(bzr__buf *b, const bzr_finding *f) {
    add_member(b, "{\"rule\":", f->rule);
    add_member(b, ",\"severity\":", bzr_severity_name(f->severity));
    bzr__buf_add_z(b, ",\"start\":");
    bzr__buf_add_u64(b, f->span.start);
    bzr__buf_add_z(b, ",\"end\":");
    bzr__buf_add_u64(b, f->span.end);
    bzr__buf_add_z(b, ",\"path\":[");
    for (size_t i = 0; i < f->path_n; i++) add_member(b, i ? "," : "", f->path[i]);
    add_escaped(b, "],\"excerpt\":", f->excerpt);
    if (f->decoded.n) add_escaped(b, ",\"decoded\":", f->decoded);
    add_member(b, ",\"why\":", f->why);
    bzr__buf_add_c(b, '}');
}

/* Thousandths as a decimal fraction. */
static void add_score(bzr__buf *b, uint32_t score) {
    char digits[] = { '0', '.', '0', '0', '0', 0 };
    if (score >= 1000) digits[0] = '1', score -= 1000;
    for (unsigned i = 4; i >= 2; i--, score /= 10) digits[i] = (char)('0' + score % 10);
    bzr__buf_add_z(b, ",\"score\":");
    bzr__buf_add_z(b, digits);
}

bzr_status bzr_verdict_json(const bzr_verdict *v, bzr_text **ret) {
    bzr__buf b;
    bzr__buf_init(&b, 8u << 20);
    add_member(&b, "{\"action\":", bzr_action_name(bzr_verdict_action(v)));
    add_member(&b, ",\"severity\":", bzr_severity_name(v->severity));
    add_member(&b, ",\"confidence\":", confidence(v));
    add_member(&b, ",\"completeness\":", bzr_completeness_name(v->completeness));
    add_score(&b, v->score);
    bzr__buf_add_z(&b, ",\"bytes\":");
    bzr__buf_add_u64(&b, v->bytes);
    add_member(&b, ",\"catalogue\":", bzr__catalogue_version());
    bzr__buf_add_z(&b, ",\"findings\":[");
    for (size_t i = 0; i < v->n; i++) {
        if (i) bzr__buf_add_c(&b, ',');
        add_finding(&b, &v->findings[i]);
    }
    bzr__buf_add_z(&b, "],\"findings_total\":");
    bzr__buf_add_u64(&b, v->total);
    bzr__buf_add_c(&b, '}');
    bzr_status status = bzr__buf_to_text(&b, ret);
    bzr__buf_free(&b);
    return status;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static bzr_status scan_scope(bzr_scanner *s, bzr_str text, bzr_scope scope, const bzr_verdict **ret) {
    bzr_scan_options options = BZR_SCAN_OPTIONS_INIT;
    options.scope = scope;
    return bzr_scan(s, text, &options, ret);
}

/* Seed 003 names patterns: the learned model alone refuses no memory entry. */
static bool is_pattern(const bzr_finding *f) { return strcmp(f->family, "learned") != 0; }

bzr_status bzr_scan_ids(bzr_scanner *s, bzr_str text, bzr_scope scope, bzr_text **ret) {
    const bzr_verdict *v;
    bzr_status status = ret ? scan_scope(s, text, scope, &v) : BZR_E_ARG;
    if (status) return status;
    const char **ids = malloc((v->n ? v->n : 1) * sizeof *ids);
    if (!ids) return BZR_E_NOMEM;
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (is_pattern(&v->findings[i])) ids[n++] = v->findings[i].rule;
    qsort(ids, n, sizeof *ids, by_name);
    bzr__buf b;
    bzr__buf_init(&b, 1u << 20);
    for (size_t i = 0; i < n; i++) {
        if (i && !strcmp(ids[i], ids[i - 1])) continue;
        if (b.n) bzr__buf_add_c(&b, '\n');
        bzr__buf_add_z(&b, ids[i]);
    }
    free(ids);
    status = bzr__buf_to_text(&b, ret);
    bzr__buf_free(&b);
    return status;
}

bzr_status bzr_first_threat_message(bzr_scanner *s, bzr_str text, bzr_scope scope, bzr_text **ret) {
    const bzr_verdict *v;
    bzr_status status = ret ? scan_scope(s, text, scope, &v) : BZR_E_ARG;
    if (status) return status;
    const bzr_finding *worst = NULL;
    for (size_t i = 0; i < v->n; i++)
        if (is_pattern(&v->findings[i]) && (!worst || v->findings[i].severity > worst->severity)) worst = &v->findings[i];
    bzr__buf b;
    bzr__buf_init(&b, 4096);
    if (worst) {
        bzr__buf_add_z(&b, "Content blocked: matched prompt-injection pattern '");
        bzr__buf_add_z(&b, worst->rule);
        bzr__buf_add_z(&b, "'. Rephrase the entry.");
    }
    status = bzr__buf_to_text(&b, ret);
    bzr__buf_free(&b);
    return status;
}
