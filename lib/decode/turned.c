/* turned.c - an encoding that is itself turned by rot13, written backwards, or spaced out letter by letter.
 *
 * A model undoes both without being asked. Words in such a text are seen by gate rules (transform.c) and by spaced.c;
 * an encoding holds no words, and turned it decodes to noise, or to nothing. So each token long enough to be one is
 * tried by its head: turned back, do its digits give text, as by chance they do not? What then is sent is the token
 * turned back, which the decoders read as any other. A list of letters held apart by single blanks is tried as the
 * token that it spells. Linear: a fixed number of bytes of each token is looked at. */
#include "lib/base/hex.h"
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

#include <assert.h>

enum {
    LEAST = 24,
    HEAD = 128,
    LEADS = 16,
    BYTES = 12
}; /* of a token; looked at; before an escape; that it decodes to */

enum { APART = 48 }; /* bytes of a list of letters */

static const toad__step apart = { "spaced", 0 };

#define IS_TOKEN(c)                                                                                           \
    (TOAD__IS_ALNUM(c) || (c) == '#' || (c) == '%' || (c) == '&' || (c) == '+' || (c) == '-' || (c) == '/' || \
     (c) == ';' || (c) == '=' || (c) == '\\' || (c) == '_')
static const toad__set token_set = TOAD__SET(IS_TOKEN);

/* Digits, those of hex as they are and turned, and blanks. */
#define IS_LIST(c) (TOAD__IS_DIGIT(c) || (c) == ' ' || TOAD__IN((c) | 0x20, 'a', 'f') || TOAD__IN((c) | 0x20, 'n', 's'))
static const toad__set list_set = TOAD__SET(IS_LIST);

static int rot13(int c) {
    if (!toad__is_alpha(c)) return c;
    int first = toad__is_upper(c) ? 'A' : 'a';
    return first + (c - first + 13) % 26;
}

