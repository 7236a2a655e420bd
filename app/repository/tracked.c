/* tracked.c - the entries of the index, read to the last; then binary search.
 *
 * Git sorts the entries by the bytes of their paths, so a directory's files stand together behind "directory/". Which
 * hash the repository uses is not said in the index: both sizes are tried, and the wrong one soon gives paths out of
 * order or of another length than they say.
 *
 * Invariant: paths[i] and paths[i + 1] bound entry i in `text`, ascending; equal ones are the stages of a conflict. */
#include "app/repository/tracked.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define FIXED     40u /* bytes of an entry before its object id */
#define EXTENDED  0x4000u
#define EXPANSION 32u /* of paths that version 4 shortens; no real tree comes near */

struct toad__tracked {
    toad__buf text;
    size_t *paths;
    size_t n;
};

static uint32_t be32(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}
static unsigned be16(const char *p) { return (unsigned)(unsigned char)p[0] << 8 | (unsigned char)p[1]; }

static toad_str path_at(const toad__tracked *t, size_t i) {
    return toad__str_part(toad__buf_str(&t->text), t->paths[i], t->paths[i + 1]);
}

static int compare(toad_str a, toad_str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

/* The offset encoding of version 4: how many bytes of the path before are dropped. */
static bool read_drop(toad_str in, size_t *at, size_t *ret) {
    size_t v = 0;
    for (unsigned i = 0; i < 4 && *at < in.n; i++) {
        unsigned char c = (unsigned char)in.p[(*at)++];
        v = (i ? (v + 1) << 7 : 0) | (c & 0x7F);
        *ret = v;
        if (!(c & 0x80)) return true;
    }
    return false;
}

/* The flags hold the length of the path, as far as it fits. */
static bool is_length(unsigned flags, size_t n) { return (flags & 0xFFF) == (n < 0xFFF ? n : 0xFFF); }

/* One entry; *at moves past it. */
static bool read_entry(toad__tracked *t, toad_str in, unsigned version, size_t id, size_t *at) {
    size_t start = *at, drop = 0, from = t->n ? t->paths[t->n - 1] : 0, last = t->text.n - from;
    if (in.n - start < FIXED + id + 4) return false;
    unsigned flags = be16(in.p + start + FIXED + id);
    if ((flags & EXTENDED) && version < 3) return false;
    size_t name = start + FIXED + id + 2 + (flags & EXTENDED ? 2 : 0);
    if (version == 4 && (!read_drop(in, &name, &drop) || drop > last)) return false;
    size_t end = toad__str_find(in, TOAD__S("\0"), name), kept = version == 4 ? last - drop : 0;
    if (end >= in.n || kept + (end - name) == 0 || !is_length(flags, kept + (end - name))) return false;
    size_t begin = t->text.n;
    char *room = toad__buf_room(&t->text, kept + (end - name));
    if (!room) return false;
    if (kept) memcpy(room, t->text.p + from, kept);
    memcpy(room + kept, in.p + name, end - name);
    t->text.n += kept + (end - name);
    t->paths[t->n++] = begin;
    t->paths[t->n] = t->text.n;
    *at = version == 4 ? end + 1 : start + ((end - start) / 8 + 1) * 8;
    return *at <= in.n && (t->n < 2 || compare(path_at(t, t->n - 2), path_at(t, t->n - 1)) <= 0);
}

/* An extension that is named with a small letter changes what the entries mean: parts of them stand in another file
 * (split index) or are not there (sparse index). */
static bool stands_alone(toad_str in, size_t at, size_t id) {
    while (in.n - at >= id + 8) {
        size_t size = be32(in.p + at + 4);
        if (in.p[at] < 'A' || in.p[at] > 'Z' || size > in.n - at - 8 - id) return false;
        at += 8 + size;
    }
    return in.n - at >= id;
}

static bool read_entries(toad__tracked *t, toad_str in, size_t id) {
    unsigned version = be32(in.p + 4);
    size_t at = 12, n = be32(in.p + 8);
    t->n = 0;
    toad__buf_clear(&t->text);
    t->paths[0] = 0;
    for (size_t i = 0; i < n; i++)
        if (!read_entry(t, in, version, id, &at)) return false;
    return stands_alone(in, at, id);
}

toad_status toad__tracked_new(toad_str in, toad__tracked **ret) {
    if (in.n < 12 || memcmp(in.p, "DIRC", 4) || be32(in.p + 4) < 2 || be32(in.p + 4) > 4) return TOAD_E_SYNTAX;
    if (be32(in.p + 8) > in.n / (FIXED + 24)) return TOAD_E_SYNTAX;
    toad__tracked *t = calloc(1, sizeof *t);
    if (!t) return TOAD_E_NOMEM;
    toad__buf_init(&t->text, in.n < TOAD__INDEX_MAX / EXPANSION ? in.n * EXPANSION : TOAD__INDEX_MAX);
    t->paths = calloc((size_t)be32(in.p + 8) + 1, sizeof *t->paths);
    bool ok = t->paths && (read_entries(t, in, 20) || (!t->text.status && read_entries(t, in, 32)));
    if (ok) {
        *ret = t;
        return TOAD_OK;
    }
    toad_status status = !t->paths ? TOAD_E_NOMEM : t->text.status ? t->text.status : TOAD_E_SYNTAX;
    toad__tracked_free(t);
    return status;
}

void toad__tracked_free(toad__tracked *t) {
    if (!t) return;
    toad__buf_free(&t->text);
    free(t->paths);
    free(t);
}

size_t toad__tracked_count(const toad__tracked *t) { return t ? t->n : 0; }

/* Of a directory the first path that is not before "directory/" tells. */
static int compare_below(toad_str entry, toad_str path, bool is_dir) {
    if (!is_dir) return compare(entry, path);
    int order = compare(toad__str_part(entry, 0, path.n), path);
    if (order || entry.n == path.n) return order ? order : -1;
    return entry.p[path.n] == '/' ? 0 : (unsigned char)entry.p[path.n] < '/' ? -1 : 1;
}

bool toad__tracked_has(const toad__tracked *t, toad_str path, bool is_dir) {
    size_t lo = 0, hi = t ? t->n : 0;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = compare_below(path_at(t, mid), path, is_dir);
        if (!order) return true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}
