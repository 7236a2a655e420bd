/* eval_out.c - see eval_out.h. Names and text of rows are written as escaped ASCII: they are what strangers wrote. */
#include "face/cli/eval_out.h"
#include "lib/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Append at most 255 bytes, formatted. */
static void add_f(toad__buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_f(toad__buf *b, const char *format, ...) {
    char text[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    toad__buf_add_z(b, text);
}

/* A name of the rows, escaped; its first 64 bytes. */
static const char *shown(toad_str name, char to[256]) {
    toad__buf b;
    toad__buf_init(&b, 4096);
    toad__json_add_str(&b, toad__str_part(name, 0, 64));
    toad_str s = b.status || b.n < 2 ? TOAD__S("?") : toad__str_part(toad__buf_str(&b), 1, b.n - 1);
    snprintf(to, 256, "%.*s", s.n < 255 ? (int)s.n : 255, s.p);
    toad__buf_free(&b);
    return to;
}

static double percent(toad__eval_share s) { return s.of ? 100.0 * (double)s.hits / (double)s.of : 0; }

/* ---- the table ---- */

enum { NAME_LEAST = 26, NAME_MOST = 48 }; /* columns of the name */
static const char table_head[] = "%-*s %7s %8s%18s %7s %8s%18s %8s %8s %6s\n";

static int name_width(const toad__eval *e) {
    size_t width = NAME_LEAST;
    for (size_t i = 0; i < e->n; i++)
        if (e->rows[i].group.n > width) width = e->rows[i].group.n;
    return width < NAME_MOST ? (int)width : NAME_MOST;
}

static void add_shares(toad__buf *b, toad__eval_share blocked, toad__eval_share flagged) {
    double low, high;
    char both[64];
    toad__eval_interval(flagged, &low, &high);
    snprintf(both, sizeof both, "%6.2f%% (%3.0f-%3.0f)", percent(flagged), 100 * low, 100 * high);
    if (flagged.of)
        add_f(b, "%7llu %7.2f%%%18s", (unsigned long long)flagged.of, percent(blocked), both);
    else
        add_f(b, "%7d %8s%18s", 0, "-", "-");
}

static void add_row(toad__buf *b, const char *name, int width, const toad__eval_measures *m) {
    add_f(b, "%-*.*s ", width, width, name);
    add_shares(b, m->blocked, m->flagged);
    toad__buf_add_c(b, ' ');
    add_shares(b, m->false_blocked, m->false_flagged);
    double alarms = (double)m->false_flagged.hits;
    if (m->benign_bytes)
        add_f(b, " %8.2f %8.2f", 1e3 * alarms / (double)m->benign_windows, 1e6 * alarms / (double)m->benign_bytes);
    else
        add_f(b, " %8s %8s", "-", "-");
    if (m->auc < 0)
        add_f(b, " %6s\n", "-");
    else
        add_f(b, " %6.3f\n", m->auc);
}

toad_status eval_add_table(toad__buf *b, const eval_run *run, const char *by) {
    const toad__eval *e = &run->eval;
    toad__eval_measures m;
    char name[256];
    int width = name_width(e);
    add_f(b, table_head, width, by, "attacks", "blocked", "flagged (95 %)", "benign", "blocked", "flagged (95 %)",
          "/1000 w", "/MB", "AUC");
    for (size_t from = 0, to; from < e->n; from = to) {
        to = toad__eval_group_end(e, from);
        toad_status status = toad__eval_measure(e, from, to, &m);
        if (status) return status;
        add_row(b, shown(e->rows[from].group, name), width, &m);
    }
    toad_status status = toad__eval_measure(e, 0, e->n, &m);
    if (status) return status;
    add_row(b, "all", width, &m);
    add_f(b, "%zu rows, %.1f MB in %.1f s, %.3g MB/s a thread; %llu scanned in part\n", e->n, (double)run->bytes / 1e6,
          run->seconds, run->scan_seconds > 0 ? (double)run->bytes / 1e6 / run->scan_seconds : 0,
          (unsigned long long)m.incomplete);
    return TOAD_OK;
}

/* ---- pairs ---- */

static toad__eval_share attacks_of(const toad__eval_cell *c) {
    return (toad__eval_share){ c->both + c->attack_only, c->both + c->attack_only + c->twin_only + c->neither };
}

static toad__eval_share twins_of(const toad__eval_cell *c) {
    return (toad__eval_share){ c->both + c->twin_only, attacks_of(c).of };
}

static void add_cell(toad__buf *b, const toad__eval_cell *c) {
    char name[256], label[300];
    double low, high, difference = toad__eval_difference(c, &low, &high);
    toad__eval_share attacks = attacks_of(c);
    bool all = !strcmp(c->facet, "all");
    snprintf(label, sizeof label, "%s%s%s", c->facet, all ? "" : " ", all ? "" : shown(c->name, name));
    add_f(b, "%-*.*s %7llu %8.2f%% %8.2f%% %+9.2f (%+4.0f to %+4.0f) %8llu\n", NAME_LEAST, NAME_MOST, label,
          (unsigned long long)attacks.of, percent(attacks), percent(twins_of(c)), 100 * difference, 100 * low,
          100 * high, (unsigned long long)(attacks.of - attacks.hits));
}

toad_status eval_add_pairs(toad__buf *b, const eval_run *run) {
    toad__eval_cell *cells;
    size_t n;
    uint64_t alone;
    toad_status status = toad__eval_pair_up(&run->eval, &cells, &n, &alone);
    if (status) return status;
    if (n)
        add_f(b, "\n%-*s %7s %9s %9s %9s %-14s %8s\n", NAME_LEAST, "pairs, flagged", "pairs", "attacks", "twins",
              "difference", " (95 %)", "missed");
    for (size_t i = 0; i < n; i++) add_cell(b, &cells[i]);
    if (alone) add_f(b, "%llu rows whose pair is not one attack and one benign row\n", (unsigned long long)alone);
    free(cells);
    return TOAD_OK;
}

toad_status eval_add_rules(toad__buf *b, const eval_run *run) {
    toad__eval_rule *rules;
    size_t n;
    toad_status status = toad__eval_rules(&run->eval, &rules, &n);
    if (status) return status;
    add_f(b, "%-40s %8s %8s %8s\n", "rule", "attacks", "benign", "flagged");
    for (size_t i = 0; i < n; i++)
        add_f(b, "%-40.*s %8llu %8llu %8llu\n", rules[i].id.n < 120 ? (int)rules[i].id.n : 120, rules[i].id.p,
              (unsigned long long)rules[i].attacks, (unsigned long long)rules[i].benign,
              (unsigned long long)rules[i].alarms);
    free(rules);
    return TOAD_OK;
}

/* ---- the worst rows ---- */

static void add_worst(toad__buf *b, const eval_run *run, size_t most, bool attacks) {
    const toad__eval_row *worst[EVAL_WORST_MAX];
    size_t n = toad__eval_worst(&run->eval, attacks, worst, most < EVAL_WORST_MAX ? most : EVAL_WORST_MAX);
    char id[256], group[256];
    if (n) toad__buf_add_z(b, attacks ? "\nmissed attacks\n" : "\nfalse alarms\n");
    for (size_t i = 0; i < n; i++) {
        const toad__eval_row *r = worst[i];
        add_f(b, "  %.120s ", shown(r->group, group));
        add_f(b, "%.120s %s [", shown(r->id, id), toad_severity_name(r->severity));
        toad__buf_add_str(b, r->rules);
        toad__buf_add_z(b, "] ");
        toad__buf_add_str(b, r->excerpt);
        toad__buf_add_c(b, '\n');
    }
}

void eval_add_worst(toad__buf *b, const eval_run *run, size_t most) {
    add_worst(b, run, most, true);
    add_worst(b, run, most, false);
}

/* ---- JSON ---- */

static void json_share(toad__buf *b, const char *name, toad__eval_share s) {
    double low, high;
    toad__eval_interval(s, &low, &high);
    add_f(b, ",\"%s\":{\"hits\":%llu,\"of\":%llu,\"low\":%.4f,\"high\":%.4f}", name, (unsigned long long)s.hits,
          (unsigned long long)s.of, low, high);
}

static void json_group(toad__buf *b, toad_str name, const toad__eval_measures *m) {
    toad__buf_add_z(b, "{\"name\":");
    toad__json_add_str(b, name);
    json_share(b, "blocked", m->blocked);
    json_share(b, "flagged", m->flagged);
    json_share(b, "false_blocked", m->false_blocked);
    json_share(b, "false_flagged", m->false_flagged);
    add_f(b, ",\"benign_bytes\":%llu,\"benign_windows\":%llu,\"incomplete\":%llu,\"auc\":",
          (unsigned long long)m->benign_bytes, (unsigned long long)m->benign_windows,
          (unsigned long long)m->incomplete);
    if (m->auc < 0)
        toad__buf_add_z(b, "null}");
    else
        add_f(b, "%.4f}", m->auc);
}

static void json_worst(toad__buf *b, const eval_run *run, size_t most, bool attacks) {
    const toad__eval_row *worst[EVAL_WORST_MAX];
    size_t n = toad__eval_worst(&run->eval, attacks, worst, most < EVAL_WORST_MAX ? most : EVAL_WORST_MAX);
    toad__buf_add_z(b, attacks ? ",\"missed\":[" : ",\"false_alarms\":[");
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_z(b, i ? ",{\"id\":" : "{\"id\":");
        toad__json_add_str(b, worst[i]->id);
        toad__buf_add_z(b, ",\"group\":");
        toad__json_add_str(b, worst[i]->group);
        add_f(b, ",\"severity\":\"%s\",\"score\":%.6g,\"rules\":", toad_severity_name(worst[i]->severity),
              worst[i]->score);
        toad__json_add_str(b, worst[i]->rules);
        toad__buf_add_z(b, ",\"excerpt\":");
        toad__json_add_str(b, worst[i]->excerpt);
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_c(b, ']');
}

static toad_status json_rules(toad__buf *b, const eval_run *run) {
    toad__eval_rule *rules;
    size_t n;
    toad_status status = toad__eval_rules(&run->eval, &rules, &n);
    if (status) return status;
    toad__buf_add_z(b, ",\"rules\":[");
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_z(b, i ? ",{\"id\":" : "{\"id\":");
        toad__json_add_str(b, rules[i].id);
        add_f(b, ",\"attacks\":%llu,\"benign\":%llu,\"flagged\":%llu}", (unsigned long long)rules[i].attacks,
              (unsigned long long)rules[i].benign, (unsigned long long)rules[i].alarms);
    }
    toad__buf_add_c(b, ']');
    free(rules);
    return TOAD_OK;
}

static void json_cell(toad__buf *b, const toad__eval_cell *c) {
    double low, high, difference = toad__eval_difference(c, &low, &high);
    uint64_t of = attacks_of(c).of;
    add_f(b, "{\"by\":\"%s\",\"name\":", c->facet);
    toad__json_add_str(b, c->name);
    add_f(b, ",\"pairs\":%llu", (unsigned long long)of);
    json_share(b, "flagged", attacks_of(c));
    json_share(b, "twins_flagged", twins_of(c));
    json_share(b, "blocked", (toad__eval_share){ c->attacks_blocked, of });
    json_share(b, "twins_blocked", (toad__eval_share){ c->twins_blocked, of });
    add_f(b, ",\"both\":%llu,\"attack_only\":%llu,\"twin_only\":%llu,\"neither\":%llu", (unsigned long long)c->both,
          (unsigned long long)c->attack_only, (unsigned long long)c->twin_only, (unsigned long long)c->neither);
    add_f(b, ",\"difference\":{\"value\":%.4f,\"low\":%.4f,\"high\":%.4f}}", difference, low, high);
}

static toad_status json_pairs(toad__buf *b, const eval_run *run) {
    toad__eval_cell *cells;
    size_t n;
    uint64_t alone;
    toad_status status = toad__eval_pair_up(&run->eval, &cells, &n, &alone);
    if (status) return status;
    toad__buf_add_z(b, ",\"pairs\":[");
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_c(b, ',');
        json_cell(b, &cells[i]);
    }
    add_f(b, "],\"unpaired\":%llu", (unsigned long long)alone);
    free(cells);
    return TOAD_OK;
}

