/* container.h - files that hold other files: archives, office documents, mails, notebooks. Opened into parts, each of
 * which is text to be scanned, something that is no text, or something that stayed closed and why.
 *
 * Nothing is written anywhere and nothing recurses: parts are a list that grows while it is walked. Names inside are a
 * stranger's: control bytes in them are replaced, they are cut, and whoever prints them escapes them. Depth, parts and
 * bytes are bounded (lib/base/limits.h); what a bound leaves out is a part that stayed closed, so that it cannot be
 * taken for clean. Thread rule: one thread at a time. */
#ifndef TOAD_CONTAINER_CONTAINER_H
#define TOAD_CONTAINER_CONTAINER_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/limits.h"
#include "toadstone/scan.h"

typedef struct toad__part {
    toad_str name;  /* "a.txt", of a container in a container "inner.zip!/a.txt"; empty: the file itself */
    toad_str text;  /* what is to be scanned; may be of no text where `binary` could not be told */
    toad_str label; /* its Content-Type, as a mail claims it; else empty */
    const char *steps[TOAD__LIMIT_CONTAINER_DEPTH + 1]; /* "zip:inner.zip", "zip:a.txt": the way to it */
    size_t steps_n;
    toad_span at;                   /* in the outermost file: where it lies packed */
    const char *closed;             /* NULL, or a sentence of ours why it, or the rest of it, was not opened */
    toad_completeness completeness; /* that of `closed` */
    bool binary;                    /* no text, and none is given */
    bool plain;                     /* private: text, whatever it looks like */
    toad_kind kind;                 /* of text: TOAD_KIND_EMAIL in a mail, else TOAD_KIND_ANY */
    bool opened;                    /* it was a container itself: its parts follow, there is nothing else to scan */
    unsigned depth, layers;         /* private: containers around it; those and what only wraps */
    char *own;                      /* private: the memory of `text`, or NULL where it stands in another */
} toad__part;

typedef struct toad__parts {
    toad__part *rows; /* the file itself first */
    size_t n, cap;
    toad__arena arena;
} toad__parts;

/* What kind of container this is, by its first bytes (a few thousand are enough) and its name: "zip", "tar", "mail" ...
 * NULL: none. */
const char *toad__container_kind(toad_str name, toad_str head);
/* Open `bytes`, which must outlive the parts, and all containers in it. `is_binary` says of the beginning of a part
 * that it is no text. Free the parts whatever comes back. Errors: TOAD_E_NOMEM. */
toad_status toad__container_open(toad_str name, toad_str bytes, bool (*is_binary)(toad_str head), toad__parts *ret);
void toad__parts_free(toad__parts *p);

#endif
