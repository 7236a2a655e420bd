/* sheet.c - `<style>` sheets: which rules match an element, and what they set.
 *
 * Selectors are compounds of tags, ids, classes, attributes, :not(), :first-child and :nth-child(), joined by blanks and
 * '>'. What stands left of '+' and '~' is taken to match, since siblings are not kept. A selector with a state that a
 * page at rest is not in (:hover), with a pseudo-element or with anything else never matches: what is shown by mistake
 * is still scanned. Rules are found by the id, class, attribute or tag of their last compound; matching steps are
 * counted, so that no sheet makes a page expensive. */
#include "lib/base/cursor.h"
#include "lib/html/style.h"

enum { SELECTOR_PARTS = 24, NAME_MAX_BYTES = 64, SCREEN_WIDTH = 1280, SCREEN_HEIGHT = 800 };

/* Kinds of parts besides '#', '.', '[' and 't': */
enum { ANY = '*', CHILD = '>', DESCENDANT = ' ', SIBLING = '+', NOT = '!', NTH = 'n', NEVER = '0' };

static uint32_t key_of(char kind, bzr_str name) {
    uint32_t h = 2166136261u ^ (unsigned char)kind;
    for (size_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)bzr__lower((unsigned char)name.p[i])) * 16777619u;
    return h ? h : 1;
}

static uint32_t value_key(bzr_str name, bzr_str value) { return key_of('=', value) ^ key_of('[', name) * 31; }

/* ---- elements ---- */

static void add_key(bzr__keys *k, uint32_t key) {
    if (k->n < BZR__KEYS) k->key[k->n++] = key;
}

enum { ATTRIBUTE_KEYS = 10, VALUE_KEY_BYTES = 64 }; /* the rest of the room is for classes */

void bzr__keys_begin(bzr__keys *k, bzr_str tag) {
    k->n = k->child = k->children = 0;
    add_key(k, key_of('t', tag));
}

void bzr__keys_add(bzr__keys *k, bzr_str name, bzr_str value) {
    if (bzr__str_ieq(name, BZR__S("id"))) {
        add_key(k, key_of('#', value));
        return;
    }
    if (!bzr__str_ieq(name, BZR__S("class"))) {
        if (k->n + 1 >= ATTRIBUTE_KEYS) return;
        add_key(k, key_of('[', name));
        if (value.n && value.n <= VALUE_KEY_BYTES) add_key(k, value_key(name, value));
        return;
    }
    for (size_t at = 0; at < value.n;) {
        size_t end = at;
        while (end < value.n && !bzr__is_space((unsigned char)value.p[end])) end++;
        if (end > at) add_key(k, key_of('.', bzr__str_part(value, at, end)));
        at = end + 1;
    }
}

static bool has_key(const bzr__keys *k, uint32_t key) {
    for (unsigned i = 0; i < k->n; i++)
        if (k->key[i] == key) return true;
    return false;
}

/* ---- selectors ---- */

/* One selector being read: its parts from left to right, and where its last compound begins. */
typedef struct selector {
    bzr__sheet *sheet;
    bzr__sheet_part parts[SELECTOR_PARTS];
    unsigned n, last;
    unsigned ids, classes, tags;
    bool bad;
} selector;

static bool is_name(int c) { return bzr__is_alnum(c) || c == '-' || c == '_' || c == '\\' || c >= 0x80; }

/* A name with its escapes decoded, in `room`. */
static bzr_str read_name(bzr__cur *c, char room[NAME_MAX_BYTES]) {
    size_t n = 0;
    while (is_name(bzr__cur_peek(c, 0))) {
        int x = bzr__cur_next(c);
        if (x == '\\') {
            unsigned v = 0, digits = 0;
            for (; digits < 6 && bzr__hex_value(bzr__cur_peek(c, 0)) >= 0; digits++)
                v = v << 4 | (unsigned)bzr__hex_value(bzr__cur_next(c));
            if (digits && bzr__is_space(bzr__cur_peek(c, 0))) bzr__cur_skip(c, 1);
            x = digits ? (v < 0x80 ? (int)v : '?') : bzr__cur_next(c);
        }
        if (x >= 0 && n < NAME_MAX_BYTES) room[n++] = (char)x;
    }
    return bzr__str(room, n);
}

