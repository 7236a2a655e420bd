/* parse.c - the pattern dialect (docs/rules.md) to a tree.
 *
 * The dialect is what an automaton of bounded length can run: no look-around, no back-reference, no open repetition. Whatever is
 * refused is refused with a sentence that says what to write instead. Literals go through the same folder as the text,
 * one code point at a time, so a rule may be written as people write: capitals, accents, any script.
 * Recursion is on the nesting of groups and counted. */
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/rules/pattern.h"
#include "lib/text/skeleton.h"

#include <stdarg.h>
#include <stdio.h>

#define DEPTH 32

typedef struct parser {
    bzr__cur in;
    bzr__arena *arena;
    bzr__view *fold;
    bzr__rule_error *err;
    bzr_status status; /* sticky */
} parser;

unsigned bzr__bytes_count(const bzr__bytes *s) {
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) n += (unsigned)__builtin_popcountll(s->w[i]);
    return n;
}

bzr_status bzr__rule_fail(bzr__rule_error *err, size_t at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    err->at = at;
    vsnprintf(err->message, sizeof err->message, format, ap);
    va_end(ap);
    return BZR_E_RULE;
}

static void *fail(parser *p, const char *message) {
    if (!p->status) p->status = bzr__rule_fail(p->err, p->in.at, "%s", message);
    return NULL;
}

static bzr__pnode *node(parser *p, bzr__pnode_kind kind) {
    bzr__pnode *n = p->status ? NULL : bzr__arena_alloc(p->arena, sizeof *n);
    if (!n && !p->status) p->status = BZR_E_NOMEM;
    if (n) n->kind = kind;
    return n;
}

/* The bytes that code point [from, at) of the pattern is folded to; white space is one blank. */
static bzr_str folded(parser *p, size_t from) {
    bzr_str c = bzr__str_part(p->in.s, from, p->in.at);
    if (c.n == 1 && bzr__is_space((unsigned char)c.p[0])) return BZR__S(" ");
    bzr_status status = bzr__fold(p->fold, c, BZR__FOLD_DROP);
    if (status && !p->status) p->status = status;
    return status ? BZR__S("") : bzr__buf_str(&p->fold->text);
}

/* Step over one code point. */
static bool take(parser *p) {
    unsigned n = 1;
    if (bzr__utf8_decode(p->in.s, p->in.at, &n) == BZR__BAD) return fail(p, "the pattern is not well-formed UTF-8"), false;
    bzr__cur_skip(&p->in, n);
    return true;
}

/* A node that takes exactly the bytes `s`. */
static bzr__pnode *string(parser *p, bzr_str s) {
    bzr__pnode *cat = node(p, s.n ? s.n == 1 ? BZR__P_SET : BZR__P_CAT : BZR__P_EMPTY);
    if (!cat || !s.n) return cat;
    if (s.n == 1) return bzr__bytes_add(&cat->set, (unsigned char)s.p[0]), cat;
    bzr__pnode **tail = &cat->child;
    for (size_t i = 0; i < s.n; i++) {
        if (!(*tail = node(p, BZR__P_SET))) return NULL;
        bzr__bytes_add(&(*tail)->set, (unsigned char)s.p[i]);
        tail = &(*tail)->next;
    }
    return cat;
}

static bzr__pnode *literal(parser *p) {
    size_t from = p->in.at;
    if (!take(p)) return NULL;
    bzr_str s = folded(p, from);
    if (s.n == 1 && s.p[0] == ' ' && bzr__is_space(bzr__cur_peek(&p->in, 0)))
        return fail(p, "two blanks in a row never match: one blank stands for any run of white space");
    return string(p, s);
}

static void add_range(bzr__bytes *set, unsigned from, unsigned to) {
    for (unsigned c = from; c <= to; c++) bzr__bytes_add(set, (unsigned)bzr__lower((int)c));
}

static void invert(bzr__bytes *set) {
    for (unsigned i = 0; i < 4; i++) set->w[i] = ~set->w[i];
}

static void add_all(bzr__bytes *to, const bzr__bytes *from) {
    for (unsigned i = 0; i < 4; i++) to->w[i] |= from->w[i];
}

/* \w \d \s and their complements; false for any other letter. */
static bool named_class(int c, bzr__bytes *ret) {
    bzr__bytes set = { { 0 } };
    switch (bzr__lower(c)) {
    case 'w':
        add_range(&set, 'a', 'z');
        bzr__bytes_add(&set, '_');
        add_range(&set, '0', '9');
        break;
    case 'd': add_range(&set, '0', '9'); break;
    case 's': bzr__bytes_add(&set, ' '); break;
    default: return false;
    }
    if (bzr__is_upper(c)) invert(&set);
    *ret = set;
    return true;
}

