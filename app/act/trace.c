/* trace.c - see trace.h. All values that have to be found, those of the act and those of the calls that led to it, are
 * collected first; then each text is walked once and every place where a value stands is noted. What follows is
 * bookkeeping over these places, call by call: what a value of a later call comes from depends on the earlier ones. */
#include "app/act/trace.h"

#include "app/act/deed.h"
#include "app/act/sinks.h"
#include "app/act/verbs.h"
#include "app/act/words.h"
#include "lib/base/str.h"
#include "lib/text/fold.h"

#include <stdlib.h>

enum {
    VALUES = 65536, /* of the act and of all calls before it */
    SLOTS = 4096,
    VALUE_WORDS = 40, /* words of a value that are compared */
    CALL_WORDS = 8,   /* more words are no name of something to look up */
    PLACES = 60,      /* of one value in one text */
    ALIASES = 12,     /* other ways to say a value: its host, its folders, its file */
    SPOKEN = 10,      /* places of one value in one text whose neighbourhood is looked at */
    LOOKUPS = 64,     /* calls whose names are looked at */
    NEAR = 160,       /* bytes before a value in which verbs are looked for */
    BEHIND = 60,
    FILTER = 4096,
    COMMAND_WORDS = 4, /* fewer are anybody's */
    VERB = 24,         /* bytes of one in a script without blanks */
};
#define FOLDED_MAX ((size_t)64 << 20)
#define USER       SIZE_MAX
#define STEPS_MAX  ((size_t)64 << 20) /* comparisons */

typedef struct place {
    size_t read;
    toad_span at; /* of the original */
    bool order, field, speaks;
    struct place *next;
} place;

typedef struct value {
    toad_str name, text;
    toad__sink_sort sort;
    size_t owner; /* the call it is an argument of; reads_n: the act */
    bool plain;   /* too common a word to be traced */
    bool number;  /* a few digits: where the user says 13, a stranger may mean another 13 */
    bool said;    /* by the user or the operator */
    size_t words, long_words, long_said;
    toad__origin_of from;
    place *places, **last;
} value;

/* A run of words that stands for a value. */
typedef struct needle {
    value *of;
    const uint64_t *words;
    size_t n;
    char before;          /* what must stand before it in the text; 0: anything */
    bool user;            /* counts in the user's words alone */
    size_t seen, seen_in; /* places in the text seen_in - 1 */
    struct needle *next;  /* of the same slot */
} needle;

typedef struct tracing {
    const toad__trace_act *act;
    toad__arena *arena;
    toad__view view;
    toad__buf words; /* of the text that is walked: array of toad__word */
    value *values;
    size_t n, cap;
    struct table { /* by the hash of the first word */
        needle **slots;
        uint8_t filter[FILTER / 8];
    } all, said; /* what counts everywhere; what counts in the user's words alone */
    toad__verbs verbs;
    size_t steps;
    bool cut;                       /* there was more to compare than LIMITS allow */
    bool implied;                   /* the user speaks of acts like this one */
    bool runs;                      /* ... of installing or running something */
    bool spoken;                    /* a passage that orders does */
    bool *derived, *path, *pointed; /* of each read */
} tracing;

static toad_str text_of(const tracing *t) { return toad__buf_str(&t->view.text); }
static const toad__word *words_of(const tracing *t) { return (const toad__word *)(const void *)t->words.p; }
static size_t count_of(const tracing *t) { return t->words.n / sizeof(toad__word); }

/* ---- texts to words ---- */

static toad_status fold(tracing *t, toad_str text) {
    toad__word word;
    toad_status status = toad__fold(&t->view, text, TOAD__FOLD_DROP);
    if (status && status != TOAD_E_LIMIT) return status;
    toad__buf_clear(&t->words);
    for (size_t at = 0; toad__word_next(text_of(t), &at, &word);) toad__buf_add(&t->words, &word, sizeof word);
    return t->words.status;
}