static void add_part(selector *s, bzr__sheet_part part) {
    if (s->n == SELECTOR_PARTS)
        s->bad = true;
    else
        s->parts[s->n++] = part;
}

/* Keep a value to compare with later. */
static bzr__sheet_part with_text(selector *s, bzr__sheet_part part, bzr_str value) {
    bzr__sheet *sheet = s->sheet;
    if (value.n > BZR__SHEET_TEXT - sheet->text_n) {
        s->bad = true;
        return part;
    }
    if (value.n) memcpy(sheet->text + sheet->text_n, value.p, value.n);
    part.a = (uint16_t)sheet->text_n;
    part.b = (uint16_t)value.n;
    sheet->text_n += (unsigned)value.n;
    return part;
}

/* [name], [name=value] and the operators ~ | ^ $ * before the sign. */
static void read_attribute(bzr__cur *c, selector *s) {
    char room[NAME_MAX_BYTES], value_room[NAME_MAX_BYTES];
    bzr__cur_skip_space(c);
    bzr_str name = read_name(c, room);
    bzr__sheet_part part = { .key = key_of('[', name), .kind = '[' };
    bzr__cur_skip_space(c);
    int op = bzr__cur_peek(c, 0);
    if (op != ']' && op != '=') bzr__cur_skip(c, 1);
    if (bzr__cur_eat(c, BZR__S("="))) {
        bzr_str value;
        bzr__cur_skip_space(c);
        int quote = bzr__cur_peek(c, 0);
        if (quote == '"' || quote == '\'') {
            bzr__cur_skip(c, 1);
            size_t from = c->at;
            bzr__cur_find(c, (char)quote);
            value = bzr__str_part(c->s, from, c->at);
        } else {
            value = read_name(c, value_room);
        }
        if (op == '=')
            part.key = value_key(name, value);
        else if (op == '~' && bzr__str_ieq(name, BZR__S("class")))
            part = (bzr__sheet_part){ .key = key_of('.', value), .kind = '.' };
        else {
            part.op = (char)op;
            part = with_text(s, part, value);
        }
    } else if (op != ']') {
        s->bad = true;
    }
    s->bad |= !name.n;
    s->sheet->attributes = true;
    bzr__cur_find(c, ']');
    bzr__cur_skip(c, 1);
    s->classes++;
    add_part(s, part);
}

/* an+b, odd, even or b, inside brackets. */
static void read_nth(bzr_str in, selector *s) {
    bzr__sheet_part part = { .kind = NTH };
    int a = 0, b = 0, sign = 1, v = 0;
    bool digits = false, step = false;
    for (size_t i = 0; i <= in.n; i++) {
        int c = i < in.n ? bzr__lower((unsigned char)in.p[i]) : 0;
        if (bzr__is_digit(c) && v < 1000) {
            v = v * 10 + c - '0';
            digits = true;
        } else if (c == 'n' && !step) {
            a = sign * (digits ? v : 1);
            step = true;
            v = 0;
            sign = 1;
            digits = false;
        } else if (c == '-' || c == '+') {
            sign = c == '-' ? -1 : 1;
        } else if (c && !bzr__is_space(c)) {
            s->bad = true;
        }
    }
    b = digits ? sign * v : 0;
    if (bzr__str_ieq(in, BZR__S("odd")) || bzr__str_ieq(in, BZR__S("even"))) {
        a = 2;
        b = (in.n == 3);
        s->bad = false;
    }
    part.a = (uint16_t)(int16_t)a;
    part.b = (uint16_t)(int16_t)b;
    add_part(s, part);
}

/* What is in brackets at the cursor, which is moved behind them. */
static bzr_str read_brackets(bzr__cur *c) {
    unsigned depth = 0;
    size_t from = c->at + 1;
    if (bzr__cur_peek(c, 0) != '(') return BZR__S("");
    do {
        int x = bzr__cur_next(c);
        depth += x == '(';
        depth -= x == ')';
    } while (depth && !bzr__cur_end(c));
    return bzr__str_part(c->s, from, depth ? c->at : c->at - 1);
}

static void read_simple(bzr__cur *c, selector *s, bool inside_not);

