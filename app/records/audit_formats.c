/* audit_formats.c - one event as a line of JSON, OCSF (Detection Finding), ECS or CEF.
 *
 * Rows may have been written by anybody: every text goes through an escaper, and details are spliced in only if they
 * are one line of JSON. */
#include "app/records/audit.h"

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "toadstone/toadstone.h"

#include <stdio.h>

#define DETAILS_MAX  ((size_t)1 << 20)
#define EVENT_MAX    (128 * DETAILS_MAX) /* of one event as a tree */
#define OCSF_VERSION "1.9.0"
#define ECS_VERSION  "8.11.0"

/* How grave an event is, in the words of each format. */
typedef enum level { INFO, LOW, MEDIUM, HIGH } level;
static const struct {
    int ocsf;
    const char *name;
    int ecs, cef, risk;
} levels[] = {
    { 1, "Informational", 1, 0, 0 }, { 2, "Low", 3, 3, 25 }, { 3, "Medium", 5, 5, 60 }, { 4, "High", 8, 8, 95 }
};

static bool is(toad_str s, const char *z) { return toad__str_eq(s, toad__str_z(z)); }
static bool is_scan(const toad__event *e) { return is(e->type, "security_scan"); }
static bool is_detection(const toad__event *e) { return is_scan(e) && e->pattern_matched.n > 0; }

static level level_of(const toad__event *e) {
    if (is(e->action, "block") && (is_scan(e) || e->pattern_matched.n)) return HIGH;
    if (is(e->action, "warn") || is(e->action, "redact") || is(e->action, "block")) return MEDIUM;
    return e->pattern_matched.n ? LOW : INFO;
}

/* `details` as one line of JSON: as they stand if they are that, else as a string. */
static void add_details(toad__answer *out, const char *key, toad_str details) {
    if (!details.n) details = TOAD__S("{}");
    bool plain = details.n <= DETAILS_MAX;
    for (size_t i = 0; plain && i < details.n; i++)
        plain = (unsigned char)details.p[i] >= ' ' && (unsigned char)details.p[i] < 0x7f;
    if (!plain || !toad__answer_json(out, key, details)) toad__answer_str(out, key, details);
}

/* A list of one. */
static void add_list(toad__answer *out, const char *key, const char *item) {
    toad__answer_array(out, key);
    toad__answer_z(out, NULL, item);
    toad__answer_end(out);
}

static void add_present(toad__answer *out, const char *key, toad_str value) {
    if (value.n) toad__answer_str(out, key, value);
}

static void add_event_id(toad__answer *out, const char *key, const toad__event *e) {
    char id[32];
    snprintf(id, sizeof id, "evt_%lld", (long long)e->seq);
    toad__answer_z(out, key, id);
}

/* ---- nanofolks' design ---- */

void toad__audit_event(const toad__event *e, bool hide_blocked_id, toad__answer *out) {
    bool hide = hide_blocked_id && is(e->action, "block");
    toad__answer_object(out, NULL);
    add_event_id(out, "id", e);
    toad__answer_int(out, "seq", e->seq);
    toad__answer_time(out, "time", e->at);
    toad__answer_str(out, "event_type", e->type);
    toad__answer_str(out, "direction", e->direction);
    toad__answer_str(out, "channel", e->channel);
    toad__answer_str(out, "content", e->content);
    toad__answer_object(out, "metadata");
    toad__answer_some(out, "url", e->url);
    toad__answer_some(out, "pattern_matched", e->pattern_matched);
    toad__answer_some(out, "confidence", e->confidence);
    toad__answer_some(out, "action", e->action);
    toad__answer_str(out, "content_id", e->content_id.n && !hide ? e->content_id : toad__str(NULL, 0));
    toad__answer_some(out, "session_id", e->session_id);
    toad__answer_end(out);
    add_details(out, "details", e->details);
    toad__answer_str(out, "hash", e->hash);
    toad__answer_end(out);
}

/* ---- what a rule maps to ---- */

typedef struct rule_facts {
    toad_str id, title, family;
    const char *mapping;
} rule_facts;

static rule_facts facts_of(const toad__event *e) {
    toad_rule rule;
    rule_facts f = { e->pattern_matched, e->pattern_matched, TOAD__S("prompt-injection"), "AML.T0051" };
    if (toad_rules_find(NULL, e->pattern_matched, &rule)) return f;
    f.title = toad__str_z(rule.title);
    f.family = toad__str_z(rule.family);
    f.mapping = rule.mapping;
    return f;
}

/* The next ATLAS technique of a mapping, or an empty slice. */
static toad_str next_technique(const char **at) {
    while (**at) {
        size_t n = strcspn(*at, " ");
        toad_str word = { *at, n };
        *at += n + ((*at)[n] == ' ');
        if (toad__str_starts(word, TOAD__S("AML.T"))) return word;
    }
    return (toad_str){ NULL, 0 };
}

