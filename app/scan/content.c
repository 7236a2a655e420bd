/* content.c - see content.h. Sanitizing comes before wrapping here, once, so that what it removed can be told. */
#include "app/scan/content.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

toad_status toad__sanitize_content(toad_str in, toad__buf *out, toad__census *removed) {
    *removed = (toad__census){ 0 };
    return toad__sanitize(in, out, NULL, removed);
}

toad_status toad__wrap_content(toad_str in, const toad_wrap_options *options, toad_text **ret, toad__census *removed) {
    toad_wrap_options raw = *options;
    toad__buf clean;
    *removed = (toad__census){ 0 };
    if (options->keep_raw || !in.p) return toad_wrap(in, options, ret);
    raw.keep_raw = true;
    toad__buf_init(&clean, 4 * in.n + 64);
    toad_status status = toad__sanitize_content(in, &clean, removed);
    if (!status) status = toad_wrap(clean.n ? toad__buf_str(&clean) : TOAD__S(""), &raw, ret);
    toad__buf_free(&clean);
    return status;
}

void toad__add_removed(toad__buf *b, const toad__census *removed) {
    const char *comma = "";
    toad__buf_add_c(b, '[');
    for (int i = 0; i < TOAD__CENSUS_CLASSES; i++) {
        if (!removed->count[i]) continue;
        toad__buf_add_z(b, comma);
        toad__buf_add_z(b, "{\"class\":");
        toad__json_add_str(b, toad__str_z(toad__census_rule((toad__census_class)i)));
        toad__buf_add_z(b, ",\"count\":");
        toad__buf_add_u64(b, removed->count[i]);
        toad__buf_add_c(b, '}');
        comma = ",";
    }
    toad__buf_add_c(b, ']');
}
