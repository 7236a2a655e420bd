/* digest.h - SHA-256, and what is signed with it. libcrypto does the work and shows nowhere else.
 *
 * Parts are hashed one after the other: who must tell where one ends writes its length into them. */
#ifndef TOAD_SYS_DIGEST_H
#define TOAD_SYS_DIGEST_H

#include "toadstone/types.h"

#define TOAD__DIGEST 32 /* bytes of a SHA-256, and of an HMAC made with it */

void toad__sha256(const toad_str *parts, size_t n, unsigned char ret[TOAD__DIGEST]);
/* As 64 lower-case hex digits and a NUL. */
void toad__sha256_hex(const toad_str *parts, size_t n, char ret[2 * TOAD__DIGEST + 1]);
/* The same of one text. */
static inline void toad__sha256_of(toad_str text, char ret[2 * TOAD__DIGEST + 1]) { toad__sha256_hex(&text, 1, ret); }
/* HMAC-SHA-256 (RFC 2104). */
void toad__hmac(toad_str key, toad_str text, unsigned char ret[TOAD__DIGEST]);
/* In constant time: how far a forgery fits is nobody's to know. */
bool toad__same_bytes(const void *a, const void *b, size_t n);

#endif
