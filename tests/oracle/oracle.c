/* oracle.c - the matcher against Vectorscan and PCRE2.
 *
 *     oracle [-n rounds] [-s seed] [rule files, words.yaml first] [-- text files]
 *
 * Random rules of the dialect on texts made of their own matches, near misses, literals and noise; then the rules of
 * the given files on the given texts. For each the set of (text, rule) pairs must equal Vectorscan's and PCRE2's, and
 * every span PCRE2's leftmost-longest one (pcre2_dfa_match). Exit 0, or 1 with the first differences on standard
 * output. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "app/scan/rulefile.h"
#include "lib/base/str.h"
#include "lib/scan/match.h"
#include "tests/oracle/dialect.h"
#include "tests/support/exact.h"

#include <hs/hs.h>
#include <pcre2.h>
#include <stdio.h>

static uint64_t state = 88172645463325252u;
static unsigned failures;

static unsigned below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

/* --- random patterns with samples of their language --- */

typedef struct tree {
    enum { WORD, ANY, CLASS, SEQUENCE, CHOICE, TIMES } kind;
    char text[40];    /* as the pattern has it */
    char members[40]; /* CLASS: ASCII bytes to sample from */
    unsigned min, max, n;
    struct tree *child[5];
} tree;

static const char *const stems[] = { "ignore",
                                     "previous",
                                     "instructions",
                                     "system",
                                     "abcabc",
                                     "aaaaaa",
                                     "abab",
                                     "prompt",
                                     " all ",
                                     "send",
                                     "<<",
                                     "key",
                                     "xyz",
                                     "ab",
                                     "\xc3\xa9t\xc3\xa9",
                                     "\xe5\xbf\xbd\xe7\x95\xa5",
                                     "a",
                                     "b",
                                     " " };
static const char *const classes[][2] = { { "[ab]", "ab" },   { "\\w", "ab_9z" },   { "\\d", "0123456789" },
                                          { "[^>]", "ab <" }, { "[a-c ]", "abc " }, { "[:.,-]", ":.,-" },
                                          { "\\S", "ab<>" },  { "[^ab]", " cz<" },  { "[a\xc3\x9f]", "a" },
                                          { "[x\\]]", "x]" }, { "\\s", " " },       { "[A-C]", "abc" } };

static tree *leaf(unsigned kind, const char *text, const char *members) {
    tree *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->kind = kind;
    snprintf(t->text, sizeof t->text, "%s", text);
    snprintf(t->members, sizeof t->members, "%s", members);
    return t;
}

static tree *random_tree(unsigned depth) {
    unsigned k = below(depth ? 12 : 6);
    if (k < 4) return leaf(WORD, stems[below(sizeof stems / sizeof *stems)], "");
    if (k == 4) return leaf(ANY, ".", "");
    if (k == 5) {
        unsigned c = below(sizeof classes / sizeof *classes);
        return leaf(CLASS, classes[c][0], classes[c][1]);
    }
    tree *t = leaf(k < 8 ? SEQUENCE : k < 10 ? CHOICE : TIMES, "", "");
    t->n = t->kind == TIMES ? 1 : 2 + below(3);
    for (unsigned i = 0; i < t->n; i++) t->child[i] = random_tree(depth - 1);
    t->min = below(3);
    t->max = t->min + 1 + below(below(4) ? 3 : 30);
    return t;
}

static void free_tree(tree *t) {
    for (unsigned i = 0; i < t->n; i++) free_tree(t->child[i]);
    free(t);
}

static void write_tree(const tree *t, toad__buf *to) {
    if (t->kind == SEQUENCE || t->kind == CHOICE || t->kind == TIMES)
        toad__buf_add_z(to, "(?:");
    else
        toad__buf_add_z(to, t->text);
    for (unsigned i = 0; i < t->n; i++) {
        if (i && t->kind == CHOICE) toad__buf_add_c(to, '|');
        write_tree(t->child[i], to);
    }
    if (t->kind == SEQUENCE || t->kind == CHOICE) toad__buf_add_c(to, ')');
    if (t->kind == TIMES && !t->min && t->max == 1)
        toad__buf_add_z(to, ")?");
    else if (t->kind == TIMES) {
        char times[32];
        toad__buf_add(to, times, (size_t)snprintf(times, sizeof times, "){%u,%u}", t->min, t->max));
    }
}

