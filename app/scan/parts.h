/* parts.h - the parts of a container as texts that can be scanned, and what was found in them as one verdict.
 *
 * A finding's path begins with the way to its part ("zip:inner/name"), its span is where the part lies packed in the
 * file. What stayed closed makes the verdict incomplete. */
#ifndef TOAD_APP_PARTS_H
#define TOAD_APP_PARTS_H

#include "lib/container/container.h"
#include "lib/scan/verdict.h"

/* Is there something in it: is it a container, or a PDF, which is read as the page that shows the same? */
bool toad__has_parts(toad_str name, toad_str head);
/* Make the text of a part what is to be scanned, in UTF-8: of a PDF its page, of a mail's body what its charset says.
 * What cannot be read is closed. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__part_read(toad__part *part);

typedef struct toad__merged {
    toad_verdict verdict;
    toad__arena arena;
    size_t cap;
} toad__merged;

void toad__merged_init(toad__merged *m);
void toad__merged_free(toad__merged *m);
/* Append what was found in a part, as far as there is room for it; its completeness is the caller's to weigh. Errors:
 * TOAD_E_NOMEM. */
toad_status toad__merged_add(toad__merged *m, const toad__part *part, const toad_verdict *v);
void toad__merged_worsen(toad__merged *m, toad_completeness how);

#endif
