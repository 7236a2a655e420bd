/* emit.c - children, the walk over inline pieces, and the gates that all block decoders share.
 *
 * The second and later layers of an inline decoding read the output of the layer before; their maps are composed run by
 * run, which costs as much as there are pieces, not bytes. */
#include "lib/decode/emit.h"
#include "lib/base/utf8.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

#include <assert.h>

#define NEAR    8u    /* bytes behind a piece that are looked at one by one */
#define CONTEXT 2048u /* bytes of text copied around inline pieces */

void toad__emit_open(toad__emit *e, toad__sink *sink, toad_str in, size_t start) {
    *e = (toad__emit){ .sink = sink, .in = in, .at = 0 };
    toad__buf_init(&e->text, sink->room);
    toad__offmap_init(&e->map);
    toad__emit_skip(e, start);
}

void toad__emit_skip(toad__emit *e, size_t to) {
    if (to > e->at && !e->text.status) toad__offmap_add(&e->map, 0, to - e->at);
    if (to > e->at) e->at = to;
}

void toad__emit_put(toad__emit *e, const void *p, size_t n, size_t to) {
    toad__buf *text = &e->text;
    assert(to >= e->at && to <= e->in.n);
    if (n == 1 && text->n < text->cap && !text->status)
        text->p[text->n++] = *(const char *)p; /* most pieces are one letter */
    else
        toad__buf_add(text, p, n);
    if (!text->status) toad__offmap_add(&e->map, n, to - e->at);
    e->at = to;
}

void toad__emit_copy(toad__emit *e, size_t to) {
    if (to > e->at) toad__emit_put(e, e->in.p + e->at, to - e->at, to);
}

void toad__emit_cp(toad__emit *e, uint32_t c, size_t to) {
    char out[4];
    toad__emit_put(e, out, toad__utf8_encode(c, out), to);
}

void toad__emit_drop(toad__emit *e) {
    if (e->text.status == TOAD_E_NOMEM || e->map.status == TOAD_E_NOMEM) e->sink->status = TOAD_E_NOMEM;
    toad__buf_free(&e->text);
    toad__offmap_free(&e->map);
}

bool toad__emit_send(toad__emit *e, const toad__step *step) {
    toad_status status = e->map.status ? e->map.status : e->text.status;
    if (status && e->sink->status != TOAD_E_NOMEM) e->sink->status = status;
    e->map.status = TOAD_OK; /* what was written before the failure is whole */
    bool go_on = status != TOAD_E_NOMEM && e->sink->status != TOAD_E_NOMEM;
    if (go_on && e->text.n) go_on = e->sink->child(e->sink->ctx, step, toad__buf_str(&e->text), &e->map);
    toad__emit_drop(e);
    return go_on;
}

bool toad__emit_block(toad__sink *sink, toad_str in, toad_span from, toad_str text, const toad__step *step) {
    toad__emit e;
    assert(from.start < from.end && from.end <= in.n);
    toad__emit_open(&e, sink, in, from.start);
    if (text.n > sink->room) {
        sink->status = sink->status ? sink->status : TOAD_E_LIMIT;
        text.n = sink->room;
    }
    toad__squeeze(text, &e.text);
    while (e.text.n && e.text.n < text.n && !e.text.status && (from.end - from.start) % e.text.n == 0)
        toad__buf_add_c(&e.text, '\n'); /* whole spans */
    toad__offmap_add(&e.map, e.text.n, from.end - from.start);
    e.at = from.end;
    return toad__emit_send(&e, step);
}

/* A place near `at`, at most 64 bytes away in direction `step`, where no word is cut. */
static size_t word_edge(toad_str s, size_t at, int step) {
    size_t edge = at;
    for (unsigned k = 0; k < 64 && edge > 0 && edge < s.n; k++, edge += (size_t)step)
        if (toad__is_space((unsigned char)s.p[edge])) return edge;
    return toad__utf8_floor(s, at);
}

