/* unpack.c - see unpack.h. zlib, a piece at a time; checksums and the end of the stream must be right. */
#include "net/unpack.h"

#include "lib/base/str.h"

#define ZLIB_CONST
#include <zlib.h>

enum { PIECE = 65536, ANY_HEADER = 15 + 32, RAW = -15 };

static bool is_gzip(toad_str coding) {
    return toad__str_ieq(coding, TOAD__S("gzip")) || toad__str_ieq(coding, TOAD__S("x-gzip"));
}

/* "deflate" is a zlib stream by its definition and a raw one by the habit of old servers: the first bytes tell. */
static int window_of(toad_str body, toad_str coding) {
    unsigned first = body.n > 1 ? (unsigned char)body.p[0] : 0, second = body.n > 1 ? (unsigned char)body.p[1] : 0;
    bool zlib = (first & 15) == 8 && (first << 8 | second) % 31 == 0;
    return is_gzip(coding) || zlib ? ANY_HEADER : RAW;
}

static bool is_bomb(size_t n, size_t sent, unsigned max_ratio) {
    return n > TOAD__UNPACK_FREE && n - TOAD__UNPACK_FREE > (uint64_t)sent * max_ratio;
}

/* Another gzip member follows, as after `cat a.gz b.gz`. */
static bool next_member(z_stream *z) {
    return z->avail_in > 1 && z->next_in[0] == 0x1F && z->next_in[1] == 0x8B && inflateReset(z) == Z_OK;
}

static int inflate_all(z_stream *z, size_t sent, unsigned max_ratio, toad__buf *out, toad__refusal *why) {
    int rc = Z_OK;
    while (rc == Z_OK && !*why) {
        size_t room = out->max - out->n < PIECE ? out->max - out->n : PIECE;
        char spare[1];
        char *to = room ? toad__buf_room(out, room) : spare; /* at the limit: is there one byte more? */
        if (!to) return Z_MEM_ERROR;
        z->next_out = (unsigned char *)to;
        z->avail_out = (uInt)(room ? room : 1);
        rc = inflate(z, Z_NO_FLUSH);
        if (room)
            out->n += room - z->avail_out;
        else if (!z->avail_out)
            *why = TOAD__REFUSED_TOO_LARGE;
        if (!*why && is_bomb(out->n, sent, max_ratio)) *why = TOAD__REFUSED_RATIO;
        if (rc == Z_STREAM_END && next_member(z)) rc = Z_OK;
    }
    return rc;
}

toad_status toad__unpack(toad_str body, toad_str coding, unsigned max_ratio, toad__buf *out, toad__refusal *ret_why) {
    z_stream z = { 0 };
    *ret_why = TOAD__ALLOWED;
    if (!coding.n || toad__str_ieq(coding, TOAD__S("identity"))) {
        toad__buf_add_str(out, body);
        if (out->status == TOAD_E_LIMIT) *ret_why = TOAD__REFUSED_TOO_LARGE;
        return out->status == TOAD_E_NOMEM ? TOAD_E_NOMEM : TOAD_OK;
    }
    if (!body.n) return TOAD_OK;
    if (!is_gzip(coding) && !toad__str_ieq(coding, TOAD__S("deflate")))
        return *ret_why = TOAD__REFUSED_ENCODING, TOAD_OK;
    if (body.n > UINT32_MAX) return *ret_why = TOAD__REFUSED_TOO_LARGE, TOAD_OK;
    if (inflateInit2(&z, window_of(body, coding)) != Z_OK) return TOAD_E_NOMEM;
    z.next_in = (const unsigned char *)body.p;
    z.avail_in = (uInt)body.n;
    int rc = inflate_all(&z, body.n, max_ratio, out, ret_why);
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR) return TOAD_E_NOMEM;
    if (!*ret_why && rc != Z_STREAM_END)
        *ret_why = rc == Z_BUF_ERROR ? TOAD__REFUSED_INCOMPLETE : TOAD__REFUSED_ENCODING;
    return TOAD_OK;
}
