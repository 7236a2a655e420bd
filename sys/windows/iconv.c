/* iconv.c - see include/iconv.h. One character after the other, each as few bytes as make one: a lead byte alone is
 * none. */
#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { UTF16LE = 1200, UTF16BE = 1201, LONGEST = 4 };

static const struct {
    const char *name;
    int page;
} pages[] = {
    { "KOI8-R", 20866 },   { "KOI8-U", 21866 }, { "MACINTOSH", 10000 },  { "GB18030", 54936 },
    { "BIG5-HKSCS", 950 }, { "EUC-JP", 20932 }, { "UTF-16LE", UTF16LE }, { "UTF-16BE", UTF16BE },
};

iconv_t iconv_open(const char *to, const char *from) {
    (void)to; /* UTF-8 */
    int page = !strncmp(from, "CP", 2) ? atoi(from + 2) : !strncmp(from, "ISO-8859-", 9) ? 28590 + atoi(from + 9) : 0;
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (!strcmp(from, pages[i].name)) page = pages[i].page;
    if (page == UTF16LE || page == UTF16BE) return page;
    return page && IsValidCodePage((UINT)page) ? page : -1;
}

/* The character at `in`, in `w` units of `wide`. Returns its bytes, 0: there is none. */
static int character(iconv_t cd, const char *in, size_t left, wchar_t wide[2], int *w) {
    const unsigned char *b = (const unsigned char *)in;
    if (cd == UTF16LE || cd == UTF16BE) {
        int low = cd == UTF16LE ? 0 : 1;
        for (*w = 0; *w < 2 && left >= 2 * (size_t)(*w + 1); b += 2) {
            wide[(*w)++] = (wchar_t)(b[low] | b[1 - low] << 8);
            bool high = wide[0] >= 0xD800 && wide[0] < 0xDC00;
            if (*w == 1 && !high) return wide[0] >= 0xDC00 && wide[0] < 0xE000 ? 0 : 2;
            if (*w == 2) return wide[1] >= 0xDC00 && wide[1] < 0xE000 ? 4 : 0;
        }
        return 0;
    }
    for (int n = 1; n <= LONGEST && (size_t)n <= left; n++)
        if ((*w = MultiByteToWideChar((UINT)cd, MB_ERR_INVALID_CHARS, in, n, wide, 2)) > 0) return n;
    return 0;
}

size_t iconv(iconv_t cd, char **in, size_t *left, char **out, size_t *room) {
    while (*left) {
        wchar_t wide[2];
        char text[8];
        int w, n = character(cd, *in, *left, wide, &w);
        int bytes = n ? WideCharToMultiByte(CP_UTF8, 0, wide, w, text, sizeof text, NULL, NULL) : 0;
        if (bytes <= 0) return errno = EILSEQ, (size_t)-1;
        if ((size_t)bytes > *room) return errno = E2BIG, (size_t)-1;
        memcpy(*out, text, (size_t)bytes);
        *out += bytes, *room -= (size_t)bytes;
        *in += n, *left -= (size_t)n;
    }
    return 0;
}

int iconv_close(iconv_t cd) { return (void)cd, 0; }
