/* api.c - the public face of the sanitizer: sizes, defaults and the list of what was removed. */
#include "bezoar/text.h"
#include "lib/base/str.h"
#include "lib/text/sanitize.h"

#include <assert.h>

#define DEFAULT_MAX (1u << 30)

static_assert(BZR__CENSUS_CLASSES <= BZR_REMOVED_MAX, "the public list holds every class");

static void list(const bzr__census *census, bzr_removed *removed) {
    *removed = (bzr_removed){ .n = 0 };
    for (int c = 0; c < BZR__CENSUS_CLASSES; c++) {
        if (!census->count[c]) continue;
        removed->list[removed->n++] = (bzr_removed_class){ bzr__census_rule((bzr__census_class)c), census->count[c],
                                                           census->first[c], census->reported[c] };
    }
}

/* max_bytes of whatever version of the struct the caller was built with. */
static size_t ceiling(const bzr_sanitize_options *options) {
    if (!options || options->size < offsetof(bzr_sanitize_options, max_bytes) + sizeof options->max_bytes ||
        !options->max_bytes)
        return DEFAULT_MAX;
    return options->max_bytes < SIZE_MAX ? (size_t)options->max_bytes : SIZE_MAX;
}

bzr_status bzr_sanitize(bzr_str in, const bzr_sanitize_options *options, bzr_text **ret, bzr_removed *removed) {
    if (!ret || (!in.p && in.n)) return BZR_E_ARG;
    bzr__buf out;
    bzr__buf_init(&out, ceiling(options));
    bzr__census census;
    bzr_status status = bzr__sanitize(in, &out, NULL, &census);
    if (!status) status = bzr__buf_to_text(&out, ret);
    bzr__buf_free(&out);
    if (!status && removed) list(&census, removed);
    return status;
}

bool bzr_is_clean(bzr_str in) { return bzr__sanitize_is_clean(in); }
