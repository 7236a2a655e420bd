/* pieces.c - see pieces.h. */
#include "app/records/pieces.h"

#include "bezoar/wrap.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/wrap/neutralize.h"

#define JOINED_MAX ((size_t)128 << 20)

enum { SUSPECTS = 64 };

/* ---- one line ---- */

static void add_folded(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool blank = bzr__is_space((unsigned char)s.p[i]);
        if (!blank)
            bzr__buf_add_c(out, s.p[i]);
        else if (out->n && out->p[out->n - 1] != ' ')
            bzr__buf_add_c(out, ' ');
    }
    if (out->n && out->p[out->n - 1] == ' ') out->n--;
}

/* Where `most` code points end, or s.n. */
static size_t end_of(bzr_str s, size_t most) {
    size_t at = 0;
    for (unsigned len; at < s.n && most; at += len, most--) bzr__utf8_decode(s, at, &len);
    return at;
}

bzr_status bzr__piece_line(bzr__host *host, bzr_str text, size_t most, bzr_str *ret) {
    bzr_text *clean;
    bzr__buf line;
    bzr_status status = bzr_neutralize(text.n ? text : BZR__S(""), true, &clean);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bzr__buf_init(&line, JOINED_MAX);
    add_folded(&line, bzr_text_str(clean));
    bzr_text_free(clean);
    size_t end = end_of(bzr__buf_str(&line), most);
    if (end < line.n) {
        line.n = bzr__cut_floor(bzr__buf_str(&line), end_of(bzr__buf_str(&line), most - 3));
        bzr__buf_add_z(&line, "...");
    }
    bzr_str kept = line.status ? bzr__str(NULL, 0) : bzr__arena_dup(&host->arena, bzr__buf_str(&line));
    bzr__buf_free(&line);
    if (!kept.p) return bzr__host_fail(host, BZR_E_NOMEM, "out of memory");
    *ret = kept;
    return BZR_OK;
}

/* ---- over several ---- */

typedef struct joined {
    bzr__buf text;
    size_t *ends; /* of each piece in `text`; in the host's arena */
    size_t n;
} joined;

static bzr_status join(bzr__host *host, const bzr_str *texts, const bool *keep, size_t n, joined *j) {
    bzr__buf_init(&j->text, JOINED_MAX);
    j->n = n;
    j->ends = bzr__arena_alloc(&host->arena, (n ? n : 1) * sizeof *j->ends);
    for (size_t i = 0; i < n && j->ends; i++) {
        if (keep[i]) bzr__buf_add_str(&j->text, texts[i]);
        if (keep[i]) bzr__buf_add_c(&j->text, '\n');
        j->ends[i] = j->text.n;
    }
    bzr_status status = j->ends ? j->text.status : BZR_E_NOMEM;
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

static size_t piece_at(const joined *j, uint64_t at) {
    size_t i = 0;
    while (i + 1 < j->n && j->ends[i] <= at) i++;
    return i;
}

static size_t suspects_of(const joined *j, const bzr_verdict *v, bzr__pieces_span runs[SUSPECTS]) {
    size_t n = 0;
    for (size_t i = 0; i < bzr_verdict_count(v) && n < SUSPECTS; i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        if (f->severity != BZR_HIGH || f->span.end <= f->span.start) continue;
        bzr__pieces_span run = { .first = piece_at(j, f->span.start), .last = piece_at(j, f->span.end - 1) };
        bool known = n && runs[n - 1].first == run.first && runs[n - 1].last == run.last;
        if (run.first < run.last && !known) runs[n++] = run;
    }
    return n;
}

/* Is this run blocked by itself? Then it is the answer. */
static bzr_status try_run(bzr__host *host, const joined *j, bzr_kind kind, bzr_str source, const bzr__pieces_span *run,
                          bzr__pieces_span *ret) {
    const bzr_verdict *v;
    size_t from = run->first ? j->ends[run->first - 1] : 0;
    bzr_str text = bzr__str_part(bzr__buf_str(&j->text), from, j->ends[run->last]);
    bzr_status status = bzr__host_scan(host, text, kind, &v);
    if (status || strcmp(bzr__host_action(host, source, v), "block") != 0) return status;
    *ret = *run;
    ret->text = bzr__arena_dup(&host->arena, text);
    return ret->text.p ? BZR_OK : bzr__host_fail(host, BZR_E_NOMEM, "out of memory");
}

static bzr_status find(bzr__host *host, const joined *j, bzr_kind kind, bzr_str source, bzr__pieces_span *ret) {
    const bzr_verdict *v;
    bzr__pieces_span runs[SUSPECTS];
    bzr_status status = bzr__host_scan(host, bzr__buf_str(&j->text), kind, &v);
    size_t n = status ? 0 : suspects_of(j, v, runs);
    for (size_t i = 0; i < n && !status && !ret->text.p; i++) status = try_run(host, j, kind, source, &runs[i], ret);
    return status;
}

bzr_status bzr__pieces_run(bzr__host *host, const bzr_str *texts, const bool *keep, size_t n, bzr_kind kind,
                           bzr_str source, bzr__pieces_span *ret) {
    joined j;
    bzr__pieces_span run = { 0 };
    bzr_status status = join(host, texts, keep, n, &j);
    if (!status && j.text.n) status = find(host, &j, kind, source, &run);
    bzr__buf_free(&j.text);
    if (!status) *ret = run;
    return status;
}
