/* sniff.h - what a body is by its bytes, and its text in UTF-8.
 *
 * Labels are claims of a stranger: they decide only what the bytes leave open (the MIME Sniffing standard's patterns,
 * the Encoding standard's labels). Text that is well-formed UTF-8 is UTF-8 whatever it is called, so that a label
 * cannot show the scanner another text than a tolerant reader sees; encodings in which ASCII bytes are not ASCII text
 * (UTF-7, HZ, EBCDIC, UTF-32) are not believed at all. */
#ifndef BZR_NET_SNIFF_H
#define BZR_NET_SNIFF_H

#include "lib/base/buf.h"

typedef enum bzr__page_type {
    BZR__PAGE_TEXT,
    BZR__PAGE_HTML,
    BZR__PAGE_MARKDOWN,
    BZR__PAGE_JSON,
    BZR__PAGE_XML,
    BZR__PAGE_FEED,
    BZR__PAGE_PDF, /* its bytes are no text: only where they were asked for */
    BZR__PAGE_BINARY,
} bzr__page_type;

const char *bzr__page_type_name(bzr__page_type type);

/* A known signature of a format that is no text, as "PDF", or NULL. */
const char *bzr__sniff_binary(bzr_str body);
/* What this text is. `label`: Content-Type as sent, or empty. */
bzr__page_type bzr__sniff_text(bzr_str text, bzr_str label);
/* Append `body` in UTF-8 to `out`. `*ret_charset` is static storage. Errors: BZR_E_NOMEM, BZR_E_LIMIT. Cost: linear. */
bzr_status bzr__page_utf8(bzr_str body, bzr_str label, bzr__buf *out, const char **ret_charset, uint64_t *ret_replaced);

#endif