/* :not(compound, ...): each as a NOT part that tells how many parts after it must not all match. */
static void read_not(bzr_str in, selector *s) {
    bzr__cur c = bzr__cur_of(in);
    while (!bzr__cur_end(&c) && !s->bad) {
        unsigned at = s->n;
        add_part(s, (bzr__sheet_part){ .kind = NOT });
        bzr__cur_skip_space(&c);
        while (!bzr__cur_end(&c) && !s->bad && bzr__cur_peek(&c, 0) != ',' && !bzr__is_space(bzr__cur_peek(&c, 0)))
            read_simple(&c, s, true);
        bzr__cur_skip_space(&c);
        if (!bzr__cur_end(&c) && !bzr__cur_eat(&c, BZR__S(","))) s->bad = true;
        if (!s->bad) s->parts[at].a = (uint16_t)(s->n - at - 1);
    }
}

static bool is_state(bzr_str name) {
    static const char *const states[] = { "hover",         "focus",   "active", "checked",  "target",
                                          "focus-within",  "visited", "disabled", "invalid", "focus-visible",
                                          "indeterminate", "open",    "autofill", "fullscreen" };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (bzr__str_ieq(name, bzr__str_z(states[i]))) return true;
    return false;
}

static void read_pseudo(bzr__cur *c, selector *s, bool inside_not) {
    char room[NAME_MAX_BYTES];
    if (bzr__cur_peek(c, 0) == ':') {
        s->bad = true;
        return;
    }
    bzr_str name = read_name(c, room), in = read_brackets(c);
    s->classes++;
    if (bzr__str_ieq(name, BZR__S("not")) && !inside_not) {
        s->classes--;
        read_not(in, s);
    } else if (bzr__str_ieq(name, BZR__S("first-child"))) {
        add_part(s, (bzr__sheet_part){ .kind = NTH, .b = 1 });
    } else if (bzr__str_ieq(name, BZR__S("nth-child"))) {
        read_nth(in, s);
    } else if (bzr__str_ieq(name, BZR__S("root"))) {
        add_part(s, (bzr__sheet_part){ .key = key_of('t', BZR__S("html")), .kind = 't' });
    } else if (bzr__str_ieq(name, BZR__S("link")) || bzr__str_ieq(name, BZR__S("any-link"))) {
        s->sheet->attributes = true;
        add_part(s, (bzr__sheet_part){ .key = key_of('[', BZR__S("href")), .kind = '[' });
    } else if (is_state(name) && inside_not) {
        add_part(s, (bzr__sheet_part){ .kind = NEVER });
    } else {
        s->bad = true;
    }
}

static void read_simple(bzr__cur *c, selector *s, bool inside_not) {
    char room[NAME_MAX_BYTES];
    int kind = bzr__cur_peek(c, 0);
    if (is_name(kind)) {
        add_part(s, (bzr__sheet_part){ .key = key_of('t', read_name(c, room)), .kind = 't' });
        s->tags++;
        return;
    }
    bzr__cur_skip(c, 1);
    if (kind == '*') {
        add_part(s, (bzr__sheet_part){ .kind = ANY });
    } else if (kind == '#' || kind == '.') {
        bzr_str name = read_name(c, room);
        s->bad |= !name.n;
        add_part(s, (bzr__sheet_part){ .key = key_of((char)kind, name), .kind = (char)kind });
        s->ids += kind == '#';
        s->classes += kind == '.';
    } else if (kind == '[') {
        read_attribute(c, s);
    } else if (kind == ':') {
        read_pseudo(c, s, inside_not);
    } else {
        s->bad = true;
    }
}

static bool eat_comment(bzr__cur *c) {
    if (!bzr__cur_eat(c, BZR__S("/*"))) return false;
    c->at = bzr__str_find(c->s, BZR__S("*/"), c->at);
    bzr__cur_skip(c, 2);
    return true;
}

/* The combinator at the cursor, or 0 between the parts of one compound. */
static char read_combinator(bzr__cur *c) {
    size_t from = c->at;
    do bzr__cur_skip_space(c);
    while (eat_comment(c));
    bool blank = c->at > from;
    int x = bzr__cur_peek(c, 0);
    if (x == '>' || x == '+' || x == '~') {
        bzr__cur_skip(c, 1);
        bzr__cur_skip_space(c);
        return x == '>' ? CHILD : SIBLING;
    }
    return blank && x >= 0 ? DESCENDANT : 0;
}

