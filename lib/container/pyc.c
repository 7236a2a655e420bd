/* pyc.c - compiled Python (marshal, as CPython 2.7 to 3.14 write it): the strings of the program.
 *
 * They are written as a program in which they would stand: docstrings by themselves, constants in quotation marks, so
 * that they weigh what they weigh in the source; names, which are in no quotation marks there, each on a line. Code,
 * numbers and tables are passed over. The stack of what is open is explicit and bounded. Cost: one pass. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

enum { DEPTH = 512, FLAG_REF = 0x80 };

/* What is still to come of a code object, a letter each: i a number, o an object that is passed over, c its constants,
 * n names or a text beside them. */
static const char *const layouts[] = {
    "iiiiocnnnnnnio",   /* 2.x: code, consts, names, varnames, freevars, cellvars, file, name, line, table */
    "iiiiiocnnnnnnio",  /* to 3.7: and how many arguments by keyword alone */
    "iiiiiiocnnnnnnio", /* to 3.10: and by position alone */
    "iiiiiocnnonnnioo", /* from 3.11: code, consts, names, locals, kinds, file, name, qualified name, ... */
};

typedef enum part_role {
    NAMES,
    TABLE,
    DOCSTRING,
    CONSTANT,
    PASSED
} part_role; /* TABLE: of constants, the docstring first */

typedef struct frame {
    const char *layout; /* of a code object, else NULL */
    uint64_t left;      /* objects of a list; DICTIONARY: up to a null */
    part_role role;     /* of the next of them */
} frame;

#define DICTIONARY UINT64_MAX

typedef struct reader {
    toad__cur in;
    frame stack[DEPTH];
    size_t n;
    const char *layout;
    toad__buf *out;
    bool cut, null; /* it ends too early; the last object was the end mark of a dictionary */
} reader;

/* Where the header ends and the layout of the version that wrote it; 0: it is none. */
static size_t header_of(toad_str s, const char **ret_layout) {
    if (s.n < 17 || s.p[2] != '\r' || s.p[3] != '\n') return 0;
    unsigned magic = (unsigned char)s.p[0] | (unsigned)(unsigned char)s.p[1] << 8;
    static const struct {
        unsigned from, to;
        uint8_t layout, header;
    } versions[] = { { 62011, 62219, 0, 8 }, { 3000, 3189, 1, 8 },  { 3190, 3389, 1, 12 },
                     { 3390, 3399, 1, 16 },  { 3400, 3449, 2, 16 }, { 3450, 3999, 3, 16 } };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (magic < versions[i].from || magic > versions[i].to) continue;
        *ret_layout = layouts[versions[i].layout];
        return ((unsigned char)s.p[versions[i].header] & ~FLAG_REF) == 'c' ? versions[i].header : 0;
    }
    return 0;
}

static bool is_pyc(toad_str name, toad_str head) {
    const char *layout;
    bool named = toad__name_ends(name, ".pyc") || toad__name_ends(name, ".pyo");
    return header_of(head, &layout) || (named && head.n >= 4 && head.p[2] == '\r' && head.p[3] == '\n');
}

static uint64_t number(reader *r, unsigned bytes) {
    uint64_t v = 0;
    if (toad__cur_left(&r->in) < bytes) return r->cut = true, 0;
    for (unsigned i = 0; i < bytes; i++) v |= (uint64_t)toad__cur_next(&r->in) << 8 * i;
    return v;
}

static void skip(reader *r, uint64_t n) {
    if (toad__cur_left(&r->in) < n) r->cut = true;
    toad__cur_skip(&r->in, r->cut ? toad__cur_left(&r->in) : (size_t)n);
}

static void add_string(reader *r, part_role role, uint64_t n) {
    size_t have = toad__cur_left(&r->in);
    toad_str text = toad__str_part(r->in.s, r->in.at, r->in.at + (n < have ? (size_t)n : have));
    skip(r, n);
    if (!text.n || role == PASSED) return;
    if (role != NAMES) toad__buf_add_z(r->out, role == DOCSTRING ? "\"\"\"" : "= \"\"\"");
    toad__buf_add_str(r->out, text);
    toad__buf_add_z(r->out, role == NAMES ? "\n" : "\"\"\"\n");
}

