/* iconv.h - to UTF-8 from what Windows has a code page for; each part of a mail or page may name another. */
#ifndef TOAD_WINDOWS_ICONV_H
#define TOAD_WINDOWS_ICONV_H

#include <stddef.h>
#include <stdint.h>

typedef intptr_t iconv_t; /* a code page; -1: there is none */

iconv_t iconv_open(const char *to, const char *from);
size_t iconv(iconv_t cd, char **in, size_t *left, char **out, size_t *room);
int iconv_close(iconv_t cd);

#endif
