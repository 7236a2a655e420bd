/* report.c - see report.h.
 *
 * Of a file that is too large to be kept nothing is known of where a finding stands, which lowers nothing, and the
 * fingerprint is made of the excerpt. A file with more findings than a verdict lists is one more entry, of the whole
 * file: when it changes, something may be new.
 *
 * Cost: one pass over the file, and quadratic in the findings of one file, of which there are a thousand at most. */
#include "app/repository/report.h"
#include "lib/base/hex.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/verdict/policy.h"
#include "sys/digest.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_REACH 256u /* bytes of its line before and behind a finding that its fingerprint covers */

static toad_severity at_most(toad_severity s, toad_severity most) { return s > most ? most : s; }

static toad_severity own_severity(const toad__report_options *o, const toad_finding *f) {
    size_t i = o->rules ? toad__rule_list_find(o->rules, f->rule) : SIZE_MAX;
    return i == SIZE_MAX ? TOAD_NONE : o->rules->rows[i].rule.severity;
}

/* The marks around a docstring are none of quotation: the step that they cost is given back. */
static toad_severity of_docstring(const toad__report_options *o, const toad_finding *f) {
    return f->severity < own_severity(o, f) ? f->severity + 1 : f->severity;
}

/* Values of a configuration are always quoted; the rule's own severity is the least there. */
static toad_severity of_settings(const toad__report_options *o, const toad_finding *f) {
    toad_severity own = own_severity(o, f);
    if (!strcmp(f->family, "agent_config") && own < TOAD_MEDIUM) own = TOAD_MEDIUM;
    return f->severity > own ? f->severity : own;
}

/* A name of a program (ignore_all_rules), a single word without blanks: what is written so can't be told from what the
 * code is about. */
static bool is_name(toad_str excerpt) {
    size_t i = 0;
    while (i < excerpt.n && (toad__is_alnum((unsigned char)excerpt.p[i]) || strchr("_.-", excerpt.p[i]))) i++;
    return excerpt.n && i == excerpt.n;
}

/* Comparisons and types in angle brackets look like tags: what they seem to hide in a program is hidden from nobody. */
static bool is_mistaken_for_markup(const char *key, const toad_finding *f) {
    static const char *const markup[] = { ".php", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".erb" };
    bool hidden = f->path_n && !strncmp(f->path[0], "html:hidden", 11);
    const char *dot = strrchr(key, '.');
    for (size_t i = 0; i < sizeof markup / sizeof *markup && dot; i++)
        if (!strcmp(dot, markup[i])) return false;
    return hidden;
}

static bool is_shown(const toad__report *r, toad__standing standing, const toad_finding *f) {
    bool code = r->artifact == TOAD__ARTIFACT_CODE;
    if (toad__standing_is_shown(standing) || is_name(f->excerpt)) return true;
    if (code && is_mistaken_for_markup(r->key, f)) return true;
    /* Those who write envelopes name their markers; an order that follows one is a finding of its own. */
    return code && !strcmp(f->family, "envelope_forgery");
}

static toad_severity weigh(const toad__report_options *o, const toad__report *r, toad__standing standing,
                           const toad_finding *f) {
    switch (r->artifact) {
    case TOAD__ARTIFACT_SETTINGS:
    case TOAD__ARTIFACT_MCP: return of_settings(o, f);
    case TOAD__ARTIFACT_FIXTURE:
    case TOAD__ARTIFACT_RULES: return at_most(f->severity, TOAD_MEDIUM);
    case TOAD__ARTIFACT_CODE:
    case TOAD__ARTIFACT_README:
    case TOAD__ARTIFACT_DOCUMENT:
        if (is_shown(r, standing, f)) return at_most(f->severity, TOAD_MEDIUM);
        return standing == TOAD__STANDS_DOCSTRING ? of_docstring(o, f) : f->severity;
    default: return f->severity;
    }
}

/* The lines that a finding stands in, at most so many bytes around it, with every run of blanks as one. */
static void add_lines(toad__buf *b, toad_str text, toad_span span) {
    size_t from = (size_t)span.start, to = (size_t)span.end < text.n ? (size_t)span.end : text.n;
    size_t low = from > LINE_REACH ? from - LINE_REACH : 0, high = text.n - to > LINE_REACH ? to + LINE_REACH : text.n;
    while (from > low && text.p[from - 1] != '\n') from--;
    while (to < high && text.p[to] != '\n') to++;
    bool blank = true;
    for (size_t i = from; i < to; i++) {
        bool is_blank = toad__is_space((unsigned char)text.p[i]);
        if (!is_blank)
            toad__buf_add_c(b, text.p[i]);
        else if (!blank)
            toad__buf_add_c(b, ' ');
        blank = is_blank;
    }
    if (blank && b->n) b->n--;
}

#define WHAT "toadstone finding 1\n" /* so that no other digest of ours is one of these */

