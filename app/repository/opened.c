/* opened.c - see opened.h. One part after the other through the same scanner. Cost: linear in what the parts hold. */
#include "app/repository/opened.h"
#include "lib/base/str.h"
#include "lib/verdict/policy.h"

#include <stdlib.h>

enum { CLOSED_MOST = 1000 };

typedef struct opening {
    toad__opened *to;
    toad_scanner *scanner;
    const toad__scan_tree_options *options;
    const toad__report_options *weighing;
    toad__scanned *file;
} opening;

/* ---- what outlives a part's verdict ---- */

static toad_status add_rows(toad__opened *o, const toad__part *part, const toad__report *from) {
    size_t base = o->merged.verdict.n;
    toad_status status = toad__merged_add(&o->merged, part, from->verdict);
    size_t n = o->merged.verdict.n - base;
    if (status || !n) return status;
    const char *name = toad__arena_dup(&o->merged.arena, part->name).p;
    if (base + n > o->rows_cap) {
        toad__reported *rows = realloc(o->report.rows, 2 * (base + n) * sizeof *rows);
        if (!rows) return TOAD_E_NOMEM;
        o->report.rows = rows;
        o->rows_cap = 2 * (base + n);
    }
    for (size_t i = 0; i < n; i++) {
        toad__reported *row = &o->report.rows[base + i];
        *row = from->rows[i];
        if (row->lead != SIZE_MAX) row->lead = row->lead < n ? row->lead + base : base;
        row->part = name && *name ? name : NULL;
    }
    o->report.n = base + n;
    return name ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status add_report(toad__opened *o, const toad__part *part, const toad__report *from) {
    toad__report *r = &o->report;
    toad_status status = add_rows(o, part, from);
    if (!from->minified) toad__merged_worsen(&o->merged, toad_verdict_completeness(from->verdict));
    for (int i = 0; i < 4; i++) r->places[i] += from->places[i];
    r->fresh += from->fresh;
    r->known += from->known;
    r->suppressed += from->suppressed;
    r->unlisted += from->more_known ? 0 : from->unlisted;
    if (from->severity > r->severity) r->severity = from->severity;
    return status;
}

static toad_status add_closed(toad__opened *o, const toad__part *part) {
    toad__report *r = &o->report;
    toad__merged_worsen(&o->merged, part->completeness);
    if (r->closed_n++ >= CLOSED_MOST) return TOAD_OK;
    if (r->closed_n > o->closed_cap) {
        size_t cap = 2 * r->closed_n;
        toad__closed *closed = realloc(r->closed, cap * sizeof *closed);
        if (!closed) return TOAD_E_NOMEM;
        r->closed = closed;
        o->closed_cap = cap;
    }
    const char *name = toad__arena_dup(&o->merged.arena, part->name).p;
    r->closed[r->closed_n - 1] = (toad__closed){ name, part->closed };
    return name ? TOAD_OK : TOAD_E_NOMEM;
}

/* ---- one part ---- */

/* "dir/a.zip!/b.txt": what the part is called, and by its name what it is. */
static toad_status key_of(const opening *p, const toad__part *part, toad__buf *out) {
    toad__buf_add_z(out, p->file->key);
    if (part->name.n) toad__buf_add_z(out, "!/");
    toad__buf_add_str(out, part->name);
    toad__buf_add_c(out, 0);
    return out->status;
}

static toad_status scan_text(opening *p, const toad__part *part, const char *key, toad_str text) {
    toad__artifact artifact = p->weighing->repository ? toad__artifact_of(toad__str_z(key)) : TOAD__ARTIFACT_OTHER;
    toad_scan_options options = toad__scan_options_for(p->options, artifact);
    if (!options.kind) options.kind = part->kind;
    toad__input in = { .fd = -1,
                       .text = { .p = (char *)(uintptr_t)text.p, .n = text.n, .cap = text.n, .max = text.n } };
    toad__report report = { .rows = NULL };
    const toad_verdict *verdict;
    toad_status status = toad_scan(p->scanner, text, &options, &verdict);
    if (!status) status = toad__report_make(p->weighing, verdict, &in, p->file->root, key, &report);
    if (!status) status = add_report(p->to, part, &report);
    if (!status && p->options->entries) toad__report_baseline(&report, &p->file->entries);
    toad__report_free(&report);
    return status;
}

static toad_status scan_part(opening *p, toad__part *part) {
    toad__buf key;
    toad__buf_init(&key, 4 * TOAD__PATHS_MAX);
    toad_status status = key_of(p, part, &key);
    if (!status) status = toad__part_read(part);
    if (!status && part->closed) status = add_closed(p->to, part);
    if (!status && part->binary) p->to->report.binary++;
    if (!status && part->text.n && !part->opened) status = scan_text(p, part, key.p, part->text);
    toad__buf_free(&key);
    return status;
}

/* ---- the whole ---- */

/* All of the file, of which the beginning was read; false in `whole`: it is too large to be opened. */
static int read_rest(toad__input *in, toad__buf *all, bool *whole) {
    toad__buf_add_str(all, toad__buf_str(&in->text));
    for (size_t n = 1; n;) {
        char *room = toad__buf_room(all, TOAD__INPUT_PIECE);
        if (!room) break;
        int err = toad__input_read(in, room, TOAD__INPUT_PIECE, &n);
        if (err) return err;
        all->n += n;
    }
    *whole = !all->status;
    return 0;
}

static toad_status open_all(opening *p, toad_str bytes) {
    toad__parts parts;
    toad_status status = toad__container_open(toad__str_z(p->file->key), bytes, toad__looks_binary, &parts);
    for (size_t i = 0; i < parts.n && !status; i++) status = scan_part(p, &parts.rows[i]);
    toad__parts_free(&parts);
    return status;
}

static void finish(toad__opened *o, toad__artifact artifact, const char *key) {
    toad__report *r = &o->report;
    for (size_t i = 0; i < r->n; i++) r->rows[i].finding = &o->merged.verdict.findings[i];
    r->verdict = &o->merged.verdict;
    r->key = key;
    r->artifact = artifact;
    r->action = toad__usual_action(r->severity, o->merged.verdict.completeness);
}

toad_status toad__opened_make(toad_scanner *scanner, const toad__scan_tree_options *options,
                              const toad__report_options *weighing, toad__scanned *file, toad__input *in,
                              toad__opened *ret, int *err) {
    opening p = { ret, scanner, options, weighing, file };
    toad__buf all;
    bool whole = false;
    *ret = (toad__opened){ .rows_cap = 0 };
    toad__merged_init(&ret->merged);
    toad__buf_init(&all, TOAD__LIMIT_CONTAINER_FILE + TOAD__INPUT_PIECE);
    *err = read_rest(in, &all, &whole);
    toad_status status = *err ? TOAD_E_IO : all.status == TOAD_E_NOMEM ? TOAD_E_NOMEM : TOAD_OK;
    ret->merged.verdict.bytes = all.n;
    toad__part closed = { .closed = "it is too large to be opened", .completeness = TOAD_SIZE_LIMIT };
    if (!status) status = whole ? open_all(&p, toad__buf_str(&all)) : add_closed(ret, &closed);
    toad__buf_free(&all);
    if (!status) finish(ret, file->artifact, file->key);
    return status;
}

void toad__opened_free(toad__opened *o) {
    free(o->report.closed);
    toad__report_free(&o->report);
    toad__merged_free(&o->merged);
}
