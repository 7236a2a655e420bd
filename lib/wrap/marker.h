/* marker.h - the folded marker matcher: every boundary marker and template token a text holds, whatever its spelling.
 *
 * Detector and neutralizer are this one function: what it finds is replaced, and what was replaced is checked with it
 * again. It reads the folded view (look-alikes, case, invisibles, marks gone) of the unveiled text (escapes written
 * out), finds names in its letters alone, so that nothing put between the letters helps, and asks for a bracket nearby
 * where the name could be prose. No brackets are counted and no length is bounded, but that a marker has to begin and
 * have its name inside one piece. Cost: linear; memory about 30 times the piece, kept for reuse. Thread rule: one
 * thread at a time. */
#ifndef BZR_WRAP_MARKER_H
#define BZR_WRAP_MARKER_H

#include "lib/text/fold.h"

#define BZR__MARKER_START "[[MARKER_SANITIZED]]"
#define BZR__MARKER_END   "[[END_MARKER_SANITIZED]]"
#define BZR__PTC_CLOSE    "</untrusted_ptc_output>"
#define BZR__PTC_ESCAPED  "</untrusted_ptc_output (escaped)>"

enum { BZR__UNVEIL_LAYERS = 3 };

/* One thing to neutralize: [start, end) of the input, and the fixed text that takes its place. */
typedef struct bzr__hit {
    size_t start, end;
    const char *text;
    uint8_t weak; /* found only by leaving tags out: gives way to a strong one */
} bzr__hit;

typedef struct bzr__marker {
    bzr__hit *hits;
    size_t n, cap;
    bzr__buf plain[BZR__UNVEIL_LAYERS];
    bzr__offmap plain_map[BZR__UNVEIL_LAYERS];
    unsigned layers; /* of `plain` in use */
    bzr__view view;
    uint8_t *letters;     /* the letters of the view ... */
    uint32_t *at;         /* ... and where they stand in it */
    uint32_t *candidates; /* letters where a name may begin */
    size_t letters_n, letters_cap, candidates_n;
    bzr_status status;
} bzr__marker;

enum { BZR__MARKER_PIECE = 128u << 10, BZR__MARKER_OVERLAP = 16u << 10 };

void bzr__marker_init(bzr__marker *m);
void bzr__marker_free(bzr__marker *m);
/* Find everything in `in` (at most BZR__MARKER_PIECE bytes): m->hits, sorted, not overlapping. Errors: BZR_E_NOMEM. */
bzr_status bzr__marker_find(bzr__marker *m, bzr_str in);

#endif