static bool is_word_at(const tracing *t, size_t i, const char *what) {
    const toad__word *w = &words_of(t)[i];
    return toad__str_eq(toad__str_part(text_of(t), w->at.start, w->at.end), toad__str_z(what));
}

static toad_str word_text(const tracing *t, size_t i) {
    const toad__word *w = &words_of(t)[i];
    return toad__str_part(text_of(t), w->at.start, w->at.end);
}

/* The word for a table of verbs: in a script without blanks, with what follows. */
static toad_str verb_text(const tracing *t, size_t i) {
    const toad__word *w = &words_of(t)[i];
    size_t end = w->at.start + VERB < t->view.text.n ? w->at.start + VERB : t->view.text.n;
    return w->weight == 1 ? toad__str_part(text_of(t), w->at.start, end) : word_text(t, i);
}

/* Is the text that was walked last none of English? */
static bool is_abroad(const tracing *t) {
    for (size_t i = 0; i < count_of(t); i++)
        if (toad__is_function_word(word_text(t, i))) return false;
    return true;
}

static bool has_digit(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (toad__is_digit((unsigned char)s.p[i])) return true;
    return false;
}

/* ---- values to needles ---- */

static toad_status add_needle(tracing *t, value *v, size_t from, size_t to, char before, bool user) {
    struct table *table = user ? &t->said : &t->all;
    uint64_t *words = toad__arena_alloc(t->arena, (to - from) * sizeof *words);
    needle *new = toad__arena_alloc(t->arena, sizeof *new);
    if (!words || !new) return TOAD_E_NOMEM;
    for (size_t i = from; i < to; i++) words[i - from] = words_of(t)[i].hash;
    uint64_t key = words[0];
    *new = (needle){ .of = v, .words = words, .n = to - from, .before = before, .user = user };
    new->next = table->slots[key % SLOTS];
    table->slots[key % SLOTS] = new;
    table->filter[key % FILTER >> 3] |= (uint8_t)(1u << (key & 7));
    return TOAD_OK;
}

/* Is the value one of the same call already? Links stand many times in one text. */
static bool is_known(const tracing *t, size_t from, size_t to, toad__sink_sort sort, size_t owner) {
    const toad__word *w = words_of(t);
    for (const needle *it = t->all.slots[w[from].hash % SLOTS]; it; it = it->next) {
        size_t k = 0;
        if (it->of->owner != owner || it->of->sort != sort || it->n != to - from) continue;
        while (k < it->n && w[from + k].hash == it->words[k]) k++;
        if (k == it->n) return true;
    }
    return false;
}

/* Where the address begins behind its scheme and "www". */
static size_t behind_scheme(const tracing *t) {
    size_t n = count_of(t), at = 0;
    bool scheme = n > 1 && words_of(t)[0].at.end + 3 == words_of(t)[1].at.start &&
                  !memcmp(text_of(t).p + words_of(t)[0].at.end, "://", 3);
    if (scheme) at = 1;
    if (n > at + 1 && is_word_at(t, at, "www")) at++;
    return at;
}

/* The user may have named only the host of a URL, a folder above a path, or the file without its folder. */
static toad_status add_aliases(tracing *t, value *v, size_t from, size_t to) {
    toad_str s = text_of(t);
    const toad__word *w = words_of(t);
    size_t aliases = 0, start = w[from].at.start, slash = 0;
    bool path = start && (s.p[start - 1] == '/' || s.p[start - 1] == '~') && start < 3;
    if (toad__str_find(s, TOAD__S("@"), 0) < s.n || toad__str_find(s, TOAD__S(" "), 0) < s.n) return TOAD_OK;
    for (size_t i = from; i + 1 < to && aliases < ALIASES; i++) {
        if (s.p[w[i].at.end] != '/') continue;
        bool host = !slash && !path && i > from;
        toad_status status = path || host ? add_needle(t, v, from, i + 1, path ? '/' : 0, true) : TOAD_OK;
        if (status) return status;
        aliases++;
        slash = i + 1;
    }
    if (slash && (path || start == 0) && slash + 1 < to) return add_needle(t, v, slash, to, 0, true);
    return TOAD_OK;
}

