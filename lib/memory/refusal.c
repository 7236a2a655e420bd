/* refusal.c - what is said when a memory entry is refused or blocked, in words that agents know. Ids are sorted and
 * each is shown once, so that the snapshot is byte-stable for the same rows. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "toadstone/memory.h"

#include <stdlib.h>

toad_status toad_memory_refusal(toad_str rule_id, toad_text **ret) {
    toad__buf message, out;
    if (!ret || (!rule_id.p && rule_id.n)) return TOAD_E_ARG;
    toad__buf_init(&message, SIZE_MAX / 4);
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&message, "Content blocked: matched prompt-injection pattern '");
    toad__buf_add_str(&message, rule_id);
    toad__buf_add_z(&message, "'. Rephrase the entry.");
    toad__buf_add_z(&out, "{\"success\":false,\"error\":");
    toad__json_add_str(&out, toad__buf_str(&message));
    toad__buf_add_c(&out, '}');
    toad_status status = message.status;
    toad__buf_free(&message);
    if (!status) return toad__finish(&out, ret);
    toad__buf_free(&out);
    return status;
}

static int by_bytes(const void *a, const void *b) {
    const toad_str *x = a, *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int c = n ? memcmp(x->p, y->p, n) : 0;
    return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

toad_status toad_memory_placeholder(const toad_str *ids, size_t n, toad_str entry_id, toad_text **ret) {
    toad__buf out;
    if (!ret || (n && !ids) || (!entry_id.p && entry_id.n)) return TOAD_E_ARG;
    toad_str *sorted = n < SIZE_MAX / sizeof *sorted ? malloc((n ? n : 1) * sizeof *sorted) : NULL;
    if (!sorted) return TOAD_E_NOMEM;
    if (n) memcpy(sorted, ids, n * sizeof *sorted);
    if (n > 1) qsort(sorted, n, sizeof *sorted, by_bytes);
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "[BLOCKED: entry contained threat pattern(s): ");
    for (size_t i = 0; i < n; i++) {
        if (i && toad__str_eq(sorted[i], sorted[i - 1])) continue;
        if (i) toad__buf_add_z(&out, ", ");
        toad__buf_add_str(&out, sorted[i]);
    }
    toad__buf_add_z(&out, ". Use delete_memory(id=");
    toad__buf_add_str(&out, entry_id);
    toad__buf_add_z(&out, ") to remove it.]");
    free(sorted);
    return toad__finish(&out, ret);
}
