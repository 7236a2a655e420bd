/* memory_render.c - render_memories: the rows as a section of a system prompt.
 *
 * outheis' layout: `# Memory`, sections by category in a fixed order, a bullet a row; before it the Content
 * Safety section. A bad row is a placeholder. Everything shown is neutralized, so no row ends an envelope or
 * begins a section. Families whose marks are drawn by chance draw them from a digest of all rows: the same rows give
 * the same bytes, and the author of one row cannot know the others (their ids are random). */
#include "app/memory/memory.h"
#include "app/memory/memory_gate.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "sys/digest.h"
#include "toadstone/prompt.h"

#include <stdlib.h>

/* outheis' sections; the last takes what is in none. */
static const char *const sections[][2] = { { "user", "## About the user" },
                                           { "feedback", "## Working preferences" },
                                           { "context", "## Current context" },
                                           { NULL, "## Notes" } };
enum { SECTIONS = sizeof sections / sizeof *sections };

static int section_of(toad_str category) {
    int k = 0;
    while (k < SECTIONS - 1 && !toad__str_eq(category, toad__str_z(sections[k][0]))) k++;
    return k;
}

/* ---- chance that is the same for the same rows ---- */

typedef struct chance {
    char seed[65];
    uint64_t drawn;
} chance;

static bool draw(void *ctx, void *p, size_t n) {
    chance *c = ctx;
    unsigned char *out = p;
    for (size_t at = 0; at < n;) {
        unsigned char digest[TOAD__DIGEST];
        toad__sha256((const toad_str[]){ { c->seed, 64 }, toad__str(&c->drawn, sizeof c->drawn) }, 2, digest);
        c->drawn++;
        for (size_t i = 0; i < sizeof digest && at < n; i++) out[at++] = digest[i];
    }
    return true;
}

static toad_status seed(toad__host *host, const toad__memory *rows, size_t n, chance *ret) {
    toad__buf all;
    toad__buf_init(&all, TOAD__HOST_ANSWER_MAX);
    toad__buf_add_z(&all, "toadstone render");
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_c(&all, 0);
        toad__buf_add_str(&all, rows[i].id);
        toad__buf_add_c(&all, 0);
        toad__buf_add_u64(&all, (uint64_t)rows[i].created_at);
        toad__buf_add_c(&all, 0);
        toad__buf_add_str(&all, rows[i].content);
    }
    ret->drawn = 0;
    toad_status status = all.status;
    if (!status) toad__sha256_of(toad__buf_str(&all), ret->seed);
    toad__buf_free(&all);
    return toad__host_failed(host, status);
}

/* ---- one row ---- */

typedef struct page {
    toad__host *host;
    toad_envelope envelope;
    chance *chance;
    toad__buf *text;
    toad__memory_shown shown;
} page;

/* A clean row that reads like our placeholder could have another entry deleted. */
static void add_line(toad__buf *out, toad_str line) {
    toad_str mark = TOAD__S("[BLOCKED:");
    size_t done = 0;
    for (size_t at = toad__str_find(line, TOAD__S("["), 0); at < line.n;
         at = toad__str_find(line, TOAD__S("["), at + 1)) {
        if (!toad__str_ieq(toad__str_part(line, at, at + mark.n), mark)) continue;
        toad__buf_add_str(out, toad__str_part(line, done, at));
        toad__buf_add_c(out, '\\');
        done = at;
    }
    toad__buf_add_str(out, toad__str_part(line, done, line.n));
}

/* A family with lines of its own: not a bullet, so that its marks stand at the start of a line. */
static toad_status add_enveloped(page *p, const toad__memory *row) {
    toad_wrap_options options = TOAD_WRAP_OPTIONS_INIT;
    toad_text *safe;
    options.envelope = p->envelope;
    options.source = p->envelope == TOAD_ENVELOPE_MEMORIES ? row->category : row->source;
    options.notice = p->shown.external ? TOAD_NOTICE_NONE : TOAD_NOTICE_DEFAULT;
    options.preamble = !p->shown.external;
    options.random = draw;
    options.random_ctx = p->chance;
    toad_status status = toad_wrap(row->content, &options, &safe);
    if (status) return toad__host_failed(p->host, status);
    toad__buf_add_str(p->text, toad_text_str(safe));
    toad_text_free(safe);
    return TOAD_OK;
}

static toad_status add_bullet(page *p, const toad__memory *row, toad_provenance provenance) {
    toad_text *line;
    toad_status status = toad_memory_prompt_line(row->content, provenance, &line);
    if (status) return toad__host_failed(p->host, status);
    add_line(p->text, toad_text_str(line));
    toad_text_free(line);
    return TOAD_OK;
}

static toad_status add_row(page *p, const toad__memory *row) {
    toad__threats threats;
    toad_provenance provenance = toad__gate_provenance(row);
    toad_status status = toad__gate_row(p->host, row, &threats);
    if (status) return status;
    toad__buf_add_c(p->text, '\n');
    p->shown.entries++;
    if (threats.n) {
        p->shown.blocked++;
        toad__buf_add_z(p->text, "- ");
        return toad__memory_placeholder_of(p->host, row->id, &threats, p->text);
    }
    bool own_lines = provenance == TOAD_EXTERNAL && p->envelope != TOAD_ENVELOPE_EXTERNAL_CONTENT;
    status = own_lines ? add_enveloped(p, row) : add_bullet(p, row, provenance);
    p->shown.external += provenance == TOAD_EXTERNAL;
    return status;
}

/* ---- all rows ---- */