static toad_status add_value(tracing *t, toad_str name, toad_str text, toad__sink_sort sort, size_t owner) {
    if (t->n == t->cap) return (t->cut = true), TOAD_OK;
    toad_status status = fold(t, toad__str_part(text, 0, 4096));
    if (status) return status;
    size_t from = behind_scheme(t), to = count_of(t);
    if (owner < t->act->reads_n && to - from > CALL_WORDS) return TOAD_OK;
    if (to > from + VALUE_WORDS) to = from + VALUE_WORDS;
    if (to == from || is_known(t, from, to, sort, owner)) return TOAD_OK;
    value *v = &t->values[t->n++];
    *v = (value){ .name = name, .text = text, .sort = sort, .owner = owner, .words = to - from };
    v->last = &v->places;
    toad_str first = word_text(t, from);
    v->number = to - from == 1 && first.n < 4 && has_digit(first);
    v->plain = to - from == 1 && first.n < 4 && words_of(t)[from].weight > 1 && !has_digit(first);
    status = add_needle(t, v, from, to, 0, false);
    for (size_t i = from; i < to && !status && to - from > 1; i++) {
        toad_str word = word_text(t, i);
        if (words_of(t)[i].weight == 1 || word.n < 3 || toad__is_function_word(word)) continue;
        v->long_words++;
        status = add_needle(t, v, i, i + 1, 1, true); /* 1: only that the word is said at all */
    }
    return status ? status : add_aliases(t, v, from, to);
}

typedef struct collecting {
    tracing *t;
    size_t owner;
} collecting;

static toad_status collect(void *ctx, toad_str name, toad_str text, toad__sink_sort sort) {
    collecting *c = ctx;
    bool call = c->owner < c->t->act->reads_n;
    if (call && sort != TOAD__SINK) return TOAD_OK;
    return add_value(c->t, name, text, sort, c->owner);
}

/* ---- places ---- */

/* Does a letter stand at `at` that can belong to a name? Characters of Chinese and Japanese end a sentence without a
 * blank behind it, and their full stop is folded to a dot. */
static bool goes_on(toad_str s, size_t at) {
    unsigned char c = (unsigned char)s.p[at];
    return toad__is_word_byte(c) && !(c >= 0xe3 && c <= 0xe9);
}
static bool went_on(toad_str s, size_t end) {
    bool han = end >= 3 && (unsigned char)s.p[end - 3] >= 0xe3 && (unsigned char)s.p[end - 3] <= 0xe9;
    return toad__is_word_byte((unsigned char)s.p[end - 1]) && !han;
}

/* Does it stand alone: is no part of a longer name or address around it? */
static bool is_whole(toad_str s, size_t from, size_t to) {
    if (from && memchr("_-.@", s.p[from - 1], 4)) {
        bool www = from >= 4 && !memcmp(s.p + from - 4, "www.", 4);
        bool edge = from < 2 || !went_on(s, from - 1);
        if (!www && !edge) return false;
    }
    if (to < s.n && memchr("_@", s.p[to], 2)) return false;
    return !(to + 1 < s.n && memchr("-.", s.p[to], 2) && goes_on(s, to + 1));
}

/* Is the escaped line break of a quoted text before `at`? */
static bool escaped_break(toad_str s, size_t at) {
    return at >= 2 && s.p[at - 2] == '\\' && memchr("nrt", s.p[at - 1], 3);
}

static bool is_quote(char c) { return c == '"' || c == '\''; }

/* Where the scheme before a colon begins. */
static size_t scheme_at(toad_str s, size_t at) {
    while (at && toad__is_alnum((unsigned char)s.p[at - 1])) at--;
    return at;
}