toad_status eval_add_json(toad__buf *b, const eval_run *run, size_t most) {
    const toad__eval *e = &run->eval;
    toad__eval_measures m;
    toad_status status = TOAD_OK;
    add_f(b, "{\"rows\":%zu,\"bytes\":%llu,\"seconds\":%.3f,\"scan_seconds\":%.6f,\"groups\":[", e->n,
          (unsigned long long)run->bytes, run->seconds, run->scan_seconds);
    for (size_t from = 0, to; from < e->n && !status; from = to) {
        to = toad__eval_group_end(e, from);
        status = toad__eval_measure(e, from, to, &m);
        if (from) toad__buf_add_c(b, ',');
        if (!status) json_group(b, e->rows[from].group, &m);
    }
    if (!status) status = toad__eval_measure(e, 0, e->n, &m);
    if (status) return status;
    toad__buf_add_z(b, "],\"all\":");
    json_group(b, TOAD__S("all"), &m);
    status = json_pairs(b, run);
    if (!status) status = json_rules(b, run);
    json_worst(b, run, most, true);
    json_worst(b, run, most, false);
    toad__buf_add_z(b, "}\n");
    return status;
}

/* ---- two runs ---- */

static bool read_share(const toad__json *group, const char *name, toad__eval_share *ret) {
    const toad__json *s = toad__json_get(group, name);
    const toad__json *hits = s ? toad__json_get(s, "hits") : NULL, *of = s ? toad__json_get(s, "of") : NULL;
    if (!hits || !of || hits->type != TOAD__JSON_NUMBER || of->type != TOAD__JSON_NUMBER) return false;
    *ret = (toad__eval_share){ strtoull(hits->raw.p, NULL, 10), strtoull(of->raw.p, NULL, 10) };
    return ret->of && ret->hits <= ret->of;
}

