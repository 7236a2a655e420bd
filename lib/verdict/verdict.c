/* verdict.c - what a scan says: severity, action, completeness, findings, and the same as one line of JSON. */
#include "lib/verdict/verdict.h"

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"
#include "lib/verdict/policy.h"

toad_severity toad_verdict_severity(const toad_verdict *v) { return v->severity; }
toad_completeness toad_verdict_completeness(const toad_verdict *v) { return v->completeness; }
double toad_verdict_score(const toad_verdict *v) { return v->score / 1000.0; }
uint64_t toad_verdict_bytes(const toad_verdict *v) { return v->bytes; }
size_t toad_verdict_count(const toad_verdict *v) { return v->n; }
uint64_t toad_verdict_total(const toad_verdict *v) { return v->total; }
const toad_finding *toad_verdict_finding(const toad_verdict *v, size_t i) { return i < v->n ? &v->findings[i] : NULL; }

toad_action toad_verdict_action(const toad_verdict *v) { return toad__usual_action(v->severity, v->completeness); }

/* Graver, or as grave and of the same family but plainer: a text matches a dozen rules, and callers look for the one
 * they know. */
static bool speaks_before(const toad_finding *f, const toad_finding *than) {
    if (toad__is_guess(f) != toad__is_guess(than)) return toad__is_guess(than);
    if (f->severity != than->severity) return f->severity > than->severity;
    return !strcmp(f->family, than->family) && toad__ruleset_find(toad__catalogue(), toad__str_z(f->rule)) <
                                                   toad__ruleset_find(toad__catalogue(), toad__str_z(than->rule));
}

const toad_finding *toad_verdict_worst(const toad_verdict *v) {
    const toad_finding *worst = NULL;
    for (size_t i = 0; i < v->n; i++)
        if (!worst || speaks_before(&v->findings[i], worst)) worst = &v->findings[i];
    return worst;
}

static void add_member(toad__buf *b, const char *name, const char *value) {
    toad__buf_add_z(b, name);
    toad__json_add_str(b, toad__str_z(value));
}

/* The excerpts are escaped JSON string bodies already: they are copied as they are. */
static void add_escaped(toad__buf *b, const char *name, toad_str body) {
    toad__buf_add_z(b, name);
    toad__buf_add_c(b, '"');
    toad__buf_add_str(b, body);
    toad__buf_add_c(b, '"');
}

static void add_finding(toad__buf *b, const toad_finding *f, toad_severity severity) {
    add_member(b, "\"rule\":", f->rule);
    add_member(b, ",\"severity\":", toad_severity_name(severity));
    toad__buf_add_z(b, ",\"start\":");
    toad__buf_add_u64(b, f->span.start);
    toad__buf_add_z(b, ",\"end\":");
    toad__buf_add_u64(b, f->span.end);
    toad__buf_add_z(b, ",\"path\":[");
    for (size_t i = 0; i < f->path_n; i++) add_member(b, i ? "," : "", f->path[i]);
    add_escaped(b, "],\"excerpt\":", f->excerpt);
    if (f->decoded.n) add_escaped(b, ",\"decoded\":", f->decoded);
    add_member(b, ",\"why\":", f->why);
}

void toad__verdict_findings(const toad_verdict *v, const toad__weighed *weighed, toad__buf *out) {
    const char *between = "{";
    toad__buf_add_c(out, '[');
    for (size_t i = 0; i < v->n; i++) {
        toad_severity severity = v->findings[i].severity;
        if (weighed && !weighed->finding(weighed->ctx, i, &severity)) continue;
        toad__buf_add_z(out, between);
        add_finding(out, &v->findings[i], severity);
        if (weighed) weighed->members(weighed->ctx, i, out);
        toad__buf_add_c(out, '}');
        between = ",{";
    }
    toad__buf_add_c(out, ']');
}

/* Thousandths as a decimal fraction. */
static void add_score(toad__buf *b, uint32_t score) {
    char digits[] = { '0', '.', '0', '0', '0', 0 };
    if (score >= 1000) digits[0] = '1', score -= 1000;
    for (unsigned i = 4; i >= 2; i--, score /= 10) digits[i] = (char)('0' + score % 10);
    toad__buf_add_z(b, ",\"score\":");
    toad__buf_add_z(b, digits);
}

/* The confidence of a verdict is its severity, and low where nothing was found. */
void toad__verdict_members(const toad_verdict *v, const toad__weighed *weighed, toad__buf *out) {
    toad_severity severity = weighed ? weighed->severity : v->severity;
    add_member(out, "\"action\":", toad_action_name(weighed ? weighed->action : toad_verdict_action(v)));
    add_member(out, ",\"severity\":", toad_severity_name(severity));
    add_member(out, ",\"confidence\":", toad_severity_name(severity == TOAD_NONE ? TOAD_LOW : severity));
    add_member(out, ",\"completeness\":", toad_completeness_name(v->completeness));
    add_score(out, v->score);
    toad__buf_add_z(out, ",\"bytes\":");
    toad__buf_add_u64(out, v->bytes);
    add_member(out, ",\"catalogue\":", toad__catalogue_version());
    toad__buf_add_z(out, ",\"findings\":");
    toad__verdict_findings(v, weighed, out);
    toad__buf_add_z(out, ",\"findings_total\":");
    toad__buf_add_u64(out, v->total);
}

toad_status toad_verdict_json(const toad_verdict *v, toad_text **ret) {
    toad__buf b;
    if (!v || !ret) return TOAD_E_ARG;
    toad__buf_init(&b, 8u << 20);
    toad__buf_add_c(&b, '{');
    toad__verdict_members(v, NULL, &b);
    toad__buf_add_c(&b, '}');
    return toad__finish(&b, ret);
}

toad_status toad_scan_json(toad_scanner *s, toad_str text, const toad_scan_options *options, toad_text **ret_json) {
    const toad_verdict *v;
    toad_status status = ret_json ? toad_scan(s, text, options, &v) : TOAD_E_ARG;
    return status ? status : toad_verdict_json(v, ret_json);
}

toad_status toad_scan_json_into(toad_scanner *s, toad_str text, const toad_scan_options *options, char *room,
                                size_t room_n, size_t *ret_n) {
    toad_text *json;
    toad_status status = (room || !room_n) && ret_n ? toad_scan_json(s, text, options, &json) : TOAD_E_ARG;
    if (status) return status;
    toad_str line = toad_text_str(json);
    if (line.n > room_n)
        status = TOAD_E_LIMIT;
    else if (line.n)
        memcpy(room, line.p, line.n), *ret_n = line.n;
    toad_text_free(json);
    return status;
}
