/* opened.c - see opened.h. One part after the other through the same scanner; of each verdict what outlives it is
 * copied. Cost: linear in what the parts hold. */
#include "app/repository/opened.h"
#include "app/scan/pdf.h"
#include "lib/base/str.h"
#include "lib/container/container.h"
#include "lib/verdict/policy.h"
#include "net/sniff.h"

#include <stdlib.h>

enum { ARENA_MAX = 256 << 20, CLOSED_MOST = 1000, CONVERTED_MAX = 64 << 20 };

typedef struct opening {
    toad__opened *to;
    toad_scanner *scanner;
    const toad__scan_tree_options *options;
    const toad__report_options *weighing;
    toad__scanned *file;
} opening;

/* ---- what outlives a part's verdict ---- */

static toad_status copy_finding(toad__opened *o, const toad__part *part, const toad_finding *f, toad_finding *to) {
    size_t n = part->steps_n + f->path_n;
    const char **path = toad__arena_alloc(&o->arena, (n + 1) * sizeof *path);
    *to = *f;
    to->excerpt = toad__arena_dup(&o->arena, f->excerpt);
    to->decoded = toad__arena_dup(&o->arena, f->decoded);
    to->why = toad__arena_dup(&o->arena, toad__str_z(f->why)).p; /* the learned model's lives as long as its scan */
    to->span = part->at;
    if (!path || !to->excerpt.p || !to->decoded.p || !to->why) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const char *step = i < part->steps_n ? part->steps[i] : f->path[i - part->steps_n];
        path[i] = toad__arena_dup(&o->arena, toad__str_z(step)).p;
        if (!path[i]) return TOAD_E_NOMEM;
    }
    to->path = path;
    to->path_n = n;
    return TOAD_OK;
}

static void worsen(toad_verdict *v, toad_completeness how) {
    if (v->completeness == TOAD_FULL) v->completeness = how;
}

static bool make_room(toad__opened *o, size_t more) {
    toad_verdict *v = &o->verdict;
    if (v->n + more <= o->rows_cap) return true;
    size_t cap = 2 * (v->n + more);
    toad_finding *findings = realloc(v->findings, cap * sizeof *findings);
    if (findings) v->findings = findings;
    toad__reported *rows = realloc(o->report.rows, cap * sizeof *rows);
    if (rows) o->report.rows = rows;
    if (findings && rows) o->rows_cap = cap;
    return findings && rows;
}

static toad_status add_rows(toad__opened *o, const toad__part *part, const toad__report *from) {
    toad_verdict *v = &o->verdict;
    size_t base = v->n, n = from->n < TOAD__LIMIT_FINDINGS - base ? from->n : TOAD__LIMIT_FINDINGS - base;
    const char *name = toad__arena_dup(&o->arena, part->name).p;
    if (!name || !make_room(o, n)) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        toad__reported *row = &o->report.rows[base + i];
        *row = from->rows[i];
        if (row->lead != SIZE_MAX) row->lead = row->lead < n ? row->lead + base : base;
        row->part = *name ? name : NULL;
        toad_status status = copy_finding(o, part, from->rows[i].finding, &v->findings[base + i]);
        if (status) return status;
        v->n = o->report.n = base + i + 1;
    }
    if (n < from->n) worsen(v, TOAD_MATCH_LIMIT);
    return TOAD_OK;
}

static toad_status add_report(toad__opened *o, const toad__part *part, const toad__report *from) {
    toad__report *r = &o->report;
    toad_verdict *v = &o->verdict;
    toad_status status = from->n ? add_rows(o, part, from) : TOAD_OK;
    v->total += toad_verdict_total(from->verdict);
    if (from->verdict->severity > v->severity) v->severity = from->verdict->severity;
    if (from->verdict->score > v->score) v->score = from->verdict->score;
    if (toad_verdict_completeness(from->verdict) != TOAD_FULL && !from->minified)
        worsen(v, toad_verdict_completeness(from->verdict));
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
    worsen(&o->verdict, part->completeness);
    if (r->closed_n++ >= CLOSED_MOST) return TOAD_OK;
    if (r->closed_n > o->closed_cap) {
        size_t cap = 2 * r->closed_n;
        toad__closed *closed = realloc(r->closed, cap * sizeof *closed);
        if (!closed) return TOAD_E_NOMEM;
        r->closed = closed;
        o->closed_cap = cap;
    }
    const char *name = toad__arena_dup(&o->arena, part->name).p;
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

/* A PDF becomes the page that shows the same; text that a mail says is in another charset becomes UTF-8. */
static toad_status convert(toad__part *part, toad__buf *out) {
    const char *why = NULL, *charset;
    uint64_t replaced;
    toad_status status = TOAD_OK;
    if (toad__str_starts(part->text, TOAD__S("%PDF-"))) {
        status = toad__pdf_page(part->text, out, &why);
        if (status == TOAD_E_LIMIT || status == TOAD_E_IO) why = "the PDF could not be read", status = TOAD_OK;
        if (!why) part->text = out->n ? toad__buf_str(out) : TOAD__S("");
    } else if (part->label.n) {
        status = toad__page_utf8(part->text, part->label, out, &charset, &replaced);
        if (!status) part->text = out->n ? toad__buf_str(out) : TOAD__S("");
    }
    if (!why) return status;
    part->closed = why;
    part->completeness = TOAD_DECODE_LIMIT;
    part->text = TOAD__S("");
    return status;
}

static toad_status scan_part(opening *p, toad__part *part) {
    toad__buf key, converted;
    toad__buf_init(&key, 4 * TOAD__PATHS_MAX);
    toad__buf_init(&converted, CONVERTED_MAX);
    toad_status status = key_of(p, part, &key);
    if (!status) status = convert(part, &converted);
    if (!status && part->closed) status = add_closed(p->to, part);
    if (!status && part->binary) p->to->report.binary++;
    if (!status && part->text.n && !part->opened) status = scan_text(p, part, key.p, part->text);
    toad__buf_free(&key);
    toad__buf_free(&converted);
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
    for (size_t i = 0; i < r->n; i++) r->rows[i].finding = &o->verdict.findings[i];
    r->verdict = &o->verdict;
    r->key = key;
    r->artifact = artifact;
    r->action = toad__usual_action(r->severity, o->verdict.completeness);
}

toad_status toad__opened_make(toad_scanner *scanner, const toad__scan_tree_options *options,
                              const toad__report_options *weighing, toad__scanned *file, toad__input *in,
                              toad__opened *ret, int *err) {
    opening p = { ret, scanner, options, weighing, file };
    toad__buf all;
    bool whole = false;
    *ret = (toad__opened){ .verdict = { .completeness = TOAD_FULL } };
    toad__arena_init(&ret->arena, ARENA_MAX);
    toad__buf_init(&all, TOAD__LIMIT_CONTAINER_FILE + TOAD__INPUT_PIECE);
    *err = read_rest(in, &all, &whole);
    toad_status status = *err ? TOAD_E_IO : all.status == TOAD_E_NOMEM ? TOAD_E_NOMEM : TOAD_OK;
    ret->verdict.bytes = all.n;
    toad__part closed = { .closed = "it is too large to be opened", .completeness = TOAD_SIZE_LIMIT };
    if (!status) status = whole ? open_all(&p, toad__buf_str(&all)) : add_closed(ret, &closed);
    toad__buf_free(&all);
    if (!status) finish(ret, file->artifact, file->key);
    return status;
}

void toad__opened_free(toad__opened *o) {
    free(o->verdict.findings);
    free(o->report.closed);
    toad__report_free(&o->report);
    toad__arena_free(&o->arena);
}
