/* rulec.c - the rule files of the catalogue to a table in C.
 *
 *     rulec [--explain] [--version-file FILE] [-o catalogue.gen.c] words.yaml family.yaml ...
 *
 * Reads the files with the reader of the program, compiles them with the compiler of the library, and proves every
 * example with its matcher: each `match` text must be found in one of the views that its rule is matched on, each
 * `pass` text in none. A pattern made of words that ordinary text is full of is refused: every hit of its literals
 * costs every user time. The table is written as numbers, so that building needs no other tool. Exit 0, or 1 with one
 * message a line on standard error. */
#include "app/scan/rulefile.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "lib/disguise/skeleton.h"
#include "lib/rules/cost.h"
#include "lib/rules/pattern.h"
#include "lib/rules/table.h"
#include "lib/scan/match.h"
#include "lib/text/fold.h"

#include <stdio.h>
#include <stdlib.h>

#define VIEW_MAX  (1u << 20)
#define ARENA_MAX (64u << 20)
#define DEAR      450.0 /* hits per megabyte of ordinary text, at most, of the literals of one alternative */

typedef struct prover {
    const toad__rulefile *rules;
    toad__matcher *matcher;
    toad__view view;
    toad__buf skeleton;
    uint32_t rule;
    bool found;
    unsigned failures;
} prover;

static bool read_file(const char *path, toad__buf *to) {
    FILE *f = fopen(path, "rb");
    char piece[4096];
    size_t n;
    if (!f) return false;
    while ((n = fread(piece, 1, sizeof piece, f)) > 0) toad__buf_add(to, piece, n);
    bool ok = !ferror(f) && !to->status;
    fclose(f);
    return ok;
}

static bool add_file(toad__rulefile *rules, const char *path) {
    char message[512];
    toad__buf yaml;
    toad__buf_init(&yaml, TOAD__RULEFILE_SIZE + 1);
    bool ok = read_file(path, &yaml);
    if (!ok)
        fprintf(stderr, "%s: cannot be read\n", path);
    else if (toad__rulefile_add(rules, path, toad__buf_str(&yaml), message, sizeof message)) {
        fprintf(stderr, "%s\n", *message ? message : "out of memory");
        ok = false;
    }
    toad__buf_free(&yaml);
    return ok;
}

static bool on_match(void *ctx, uint32_t rule, uint32_t start, uint32_t end) {
    prover *p = ctx;
    (void)start;
    (void)end;
    p->found = p->found || rule == p->rule;
    return !p->found;
}

static void look_at_skeleton(prover *p, bool symbols) {
    toad__buf_clear(&p->skeleton);
    if (!toad__skeleton(toad__buf_str(&p->view.text), symbols, &p->skeleton, NULL))
        toad__match(p->matcher, TOAD__MATCH_SKELETON, toad__buf_str(&p->skeleton), NULL, on_match, p);
}

/* Does the rule match the text in any of its views? */
static bool is_found(prover *p, uint32_t rule, toad_str text) {
    static const unsigned views[] = { TOAD__FOLD_DROP, TOAD__FOLD_BLANK };
    p->rule = rule;
    p->found = false;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (toad__fold(&p->view, text, views[i])) exit(1);
        toad__match(p->matcher, TOAD__MATCH_TEXT, toad__buf_str(&p->view.text), p->view.lines, on_match, p);
        if (!toad__rulefile_defs(p->rules)[rule].skeleton) continue;
        look_at_skeleton(p, false);
        look_at_skeleton(p, true);
    }
    return p->found;
}

static void complain(prover *p, uint32_t rule, const char *field, const char *example, const char *what) {
    const toad__rule_source *s = toad__rulefile_source(p->rules, rule);
    fprintf(stderr, "%s:%d: rule %s: %s: %s: \"%.200s\"\n", s->file, s->line, toad__rulefile_defs(p->rules)[rule].id,
            field, what, example);
    p->failures++;
}

static void prove_rule(prover *p, uint32_t rule) {
    const toad__rule_source *s = toad__rulefile_source(p->rules, rule);
    const toad__rule_def *def = &toad__rulefile_defs(p->rules)[rule];
    if (!s->n_match) complain(p, rule, "match", "", "at least one example is needed");
    for (size_t i = 0; i < s->n_match; i++)
        if (!is_found(p, rule, toad__str_z(s->match[i])))
            complain(p, rule, "match", s->match[i], "this example is not matched");
    for (size_t i = 0; i < s->n_pass && !def->verify; i++) /* a check may still pass what the pattern matches */
        if (is_found(p, rule, toad__str_z(s->pass[i])))
            complain(p, rule, "pass", s->pass[i], "this example is matched and must not be");
}