/* Does it begin where a field begins: at a line's start, or behind a mark that opens a value? */
static bool opens_field(const toad__view *v, size_t at) {
    toad_str s = toad__buf_str(&v->text);
    bool quoted = false;
    if (at >= 4 && !memcmp(s.p + at - 4, "www.", 4)) at -= 4;
    if (at >= 3 && !memcmp(s.p + at - 3, "://", 3)) at = scheme_at(s, at - 3);
    while (at && !toad__view_line_start(v, at) && memchr(" @#$+-/~", s.p[at - 1], 8)) at--;
    while (at && !toad__view_line_start(v, at) && is_quote(s.p[at - 1])) {
        at--;
        quoted = true;
    }
    while (at && !toad__view_line_start(v, at) && memchr(" -", s.p[at - 1], 2)) at--;
    if (!at || toad__view_line_start(v, at) || escaped_break(s, at)) return true;
    char c = s.p[at - 1];
    return memchr(":=[{>|", c, 6) || (quoted && memchr(",(", c, 2));
}

static bool closes_field(const toad__view *v, size_t at) {
    toad_str s = toad__buf_str(&v->text);
    while (at < s.n && memchr(" /.", s.p[at], 3) && !toad__view_line_start(v, at)) at++;
    while (at < s.n && is_quote(s.p[at])) at++;
    while (at < s.n && s.p[at] == ' ' && !toad__view_line_start(v, at)) at++;
    return at >= s.n || toad__view_line_start(v, at) || memchr(",]})<|;", s.p[at], 7) ||
           (s.p[at] == '\\' && at + 1 < s.n && memchr("nrt", s.p[at + 1], 3));
}

/* Does a sentence end between two neighboring words? */
static bool is_break(toad_str s, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (memchr(".!?", s.p[i], 3) && i + 1 < s.n && memchr(" \"')\\<", s.p[i + 1], 6)) return true;
    return false;
}

/* Is word `i` where an order stands: at the start of a clause, or behind a word that begins one? */
static bool begins_clause(const tracing *t, size_t i) {
    static const char before[] = "please and then or must should to you kindly instead now also first just do";
    const toad__word *w = words_of(t);
    toad_str s = text_of(t);
    if (!i || toad__view_line_start(&t->view, w[i].at.start)) return true;
    for (size_t at = w[i - 1].at.end; at < w[i].at.start; at++)
        if (s.p[at] != ' ') return true;
    return toad__str_is_one_of(word_text(t, i - 1), before);
}

/* Does its sentence order such an act? One that cannot be compared does. */
static bool speaks_near(const tracing *t, size_t first, size_t last, bool field) {
    const toad__word *w = words_of(t);
    toad_str s = text_of(t);
    size_t from = w[first].at.start > NEAR ? w[first].at.start - NEAR : 0, to = w[last].at.end + BEHIND;
    size_t i = first, prose = 0;
    bool english = false;
    while (i && w[i - 1].at.start >= from && !is_break(s, w[i - 1].at.end, w[i].at.start)) i--;
    for (; i < count_of(t) && w[i].at.end <= to; i++) {
        if (i > last && is_break(s, w[i - 1].at.end, w[i].at.start)) break;
        bool own = i >= first && i <= last; /* /downloads is a folder and orders nothing */
        if (!own && toad__verbs_name(&t->verbs, word_text(t, i), false) && begins_clause(t, i)) return true;
        english |= toad__is_function_word(word_text(t, i));
        prose++;
    }
    return !field && !english && prose > 8;
}

static bool orders(const toad__passages *p, toad_span at) {
    size_t from = 0, to = p->n;
    while (from < to) { /* the first that ends behind the start of `at` */
        size_t middle = from + (to - from) / 2;
        if (p->at[middle].end <= at.start)
            from = middle + 1;
        else
            to = middle;
    }
    return from < p->n && p->at[from].start < at.end;
}