/* The part of AML.T0051.001 before the second point; all of it where there is none. */
static toad_str technique_of(toad_str word) { return toad__str_part(word, 0, toad__str_find(word, TOAD__S("."), 5)); }

/* ---- OCSF ---- */

static void add_attacks(toad__answer *out, const char *mapping) {
    toad__answer_array(out, "attacks");
    for (toad_str word; (word = next_technique(&mapping)).n;) {
        toad_str technique = technique_of(word);
        toad__answer_object(out, NULL);
        toad__answer_object(out, "technique");
        toad__answer_str(out, "uid", technique);
        toad__answer_end(out);
        if (technique.n < word.n) {
            toad__answer_object(out, "sub_technique");
            toad__answer_str(out, "uid", word);
            toad__answer_end(out);
        }
        toad__answer_end(out);
    }
    toad__answer_end(out);
}

static void add_finding(toad__answer *out, const toad__event *e) {
    rule_facts rule = facts_of(e);
    toad__answer_object(out, "finding_info");
    add_event_id(out, "uid", e);
    toad__answer_str(out, "title", rule.title);
    toad__answer_int(out, "created_time", e->at / 1000);
    add_list(out, "types", "Prompt Injection");
    toad__answer_object(out, "analytic");
    toad__answer_str(out, "uid", rule.id);
    toad__answer_str(out, "name", rule.title);
    toad__answer_str(out, "category", rule.family);
    toad__answer_int(out, "type_id", 1);
    toad__answer_z(out, "type", "Rule");
    toad__answer_end(out);
    add_attacks(out, rule.mapping);
    toad__answer_end(out);
}

static void add_disposition(toad__answer *out, const toad__event *e) {
    bool block = is(e->action, "block"), redact = is(e->action, "redact"), warn = is(e->action, "warn");
    toad__answer_int(out, "action_id", block ? 2 : redact ? 4 : warn ? 3 : 1);
    toad__answer_z(out, "action", block ? "Denied" : redact ? "Modified" : warn ? "Observed" : "Allowed");
    toad__answer_int(out, "disposition_id", block ? 2 : redact ? 11 : warn ? 15 : 17);
    toad__answer_z(out, "disposition", block ? "Blocked" : redact ? "Corrected" : warn ? "Detected" : "Logged");
    toad__answer_bool(out, "is_alert", block);
}

/* What the class has no attribute for. */
static void add_rest(toad__answer *out, const char *key, const toad__event *e) {
    toad__answer_object(out, key);
    toad__answer_int(out, "seq", e->seq);
    toad__answer_str(out, "event_type", e->type);
    add_present(out, "direction", e->direction);
    add_present(out, "channel", e->channel);
    add_present(out, "content", e->content);
    add_present(out, "url", e->url);
    add_present(out, "pattern_matched", e->pattern_matched);
    add_present(out, "confidence", e->confidence);
    add_present(out, "action", e->action);
    add_present(out, "content_id", e->content_id);
    add_present(out, "session_id", e->session_id);
    add_details(out, "details", e->details);
    toad__answer_str(out, "hash", e->hash);
    toad__answer_end(out);
}

static void add_product(toad__answer *out, const toad__event *e) {
    toad__answer_object(out, "metadata");
    toad__answer_z(out, "version", OCSF_VERSION);
    add_event_id(out, "uid", e);
    toad__answer_int(out, "sequence", e->seq);
    toad__answer_object(out, "product");
    toad__answer_z(out, "name", "toadstone");
    toad__answer_z(out, "vendor_name", "toadstone");
    toad__answer_z(out, "version", toad_version());
    toad__answer_end(out);
    if (is_detection(e)) add_list(out, "profiles", "security_control");
    toad__answer_end(out);
}

/* A detection is class 2004; everything else is a base event, which has no meaning of its own. */
static void add_ocsf(const toad__event *e, toad__answer *out) {
    bool detection = is_detection(e);
    level l = level_of(e);
    toad__answer_int(out, "class_uid", detection ? 2004 : 0);
    toad__answer_z(out, "class_name", detection ? "Detection Finding" : "Base Event");
    toad__answer_int(out, "category_uid", detection ? 2 : 0);
    toad__answer_z(out, "category_name", detection ? "Findings" : "Uncategorized");
    toad__answer_int(out, "activity_id", detection ? 1 : 99);
    toad__answer_str(out, "activity_name", detection ? TOAD__S("Create") : e->type);
    toad__answer_int(out, "type_uid", detection ? 200401 : 99);
    toad__answer_int(out, "severity_id", levels[l].ocsf);
    toad__answer_z(out, "severity", levels[l].name);
    toad__answer_int(out, "status_id", 1);
    toad__answer_int(out, "time", e->at / 1000);
    toad__answer_str(out, "message", e->content);
    add_product(out, e);
    if (detection) {
        add_finding(out, e);
        add_disposition(out, e);
    }
    toad__answer_array(out, "observables");
    if (e->url.n) {
        toad__answer_object(out, NULL);
        toad__answer_z(out, "name", "unmapped.url");
        toad__answer_int(out, "type_id", 6);
        toad__answer_z(out, "type", "URL String");
        toad__answer_str(out, "value", e->url);
        toad__answer_end(out);
    }
    toad__answer_end(out);
    add_rest(out, "unmapped", e);
}

