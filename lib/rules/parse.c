/* parse.c - the pattern dialect (docs/rules.md) to a tree.
 *
 * The dialect is what an automaton of bounded length can run: no look-around, no back-reference, no open repetition.
 * Whatever is refused is refused with a sentence that says what to write instead. Literals go through the same folder
 * as the text, one code point at a time, so a rule may be written as people write: capitals, accents, any script.
 * Recursion is on the nesting of groups and counted. */
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/disguise/skeleton.h"
#include "lib/rules/pattern.h"

#include <stdarg.h>
#include <stdio.h>

#define DEPTH 32

typedef struct parser {
    toad__cur in;
    toad__arena *arena;
    toad__view *fold;
    toad__rule_error *err;
    toad_status status; /* sticky */
} parser;

unsigned toad__bytes_count(const toad__bytes *s) {
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) n += (unsigned)__builtin_popcountll(s->w[i]);
    return n;
}

toad_status toad__rule_fail(toad__rule_error *err, size_t at, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    err->at = at;
    vsnprintf(err->message, sizeof err->message, format, ap);
    va_end(ap);
    return TOAD_E_RULE;
}

static void *fail(parser *p, const char *message) {
    if (!p->status) p->status = toad__rule_fail(p->err, p->in.at, "%s", message);
    return NULL;
}

static toad__pnode *node(parser *p, toad__pnode_kind kind) {
    toad__pnode *n = p->status ? NULL : toad__arena_alloc(p->arena, sizeof *n);
    if (!n && !p->status) p->status = TOAD_E_NOMEM;
    if (n) n->kind = kind;
    return n;
}

/* The bytes that code point [from, at) of the pattern is folded to; white space is one blank. */
static toad_str folded(parser *p, size_t from) {
    toad_str c = toad__str_part(p->in.s, from, p->in.at);
    if (c.n == 1 && toad__is_space((unsigned char)c.p[0])) return TOAD__S(" ");
    toad_status status = toad__fold(p->fold, c, TOAD__FOLD_DROP);
    if (status && !p->status) p->status = status;
    return status ? TOAD__S("") : toad__buf_str(&p->fold->text);
}

/* Step over one code point. */
static bool take(parser *p) {
    unsigned n = 1;
    if (toad__utf8_decode(p->in.s, p->in.at, &n) == TOAD__BAD)
        return fail(p, "the pattern is not well-formed UTF-8"), false;
    toad__cur_skip(&p->in, n);
    return true;
}

/* A node that takes exactly the bytes `s`. */
static toad__pnode *string(parser *p, toad_str s) {
    toad__pnode *cat = node(p, s.n ? s.n == 1 ? TOAD__P_SET : TOAD__P_CAT : TOAD__P_EMPTY);
    if (!cat || !s.n) return cat;
    if (s.n == 1) return toad__bytes_add(&cat->set, (unsigned char)s.p[0]), cat;
    toad__pnode **tail = &cat->child;
    for (size_t i = 0; i < s.n; i++) {
        if (!(*tail = node(p, TOAD__P_SET))) return NULL;
        toad__bytes_add(&(*tail)->set, (unsigned char)s.p[i]);
        tail = &(*tail)->next;
    }
    return cat;
}

static toad__pnode *literal(parser *p) {
    size_t from = p->in.at;
    if (!take(p)) return NULL;
    toad_str s = folded(p, from);
    if (s.n == 1 && s.p[0] == ' ' && toad__is_space(toad__cur_peek(&p->in, 0)))
        return fail(p, "two blanks in a row never match: one blank stands for any run of white space");
    return string(p, s);
}

static void add_range(toad__bytes *set, unsigned from, unsigned to) {
    for (unsigned c = from; c <= to; c++) toad__bytes_add(set, (unsigned)toad__lower((int)c));
}

static void invert(toad__bytes *set) {
    for (unsigned i = 0; i < 4; i++) set->w[i] = ~set->w[i];
}

static void add_all(toad__bytes *to, const toad__bytes *from) {
    for (unsigned i = 0; i < 4; i++) to->w[i] |= from->w[i];
}

/* \w \d \s and their complements; false for any other letter. */
static bool named_class(int c, toad__bytes *ret) {
    toad__bytes set = { { 0 } };
    switch (toad__lower(c)) {
    case 'w':
        add_range(&set, 'a', 'z');
        toad__bytes_add(&set, '_');
        add_range(&set, '0', '9');
        break;
    case 'd': add_range(&set, '0', '9'); break;
    case 's': toad__bytes_add(&set, ' '); break;
    default: return false;
    }
    if (toad__is_upper(c)) invert(&set);
    *ret = set;
    return true;
}

