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

/* The parts of a mail, one after the other. */
static void check_mail(const toad__parts *parts) {
    uint64_t end = 0;
    for (size_t i = 1; i < parts->n; i++) {
        const toad__part *part = &parts->rows[i];
        bool words = part->name.n == 5 && part->own; /* what stands in headers, once more */
        if (part->layers > 1 || !part->text.n || words) continue;
        MUST(part->at.start >= end);
        end = part->at.end;
    }
}

static void open_as(const char *name, const uint8_t *data, size_t size) {
    toad__parts parts;
    toad_str in = toad__str(data, size), file = toad__str_z(name);
    const char *kind = toad__container_kind(file, in);
    MUST(toad__container_open(file, in, is_binary, &parts) == TOAD_OK);
    MUST(parts.n && parts.n <= TOAD__LIMIT_CONTAINER_PARTS + 1);
    MUST(parts.rows[0].opened == (kind != NULL));
    MUST(!kind || parts.n > 1 || size <= 22 || !strcmp(kind, "zip") || !strcmp(kind, "tar"));
    if (kind && !strcmp(kind, "mail")) check_mail(&parts);
    size_t unpacked = 0;
    for (size_t i = 0; i < parts.n; i++) {
        check(&parts.rows[i], size);
        unpacked += parts.rows[i].own ? parts.rows[i].text.n : 0;
    }
    MUST(unpacked <= TOAD__LIMIT_CONTAINER_BASE + size * (size_t)TOAD__LIMIT_CONTAINER_RATIO + 4096);
    toad__parts_free(&parts);
}

/* What is known by its name as well is opened under that, too. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "x.eml", "x.ipynb", "x.pyc" };
    const char *kind = toad__container_kind(TOAD__S("x"), toad__str(data, size));
    open_as("x", data, size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (toad__container_kind(toad__str_z(names[i]), toad__str(data, size)) != kind) open_as(names[i], data, size);
    return 0;
}
