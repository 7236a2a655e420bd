/* sha256_windows.c - SHA-256 of bcrypt.dll, which every Windows has. */
#include "sys/digest.h"

#include <windows.h>

#include <bcrypt.h>
#include <pthread.h>
#include <stdlib.h>

static BCRYPT_ALG_HANDLE algorithm;

static void open_algorithm(void) {
    if (BCryptOpenAlgorithmProvider(&algorithm, BCRYPT_SHA256_ALGORITHM, NULL, 0)) abort();
}

/* A digest that could not be made must not look like one: nothing goes on without. */
void toad__sha256(const toad_str *parts, size_t n, unsigned char ret[TOAD__DIGEST]) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    BCRYPT_HASH_HANDLE hash;
    pthread_once(&once, open_algorithm);
    if (BCryptCreateHash(algorithm, &hash, NULL, 0, NULL, 0, 0)) abort();
    for (size_t i = 0; i < n; i++)
        for (size_t at = 0; at < parts[i].n;) {
            size_t piece = parts[i].n - at < 1u << 30 ? parts[i].n - at : 1u << 30;
            if (BCryptHashData(hash, (PUCHAR)(uintptr_t)(parts[i].p + at), (ULONG)piece, 0)) abort();
            at += piece;
        }
    if (BCryptFinishHash(hash, ret, TOAD__DIGEST, 0)) abort();
    BCryptDestroyHash(hash);
}

bool toad__same_bytes(const void *a, const void *b, size_t n) {
    const unsigned char *x = a, *y = b;
    volatile unsigned char differs = 0;
    for (size_t i = 0; i < n; i++) differs |= x[i] ^ y[i];
    return !differs;
}