/* After a backslash: a byte that stands for itself, or -1 with the error set. */
static int escaped(parser *p) {
    int c = toad__cur_peek(&p->in, 0);
    if (c > 0x20 && c < 0x7f && !toad__is_alnum(c)) return toad__cur_next(&p->in);
    fail(p, c == 'b' ? "\\b may only stand at the very start or end of the pattern or of a top-level alternative"
            : c == 'n' || c == 't' || c == 'r' ? "white space is written as one blank; line starts and ends are ^ and $"
            : c >= '0' && c <= '9'             ? "back-references are not supported"
                                   : "unknown escape: only \\w \\d \\s \\W \\D \\S, \\b and escaped punctuation exist");
    return -1;
}

/* One member of a class: adds it to *set and returns its byte for a range, -1 if it cannot start one. `more` gets
 * non-ASCII members. */
static int class_member(parser *p, toad__bytes *set, toad__pnode ***more, bool negated) {
    size_t from = p->in.at;
    int c = toad__cur_peek(&p->in, 0);
    if (c == '\\') {
        toad__cur_skip(&p->in, 1);
        toad__bytes named;
        if (named_class(toad__cur_peek(&p->in, 0), &named)) return toad__cur_skip(&p->in, 1), add_all(set, &named), -1;
        c = escaped(p);
        if (c >= 0) toad__bytes_add(set, (unsigned)c);
        return c;
    }
    if (!take(p)) return -1;
    if (c < 0x80) {
        c = toad__is_space(c) ? ' ' : toad__lower(c);
        toad__bytes_add(set, (unsigned)c);
        return c;
    }
    if (negated) return fail(p, "a negated class takes ASCII members only"), -1;
    toad_str s = folded(p, from);
    if (s.n == 1) return toad__bytes_add(set, (unsigned char)s.p[0]), -1;
    if (!(**more = string(p, s))) return -1;
    *more = &(**more)->next;
    return -1;
}

static void class_range(parser *p, toad__bytes *set, int from) {
    toad__cur_skip(&p->in, 1);
    toad__bytes one = { { 0 } };
    toad__pnode *none = NULL, **more = &none;
    int to = class_member(p, &one, &more, true);
    if (p->status) return;
    if (from < 0 || to < 0 || to < from)
        fail(p, "a range in a class goes from one ASCII character up to another");
    else
        add_range(set, (unsigned)from, (unsigned)to);
}

static toad__pnode *class_set(parser *p) {
    toad__cur_skip(&p->in, 1);
    bool negated = toad__cur_eat(&p->in, TOAD__S("^"));
    toad__bytes set = { { 0 } };
    toad__pnode *others = NULL, **more = &others;
    if (toad__cur_peek(&p->in, 0) == ']') return fail(p, "the class is empty; a bracket in a class is written \\]");
    while (!p->status && toad__cur_peek(&p->in, 0) != ']') {
        if (toad__cur_end(&p->in)) return fail(p, "the class is not closed: ] is missing");
        if (toad__cur_looking_at(&p->in, TOAD__S("[:")))
            return fail(p, "POSIX classes are not supported; write \\w, \\d or the members");
        int c = class_member(p, &set, &more, negated);
        int then = toad__cur_peek(&p->in, 1);
        if (!p->status && toad__cur_peek(&p->in, 0) == '-' && then >= 0 && then != ']') class_range(p, &set, c);
    }
    toad__cur_skip(&p->in, 1);
    if (negated) invert(&set);
    toad__pnode *n = node(p, TOAD__P_SET);
    if (!n) return NULL;
    n->set = set;
    if (!others) return n;
    toad__pnode *alt = node(p, TOAD__P_ALT);
    if (!alt) return NULL;
    alt->child = toad__bytes_count(&set) ? n : others;
    n->next = others;
    return alt;
}

static toad__pnode *alternatives(parser *p, unsigned depth);

static toad__pnode *group(parser *p, unsigned depth) {
    toad__cur_skip(&p->in, 1);
    if (toad__cur_peek(&p->in, 0) == '?' && !toad__cur_eat(&p->in, TOAD__S("?:")))
        return fail(p, "only (...) and (?:...) groups exist: no look-around, no flags, no names");
    if (depth >= DEPTH) return fail(p, "groups are nested too deeply (32 at most)");
    toad__pnode *n = alternatives(p, depth + 1);
    if (n && !toad__cur_eat(&p->in, TOAD__S(")"))) return fail(p, "the group is not closed: ) is missing");
    return n;
}

