/* container.c - see container.h. The table of kinds, the list of parts and the bounds.
 *
 * Invariant: rows before the one that is opened are done with; a reader only appends. Cost: linear in what is unpacked,
 * which the ratio bounds by the bytes that came. */
#include "lib/container/container.h"
#include "lib/base/str.h"
#include "lib/container/unpack.h"
#include "lib/decode/deflate.h"

#include <stdlib.h>

enum { NAME_MAX_BYTES = 512, HEAD = 8192, ARENA_MAX = 64 << 20, LAYERS_MAX = 16 };

static const toad__container *const kinds[] = { &toad__container_zip,  &toad__container_tar,
                                                &toad__container_gzip, &toad__container_calendar,
                                                &toad__container_mail, &toad__container_notebook,
                                                &toad__container_pyc,  &toad__container_closed };

bool toad__unpack_base64(toad_str in, toad__buf *out) {
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < in.n && !out->status; i++) {
        int v = toad__base64_value((unsigned char)in.p[i]);
        if (in.p[i] == '=') have = 0;
        if (v < 0) continue;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        toad__buf_add_c(out, (char)(bits >> have & 0xFF));
    }
    return !have;
}

bool toad__name_ends(toad_str name, const char *ending) {
    size_t n = strlen(ending);
    return name.n >= n && toad__str_ieq(toad__str_part(name, name.n - n, name.n), toad__str(ending, n));
}

static const toad__container *kind_of(toad_str name, toad_str head) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->is(name, head)) return kinds[i];
    return NULL;
}

const char *toad__container_kind(toad_str name, toad_str head) {
    const toad__container *c = kind_of(name, head);
    return c ? c->kind : NULL;
}

/* ---- parts ---- */

/* A name as it may stand in keys and notices: no control bytes, not endless; "outer!/inner" below a container. */
static toad_str full_name(toad__unpack *u, toad_str name) {
    toad_str outer = u->from.name;
    size_t n = name.n < NAME_MAX_BYTES ? name.n : NAME_MAX_BYTES, prefix = outer.n && n ? outer.n + 2 : outer.n;
    char *p = toad__arena_alloc(&u->to->arena, prefix + n + 1);
    if (!p) return u->status = TOAD_E_NOMEM, TOAD__S("");
    if (outer.n) memcpy(p, outer.p, outer.n);
    if (prefix > outer.n) memcpy(p + outer.n, "!/", 2);
    for (size_t i = 0; i < n; i++) p[prefix + i] = (unsigned char)name.p[i] < 0x20 ? '?' : name.p[i];
    return toad__str(p, prefix + n);
}

static const char *step_of(toad__unpack *u, toad_str name) {
    size_t kind = strlen(u->kind), n = name.n < NAME_MAX_BYTES ? name.n : NAME_MAX_BYTES;
    char *p = toad__arena_alloc(&u->to->arena, kind + n + 2);
    if (!p) return u->status = TOAD_E_NOMEM, u->kind;
    memcpy(p, u->kind, kind);
    if (n) p[kind] = ':';
    for (size_t i = 0; i < n; i++) p[kind + 1 + i] = (unsigned char)name.p[i] < 0x20 ? '?' : name.p[i];
    return p;
}

static toad__part *new_row(toad__parts *p) {
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 16;
        toad__part *rows = realloc(p->rows, cap * sizeof *rows);
        if (!rows) return NULL;
        p->rows = rows;
        p->cap = cap;
    }
    p->rows[p->n] = (toad__part){ .completeness = TOAD_FULL };
    return &p->rows[p->n++];
}

static bool is_no_text(toad__unpack *u, toad_str name, toad_str head) {
    return !kind_of(name, head) && !toad__str_starts(head, TOAD__S("%PDF-")) && u->is_binary(head);
}

toad__part *toad__unpack_add(toad__unpack *u, toad_str name, toad_str text) {
    if (u->status || u->to->n > TOAD__LIMIT_CONTAINER_PARTS) return NULL;
    toad__part *from = &u->from;
    toad__part part = { .name = full_name(u, name),
                        .text = text,
                        .at = from->at,
                        .completeness = TOAD_FULL,
                        .depth = from->depth + !u->wraps,
                        .layers = from->layers + 1 };
    size_t most = sizeof part.steps / sizeof *part.steps;
    memcpy(part.steps, from->steps, sizeof part.steps);
    part.steps_n = from->steps_n < most ? from->steps_n + 1 : most;
    part.steps[part.steps_n - 1] = step_of(u, name);
    if (!from->depth && !from->layers && u->at.end) part.at = u->at;
    part.plain = u->plain;
    part.kind = u->of;
    part.binary = text.n && !u->plain && is_no_text(u, part.name, toad__str_part(text, 0, HEAD));
    if (part.binary) part.text = TOAD__S("");
    toad__part *row = u->status ? NULL : new_row(u->to);
    if (!row) return u->status = TOAD_E_NOMEM, NULL;
    *row = part;
    if (u->to->n > TOAD__LIMIT_CONTAINER_PARTS) {
        row->text = TOAD__S("");
        row->closed = "there are too many parts";
        row->completeness = TOAD_SIZE_LIMIT;
    }
    return row;
}