static bool prove(const toad__rulefile *rules, const toad__ruleset *set) {
    prover p = { .rules = rules, .matcher = toad__matcher_new(set) };
    if (!p.matcher) return false;
    toad__view_init(&p.view, VIEW_MAX);
    toad__buf_init(&p.skeleton, VIEW_MAX);
    for (size_t i = 0; i < toad__rulefile_count(rules); i++) prove_rule(&p, (uint32_t)i);
    toad__view_free(&p.view);
    toad__buf_free(&p.skeleton);
    toad__matcher_free(p.matcher);
    return !p.failures;
}

/* --- the bar on common words --- */

static double hits_per_mb(const toad__chain *c) {
    double rate = c->trigger.set.rate;
    for (unsigned i = 0; i < c->n_guards; i++) rate += c->guards[i].set.rate;
    return rate * 1e6;
}

static const toad__literal *commonest(const toad__chain *c) {
    const toad__literal *found = NULL;
    double most = -1;
    for (unsigned i = 0; i <= c->n_guards; i++) {
        const toad__literals *set = i ? &c->guards[i - 1].set : &c->trigger.set;
        for (size_t k = 0; k < set->n; k++) {
            double rate = toad__cost_rate(toad__str(set->at[k].p, set->at[k].n));
            if (rate > most) most = rate, found = &set->at[k];
        }
    }
    return found;
}

static bool is_cheap(const toad__rulefile *rules, size_t rule, size_t which, toad__view *fold) {
    const toad__rule_source *source = toad__rulefile_source(rules, rule);
    const toad__rule_def *def = &toad__rulefile_defs(rules)[rule];
    const toad__chain *chains;
    toad__branch *branches;
    toad__rule_error err;
    size_t n = 0;
    bool ok = true;
    toad__arena arena;
    toad__arena_init(&arena, ARENA_MAX);
    if (toad__pattern_parse(toad__str_z(def->patterns[which]), &arena, fold, &branches, &err) ||
        toad__factors_of(branches, &arena, &chains, &n, &err))
        exit(1);
    for (size_t i = 0; i < n; i++) {
        const toad__literal *l = commonest(&chains[i]);
        if (hits_per_mb(&chains[i]) <= DEAR) continue;
        ok = false;
        fprintf(stderr,
                "%s:%d: rule %s: pattern %zu, alternative %zu: its words stand %.0f times in a megabyte of ordinary "
                "text, \"%.*s\" most often; at most %.0f: "
                "require a rarer word, or split it\n",
                source->file, source->line, def->id, which + 1, i + 1, hits_per_mb(&chains[i]), (int)l->n, l->p, DEAR);
    }
    toad__arena_free(&arena);
    return ok;
}

static bool are_cheap(const toad__rulefile *rules) {
    toad__view fold;
    bool ok = true;
    toad__view_init(&fold, VIEW_MAX);
    for (size_t i = 0; i < toad__rulefile_count(rules); i++)
        for (size_t k = 0; k < toad__rulefile_defs(rules)[i].n_patterns; k++) ok = is_cheap(rules, i, k, &fold) && ok;
    toad__view_free(&fold);
    return ok;
}

