/* judge_acts.c - acts that belong together are meant, whatever stands around them.
 *
 * One act in quotation marks may be an example; an order to drop the rules and, beside it, where to send what is found
 * is an attack that somebody quoted to make it look like one. So what was lowered gets its own severity back where two
 * such acts stand near each other. What is low is a cue, and no act; nor is what
 * only the strict scope asks about, which has more than one name for the same words.
 *
 * The piece is cut into blocks; each finding leaves its act in those it stands in, also where no record of it is kept,
 * so a flood of decoys hides none. Linear in the piece. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#define NEAR 2u /* blocks on either side that are near */

enum {
    OVERRIDE = 1, /* drop what binds you */
    CONCEAL = 2,  /* and tell nobody */
    SECRET = 4,   /* something that is not to be given away */
    ORDER = 8,    /* do this */
    SEND = 16,    /* and where to send it */
    LOWERED = 128 /* it was judged below high for what stands around it */
};

static unsigned act_of(const char *family) {
    static const struct {
        const char *family;
        unsigned act;
    } rows[] = {
        { "override", OVERRIDE }, { "languages", OVERRIDE }, { "stealth", CONCEAL },   { "leak", SECRET },
        { "credential", SECRET }, { "secrets", SECRET },     { "shell", ORDER },       { "tool_poisoning", ORDER },
        { "persistence", ORDER }, { "persona", ORDER },      { "exfiltration", SEND },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].family, family)) return rows[i].act;
    return 0;
}

static bool belong_together(unsigned acts) {
    bool sent = acts & SEND && acts & (OVERRIDE | SECRET | ORDER),
         concealed = acts & CONCEAL && acts & (OVERRIDE | SECRET | ORDER);
    return sent || concealed;
}

/* `at` is a span of the piece. */
void toad__acts_note(toad_scanner *s, const char *family, toad_span at, bool lowered) {
    unsigned acts = act_of(family) | (lowered ? LOWERED : 0);
    if (!acts) return;
    if (!s->acted) memset(s->acts, 0, sizeof s->acts);
    s->acted = true;
    for (size_t b = (size_t)at.start / TOAD__ACTS_BLOCK; b <= at.end / TOAD__ACTS_BLOCK; b++) s->acts[b] |= acts;
}

/* Is one of the blocks of the span near two acts that belong together? */
static bool is_meant(const toad_scanner *s, toad_span at) {
    size_t from = (size_t)at.start / TOAD__ACTS_BLOCK, to = (size_t)at.end / TOAD__ACTS_BLOCK + NEAR;
    unsigned acts = 0;
    from -= from < NEAR ? from : NEAR;
    if (to >= TOAD__ACTS_BLOCKS) to = TOAD__ACTS_BLOCKS - 1;
    for (size_t b = from; b <= to; b++) acts |= s->acts[b];
    return belong_together(acts);
}

void toad__acts_restore(toad_scanner *s) {
    if (!s->acted) return;
    for (size_t b = 0; b < TOAD__ACTS_BLOCKS && s->verdict.severity < TOAD_HIGH; b++) {
        toad_span block = { b * TOAD__ACTS_BLOCK, b * TOAD__ACTS_BLOCK };
        if (s->acts[b] & LOWERED && is_meant(s, block)) s->verdict.severity = TOAD_HIGH;
    }
    for (size_t i = 0; i < s->verdict.n; i++) {
        toad__record *r = &s->verdict.records[i];
        toad_span at = { r->finding.span.start - s->base, r->finding.span.end - s->base };
        if (r->plain > r->finding.severity && is_meant(s, at)) r->finding.severity = r->plain;
    }
}