/* Copy what stands before the piece at `to`; the middle of a long gap is left out. */
static void copy_gap(toad__emit *e, size_t to) {
    bool far = to - e->at > 2 * CONTEXT + 256;
    size_t before = to > CONTEXT && (far || !e->text.n) ? word_edge(e->in, to - CONTEXT, -1) : 0;
    if (!e->text.n) {
        if (before > e->at) toad__emit_skip(e, before);
    } else if (far) {
        toad__emit_copy(e, word_edge(e->in, e->at + CONTEXT, 1));
        toad__emit_put(e, "\n\n", 2, before);
    }
    toad__emit_copy(e, to);
}

/* Where one piece is, another is close behind: a few bytes are looked at one by one. */
static bool find_trigger(const toad__inline *kind, toad__cur *c) {
    size_t near = c->at && c->s.n - c->at > NEAR + kind->apart ? NEAR : 0;
    for (size_t at = c->at, end = at + near; at < end; at++) {
        if (c->s.p[at] != kind->trigger || (kind->next && !toad__set_has(kind->next, c->s.p[at + kind->apart])))
            continue;
        c->at = at;
        return true;
    }
    c->at = kind->next ? toad__pair_find(c->s, kind->trigger, kind->next, kind->apart, c->at)
                       : toad__str_find(c->s, toad__str(&kind->trigger, 1), c->at);
    return c->at < c->s.n;
}

/* Are there pieces of enough weight at all? Most texts stop here, before anything is copied. */
static bool enough(const toad__inline *kind, toad_str in, unsigned least, toad__sink *sink) {
    toad__buf meaning;
    toad__buf_init(&meaning, 65536);
    toad__cur c = toad__cur_of(in);
    uint64_t weight = 0;
    size_t done = 0;
    while (weight < least && !meaning.status && find_trigger(kind, &c)) {
        toad__piece piece = { 0 };
        toad__buf_clear(&meaning);
        bool good = kind->piece(in, c.at, done, &meaning, &piece);
        c.at = good ? piece.end : c.at + 1;
        if (good) done = piece.end, weight += piece.weight;
    }
    if (meaning.status == TOAD_E_NOMEM) sink->status = TOAD_E_NOMEM;
    toad__buf_free(&meaning);
    return weight >= least && weight > 0;
}

/* What a piece means. Where a piece is many of one kind, as much of it as there is room for. */
static void put_piece(toad__emit *e, toad_str meaning, size_t to) {
    size_t room = e->text.max - e->text.n, each = meaning.n ? (to - e->at) / meaning.n : 0;
    if (meaning.n > room && meaning.n * each == to - e->at) {
        toad__emit_put(e, meaning.p, room, e->at + room * each);
        meaning = toad__str_part(meaning, room, meaning.n);
    }
    toad__emit_put(e, meaning.p, meaning.n, to);
}

/* One layer: true if pieces of enough weight were found; `e` then holds the child. */
static bool one_layer(const toad__inline *kind, toad__emit *e, unsigned least) {
    toad__buf meaning;
    toad__buf_init(&meaning, e->sink->room < 65536 ? e->sink->room : 65536);
    toad__cur c = toad__cur_of(e->in);
    uint64_t weight = 0;
    while (!e->text.status && find_trigger(kind, &c)) {
        toad__piece piece = { 0 };
        toad__buf_clear(&meaning);
        if (!kind->piece(e->in, c.at, e->at, &meaning, &piece)) {
            c.at++;
            continue;
        }
        assert(e->at <= piece.start && piece.start <= c.at && c.at < piece.end && piece.end <= e->in.n);
        copy_gap(e, piece.start);
        put_piece(e, toad__buf_str(&meaning), piece.end);
        c.at = piece.end;
        weight += piece.weight;
        if (meaning.status == TOAD_E_NOMEM) e->text.status = TOAD_E_NOMEM;
    }
    toad__buf_free(&meaning);
    if (e->at) {
        size_t end = e->in.n - e->at > CONTEXT ? word_edge(e->in, e->at + CONTEXT, 1) : e->in.n;
        if (weight >= least) toad__emit_copy(e, end);
    }
    return weight >= least && weight > 0;
}

