/* Any bytes in any envelope: no live marker or token inside, one end and that last, the content found again, no longer
 * than asked. The first byte chooses the family and the options. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "toadstone/wrap.h"

static bool draw(void *ctx, void *p, size_t n) {
    (void)ctx;
    memset(p, 0xA5, n);
    return true;
}

static void must_be_inert(toad_str s) {
    size_t at;
    MUST(toad_find_marker(s, &at) == TOAD_OK && at == s.n);
}

static void check_neutralize(toad_str in, bool sanitize) {
    toad_text *once = NULL, *twice = NULL;
    MUST(toad_neutralize(in, sanitize, &once) == TOAD_OK);
    must_be_inert(toad_text_str(once));
    MUST(toad_neutralize(toad_text_str(once), false, &twice) == TOAD_OK);
    MUST(toad__str_eq(toad_text_str(once), toad_text_str(twice)));
    toad_text_free(once);
    toad_text_free(twice);
}

static void check_wrap(toad_str in, const toad_wrap_options *o) {
    toad_text *envelope = NULL;
    toad_unwrapped *u = NULL;
    toad_status status = toad_wrap(in, o, &envelope);
    if (status == TOAD_E_LIMIT) return;
    MUST(status == TOAD_OK);
    if (!envelope || (o->envelope == TOAD_ENVELOPE_PTC && !in.n)) {
        toad_text_free(envelope);
        return;
    }
    toad_str text = toad_text_str(envelope);
    MUST(!o->max_bytes || text.n <= o->max_bytes);
    MUST(toad_unwrap(text, TOAD__S(""), &u) == TOAD_OK);
    MUST(toad_unwrapped_envelope(u) == o->envelope);
    if (o->spotlight == TOAD_SPOTLIGHT_DELIMIT) must_be_inert(toad_unwrapped_content(u));
    if (!o->quote_lines && !o->max_bytes && o->keep_raw && o->envelope == TOAD_ENVELOPE_OPENCLAW) {
        toad_text *plain = NULL;
        MUST(toad_neutralize(in, false, &plain) == TOAD_OK);
        MUST(toad__str_eq(toad_text_str(plain), toad_unwrapped_content(u)));
        toad_text_free(plain);
    }
    toad_unwrapped_free(u);
    toad_text_free(envelope);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_wrap_options o = TOAD_WRAP_OPTIONS_INIT;
    uint8_t how = size ? data[0] : 0;
    toad_str in = toad__str(size ? data + 1 : data, size ? size - 1 : 0), label = toad__str_part(in, 0, 40);
    check_neutralize(in, how & 1);
    o.envelope = (toad_envelope)(how % 6);
    o.keep_raw = how & 8;
    o.quote_lines = (how & 0x30) == 0x30;
    o.max_bytes = how & 0x40 ? 700u : 0;
    o.spotlight = o.envelope == TOAD_ENVELOPE_SPOTLIGHT ? (toad_spotlight)(how / 6 % 3) : TOAD_SPOTLIGHT_DELIMIT;
    o.random = draw;
    if (how & 0x80) o.source = o.sender = o.subject = o.task = label;
    check_wrap(in, &o);
    return 0;
}
