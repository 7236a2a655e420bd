/* api.c - the public face of the sanitizer: sizes, defaults and the list of what was removed. */
#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/text/sanitize.h"
#include "toadstone/text.h"

#include <assert.h>

#define DEFAULT_MAX (1u << 30)

static_assert(TOAD__CENSUS_CLASSES <= TOAD_REMOVED_MAX, "the public list holds every class");

static void list(const toad__census *census, toad_removed *removed) {
    *removed = (toad_removed){ .n = 0 };
    for (int c = 0; c < TOAD__CENSUS_CLASSES; c++) {
        if (!census->count[c]) continue;
        removed->list[removed->n++] = (toad_removed_class){ toad__census_rule((toad__census_class)c), census->count[c],
                                                            census->first[c], census->reported[c] };
    }
}

TOAD__SIZED(toad_sanitize_options, max_bytes);

toad_status toad_sanitize(toad_str in, const toad_sanitize_options *options, toad_text **ret, toad_removed *removed) {
    toad_sanitize_options o = TOAD_SANITIZE_OPTIONS_INIT;
    if (!ret || (!in.p && in.n) || !toad__options_take(&o, sizeof o, options)) return TOAD_E_ARG;
    if (!o.max_bytes) o.max_bytes = DEFAULT_MAX;
    toad__buf out;
    toad__buf_init(&out, o.max_bytes < SIZE_MAX ? (size_t)o.max_bytes : SIZE_MAX);
    toad__census census;
    toad_status status = toad__sanitize(in, &out, NULL, &census);
    if (!status) status = toad__buf_to_text(&out, ret);
    toad__buf_free(&out);
    if (!status && removed) list(&census, removed);
    return status;
}

bool toad_is_clean(toad_str in) { return toad__sanitize_is_clean(in); }
