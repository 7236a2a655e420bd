/* trace.h - who named what an act is about to touch?
 *
 * The arguments of an act are compared with what the user said and with what the agent has read, in the order it read
 * it. What matters is the sink: the address, account, path, page, person or command that the act goes to; bodies of
 * messages and the like weigh less. A value may come from the user; from a field of a record that the user's words lead
 * to, look-up by look-up; from the running text of such a record; from a look-up that nobody's words lead to; or from a
 * passage that orders something, or a look-up made because of one. Nothing is read for its meaning but by the scanner,
 * which says where passages order something, and by a small table of verbs (verbs.h); all else is comparing of folded
 * words, and works in every language.
 *
 * Cost: each text is folded and cut into words once, and each word looked up in a table of what is sought; linear, but
 * for LIMITS of values and places. Thread rule: one thread at a time. */
#ifndef TOAD_APP_TRACE_H
#define TOAD_APP_TRACE_H

#include "app/act/passage.h"
#include "lib/base/json.h"

/* Where a value comes from; what follows is graver. */
typedef enum toad__origin_of {
    TOAD__FROM_NOWHERE, /* in nothing that was said or read */
    TOAD__FROM_USER,
    TOAD__FROM_FIELD,   /* a field of a result that the user's words lead to */
    TOAD__FROM_PROSE,   /* the running text of such a result */
    TOAD__FROM_STRAY,   /* a result that they do not lead to */
    TOAD__FROM_DERIVED, /* a result that was asked for because an ordering passage said so */
    TOAD__FROM_ORDER,   /* a passage that orders something */
} toad__origin_of;

typedef struct toad__trace_read {
    toad_str tool;       /* that read it; empty: unknown */
    toad_str id, source; /* the caller's: what content it is, from where */
    toad_str text;
    const toad__json *arguments; /* of the call it is the result of; NULL: unknown or none */
    toad__passages orders;
} toad__trace_read;

typedef struct toad__trace_act {
    toad_str said;    /* what the user said, all of it */
    toad_str trusted; /* what the operator said: a system prompt */
    const toad__trace_read *reads;
    size_t reads_n;
    toad_str tool;
    const toad__json *arguments;
} toad__trace_act;

/* A value of the act, or a part of one: an address, a path, a long number in it. */
typedef struct toad__traced {
    toad_str argument; /* the name it stands under */
    toad_str value;    /* as in the act; escape it */
    bool sink, part;
    toad__origin_of from;
    size_t read;  /* from the user's words on: where it was read first */
    toad_span at; /* ... there, in bytes of the original */
} toad__traced;

typedef enum toad__trace_why {
    TOAD__WHY_READS,    /* it only reads */
    TOAD__WHY_USER,     /* allow: the user named it */
    TOAD__WHY_FIELD,    /* allow: it was looked up on the user's way */
    TOAD__WHY_NOBODY,   /* allow: no stranger named it */
    TOAD__WHY_ORDER,    /* ask: a passage that gives orders names it */
    TOAD__WHY_DERIVED,  /* ask: it was looked up because such a passage said so */
    TOAD__WHY_STRANGER, /* ask: only running text that the user did not write names it, near words for such an act */
    TOAD__WHY_KIND,     /* ask: such a passage speaks of acts of this kind, and the user does not */
    TOAD__WHY_UNKNOWN,  /* ask: there was more to compare than LIMITS allow */
} toad__trace_why;

typedef struct toad__trace {
    bool ask;
    toad__trace_why why;
    const toad__traced *rows; /* the arena's; the gravest sink first */
    size_t n;
    const toad__trace_read *reads; /* those of the act */
} toad__trace;

/* Errors: TOAD_E_NOMEM. */
toad_status toad__trace_act_of(const toad__trace_act *act, toad__arena *arena, toad__trace *ret);
/* "nowhere", "user", "field", "prose", "stray", "derived", "order". */
const char *toad__origin_name(toad__origin_of from);
/* One sentence of ours. */
const char *toad__trace_reason(toad__trace_why why);

#endif