static int digit64(char c) {
    if (toad__is_upper(c)) return c - 'A';
    if (toad__is_lower(c)) return c - 'a' + 26;
    if (toad__is_digit(c)) return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* A way to read a token. */
typedef struct reading {
    toad_str token;
    bool rot13, backwards;
} reading;

/* The byte at `i`, or 0 behind the end. */
static char at(const reading *r, size_t i) {
    if (i >= r->token.n) return 0;
    unsigned char c = (unsigned char)r->token.p[r->backwards ? r->token.n - 1 - i : i];
    return (char)(r->rot13 ? rot13(c) : c);
}

/* The number of up to `most` digits at *i, which is moved behind them; -1: there is none. */
static int number(const reading *r, size_t *i, size_t most, int base) {
    int v = 0, d;
    size_t n = 0;
    for (; n < most && (d = toad__hex_value((unsigned char)at(r, *i))) >= 0 && d < base; ++*i, n++) v = v * base + d;
    return n ? v : -1;
}

/* The character that an escape, a percent escape or an entity at *i stands for, or -1. */
static int piece(const reading *r, size_t *i) {
    char lead = at(r, *i), kind = at(r, *i + 1);
    if (lead == '\\' && toad__is_digit((unsigned char)kind)) return ++*i, number(r, i, 3, 8);
    if (lead == '%' || lead == '=') return ++*i, number(r, i, 2, 16);
    if (lead == '\\' && (kind == 'u' || kind == 'x')) return *i += 2, number(r, i, kind == 'u' ? 4 : 2, 16);
    if (lead != '&' || kind != '#') return -1;
    bool cross = (at(r, *i + 2) | 0x20) == 'x';
    *i += cross ? 3 : 2;
    int v = number(r, i, 6, cross ? 16 : 10);
    *i += at(r, *i) == ';';
    return v;
}

static int pair(const reading *r, size_t *i) {
    int high = toad__hex_value((unsigned char)at(r, *i)), low = toad__hex_value((unsigned char)at(r, *i + 1));
    *i += 2;
    *i += at(r, *i) == ' ';
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/* The byte whose first bits the digit of base64 at *i holds; two digits are moved over for every third. */
static int digits(const reading *r, size_t *i) {
    unsigned place = *i % 4;
    int a = digit64(at(r, *i)), b = digit64(at(r, *i + 1));
    *i += place == 2 ? 2 : 1;
    return a < 0 || b < 0 ? -1 : (a << (2 + 2 * place) | b >> (4 - 2 * place)) & 0xFF;
}

/* The byte that begins in the digit of base32 at *i, which is moved to where the next begins. */
static int digits32(const reading *r, size_t *i) {
    static const struct {
        uint8_t from, step; /* the bit that it begins at; digits to the next */
    } bytes[8] = { { 0, 1 }, { 3, 2 }, { 0, 0 }, { 1, 1 }, { 4, 2 }, { 0, 0 }, { 2, 2 }, { 0, 0 } };
    unsigned place = *i % 8, v = 0;
    for (unsigned k = 0; k < 3; k++) {
        unsigned char c = (unsigned char)at(r, *i + k);
        bool letter = toad__is_alpha(c), digit = c >= '2' && c <= '7', needed = 5 * k < bytes[place].from + 8u;
        if (needed && !letter && !digit) return -1;
        v = v << 5 | (letter ? (c | 0x20u) - 'a' : digit ? c - '2' + 26u : 0);
    }
    *i += bytes[place].step;
    return (int)(v >> (7 - bytes[place].from) & 0xFF);
}

/* One of a list of decimal codes, or of bytes in binary. */
static int decimal(const reading *r, size_t *i) {
    int v = number(r, i, 3, 10);
    return at(r, *i) && at(r, (*i)++) != ' ' ? -1 : v;
}

static int binary(const reading *r, size_t *i) {
    int v = number(r, i, 8, 2);
    *i += at(r, *i) == ' ';
    return v;
}

/* Base64 of what gzip or zlib compressed. */
static bool is_packed(const reading *r) {
    static const char *const heads[] = { "H4sI", "eJw", "eJx", "eAE", "eNo", "eF4" };
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        size_t i = 0;
        while (heads[k][i] && at(r, i) == heads[k][i]) i++;
        if (!heads[k][i]) return true;
    }
    return false;
}

/* How many characters of text the head of the token gives, so read; 0: too few. Of most tokens the first bytes tell. */
static size_t text_of(const reading *r, size_t from, int (*next)(const reading *r, size_t *i)) {
    size_t n = 0, letters = 0;
    for (size_t i = from; i < HEAD && i < r->token.n; n++) {
        int c = next(r, &i);
        if (c < 0x20 ? c != '\n' && c != '\t' && c != '\r' : c > 0x7E) break;
        letters += toad__is_alnum(c) || c == ' ' || c == '%';
    }
    return n >= BYTES && letters * 10 >= n * 7 ? n : 0;
}

static size_t most_text(const reading *r, int (*const *next)(const reading *r, size_t *i), size_t n) {
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t got = text_of(r, 0, next[i]);
        if (got > most) most = got;
    }
    return most;
}

static size_t of_list(const reading *r) {
    static int (*const next[])(const reading *r, size_t *i) = { pair, decimal, binary };
    return most_text(r, next, 3);
}

static size_t of_code(const reading *r) {
    static int (*const next[])(const reading *r, size_t *i) = { pair, digits, digits32 };
    size_t n = r->token.n < LEADS ? r->token.n : LEADS, got = 0;
    const char *p = r->token.p + (r->backwards ? r->token.n - n : 0);
    for (size_t i = 0; i < n && !got; i++)
        if (strchr("%&=\\", p[i])) {
            for (i = 0; !strchr("%&=\\", at(r, i));) i++;
            got = text_of(r, i, piece);
            break;
        }
    if (!got) got = most_text(r, next, 3);
    return got ? got : is_packed(r) ? BYTES : 0;
}

/* False: the decoder has to stop. */
static bool try_token(toad_str in, size_t start, size_t end, size_t (*of)(const reading *r), toad__sink *sink) {
    toad_str token = toad__str_part(in, start, end);
    assert(token.n >= LEAST);
    size_t turned = of(&(reading){ token, true, false }), backwards = of(&(reading){ token, false, true });
    if ((!turned && !backwards) || of(&(reading){ token, false, false }) >= (turned > backwards ? turned : backwards))
        return true;
    toad__transform(turned >= backwards ? "caesar+13" : "reversed", in, (toad_span){ start, end }, sink);
    return sink->status != TOAD_E_NOMEM;
}