/* 32 hexadecimal digits of the SHA-256 of the parts, each closed by a line feed that none but the last may hold. */
static void digest(const char *rule, const char *key, toad_str words, char ret[TOAD__FINGERPRINT]) {
    unsigned char bytes[TOAD__DIGEST];
    toad__sha256(
        (const toad_str[]){ TOAD__S(WHAT), toad__str_z(rule), TOAD__S("\n"), toad__str(key, strlen(key) + 1), words },
        5, bytes);
    toad__hex_z(ret, bytes, 16);
}

/* The model's passage begins and ends with what stands around an attack; where a rule names the words in it, those are
 * what is known again. */
static toad_span anchor_of(const toad__report *r, const toad_finding *f) {
    if (strcmp(f->family, "learned")) return f->span;
    for (size_t i = 0; i < r->n; i++) {
        const toad_finding *other = r->rows[i].finding;
        bool overlaps = other->span.start < f->span.end && f->span.start < other->span.end;
        if (overlaps && strcmp(other->family, "learned")) return other->span;
    }
    return f->span;
}

static toad_status add_fingerprint(toad__report *r, size_t i, toad_str text) {
    toad__reported *row = &r->rows[i];
    const toad_finding *f = row->finding;
    toad__buf words;
    unsigned nth = 1;
    toad__buf_init(&words, TOAD__INPUT_KEEP + 8192);
    if (text.n)
        add_lines(&words, text, anchor_of(r, f));
    else
        toad__buf_add_str(&words, f->excerpt);
    bool ok = !words.status;
    if (ok) digest(f->rule, r->key, toad__buf_str(&words), row->fingerprint);
    toad__buf_free(&words);
    for (size_t k = 0; ok && k < i; k++) nth += !strncmp(r->rows[k].fingerprint, row->fingerprint, 32);
    if (ok) snprintf(row->fingerprint + 32, TOAD__FINGERPRINT - 32, ":%u", nth);
    return ok ? TOAD_OK : TOAD_E_NOMEM;
}

/* The verdict's findings are sorted by start, as the lexer wants them. */
static toad_status add_standings(toad__report *r, toad_str text) {
    toad_span *spans = malloc((r->n + 1) * sizeof *spans);
    toad__standing *standings = malloc((r->n + 1) * sizeof *standings);
    toad_status status = spans && standings ? TOAD_OK : TOAD_E_NOMEM;
    const char *slash = strrchr(r->key, '/');
    for (size_t i = 0; i < r->n && !status; i++) spans[i] = r->rows[i].finding->span;
    if (!status) toad__stand(text, toad__language_of(toad__str_z(slash ? slash + 1 : r->key)), spans, r->n, standings);
    for (size_t i = 0; i < r->n && !status; i++) r->rows[i].standing = standings[i];
    free(spans);
    free(standings);
    return status;
}

static toad_status add_places(toad__report *r, toad__input *in) {
    uint64_t *offsets = malloc((2 * r->n + 1) * sizeof *offsets);
    toad__place *places = malloc((2 * r->n + 1) * sizeof *places);
    toad_status status = offsets && places ? TOAD_OK : TOAD_E_NOMEM;
    for (size_t i = 0; i < r->n && !status; i++) {
        offsets[2 * i] = r->rows[i].finding->span.start;
        offsets[2 * i + 1] = r->rows[i].finding->span.end;
    }
    if (!status) status = toad__locate(in, offsets, 2 * r->n, places);
    for (size_t i = 0; i < r->n && !status; i++) {
        r->rows[i].from = places[2 * i];
        r->rows[i].to = places[2 * i + 1];
    }
    free(offsets);
    free(places);
    return status;
}

/* Of one rule only so many findings are listed in a piece. */
static bool is_saturated(const toad__report *r) {
    for (size_t i = 0; i < r->n; i++) {
        size_t same = 0;
        for (size_t k = i; k < r->n && same < TOAD__LIMIT_RULE_FINDINGS; k++)
            same += r->rows[k].finding->rule == r->rows[i].finding->rule;
        if (same >= TOAD__LIMIT_RULE_FINDINGS) return true;
    }
    return false;
}

static void add_more(const toad__report_options *o, toad__report *r, toad_str text) {
    char size[32];
    uint64_t total = toad_verdict_total(r->verdict);
    r->unlisted = total > r->n ? total - r->n : 0;
    r->more = r->unlisted || is_saturated(r);
    if (!r->more) return;
    snprintf(size, sizeof size, "%llu bytes", (unsigned long long)toad_verdict_bytes(r->verdict));
    digest("(more)", r->key, text.n ? text : toad__str_z(size), r->more_fingerprint);
    memcpy(r->more_fingerprint + 32, ":1", 3);
    r->more_known = toad__baseline_has(o->baseline, r->more_fingerprint);
}

bool toad__is_fresh(const toad__reported *row) { return !row->known && !row->suppression; }

/* ---- places ---- */

/* The gravest finding of a place speaks for it; then the one the catalogue lists first. */
static bool speaks_before(const toad__reported *row, const toad__reported *than) {
    if (row->severity != than->severity) return row->severity > than->severity;
    return toad__rule_rank(row->finding->rule) < toad__rule_rank(than->finding->rule);
}