static toad__pnode *any_of(parser *p, toad__bytes set) {
    toad__pnode *n = node(p, TOAD__P_SET);
    if (n) n->set = set;
    return n;
}

static toad__pnode *atom(parser *p, unsigned depth) {
    int c = toad__cur_peek(&p->in, 0);
    toad__bytes set = { { ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0 } };
    char byte;
    switch (c) {
    case '(': return group(p, depth);
    case '[': return class_set(p);
    case '.': return toad__cur_skip(&p->in, 1), any_of(p, set);
    case '?':
    case '*':
    case '+': return fail(p, "there is nothing here to repeat; as a literal it is written with a backslash");
    case '{': return fail(p, "a word list {name} must be defined under words:, and a literal brace is written \\{");
    case '^': return fail(p, "^ may only stand at the very start of the pattern or of a top-level alternative");
    case '$': return fail(p, "$ may only stand at the very end of the pattern or of a top-level alternative");
    case '\\':
        toad__cur_skip(&p->in, 1);
        if (named_class(toad__cur_peek(&p->in, 0), &set)) return toad__cur_skip(&p->in, 1), any_of(p, set);
        c = escaped(p);
        byte = (char)c;
        return c < 0 ? NULL : string(p, toad__str(&byte, 1));
    default: return literal(p);
    }
}

/* Digits to a number, UINT_MAX when there is none; numbers beyond the longest match are cut, so they cannot overflow.
 */
static unsigned number(parser *p) {
    unsigned v = 0, digits = 0;
    for (; toad__is_digit(toad__cur_peek(&p->in, 0)); digits++) {
        unsigned digit = (unsigned)(toad__cur_next(&p->in) - '0');
        if (v <= TOAD__LIMIT_PATTERN_LENGTH) v = v * 10 + digit;
    }
    if (!digits) p->in.at = p->in.at < p->in.s.n ? p->in.at : p->in.s.n;
    return digits ? v : UINT32_MAX;
}

/* {n}, {m,n}: true when one stood here; otherwise nothing was taken. */
static bool counted(parser *p, unsigned *min, unsigned *max) {
    if (toad__cur_peek(&p->in, 0) != '{' ||
        !(toad__is_digit(toad__cur_peek(&p->in, 1)) || toad__cur_peek(&p->in, 1) == ','))
        return false;
    toad__cur_skip(&p->in, 1);
    *min = *max = number(p);
    if (*min == UINT32_MAX) return fail(p, "a repetition is {n} or {m,n}; {0,n} for up to n"), true;
    if (toad__cur_eat(&p->in, TOAD__S(","))) *max = number(p);
    if (!toad__cur_eat(&p->in, TOAD__S("}")) || *max == UINT32_MAX)
        return fail(p, "an open repetition {m,} is not allowed: give an upper bound, {m,n}"), true;
    if (*max < *min || !*max) fail(p, "a repetition {m,n} needs m <= n and n >= 1");
    return true;
}

static toad__pnode *repeated(parser *p, unsigned depth) {
    toad__pnode *n = atom(p, depth);
    if (!n) return NULL;
    unsigned min = 0, max = 1;
    int c = toad__cur_peek(&p->in, 0);
    if (c == '*' || c == '+') return fail(p, "* and + are not allowed: give a bound, as in {0,40} or {1,40}");
    if (c == '?')
        toad__cur_skip(&p->in, 1);
    else if (!counted(p, &min, &max))
        return n;
    c = toad__cur_peek(&p->in, 0);
    if (c == '?' || c == '+' || c == '*')
        return fail(p, "one repetition at a time; lazy and possessive ones do not exist");
    toad__pnode *r = node(p, TOAD__P_REPEAT);
    if (!r) return NULL;
    r->min = min;
    r->max = max;
    r->child = n;
    return r;
}

/* An edge at the end of a top-level alternative: \b or $ with | or the end behind it. */
static bool right_edge(parser *p, unsigned *edge) {
    bool word = toad__cur_looking_at(&p->in, TOAD__S("\\b"));
    if (!word && toad__cur_peek(&p->in, 0) != '$') return false;
    int then = toad__cur_peek(&p->in, word ? 2 : 1);
    if (then >= 0 && then != '|') return false;
    toad__cur_skip(&p->in, word ? 2 : 1);
    *edge = word ? TOAD__EDGE_WORD : TOAD__EDGE_LINE;
    return true;
}