/* Append to `to` the input spans of the `n` middle bytes from *at on, as `inner` has them. */
static void compose_copy(toad__offmap *to, const toad__offmap *inner, size_t *run, uint32_t from, uint32_t n) {
    while (n) {
        while (*run + 1 < inner->n && inner->runs[*run + 1].out <= from) ++*run;
        toad__run here = inner->runs[*run];
        toad__run next = *run + 1 < inner->n ? inner->runs[*run + 1] : (toad__run){ inner->out_len, inner->in_len };
        uint32_t part = next.out - from < n ? next.out - from : n;
        if (!part) return;
        uint64_t size = next.out - here.out, span = next.in - here.in;
        uint32_t start = here.in + (uint32_t)(span * (from - here.out) / size),
                 end = here.in + (uint32_t)(span * (from - here.out + part) / size);
        if (start > to->in_len) toad__offmap_add(to, 0, start - to->in_len);
        toad__offmap_add(to, part, end > to->in_len ? end - to->in_len : 0);
        from += part;
        n -= part;
    }
}

/* Where a middle byte that run `i` of `inner` holds comes from. */
static toad_span byte_back(const toad__offmap *inner, size_t i, uint32_t at) {
    toad__run here = inner->runs[i],
              next = i + 1 < inner->n ? inner->runs[i + 1] : (toad__run){ inner->out_len, inner->in_len };
    uint32_t size = next.out - here.out, span = next.in - here.in;
    if (!size || !span || span % size) return (toad_span){ here.in, next.in };
    uint64_t each = span / size, start = here.in + (at - here.out) * each;
    return (toad_span){ start, start + each };
}

/* toad__offmap_back for the bytes [from, to) of the middle, from run *run on, which never goes back. */
static toad_span span_back(const toad__offmap *inner, size_t *run, uint32_t from, uint32_t to) {
    while (*run + 1 < inner->n && inner->runs[*run + 1].out <= from) ++*run;
    size_t last = *run;
    while (last + 1 < inner->n && inner->runs[last + 1].out < to) last++;
    return (toad_span){ byte_back(inner, *run, from).start, byte_back(inner, last, to - 1).end };
}

/* `outer` leads from the new text to the middle one, `inner` from there to the input: `to` does it in one step. */
static void compose(toad__offmap *to, const toad__offmap *outer, const toad__offmap *inner) {
    size_t cursor = 0;
    for (size_t i = 0; i < outer->n; i++) {
        toad__run here = outer->runs[i];
        toad__run next = i + 1 < outer->n ? outer->runs[i + 1] : (toad__run){ outer->out_len, outer->in_len };
        uint32_t out = next.out - here.out, in = next.in - here.in;
        if (!out) continue;
        if (out == in) {
            compose_copy(to, inner, &cursor, here.in, in);
            continue;
        }
        toad_span back = span_back(inner, &cursor, here.in, next.in);
        if (back.start > to->in_len) toad__offmap_add(to, 0, (size_t)back.start - to->in_len);
        toad__offmap_add(to, out, back.end > to->in_len ? (size_t)back.end - to->in_len : 0);
    }
}

/* ---- digits that read as pieces ---- */

/* The sink of who reads a child, and how the child leads to the input. */
typedef struct below {
    toad__sink *sink;
    const toad__offmap *map;
} below;

static bool layer_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    below *l = ctx;
    toad__offmap both;
    toad__offmap_init(&both);
    toad__offmap_then(map, l->map, &both);
    if (both.status) l->sink->status = both.status;
    bool go_on = !both.status && l->sink->child(l->sink->ctx, step, text, &both);
    toad__offmap_free(&both);
    return go_on;
}

/* Base85 and uuencoded lines have every sign among their digits: what would be undone next may be theirs. */
static bool read_digits(const toad__emit *e) {
    static const toad__decoder *const readers[] = { &toad__decoder_base85, &toad__decoder_uu };
    below l = { e->sink, &e->map };
    toad__sink sink = { .ctx = &l, .child = layer_child, .room = e->sink->room };
    for (size_t i = 0; i < sizeof readers / sizeof *readers && !sink.status; i++)
        readers[i]->run(toad__buf_str(&e->text), &sink);
    if (sink.status && e->sink->status != TOAD_E_NOMEM) e->sink->status = sink.status;
    return e->sink->status != TOAD_E_NOMEM;
}