static void sample(const tree *t, toad__buf *to) {
    static const char any[] = "ab <i.";
    switch (t->kind) {
    case WORD: toad__buf_add_z(to, t->text); break;
    case ANY: toad__buf_add_c(to, any[below(sizeof any - 1)]); break;
    case CLASS: toad__buf_add_c(to, t->members[below((unsigned)strlen(t->members))]); break;
    case CHOICE: sample(t->child[below(t->n)], to); break;
    case SEQUENCE:
        for (unsigned i = 0; i < t->n; i++) sample(t->child[i], to);
        break;
    case TIMES:
        for (unsigned i = t->min + below(t->max - t->min + 1); i; i--) sample(t->child[0], to);
        break;
    }
}

/* --- the three engines --- */

#define RULES_MAX 1024

typedef struct span {
    uint32_t rule, start, end;
} span;

typedef struct spans {
    span *at;
    size_t n, cap;
} spans;

typedef struct engines {
    size_t n;
    const toad__rule_def *defs;
    toad__ruleset *set;
    toad__matcher *matcher;
    hs_database_t *db;
    hs_scratch_t *scratch;
    pcre2_code **code; /* one for each pattern */
    uint32_t *code_rule;
    size_t n_codes;
    pcre2_match_data *data;
    uint8_t *seen_hs;
} engines;

static void add_span(spans *to, span s) {
    if (to->n == to->cap) {
        to->cap = to->cap ? to->cap * 2 : 256;
        to->at = realloc(to->at, to->cap * sizeof *to->at);
        if (!to->at) abort();
    }
    to->at[to->n++] = s;
}

static bool on_match(void *ctx, uint32_t rule, uint32_t start, uint32_t end) {
    add_span(ctx, (span){ rule, start, end });
    return true;
}

static int on_hs(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx) {
    (void)from, (void)to, (void)flags;
    ((uint8_t *)ctx)[id] = 1;
    return 0;
}

static int by_span(const void *a, const void *b) {
    const span *x = a, *y = b;
    if (x->rule != y->rule) return x->rule < y->rule ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static bool open_engines(engines *e, const toad__rule_def *defs, size_t n) {
    size_t patterns = 0;
    *e = (engines){ .n = n, .defs = defs };
    if (toad__ruleset_compile(defs, n, &e->set, NULL)) return false;
    e->matcher = toad__matcher_new(e->set);
    for (size_t i = 0; i < n; i++) patterns += defs[i].n_patterns;
    e->code = calloc(patterns, sizeof *e->code);
    e->code_rule = calloc(patterns, sizeof *e->code_rule);
    e->seen_hs = calloc(n, 1);
    char **regex = calloc(patterns, sizeof *regex);
    unsigned *flags = calloc(patterns, sizeof *flags);
    if (!e->matcher || !e->code || !e->code_rule || !e->seen_hs || !regex || !flags) abort();
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < defs[i].n_patterns; k++) {
            toad__buf b;
            toad__buf_init(&b, 1u << 20);
            oracle_regex(defs[i].patterns[k], &b);
            toad__buf_add(&b, "", 1);
            regex[e->n_codes] = b.p;
            flags[e->n_codes] = HS_FLAG_MULTILINE | HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH;
            e->code_rule[e->n_codes] = (uint32_t)i;
            int error;
            PCRE2_SIZE at;
            e->code[e->n_codes] = pcre2_compile((PCRE2_SPTR)b.p, PCRE2_ZERO_TERMINATED, PCRE2_MULTILINE | PCRE2_DOTALL,
                                                &error, &at, NULL);
            if (!e->code[e->n_codes]) return printf("pcre2 refuses %s at %zu\n", b.p, (size_t)at), false;
            e->n_codes++;
        }
    hs_compile_error_t *error;
    if (hs_compile_multi((const char *const *)regex, flags, e->code_rule, (unsigned)e->n_codes, HS_MODE_BLOCK, NULL,
                         &e->db, &error) != HS_SUCCESS) {
        printf("vectorscan refuses: %s (pattern %d)\n", error->message, error->expression);
        hs_free_compile_error(error);
        e->db = NULL;
    } else if (hs_alloc_scratch(e->db, &e->scratch) != HS_SUCCESS)
        abort();
    for (size_t i = 0; i < e->n_codes; i++) free(regex[i]);
    free(regex);
    free(flags);
    e->data = pcre2_match_data_create(64, NULL);
    return true;
}