/* One alternative. `branch` is not NULL at the top level, where edges may stand. */
static toad__pnode *sequence(parser *p, unsigned depth, toad__branch *branch) {
    toad__pnode *cat = node(p, TOAD__P_CAT);
    if (!cat) return NULL;
    toad__pnode **tail = &cat->child;
    if (branch && toad__cur_eat(&p->in, TOAD__S("\\b")))
        branch->left = TOAD__EDGE_WORD;
    else if (branch && toad__cur_eat(&p->in, TOAD__S("^")))
        branch->left = TOAD__EDGE_LINE;
    while (!toad__cur_end(&p->in)) {
        int c = toad__cur_peek(&p->in, 0);
        if (c == '|' || (c == ')' && depth)) break;
        if (c == ')') return fail(p, "there is no group to close here; a literal parenthesis is written \\)");
        if (branch && right_edge(p, &branch->right)) break;
        if (!(*tail = repeated(p, depth))) return NULL;
        tail = &(*tail)->next;
    }
    if (!cat->child) return fail(p, "an alternative is empty; what may be missing is written (?:...)?");
    return cat;
}

static toad__pnode *alternatives(parser *p, unsigned depth) {
    toad__pnode *first = sequence(p, depth, NULL), *last = first;
    while (last && toad__cur_eat(&p->in, TOAD__S("|"))) last = last->next = sequence(p, depth, NULL);
    if (!last) return NULL;
    if (last == first) return first;
    toad__pnode *alt = node(p, TOAD__P_ALT);
    if (alt) alt->child = first;
    return alt;
}

toad_status toad__pattern_parse(toad_str pattern, toad__arena *arena, toad__view *fold, toad__branch **ret,
                                toad__rule_error *err) {
    parser p = { .in = toad__cur_of(pattern), .arena = arena, .fold = fold, .err = err };
    toad__branch *first = NULL, **tail = &first;
    do {
        toad__branch *b = toad__arena_alloc(arena, sizeof *b);
        if (!b) return TOAD_E_NOMEM;
        if (!(b->body = sequence(&p, 0, b))) return p.status;
        *tail = b;
        tail = &b->next;
    } while (toad__cur_eat(&p.in, TOAD__S("|")));
    *ret = first;
    return TOAD_OK;
}

/* What the skeleton makes of a set: the letters its members become, and whether some members vanish. */
static toad__bytes skeleton_set(const toad__bytes *set, bool *vanishes) {
    toad__bytes to = { { 0, 0, set->w[2], set->w[3] } };
    *vanishes = false;
    for (unsigned c = 0; c < 128; c++) {
        if (!toad__bytes_has(set, c)) continue;
        if (toad__skeleton_of[c]) toad__bytes_add(&to, toad__skeleton_of[c]);
        if (!toad__is_alnum((int)c)) *vanishes = true;
    }
    return to;
}

static toad__pnode *skeleton_node(const toad__pnode *n, toad__arena *arena);

static bool skeleton_children(const toad__pnode *n, toad__pnode *to, toad__arena *arena) {
    toad__pnode **tail = &to->child;
    for (const toad__pnode *c = n->child; c; c = c->next) {
        if (!(*tail = skeleton_node(c, arena))) return false;
        tail = &(*tail)->next;
    }
    return true;
}

/* Symbols may be read as letters or vanish (skeleton.h: `symbols`), so a set with symbols in it becomes optional. */
static toad__pnode *skeleton_node(const toad__pnode *n, toad__arena *arena) {
    toad__pnode *to = toad__arena_alloc(arena, sizeof *to);
    if (!to) return NULL;
    *to = (toad__pnode){ .kind = n->kind, .min = n->min, .max = n->max };
    if (n->kind != TOAD__P_SET) return skeleton_children(n, to, arena) ? to : NULL;
    bool vanishes;
    to->set = skeleton_set(&n->set, &vanishes);
    if (!toad__bytes_count(&to->set)) to->kind = TOAD__P_EMPTY;
    if (!vanishes || to->kind == TOAD__P_EMPTY) return to;
    toad__pnode *maybe = toad__arena_alloc(arena, sizeof *maybe);
    if (maybe) *maybe = (toad__pnode){ .kind = TOAD__P_REPEAT, .min = 0, .max = 1, .child = to };
    return maybe;
}

toad__branch *toad__pattern_skeleton(const toad__branch *branches, toad__arena *arena) {
    toad__branch *first = NULL, **tail = &first;
    for (; branches; branches = branches->next) {
        toad__branch *b = toad__arena_alloc(arena, sizeof *b);
        if (!b || !(b->body = skeleton_node(branches->body, arena))) return NULL;
        *tail = b;
        tail = &b->next;
    }
    return first;
}
