/* tar.c - tape archives: Version 7, ustar and pax (POSIX.1-2017, pax), GNU tar.
 *
 * Readers differ in what they do with an archive that contradicts itself, and stop at its end or go on behind it. Here
 * all is read that any of them would show: entries behind the end mark, too, and unknown types as files. Where two
 * readers would part ways (a size said twice, data behind a link) the rest stays closed. Cost: one pass over headers;
 * what is packed is not copied. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

enum {
    BLOCK = 512,
    NAME = 100,
    SIZE_AT = 124,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    PREFIX_AT = 345,
    PREFIX = 155,
    FULL_NAME = NAME + PREFIX + 1
};

typedef struct archive {
    toad_str in;
    size_t at;
    toad_str name; /* of the entry to come, by a header before it; p NULL: its own holds */
    uint64_t size; /* the same */
    bool sized, sparse;
} archive;

static toad_str until_zero(toad_str s) {
    const char *zero = s.n ? memchr(s.p, 0, s.n) : NULL;
    return zero ? toad__str(s.p, (size_t)(zero - s.p)) : s;
}

/* Octal digits between blanks and zeros, or GNU's binary number. False: it is neither, or too large. */
static bool read_number(toad_str field, uint64_t *ret) {
    uint64_t v = 0;
    if (field.n && (unsigned char)field.p[0] == 0x80) {
        for (size_t i = 1; i < field.n; i++) {
            if (v >> 55) return false;
            v = v << 8 | (unsigned char)field.p[i];
        }
        return *ret = v, true;
    }
    toad_str digits = toad__str_trim(until_zero(field));
    for (size_t i = 0; i < digits.n; i++) {
        if (digits.p[i] < '0' || digits.p[i] > '7') return false;
        v = v << 3 | (uint64_t)(digits.p[i] - '0');
    }
    return *ret = v, digits.n > 0;
}

/* Does its sum hold? Old programs added the bytes as signed numbers. */
static bool is_header(toad_str block) {
    uint64_t said;
    int64_t plain = 8 * ' ', with_sign = 8 * ' ';
    if (block.n < BLOCK || !read_number(toad__str_part(block, SUM_AT, SUM_AT + 8), &said)) return false;
    for (size_t i = 0; i < BLOCK; i++) {
        if (i >= SUM_AT && i < SUM_AT + 8) continue;
        plain += (unsigned char)block.p[i];
        with_sign += (signed char)block.p[i];
    }
    return (int64_t)said == plain || (int64_t)said == with_sign;
}

static bool has_magic(toad_str block, toad_str magic) {
    return toad__str_eq(toad__str_part(block, MAGIC_AT, MAGIC_AT + magic.n), magic);
}

static bool is_tar(toad_str name, toad_str head) {
    (void)name;
    return has_magic(head, TOAD__S("ustar\0")) || has_magic(head, TOAD__S("ustar  \0")) || is_header(head);
}

static bool is_zero(toad_str block) {
    for (size_t i = 0; i < block.n; i++)
        if (block.p[i]) return false;
    return true;
}

static toad_str name_of(const archive *a, toad_str block, char room[FULL_NAME]) {
    toad_str name = a->name.p ? a->name : until_zero(toad__str_part(block, 0, NAME)), prefix = { NULL, 0 };
    if (!a->name.p && has_magic(block, TOAD__S("ustar\0")))
        prefix = until_zero(toad__str_part(block, PREFIX_AT, PREFIX_AT + PREFIX));
    if (prefix.n) {
        memcpy(room, prefix.p, prefix.n);
        room[prefix.n] = '/';
        if (name.n) memcpy(room + prefix.n + 1, name.p, name.n);
        name = toad__str(room, prefix.n + 1 + name.n);
    }
    while (toad__str_starts(name, TOAD__S("./"))) name = toad__str_part(name, 2, name.n);
    return name;
}