/* After a backslash: a byte that stands for itself, or -1 with the error set. */
static int escaped(parser *p) {
    int c = bzr__cur_peek(&p->in, 0);
    if (c > 0x20 && c < 0x7f && !bzr__is_alnum(c)) return bzr__cur_next(&p->in);
    fail(p, c == 'b' ? "\\b may only stand at the very start or end of the pattern or of a top-level alternative"
            : c == 'n' || c == 't' || c == 'r' ? "white space is written as one blank; line starts and ends are ^ and $"
            : c >= '0' && c <= '9' ? "back-references are not supported"
                                   : "unknown escape: only \\w \\d \\s \\W \\D \\S, \\b and escaped punctuation exist");
    return -1;
}

/* One member of a class: adds it to *set and returns its byte for a range, -1 if it cannot start one. `more` gets non-ASCII members. */
static int class_member(parser *p, bzr__bytes *set, bzr__pnode ***more, bool negated) {
    size_t from = p->in.at;
    int c = bzr__cur_peek(&p->in, 0);
    if (c == '\\') {
        bzr__cur_skip(&p->in, 1);
        bzr__bytes named;
        if (named_class(bzr__cur_peek(&p->in, 0), &named)) return bzr__cur_skip(&p->in, 1), add_all(set, &named), -1;
        c = escaped(p);
        if (c >= 0) bzr__bytes_add(set, (unsigned)c);
        return c;
    }
    if (!take(p)) return -1;
    if (c < 0x80) {
        c = bzr__is_space(c) ? ' ' : bzr__lower(c);
        bzr__bytes_add(set, (unsigned)c);
        return c;
    }
    if (negated) return fail(p, "a negated class takes ASCII members only"), -1;
    bzr_str s = folded(p, from);
    if (s.n == 1) return bzr__bytes_add(set, (unsigned char)s.p[0]), -1;
    if (!(**more = string(p, s))) return -1;
    *more = &(**more)->next;
    return -1;
}

static void class_range(parser *p, bzr__bytes *set, int from) {
    bzr__cur_skip(&p->in, 1);
    bzr__bytes one = { { 0 } };
    bzr__pnode *none = NULL, **more = &none;
    int to = class_member(p, &one, &more, true);
    if (p->status) return;
    if (from < 0 || to < 0 || to < from) fail(p, "a range in a class goes from one ASCII character up to another");
    else add_range(set, (unsigned)from, (unsigned)to);
}

static bzr__pnode *class_set(parser *p) {
    bzr__cur_skip(&p->in, 1);
    bool negated = bzr__cur_eat(&p->in, BZR__S("^"));
    bzr__bytes set = { { 0 } };
    bzr__pnode *others = NULL, **more = &others;
    if (bzr__cur_peek(&p->in, 0) == ']') return fail(p, "the class is empty; a bracket in a class is written \\]");
    while (!p->status && bzr__cur_peek(&p->in, 0) != ']') {
        if (bzr__cur_end(&p->in)) return fail(p, "the class is not closed: ] is missing");
        if (bzr__cur_looking_at(&p->in, BZR__S("[:"))) return fail(p, "POSIX classes are not supported; write \\w, \\d or the members");
        int c = class_member(p, &set, &more, negated);
        int then = bzr__cur_peek(&p->in, 1);
        if (!p->status && bzr__cur_peek(&p->in, 0) == '-' && then >= 0 && then != ']') class_range(p, &set, c);
    }
    bzr__cur_skip(&p->in, 1);
    if (negated) invert(&set);
    bzr__pnode *n = node(p, BZR__P_SET);
    if (!n) return NULL;
    n->set = set;
    if (!others) return n;
    bzr__pnode *alt = node(p, BZR__P_ALT);
    if (!alt) return NULL;
    alt->child = bzr__bytes_count(&set) ? n : others;
    n->next = others;
    return alt;
}

static bzr__pnode *alternatives(parser *p, unsigned depth);

static bzr__pnode *group(parser *p, unsigned depth) {
    bzr__cur_skip(&p->in, 1);
    if (bzr__cur_peek(&p->in, 0) == '?' && !bzr__cur_eat(&p->in, BZR__S("?:")))
        return fail(p, "only (...) and (?:...) groups exist: no look-around, no flags, no names");
    if (depth >= DEPTH) return fail(p, "groups are nested too deeply (32 at most)");
    bzr__pnode *n = alternatives(p, depth + 1);
    if (n && !bzr__cur_eat(&p->in, BZR__S(")"))) return fail(p, "the group is not closed: ) is missing");
    return n;
}

