/* sha256.c - SHA-256 and the comparison, by libcrypto. The plain interface of SHA-256: no look-up and no heap for what
 * is done for every row of the store. It cannot fail but by a misuse that the types here forbid. */
#define OPENSSL_API_COMPAT 10100 /* SHA256_Update, deprecated in 3.0 in favor of what costs more than the digest */

#include "sys/digest.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

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

bool toad__same_bytes(const void *a, const void *b, size_t n) { return !CRYPTO_memcmp(a, b, n); }
