/* unpack.h - what a reader of one kind of container is given: the part it opens, and where its parts go. */
#ifndef TOAD_CONTAINER_UNPACK_H
#define TOAD_CONTAINER_UNPACK_H

#include "lib/base/cursor.h"
#include "lib/container/container.h"
#include "lib/decode/deflate.h"

typedef struct toad__unpack {
    toad__parts *to;
    toad_str file;   /* the name of the outermost file */
    toad__part from; /* a copy: the list may move */
    const char *kind;
    size_t room; /* bytes that may still be unpacked, of the whole file */
    bool (*is_binary)(toad_str head);
    bool wraps;   /* what comes is no deeper than what it was in: gzip around tar */
    bool plain;   /* what comes is text, whatever it looks like: it is neither opened nor taken for no text */
    toad_kind of; /* what the text is to its reader: a mail, else not known */
    toad_span at; /* of the next part, in the bytes that are opened; 0, 0: anywhere */
    toad_status status;
} toad__unpack;

/* One kind: how it is known, and its reader. A reader adds parts, or closes what it cannot read, and never fails but
 * for u->status. */
typedef struct toad__container {
    const char *kind;
    bool (*is)(toad_str name, toad_str head);
    void (*open)(toad__unpack *u, toad_str bytes);
} toad__container;

extern const toad__container toad__container_zip, toad__container_tar, toad__container_gzip, toad__container_calendar,
    toad__container_mail, toad__container_notebook, toad__container_pyc, toad__container_closed;

/* A part whose text stands in the bytes that are opened. NULL: u->status says why, or there are too many. */
toad__part *toad__unpack_add(toad__unpack *u, toad_str name, toad_str text);
/* A part with the text of `b`, which is emptied; its bytes count against the room. */
toad__part *toad__unpack_take(toad__unpack *u, toad_str name, toad__buf *b);
/* A part that is no text. */
void toad__unpack_binary(toad__unpack *u, toad_str name);
/* Is what is packed here (raw deflate) no text? Its beginning tells, and the rest is never unpacked. */
bool toad__unpack_is_binary(toad__unpack *u, toad_str name, toad_str packed);
/* A part that stays closed. */
void toad__unpack_close(toad__unpack *u, toad_str name, const char *why, toad_completeness completeness);
/* Raw deflate into a new part; *ret_left: bytes behind the stream. */
toad__part *toad__unpack_inflate(toad__unpack *u, toad_str name, toad_str packed, size_t *ret_left);

/* Say that a part, or the rest of it, stays closed, unless that is known or there is none. */
void toad__part_close(toad__part *part, const char *why, toad_completeness completeness);

/* Append what base64 stands for, whatever stands between its digits. False: it ends within a byte. */
bool toad__unpack_base64(toad_str in, toad__buf *out);
/* Does the name end so, in any case of letters? */
bool toad__name_ends(toad_str name, const char *ending);
/* The text of a part of an office document (XML) as HTML, what is hidden in it as what a page hides. False: it
 * declares entities, which no office program writes, and was not read. */
bool toad__office_text(toad_str xml, toad__buf *out);

#define TOAD__CLOSED_DAMAGED   "it is damaged"
#define TOAD__CLOSED_CUT       "it ends too early"
#define TOAD__CLOSED_ENCRYPTED "it is encrypted"
#define TOAD__CLOSED_METHOD    "it is packed in a way that is not read here"
#define TOAD__CLOSED_LARGE     "it unpacks to too much"
#define TOAD__CLOSED_DEEP      "it lies too deep in containers"

#endif
