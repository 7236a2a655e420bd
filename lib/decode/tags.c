/* tags.c - text in tag characters (U+E0000..E007F) and in the block above them, which some tools use for bytes from 80
 * on.
 *
 * Tags are read wherever they stand, in a row or one after each visible letter, as ASCII or bytes of UTF-8. Surrogate
 * pairs in UTF-8 (CESU-8) count as well. The flags of England, Scotland and Wales are the only tag sequences with a
 * meaning and are passed over. Source: UTS #51 (RGI tag sequences). */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step step = { "tags", TOAD__HIDES };

#define LEAST 2u
#define APART 64u /* bytes without a tag that make a new line */

static bool is_tag(uint32_t c) { return c >= 0xE0000 && c <= 0xE00FF; }

/* Bytes of a flag's tags at `at`, 0 if no flag stands there. */
static size_t flag(toad_str in, size_t at) {
    static const char *const regions[] = { "gbeng", "gbsct", "gbwls" };
    if (at < 4 || memcmp(in.p + at - 4, "\xF0\x9F\x8F\xB4", 4)) return 0;
    for (unsigned i = 0; i < 3; i++) {
        size_t from = at;
        unsigned k = 0, len;
        for (; k < 6 && from < in.n; k++, from += len) {
            uint32_t wanted = k < 5 ? (uint32_t)(unsigned char)regions[i][k] : 0x7F;
            if (toad__utf8_decode(in, from, &len) != 0xE0000 + wanted) break;
        }
        if (k == 6) return from - at;
    }
    return 0;
}

static void take(toad__emit *e, uint32_t c, size_t at, size_t len) {
    char byte = (char)(c & 0xFF);
    bool shows = (c & 0xFF) >= 0x20 && (c & 0xFF) != 0x7F;
    if (e->text.n && at - e->at >= APART) toad__emit_put(e, "\n", 1, at);
    toad__emit_skip(e, at);
    if (shows || byte == '\n' || byte == '\t')
        toad__emit_put(e, &byte, 1, at + len);
    else
        toad__emit_skip(e, at + len);
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 4 * LEAST; }

static void run(toad_str in, toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    toad__leads leads = toad__leads_of(in, "\xF3\xED\xED\xED");
    for (size_t at = 0; (at = toad__leads_next(&leads, at)) < in.n && !e.text.status;) {
        unsigned len;
        uint32_t c = toad__utf8_decode_lenient(in, at, &len);
        size_t skip = is_tag(c) ? flag(in, at) : 0;
        if (is_tag(c) && !skip) take(&e, c, at, len);
        at += skip ? skip : len;
    }
    if (e.text.n < LEAST && !e.text.status)
        toad__emit_drop(&e);
    else
        toad__emit_send(&e, &step);
}

const toad__decoder toad__decoder_tags = { "tags", TOAD__RAW, wanted, run };