static void read_selector(bzr_str in, selector *s) {
    bzr__cur c = bzr__cur_of(in);
    bzr__cur_skip_space(&c);
    while (!bzr__cur_end(&c) && !s->bad) {
        char joined = read_combinator(&c);
        if (joined && s->n) {
            add_part(s, (bzr__sheet_part){ .kind = joined });
            s->last = s->n;
        }
        if (!bzr__cur_end(&c)) read_simple(&c, s, false);
    }
    s->bad |= s->last == s->n;
}

/* What the rule is found by: its last compound's id, else class, else attribute, else tag. */
static uint32_t bucket_key(const selector *s) {
    uint32_t best = 0;
    int rank = 0;
    for (unsigned i = s->last; i < s->n; i++) {
        const bzr__sheet_part *p = &s->parts[i];
        int is = p->kind == '#' ? 4 : p->kind == '.' ? 3 : p->kind == '[' ? 2 : p->kind == 't' ? 1 : 0;
        if (p->kind == NOT) i += p->a;
        if (is <= rank) continue;
        rank = is;
        best = p->key;
    }
    return best;
}

/* ---- rules ---- */

/* Compounds go into the table from the last to the first, since they are matched in that order. */
static void store_parts(bzr__sheet *sheet, const selector *s) {
    for (unsigned end = s->n; end > 0;) {
        unsigned from = end;
        while (from > 0 && s->parts[from - 1].kind != CHILD && s->parts[from - 1].kind != DESCENDANT &&
               s->parts[from - 1].kind != SIBLING)
            from--;
        memcpy(&sheet->parts[sheet->parts_n], &s->parts[from], (end - from) * sizeof *s->parts);
        sheet->parts_n += end - from;
        if (from > 0) sheet->parts[sheet->parts_n++] = s->parts[--from];
        end = from;
    }
}

static uint64_t weight_of(const selector *s, unsigned order) {
    uint64_t ids = s->ids < 255 ? s->ids : 255, classes = s->classes < 255 ? s->classes : 255;
    uint64_t tags = s->tags < 255 ? s->tags : 255;
    return ids << 40 | classes << 32 | tags << 24 | (order + 1);
}

static void add_rule(bzr__sheet *sheet, bzr_str text, unsigned decl, unsigned decls_n) {
    selector s = { .sheet = sheet };
    unsigned text_n = sheet->text_n;
    read_selector(text, &s);
    if (s.bad || sheet->n == BZR__SHEET_RULES || s.n > BZR__SHEET_PARTS - sheet->parts_n) {
        sheet->text_n = text_n;
        return;
    }
    bzr__sheet_rule *r = &sheet->rules[sheet->n];
    uint32_t key = bucket_key(&s);
    uint16_t *head = &sheet->heads[key % BZR__SHEET_HEADS];
    *r = (bzr__sheet_rule){ weight_of(&s, sheet->n), key, (uint16_t)sheet->parts_n, (uint16_t)s.n, (uint16_t)decl,
                            (uint16_t)decls_n, *head };
    store_parts(sheet, &s);
    *head = (uint16_t)++sheet->n;
}

/* ---- matching ---- */

static bool value_matches(const bzr__sheet *sheet, const bzr__sheet_part *p, const bzr__place *at) {
    bzr_str want = bzr__str(sheet->text + p->a, p->b);
    for (size_t i = 0; i < at->attrs_n; i++) {
        bzr_str got = at->attrs[i].value;
        if (key_of('[', at->attrs[i].name) != p->key || !want.n || got.n < want.n) continue;
        if (p->op == '^' || p->op == '|') return bzr__str_starts(got, want);
        if (p->op == '$') return bzr__str_eq(bzr__str_part(got, got.n - want.n, got.n), want);
        return bzr__str_find(got, want, 0) < got.n;
    }
    return false;
}

static bool nth_matches(const bzr__sheet_part *p, unsigned child) {
    int a = (int16_t)p->a, rest = (int)child - (int16_t)p->b;
    if (!child) return false;
    return a ? rest % a == 0 && rest / a >= 0 : !rest;
}

