/* sheet.c - `<style>` sheets: which rules match an element, and what they set.
 *
 * Selectors are compounds of tags, ids, classes, attributes, :not(), :first-child and :nth-child(), joined by blanks
 * and
 * '>'. What stands left of '+' and '~' is taken to match, since siblings are not kept. A selector with a state that a
 * page at rest is not in (:hover), with a pseudo-element or with anything else never matches: what is shown by mistake
 * is still scanned. Rules are found by the id, class, attribute or tag of their last compound; matching steps are
 * counted, so that no sheet makes a page expensive. */
#include "lib/base/cursor.h"
#include "lib/html/style.h"

enum { SELECTOR_PARTS = 24, NAME_MAX_BYTES = 64, SCREEN_WIDTH = 1280, SCREEN_HEIGHT = 800 };

/* Kinds of parts besides '#', '.', '[' and 't': */
enum { ANY = '*', CHILD = '>', DESCENDANT = ' ', SIBLING = '+', NOT = '!', NTH = 'n', NEVER = '0' };

static uint32_t key_of(char kind, toad_str name) {
    uint32_t h = 2166136261u ^ (unsigned char)kind;
    for (size_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)toad__lower((unsigned char)name.p[i])) * 16777619u;
    return h ? h : 1;
}

static uint32_t value_key(toad_str name, toad_str value) { return key_of('=', value) ^ key_of('[', name) * 31; }

/* ---- elements ---- */

static void add_key(toad__keys *k, uint32_t key) {
    if (k->n < TOAD__KEYS) k->key[k->n++] = key;
}

enum { ATTRIBUTE_KEYS = 10, VALUE_KEY_BYTES = 64 }; /* the rest of the room is for classes */

void toad__keys_begin(toad__keys *k, toad_str tag) {
    k->n = k->child = k->children = 0;
    add_key(k, key_of('t', tag));
}

void toad__keys_add(toad__keys *k, toad_str name, toad_str value) {
    if (toad__str_ieq(name, TOAD__S("id"))) {
        add_key(k, key_of('#', value));
        return;
    }
    if (!toad__str_ieq(name, TOAD__S("class"))) {
        if (k->n + 1 >= ATTRIBUTE_KEYS) return;
        add_key(k, key_of('[', name));
        if (value.n && value.n <= VALUE_KEY_BYTES) add_key(k, value_key(name, value));
        return;
    }
    for (size_t at = 0; at < value.n;) {
        size_t end = at;
        while (end < value.n && !toad__is_space((unsigned char)value.p[end])) end++;
        if (end > at) add_key(k, key_of('.', toad__str_part(value, at, end)));
        at = end + 1;
    }
}

static bool has_key(const toad__keys *k, uint32_t key) {
    for (unsigned i = 0; i < k->n; i++)
        if (k->key[i] == key) return true;
    return false;
}

/* ---- selectors ---- */

/* One selector being read: its parts from left to right, and where its last compound begins. */
typedef struct selector {
    toad__sheet *sheet;
    toad__sheet_part parts[SELECTOR_PARTS];
    unsigned n, last;
    unsigned ids, classes, tags;
    bool bad;
} selector;

static bool is_name(int c) { return toad__is_alnum(c) || c == '-' || c == '_' || c == '\\' || c >= 0x80; }

/* A name with its escapes decoded, in `room`. */
static toad_str read_name(toad__cur *c, char room[NAME_MAX_BYTES]) {
    size_t n = 0;
    while (is_name(toad__cur_peek(c, 0))) {
        int x = toad__cur_next(c);
        if (x == '\\') {
            unsigned v = 0, digits = 0;
            for (; digits < 6 && toad__hex_value(toad__cur_peek(c, 0)) >= 0; digits++)
                v = v << 4 | (unsigned)toad__hex_value(toad__cur_next(c));
            if (digits && toad__is_space(toad__cur_peek(c, 0))) toad__cur_skip(c, 1);
            x = digits ? (v < 0x80 ? (int)v : '?') : toad__cur_next(c);
        }
        if (x >= 0 && n < NAME_MAX_BYTES) room[n++] = (char)x;
    }
    return toad__str(room, n);
}

