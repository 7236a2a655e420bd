/* parts.c - see parts.h. Of each verdict what outlives it is copied. Cost: linear in what the parts hold. */
#include "app/scan/parts.h"
#include "app/scan/pdf.h"
#include "lib/base/str.h"
#include "net/sniff.h"

#include <stdlib.h>

enum { ARENA_MAX = 256 << 20, CONVERTED_MAX = 256 << 20 };

static bool is_pdf(toad_str text) { return toad__str_starts(text, TOAD__S("%PDF-")); }

bool toad__has_parts(toad_str name, toad_str head) { return is_pdf(head) || toad__container_kind(name, head); }

static toad_status convert(toad__part *part, toad__buf *out, const char **why) {
    const char *charset;
    uint64_t replaced;
    if (!is_pdf(part->text)) return toad__page_utf8(part->text, part->label, out, &charset, &replaced);
    toad_status status = toad__pdf_page(part->text, out, why);
    if (status != TOAD_E_LIMIT && status != TOAD_E_IO) return status;
    *why = "the PDF could not be read";
    return TOAD_OK;
}

toad_status toad__part_read(toad__part *part) {
    const char *why = NULL;
    toad__buf out;
    if (part->opened || !part->text.n || (!part->label.n && !is_pdf(part->text))) return TOAD_OK;
    toad__buf_init(&out, CONVERTED_MAX);
    toad_status status = convert(part, &out, &why);
    if (status || why) toad__buf_free(&out);
    if (status) return status;
    if (why) part->closed = why, part->completeness = TOAD_DECODE_LIMIT;
    part->text = out.n ? toad__buf_str(&out) : TOAD__S("");
    free(part->own);
    part->own = out.p;
    return TOAD_OK;
}

/* ---- verdicts ---- */

void toad__merged_init(toad__merged *m) {
    *m = (toad__merged){ .verdict = { .completeness = TOAD_FULL } };
    toad__arena_init(&m->arena, ARENA_MAX);
}

void toad__merged_free(toad__merged *m) {
    free(m->verdict.findings);
    toad__arena_free(&m->arena);
}

void toad__merged_worsen(toad__merged *m, toad_completeness how) {
    if (m->verdict.completeness == TOAD_FULL) m->verdict.completeness = how;
}

static toad_status copy_finding(toad__arena *arena, const toad__part *part, const toad_finding *f, toad_finding *to) {
    size_t n = part->steps_n + f->path_n;
    const char **path = toad__arena_alloc(arena, (n + 1) * sizeof *path);
    *to = *f;
    to->excerpt = toad__arena_dup(arena, f->excerpt);
    to->decoded = toad__arena_dup(arena, f->decoded);
    to->why = toad__arena_dup(arena, toad__str_z(f->why)).p; /* the learned model's lives as long as its scan */
    to->span = part->at;
    if (!path || !to->excerpt.p || !to->decoded.p || !to->why) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const char *step = i < part->steps_n ? part->steps[i] : f->path[i - part->steps_n];
        path[i] = toad__arena_dup(arena, toad__str_z(step)).p;
        if (!path[i]) return TOAD_E_NOMEM;
    }
    to->path = path;
    to->path_n = n;
    return TOAD_OK;
}

static bool make_room(toad__merged *m, size_t n) {
    if (n <= m->cap) return true;
    toad_finding *findings = realloc(m->verdict.findings, 2 * n * sizeof *findings);
    if (!findings) return false;
    m->verdict.findings = findings;
    m->cap = 2 * n;
    return true;
}

toad_status toad__merged_add(toad__merged *m, const toad__part *part, const toad_verdict *from) {
    toad_verdict *v = &m->verdict;
    size_t all = toad_verdict_count(from), n = all < TOAD__LIMIT_FINDINGS - v->n ? all : TOAD__LIMIT_FINDINGS - v->n;
    v->total += toad_verdict_total(from);
    if (from->severity > v->severity) v->severity = from->severity;
    if (from->score > v->score) v->score = from->score;
    if (!make_room(m, v->n + n)) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        toad_status status = copy_finding(&m->arena, part, toad_verdict_finding(from, i), &v->findings[v->n]);
        if (status) return status;
        v->n++;
    }
    if (n < all) toad__merged_worsen(m, TOAD_MATCH_LIMIT);
    return TOAD_OK;
}
