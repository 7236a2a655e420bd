/* decode.c - the table of decoders, in the order they are run: what came as raw code points first, as it hides best;
 * then inline encodings, which cost least; then blocks. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

/* May one of eight bytes be none of 0x20..0x7E? */
static bool has_odd(uint64_t eight) {
    uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
    return ((eight - 0x20 * ones) | eight | (eight + ones)) & tops;
}

/* The bytes of `s` that are not printable; `most` + 1 and no more are looked for. */
static size_t unprintable(toad_str s, size_t most) {
    size_t bad = 0;
    unsigned len = 1;
    for (size_t i = 0; i < s.n && bad <= most; i += len) {
        for (uint64_t eight; s.n - i >= 8 && (memcpy(&eight, s.p + i, 8), !has_odd(eight));) i += 8;
        if (i == s.n) break;
        int c = (unsigned char)s.p[i];
        len = 1;
        if (c < 0x80) {
            bad += !((c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n' || c == '\r');
            continue;
        }
        uint32_t code = toad__utf8_decode(s, i, &len);
        if (code == TOAD__BAD || code < 0xA0) bad += len;
    }
    return bad;
}

unsigned toad__printable_percent(toad_str s) { return s.n ? (unsigned)((s.n - unprintable(s, s.n)) * 100 / s.n) : 0; }

bool toad__is_printable(toad_str s, unsigned percent) {
    size_t most = s.n * (100 - percent) / 100;
    return s.n && unprintable(s, most) <= most;
}

/* X(name, raw): the order they are run in. */
#define DECODERS(X)      \
    X(tags, true)        \
    X(selectors, true)   \
    X(binary, true)      \
    X(private_use, true) \
    X(annotation, true)  \
    X(bidi, true)        \
    X(terminal, true)    \
    X(deflate, true)     \
    X(percent, false)    \
    X(entity, false)     \
    X(escape, false)     \
    X(char_code, false)  \
    X(quoted, false)     \
    X(utf7, false)       \
    X(punycode, false)   \
    X(json, false)       \
    X(concat, false)     \
    X(base64, false)     \
    X(hex, false)        \
    X(base32, false)     \
    X(base85, false)     \
    X(uu, false)         \
    X(bits, false)       \
    X(codes, false)      \
    X(morse, false)      \
    X(braille, false)    \
    X(nato, false)       \
    X(bacon, false)      \
    X(tap, false)        \
    X(spaced, false)     \
    X(cut, false)

/* A table of structs needs constants: the object of another file is none, but a function that asks it is. */
#define X(name, raw)                                                           \
    static bool wanted_##name(const toad__hints *h) {                          \
        return !toad__decoder_##name.wanted || toad__decoder_##name.wanted(h); \
    }                                                                          \
    static void run_##name(toad_str in, toad__sink *sink) { toad__decoder_##name.run(in, sink); }
DECODERS(X)
#undef X

const toad__decoder toad__decoders[] = {
#define X(name, raw) { #name, raw, wanted_##name, run_##name },
    DECODERS(X)
#undef X
        { NULL, false, NULL, NULL },
};
