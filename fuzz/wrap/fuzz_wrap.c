/* Any bytes in any envelope: no live marker or token inside, one end and that last, the content found again, no longer
 * than asked. The first byte chooses the family and the options. */
#include "bezoar/wrap.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static bool draw(void *ctx, void *p, size_t n) {
    (void)ctx;
    memset(p, 0xA5, n);
    return true;
}

static void must_be_inert(bzr_str s) {
    size_t at;
    MUST(bzr_find_marker(s, &at) == BZR_OK && at == s.n);
}

static void check_neutralize(bzr_str in, bool sanitize) {
    bzr_text *once = NULL, *twice = NULL;
    MUST(bzr_neutralize(in, sanitize, &once) == BZR_OK);
    must_be_inert(bzr_text_str(once));
    MUST(bzr_neutralize(bzr_text_str(once), false, &twice) == BZR_OK);
    MUST(bzr__str_eq(bzr_text_str(once), bzr_text_str(twice)));
    bzr_text_free(once);
    bzr_text_free(twice);
}

static void check_wrap(bzr_str in, const bzr_wrap_options *o) {
    bzr_text *envelope = NULL;
    bzr_unwrapped *u = NULL;
    bzr_status status = bzr_wrap(in, o, &envelope);
    if (status == BZR_E_LIMIT) return;
    MUST(status == BZR_OK);
    if (!envelope || (o->envelope == BZR_ENVELOPE_PTC && !in.n)) {
        bzr_text_free(envelope);
        return;
    }
    bzr_str text = bzr_text_str(envelope);
    MUST(!o->max_bytes || text.n <= o->max_bytes);
    MUST(bzr_unwrap(text, BZR__S(""), &u) == BZR_OK);
    MUST(bzr_unwrapped_envelope(u) == o->envelope);
    if (o->spotlight == BZR_SPOTLIGHT_DELIMIT) must_be_inert(bzr_unwrapped_content(u));
    if (!o->quote_lines && !o->max_bytes && o->keep_raw && o->envelope == BZR_ENVELOPE_OPENCLAW) {
        bzr_text *plain = NULL;
        MUST(bzr_neutralize(in, false, &plain) == BZR_OK);
        MUST(bzr__str_eq(bzr_text_str(plain), bzr_unwrapped_content(u)));
        bzr_text_free(plain);
    }
    bzr_unwrapped_free(u);
    bzr_text_free(envelope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_wrap_options o = BZR_WRAP_OPTIONS_INIT;
    uint8_t how = size ? data[0] : 0;
    bzr_str in = bzr__str(size ? data + 1 : data, size ? size - 1 : 0), label = bzr__str_part(in, 0, 40);
    check_neutralize(in, how & 1);
    o.envelope = (bzr_envelope)(how % 6);
    o.keep_raw = how & 8;
    o.quote_lines = (how & 0x30) == 0x30;
    o.max_bytes = how & 0x40 ? 700u : 0;
    o.spotlight = o.envelope == BZR_ENVELOPE_SPOTLIGHT ? (bzr_spotlight)(how / 6 % 3) : BZR_SPOTLIGHT_DELIMIT;
    o.random = draw;
    if (how & 0x80) o.source = o.sender = o.subject = o.task = label;
    check_wrap(in, &o);
    return 0;
}
