/* str.h - small helpers on slices. Nothing here allocates. */
#ifndef TOAD_BASE_STR_H
#define TOAD_BASE_STR_H

#include "toadstone/types.h"
#include <stdlib.h>
#include <string.h>

/* A slice of a string literal. */
#define TOAD__S(literal) ((toad_str){ (literal), sizeof(literal) - 1 })

static inline toad_str toad__str(const void *p, size_t n) { return (toad_str){ (const char *)p, n }; }
static inline toad_str toad__str_z(const char *z) { return (toad_str){ z, z ? strlen(z) : 0 }; }
static inline bool toad__str_eq(toad_str a, toad_str b) { return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n)); }

static inline bool toad__str_starts(toad_str s, toad_str prefix) {
    return s.n >= prefix.n && (!prefix.n || !memcmp(s.p, prefix.p, prefix.n));
}
/* The part [from, to) of s, with both ends cut to its length. */
static inline toad_str toad__str_part(toad_str s, size_t from, size_t to) {
    if (to > s.n) to = s.n;
    if (from > to) from = to;
    return (toad_str){ s.p ? s.p + from : s.p, to - from };
}

/* ASCII only: no locale, no table lookup on a signed char. */
static inline bool toad__is_digit(int c) { return c >= '0' && c <= '9'; }
static inline bool toad__is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static inline bool toad__is_lower(int c) { return c >= 'a' && c <= 'z'; }
static inline bool toad__is_alpha(int c) { return toad__is_lower(c | 0x20) && c < 0x80 && c >= 0; }
static inline bool toad__is_alnum(int c) { return toad__is_digit(c) || toad__is_alpha(c); }
static inline bool toad__is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool toad__is_blank(int c) { return c == ' ' || c == '\t'; }
static inline int toad__lower(int c) { return toad__is_upper(c) ? c | 0x20 : c; }
/* 0..15, or -1. */
static inline int toad__hex_value(int c) {
    if (toad__is_digit(c)) return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
/* 0..63 of the standard alphabet of base64, or -1. */
static inline int toad__base64_value(int c) {
    if (toad__is_upper(c)) return c - 'A';
    if (toad__is_lower(c)) return c - 'a' + 26;
    if (toad__is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}
/* Without white space at its ends. */
static inline toad_str toad__str_trim(toad_str s) {
    while (s.n && toad__is_space((unsigned char)s.p[0])) s = toad__str_part(s, 1, s.n);
    while (s.n && toad__is_space((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}
/* Without spaces and tabs at its ends. */
static inline toad_str toad__str_trim_blanks(toad_str s) {
    while (s.n && toad__is_blank((unsigned char)s.p[0])) s = toad__str_part(s, 1, s.n);
    while (s.n && toad__is_blank((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}
/* Is it nothing but white space? */
static inline bool toad__str_is_blank(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_space((unsigned char)s.p[i])) return false;
    return true;
}
/* Is it one of the words, which stand in one string with a blank between them? */
static inline bool toad__str_is_one_of(toad_str s, const char *words) {
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (n == s.n && !memcmp(words, s.p, n)) return true;
    }
    return false;
}
/* Copy as much as fits to `to`, which has `room` bytes, with a zero behind it. */
static inline void toad__str_copy_to(char *to, size_t room, toad_str s) {
    size_t n = s.n < room - 1 ? s.n : room - 1;
    if (n) memcpy(to, s.p, n);
    to[n] = 0;
}
/* A copy that ends with a zero, to be freed; NULL: out of memory. */
static inline char *toad__str_copy(toad_str s) {
    char *copy = malloc(s.n + 1);
    if (!copy) return NULL;
    if (s.n) memcpy(copy, s.p, s.n);
    copy[s.n] = 0;
    return copy;
}
/* ASCII case-insensitive equality. */
static inline bool toad__str_ieq(toad_str a, toad_str b) {
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (toad__lower((unsigned char)a.p[i]) != toad__lower((unsigned char)b.p[i])) return false;
    return true;
}
/* Offset of the first `needle` at or after `from`, or s.n. */
static inline size_t toad__str_find(toad_str s, toad_str needle, size_t from) {
    if (!needle.n || needle.n > s.n) return s.n;
    while (from + needle.n <= s.n) {
        const char *hit = memchr(s.p + from, needle.p[0], s.n - needle.n + 1 - from);
        if (!hit) return s.n;
        from = (size_t)(hit - s.p);
        if (!memcmp(hit, needle.p, needle.n)) return from;
        from++;
    }
    return s.n;
}

#endif