/* NULL, or why the rest stays closed. */
static const char *push(reader *r, const char *layout, uint64_t left, part_role of) {
    part_role items = of == TABLE ? DOCSTRING : of == DOCSTRING ? CONSTANT : of;
    if (r->n == DEPTH) return TOAD__CLOSED_DEEP;
    r->stack[r->n++] = (frame){ layout, left, items };
    return NULL;
}

static void skip_big_number(reader *r) {
    int64_t digits = (int32_t)(uint32_t)number(r, 4);
    skip(r, 2 * (uint64_t)(digits < 0 ? -digits : digits));
}

/* One object that plays this role. */
static const char *read_object(reader *r, part_role role) {
    if (toad__cur_end(&r->in)) return TOAD__CLOSED_CUT;
    int type = toad__cur_next(&r->in) & ~FLAG_REF;
    r->null = type == '0';
    if (strchr("0NFTS.", type)) return type ? NULL : TOAD__CLOSED_DAMAGED;
    switch (type) {
    case 'i':
    case 'r':
    case 'R': return skip(r, 4), NULL;
    case 'I':
    case 'g': return skip(r, 8), NULL;
    case 'y': return skip(r, 16), NULL;
    case 'x': skip(r, number(r, 1)); return skip(r, number(r, 1)), NULL;
    case 'f': return skip(r, number(r, 1)), NULL;
    case 'l': return skip_big_number(r), NULL;
    case 'z':
    case 'Z': return add_string(r, role, number(r, 1)), NULL;
    case 's':
    case 't':
    case 'u':
    case 'a':
    case 'A': return add_string(r, role, number(r, 4)), NULL;
    case ')': return push(r, NULL, number(r, 1), role);
    case '(':
    case '[':
    case '<':
    case '>': return push(r, NULL, number(r, 4), role);
    case '{': return push(r, NULL, DICTIONARY, role);
    case ':': return push(r, NULL, 3, role); /* a slice */
    case 'c': return push(r, r->layout, 0, PASSED);
    default: return TOAD__CLOSED_DAMAGED;
    }
}

/* The next field of a code object. */
static const char *step_code(reader *r, frame *f) {
    char field = *f->layout++;
    if (!field) return r->n--, NULL;
    if (field == 'i') return skip(r, 4), NULL;
    return read_object(r, field == 'o' ? PASSED : field == 'c' ? TABLE : NAMES);
}

/* The next object of a list. */
static const char *step_list(reader *r, frame *f) {
    part_role role = f->role;
    if (!f->left) return r->n--, NULL;
    if (role == DOCSTRING) f->role = CONSTANT;
    if (f->left != DICTIONARY) f->left--;
    bool ends = f->left == DICTIONARY;
    size_t depth = r->n;
    const char *why = read_object(r, role);
    if (ends && r->null) r->n = depth - 1;
    return why;
}

static const char *read_all(reader *r) {
    const char *why = read_object(r, NAMES);
    while (!why && r->n && !r->cut && !r->out->status) {
        frame *f = &r->stack[r->n - 1];
        why = f->layout ? step_code(r, f) : step_list(r, f);
    }
    if (r->cut) return TOAD__CLOSED_CUT;
    return why || r->out->status ? why : toad__cur_end(&r->in) ? NULL : TOAD__CLOSED_DAMAGED;
}

static void open_pyc(toad__unpack *u, toad_str bytes) {
    toad__buf out;
    reader r = { .in = toad__cur_of(bytes), .out = &out };
    size_t header = header_of(bytes, &r.layout);
    if (!header) {
        toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_METHOD, TOAD_DECODE_LIMIT);
        return;
    }
    toad__cur_skip(&r.in, header);
    toad__buf_init(&out, u->room);
    const char *why = read_all(&r);
    u->plain = true;
    toad__part *part = toad__unpack_take(u, TOAD__S("strings.py"), &out);
    if (why) toad__part_close(part, why, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_pyc = { "pyc", is_pyc, open_pyc };