static void close_engines(engines *e) {
    for (size_t i = 0; i < e->n_codes; i++) pcre2_code_free(e->code[i]);
    if (e->scratch) hs_free_scratch(e->scratch);
    if (e->db) hs_free_database(e->db);
    pcre2_match_data_free(e->data);
    toad__matcher_free(e->matcher);
    toad__ruleset_free(e->set);
    free(e->code);
    free(e->code_rule);
    free(e->seen_hs);
}

static void pcre2_spans(engines *e, toad_str text, spans *to) {
    static int workspace[200000];
    for (size_t i = 0; i < e->n_codes; i++) {
        for (size_t at = 0; at <= text.n;) {
            int rc = pcre2_dfa_match(e->code[i], (PCRE2_SPTR)text.p, text.n, at, 0, e->data, NULL, workspace,
                                     sizeof workspace / sizeof *workspace);
            if (rc == PCRE2_ERROR_NOMATCH) break;
            if (rc < 0) {
                printf("pcre2_dfa_match: %d\n", rc);
                failures++;
                break;
            }
            PCRE2_SIZE *v = pcre2_get_ovector_pointer(e->data);
            add_span(to, (span){ e->code_rule[i], (uint32_t)v[0], (uint32_t)v[1] });
            at = v[1];
        }
    }
}

static void show(const engines *e, const char *what, span s, toad_str text) {
    if (failures++ > 20) return;
    uint32_t from = s.start > 60 ? s.start - 60 : 0;
    printf("%s: rule %s [%u, %u) of %zu\n  pattern %.600s\n  text ...", what, e->defs[s.rule].id, s.start, s.end,
           text.n, e->defs[s.rule].patterns[0]);
    for (size_t i = from; i < text.n && i < s.end + 60u; i++)
        printf(text.p[i] < 0x20 || text.p[i] > 0x7e ? "\\x%02x" : "%c", (unsigned char)text.p[i]);
    printf("\n");
}

static size_t pairs, set_errors;

/* Vectorscan 5.4.9 loses matches of some patterns when they are compiled together with others and finds them alone. So
 * a pair that PCRE2 and we agree on and the set does not have is asked of the one rule: does it match alone? */
static bool matches_alone(const engines *e, uint32_t rule, toad_str text) {
    uint8_t seen = 0;
    for (size_t k = 0; k < e->defs[rule].n_patterns; k++) {
        toad__buf b;
        toad__buf_init(&b, 1u << 20);
        oracle_regex(e->defs[rule].patterns[k], &b);
        toad__buf_add(&b, "", 1);
        hs_database_t *db = NULL;
        hs_compile_error_t *error = NULL;
        hs_scratch_t *scratch = NULL;
        if (hs_compile(b.p, HS_FLAG_MULTILINE | HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH, HS_MODE_BLOCK, NULL, &db,
                       &error) == HS_SUCCESS &&
            hs_alloc_scratch(db, &scratch) == HS_SUCCESS)
            hs_scan(db, text.p, (unsigned)text.n, 0, scratch, on_hs, &seen);
        hs_free_scratch(scratch);
        hs_free_database(db);
        hs_free_compile_error(error);
        toad__buf_free(&b);
    }
    return seen;
}