/* Decode the child once more. */
static toad__outcome next_layer(const toad__inline *kind, toad__emit *e) {
    toad__emit more;
    toad__offmap both;
    toad__emit_open(&more, e->sink, toad__buf_str(&e->text), 0);
    toad__offmap_init(&both);
    bool found = one_layer(kind, &more, 1);
    if (found) {
        compose(&both, &more.map, &e->map);
        if (both.status) e->map.status = both.status;
    }
    toad_status status = more.text.status ? more.text.status : more.map.status;
    if (status) e->map.status = status;
    found = found && !e->map.status;
    bool go_on = !found || read_digits(e);
    if (found && go_on) {
        toad__offmap old = e->map;
        toad__buf text = e->text;
        e->map = both, both = old;
        e->text = more.text, more.text = text;
    }
    toad__offmap_free(&both);
    toad__emit_drop(&more);
    return !go_on ? TOAD__STOP : found ? TOAD__FOUND : TOAD__NOTHING;
}

bool toad__inline_run(const toad__inline *kind, toad_str in, toad__sink *sink) {
    if (!enough(kind, in, kind->least, sink)) return sink->status != TOAD_E_NOMEM;
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    one_layer(kind, &e, kind->least);
    toad__outcome more = TOAD__FOUND;
    for (unsigned layer = 1; layer < kind->layers && more == TOAD__FOUND && !e.text.status && !e.map.status; layer++)
        more = next_layer(kind, &e);
    if (more != TOAD__STOP) return toad__emit_send(&e, &kind->step);
    toad__emit_drop(&e);
    return false;
}

size_t toad__add_char(toad_str s, size_t at, int (*byte_at)(toad_str s, size_t at, size_t *len), toad__buf *out) {
    char bytes[6];
    size_t ends[6], n = 0, len;
    for (int byte; n < sizeof bytes && (byte = byte_at(s, at, &len)) >= 0 && (!n || byte >= 0x80); n++) {
        bytes[n] = (char)byte;
        ends[n] = at += len;
        if (byte < 0x80) {
            toad__buf_add_c(out, (char)byte);
            return at;
        }
    }
    unsigned taken;
    uint32_t c = toad__utf8_decode_lenient(toad__str(bytes, n), 0, &taken);
    if (c == TOAD__BAD) c = (unsigned char)bytes[0], taken = 1;
    toad__buf_add_cp(out, c >= 0x80 && c < 0xA0 ? TOAD__REPLACEMENT : c);
    return ends[taken - 1];
}

/* What is left of a blob around a text is no finding of its own: control characters and ill-formed bytes become blanks.
 */
static void blank_odd_bytes(toad__buf *text) {
    toad_str s = toad__buf_str(text);
    unsigned len;
    for (size_t i = 0; i < s.n; i += len) {
        uint32_t c = toad__utf8_decode(s, i, &len);
        bool odd = c == TOAD__BAD || (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != 0x1B) || c == 0x7F;
        if (odd) memset(text->p + i, ' ', len);
    }
}

bool toad__looks_like_text(toad_str s) {
    unsigned printable = toad__printable_percent(s);
    if (s.n < 3 || printable < 85) return false;
    const unsigned char *p = (const unsigned char *)s.p;
    size_t good = 0, all = 0;
    for (size_t i = 0; i < s.n; i++) {
        if ((p[i] & 0xC0) == 0x80) continue;
        all++;
        good += p[i] < 0x80 ? toad__set_has(&toad__set_written, s.p[i]) : p[i] >= 0xC3;
    }
    return good * 2 >= all || (printable == 100 && s.n >= 12);
}

/* For each first letter the second ones of the most common pairs in English, with those of other languages in Latin
 * letters where they are as common. */
static const char *const pairs[26] = {
    "bcdgilmnprstv",  "aeloru",    "aehiklotu",     "aeioru",          "acdegilmnprstvx",
    "aefioru",        "aehilnoru", "aeiotu",        "acdefglmnorstvz", "aeou",
    "eins",           "adeiloty",  "aeimopu",       "acdegiknostu",    "bcdfgklmnoprstuvw",
    "aehiloprtu",     "u",         "acdegimnostuy", "aehimopstuy",     "aehiorstuwy",
    "abcdegilmnprst", "aeio",      "aehino",        "acept",           "aeos",
    "aeio",
};

