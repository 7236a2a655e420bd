/* table.h - every decoder by name; decode.c puts them in the order they are run. Append-only: one line each. */
#ifndef BZR_DECODE_TABLE_H
#define BZR_DECODE_TABLE_H

#include "lib/decode/decode.h"

extern const bzr__decoder bzr__decoder_base64;
extern const bzr__decoder bzr__decoder_base32;
extern const bzr__decoder bzr__decoder_base85;
extern const bzr__decoder bzr__decoder_uu;
extern const bzr__decoder bzr__decoder_hex;
extern const bzr__decoder bzr__decoder_percent;
extern const bzr__decoder bzr__decoder_entity;
extern const bzr__decoder bzr__decoder_escape;
extern const bzr__decoder bzr__decoder_char_code;
extern const bzr__decoder bzr__decoder_quoted;
extern const bzr__decoder bzr__decoder_utf7;
extern const bzr__decoder bzr__decoder_morse;
extern const bzr__decoder bzr__decoder_braille;
extern const bzr__decoder bzr__decoder_nato;
extern const bzr__decoder bzr__decoder_bits;
extern const bzr__decoder bzr__decoder_codes;
extern const bzr__decoder bzr__decoder_bacon;
extern const bzr__decoder bzr__decoder_tap;
extern const bzr__decoder bzr__decoder_deflate;
extern const bzr__decoder bzr__decoder_punycode;
extern const bzr__decoder bzr__decoder_json;
extern const bzr__decoder bzr__decoder_concat;
extern const bzr__decoder bzr__decoder_tags;
extern const bzr__decoder bzr__decoder_selectors;
extern const bzr__decoder bzr__decoder_binary;
extern const bzr__decoder bzr__decoder_private_use;
extern const bzr__decoder bzr__decoder_annotation;
extern const bzr__decoder bzr__decoder_bidi;
extern const bzr__decoder bzr__decoder_terminal;
extern const bzr__decoder bzr__decoder_spaced;
extern const bzr__decoder bzr__decoder_cut;

#endif