/* ---- ECS ---- */

static const char *ecs_category(const toad__event *e) {
    if (is_scan(e) || is(e->type, "refused") || is(e->type, "content_refused")) return "intrusion_detection";
    if (is(e->type, "setting_change")) return "configuration";
    return toad__str_starts(e->type, TOAD__S("content_")) ? "web" : "database";
}

static void add_ecs_event(toad__answer *out, const toad__event *e) {
    level l = level_of(e);
    bool block = is(e->action, "block");
    toad__answer_object(out, "event");
    toad__answer_z(out, "kind", is_detection(e) ? "alert" : "event");
    add_list(out, "category", ecs_category(e));
    add_list(out, "type", block ? "denied" : is(e->action, "allow") ? "allowed" : "info");
    toad__answer_str(out, "action", e->type);
    toad__answer_z(out, "outcome", "success");
    toad__answer_int(out, "severity", levels[l].ecs);
    toad__answer_int(out, "risk_score", levels[l].risk);
    toad__answer_z(out, "module", "toadstone");
    toad__answer_z(out, "dataset", "toadstone.audit");
    add_event_id(out, "id", e);
    toad__answer_int(out, "sequence", e->seq);
    toad__answer_str(out, "hash", e->hash);
    toad__answer_end(out);
}

static void add_ids(toad__answer *out, const char *mapping, bool subs) {
    toad__answer_array(out, "id");
    for (toad_str word; (word = next_technique(&mapping)).n;) {
        toad_str technique = technique_of(word);
        if (!subs || technique.n < word.n) toad__answer_str(out, NULL, subs ? word : technique);
    }
    toad__answer_end(out);
}

static void add_ecs_rule(toad__answer *out, const toad__event *e) {
    rule_facts rule = facts_of(e);
    toad__answer_object(out, "rule");
    toad__answer_str(out, "id", rule.id);
    toad__answer_str(out, "name", rule.title);
    toad__answer_str(out, "category", rule.family);
    toad__answer_z(out, "ruleset", "toadstone");
    toad__answer_z(out, "version", toad_catalogue_version());
    toad__answer_end(out);
    toad__answer_object(out, "threat");
    toad__answer_z(out, "framework", "MITRE ATLAS");
    toad__answer_object(out, "technique");
    add_ids(out, rule.mapping, false);
    toad__answer_object(out, "subtechnique");
    add_ids(out, rule.mapping, true);
    toad__answer_end(out);
    toad__answer_end(out);
    toad__answer_end(out);
}

static void add_ecs(const toad__event *e, toad__answer *out) {
    toad__answer_time(out, "@timestamp", e->at);
    toad__answer_object(out, "ecs");
    toad__answer_z(out, "version", ECS_VERSION);
    toad__answer_end(out);
    add_ecs_event(out, e);
    if (e->pattern_matched.n) add_ecs_rule(out, e);
    if (e->url.n) {
        toad__answer_object(out, "url");
        toad__answer_str(out, toad__str_find(e->url, TOAD__S("://"), 0) < e->url.n ? "full" : "original", e->url);
        toad__answer_end(out);
    }
    toad__answer_object(out, "service");
    toad__answer_z(out, "name", "toadstone");
    toad__answer_z(out, "version", toad_version());
    toad__answer_end(out);
    toad__answer_str(out, "message", e->content);
    add_rest(out, "toadstone", e);
}

/* ---- JSON lines ---- */

/* What could not be done in a scratch buffer could not be done. */
static void fail(toad__buf *out, toad_status status) {
    if (!out->status) out->status = status;
}

