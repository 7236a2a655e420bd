/* terminal.h - ECMA-48 control sequences, found whole.
 *
 * Dropping the ESC alone leaves "[8m" in the text and a hidden word readable only to the model, so every reader
 * (sanitizer, folder, decoder) takes the whole sequence or nothing. Both spellings are known: ESC with a second byte,
 * and the C1 controls as UTF-8 (C2 80..9F). A control string (OSC, DCS, APC, PM, SOS) that is never closed ends at the
 * next line break or after 4 kB; an incomplete sequence ends before the first byte that cannot belong to it. Linear, no
 * state but the colors. */
#ifndef TOAD_TEXT_TERMINAL_H
#define TOAD_TEXT_TERMINAL_H

#include "toadstone/types.h"

/* Longest control string taken as one. */
#define TOAD__TERMINAL_STRING_MAX 4096u

/* The colors in force: 0 the default, else 1 + a color of 24 bits. Starts as { 0 }. */
typedef struct toad__colors {
    uint32_t front, back;
} toad__colors;

typedef struct toad__sequence {
    size_t n;         /* bytes; 0: no sequence starts here */
    toad_str payload; /* what a control string carries */
    bool harmless;    /* colors, styles and the like: neither hides, overwrites, links, answers nor switches a mode */
} toad__sequence;

/* The sequence that starts at s.p + at (an ESC or a C1 control in UTF-8), with n 0 for a lone ESC or anything else.
 * `colors` (may be NULL) is followed so that text in the color of its ground is seen. */
toad__sequence toad__terminal_sequence(toad_str s, size_t at, toad__colors *colors);

#endif
