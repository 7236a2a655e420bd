/* digest.c - see digest.h. The plain interface of SHA-256: no look-up and no heap for what is done for every row of the
 * store. It cannot fail but by a misuse that the types here forbid. HMAC over it, and not libcrypto's: that one looks
 * its digest up, and makes a static program carry all of libcrypto for sixty-four bytes of exclusive or. */
#define OPENSSL_API_COMPAT 10100 /* SHA256_Update, deprecated in 3.0 in favor of what costs more than the digest */

#include "sys/digest.h"

#include "lib/base/hex.h"
#include "lib/base/str.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

_Static_assert(TOAD__DIGEST == SHA256_DIGEST_LENGTH, "a digest is what SHA-256 gives");

void toad__sha256(const toad_str *parts, size_t n, unsigned char ret[TOAD__DIGEST]) {
    SHA256_CTX ctx;
    int ok = SHA256_Init(&ctx);
    for (size_t i = 0; i < n; i++)
        if (parts[i].n) ok &= SHA256_Update(&ctx, parts[i].p, parts[i].n);
    ok &= SHA256_Final(ret, &ctx);
    assert(ok);
    (void)ok;
}

void toad__sha256_hex(const toad_str *parts, size_t n, char ret[2 * TOAD__DIGEST + 1]) {
    unsigned char digest[TOAD__DIGEST];
    toad__sha256(parts, n, digest);
    toad__hex_z(ret, digest, sizeof digest);
}

void toad__hmac(toad_str key, toad_str text, unsigned char ret[TOAD__DIGEST]) {
    unsigned char block[SHA256_CBLOCK] = { 0 }, inner[TOAD__DIGEST];
    if (key.n > sizeof block)
        toad__sha256(&key, 1, block);
    else if (key.n)
        memcpy(block, key.p, key.n);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    toad__sha256((const toad_str[]){ toad__str(block, sizeof block), text }, 2, inner);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    toad__sha256((const toad_str[]){ toad__str(block, sizeof block), toad__str(inner, sizeof inner) }, 2, ret);
    OPENSSL_cleanse(block, sizeof block);
}

bool toad__same_bytes(const void *a, const void *b, size_t n) { return !CRYPTO_memcmp(a, b, n); }