static void compare(engines *e, toad_str folded, const uint8_t *lines) {
    toad__buf broken;
    toad__buf_init(&broken, 1u << 26);
    oracle_text(folded, lines, &broken);
    toad_str text = toad__buf_str(&broken);
    char *exact = exact_dup(folded.p, folded.n);
    spans ours = { 0 }, theirs = { 0 };
    toad__match(e->matcher, TOAD__MATCH_TEXT, toad__str(exact, folded.n), lines, on_match, &ours);
    pcre2_spans(e, text, &theirs);
    if (ours.n) qsort(ours.at, ours.n, sizeof *ours.at, by_span);
    if (theirs.n) qsort(theirs.at, theirs.n, sizeof *theirs.at, by_span);
    size_t i = 0, k = 0;
    while (i < ours.n || k < theirs.n) {
        int order = i == ours.n ? 1 : k == theirs.n ? -1 : by_span(&ours.at[i], &theirs.at[k]);
        if (order < 0) show(e, "only ours", ours.at[i], text);
        if (order > 0) show(e, "only pcre2", theirs.at[k], text);
        if (order <= 0) i++;
        if (order >= 0) k++;
    }
    if (e->db) {
        memset(e->seen_hs, 0, e->n);
        hs_scan(e->db, text.p ? text.p : "", (unsigned)text.n, 0, e->scratch, on_hs, e->seen_hs);
        for (i = 0; i < ours.n; i++) {
            if (i && ours.at[i - 1].rule == ours.at[i].rule) continue;
            pairs++;
            if (!e->seen_hs[ours.at[i].rule]) {
                if (matches_alone(e, ours.at[i].rule, text))
                    set_errors++;
                else
                    show(e, "vectorscan does not match", ours.at[i], text);
            }
            e->seen_hs[ours.at[i].rule] = 2;
        }
        for (uint32_t r = 0; r < e->n; r++)
            if (e->seen_hs[r] == 1) show(e, "only vectorscan", (span){ r, 0, 0 }, text);
    }
    free(exact);
    free(ours.at);
    free(theirs.at);
    toad__buf_free(&broken);
}

/* Fold and compare. */
static void compare_raw(engines *e, toad_str raw) {
    toad__view v;
    toad__view_init(&v, 1u << 26);
    if (!toad__fold(&v, raw, TOAD__FOLD_DROP)) compare(e, toad__buf_str(&v.text), v.lines);
    toad__view_free(&v);
}

/* --- rounds --- */

#define ROUND_RULES  6
#define REPEATED_MAX 3000

static void random_text(tree *const *trees, unsigned n, toad__buf *to) {
    for (unsigned parts = 1 + below(30); parts; parts--) {
        size_t from = to->n;
        switch (below(8)) {
        case 0: toad__buf_add_z(to, stems[below(sizeof stems / sizeof *stems)]); break;
        case 1: toad__buf_add_c(to, "\n ab.<z9_"[below(9)]); break;
        case 2: toad__buf_add_c(to, '\n'); break;
        default: sample(trees[below(n)], to); break;
        }
        if (to->n > from && !below(3))
            to->p[from + below((unsigned)(to->n - from))] = "ab x\n"[below(5)]; /* near miss */
        if (to->n > from && !below(4)) to->n -= below((unsigned)(to->n - from));
    }
}

/* The text again and again, now and then with another byte: what comes to nothing once is not examined again
 * (lib/scan/match_repeat.h). */
static void repeat_text(toad__buf *to) {
    size_t unit = to->n;
    for (unsigned copies = 1 + below(60); unit && copies && to->n < REPEATED_MAX; copies--) {
        if (!toad__buf_room(to, unit)) abort();
        toad__buf_add(to, to->p + to->n - unit, unit);
        if (!below(12)) to->p[to->n - 1 - below((unsigned)unit)] = "ab x\n"[below(5)];
    }
}

static bool compiles(const toad__rule_def *def) {
    toad__ruleset *set;
    if (toad__ruleset_compile(def, 1, &set, NULL)) return false;
    toad__ruleset_free(set);
    return true;
}

