/* answer.h - what an operation answers: one object of members, rows and texts, which is text only at a face.
 *
 * The operation adds what it has to say in the order in which it is to be written; the caller owns the answer. The
 * command line prints tables and texts from the members, MCP sends what the one writer makes of them: nothing that we
 * wrote is read again. The nodes are those of lib/base/json.h, so toad__json_get reads an answer as it reads anybody's
 * JSON.
 *
 * Invariants: `root` is an object and has each member once: one that is said again stands where it was said last; an
 * answer whose `status` is not TOAD_OK takes nothing more, and is no answer; everything but keys is copied. Nesting is
 * ours, so at most TOAD__ANSWER_DEPTH. Cost: one node a value, one copy a text. */
#ifndef TOAD_APP_ANSWER_H
#define TOAD_APP_ANSWER_H

#include "lib/base/json.h"

#define TOAD__ANSWER_DEPTH 8

typedef struct toad__answer {
    toad__json root;
    toad__json **next[TOAD__ANSWER_DEPTH]; /* where the next member goes, of the root and of what is open in it */
    size_t depth;
    toad_status status; /* TOAD_OK, TOAD_E_NOMEM or TOAD_E_LIMIT */
    toad__arena arena;
} toad__answer;

/* Start with nothing said; `max` is the most bytes it will ever hold. Not to be copied. */
void toad__answer_init(toad__answer *a, size_t max);
void toad__answer_free(toad__answer *a);
/* Take back all that was said, and the failure. */
void toad__answer_clear(toad__answer *a);

/* Add a member, or an item of the array that is open: then `key` is NULL. Keys are words of ours and outlive the
 * answer. Slices with p NULL and times of 0 are null. */
void toad__answer_str(toad__answer *a, const char *key, toad_str value);
void toad__answer_z(toad__answer *a, const char *key, const char *value);
void toad__answer_int(toad__answer *a, const char *key, int64_t value);
void toad__answer_bool(toad__answer *a, const char *key, bool value);
void toad__answer_real(toad__answer *a, const char *key, double value); /* two decimals */
void toad__answer_time(toad__answer *a, const char *key, int64_t micros);
/* `s` where there is something, else null. */
void toad__answer_some(toad__answer *a, const char *key, toad_str s);
/* JSON that stands in a row or came with a call: written as it stands, and readable. False: it is none, and nothing is
 * added. */
bool toad__answer_json(toad__answer *a, const char *key, toad_str value);
/* All members of such an object. */
bool toad__answer_members(toad__answer *a, toad_str object);
/* `body` is the inside of a JSON string already. */
void toad__answer_escaped(toad__answer *a, const char *key, toad_str body);
/* What follows goes into it, until its end. */
void toad__answer_object(toad__answer *a, const char *key);
void toad__answer_array(toad__answer *a, const char *key);
void toad__answer_end(toad__answer *a);

/* Has anything been said? Does it say "success":false? */
bool toad__answer_any(const toad__answer *a);
bool toad__answer_refused(const toad__answer *a);
/* Append it as JSON, on one line. A failure of the answer is one of `out`. */
void toad__answer_write(const toad__answer *a, toad__buf *out);
/* The same of one of its values. */
void toad__answer_write_value(const toad__json *value, toad__buf *out);

#endif
