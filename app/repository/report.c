/* report.c - see report.h.
 *
 * The file is read a second time, whole if it is small enough; of a larger one, or of one that cannot be read again,
 * nothing is known of where a finding stands, which lowers nothing, and the fingerprint is made of the excerpt. A file
 * with more findings than a verdict lists is one more entry, of the whole file: when it changes, something may be new.
 *
 * Cost: one pass over the file, and quadratic in the findings of one file, of which there are a thousand at most. */
#include "app/repository/report.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#define WHOLE_MAX  ((size_t)8 << 20)
#define LINE_REACH 256u /* bytes of its line before and behind a finding that its fingerprint covers */

static bzr_status read_again(bzr__input *in, bzr__buf *text) {
    bzr_status status = BZR_OK;
    if (!bzr__input_rewind(in)) return BZR_OK;
    for (size_t n = 1; n && !text->status;) {
        char *room = bzr__buf_room(text, BZR__INPUT_PIECE);
        if (!room) break;
        if (bzr__input_read(in, room, BZR__INPUT_PIECE, &n)) return BZR_E_IO;
        text->n += n;
    }
    status = text->status == BZR_E_NOMEM ? BZR_E_NOMEM : BZR_OK;
    if (text->status) bzr__buf_clear(text);
    return status;
}

static bzr_severity at_most(bzr_severity s, bzr_severity most) { return s > most ? most : s; }

static bzr_severity own_severity(const bzr__report_options *o, const bzr_finding *f) {
    size_t i = o->rules ? bzr__rule_list_find(o->rules, f->rule) : SIZE_MAX;
    return i == SIZE_MAX ? BZR_NONE : o->rules->rows[i].rule.severity;
}

/* The marks around a docstring are none of quotation: the step that they cost is given back. */
static bzr_severity of_docstring(const bzr__report_options *o, const bzr_finding *f) {
    return f->severity < own_severity(o, f) ? f->severity + 1 : f->severity;
}

/* Values of a configuration are always quoted; the rule's own severity is the least there. */
static bzr_severity of_settings(const bzr__report_options *o, const bzr_finding *f) {
    bzr_severity own = own_severity(o, f);
    if (!strcmp(f->family, "agent_config") && own < BZR_MEDIUM) own = BZR_MEDIUM;
    return f->severity > own ? f->severity : own;
}

/* A name of a program (ignore_all_rules), a single word without blanks: what is written so can't be told from what the
 * code is about. */
static bool is_name(bzr_str excerpt) {
    size_t i = 0;
    while (i < excerpt.n && (bzr__is_alnum((unsigned char)excerpt.p[i]) || strchr("_.-", excerpt.p[i]))) i++;
    return excerpt.n && i == excerpt.n;
}

/* Comparisons and types in angle brackets look like tags: what they seem to hide in a program is hidden from nobody. */
static bool is_mistaken_for_markup(const char *key, const bzr_finding *f) {
    static const char *const markup[] = { ".php", ".jsx", ".tsx", ".vue", ".svelte", ".astro", ".erb" };
    bool hidden = f->path_n && !strncmp(f->path[0], "html:hidden", 11);
    const char *dot = strrchr(key, '.');
    for (size_t i = 0; i < sizeof markup / sizeof *markup && dot; i++)
        if (!strcmp(dot, markup[i])) return false;
    return hidden;
}

static bool is_shown(const bzr__report *r, bzr__standing standing, const bzr_finding *f) {
    bool code = r->artifact == BZR__ARTIFACT_CODE;
    if (bzr__standing_is_shown(standing) || is_name(f->excerpt)) return true;
    if (code && is_mistaken_for_markup(r->key, f)) return true;
    /* Those who write envelopes name their markers; an order that follows one is a finding of its own. */
    return code && !strcmp(f->family, "envelope_forgery");
}

static bzr_severity weigh(const bzr__report_options *o, const bzr__report *r, bzr__standing standing,
                          const bzr_finding *f) {
    switch (r->artifact) {
    case BZR__ARTIFACT_SETTINGS:
    case BZR__ARTIFACT_MCP: return of_settings(o, f);
    case BZR__ARTIFACT_FIXTURE:
    case BZR__ARTIFACT_RULES: return at_most(f->severity, BZR_MEDIUM);
    case BZR__ARTIFACT_CODE:
    case BZR__ARTIFACT_README:
    case BZR__ARTIFACT_DOCUMENT:
        if (is_shown(r, standing, f)) return at_most(f->severity, BZR_MEDIUM);
        return standing == BZR__STANDS_DOCSTRING ? of_docstring(o, f) : f->severity;
    default: return f->severity;
    }
}