/* `own`: the element itself, of which attributes are known whole. */
static bool part_matches(const bzr__sheet *sheet, const bzr__sheet_part *p, const bzr__keys *k, const bzr__place *own) {
    switch (p->kind) {
    case ANY: return true;
    case NEVER: return false;
    case NTH: return nth_matches(p, k->child);
    case '[':
        if (p->op && own) return value_matches(sheet, p, own);
        return !p->op && has_key(k, p->key);
    default: return has_key(k, p->key);
    }
}

/* Match the compound at parts[*i] and move behind it. */
static bool compound_matches(const bzr__sheet *sheet, const bzr__sheet_part *parts, unsigned n, unsigned *i,
                             const bzr__keys *k, const bzr__place *own, uint64_t *steps) {
    bool ok = true;
    for (; *i < n; ++*i) {
        const bzr__sheet_part *p = &parts[*i];
        ++*steps;
        if (p->kind == CHILD || p->kind == DESCENDANT || p->kind == SIBLING) break;
        if (p->kind != NOT) {
            ok = ok && part_matches(sheet, p, k, own);
            continue;
        }
        bool all = true;
        for (unsigned j = 1; j <= p->a; j++) all = all && part_matches(sheet, &p[j], k, own);
        ok = ok && !all;
        *i += p->a;
    }
    return ok;
}

static const bzr__keys *ancestor(const bzr__place *at, size_t i) {
    return (const bzr__keys *)(const void *)(at->ancestors + i * at->stride);
}

/* From the element outwards. After a failure only the last blank need be tried further out (as with '*' in a glob). */
static bool rule_matches(const bzr__sheet *sheet, const bzr__sheet_rule *r, const bzr__place *at, uint64_t *steps,
                         uint64_t most) {
    const bzr__sheet_part *parts = &sheet->parts[r->part];
    unsigned i = 0, retry = 0;
    size_t up = at->depth, retry_up = 0;
    if (!compound_matches(sheet, parts, r->parts_n, &i, at->self, at, steps)) return false;
    while (i < r->parts_n && *steps < most) {
        char kind = parts[i].kind;
        if (kind == SIBLING) return true;
        if (!up) return false;
        if (kind == DESCENDANT) {
            retry = i;
            retry_up = up - 1;
        }
        i++;
        if (compound_matches(sheet, parts, r->parts_n, &i, ancestor(at, --up), NULL, steps)) continue;
        if (!retry) return false;
        i = retry;
        up = retry_up;
    }
    return i >= r->parts_n;
}

static void apply_bucket(const bzr__sheet *sheet, uint32_t key, const bzr__place *at, bzr__cascade *c, uint64_t *steps,
                         uint64_t most) {
    for (unsigned next = sheet->heads[key % BZR__SHEET_HEADS]; next && *steps < most;) {
        const bzr__sheet_rule *r = &sheet->rules[next - 1];
        next = r->next;
        ++*steps;
        if (r->key != key || !rule_matches(sheet, r, at, steps, most)) continue;
        for (unsigned i = 0; i < r->decls_n; i++) bzr__cascade_set(c, &sheet->decls[r->decl + i], r->weight);
    }
}

void bzr__sheet_apply(const bzr__sheet *sheet, const bzr__place *at, bzr__cascade *c, uint64_t *steps, uint64_t most) {
    apply_bucket(sheet, 0, at, c, steps, most);
    for (unsigned i = 0; i < at->self->n; i++) apply_bucket(sheet, at->self->key[i], at, c, steps, most);
}

void bzr__sheet_reset(bzr__sheet *sheet) {
    sheet->muted = 0;
    sheet->attributes = false;
    if (!sheet->n && !sheet->decls_n) return;
    sheet->n = sheet->parts_n = sheet->decls_n = sheet->text_n = 0;
    memset(sheet->heads, 0, sizeof sheet->heads);
}

void bzr__sheet_copy(bzr__sheet *to, const bzr__sheet *from) {
    memcpy(to->heads, from->heads, sizeof to->heads);
    memcpy(to->rules, from->rules, from->n * sizeof *to->rules);
    memcpy(to->parts, from->parts, from->parts_n * sizeof *to->parts);
    memcpy(to->decls, from->decls, from->decls_n * sizeof *to->decls);
    memcpy(to->text, from->text, from->text_n);
    to->n = from->n;
    to->parts_n = from->parts_n;
    to->decls_n = from->decls_n;
    to->text_n = from->text_n;
    to->muted = from->muted;
    to->attributes = from->attributes;
}