static toad_status note(tracing *t, needle *it, size_t read, size_t first, size_t last) {
    const toad__word *w = words_of(t);
    value *v = it->of;
    toad_span at = { w[first].at.start, w[last].at.end };
    if (read == USER) {
        if (it->before == 1 && it->user)
            v->long_said += !it->seen++;
        else
            v->said = true;
        return TOAD_OK;
    }
    if (it->seen_in != read + 1) it->seen = 0;
    it->seen_in = read + 1;
    if (it->seen++ >= PLACES) return TOAD_OK;
    place *new = toad__arena_alloc(t->arena, sizeof *new);
    if (!new) return TOAD_E_NOMEM;
    *new = (place){ .read = read, .at = toad__offmap_back(&t->view.map, at) };
    new->order = orders(&t->act->reads[read].orders, new->at);
    new->field = opens_field(&t->view, at.start) && closes_field(&t->view, at.end);
    new->speaks = v->owner == t->act->reads_n && it->seen <= SPOKEN &&speaks_near(t, first, last, new->field);
    *v->last = new;
    v->last = &new->next;
    return TOAD_OK;
}

static bool stands_at(const tracing *t, const needle *it, size_t i) {
    toad_str s = text_of(t);
    const toad__word *w = words_of(t);
    if (it->n > count_of(t) - i) return false;
    for (size_t k = 0; k < it->n; k++)
        if (w[i + k].hash != it->words[k]) return false;
    if (it->before == 1) return true;
    if (it->before && (!w[i].at.start || !memchr("/~", s.p[w[i].at.start - 1], 2))) return false;
    return is_whole(s, w[i].at.start, w[i + it->n - 1].at.end);
}

static toad_status look_up(tracing *t, const struct table *table, size_t i, size_t read) {
    toad_status status = TOAD_OK;
    uint64_t key = words_of(t)[i].hash;
    if (!(table->filter[key % FILTER >> 3] >> (key & 7) & 1)) return TOAD_OK;
    for (needle *it = table->slots[key % SLOTS]; it && !status; it = it->next) {
        if (t->steps++ >= STEPS_MAX) return (t->cut = true), TOAD_OK;
        if ((read == USER || it->of->owner > read) && stands_at(t, it, i)) status = note(t, it, read, i, i + it->n - 1);
    }
    return status;
}

/* Walk a text: note each place of each value of a call behind it. */
static toad_status walk(tracing *t, toad_str text, size_t read) {
    toad_status status = fold(t, text);
    for (size_t i = 0; i < count_of(t) && !status; i++) {
        status = look_up(t, &t->all, i, read);
        if (!status && read == USER) status = look_up(t, &t->said, i, read);
    }
    return status;
}

static bool is_in_name(toad_str tool, toad_str word) {
    toad__tool_words words;
    toad__tool_words_of(tool, &words);
    for (size_t i = words.tool; i < words.n; i++) {
        toad_str other = toad__tool_word(&words, i);
        if (other.n >= 4 && word.n >= 4 && (toad__str_starts(word, other) || toad__str_starts(other, word)))
            return true;
    }
    return false;
}

/* Is it a word for what was only read? "Find the latest e-mail" asks for no e-mail. */
static bool asks_to_read(const tracing *t, toad_str word) {
    for (size_t i = 0; i < t->act->reads_n && i < LOOKUPS; i++) {
        const toad__trace_read *r = &t->act->reads[i];
        if (is_in_name(r->tool, word) && toad__tool_looks_up(r->tool)) return true;
    }
    return false;
}

/* Is the word none of a name, as of answers.csv? */
static bool is_alone(const tracing *t, size_t i) {
    const toad__word *w = &words_of(t)[i];
    return w->weight == 1 || is_whole(text_of(t), w->at.start, w->at.end);
}

/* Does the user, whose words were walked last, speak of such an act, or of doing what is written elsewhere? */
static bool user_speaks(const tracing *t, bool abroad) {
    for (size_t i = 0; i < count_of(t); i++) {
        toad_str word = verb_text(t, i);
        bool asks = toad__verbs_name(&t->verbs, word, abroad) || toad__verbs_delegate(word, abroad);
        if (asks && is_alone(t, i) && !asks_to_read(t, word)) return true;
    }
    return false;
}

