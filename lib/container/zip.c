/* zip.c - ZIP (APPNOTE.TXT 6.3): archives, wheels, office documents, electronic books.
 *
 * The central directory says what is in it, as most readers believe. What only readers that go from the front would see
 * is not passed over in silence: a local entry that the directory does not name, or names otherwise, counts as closed.
 * Stored and deflated entries are read; encrypted ones, other methods, ZIP64 and archives in several files stay closed.
 * Entries may not lie in one another, so that no byte is unpacked twice. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

#include <stdlib.h>

enum { END = 22, COMMENT_MAX = 65535, CENTRAL = 46, LOCAL = 30 };

typedef struct entry {
    toad_str name, packed;
    size_t start, end; /* local header and data */
    unsigned flags, method;
    bool whole; /* its local header is where the directory says, and names it */
} entry;

typedef struct directory {
    toad_str in;
    entry *entries;
    size_t n, at, end; /* at, end: of the central directory */
    bool office;
} directory;

static unsigned u16(toad_str s, size_t at) {
    return at + 2 <= s.n ? (unsigned)((unsigned char)s.p[at] | (unsigned char)s.p[at + 1] << 8) : 0;
}

static size_t u32(toad_str s, size_t at) { return u16(s, at) | (size_t)u16(s, at + 2) << 16; }

static bool is_zip(toad_str name, toad_str head) {
    (void)name;
    return toad__str_starts(head, TOAD__S("PK\3\4")) || toad__str_starts(head, TOAD__S("PK\5\6"));
}

/* The end of the central directory, which is the last such record whose comment fills the rest; SIZE_MAX: none. */
static size_t find_end(toad_str in) {
    if (in.n < END) return SIZE_MAX;
    size_t least = in.n - END > COMMENT_MAX ? in.n - END - COMMENT_MAX : 0;
    for (size_t at = in.n - END + 1; at-- > least;)
        if (in.p[at] == 'P' && !memcmp(in.p + at, "PK\5\6", 4) && at + END + u16(in, at + 20) == in.n) return at;
    return SIZE_MAX;
}

/* The directory lies right before its end record; what was put before the archive moves all offsets alike. */
static bool read_end(directory *d) {
    size_t end = find_end(d->in);
    if (end == SIZE_MAX || u16(d->in, end + 4) || u16(d->in, end + 6)) return false;
    size_t bytes = u32(d->in, end + 12), at = u32(d->in, end + 16);
    if (bytes > end || at != end - bytes) return false;
    d->n = u16(d->in, end + 10);
    d->at = at;
    d->end = end;
    return true;
}

static void find_data(const directory *d, entry *e, size_t packed) {
    toad_str in = d->in;
    size_t at = e->start;
    e->end = e->start;
    if (at > d->at || d->at - at < LOCAL || memcmp(in.p + at, "PK\3\4", 4)) return;
    size_t name = u16(in, at + 26), data = at + LOCAL + name + u16(in, at + 28);
    if (data > d->at || packed > d->at - data) return;
    e->packed = toad__str_part(in, data, data + packed);
    e->end = data + packed;
    e->whole = toad__str_eq(toad__str_part(in, at + LOCAL, at + LOCAL + name), e->name) &&
               u16(in, at + 8) == e->method && (u16(in, at + 6) & 1) == (e->flags & 1);
}

/* One record of the directory; false: it is none. *at moves behind it. */
static bool read_entry(directory *d, entry *e, size_t *at) {
    toad_str in = d->in;
    if (d->end - *at < CENTRAL || memcmp(in.p + *at, "PK\1\2", 4)) return false;
    size_t name = u16(in, *at + 28), more = (size_t)u16(in, *at + 30) + u16(in, *at + 32);
    if (d->end - *at - CENTRAL < name + more) return false;
    *e = (entry){ .name = toad__str_part(in, *at + CENTRAL, *at + CENTRAL + name),
                  .start = u32(in, *at + 42),
                  .flags = u16(in, *at + 8),
                  .method = u16(in, *at + 10) };
    find_data(d, e, u32(in, *at + 20));
    if (toad__str_eq(e->name, TOAD__S("[Content_Types].xml")) ||
        toad__str_eq(e->name, TOAD__S("META-INF/manifest.xml")))
        d->office = true;
    *at += CENTRAL + name + more;
    return true;
}