/* Records "LENGTH KEY=VALUE\n" of a pax header. False: it is damaged. */
static bool read_pax(archive *a, toad_str data) {
    toad__cur c = toad__cur_of(data);
    while (!toad__cur_end(&c) && toad__cur_peek(&c, 0)) {
        size_t start = c.at, length = 0;
        while (toad__is_digit(toad__cur_peek(&c, 0)) && length <= data.n)
            length = 10 * length + (size_t)(toad__cur_next(&c) - '0');
        if (toad__cur_next(&c) != ' ' || length > data.n - start || start + length <= c.at) return false;
        toad_str record = toad__str_part(data, c.at, start + length);
        if (record.p[record.n - 1] != '\n') return false;
        record.n--;
        size_t equals = toad__str_find(record, TOAD__S("="), 0);
        if (equals == record.n) return false;
        toad_str key = toad__str_part(record, 0, equals), value = toad__str_part(record, equals + 1, record.n);
        if (toad__str_starts(key, TOAD__S("GNU.sparse."))) a->sparse = true;
        if (toad__str_eq(key, TOAD__S("path"))) a->name = value.p ? value : TOAD__S("");
        if (toad__str_eq(key, TOAD__S("size"))) {
            a->sized = true;
            a->size = 0;
            for (size_t i = 0; i < value.n; i++) {
                if (!toad__is_digit((unsigned char)value.p[i]) || a->size > UINT64_MAX / 20) return false;
                a->size = 10 * a->size + (uint64_t)(value.p[i] - '0');
            }
        }
        c.at = start + length;
    }
    return true;
}

/* The file behind a header, as much as there is of it. */
static void add_file(toad__unpack *u, archive *a, toad_str name, toad_str text, bool cut) {
    toad__part *part = NULL;
    if (a->sparse)
        toad__unpack_close(u, name, TOAD__CLOSED_METHOD, TOAD_DECODE_LIMIT);
    else if (text.n)
        part = toad__unpack_add(u, name, text);
    if (cut) toad__part_close(part, TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
}

/* What stands behind one header; a->at moves on. NULL, or why the rest stays closed. */
static const char *read_entry(toad__unpack *u, archive *a, toad_str block) {
    char room[FULL_NAME], type = block.p[TYPE_AT];
    uint64_t size;
    if (!read_number(toad__str_part(block, SIZE_AT, SIZE_AT + 12), &size)) return TOAD__CLOSED_DAMAGED;
    if (a->sized && a->size != size) return TOAD__CLOSED_DAMAGED;
    size_t start = a->at, data = start + BLOCK, left = a->in.n - data;
    bool cut = size > left;
    toad_str text = toad__str_part(a->in, data, data + (cut ? left : (size_t)size));
    a->at = data + text.n + (BLOCK - text.n % BLOCK) % BLOCK;
    if (a->at > a->in.n) a->at = a->in.n;
    u->at = (toad_span){ start, a->at };
    if (type == 'L') a->name = until_zero(text);
    if (type == 'x' && (cut || !read_pax(a, text))) return TOAD__CLOSED_DAMAGED;
    if (type == 'g') { /* what holds for all of them: nothing that is asked for here, or readers differ */
        archive all = { .name = { NULL, 0 } };
        if (cut || !read_pax(&all, text) || all.name.p || all.sized || all.sparse) return TOAD__CLOSED_DAMAGED;
    }
    if (type && strchr("LKxg", type)) return cut ? TOAD__CLOSED_CUT : NULL;
    if (type && strchr("SMN", type)) return TOAD__CLOSED_METHOD;
    if (type && strchr("123456", type) && size) return TOAD__CLOSED_DAMAGED;
    if (!type || !strchr("123456DV", type)) add_file(u, a, name_of(a, block, room), text, cut);
    *a = (archive){ .in = a->in, .at = a->at };
    return cut ? TOAD__CLOSED_CUT : NULL;
}

static void open_tar(toad__unpack *u, toad_str bytes) {
    archive a = { .in = bytes };
    const char *why = NULL;
    bool ended = false;
    while (a.at < bytes.n && !why && !u->status && u->to->n <= TOAD__LIMIT_CONTAINER_PARTS) {
        toad_str block = toad__str_part(bytes, a.at, a.at + BLOCK);
        ended = is_zero(block);
        if (ended)
            a.at += block.n;
        else
            why = is_header(block) ? read_entry(u, &a, block) : TOAD__CLOSED_DAMAGED;
    }
    if (!why && !ended) why = TOAD__CLOSED_CUT;
    u->at = (toad_span){ a.at, bytes.n };
    if (why) toad__unpack_close(u, TOAD__S(""), why, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_tar = { "tar", is_tar, open_tar };