/* Where the rows that begin in the same words end: all begin before the shortest of them is over. */
static size_t place_end(const toad__report *r, size_t from, size_t *ret_lead) {
    uint64_t end = UINT64_MAX;
    size_t i = from;
    *ret_lead = from;
    for (; i < r->n; i++) {
        const toad__reported *row = &r->rows[i];
        if (!toad__is_fresh(row)) continue;
        if (row->finding->span.start >= end) break;
        if (row->finding->span.end < end) end = row->finding->span.end;
        if (speaks_before(row, &r->rows[*ret_lead])) *ret_lead = i;
    }
    return i;
}

static void group(toad__report *r) {
    for (size_t i = 0; i < r->n; i++) r->rows[i].lead = SIZE_MAX;
    for (size_t i = 0, next, lead; i < r->n; i = next) {
        next = i + 1;
        if (!toad__is_fresh(&r->rows[i])) continue;
        next = place_end(r, i, &lead);
        r->places[r->rows[lead].severity & 3]++;
        for (size_t k = i; k < next; k++)
            if (toad__is_fresh(&r->rows[k])) r->rows[k].lead = lead;
    }
}

/* ---- minified code ---- */

#define LONG_LINES 200u /* bytes a line, on average */

static bool is_minified(const toad__report *r, toad_str text) {
    size_t lines = 1;
    if (r->artifact != TOAD__ARTIFACT_CODE || toad_verdict_completeness(r->verdict) != TOAD_DECODE_LIMIT) return false;
    for (size_t at = 0; (at = toad__str_find(text, TOAD__S("\n"), at)) < text.n; at++) lines++;
    for (size_t i = 0; i < r->n; i++) {
        const toad_finding *f = r->rows[i].finding;
        if (!strcmp(f->rule, "nested_encoding") || (f->path_n && r->rows[i].severity >= TOAD_MEDIUM)) return false;
    }
    return text.n / lines >= LONG_LINES;
}

/* What is not listed is not silenced by what is: unless the file is the same that the baseline knows, it weighs what
 * the verdict weighs. */
static void sum_up(const toad__report_options *o, toad__report *r) {
    for (size_t i = 0; i < r->n; i++) {
        const toad__reported *row = &r->rows[i];
        r->known += row->known;
        r->suppressed += !row->known && row->suppression;
        r->fresh += toad__is_fresh(row);
        if (toad__is_fresh(row) && row->severity > r->severity) r->severity = row->severity;
    }
    bool partly = r->known || r->suppressed,
         limited = r->artifact == TOAD__ARTIFACT_FIXTURE || r->artifact == TOAD__ARTIFACT_RULES;
    toad_severity whole = toad_verdict_severity(r->verdict);
    if (o->repository && limited) whole = at_most(whole, TOAD_MEDIUM);
    if (r->more && !r->more_known && partly && whole > r->severity) r->severity = whole;
    if (!r->n && whole > r->severity) r->severity = whole;
    toad_completeness looked = r->minified ? TOAD_FULL : toad_verdict_completeness(r->verdict);
    r->action = toad__usual_action(r->severity, looked);
}

toad_status toad__report_make(const toad__report_options *options, const toad_verdict *verdict, toad__input *in,
                              const char *root, const char *key, toad__report *ret) {
    toad__report *r = ret;
    toad_str text = toad__buf_str(&in->text);
    *r = (toad__report){ .verdict = verdict, .key = key, .n = toad_verdict_count(verdict) };
    r->artifact = options->repository ? toad__artifact_of(toad__str_z(key)) : TOAD__ARTIFACT_OTHER;
    r->rows = calloc(r->n + 1, sizeof *r->rows);
    if (!r->rows) return TOAD_E_NOMEM;
    for (size_t i = 0; i < r->n; i++) r->rows[i].finding = toad_verdict_finding(verdict, i);
    toad_status status = r->n ? add_places(r, in) : TOAD_OK;
    if (!status && r->n) status = add_standings(r, text);
    for (size_t i = 0; i < r->n && !status; i++) {
        toad__reported *row = &r->rows[i];
        row->artifact = r->artifact;
        row->severity = weigh(options, r, row->standing, row->finding);
        status = add_fingerprint(r, i, text);
        if (status) break;
        row->known = toad__baseline_has(options->baseline, row->fingerprint);
        row->suppression =
            toad__suppressions_find(options->suppressions, root, key, row->finding->rule, row->fingerprint);
    }
    if (status) return status;
    add_more(options, r, text);
    group(r);
    r->minified = is_minified(r, text);
    sum_up(options, r);
    return TOAD_OK;
}

void toad__report_free(toad__report *r) {
    free(r->rows);
    r->rows = NULL;
}

void toad__report_baseline(const toad__report *r, toad__buf *entries) {
    for (size_t i = 0; i < r->n; i++)
        if (!r->rows[i].suppression)
            toad__baseline_add(entries, r->rows[i].fingerprint, r->rows[i].finding->rule, r->key, r->rows[i].severity);
    if (r->more) toad__baseline_add(entries, r->more_fingerprint, "(more)", r->key, toad_verdict_severity(r->verdict));
}
