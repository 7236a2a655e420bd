/* pieces.c - see pieces.h. */
#include "app/records/pieces.h"

#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/wrap/neutralize.h"
#include "toadstone/wrap.h"

#define JOINED_MAX ((size_t)128 << 20)

enum { SUSPECTS = 64 };

/* ---- one line ---- */

static void add_folded(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool blank = toad__is_space((unsigned char)s.p[i]);
        if (!blank)
            toad__buf_add_c(out, s.p[i]);
        else if (out->n && out->p[out->n - 1] != ' ')
            toad__buf_add_c(out, ' ');
    }
    if (out->n && out->p[out->n - 1] == ' ') out->n--;
}

/* Where `most` code points end, or s.n. */
static size_t end_of(toad_str s, size_t most) {
    size_t at = 0;
    for (unsigned len; at < s.n && most; at += len, most--) toad__utf8_decode(s, at, &len);
    return at;
}

toad_status toad__piece_line(toad__host *host, toad_str text, size_t most, toad_str *ret) {
    toad_text *clean;
    toad__buf line;
    toad_status status = toad_neutralize(text.n ? text : TOAD__S(""), true, &clean);
    if (status) return toad__host_failed(host, status);
    toad__buf_init(&line, JOINED_MAX);
    add_folded(&line, toad_text_str(clean));
    toad_text_free(clean);
    size_t end = end_of(toad__buf_str(&line), most);
    if (end < line.n) {
        line.n = toad__cut_floor(toad__buf_str(&line), end_of(toad__buf_str(&line), most - 3));
        toad__buf_add_z(&line, "...");
    }
    toad_str kept = line.status ? toad__str(NULL, 0) : toad__arena_dup(&host->arena, toad__buf_str(&line));
    toad__buf_free(&line);
    if (!kept.p) return toad__host_fail(host, TOAD_E_NOMEM, "out of memory");
    *ret = kept;
    return TOAD_OK;
}

/* ---- over several ---- */

typedef struct joined {
    toad__buf text;
    size_t *ends; /* of each piece in `text`; in the host's arena */
    size_t n;
} joined;

static toad_status join(toad__host *host, const toad_str *texts, const bool *keep, size_t n, joined *j) {
    toad__buf_init(&j->text, JOINED_MAX);
    j->n = n;
    j->ends = toad__arena_alloc(&host->arena, (n ? n : 1) * sizeof *j->ends);
    for (size_t i = 0; i < n && j->ends; i++) {
        if (keep[i]) toad__buf_add_str(&j->text, texts[i]);
        if (keep[i]) toad__buf_add_c(&j->text, '\n');
        j->ends[i] = j->text.n;
    }
    toad_status status = j->ends ? j->text.status : TOAD_E_NOMEM;
    return toad__host_failed(host, status);
}

static size_t piece_at(const joined *j, uint64_t at) {
    size_t i = 0;
    while (i + 1 < j->n && j->ends[i] <= at) i++;
    return i;
}

static size_t suspects_of(const joined *j, const toad_verdict *v, toad__pieces_span runs[SUSPECTS]) {
    size_t n = 0;
    for (size_t i = 0; i < toad_verdict_count(v) && n < SUSPECTS; i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        if (f->severity != TOAD_HIGH || f->span.end <= f->span.start) continue;
        toad__pieces_span run = { .first = piece_at(j, f->span.start), .last = piece_at(j, f->span.end - 1) };
        bool known = n && runs[n - 1].first == run.first && runs[n - 1].last == run.last;
        if (run.first < run.last && !known) runs[n++] = run;
    }
    return n;
}

/* Is this run, by itself, one that does not pass? Then it is the answer. */
static toad_status try_run(toad__host *host, const joined *j, toad_kind kind, toad_str source, const toad__excepted *e,
                           const toad__pieces_span *run, toad__pieces_span *ret) {
    const toad_verdict *v;
    size_t from = run->first ? j->ends[run->first - 1] : 0;
    toad_str text = toad__str_part(toad__buf_str(&j->text), from, j->ends[run->last]);
    toad_status status = toad__host_scan(host, text, kind, &v);
    if (status || toad__action_passes(toad__action_left(host, TOAD__ON_LIST, source, e, v))) return status;
    *ret = *run;
    ret->text = toad__arena_dup(&host->arena, text);
    return ret->text.p ? TOAD_OK : toad__host_fail(host, TOAD_E_NOMEM, "out of memory");
}

static toad_status find(toad__host *host, const joined *j, toad_kind kind, toad_str source, const toad__excepted *e,
                        toad__pieces_span *ret) {
    const toad_verdict *v;
    toad__pieces_span runs[SUSPECTS];
    toad_status status = toad__host_scan(host, toad__buf_str(&j->text), kind, &v);
    size_t n = status ? 0 : suspects_of(j, v, runs);
    for (size_t i = 0; i < n && !status && !ret->text.p; i++) status = try_run(host, j, kind, source, e, &runs[i], ret);
    return status;
}

toad_status toad__pieces_run(toad__host *host, const toad_str *texts, const bool *keep, size_t n, toad_kind kind,
                             toad_str source, const toad__excepted *e, toad__pieces_span *ret) {
    static const toad__excepted none = { .n = 0 };
    joined j;
    toad__pieces_span run = { 0 };
    toad_status status = join(host, texts, keep, n, &j);
    if (!status && j.text.n) status = find(host, &j, kind, source, e ? e : &none, &run);
    toad__buf_free(&j.text);
    if (!status) *ret = run;
    return status;
}