static void random_round(void) {
    static const char *const ids[ROUND_RULES] = { "r_a", "r_b", "r_c", "r_d", "r_e", "r_f" };
    toad__rule_def defs[ROUND_RULES] = { { 0 } };
    const char *patterns[ROUND_RULES];
    tree *trees[ROUND_RULES];
    for (unsigned i = 0; i < ROUND_RULES;) {
        toad__buf b;
        toad__buf_init(&b, 1u << 16);
        trees[i] = random_tree(3);
        unsigned left = below(4), right = below(4);
        if (left < 2) toad__buf_add_z(&b, left ? "\\b" : "^");
        write_tree(trees[i], &b);
        if (right < 2) toad__buf_add_z(&b, right ? "\\b" : "$");
        if (!below(4)) toad__buf_add_z(&b, "|\\bignore all$");
        toad__buf_add(&b, "", 1);
        patterns[i] = b.p;
        defs[i] = (toad__rule_def){ .id = ids[i], .severity = TOAD_LOW, .patterns = &patterns[i], .n_patterns = 1 };
        if (compiles(&defs[i]))
            i++;
        else {
            free_tree(trees[i]);
            toad__buf_free(&b);
        }
    }
    engines e;
    if (open_engines(&e, defs, ROUND_RULES)) {
        for (unsigned k = 0; k < 12; k++) {
            toad__buf raw;
            toad__buf_init(&raw, 1u << 16);
            random_text(trees, ROUND_RULES, &raw);
            if (k == 11) repeat_text(&raw);
            compare_raw(&e, toad__buf_str(&raw));
            toad__buf_free(&raw);
        }
        close_engines(&e);
    } else
        failures++;
    for (unsigned i = 0; i < ROUND_RULES; i++) {
        free_tree(trees[i]);
        free((void *)(uintptr_t)patterns[i]);
    }
}

static toad_str read_file(const char *path, toad__buf *to) {
    FILE *f = fopen(path, "rb");
    char piece[65536];
    size_t n;
    toad__buf_clear(to);
    while (f && (n = fread(piece, 1, sizeof piece, f)) > 0) toad__buf_add(to, piece, n);
    if (!f)
        printf("%s: cannot be read\n", path), failures++;
    else
        fclose(f);
    return toad__buf_str(to);
}

/* The rules of the files on their own examples and on pieces of the texts. */
static void catalogue_round(char **files, int n_files, char **texts, int n_texts) {
    toad__rulefile *rules = toad__rulefile_new();
    toad__buf b;
    char message[512];
    toad__buf_init(&b, 1u << 26);
    for (int i = 0; i < n_files; i++)
        if (toad__rulefile_add(rules, files[i], read_file(files[i], &b), message, sizeof message))
            printf("%s\n", message), failures++;
    engines e;
    if (open_engines(&e, toad__rulefile_defs(rules), toad__rulefile_count(rules))) {
        for (size_t i = 0; i < e.n; i++) {
            const toad__rule_source *s = toad__rulefile_source(rules, i);
            for (size_t k = 0; k < s->n_match; k++) compare_raw(&e, toad__str_z(s->match[k]));
            for (size_t k = 0; k < s->n_pass; k++) compare_raw(&e, toad__str_z(s->pass[k]));
        }
        for (int i = 0; i < n_texts; i++) {
            toad_str all = read_file(texts[i], &b);
            for (size_t at = 0; at < all.n; at += 1500) compare_raw(&e, toad__str_part(all, at, at + 2000));
        }
        close_engines(&e);
    } else
        failures++;
    toad__buf_free(&b);
    toad__rulefile_free(rules);
}

int main(int argc, char **argv) {
    unsigned rounds = 300;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-' && argv[i][1] != '-'; i += 2) {
        if (argv[i][1] == 'n') rounds = (unsigned)atoi(argv[i + 1]);
        if (argv[i][1] == 's') state ^= (uint64_t)strtoull(argv[i + 1], NULL, 10) * 0x9E3779B97F4A7C15u;
    }
    while (rounds-- && failures < 20) random_round();
    printf("random rules: %zu pairs, %u differences, %zu lost by vectorscan's set and found by its single rule\n",
           pairs, failures, set_errors);
    int files = i;
    while (i < argc && strcmp(argv[i], "--")) i++;
    if (i > files) {
        pairs = 0;
        catalogue_round(argv + files, i - files, argv + i + 1, i < argc ? argc - i - 1 : 0);
        printf("catalogue: %zu pairs, %u differences\n", pairs, failures);
    }
    return failures != 0;
}
