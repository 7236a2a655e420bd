/* fuzz_container.c - any bytes as a container: the bounds are kept, what is given lies where it says, names have no
 * control bytes, and what was not opened says why. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/container/container.h"

static bool is_binary(toad_str head) { return memchr(head.p, 0, head.n) != NULL; }

static void check(const toad__part *part, size_t size) {
    MUST(part->at.start <= part->at.end && part->at.end <= size);
    MUST(part->steps_n <= TOAD__LIMIT_CONTAINER_DEPTH + 1 && part->depth <= TOAD__LIMIT_CONTAINER_DEPTH);
    MUST(!part->closed == (part->completeness == TOAD_FULL));
    MUST(!part->binary || !part->text.n);
    for (size_t i = 0; i < part->name.n; i++) MUST((unsigned char)part->name.p[i] >= 0x20);
    for (size_t i = 0; i < part->steps_n; i++) MUST(strlen(part->steps[i]) < 1024);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__parts parts;
    toad_str in = toad__str(data, size);
    MUST(toad__container_open(TOAD__S("x"), in, is_binary, &parts) == TOAD_OK);
    MUST(parts.n && parts.n <= TOAD__LIMIT_CONTAINER_PARTS + 1);
    MUST(parts.rows[0].opened == (toad__container_kind(TOAD__S("x"), in) != NULL));
    MUST(!parts.rows[0].opened || parts.n > 1 || size <= 22 || !memcmp(data, "PK", 2));
    size_t unpacked = 0;
    for (size_t i = 0; i < parts.n; i++) {
        check(&parts.rows[i], size);
        unpacked += parts.rows[i].own ? parts.rows[i].text.n : 0;
    }
    MUST(unpacked <= TOAD__LIMIT_CONTAINER_BASE + size * (size_t)TOAD__LIMIT_CONTAINER_RATIO + 4096);
    toad__parts_free(&parts);
    return 0;
}