static void add_part(selector *s, toad__sheet_part part) {
    if (s->n == SELECTOR_PARTS)
        s->bad = true;
    else
        s->parts[s->n++] = part;
}

/* Keep a value to compare with later. */
static toad__sheet_part with_text(selector *s, toad__sheet_part part, toad_str value) {
    toad__sheet *sheet = s->sheet;
    if (value.n > TOAD__SHEET_TEXT - sheet->text_n) {
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
static void read_attribute(toad__cur *c, selector *s) {
    char room[NAME_MAX_BYTES], value_room[NAME_MAX_BYTES];
    toad__cur_skip_space(c);
    toad_str name = read_name(c, room);
    toad__sheet_part part = { .key = key_of('[', name), .kind = '[' };
    toad__cur_skip_space(c);
    int op = toad__cur_peek(c, 0);
    if (op != ']' && op != '=') toad__cur_skip(c, 1);
    if (toad__cur_eat(c, TOAD__S("="))) {
        toad_str value;
        toad__cur_skip_space(c);
        int quote = toad__cur_peek(c, 0);
        if (quote == '"' || quote == '\'') {
            toad__cur_skip(c, 1);
            size_t from = c->at;
            toad__cur_find(c, (char)quote);
            value = toad__str_part(c->s, from, c->at);
        } else {
            value = read_name(c, value_room);
        }
        if (op == '=')
            part.key = value_key(name, value);
        else if (op == '~' && toad__str_ieq(name, TOAD__S("class")))
            part = (toad__sheet_part){ .key = key_of('.', value), .kind = '.' };
        else {
            part.op = (char)op;
            part = with_text(s, part, value);
        }
    } else if (op != ']') {
        s->bad = true;
    }
    s->bad |= !name.n;
    s->sheet->attributes = true;
    toad__cur_find(c, ']');
    toad__cur_skip(c, 1);
    s->classes++;
    add_part(s, part);
}

/* an+b, odd, even or b, inside brackets. */
static void read_nth(toad_str in, selector *s) {
    toad__sheet_part part = { .kind = NTH };
    int a = 0, b = 0, sign = 1, v = 0;
    bool digits = false, step = false;
    for (size_t i = 0; i <= in.n; i++) {
        int c = i < in.n ? toad__lower((unsigned char)in.p[i]) : 0;
        if (toad__is_digit(c) && v < 1000) {
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
        } else if (c && !toad__is_space(c)) {
            s->bad = true;
        }
    }
    b = digits ? sign * v : 0;
    if (toad__str_ieq(in, TOAD__S("odd")) || toad__str_ieq(in, TOAD__S("even"))) {
        a = 2;
        b = (in.n == 3);
        s->bad = false;
    }
    part.a = (uint16_t)(int16_t)a;
    part.b = (uint16_t)(int16_t)b;
    add_part(s, part);
}

/* What is in brackets at the cursor, which is moved behind them. */
static toad_str read_brackets(toad__cur *c) {
    unsigned depth = 0;
    size_t from = c->at + 1;
    if (toad__cur_peek(c, 0) != '(') return TOAD__S("");
    do {
        int x = toad__cur_next(c);
        depth += x == '(';
        depth -= x == ')';
    } while (depth && !toad__cur_end(c));
    return toad__str_part(c->s, from, depth ? c->at : c->at - 1);
}

static void read_simple(toad__cur *c, selector *s, bool inside_not);

/* :not(compound, ...): each as a NOT part that tells how many parts after it must not all match. */
static void read_not(toad_str in, selector *s) {
    toad__cur c = toad__cur_of(in);
    while (!toad__cur_end(&c) && !s->bad) {
        unsigned at = s->n;
        add_part(s, (toad__sheet_part){ .kind = NOT });
        toad__cur_skip_space(&c);
        while (!toad__cur_end(&c) && !s->bad && toad__cur_peek(&c, 0) != ',' && !toad__is_space(toad__cur_peek(&c, 0)))
            read_simple(&c, s, true);
        toad__cur_skip_space(&c);
        if (!toad__cur_end(&c) && !toad__cur_eat(&c, TOAD__S(","))) s->bad = true;
        if (!s->bad) s->parts[at].a = (uint16_t)(s->n - at - 1);
    }
}

static bool is_state(toad_str name) {
    static const char *const states[] = { "hover",         "focus",   "active",   "checked",   "target",
                                          "focus-within",  "visited", "disabled", "invalid",   "focus-visible",
                                          "indeterminate", "open",    "autofill", "fullscreen" };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (toad__str_ieq(name, toad__str_z(states[i]))) return true;
    return false;
}

static void read_pseudo(toad__cur *c, selector *s, bool inside_not) {
    char room[NAME_MAX_BYTES];
    if (toad__cur_peek(c, 0) == ':') {
        s->bad = true;
        return;
    }
    toad_str name = read_name(c, room), in = read_brackets(c);
    s->classes++;
    if (toad__str_ieq(name, TOAD__S("not")) && !inside_not) {
        s->classes--;
        read_not(in, s);
    } else if (toad__str_ieq(name, TOAD__S("first-child"))) {
        add_part(s, (toad__sheet_part){ .kind = NTH, .b = 1 });
    } else if (toad__str_ieq(name, TOAD__S("nth-child"))) {
        read_nth(in, s);
    } else if (toad__str_ieq(name, TOAD__S("root"))) {
        add_part(s, (toad__sheet_part){ .key = key_of('t', TOAD__S("html")), .kind = 't' });
    } else if (toad__str_ieq(name, TOAD__S("link")) || toad__str_ieq(name, TOAD__S("any-link"))) {
        s->sheet->attributes = true;
        add_part(s, (toad__sheet_part){ .key = key_of('[', TOAD__S("href")), .kind = '[' });
    } else if (is_state(name) && inside_not) {
        add_part(s, (toad__sheet_part){ .kind = NEVER });
    } else {
        s->bad = true;
    }
}

static void read_simple(toad__cur *c, selector *s, bool inside_not) {
    char room[NAME_MAX_BYTES];
    int kind = toad__cur_peek(c, 0);
    if (is_name(kind)) {
        add_part(s, (toad__sheet_part){ .key = key_of('t', read_name(c, room)), .kind = 't' });
        s->tags++;
        return;
    }
    toad__cur_skip(c, 1);
    if (kind == '*') {
        add_part(s, (toad__sheet_part){ .kind = ANY });
    } else if (kind == '#' || kind == '.') {
        toad_str name = read_name(c, room);
        s->bad |= !name.n;
        add_part(s, (toad__sheet_part){ .key = key_of((char)kind, name), .kind = (char)kind });
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

static bool eat_comment(toad__cur *c) {
    if (!toad__cur_eat(c, TOAD__S("/*"))) return false;
    c->at = toad__str_find(c->s, TOAD__S("*/"), c->at);
    toad__cur_skip(c, 2);
    return true;
}

/* The combinator at the cursor, or 0 between the parts of one compound. */
static char read_combinator(toad__cur *c) {
    size_t from = c->at;
    do toad__cur_skip_space(c);
    while (eat_comment(c));
    bool blank = c->at > from;
    int x = toad__cur_peek(c, 0);
    if (x == '>' || x == '+' || x == '~') {
        toad__cur_skip(c, 1);
        toad__cur_skip_space(c);
        return x == '>' ? CHILD : SIBLING;
    }
    return blank && x >= 0 ? DESCENDANT : 0;
}

static void read_selector(toad_str in, selector *s) {
    toad__cur c = toad__cur_of(in);
    toad__cur_skip_space(&c);
    while (!toad__cur_end(&c) && !s->bad) {
        char joined = read_combinator(&c);
        if (joined && s->n) {
            add_part(s, (toad__sheet_part){ .kind = joined });
            s->last = s->n;
        }
        if (!toad__cur_end(&c)) read_simple(&c, s, false);
    }
    s->bad |= s->last == s->n;
}

/* What the rule is found by: its last compound's id, else class, else attribute, else tag. */
static uint32_t bucket_key(const selector *s) {
    uint32_t best = 0;
    int rank = 0;
    for (unsigned i = s->last; i < s->n; i++) {
        const toad__sheet_part *p = &s->parts[i];
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
static void store_parts(toad__sheet *sheet, const selector *s) {
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

static void add_rule(toad__sheet *sheet, toad_str text, unsigned decl, unsigned decls_n) {
    selector s = { .sheet = sheet };
    unsigned text_n = sheet->text_n;
    read_selector(text, &s);
    if (s.bad || sheet->n == TOAD__SHEET_RULES || s.n > TOAD__SHEET_PARTS - sheet->parts_n) {
        sheet->text_n = text_n;
        return;
    }
    toad__sheet_rule *r = &sheet->rules[sheet->n];
    uint32_t key = bucket_key(&s);
    uint16_t *head = &sheet->heads[key % TOAD__SHEET_HEADS];
    *r = (toad__sheet_rule){ weight_of(&s, sheet->n), key,  (uint16_t)sheet->parts_n, (uint16_t)s.n, (uint16_t)decl,
                             (uint16_t)decls_n,       *head };
    store_parts(sheet, &s);
    *head = (uint16_t)++sheet->n;
}

/* ---- matching ---- */

static bool value_matches(const toad__sheet *sheet, const toad__sheet_part *p, const toad__place *at) {
    toad_str want = toad__str(sheet->text + p->a, p->b);
    for (size_t i = 0; i < at->attrs_n; i++) {
        toad_str got = at->attrs[i].value;
        if (key_of('[', at->attrs[i].name) != p->key || !want.n || got.n < want.n) continue;
        if (p->op == '^' || p->op == '|') return toad__str_starts(got, want);
        if (p->op == '$') return toad__str_eq(toad__str_part(got, got.n - want.n, got.n), want);
        return toad__str_find(got, want, 0) < got.n;
    }
    return false;
}

static bool nth_matches(const toad__sheet_part *p, unsigned child) {
    int a = (int16_t)p->a, rest = (int)child - (int16_t)p->b;
    if (!child) return false;
    return a ? rest % a == 0 && rest / a >= 0 : !rest;
}

/* `own`: the element itself, of which attributes are known whole. */
static bool part_matches(const toad__sheet *sheet, const toad__sheet_part *p, const toad__keys *k,
                         const toad__place *own) {
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
static bool compound_matches(const toad__sheet *sheet, const toad__sheet_part *parts, unsigned n, unsigned *i,
                             const toad__keys *k, const toad__place *own, uint64_t *steps) {
    bool ok = true;
    for (; *i < n; ++*i) {
        const toad__sheet_part *p = &parts[*i];
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

static const toad__keys *ancestor(const toad__place *at, size_t i) {
    return (const toad__keys *)(const void *)(at->ancestors + i * at->stride);
}

/* From the element outwards. After a failure only the last blank need be tried further out (as with '*' in a glob). */
static bool rule_matches(const toad__sheet *sheet, const toad__sheet_rule *r, const toad__place *at, uint64_t *steps,
                         uint64_t most) {
    const toad__sheet_part *parts = &sheet->parts[r->part];
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

static void apply_bucket(const toad__sheet *sheet, uint32_t key, const toad__place *at, toad__cascade *c,
                         uint64_t *steps, uint64_t most) {
    for (unsigned next = sheet->heads[key % TOAD__SHEET_HEADS]; next && *steps < most;) {
        const toad__sheet_rule *r = &sheet->rules[next - 1];
        next = r->next;
        ++*steps;
        if (r->key != key || !rule_matches(sheet, r, at, steps, most)) continue;
        for (unsigned i = 0; i < r->decls_n; i++) toad__cascade_set(c, &sheet->decls[r->decl + i], r->weight);
    }
}

void toad__sheet_apply(const toad__sheet *sheet, const toad__place *at, toad__cascade *c, uint64_t *steps,
                       uint64_t most) {
    apply_bucket(sheet, 0, at, c, steps, most);
    for (unsigned i = 0; i < at->self->n; i++) apply_bucket(sheet, at->self->key[i], at, c, steps, most);
}

void toad__sheet_reset(toad__sheet *sheet) {
    sheet->muted = 0;
    sheet->attributes = false;
    if (!sheet->n && !sheet->decls_n) return;
    sheet->n = sheet->parts_n = sheet->decls_n = sheet->text_n = 0;
    memset(sheet->heads, 0, sizeof sheet->heads);
}

void toad__sheet_copy(toad__sheet *to, const toad__sheet *from) {
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

static bool feature_holds(toad_str name, toad_str value) {
    toad__cur c = toad__cur_of(value);
    double v = 0;
    bool least = toad__str_starts(name, TOAD__S("min-")), most = toad__str_starts(name, TOAD__S("max-"));
    bool wide = toad__str_find(name, TOAD__S("width"), 0) < name.n,
         high = toad__str_find(name, TOAD__S("height"), 0) < name.n;
    for (; toad__is_digit(toad__cur_peek(&c, 0)) && v < 1e6; toad__cur_skip(&c, 1))
        v = v * 10 + toad__cur_peek(&c, 0) - '0';
    if (toad__cur_eat(&c, TOAD__S("."))) {
        double scale = 1;
        for (; toad__is_digit(toad__cur_peek(&c, 0)) && scale > 1e-6; toad__cur_skip(&c, 1))
            v += (toad__cur_peek(&c, 0) - '0') * (scale /= 10);
    }
    if (toad__cur_eat(&c, TOAD__S("em")) || toad__cur_eat(&c, TOAD__S("rem"))) v *= 16;
    if ((wide || high) && (least || most)) {
        double is = wide ? SCREEN_WIDTH : SCREEN_HEIGHT;
        return least ? is >= v : is <= v;
    }
    if (toad__str_eq(name, TOAD__S("orientation"))) return toad__str_starts(value, TOAD__S("landscape"));
    if (toad__str_find(name, TOAD__S("resolution"), 0) < name.n ||
        toad__str_find(name, TOAD__S("pixel-ratio"), 0) < name.n)
        return most;
    if (toad__str_starts(name, TOAD__S("prefers-")))
        return toad__str_starts(value, TOAD__S("no-preference")) || toad__str_starts(value, TOAD__S("light"));
    return toad__str_find(name, TOAD__S("-high-contrast"), 0) == name.n;
}

static bool query_holds(toad_str query) {
    static const char *const others[] = {
        "print", "speech", "aural", "braille", "handheld", "projection", "tty", "tv"
    };
    toad__cur c = toad__cur_of(query);
    char room[NAME_MAX_BYTES];
    bool no = false, holds = true;
    while (!toad__cur_end(&c)) {
        toad__cur_skip_space(&c);
        if (toad__cur_eat(&c, TOAD__S("("))) {
            toad__cur_skip_space(&c);
            toad_str name = read_name(&c, room);
            toad__cur_skip_space(&c);
            toad__cur_eat(&c, TOAD__S(":"));
            toad__cur_skip_space(&c);
            size_t from = c.at;
            toad__cur_find(&c, ')');
            holds = feature_holds(name, toad__str_part(query, from, c.at)) && holds;
            toad__cur_skip(&c, 1);
            continue;
        }
        toad_str word = read_name(&c, room);
        if (!word.n) toad__cur_skip(&c, 1);
        no |= toad__str_ieq(word, TOAD__S("not"));
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (toad__str_ieq(word, toad__str_z(others[i]))) holds = false;
    }
    return holds != no;
}

bool toad__media_applies(toad_str list) {
    if (!list.n) return true;
    for (size_t at = 0; at <= list.n;) {
        size_t end = toad__str_find(list, TOAD__S(","), at);
        if (query_holds(toad__str_part(list, at, end))) return true;
        at = end + 1;
    }
    return false;
}

/* ---- sheets ---- */

typedef struct reading {
    toad__sheet *sheet;
    bool inert;
    void (*on_text)(void *, toad_str);
    void *ctx;
} reading;

static void store_decl(void *ctx, const toad__decl *d) {
    toad__sheet *sheet = ctx;
    if (sheet->decls_n < TOAD__SHEET_DECLS) sheet->decls[sheet->decls_n++] = *d;
}

static void each_selector(toad_str list, toad__sheet *sheet, unsigned decl, unsigned decls_n) {
    unsigned depth = 0;
    for (size_t at = 0, i = 0; i <= list.n; i++) {
        char c = i < list.n ? list.p[i] : ',';
        if (c == '(' || c == '[') depth++;
        if ((c == ')' || c == ']') && depth) depth--;
        if (i < list.n && (c != ',' || depth)) continue;
        add_rule(sheet, toad__str_part(list, at, i), decl, decls_n);
        at = i + 1;
    }
}

static void each_content(const reading *r, toad_str body) {
    for (size_t at = toad__str_find(body, TOAD__S("content"), 0); at < body.n;
         at = toad__str_find(body, TOAD__S("content"), at + 7)) {
        size_t quote = at;
        while (quote < body.n && body.p[quote] != '"' && body.p[quote] != '\'' && body.p[quote] != ';') quote++;
        if (quote >= body.n || body.p[quote] == ';') continue;
        const char *end = memchr(body.p + quote + 1, body.p[quote], body.n - quote - 1);
        if (end && end > body.p + quote + 1)
            r->on_text(r->ctx, toad__str(body.p + quote + 1, (size_t)(end - body.p) - quote - 1));
    }
}

static void each_comment(const reading *r, toad_str body) {
    for (size_t at = toad__str_find(body, TOAD__S("/*"), 0); at < body.n;) {
        size_t close = toad__str_find(body, TOAD__S("*/"), at + 2);
        r->on_text(r->ctx, toad__str_part(body, at + 2, close));
        at = toad__str_find(body, TOAD__S("/*"), close);
    }
}

static bool starts(toad_str s, const char *word) {
    toad_str w = toad__str_z(word);
    return toad__str_ieq(toad__str_part(s, 0, w.n), w);
}

/* A block that holds rules: true for @media and its like. What does not apply is muted up to its end. */
static bool opens_group(toad__sheet *sheet, toad_str prelude) {
    if (!prelude.n || prelude.p[0] != '@' || starts(prelude, "@font-face") || starts(prelude, "@page")) return false;
    bool applies = starts(prelude, "@supports") || starts(prelude, "@layer") || starts(prelude, "@document") ||
                   starts(prelude, "@container") ||
                   (starts(prelude, "@media") && toad__media_applies(toad__str_part(prelude, 6, prelude.n)));
    if (sheet->muted || !applies) sheet->muted++;
    return true;
}

static void take_rule(const reading *r, toad_str prelude, toad_str body) {
    toad__sheet *sheet = r->sheet;
    unsigned decl = sheet->decls_n;
    each_content(r, body);
    each_comment(r, body);
    if (sheet->muted || r->inert || (prelude.n && prelude.p[0] == '@')) return;
    toad__style_read(body, store_decl, sheet);
    if (sheet->decls_n > decl) each_selector(prelude, sheet, decl, sheet->decls_n - decl);
}

/* Without the blanks and the marks of HTML comments that may stand before a rule. */
static toad_str trimmed(toad_str s) {
    for (size_t skip = 1; skip; s = toad__str_part(s, skip, s.n)) {
        skip = s.n && toad__is_space((unsigned char)s.p[0]);
        if (starts(s, "<!--")) skip = 4;
        if (starts(s, "-->")) skip = 3;
    }
    return s;
}

void toad__sheet_read(toad_str css, bool inert, toad__sheet *sheet, void (*on_text)(void *ctx, toad_str text),
                      void *ctx) {
    reading r = { sheet, inert, on_text, ctx };
    toad__cur c = toad__cur_of(css);
    size_t from = 0;
    while (!toad__cur_end(&c)) {
        size_t start = c.at;
        if (eat_comment(&c)) {
            on_text(ctx, toad__str_part(css, start + 2, c.at >= start + 4 ? c.at - 2 : c.at));
            if (!trimmed(toad__str_part(css, from, start)).n) from = c.at;
            continue;
        }
        int x = toad__cur_next(&c);
        if (x == ';' || x == '}') from = c.at;
        if (x == '}' && sheet->muted) sheet->muted--;
        if (x != '{') continue;
        toad_str prelude = trimmed(toad__str_part(css, from, start));
        from = c.at;
        if (opens_group(sheet, prelude)) continue;
        size_t end = toad__str_find(css, TOAD__S("}"), c.at);
        take_rule(&r, prelude, toad__str_part(css, c.at, end));
        c.at = end < css.n ? end + 1 : end;
        from = c.at;
    }
}
