/* content.c - see content.h. Sanitizing comes before wrapping here, once, so that what it removed can be told. */
#include "app/scan/content.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

bzr_status bzr__sanitize_content(bzr_str in, bzr__buf *out, bzr__census *removed) {
    *removed = (bzr__census){ 0 };
    return bzr__sanitize(in, out, NULL, removed);
}

bzr_status bzr__wrap_content(bzr_str in, const bzr_wrap_options *options, bzr_text **ret, bzr__census *removed) {
    bzr_wrap_options raw = *options;
    bzr__buf clean;
    *removed = (bzr__census){ 0 };
    if (options->keep_raw || !in.p) return bzr_wrap(in, options, ret);
    raw.keep_raw = true;
    bzr__buf_init(&clean, 4 * in.n + 64);
    bzr_status status = bzr__sanitize_content(in, &clean, removed);
    if (!status) status = bzr_wrap(clean.n ? bzr__buf_str(&clean) : BZR__S(""), &raw, ret);
    bzr__buf_free(&clean);
    return status;
}

void bzr__add_removed(bzr__buf *b, const bzr__census *removed) {
    const char *comma = "";
    bzr__buf_add_c(b, '[');
    for (int i = 0; i < BZR__CENSUS_CLASSES; i++) {
        if (!removed->count[i]) continue;
        bzr__buf_add_z(b, comma);
        bzr__buf_add_z(b, "{\"class\":");
        bzr__json_add_str(b, bzr__str_z(bzr__census_rule((bzr__census_class)i)));
        bzr__buf_add_z(b, ",\"count\":");
        bzr__buf_add_u64(b, removed->count[i]);
        bzr__buf_add_c(b, '}');
        comma = ",";
    }
    bzr__buf_add_c(b, ']');
}