/* The lines that a finding stands in, at most so many bytes around it, with every run of blanks as one. */
static void add_lines(bzr__buf *b, bzr_str text, bzr_span span) {
    size_t from = (size_t)span.start, to = (size_t)span.end < text.n ? (size_t)span.end : text.n;
    size_t low = from > LINE_REACH ? from - LINE_REACH : 0, high = text.n - to > LINE_REACH ? to + LINE_REACH : text.n;
    while (from > low && text.p[from - 1] != '\n') from--;
    while (to < high && text.p[to] != '\n') to++;
    bool blank = true;
    for (size_t i = from; i < to; i++) {
        bool is_blank = bzr__is_space((unsigned char)text.p[i]);
        if (!is_blank)
            bzr__buf_add_c(b, text.p[i]);
        else if (!blank)
            bzr__buf_add_c(b, ' ');
        blank = is_blank;
    }
    if (blank && b->n) b->n--;
}

/* 32 hexadecimal digits of the SHA-256 of the parts, each closed by a line feed that none but the last may hold. */
static bool digest(const char *rule, const char *key, bzr_str words, char ret[BZR__FINGERPRINT]) {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) && EVP_DigestUpdate(ctx, "bezoar finding 1\n", 17) &&
              EVP_DigestUpdate(ctx, rule, strlen(rule)) && EVP_DigestUpdate(ctx, "\n", 1) &&
              EVP_DigestUpdate(ctx, key, strlen(key) + 1) && EVP_DigestUpdate(ctx, words.n ? words.p : "", words.n) &&
              EVP_DigestFinal_ex(ctx, bytes, NULL);
    EVP_MD_CTX_free(ctx);
    for (size_t i = 0; ok && i < 16; i++) snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    return ok;
}

/* The model's passage begins and ends with what stands around an attack; where a rule names the words in it, those are
 * what is known again. */
static bzr_span anchor_of(const bzr__report *r, const bzr_finding *f) {
    if (strcmp(f->family, "learned")) return f->span;
    for (size_t i = 0; i < r->n; i++) {
        const bzr_finding *other = r->rows[i].finding;
        bool overlaps = other->span.start < f->span.end && f->span.start < other->span.end;
        if (overlaps && strcmp(other->family, "learned")) return other->span;
    }
    return f->span;
}

static bzr_status add_fingerprint(bzr__report *r, size_t i, bzr_str text) {
    bzr__reported *row = &r->rows[i];
    const bzr_finding *f = row->finding;
    bzr__buf words;
    unsigned nth = 1;
    bzr__buf_init(&words, WHOLE_MAX + 8192);
    if (text.n)
        add_lines(&words, text, anchor_of(r, f));
    else
        bzr__buf_add_str(&words, f->excerpt);
    bool ok = !words.status && digest(f->rule, r->key, bzr__buf_str(&words), row->fingerprint);
    bzr__buf_free(&words);
    for (size_t k = 0; ok && k < i; k++) nth += !strncmp(r->rows[k].fingerprint, row->fingerprint, 32);
    if (ok) snprintf(row->fingerprint + 32, BZR__FINGERPRINT - 32, ":%u", nth);
    return ok ? BZR_OK : BZR_E_NOMEM;
}

/* The verdict's findings are sorted by start, as the lexer wants them. */
static bzr_status add_standings(bzr__report *r, bzr_str text) {
    bzr_span *spans = malloc((r->n + 1) * sizeof *spans);
    bzr__standing *standings = malloc((r->n + 1) * sizeof *standings);
    bzr_status status = spans && standings ? BZR_OK : BZR_E_NOMEM;
    const char *slash = strrchr(r->key, '/');
    for (size_t i = 0; i < r->n && !status; i++) spans[i] = r->rows[i].finding->span;
    if (!status) bzr__stand(text, bzr__language_of(bzr__str_z(slash ? slash + 1 : r->key)), spans, r->n, standings);
    for (size_t i = 0; i < r->n && !status; i++) r->rows[i].standing = standings[i];
    free(spans);
    free(standings);
    return status;
}

static bzr_status add_places(bzr__report *r, bzr__input *in) {
    uint64_t *offsets = malloc((2 * r->n + 1) * sizeof *offsets);
    bzr__place *places = malloc((2 * r->n + 1) * sizeof *places);
    bzr_status status = offsets && places ? BZR_OK : BZR_E_NOMEM;
    for (size_t i = 0; i < r->n && !status; i++) {
        offsets[2 * i] = r->rows[i].finding->span.start;
        offsets[2 * i + 1] = r->rows[i].finding->span.end;
    }
    if (!status) status = bzr__locate(in, offsets, 2 * r->n, places);
    for (size_t i = 0; i < r->n && !status; i++) {
        r->rows[i].from = places[2 * i];
        r->rows[i].to = places[2 * i + 1];
    }
    free(offsets);
    free(places);
    return status;
}