/* Only what changed is written; the name of the group stands before the first of it. */
static void add_group_changes(toad__buf *b, const toad__json *group, toad_str name, const toad__eval_measures *m) {
    static const char *const names[] = { "blocked", "flagged", "false_blocked", "false_flagged" };
    const toad__eval_share now[] = { m->blocked, m->flagged, m->false_blocked, m->false_flagged };
    char text[256];
    bool named = false;
    for (size_t i = 0; i < 4; i++) {
        toad__eval_share before;
        if (!now[i].of || !read_share(group, names[i], &before)) continue;
        if (before.hits == now[i].hits && before.of == now[i].of) continue;
        if (!named) add_f(b, "%.200s\n", shown(name, text));
        named = true;
        double was = percent(before), is = percent(now[i]);
        add_f(b, "  %-14s %6.2f%% -> %6.2f%%  %+6.2f%s\n", names[i], was, is, is - was,
              toad__eval_apart(before, now[i]) ? "  (beyond the 95 % intervals)" : "");
    }
}

toad_status eval_add_changes(toad__buf *b, const eval_run *run, const toad__json *old) {
    const toad__eval *e = &run->eval;
    const toad__json *groups = toad__json_get(old, "groups"), *all = toad__json_get(old, "all");
    toad__eval_measures m;
    size_t before = b->n;
    toad__buf_add_z(b, "\nchanges\n");
    size_t first = b->n;
    for (size_t from = 0, to; groups && from < e->n; from = to) {
        toad_str name = e->rows[from].group;
        to = toad__eval_group_end(e, from);
        toad_status status = toad__eval_measure(e, from, to, &m);
        if (status) return status;
        for (const toad__json *g = groups->child; g; g = g->next)
            if (toad__str_eq(toad__json_get_text(g, "name"), name)) add_group_changes(b, g, name, &m);
    }
    toad_status status = toad__eval_measure(e, 0, e->n, &m);
    if (status) return status;
    if (all) add_group_changes(b, all, TOAD__S("all"), &m);
    if (b->n == first && b->n > before) toad__buf_add_z(b, "none\n");
    return TOAD_OK;
}