/* The first word, of the text that was walked last, that stands at byte `at` of the original or behind it. */
static size_t word_behind(const tracing *t, size_t at) {
    const toad__word *w = words_of(t);
    size_t from = 0, to = count_of(t);
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (toad__offmap_back(&t->view.map, w[middle].at).start < at)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Does a passage of it that orders speak of such an act? */
static bool orders_speak(const tracing *t, const toad__passages *p) {
    for (size_t k = 0; k < p->n; k++)
        for (size_t i = word_behind(t, p->at[k].start), to = word_behind(t, p->at[k].end); i < to; i++)
            if (toad__verbs_name(&t->verbs, word_text(t, i), false) && begins_clause(t, i)) return true;
    return false;
}

static toad_status walk_all(tracing *t) {
    const toad__trace_act *act = t->act;
    toad_status status = walk(t, act->said, USER);
    bool abroad = !status && is_abroad(t);
    t->implied = t->verbs.step || (!status && user_speaks(t, abroad));
    for (size_t i = 0; i < count_of(t); i++) t->runs |= toad__verbs_run(verb_text(t, i), abroad);
    for (size_t i = 0; i < act->reads_n && i < LOOKUPS && !status; i++) /* "my inbox", "the calendar" */
        for (size_t k = 0; k < count_of(t) && !t->pointed[i]; k++)
            t->pointed[i] = is_in_name(act->reads[i].tool, word_text(t, k));
    if (!status) status = walk(t, act->trusted, USER);
    for (size_t i = 0; i < act->reads_n && !status; i++) {
        status = walk(t, act->reads[i].text, i);
        t->spoken |= !status && orders_speak(t, &act->reads[i].orders);
    }
    for (size_t i = 0; i < t->n; i++) {
        value *v = &t->values[i];
        v->said |= v->long_words > 1 && v->long_said == v->long_words;
    }
    return status;
}

/* ---- where from ---- */

/* Did the agent say it in a command before any text held it: a branch that it made? */
static bool is_own(tracing *t, const value *v) {
    for (size_t i = 0; i <= v->places->read; i++) {
        const toad__json *arguments = t->act->reads[i].arguments;
        const toad__json *command = toad__json_get(arguments, "command");
        toad_str raw = command ? command->raw : TOAD__S("");
        t->steps += raw.n / 16;
        if (t->steps >= STEPS_MAX) return false;
        if (toad__str_find(raw, v->text, 0) < raw.n) return true;
    }
    return false;
}

static toad__origin_of origin(tracing *t, const value *v, size_t upto) {
    toad__origin_of from = TOAD__FROM_STRAY;
    const place *first = v->places;
    if (v->said && !v->number) return TOAD__FROM_USER;
    for (const place *p = first; p && p->read < upto; p = p->next)
        if (p->order) return TOAD__FROM_ORDER;
    if (v->said) return TOAD__FROM_USER;
    if (!first || first->read >= upto) return TOAD__FROM_NOWHERE;
    if (upto == t->act->reads_n && is_own(t, v)) return TOAD__FROM_NOWHERE;
    if (t->derived[first->read]) return TOAD__FROM_DERIVED;
    for (const place *p = first; p && p->read < upto; p = p->next) {
        if (t->derived[p->read] || !t->path[p->read]) continue;
        if (p->field) return TOAD__FROM_FIELD;
        from = TOAD__FROM_PROSE;
    }
    return from;
}

/* Which results do the user's words lead to? A call counts by its arguments, and these by the results before it. */
static void follow(tracing *t) {
    size_t at = 0;
    for (size_t i = 0; i < t->act->reads_n; i++) {
        t->path[i] = true;
        for (; at < t->n && t->values[at].owner == i; at++) {
            value *v = &t->values[at];
            v->from = origin(t, v, i);
            if (v->from == TOAD__FROM_USER && !v->plain) t->pointed[i] = true;
            if (v->from >= TOAD__FROM_PROSE) t->path[i] = false;
            if (v->from >= TOAD__FROM_DERIVED) t->derived[i] = true;
        }
    }
    for (; at < t->n; at++) t->values[at].from = origin(t, &t->values[at], t->act->reads_n);
}

/* ---- the decision ---- */

/* One word in small letters names nothing by itself. */
static bool is_bare(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_lower((unsigned char)s.p[i])) return false;
    return true;
}

