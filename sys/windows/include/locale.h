/* locale.h - messages have no locale of their own: setting it fails, and changes nothing. */
#ifndef TOAD_WINDOWS_LOCALE_H
#define TOAD_WINDOWS_LOCALE_H

#include_next <locale.h>

#define LC_MESSAGES 1729

#endif
