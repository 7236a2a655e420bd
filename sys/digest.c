/* digest.c - see digest.h: what is made of SHA-256, which sha256.c has from the system. HMAC over it, and not
 * libcrypto's: that one looks its digest up, and makes a static program carry all of libcrypto for sixty-four bytes of
 * exclusive or. */
#include "sys/digest.h"

#include "lib/base/hex.h"
#include "lib/base/str.h"

#include <string.h>

#define BLOCK 64 /* bytes that SHA-256 works on at a time */

void toad__sha256_hex(const toad_str *parts, size_t n, char ret[2 * TOAD__DIGEST + 1]) {
    unsigned char digest[TOAD__DIGEST];
    toad__sha256(parts, n, digest);
    toad__hex_z(ret, digest, sizeof digest);
}

static void wipe(unsigned char *p, size_t n) {
    for (volatile unsigned char *at = p; n--;) *at++ = 0;
}

void toad__hmac(toad_str key, toad_str text, unsigned char ret[TOAD__DIGEST]) {
    unsigned char block[BLOCK] = { 0 }, inner[TOAD__DIGEST];
    if (key.n > sizeof block)
        toad__sha256(&key, 1, block);
    else if (key.n)
        memcpy(block, key.p, key.n);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    toad__sha256((const toad_str[]){ toad__str(block, sizeof block), text }, 2, inner);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    toad__sha256((const toad_str[]){ toad__str(block, sizeof block), toad__str(inner, sizeof inner) }, 2, ret);
    wipe(block, sizeof block);
}
