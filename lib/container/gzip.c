/* gzip.c - gzip (RFC 1952): one file, or a tape archive, which is then no file of its own.
 *
 * Members follow each other and are one text. Zeros behind the last are padding; anything else there is damage. The
 * checksum is not asked for: what does not fit it is shown all the same by those who read. Cost: linear in what is
 * unpacked. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

enum { TRAILER = 8 };

static bool is_gzip(toad_str name, toad_str head) {
    (void)name;
    return toad__str_starts(head, TOAD__S("\x1f\x8b\x08"));
}

/* What the file is called without its ending, or by itself. */
static toad_str name_of(const toad__unpack *u, toad_str bytes, char *tar, size_t room) {
    toad_str name = u->from.name.n ? u->from.name : u->file;
    for (size_t i = name.n; i; i--)
        if (name.p[i - 1] == '/') {
            name = toad__str_part(name, i, name.n);
            break;
        }
    if (toad__name_ends(name, ".gz")) return toad__str_part(name, 0, name.n - 3);
    if (toad__name_ends(name, ".tgz") && name.n < room) {
        memcpy(tar, name.p, name.n);
        memcpy(tar + name.n - 3, "tar", 3);
        return toad__str(tar, name.n);
    }
    if (bytes.n < 11 || (bytes.p[3] & 0x0C) != 0x08) return TOAD__S("");
    return toad__str_part(bytes, 10, toad__str_find(bytes, TOAD__S("\0"), 10));
}

static bool is_padding(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i]) return false;
    return true;
}

/* All members from `at` on. NULL, or why something is missing. */
static const char *unpack_members(toad_str bytes, toad__buf *out) {
    size_t at = 0;
    while (at < bytes.n && !out->status) {
        toad_str rest = toad__str_part(bytes, at, bytes.n);
        size_t header = toad__gzip_header(rest), left;
        if (!header) return at && is_padding(rest) ? NULL : TOAD__CLOSED_DAMAGED;
        if (!toad__inflate(toad__str_part(rest, header, rest.n), out, &left)) return TOAD__CLOSED_DAMAGED;
        if (left < TRAILER && !out->status) return TOAD__CLOSED_CUT;
        at = bytes.n - left + TRAILER;
    }
    return NULL;
}

static void open_gzip(toad__unpack *u, toad_str bytes) {
    char room[256];
    toad_str name = name_of(u, bytes, room, sizeof room);
    size_t header = toad__gzip_header(bytes);
    u->wraps = true;
    if (toad__unpack_is_binary(u, name, toad__str_part(bytes, header, header ? bytes.n : 0))) {
        toad__unpack_binary(u, name);
        return;
    }
    toad__buf out;
    toad__buf_init(&out, u->room);
    const char *why = unpack_members(bytes, &out), *kind = toad__container_kind(name, toad__buf_str(&out));
    if (kind && !strcmp(kind, "tar")) name = TOAD__S("");
    toad__part *part = toad__unpack_take(u, name, &out);
    if (why) toad__part_close(part, why, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_gzip = { "gzip", is_gzip, open_gzip };