static int by_start(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end > y->end) - (x->end < y->end);
}

/* Text of an office document stands in its XML. */
static void add_office(toad__unpack *u, const entry *e) {
    toad__buf xml, text;
    size_t left;
    bool whole = true;
    toad__buf_init(&xml, u->room);
    toad__buf_init(&text, 2 * u->room);
    if (e->method)
        whole = toad__inflate(e->packed, &xml, &left);
    else
        toad__buf_add_str(&xml, e->packed);
    if (!toad__office_text(toad__buf_str(&xml), &text)) whole = false;
    bool cut = xml.status == TOAD_E_LIMIT;
    u->room -= xml.n < u->room ? xml.n : u->room;
    toad__part *part = toad__unpack_take(u, e->name, &text);
    if (cut)
        toad__part_close(part, TOAD__CLOSED_LARGE, TOAD_SIZE_LIMIT);
    else if (!whole)
        toad__part_close(part, TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
    if (xml.status == TOAD_E_NOMEM) u->status = TOAD_E_NOMEM;
    toad__buf_free(&xml);
}

static bool is_office(const directory *d, const entry *e) {
    return d->office && (toad__name_ends(e->name, ".xml") || toad__name_ends(e->name, ".rels"));
}

static void add_entry(toad__unpack *u, const directory *d, const entry *e) {
    size_t left;
    u->at = e->start <= d->at ? (toad_span){ e->start, e->end } : (toad_span){ 0, 0 };
    if (e->flags & 1)
        toad__unpack_close(u, e->name, TOAD__CLOSED_ENCRYPTED, TOAD_DECODE_LIMIT);
    else if (!e->whole)
        toad__unpack_close(u, e->name, TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
    else if (e->method != 0 && e->method != 8)
        toad__unpack_close(u, e->name, TOAD__CLOSED_METHOD, TOAD_DECODE_LIMIT);
    else if (is_office(d, e))
        add_office(u, e);
    else if (e->method)
        toad__unpack_inflate(u, e->name, e->packed, &left);
    else if (e->packed.n)
        toad__unpack_add(u, e->name, e->packed);
}

/* Entries in the order they lie; what lies between them is looked at for entries that the directory leaves out. */
static void add_entries(toad__unpack *u, directory *d) {
    size_t done = 0;
    for (size_t i = 0; i <= d->n && !u->status && u->to->n <= TOAD__LIMIT_CONTAINER_PARTS; i++) {
        entry *e = i < d->n ? &d->entries[i] : NULL;
        size_t start = e && e->whole ? e->start : e ? done : d->at;
        size_t hidden =
            start > done ? toad__str_find(toad__str_part(d->in, done, start), TOAD__S("PK\3\4"), 0) : SIZE_MAX;
        u->at = (toad_span){ done, start };
        if (start > done && hidden < start - done)
            toad__unpack_close(u, TOAD__S(""), "it has entries that its directory does not name", TOAD_DECODE_LIMIT);
        if (!e) break;
        if (e->whole && e->start < done) e->whole = false;
        if (e->whole) done = e->end;
        bool folder = !e->packed.n && e->name.n && e->name.p[e->name.n - 1] == '/';
        if (!folder) add_entry(u, d, e);
    }
}

static void open_zip(toad__unpack *u, toad_str bytes) {
    directory d = { .in = bytes };
    if (!read_end(&d)) {
        toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
        return;
    }
    d.entries = calloc(d.n + 1, sizeof *d.entries);
    size_t n = 0, at = d.at;
    if (!d.entries) u->status = TOAD_E_NOMEM;
    while (d.entries && n < d.n && read_entry(&d, &d.entries[n], &at)) n++;
    if (d.entries && (n < d.n || at != d.end))
        toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
    d.n = n;
    if (n) qsort(d.entries, n, sizeof *d.entries, by_start);
    if (d.entries) add_entries(u, &d);
    free(d.entries);
}

const toad__container toad__container_zip = { "zip", is_zip, open_zip };
