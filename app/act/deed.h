/* deed.h - what sort of deed a tool call is, from the tool's name and the names of its arguments.
 *
 * Tools are named by strangers, so a name can only make a call graver: what is not known to be reading is not taken for
 * it. Pure functions, linear. */
#ifndef BZR_APP_DEED_H
#define BZR_APP_DEED_H

#include "lib/base/json.h"

typedef enum bzr__deed {
    BZR__DEED_READING, /* questions, summaries, reading: never asked about */
    BZR__DEED_OTHER,   /* not known */
    BZR__DEED_FILE_CHANGE,
    BZR__DEED_DISCLOSURE,
    BZR__DEED_OUTSIDE_MESSAGE,
    BZR__DEED_COMMAND,
    BZR__DEED_PURCHASE,
} bzr__deed;

/* `arguments` may be NULL. */
bzr__deed bzr__deed_of(bzr_str tool, const bzr__json *arguments);
/* "reading", "other", "file_change", "disclosure", "outside_message", "command", "purchase"; static storage. */
const char *bzr__deed_name(bzr__deed deed);
/* How many bytes one URL in this text can carry out: its query, or one segment of its path or label of its host, in
 * which words between hyphens count half. */
size_t bzr__deed_url_payload(bzr_str text);

#endif
