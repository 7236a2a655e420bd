#include "lib/base/offmap.h"

#include <stdlib.h>
#include <string.h>

#define NO_RATIO UINT32_MAX

void toad__offmap_init(toad__offmap *m) { *m = (toad__offmap){ .n = 0 }; }

void toad__offmap_free(toad__offmap *m) {
    free(m->runs);
    *m = (toad__offmap){ .n = 0 };
}

void toad__offmap_clear(toad__offmap *m) {
    toad__run *runs = m->runs;
    size_t cap = m->cap;
    *m = (toad__offmap){ .runs = runs, .cap = cap };
}

static bool push(toad__offmap *m, uint32_t ratio) {
    if (m->n == m->cap) {
        size_t cap = m->cap ? m->cap + m->cap / 2 : 32;
        toad__run *runs = realloc(m->runs, cap * sizeof *runs);
        if (!runs) {
            m->status = TOAD_E_NOMEM;
            return false;
        }
        m->runs = runs;
        m->cap = cap;
    }
    m->runs[m->n++] = (toad__run){ m->out_len, m->in_len };
    m->ratio = ratio;
    return true;
}

/* Input bytes per output byte. The division is kept off the common cases: this is called for every folded letter. */
static uint32_t ratio_of(size_t out, size_t in) {
    if (!out) return 0;
    if (!in) return NO_RATIO;
    if (out == 1) return (uint32_t)in;
    return in % out ? NO_RATIO : (uint32_t)(in / out);
}

void toad__offmap_add(toad__offmap *m, size_t out, size_t in) {
    if (m->status || (!out && !in)) return;
    if (out > UINT32_MAX - m->out_len || in > UINT32_MAX - m->in_len) {
        m->status = TOAD_E_LIMIT;
        return;
    }
    /* a run whose ratio is no whole number stands alone: merged with a neighbor it would lose its ends */
    uint32_t ratio = out == in ? 1 : ratio_of(out, in);
    bool merges = m->n && ratio == m->ratio && ratio != NO_RATIO;
    if (!merges && !push(m, ratio)) return;
    m->out_len += (uint32_t)out;
    m->in_len += (uint32_t)in;
}

/* Index of the last run that starts at or before output byte `at`; of several at the same place (deletions before
 * text), the last. */
static size_t run_at(const toad__offmap *m, uint32_t at) {
    size_t lo = 0, hi = m->n;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->runs[mid].out <= at)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Input span of the single output byte `at` (at < out_len). */
static toad_span byte_back(const toad__offmap *m, uint32_t at) {
    size_t i = run_at(m, at);
    toad__run run = m->runs[i], next = i + 1 < m->n ? m->runs[i + 1] : (toad__run){ m->out_len, m->in_len };
    uint32_t out = next.out - run.out, in = next.in - run.in;
    if (out && in && in % out == 0) {
        uint32_t k = in / out;
        return (toad_span){ run.in + (uint64_t)(at - run.out) * k, run.in + (uint64_t)(at - run.out + 1) * k };
    }
    return (toad_span){ run.in, next.in };
}

void toad__offmap_shift(toad__offmap *m, size_t in) {
    if (in > UINT32_MAX - m->in_len) {
        m->status = TOAD_E_LIMIT;
        return;
    }
    for (size_t i = 0; i < m->n; i++) m->runs[i].in += (uint32_t)in;
    m->in_len += (uint32_t)in;
}

toad_span toad__offmap_back(const toad__offmap *m, toad_span out) {
    if (!m) return out;
    if (out.end > m->out_len) out.end = m->out_len;
    if (out.start >= out.end) {
        uint64_t at = out.start < m->out_len ? byte_back(m, (uint32_t)out.start).start : m->in_len;
        return (toad_span){ at, at };
    }
    return (toad_span){ byte_back(m, (uint32_t)out.start).start, byte_back(m, (uint32_t)out.end - 1).end };
}

/* Append: `out` bytes of output stand for the span [in, in + n) of the lower map's output. What lies before it is a
 * deletion. */
static void then_step(const toad__offmap *lower, uint32_t in, uint32_t n, uint32_t out, toad__offmap *ret) {
    toad_span at = toad__offmap_back(lower, (toad_span){ in, (uint64_t)in + n });
    if (at.start > ret->in_len) toad__offmap_add(ret, 0, (size_t)(at.start - ret->in_len));
    toad__offmap_add(ret, out, at.end > ret->in_len ? (size_t)(at.end - ret->in_len) : 0);
}

/* A copied stretch of the upper map, cut at the borders of the lower one so that no precision is lost. */
static void then_copy(const toad__offmap *lower, uint32_t in, uint32_t n, toad__offmap *ret) {
    while (n) {
        size_t i = lower->n ? run_at(lower, in) + 1 : 0;
        uint32_t border = i < lower->n ? lower->runs[i].out : UINT32_MAX;
        uint32_t take = border > in && border - in < n ? border - in : n;
        then_step(lower, in, take, take, ret);
        in += take;
        n -= take;
    }
}

void toad__offmap_then(const toad__offmap *upper, const toad__offmap *lower, toad__offmap *ret) {
    for (size_t i = 0; i < upper->n; i++) {
        toad__run run = upper->runs[i];
        toad__run next = i + 1 < upper->n ? upper->runs[i + 1] : (toad__run){ upper->out_len, upper->in_len };
        uint32_t out = next.out - run.out, in = next.in - run.in;
        if (out == in)
            then_copy(lower, run.in, in, ret);
        else if (out)
            then_step(lower, run.in, in, out, ret);
    }
    if (upper->status) ret->status = upper->status;
}