/* The bytes under the hash, then the hash. */
static void add_jsonl(const toad__event *e, toad__buf *out) {
    toad__event copy = *e;
    toad__answer scratch;
    toad__buf details;
    toad__answer_init(&scratch, EVENT_MAX);
    toad__buf_init(&details, 8 * DETAILS_MAX);
    add_details(&scratch, "details", e->details);
    if (scratch.status)
        fail(out, scratch.status);
    else
        toad__answer_write_value(scratch.root.child, &details);
    fail(out, details.status);
    copy.details = toad__buf_str(&details);
    if (!out->status) toad__event_json(&copy, out);
    if (!out->status && out->n) {
        out->n--;
        toad__json_add_key(out, "hash");
        toad__json_add_utf8(out, e->hash);
        toad__buf_add_c(out, '}');
    }
    toad__buf_free(&details);
    toad__answer_free(&scratch);
}

/* ---- CEF ---- */

/* A value of the header ("|") or the extension ("="), both with backslash; line breaks are \n there and blanks here,
 * and what is invisible is shown as a JSON escape would, so that a reader and a terminal see the same. */
static void add_cef(toad__buf *out, toad_str s, bool header) {
    toad__buf inert;
    toad__buf_init(&inert, 8 * s.n + 64);
    for (size_t at = 0, end; at <= s.n; at = end + 1) {
        end = at;
        while (end < s.n && !strchr("\\|=\r\n\"", s.p[end] ? s.p[end] : ' ')) end++;
        toad__buf_clear(&inert);
        toad__json_add_utf8(&inert, toad__str_part(s, at, end));
        for (size_t i = 1; !inert.status && i + 1 < inert.n; i++) {
            if (inert.p[i] == '\\') toad__buf_add_c(out, '\\');
            toad__buf_add_c(out, inert.p[i]);
        }
        fail(out, inert.status);
        if (end == s.n) break;
        char c = s.p[end];
        bool breaks = c == '\n' || c == '\r';
        if (breaks && header) {
            toad__buf_add_c(out, ' ');
            continue;
        }
        if (breaks || c == '\\' || (c == '|' && header) || (c == '=' && !header)) toad__buf_add_c(out, '\\');
        toad__buf_add_c(out, c == '\n' ? 'n' : c == '\r' ? 'r' : c);
    }
    toad__buf_free(&inert);
}

static void add_cef_pair(toad__buf *out, const char *key, toad_str value) {
    if (!value.n) return;
    toad__buf_add_c(out, ' ');
    toad__buf_add_z(out, key);
    toad__buf_add_c(out, '=');
    add_cef(out, value, false);
}

static void add_cef_custom(toad__buf *out, int slot, const char *label, toad_str value) {
    char key[16];
    if (!value.n) return;
    snprintf(key, sizeof key, "cs%dLabel", slot);
    add_cef_pair(out, key, toad__str_z(label));
    snprintf(key, sizeof key, "cs%d", slot);
    add_cef_pair(out, key, value);
}

static void add_cef_line(const toad__event *e, toad__buf *out) {
    char text[96];
    bool rule = e->pattern_matched.n > 0;
    toad__buf_add_z(out, "CEF:0|toadstone|toadstone|");
    add_cef(out, toad__str_z(toad_version()), true);
    toad__buf_add_c(out, '|');
    add_cef(out, rule ? e->pattern_matched : e->type, true);
    toad__buf_add_c(out, '|');
    add_cef(out, rule ? facts_of(e).title : e->type, true);
    snprintf(text, sizeof text, "|%d|rt=%lld externalId=evt_%lld", levels[level_of(e)].cef, (long long)(e->at / 1000),
             (long long)e->seq);
    toad__buf_add_z(out, text);
    add_cef_pair(out, "cat", is_detection(e) ? TOAD__S("prompt-injection") : e->type);
    add_cef_pair(out, "act", e->action);
    add_cef_pair(out, "request", e->url);
    add_cef_pair(out, "msg", e->content);
    add_cef_custom(out, 1, "contentId", e->content_id);
    add_cef_custom(out, 2, "sessionId", e->session_id);
    add_cef_custom(out, 3, "confidence", e->confidence);
    add_cef_custom(out, 4, "eventType", e->type);
    add_cef_custom(out, 5, "hash", e->hash);
    if (e->details.n > 2) add_cef_custom(out, 6, "details", e->details);
}

static void write_line(const toad__event *e, void (*add)(const toad__event *e, toad__answer *out), toad__buf *out) {
    toad__answer line;
    toad__answer_init(&line, EVENT_MAX);
    add(e, &line);
    toad__answer_write(&line, out);
    toad__answer_free(&line);
}

void toad__audit_line(const toad__event *e, toad__audit_format format, toad__buf *out) {
    switch (format) {
    case TOAD__AUDIT_JSONL: add_jsonl(e, out); return;
    case TOAD__AUDIT_OCSF: write_line(e, add_ocsf, out); return;
    case TOAD__AUDIT_ECS: write_line(e, add_ecs, out); return;
    case TOAD__AUDIT_CEF: add_cef_line(e, out); return;
    }
}