static void show_literal(const toad__table_literal *l, toad__buf *to) {
    char hex[8];
    toad__buf_clear(to);
    for (unsigned b = 0; b < l->n; b++) {
        char byte = (char)(l->value >> (8 * b));
        if (byte >= 0x20 && byte < 0x7f)
            toad__buf_add_c(to, byte);
        else
            toad__buf_add(to, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", (unsigned char)byte));
    }
}

static void explain_literal(const toad__ruleset *set, const toad__table_set *tables, const toad__table_literal *row,
                            const char *name, toad_str shown) {
    const toad__table_ref *refs = toad__table_at(set, tables->refs);
    const toad__table_pattern *patterns = toad__table_at(set, tables->patterns);
    const uint32_t *slots = toad__table_at(set, tables->slots);
    for (uint32_t k = row[0].first_slot; k < row[1].first_slot; k++)
        printf("%s\t'%.*s'\tguard %u\n", name, (int)shown.n, shown.p, slots[k]);
    for (uint32_t k = row[0].first_ref; k < row[1].first_ref; k++) {
        toad__rule rule;
        const toad__table_pattern *p = &patterns[refs[k].pattern];
        toad__ruleset_rule(set, p->rule, &rule);
        printf("%s\t'%.*s'\ttriggers %s pattern %u, guards %d %d, at %u..%u, words %u, length %u\n", name, (int)shown.n,
               shown.p, rule.id, refs[k].pattern, (int)refs[k].guards[0].slot, (int)refs[k].guards[1].slot,
               refs[k].depth_min, refs[k].depth_max, p->words, p->len_max);
    }
}

/* --explain: what each literal does. An entry stands for a gram, and a literal may have two. */
static void explain_filter(const toad__ruleset *set, const toad__table_set *tables, const toad__table_filter *filter,
                           const char *name) {
    const toad__table_entry *entries = toad__table_at(set, filter->entries);
    const toad__table_literal *literals = toad__table_at(set, tables->literals);
    uint8_t *seen = calloc(tables->n_literals + 1u, 1);
    toad__buf shown;
    toad__buf_init(&shown, 64);
    for (uint32_t i = 0; i < filter->n && seen; i++) {
        if (seen[entries[i].literal]++) continue;
        show_literal(&literals[entries[i].literal], &shown);
        explain_literal(set, tables, &literals[entries[i].literal], name, toad__buf_str(&shown));
    }
    toad__buf_free(&shown);
    free(seen);
}

static void explain(const toad__ruleset *set) {
    static const char *const sets[] = { "text", "skeleton" }, *const filters[] = { "long", "medium", "short" };
    for (unsigned i = 0; i < 2; i++) {
        const toad__table_set *s = &set->sets[i];
        for (unsigned kind = 0; kind < TOAD__FILTER_KINDS; kind++) {
            char name[32];
            snprintf(name, sizeof name, "%s/%s", sets[i], filters[kind]);
            explain_filter(set, s, &s->filters[kind], name);
        }
        printf("# %s: patterns %u, literals %u, grams %u + %u + %u, guards %u, state words %u\n", sets[i],
               s->n_patterns, s->n_literals, s->filters[0].n, s->filters[1].n, s->filters[2].n, s->n_slots,
               s->state_words);
    }
    printf("# rules %u, table %u bytes\n", set->n_rules, set->size);
}

static bool write_table(const char *path, const toad__ruleset *set, const char *version) {
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    toad_str bytes = toad__ruleset_bytes(set);
    fprintf(f, "/* The built-in catalogue, compiled by tools/rulec from data/rules. Not edited by hand. */\n#include "
               "\"lib/rules/ruleset.h\"\n\n"
               "_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, \"the table is little-endian\");\n\nstatic "
               "const uint64_t table[] = {");
    for (size_t at = 0; at < bytes.n; at += 8) {
        uint64_t v = 0;
        memcpy(&v, bytes.p + at, bytes.n - at < 8 ? bytes.n - at : 8);
        fprintf(f, v > 9 ? "%s0x%llx," : "%s%llu,", at % 96 ? "" : "\n", (unsigned long long)v);
    }
    fprintf(
        f,
        "\n};\n\nconst toad__ruleset *toad__catalogue(void) { return (const toad__ruleset *)(const void *)table; }\n"
        "const char *toad__catalogue_version(void) { return \"%s\"; }\n",
        version);
    bool ok = !ferror(f);
    return fclose(f) == 0 && ok;
}

static bool read_version(const char *path, char *to, size_t n) {
    toad__buf b;
    toad__buf_init(&b, 64);
    bool ok = read_file(path, &b);
    size_t k = 0;
    while (ok && k < b.n && k + 1 < n && (toad__is_alnum((unsigned char)b.p[k]) || b.p[k] == '.' || b.p[k] == '-'))
        to[k] = b.p[k], k++;
    if (k) to[k] = 0;
    toad__buf_free(&b);
    if (!k) fprintf(stderr, "%s: must hold a version, such as 1\n", path);
    return k > 0;
}

typedef struct options {
    const char *output;
    char version[32];
    bool explain;
} options;

static bool run(const options *o, const toad__rulefile *rules) {
    toad__rule_error err;
    toad__ruleset *set;
    char message[512] = "out of memory";
    toad_status status = toad__ruleset_compile(toad__rulefile_defs(rules), toad__rulefile_count(rules), &set, &err);
    if (status == TOAD_E_RULE) toad__rulefile_explain(rules, &err, message, sizeof message);
    if (status) return fprintf(stderr, "%s\n", message), false;
    bool ok = are_cheap(rules);
    ok = prove(rules, set) && ok;
    if (ok && o->explain) explain(set);
    if (ok && o->output && !write_table(o->output, set, o->version))
        ok = fprintf(stderr, "%s: cannot be written\n", o->output) < 0;
    toad__ruleset_free(set);
    return ok;
}

int main(int argc, char **argv) {
    options o = { .version = "0" };
    toad__rulefile *rules = toad__rulefile_new();
    bool ok = rules != NULL;
    for (int i = 1; i < argc && ok; i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--explain"))
            o.explain = true;
        else if (!strcmp(argv[i], "-o") && more)
            o.output = argv[++i];
        else if (!strcmp(argv[i], "--version-file") && more)
            ok = read_version(argv[++i], o.version, sizeof o.version);
        else if (argv[i][0] == '-')
            ok = fprintf(stderr, "usage: rulec [--explain] [--version-file FILE] [-o OUT] FILE...\n") < 0;
        else
            ok = add_file(rules, argv[i]);
    }
    ok = ok && run(&o, rules);
    toad__rulefile_free(rules);
    return ok ? 0 : 1;
}