/* ---- media ---- */

static bool feature_holds(bzr_str name, bzr_str value) {
    bzr__cur c = bzr__cur_of(value);
    double v = 0;
    bool least = bzr__str_starts(name, BZR__S("min-")), most = bzr__str_starts(name, BZR__S("max-"));
    bool wide = bzr__str_find(name, BZR__S("width"), 0) < name.n, high = bzr__str_find(name, BZR__S("height"), 0) < name.n;
    for (; bzr__is_digit(bzr__cur_peek(&c, 0)) && v < 1e6; bzr__cur_skip(&c, 1)) v = v * 10 + bzr__cur_peek(&c, 0) - '0';
    if (bzr__cur_eat(&c, BZR__S("."))) {
        double scale = 1;
        for (; bzr__is_digit(bzr__cur_peek(&c, 0)) && scale > 1e-6; bzr__cur_skip(&c, 1))
            v += (bzr__cur_peek(&c, 0) - '0') * (scale /= 10);
    }
    if (bzr__cur_eat(&c, BZR__S("em")) || bzr__cur_eat(&c, BZR__S("rem"))) v *= 16;
    if ((wide || high) && (least || most)) {
        double is = wide ? SCREEN_WIDTH : SCREEN_HEIGHT;
        return least ? is >= v : is <= v;
    }
    if (bzr__str_eq(name, BZR__S("orientation"))) return bzr__str_starts(value, BZR__S("landscape"));
    if (bzr__str_find(name, BZR__S("resolution"), 0) < name.n || bzr__str_find(name, BZR__S("pixel-ratio"), 0) < name.n)
        return most;
    if (bzr__str_starts(name, BZR__S("prefers-")))
        return bzr__str_starts(value, BZR__S("no-preference")) || bzr__str_starts(value, BZR__S("light"));
    return bzr__str_find(name, BZR__S("-high-contrast"), 0) == name.n;
}

static bool query_holds(bzr_str query) {
    static const char *const others[] = { "print", "speech", "aural", "braille", "handheld", "projection", "tty", "tv" };
    bzr__cur c = bzr__cur_of(query);
    char room[NAME_MAX_BYTES];
    bool no = false, holds = true;
    while (!bzr__cur_end(&c)) {
        bzr__cur_skip_space(&c);
        if (bzr__cur_eat(&c, BZR__S("("))) {
            bzr__cur_skip_space(&c);
            bzr_str name = read_name(&c, room);
            bzr__cur_skip_space(&c);
            bzr__cur_eat(&c, BZR__S(":"));
            bzr__cur_skip_space(&c);
            size_t from = c.at;
            bzr__cur_find(&c, ')');
            holds = feature_holds(name, bzr__str_part(query, from, c.at)) && holds;
            bzr__cur_skip(&c, 1);
            continue;
        }
        bzr_str word = read_name(&c, room);
        if (!word.n) bzr__cur_skip(&c, 1);
        no |= bzr__str_ieq(word, BZR__S("not"));
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (bzr__str_ieq(word, bzr__str_z(others[i]))) holds = false;
    }
    return holds != no;
}

bool bzr__media_applies(bzr_str list) {
    if (!list.n) return true;
    for (size_t at = 0; at <= list.n;) {
        size_t end = bzr__str_find(list, BZR__S(","), at);
        if (query_holds(bzr__str_part(list, at, end))) return true;
        at = end + 1;
    }
    return false;
}

/* ---- sheets ---- */

typedef struct reading {
    bzr__sheet *sheet;
    bool inert;
    void (*on_text)(void *, bzr_str);
    void *ctx;
} reading;

static void store_decl(void *ctx, const bzr__decl *d) {
    bzr__sheet *sheet = ctx;
    if (sheet->decls_n < BZR__SHEET_DECLS) sheet->decls[sheet->decls_n++] = *d;
}

static void each_selector(bzr_str list, bzr__sheet *sheet, unsigned decl, unsigned decls_n) {
    unsigned depth = 0;
    for (size_t at = 0, i = 0; i <= list.n; i++) {
        char c = i < list.n ? list.p[i] : ',';
        if (c == '(' || c == '[') depth++;
        if ((c == ')' || c == ']') && depth) depth--;
        if (i < list.n && (c != ',' || depth)) continue;
        add_rule(sheet, bzr__str_part(list, at, i), decl, decls_n);
        at = i + 1;
    }
}

