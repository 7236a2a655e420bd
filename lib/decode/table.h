/* table.h - every decoder by name; decode.c puts them in the order they are run. Append-only: one line each. */
#ifndef TOAD_DECODE_TABLE_H
#define TOAD_DECODE_TABLE_H

#include "lib/decode/decode.h"

extern const toad__decoder toad__decoder_base64;
extern const toad__decoder toad__decoder_base32;
extern const toad__decoder toad__decoder_base85;
extern const toad__decoder toad__decoder_uu;
extern const toad__decoder toad__decoder_hex;
extern const toad__decoder toad__decoder_percent;
extern const toad__decoder toad__decoder_entity;
extern const toad__decoder toad__decoder_escape;
extern const toad__decoder toad__decoder_char_code;
extern const toad__decoder toad__decoder_quoted;
extern const toad__decoder toad__decoder_utf7;
extern const toad__decoder toad__decoder_morse;
extern const toad__decoder toad__decoder_braille;
extern const toad__decoder toad__decoder_nato;
extern const toad__decoder toad__decoder_bits;
extern const toad__decoder toad__decoder_codes;
extern const toad__decoder toad__decoder_bacon;
extern const toad__decoder toad__decoder_tap;
extern const toad__decoder toad__decoder_deflate;
extern const toad__decoder toad__decoder_punycode;
extern const toad__decoder toad__decoder_json;
extern const toad__decoder toad__decoder_concat;
extern const toad__decoder toad__decoder_tags;
extern const toad__decoder toad__decoder_selectors;
extern const toad__decoder toad__decoder_binary;
extern const toad__decoder toad__decoder_private_use;
extern const toad__decoder toad__decoder_annotation;
extern const toad__decoder toad__decoder_bidi;
extern const toad__decoder toad__decoder_terminal;
extern const toad__decoder toad__decoder_spaced;
extern const toad__decoder toad__decoder_cut;
extern const toad__decoder toad__decoder_turned;

#endif
