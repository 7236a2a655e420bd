/* marker.h - the folded marker matcher: every boundary marker and template token a text holds, whatever its spelling.
 *
 * Detector and neutralizer are this one function: what it finds is replaced, and what was replaced is checked with it
 * again. It reads the folded view (look-alikes, case, invisibles, marks gone) of the unveiled text (escapes written
 * out), finds names in its letters alone, so that nothing put between the letters helps, and asks for a bracket nearby
 * where the name could be prose. No brackets are counted and no length is bounded, but that a marker has to begin and
 * have its name inside one piece. Cost: linear; memory about 30 times the piece, kept for reuse. Thread rule: one
 * thread at a time. */
#ifndef TOAD_WRAP_MARKER_H
#define TOAD_WRAP_MARKER_H

#include "lib/text/fold.h"

#define TOAD__MARKER_START "[[MARKER_SANITIZED]]"
#define TOAD__MARKER_END   "[[END_MARKER_SANITIZED]]"
#define TOAD__PTC_CLOSE    "</untrusted_ptc_output>"
#define TOAD__PTC_ESCAPED  "</untrusted_ptc_output (escaped)>"

enum { TOAD__UNVEIL_LAYERS = 3 };

/* One thing to neutralize: [start, end) of the input, and the fixed text that takes its place. */
typedef struct toad__hit {
    size_t start, end;
    const char *text;
    uint8_t weak; /* found only by leaving tags out: gives way to a strong one */
} toad__hit;

typedef struct toad__marker {
    toad__hit *hits;
    size_t n, cap;
    toad__buf plain[TOAD__UNVEIL_LAYERS];
    toad__offmap plain_map[TOAD__UNVEIL_LAYERS];
    unsigned layers; /* of `plain` in use */
    toad__view view;
    uint8_t *letters;     /* the letters of the view ... */
    uint32_t *at;         /* ... and where they stand in it */
    uint32_t *candidates; /* letters where a name may begin */
    size_t letters_n, letters_cap, candidates_n;
    toad_status status;
} toad__marker;

enum { TOAD__MARKER_PIECE = 128u << 10, TOAD__MARKER_OVERLAP = 16u << 10 };

void toad__marker_init(toad__marker *m);
void toad__marker_free(toad__marker *m);
/* Find everything in `in` (at most TOAD__MARKER_PIECE bytes): m->hits, sorted, not overlapping. Errors: TOAD_E_NOMEM.
 */
toad_status toad__marker_find(toad__marker *m, toad_str in);

#endif
