/* pdf.h - a PDF read as the page that shows the same: HTML with its words in paragraphs and, with the style that hides
 * them, those that a person does not see. So a PDF takes the way of every page from there on.
 *
 * Poppler's programs read it (tool.h). Text is hidden when it is smaller than 4 pt, stands outside its page, is drawn
 * in render mode 3 beside text that is seen, or leaves no trace in the rendered page: in the color of its ground, or
 * covered. Title and subject are metadata, as on any page. */
#ifndef TOAD_APP_PDF_H
#define TOAD_APP_PDF_H

#include "lib/base/buf.h"

/* Append the HTML to `ret`. `*why`: NULL, or in a sentence of ours why it could not be read (poppler is not here, it is
 * encrypted or broken, it takes too long); then nothing of it was. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT, TOAD_E_IO. */
toad_status toad__pdf_page(toad_str pdf, toad__buf *ret, const char **why);

#endif
