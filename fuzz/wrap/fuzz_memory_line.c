/* Any text as a memory line: it stays one line, keeps its provenance, and is read back as it was written. Any bytes as
 * a line: read or refused. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "toadstone/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    toad_text *line = NULL, *again = NULL;
    toad_memory_entry *e = NULL, *f = NULL;
    toad_provenance p = (toad_provenance)(size % 3);
    if (!toad_memory_parse_line(in, &e)) toad_memory_entry_free(e);
    e = NULL;
    MUST(toad_memory_line(in, p, TOAD__S("2026-04-12"), &line) == TOAD_OK);
    toad_str s = toad_text_str(line);
    MUST(toad__str_find(s, TOAD__S("\n"), 0) == s.n && toad__str_find(s, TOAD__S("\r"), 0) == s.n);
    if (!toad_memory_parse_line(s, &e)) {
        MUST(toad_memory_entry_provenance(e) == p && toad__str_eq(toad_memory_entry_date(e), TOAD__S("2026-04-12")));
        MUST(toad_memory_line(toad_memory_entry_text(e), p, TOAD__S("2026-04-12"), &again) == TOAD_OK);
        MUST(!toad_memory_parse_line(toad_text_str(again), &f));
        MUST(toad__str_eq(toad_memory_entry_text(e), toad_memory_entry_text(f)));
        toad_memory_entry_free(f);
        toad_text_free(again);
    }
    toad_memory_entry_free(e);
    toad_text_free(line);
    return 0;
}