static bool tokens(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, tokens), &token_set, LEAST, from, &at);
         from = (size_t)at.end)
        if (!try_token(in, (size_t)at.start, (size_t)at.end, of_code, sink)) return false;
    return true;
}

/* Numbers between blanks. */
static bool lists(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, signs), &list_set, LEAST, from, &at);
         from = (size_t)at.end) {
        size_t start = (size_t)at.start, end = (size_t)at.end;
        while (start < end && in.p[start] == ' ') start++;
        while (end > start && in.p[end - 1] == ' ') end--;
        if (end - start >= LEAST && !try_token(in, start, end, of_list, sink)) return false;
    }
    return true;
}

/* Is every second of the eight bytes at p, from the one at `odd`, a blank? */
static bool alternates(const char *p, unsigned odd) {
    return p[odd] == ' ' && p[odd + 2] == ' ' && p[odd + 4] == ' ' && p[odd + 6] == ' ' && p[!odd] != ' ';
}

/* Words that rot13 or reading backwards makes of what is none. */
static bool is_turned_words(toad_str text) {
    char turned[HEAD], reversed[HEAD];
    size_t n = text.n < HEAD ? text.n : HEAD;
    for (size_t i = 0; i < n; i++) {
        turned[i] = (char)rot13((unsigned char)text.p[i]);
        reversed[i] = text.p[n - 1 - i];
    }
    return !toad__looks_like_words(toad__str(text.p, n)) &&
           (toad__looks_like_words(toad__str(turned, n)) || toad__looks_like_words(toad__str(reversed, n)));
}

/* Letters that spell no words: no list or table of numbers, nor what spaced.c puts together. */
static bool is_opaque(toad_str text) {
    size_t n = text.n < HEAD ? text.n : HEAD, letters = 0;
    for (size_t i = 0; i < n; i++) letters += toad__is_alpha((unsigned char)text.p[i]);
    return letters * 6 >= n && !toad__looks_like_words(toad__str(text.p, n));
}

/* The letters at start, start + 2, ... before `end`, if they spell an encoding, or words that are turned. */
static bool try_apart(toad_str in, size_t start, size_t end, toad__sink *sink) {
    toad__emit e;
    assert(start + APART <= end && end <= in.n);
    toad__emit_open(&e, sink, in, start);
    for (size_t i = start; i < end && !e.text.status; i += 2) {
        toad__emit_skip(&e, i);
        toad__emit_put(&e, in.p + i, 1, i + 1);
    }
    toad_str token = toad__buf_str(&e.text);
    if (is_turned_words(token) || is_opaque(token) || of_list(&(reading){ token, false, false }) ||
        of_code(&(reading){ token, false, false }))
        return toad__emit_send(&e, &apart);
    toad__emit_drop(&e);
    return sink->status != TOAD_E_NOMEM;
}

static void run(toad_str in, toad__sink *sink) {
    if (!tokens(in, sink) || !lists(in, sink)) return;
    for (size_t at = 0, done = 0; at + 8 <= in.n; at += APART) {
        unsigned odd = alternates(in.p + at, 1);
        if (!odd && !alternates(in.p + at, 0)) continue;
        size_t start = at + !odd, end = start; /* a letter stands at `start`, a blank behind it */
        while (start >= done + 2 && in.p[start - 1] == ' ') start -= 2;
        while (end + 2 < in.n && in.p[end + 1] == ' ') end += 2;
        done = end + 1;
        if (start && !toad__is_space((unsigned char)in.p[start - 1]))
            start += 2; /* the last letter of a word before it */
        if (done < in.n && !toad__is_space((unsigned char)in.p[done]) && done > 2) done -= 2;
        if (done >= start + APART && !try_apart(in, start, done, sink)) return;
        if (at < done) at = done;
    }
}

const toad__decoder toad__decoder_turned = { "turned", TOAD__FOLDED, NULL, run };