static bool is_spoken_of(const value *v) {
    for (const place *p = v->places; p; p = p->next)
        if (p->speaks) return true;
    return false;
}

/* A part counts where the whole stands nowhere. */
static bool counts(const value *v, const value *whole) {
    if (v->plain) return false;
    bool part = v->sort == TOAD__SINK_PART || v->sort == TOAD__SINK_LOCAL;
    if (part) return !whole || whole->from == TOAD__FROM_NOWHERE;
    return v->sort != TOAD__SINK_NUMBER && v->sort != TOAD__SINK_ADDRESS;
}

typedef struct summary {
    bool user, field, order, derived, stranger, amount;
} summary;

/* Of a command that names what only a stranger's running text names: another machine, always; a package, or the whole
 * command word by word, unless the user speaks of installing or running something. */
static bool is_risky(const tracing *t, const value *v) {
    if (v->sort == TOAD__SINK_COMMAND) return v->words >= COMMAND_WORDS && !t->runs;
    return v->sort == TOAD__SINK_REMOTE || (v->sort == TOAD__SINK_PACKAGE && !t->runs);
}

static void weigh(const tracing *t, const value *v, bool sink, summary *s) {
    if (v->sort == TOAD__SINK_NUMBER) s->amount |= v->from >= TOAD__FROM_DERIVED;
    if (v->sort == TOAD__SINK_ADDRESS) s->order |= v->from == TOAD__FROM_ORDER;
    if (!sink) return;
    s->user |= v->from == TOAD__FROM_USER;
    s->field |= v->from == TOAD__FROM_FIELD;
    s->order |= v->from == TOAD__FROM_ORDER;
    s->derived |= v->from == TOAD__FROM_DERIVED;
    if (v->from != TOAD__FROM_PROSE && v->from != TOAD__FROM_STRAY) return;
    bool meant = t->implied || (v->sort == TOAD__SINK_COMMAND && v->words < COMMAND_WORDS && t->runs);
    bool unsure = !is_bare(v->text) && (is_spoken_of(v) || (!meant && v->from == TOAD__FROM_PROSE)) &&
                  !(meant && t->pointed[v->places->read]);
    s->stranger |= is_risky(t, v) || (unsure && v->sort <= TOAD__SINK_COMMAND);
}

static toad__trace_why why_of(const tracing *t, const summary *s) {
    if (s->order) return TOAD__WHY_ORDER;
    if (s->derived || (s->amount && !s->user)) return TOAD__WHY_DERIVED;
    if (s->stranger) return TOAD__WHY_STRANGER;
    if (t->cut) return TOAD__WHY_UNKNOWN;
    if (t->spoken && !t->implied && !s->user) return TOAD__WHY_KIND;
    return s->user ? TOAD__WHY_USER : s->field ? TOAD__WHY_FIELD : TOAD__WHY_NOBODY;
}

static int gravest_first(const void *left, const void *right) {
    const toad__traced *a = left, *b = right;
    if (a->sink != b->sink) return a->sink ? -1 : 1;
    if (a->from != b->from) return a->from > b->from ? -1 : 1;
    return a->value.p < b->value.p ? -1 : a->value.p > b->value.p;
}

