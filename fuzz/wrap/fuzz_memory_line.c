/* Any text as a memory line: it stays one line, keeps its provenance, and is read back as it was written. Any bytes as
 * a line: read or refused. */
#include "bezoar/memory.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size);
    bzr_text *line = NULL, *again = NULL;
    bzr_memory_entry *e = NULL, *f = NULL;
    bzr_provenance p = (bzr_provenance)(size % 3);
    if (!bzr_memory_parse_line(in, &e)) bzr_memory_entry_free(e);
    e = NULL;
    MUST(bzr_memory_line(in, p, BZR__S("2026-04-12"), &line) == BZR_OK);
    bzr_str s = bzr_text_str(line);
    MUST(bzr__str_find(s, BZR__S("\n"), 0) == s.n && bzr__str_find(s, BZR__S("\r"), 0) == s.n);
    if (!bzr_memory_parse_line(s, &e)) {
        MUST(bzr_memory_entry_provenance(e) == p && bzr__str_eq(bzr_memory_entry_date(e), BZR__S("2026-04-12")));
        MUST(bzr_memory_line(bzr_memory_entry_text(e), p, BZR__S("2026-04-12"), &again) == BZR_OK);
        MUST(!bzr_memory_parse_line(bzr_text_str(again), &f));
        MUST(bzr__str_eq(bzr_memory_entry_text(e), bzr_memory_entry_text(f)));
        bzr_memory_entry_free(f);
        bzr_text_free(again);
    }
    bzr_memory_entry_free(e);
    bzr_text_free(line);
    return 0;
}