static bzr__pnode *any_of(parser *p, bzr__bytes set) {
    bzr__pnode *n = node(p, BZR__P_SET);
    if (n) n->set = set;
    return n;
}

static bzr__pnode *atom(parser *p, unsigned depth) {
    int c = bzr__cur_peek(&p->in, 0);
    bzr__bytes set = { { ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0 } };
    char byte;
    switch (c) {
    case '(': return group(p, depth);
    case '[': return class_set(p);
    case '.': return bzr__cur_skip(&p->in, 1), any_of(p, set);
    case '?': case '*': case '+': return fail(p, "there is nothing here to repeat; as a literal it is written with a backslash");
    case '{': return fail(p, "a word list {name} must be defined under words:, and a literal brace is written \\{");
    case '^': return fail(p, "^ may only stand at the very start of the pattern or of a top-level alternative");
    case '$': return fail(p, "$ may only stand at the very end of the pattern or of a top-level alternative");
    case '\\':
        bzr__cur_skip(&p->in, 1);
        if (named_class(bzr__cur_peek(&p->in, 0), &set)) return bzr__cur_skip(&p->in, 1), any_of(p, set);
        c = escaped(p);
        byte = (char)c;
        return c < 0 ? NULL : string(p, bzr__str(&byte, 1));
    default: return literal(p);
    }
}

/* Digits to a number, UINT_MAX when there is none; numbers beyond the longest match are cut, so they cannot overflow. */
static unsigned number(parser *p) {
    unsigned v = 0, digits = 0;
    for (; bzr__is_digit(bzr__cur_peek(&p->in, 0)); digits++) {
        unsigned digit = (unsigned)(bzr__cur_next(&p->in) - '0');
        if (v <= BZR__LIMIT_PATTERN_LENGTH) v = v * 10 + digit;
    }
    if (!digits) p->in.at = p->in.at < p->in.s.n ? p->in.at : p->in.s.n;
    return digits ? v : UINT32_MAX;
}

/* {n}, {m,n}: true when one stood here; otherwise nothing was taken. */
static bool counted(parser *p, unsigned *min, unsigned *max) {
    if (bzr__cur_peek(&p->in, 0) != '{' || !(bzr__is_digit(bzr__cur_peek(&p->in, 1)) || bzr__cur_peek(&p->in, 1) == ',')) return false;
    bzr__cur_skip(&p->in, 1);
    *min = *max = number(p);
    if (*min == UINT32_MAX) return fail(p, "a repetition is {n} or {m,n}; {0,n} for up to n"), true;
    if (bzr__cur_eat(&p->in, BZR__S(","))) *max = number(p);
    if (!bzr__cur_eat(&p->in, BZR__S("}")) || *max == UINT32_MAX)
        return fail(p, "an open repetition {m,} is not allowed: give an upper bound, {m,n}"), true;
    if (*max < *min || !*max) fail(p, "a repetition {m,n} needs m <= n and n >= 1");
    return true;
}

static bzr__pnode *repeated(parser *p, unsigned depth) {
    bzr__pnode *n = atom(p, depth);
    if (!n) return NULL;
    unsigned min = 0, max = 1;
    int c = bzr__cur_peek(&p->in, 0);
    if (c == '*' || c == '+') return fail(p, "* and + are not allowed: give a bound, as in {0,40} or {1,40}");
    if (c == '?') bzr__cur_skip(&p->in, 1);
    else if (!counted(p, &min, &max)) return n;
    c = bzr__cur_peek(&p->in, 0);
    if (c == '?' || c == '+' || c == '*') return fail(p, "one repetition at a time; lazy and possessive ones do not exist");
    bzr__pnode *r = node(p, BZR__P_REPEAT);
    if (!r) return NULL;
    r->min = min;
    r->max = max;
    r->child = n;
    return r;
}

/* An edge at the end of a top-level alternative: \b or $ with | or the end behind it. */
static bool right_edge(parser *p, unsigned *edge) {
    bool word = bzr__cur_looking_at(&p->in, BZR__S("\\b"));
    if (!word && bzr__cur_peek(&p->in, 0) != '$') return false;
    int then = bzr__cur_peek(&p->in, word ? 2 : 1);
    if (then >= 0 && then != '|') return false;
    bzr__cur_skip(&p->in, word ? 2 : 1);
    *edge = word ? BZR__EDGE_WORD : BZR__EDGE_LINE;
    return true;
}