toad__part *toad__unpack_take(toad__unpack *u, toad_str name, toad__buf *b) {
    if (b->status == TOAD_E_NOMEM) u->status = TOAD_E_NOMEM;
    bool cut = b->status == TOAD_E_LIMIT;
    toad__part *part = toad__unpack_add(u, name, b->n ? toad__buf_str(b) : TOAD__S(""));
    if (part && part->text.n) {
        part->own = b->p;
        u->room -= b->n < u->room ? b->n : u->room;
        *b = (toad__buf){ .p = NULL };
    }
    toad__buf_free(b);
    if (cut && part && !part->binary) toad__part_close(part, TOAD__CLOSED_LARGE, TOAD_SIZE_LIMIT);
    return part;
}

void toad__part_close(toad__part *part, const char *why, toad_completeness completeness) {
    if (!part || part->closed) return;
    part->binary = false; /* what is missing may be anything */
    part->closed = why;
    part->completeness = completeness;
}

void toad__unpack_close(toad__unpack *u, toad_str name, const char *why, toad_completeness completeness) {
    toad__part_close(toad__unpack_add(u, name, TOAD__S("")), why, completeness);
}

void toad__unpack_binary(toad__unpack *u, toad_str name) {
    toad__part *part = toad__unpack_add(u, name, TOAD__S(""));
    if (part) part->binary = true;
}

bool toad__unpack_is_binary(toad__unpack *u, toad_str name, toad_str packed) {
    char head[HEAD];
    size_t left;
    toad__buf out = { .p = head, .cap = sizeof head, .max = sizeof head }; /* never grows: max is its capacity */
    toad__inflate(packed, &out, &left);
    toad_str text = toad__buf_str(&out);
    return out.status && is_no_text(u, name, text);
}

toad__part *toad__unpack_inflate(toad__unpack *u, toad_str name, toad_str packed, size_t *ret_left) {
    toad__buf out;
    *ret_left = 0;
    if (toad__unpack_is_binary(u, name, packed)) return toad__unpack_binary(u, name), NULL;
    toad__buf_init(&out, u->room);
    bool whole = toad__inflate(packed, &out, ret_left);
    toad__part *part = toad__unpack_take(u, name, &out);
    if (!whole) toad__part_close(part, TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
    return part;
}

/* ---- the whole ---- */

static toad_status open_row(toad__parts *p, size_t i, toad_str file, toad__unpack *u) {
    toad__part *row = &p->rows[i];
    bool shut = row->binary || row->plain || (row->closed && !row->text.n); /* what came of a damaged one is opened */
    const toad__container *c = shut ? NULL : kind_of(i ? row->name : file, row->text);
    if (!c) return TOAD_OK;
    if (row->depth >= TOAD__LIMIT_CONTAINER_DEPTH || row->layers >= LAYERS_MAX) {
        row->closed = TOAD__CLOSED_DEEP;
        row->completeness = TOAD_DEPTH_LIMIT;
        row->text = TOAD__S("");
        return TOAD_OK;
    }
    u->from = *row;
    u->kind = c->kind;
    u->wraps = u->plain = false;
    u->of = TOAD_KIND_ANY;
    u->at = (toad_span){ 0, 0 };
    row->opened = true;
    c->open(u, u->from.text);
    return u->status;
}

toad_status toad__container_open(toad_str name, toad_str bytes, bool (*is_binary)(toad_str head), toad__parts *ret) {
    *ret = (toad__parts){ .rows = NULL };
    toad__arena_init(&ret->arena, ARENA_MAX);
    size_t room =
        TOAD__LIMIT_CONTAINER_BASE + (bytes.n < TOAD__LIMIT_CONTAINER_OUT ? bytes.n : TOAD__LIMIT_CONTAINER_OUT) *
                                         (size_t)TOAD__LIMIT_CONTAINER_RATIO;
    toad__unpack u = { .to = ret,
                       .file = name,
                       .room = room < TOAD__LIMIT_CONTAINER_OUT ? room : TOAD__LIMIT_CONTAINER_OUT,
                       .is_binary = is_binary };
    toad__part *root = new_row(ret);
    if (!root) return TOAD_E_NOMEM;
    root->text = bytes;
    root->at = (toad_span){ 0, bytes.n };
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < ret->n && !status; i++) status = open_row(ret, i, name, &u);
    return status;
}

void toad__parts_free(toad__parts *p) {
    for (size_t i = 0; i < p->n; i++) free(p->rows[i].own);
    free(p->rows);
    toad__arena_free(&p->arena);
    *p = (toad__parts){ .rows = NULL };
}