static void each_content(const reading *r, bzr_str body) {
    for (size_t at = bzr__str_find(body, BZR__S("content"), 0); at < body.n;
         at = bzr__str_find(body, BZR__S("content"), at + 7)) {
        size_t quote = at;
        while (quote < body.n && body.p[quote] != '"' && body.p[quote] != '\'' && body.p[quote] != ';') quote++;
        if (quote >= body.n || body.p[quote] == ';') continue;
        const char *end = memchr(body.p + quote + 1, body.p[quote], body.n - quote - 1);
        if (end && end > body.p + quote + 1)
            r->on_text(r->ctx, bzr__str(body.p + quote + 1, (size_t)(end - body.p) - quote - 1));
    }
}

static void each_comment(const reading *r, bzr_str body) {
    for (size_t at = bzr__str_find(body, BZR__S("/*"), 0); at < body.n;) {
        size_t close = bzr__str_find(body, BZR__S("*/"), at + 2);
        r->on_text(r->ctx, bzr__str_part(body, at + 2, close));
        at = bzr__str_find(body, BZR__S("/*"), close);
    }
}

static bool starts(bzr_str s, const char *word) {
    bzr_str w = bzr__str_z(word);
    return bzr__str_ieq(bzr__str_part(s, 0, w.n), w);
}

/* A block that holds rules: true for @media and its like. What does not apply is muted up to its end. */
static bool opens_group(bzr__sheet *sheet, bzr_str prelude) {
    if (!prelude.n || prelude.p[0] != '@' || starts(prelude, "@font-face") || starts(prelude, "@page")) return false;
    bool applies = starts(prelude, "@supports") || starts(prelude, "@layer") || starts(prelude, "@document") ||
                   starts(prelude, "@container") ||
                   (starts(prelude, "@media") && bzr__media_applies(bzr__str_part(prelude, 6, prelude.n)));
    if (sheet->muted || !applies) sheet->muted++;
    return true;
}

static void take_rule(const reading *r, bzr_str prelude, bzr_str body) {
    bzr__sheet *sheet = r->sheet;
    unsigned decl = sheet->decls_n;
    each_content(r, body);
    each_comment(r, body);
    if (sheet->muted || r->inert || (prelude.n && prelude.p[0] == '@')) return;
    bzr__style_read(body, store_decl, sheet);
    if (sheet->decls_n > decl) each_selector(prelude, sheet, decl, sheet->decls_n - decl);
}

/* Without the blanks and the marks of HTML comments that may stand before a rule. */
static bzr_str trimmed(bzr_str s) {
    for (size_t skip = 1; skip; s = bzr__str_part(s, skip, s.n)) {
        skip = s.n && bzr__is_space((unsigned char)s.p[0]);
        if (starts(s, "<!--")) skip = 4;
        if (starts(s, "-->")) skip = 3;
    }
    return s;
}

void bzr__sheet_read(bzr_str css, bool inert, bzr__sheet *sheet, void (*on_text)(void *ctx, bzr_str text), void *ctx) {
    reading r = { sheet, inert, on_text, ctx };
    bzr__cur c = bzr__cur_of(css);
    size_t from = 0;
    while (!bzr__cur_end(&c)) {
        size_t start = c.at;
        if (eat_comment(&c)) {
            on_text(ctx, bzr__str_part(css, start + 2, c.at >= start + 4 ? c.at - 2 : c.at));
            if (!trimmed(bzr__str_part(css, from, start)).n) from = c.at;
            continue;
        }
        int x = bzr__cur_next(&c);
        if (x == ';' || x == '}') from = c.at;
        if (x == '}' && sheet->muted) sheet->muted--;
        if (x != '{') continue;
        bzr_str prelude = trimmed(bzr__str_part(css, from, start));
        from = c.at;
        if (opens_group(sheet, prelude)) continue;
        size_t end = bzr__str_find(css, BZR__S("}"), c.at);
        take_rule(&r, prelude, bzr__str_part(css, c.at, end));
        c.at = end < css.n ? end + 1 : end;
        from = c.at;
    }
}
