/* sniff.h - what a body is by its bytes, and its text in UTF-8.
 *
 * Labels are claims of a stranger: they decide only what the bytes leave open (the MIME Sniffing standard's patterns,
 * the Encoding standard's labels). Text that is well-formed UTF-8 is UTF-8 whatever it is called, so that a label
 * cannot show the scanner another text than a tolerant reader sees; encodings in which ASCII bytes are not ASCII text
 * (UTF-7, HZ, EBCDIC, UTF-32) are not believed at all. */
#ifndef TOAD_NET_SNIFF_H
#define TOAD_NET_SNIFF_H

#include "lib/base/buf.h"

typedef enum toad__page_type {
    TOAD__PAGE_TEXT,
    TOAD__PAGE_HTML,
    TOAD__PAGE_MARKDOWN,
    TOAD__PAGE_JSON,
    TOAD__PAGE_XML,
    TOAD__PAGE_FEED,
    TOAD__PAGE_PDF,   /* its bytes are no text: only where they were asked for */
    TOAD__PAGE_FILES, /* an archive, a document, a mail: the same */
    TOAD__PAGE_BINARY,
} toad__page_type;

const char *toad__page_type_name(toad__page_type type);

/* A known signature of a format that is no text, as "PDF", or NULL. */
const char *toad__sniff_binary(toad_str body);
/* What this text is. `label`: Content-Type as sent, or empty. */
toad__page_type toad__sniff_text(toad_str text, toad_str label);
/* Append `body` in UTF-8 to `out`. `*ret_charset` is static storage. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. Cost: linear.
 */
toad_status toad__page_utf8(toad_str body, toad_str label, toad__buf *out, const char **ret_charset,
                            uint64_t *ret_replaced);

#endif
