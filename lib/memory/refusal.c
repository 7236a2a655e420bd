/* refusal.c - what is said when a memory entry is refused or blocked: seed 003's words. Ids are sorted and each is
 * shown once, so that the snapshot is byte-stable for the same rows. */
#include "bezoar/memory.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdlib.h>

static bzr_status finish(bzr__buf *out, bzr_text **ret) {
    bzr_status status = bzr__buf_to_text(out, ret);
    bzr__buf_free(out);
    return status;
}

bzr_status bzr_memory_refusal(bzr_str rule_id, bzr_text **ret) {
    bzr__buf message, out;
    bzr__buf_init(&message, SIZE_MAX / 4);
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr__buf_add_z(&message, "Content blocked: matched prompt-injection pattern '");
    bzr__buf_add_str(&message, rule_id);
    bzr__buf_add_z(&message, "'. Rephrase the entry.");
    bzr__buf_add_z(&out, "{\"success\":false,\"error\":");
    bzr__json_add_str(&out, bzr__buf_str(&message));
    bzr__buf_add_c(&out, '}');
    bzr_status status = message.status;
    bzr__buf_free(&message);
    if (!status) return finish(&out, ret);
    bzr__buf_free(&out);
    return status;
}

static int by_bytes(const void *a, const void *b) {
    const bzr_str *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = n ? memcmp(x->p, y->p, n) : 0;
    return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

bzr_status bzr_memory_placeholder(const bzr_str *ids, size_t n, bzr_str entry_id, bzr_text **ret) {
    bzr__buf out;
    bzr_str *sorted = n < SIZE_MAX / sizeof *sorted ? malloc((n ? n : 1) * sizeof *sorted) : NULL;
    if (!sorted) return BZR_E_NOMEM;
    if (n) memcpy(sorted, ids, n * sizeof *sorted);
    if (n > 1) qsort(sorted, n, sizeof *sorted, by_bytes);
    bzr__buf_init(&out, SIZE_MAX / 4);
    bzr__buf_add_z(&out, "[BLOCKED: entry contained threat pattern(s): ");
    for (size_t i = 0; i < n; i++) {
        if (i && bzr__str_eq(sorted[i], sorted[i - 1])) continue;
        if (i) bzr__buf_add_z(&out, ", ");
        bzr__buf_add_str(&out, sorted[i]);
    }
    bzr__buf_add_z(&out, ". Use delete_memory(id=");
    bzr__buf_add_str(&out, entry_id);
    bzr__buf_add_z(&out, ") to remove it.]");
    free(sorted);
    return finish(&out, ret);
}