static toad_status decide(tracing *t, toad__trace *ret) {
    const value *whole = NULL;
    summary s = { false };
    toad__traced *rows = toad__arena_alloc(t->arena, (t->n + 1) * sizeof *rows);
    size_t n = 0;
    if (!rows) return TOAD_E_NOMEM;
    for (size_t i = 0; i < t->n; i++) {
        const value *v = &t->values[i];
        if (v->owner < t->act->reads_n) continue;
        bool part = v->sort == TOAD__SINK_PART || v->sort >= TOAD__SINK_REMOTE;
        if (!part) whole = v->sort == TOAD__SINK || v->sort == TOAD__SINK_COMMAND ? v : NULL;
        bool sink = counts(v, whole);
        weigh(t, v, sink, &s);
        rows[n] = (toad__traced){ v->name, v->text, sink, part, v->from, 0, { 0, 0 } };
        for (const place *p = v->places; p; p = p->next) { /* the first, or the first that orders */
            if (p != v->places && !(v->from == TOAD__FROM_ORDER && p->order)) continue;
            rows[n].read = p->read;
            rows[n].at = p->at;
            if (p->order) break;
        }
        n++;
    }
    qsort(rows, n, sizeof *rows, gravest_first);
    *ret = (toad__trace){ .why = why_of(t, &s), .rows = rows, .n = n, .reads = t->act->reads };
    ret->ask = ret->why >= TOAD__WHY_ORDER;
    return TOAD_OK;
}

static toad_status count(void *ctx, toad_str name, toad_str text, toad__sink_sort sort) {
    (void)name;
    (void)text;
    (void)sort;
    ++*(size_t *)ctx;
    return TOAD_OK;
}

/* The values of the calls in their order, then those of the act. */
static toad_status collect_all(tracing *t) {
    const toad__trace_act *act = t->act;
    toad_status status = TOAD_OK;
    for (size_t i = 0; i <= act->reads_n; i++) {
        bool lookup = i < act->reads_n;
        toad__sinks(lookup ? act->reads[i].arguments : act->arguments, lookup, count, &t->cap);
    }
    if (t->cap > VALUES) t->cap = VALUES;
    t->values = toad__arena_alloc(t->arena, (t->cap + 1) * sizeof *t->values);
    if (!t->values) return TOAD_E_NOMEM;
    for (size_t i = 0; i <= act->reads_n && !status; i++) {
        collecting c = { t, i };
        bool lookup = i < act->reads_n;
        status = toad__sinks(lookup ? act->reads[i].arguments : act->arguments, lookup, collect, &c);
    }
    return status;
}

toad_status toad__trace_act_of(const toad__trace_act *act, toad__arena *arena, toad__trace *ret) {
    size_t n = act->reads_n + 1;
    tracing *t = toad__arena_alloc(arena, sizeof *t);
    if (!t) return TOAD_E_NOMEM;
    *t = (tracing){ .act = act, .arena = arena };
    toad__view_init(&t->view, FOLDED_MAX);
    toad__buf_init(&t->words, FOLDED_MAX * sizeof(toad__word));
    toad__verbs_of(act->tool, &t->verbs);
    t->all.slots = toad__arena_alloc(arena, SLOTS * sizeof *t->all.slots);
    t->said.slots = toad__arena_alloc(arena, SLOTS * sizeof *t->said.slots);
    t->derived = toad__arena_alloc(arena, n);
    t->path = toad__arena_alloc(arena, n);
    t->pointed = toad__arena_alloc(arena, n);
    bool whole = t->all.slots && t->said.slots && t->derived && t->path && t->pointed;
    toad_status status = whole ? collect_all(t) : TOAD_E_NOMEM;
    if (!status) status = walk_all(t);
    if (!status) {
        follow(t);
        status = decide(t, ret);
    }
    toad__view_free(&t->view);
    toad__buf_free(&t->words);
    return status ? TOAD_E_NOMEM : TOAD_OK;
}

const char *toad__origin_name(toad__origin_of from) {
    static const char *const names[] = { "nowhere", "user", "field", "prose", "stray", "derived", "order" };
    return names[from];
}

const char *toad__trace_reason(toad__trace_why why) {
    static const char *const reasons[] = {
        "it reads",
        "the user named what it goes to",
        "what it goes to was looked up from what the user named",
        "no stranger named what it goes to",
        "a passage that gives orders names what it goes to",
        "what it goes to was looked up because a passage that gives orders said so",
        "what it goes to stands only in text that the user did not write, beside words for such an act",
        "a passage that gives orders speaks of such an act, and the user does not",
        "there was more to compare than can be compared",
    };
    return reasons[why];
}