/* One alternative. `branch` is not NULL at the top level, where edges may stand. */
static bzr__pnode *sequence(parser *p, unsigned depth, bzr__branch *branch) {
    bzr__pnode *cat = node(p, BZR__P_CAT);
    if (!cat) return NULL;
    bzr__pnode **tail = &cat->child;
    if (branch && bzr__cur_eat(&p->in, BZR__S("\\b"))) branch->left = BZR__EDGE_WORD;
    else if (branch && bzr__cur_eat(&p->in, BZR__S("^"))) branch->left = BZR__EDGE_LINE;
    while (!bzr__cur_end(&p->in)) {
        int c = bzr__cur_peek(&p->in, 0);
        if (c == '|' || (c == ')' && depth)) break;
        if (c == ')') return fail(p, "there is no group to close here; a literal parenthesis is written \\)");
        if (branch && right_edge(p, &branch->right)) break;
        if (!(*tail = repeated(p, depth))) return NULL;
        tail = &(*tail)->next;
    }
    if (!cat->child) return fail(p, "an alternative is empty; what may be missing is written (?:...)?");
    return cat;
}

static bzr__pnode *alternatives(parser *p, unsigned depth) {
    bzr__pnode *first = sequence(p, depth, NULL), *last = first;
    while (last && bzr__cur_eat(&p->in, BZR__S("|"))) last = last->next = sequence(p, depth, NULL);
    if (!last) return NULL;
    if (last == first) return first;
    bzr__pnode *alt = node(p, BZR__P_ALT);
    if (alt) alt->child = first;
    return alt;
}

bzr_status bzr__pattern_parse(bzr_str pattern, bzr__arena *arena, bzr__view *fold, bzr__branch **ret, bzr__rule_error *err) {
    parser p = { .in = bzr__cur_of(pattern), .arena = arena, .fold = fold, .err = err };
    bzr__branch *first = NULL, **tail = &first;
    do {
        bzr__branch *b = bzr__arena_alloc(arena, sizeof *b);
        if (!b) return BZR_E_NOMEM;
        if (!(b->body = sequence(&p, 0, b))) return p.status;
        *tail = b;
        tail = &b->next;
    } while (bzr__cur_eat(&p.in, BZR__S("|")));
    *ret = first;
    return BZR_OK;
}

/* What the skeleton makes of a set: the letters its members become, and whether some members vanish. */
static bzr__bytes skeleton_set(const bzr__bytes *set, bool *vanishes) {
    bzr__bytes to = { { 0, 0, set->w[2], set->w[3] } };
    *vanishes = false;
    for (unsigned c = 0; c < 128; c++) {
        if (!bzr__bytes_has(set, c)) continue;
        if (bzr__skeleton_of[c]) bzr__bytes_add(&to, bzr__skeleton_of[c]);
        if (!bzr__is_alnum((int)c)) *vanishes = true;
    }
    return to;
}

static bzr__pnode *skeleton_node(const bzr__pnode *n, bzr__arena *arena);

static bool skeleton_children(const bzr__pnode *n, bzr__pnode *to, bzr__arena *arena) {
    bzr__pnode **tail = &to->child;
    for (const bzr__pnode *c = n->child; c; c = c->next) {
        if (!(*tail = skeleton_node(c, arena))) return false;
        tail = &(*tail)->next;
    }
    return true;
}

/* Symbols may be read as letters or vanish (skeleton.h: `symbols`), so a set with symbols in it becomes optional. */
static bzr__pnode *skeleton_node(const bzr__pnode *n, bzr__arena *arena) {
    bzr__pnode *to = bzr__arena_alloc(arena, sizeof *to);
    if (!to) return NULL;
    *to = (bzr__pnode){ .kind = n->kind, .min = n->min, .max = n->max };
    if (n->kind != BZR__P_SET) return skeleton_children(n, to, arena) ? to : NULL;
    bool vanishes;
    to->set = skeleton_set(&n->set, &vanishes);
    if (!bzr__bytes_count(&to->set)) to->kind = BZR__P_EMPTY;
    if (!vanishes || to->kind == BZR__P_EMPTY) return to;
    bzr__pnode *maybe = bzr__arena_alloc(arena, sizeof *maybe);
    if (maybe) *maybe = (bzr__pnode){ .kind = BZR__P_REPEAT, .min = 0, .max = 1, .child = to };
    return maybe;
}

bzr__branch *bzr__pattern_skeleton(const bzr__branch *branches, bzr__arena *arena) {
    bzr__branch *first = NULL, **tail = &first;
    for (; branches; branches = branches->next) {
        bzr__branch *b = bzr__arena_alloc(arena, sizeof *b);
        if (!b || !(b->body = skeleton_node(branches->body, arena))) return NULL;
        *tail = b;
        tail = &b->next;
    }
    return first;
}