/* Of one rule only so many findings are listed in a piece. */
static bool is_saturated(const bzr__report *r) {
    for (size_t i = 0; i < r->n; i++) {
        size_t same = 0;
        for (size_t k = i; k < r->n && same < BZR__LIMIT_RULE_FINDINGS; k++)
            same += r->rows[k].finding->rule == r->rows[i].finding->rule;
        if (same >= BZR__LIMIT_RULE_FINDINGS) return true;
    }
    return false;
}

static bzr_status add_more(const bzr__report_options *o, bzr__report *r, bzr_str text) {
    char size[32];
    uint64_t total = bzr_verdict_total(r->verdict);
    r->unlisted = total > r->n ? total - r->n : 0;
    r->more = r->unlisted || is_saturated(r);
    if (!r->more) return BZR_OK;
    snprintf(size, sizeof size, "%llu bytes", (unsigned long long)bzr_verdict_bytes(r->verdict));
    if (!digest("(more)", r->key, text.n ? text : bzr__str_z(size), r->more_fingerprint)) return BZR_E_NOMEM;
    memcpy(r->more_fingerprint + 32, ":1", 3);
    r->more_known = bzr__baseline_has(o->baseline, r->more_fingerprint);
    return BZR_OK;
}

bool bzr__is_fresh(const bzr__reported *row) { return !row->known && !row->suppression; }

/* What is not listed is not silenced by what is: unless the file is the same that the baseline knows, it weighs what
 * the verdict weighs. */
static void sum_up(const bzr__report_options *o, bzr__report *r) {
    for (size_t i = 0; i < r->n; i++) {
        const bzr__reported *row = &r->rows[i];
        r->known += row->known;
        r->suppressed += !row->known && row->suppression;
        r->fresh += bzr__is_fresh(row);
        if (bzr__is_fresh(row) && row->severity > r->severity) r->severity = row->severity;
    }
    bool partly = r->known || r->suppressed,
         limited = r->artifact == BZR__ARTIFACT_FIXTURE || r->artifact == BZR__ARTIFACT_RULES;
    bzr_severity whole = bzr_verdict_severity(r->verdict);
    if (o->repository && limited) whole = at_most(whole, BZR_MEDIUM);
    if (r->more && !r->more_known && partly && whole > r->severity) r->severity = whole;
    if (!r->n && whole > r->severity) r->severity = whole;
    bool full = bzr_verdict_completeness(r->verdict) == BZR_FULL;
    r->action = r->severity == BZR_HIGH ? BZR_BLOCK : r->severity == BZR_MEDIUM || !full ? BZR_WARN : BZR_ALLOW;
}

static bzr_status fill(const bzr__report_options *o, bzr__input *in, const char *root, bzr__buf *text, bzr__report *r) {
    for (size_t i = 0; i < r->n; i++) r->rows[i].finding = bzr_verdict_finding(r->verdict, i);
    bzr_status status = r->n ? add_places(r, in) : BZR_OK;
    if (!status && r->n) status = read_again(in, text);
    if (!status && r->n) status = add_standings(r, bzr__buf_str(text));
    for (size_t i = 0; i < r->n && !status; i++) {
        bzr__reported *row = &r->rows[i];
        row->severity = weigh(o, r, row->standing, row->finding);
        status = add_fingerprint(r, i, bzr__buf_str(text));
        if (status) break;
        row->known = bzr__baseline_has(o->baseline, row->fingerprint);
        row->suppression = bzr__suppressions_find(o->suppressions, root, r->key, row->finding->rule, row->fingerprint);
    }
    if (!status) status = add_more(o, r, bzr__buf_str(text));
    if (!status) sum_up(o, r);
    return status;
}

bzr_status bzr__report_make(const bzr__report_options *options, const bzr_verdict *verdict, bzr__input *in,
                            const char *root, const char *key, bzr__report *ret) {
    bzr__buf text;
    *ret = (bzr__report){ .verdict = verdict, .key = key, .n = bzr_verdict_count(verdict) };
    ret->artifact = options->repository ? bzr__artifact_of(bzr__str_z(key)) : BZR__ARTIFACT_OTHER;
    ret->rows = calloc(ret->n + 1, sizeof *ret->rows);
    if (!ret->rows) return BZR_E_NOMEM;
    bzr__buf_init(&text, WHOLE_MAX + BZR__INPUT_PIECE);
    bzr_status status = fill(options, in, root, &text, ret);
    bzr__buf_free(&text);
    return status;
}

void bzr__report_free(bzr__report *r) {
    free(r->rows);
    r->rows = NULL;
}

void bzr__report_baseline(const bzr__report *r, bzr__buf *entries) {
    for (size_t i = 0; i < r->n; i++)
        if (!r->rows[i].suppression)
            bzr__baseline_add(entries, r->rows[i].fingerprint, r->rows[i].finding->rule, r->key, r->rows[i].severity);
    if (r->more) bzr__baseline_add(entries, r->more_fingerprint, "(more)", r->key, bzr_verdict_severity(r->verdict));
}