static toad_status add_sections(page *p, const toad__memory *rows, size_t n) {
    toad_status status = TOAD_OK;
    for (int k = 0; k < SECTIONS; k++) {
        bool headed = false;
        for (size_t i = 0; i < n && !status; i++) {
            if (section_of(rows[i].category) != k) continue;
            if (!headed) {
                toad__buf_add_z(p->text, "\n\n");
                toad__buf_add_z(p->text, sections[k][1]);
            }
            headed = true;
            status = add_row(p, &rows[i]);
        }
    }
    return status;
}

toad_status toad__memory_prompt_of(toad__host *host, const toad__memory *rows, size_t n, toad_envelope envelope,
                                   toad__buf *text, toad__memory_shown *ret) {
    chance c;
    page p = { .host = host, .envelope = envelope, .chance = &c, .text = text };
    *ret = p.shown;
    if (!n) return TOAD_OK;
    toad_status status = seed(host, rows, n, &c);
    toad__buf_add_str(text, toad_prompt_section(TOAD__S("content_safety")));
    toad__buf_add_z(text, "\n\n# Memory");
    if (!status) status = add_sections(&p, rows, n);
    toad__buf_add_c(text, '\n');
    if (!status && text->status) status = toad__host_fail(host, text->status, "%s", toad_status_message(text->status));
    if (!status) *ret = p.shown;
    return status;
}

/* ---- for a session ---- */

/* Which memories, in which envelope, as one word. */
static toad_status shape_of(const toad__memory_wanted *wanted, toad_envelope envelope, char ret[65]) {
    toad__buf all;
    toad__buf_init(&all, 65536);
    toad__buf_add_z(&all, toad_envelope_name(envelope));
    toad__buf_add_c(&all, 0);
    toad__buf_add_z(&all, wanted->has_provenance ? toad_provenance_name(wanted->provenance) : "");
    toad__buf_add_c(&all, 0);
    toad__buf_add_u64(&all, wanted->limit);
    toad__buf_add_c(&all, wanted->category.p ? '=' : 0);
    toad__buf_add_str(&all, wanted->category);
    toad_status status = all.status;
    if (!status) toad__sha256_of(toad__buf_str(&all), ret);
    toad__buf_free(&all);
    return status;
}

typedef struct request {
    toad__host *host;
    const toad__memory_wanted *wanted;
    toad_envelope envelope;
    toad__arena *arena;
} request;

/* As the rows are now. */
static toad_status render(const request *r, toad__snapshot *ret) {
    toad__buf text;
    toad__memory *rows;
    toad__memory_shown shown;
    size_t n;
    toad_status status = toad__memory_collect(r->host, r->wanted, r->arena, &rows, &n);
    if (!status) status = toad__memory_seen(r->host, rows, n, r->arena);
    if (status) return status;
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX);
    status = toad__memory_prompt_of(r->host, rows, n, r->envelope, &text, &shown);
    *ret =
        (toad__snapshot){ .entries = (int64_t)shown.entries,
                          .external = (int64_t)shown.external,
                          .blocked = (int64_t)shown.blocked,
                          .text = status || !text.n ? TOAD__S("") : toad__arena_dup(r->arena, toad__buf_str(&text)) };
    toad__buf_free(&text);
    return status || ret->text.p ? status : toad__host_failed(r->host, TOAD_E_NOMEM);
}

/* What the session was given first. A text that a foreign hand put there is replaced; of two who keep one at once,
 * the first wins, and both give that. */
static toad_status render_kept(const request *r, toad__snapshot *ret) {
    char shape[65];
    toad__host *host = r->host;
    toad__snapshot fresh = { .intact = false }, kept = { .text = TOAD__S("") };
    if (host->session.n > TOAD__MEMORY_SESSION_MAX || toad__utf8_valid_upto(host->session) < host->session.n)
        return toad__host_fail(host, TOAD_E_ARG, "a session is at most %d bytes of UTF-8", TOAD__MEMORY_SESSION_MAX);
    toad_status status = toad__host_failed(host, shape_of(r->wanted, r->envelope, shape));
    for (int tries = 0; tries < 3 && !status; tries++) {
        toad_str name = toad__str_z(shape);
        status = toad__store_snapshot_get(host->store, host->session, name, r->arena, &kept);
        if (status && status != TOAD_E_NOT_FOUND) return toad__host_store_failed(host, status);
        if (!status && kept.intact) {
            *ret = kept;
            return TOAD_OK;
        }
        status = fresh.text.p ? TOAD_OK : render(r, &fresh);
        if (!status)
            status = toad__host_store_failed(
                host, toad__store_snapshot_put(host->store, host->session, name, &fresh, kept.text));
    }
    return status ? status : toad__host_fail(host, TOAD_E_STATE, "the snapshot is being changed by somebody else");
}

static void answer_snapshot(const toad__snapshot *s, toad__answer *answer) {
    char digest[65];
    toad__sha256_of(s->text, digest);
    toad__answer_str(answer, "text", s->text);
    toad__answer_int(answer, "entries", s->entries);
    toad__answer_int(answer, "external", s->external);
    toad__answer_int(answer, "blocked", s->blocked);
    toad__answer_z(answer, "sha256", digest);
}

toad_status toad__memory_render(toad__host *host, const toad__memory_wanted *wanted, toad_envelope envelope,
                                toad__answer *answer) {
    toad__arena arena;
    toad__snapshot snapshot;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    request r = { host, wanted, envelope, &arena };
    toad_status status = host->session.n ? render_kept(&r, &snapshot) : render(&r, &snapshot);
    if (!status) answer_snapshot(&snapshot, answer);
    toad__arena_free(&arena);
    return status;
}
