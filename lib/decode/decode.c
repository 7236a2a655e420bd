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

const toad__decoder *const toad__decoders[] = {
    &toad__decoder_tags,        &toad__decoder_selectors,  &toad__decoder_binary,
    &toad__decoder_private_use, &toad__decoder_annotation, &toad__decoder_bidi,
    &toad__decoder_terminal,    &toad__decoder_deflate,    &toad__decoder_percent,
    &toad__decoder_entity,      &toad__decoder_escape,     &toad__decoder_char_code,
    &toad__decoder_quoted,      &toad__decoder_utf7,       &toad__decoder_punycode,
    &toad__decoder_json,        &toad__decoder_concat,     &toad__decoder_base64,
    &toad__decoder_hex,         &toad__decoder_base32,     &toad__decoder_base85,
    &toad__decoder_uu,          &toad__decoder_bits,       &toad__decoder_codes,
    &toad__decoder_morse,       &toad__decoder_braille,    &toad__decoder_nato,
    &toad__decoder_bacon,       &toad__decoder_tap,        &toad__decoder_spaced,
    &toad__decoder_cut,         &toad__decoder_turned,     NULL,
};