bool toad__looks_like_words(toad_str s) {
    size_t letters = 0, vowels = 0, common = 0, all = 0;
    for (size_t i = 0; i < s.n; i++) {
        int c = toad__lower((unsigned char)s.p[i]), before = i ? toad__lower((unsigned char)s.p[i - 1]) : 0;
        if (!toad__is_lower(c)) continue;
        letters++;
        vowels += strchr("aeiouy", c) != NULL;
        if (toad__is_lower(before)) all++, common += strchr(pairs[before - 'a'], c) != NULL;
    }
    return letters >= 6 && vowels * 100 >= letters * 20 && vowels * 100 <= letters * 70 && common * 100 >= all * 70;
}

/* Units below U+0F00 in the given order (all alphabets of letters), as a share of all (0..100). */
static unsigned low_units(toad_str s, unsigned low) {
    size_t units = s.n / 2, good = 0;
    for (size_t i = 0; i < units; i++) {
        unsigned char a = (unsigned char)s.p[2 * i + low], b = (unsigned char)s.p[2 * i + 1 - low];
        good += b <= 0x0E && (b || a >= 0x20 || toad__is_space(a));
    }
    return units ? (unsigned)(good * 100 / units) : 0;
}

/* Which byte of a unit is the low one; 2: it is no UTF-16. */
static unsigned low_byte(toad_str s) {
    const unsigned char *p = (const unsigned char *)s.p;
    if (s.n < 6) return 2;
    unsigned low = p[0] == 0xFF && p[1] == 0xFE ? 0 : p[0] == 0xFE && p[1] == 0xFF ? 1 : 2;
    return low < 2 ? low : low_units(s, 0) >= 90 ? 0 : low_units(s, 1) >= 90 ? 1 : 2;
}

bool toad__begins_text(toad_str head, unsigned percent) {
    size_t whole = toad__utf8_valid_upto(head);
    bool cut = whole < head.n && head.n - whole < 4 && (unsigned char)head.p[whole] >= 0xC2;
    return toad__is_printable(cut ? toad__str_part(head, 0, whole) : head, percent) || low_byte(head) < 2;
}

bool toad__utf16_text(toad_str s, toad__buf *out) {
    const unsigned char *p = (const unsigned char *)s.p;
    unsigned low = low_byte(s);
    if (low == 2) return false;
    uint32_t high = 0;
    for (size_t i = 0; i + 1 < s.n; i += 2) {
        uint32_t unit = p[i + low] | (uint32_t)p[i + 1 - low] << 8;
        if (unit == 0xFEFF && !i) continue;
        if (unit >= 0xD800 && unit <= 0xDBFF) {
            high = unit;
            continue;
        }
        if (unit >= 0xDC00 && unit <= 0xDFFF && high) unit = 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00);
        toad__buf_add_cp(out, unit);
        high = 0;
    }
    return true;
}

static toad__outcome send_wide(toad__emit *e, toad_span at, const toad__step *step) {
    toad__buf text;
    toad__buf_init(&text, e->sink->room);
    toad__outcome got = TOAD__NOTHING;
    if (toad__utf16_text(toad__buf_str(&e->text), &text) && toad__looks_like_text(toad__buf_str(&text)))
        got = toad__emit_block(e->sink, e->in, at, toad__buf_str(&text), step) ? TOAD__FOUND : TOAD__STOP;
    if (text.status == TOAD_E_NOMEM) e->sink->status = TOAD_E_NOMEM;
    toad__buf_free(&text);
    return got;
}

toad__outcome toad__emit_judge(toad__emit *e, toad_span at, const toad__step *step) {
    toad_str text = toad__buf_str(&e->text);
    bool memory = e->text.status == TOAD_E_NOMEM || e->map.status == TOAD_E_NOMEM;
    bool compressed = !memory && toad__looks_compressed(text);
    if (!memory && !compressed && toad__looks_like_text(text))
        blank_odd_bytes(&e->text);
    else if (!compressed) {
        toad__outcome got = memory ? TOAD__STOP : send_wide(e, at, step);
        toad__emit_drop(e);
        return e->sink->status == TOAD_E_NOMEM ? TOAD__STOP : got;
    }
    return toad__emit_send(e, step) ? TOAD__FOUND : TOAD__STOP;
}
