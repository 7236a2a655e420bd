/* memory_render.c - render_memories: the rows as a section of a system prompt.
 *
 * outheis' layout (seed 000): `# Memory`, sections by category in a fixed order, a bullet a row; before it the Content
 * Safety section. A bad row is seed 003's placeholder. Everything shown is neutralized, so no row ends an envelope or
 * begins a section. Families whose marks are drawn by chance draw them from a digest of all rows: the same rows give
 * the same bytes, and the author of one row cannot know the others (their ids are random). */
#include "app/memory/memory.h"
#include "app/memory/memory_gate.h"
#include "bezoar/prompt.h"
#include "lib/base/str.h"

#include <stdlib.h>

/* outheis' sections; the last takes what is in none. */
static const char *const sections[][2] = { { "user", "## About the user" },
                                           { "feedback", "## Working preferences" },
                                           { "context", "## Current context" },
                                           { NULL, "## Notes" } };
enum { SECTIONS = sizeof sections / sizeof *sections };

static int section_of(bzr_str category) {
    int k = 0;
    while (k < SECTIONS - 1 && !bzr__str_eq(category, bzr__str_z(sections[k][0]))) k++;
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
        char block[64 + 8], digest[65];
        memcpy(block, c->seed, 64);
        memcpy(block + 64, &c->drawn, 8);
        c->drawn++;
        if (bzr__gate_digest(bzr__str(block, sizeof block), digest)) return false;
        for (size_t i = 0; i < 32 && at < n; i++)
            out[at++] = (unsigned char)(bzr__hex_value((unsigned char)digest[2 * i]) << 4 |
                                        bzr__hex_value((unsigned char)digest[2 * i + 1]));
    }
    return true;
}

static bzr_status seed(bzr__host *host, const bzr__memory *rows, size_t n, chance *ret) {
    bzr__buf all;
    bzr__buf_init(&all, BZR__HOST_ANSWER_MAX);
    bzr__buf_add_z(&all, "bezoar render");
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_c(&all, 0);
        bzr__buf_add_str(&all, rows[i].id);
        bzr__buf_add_c(&all, 0);
        bzr__buf_add_u64(&all, (uint64_t)rows[i].created_at);
        bzr__buf_add_c(&all, 0);
        bzr__buf_add_str(&all, rows[i].content);
    }
    ret->drawn = 0;
    bzr_status status = all.status ? all.status : bzr__gate_digest(bzr__buf_str(&all), ret->seed);
    bzr__buf_free(&all);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

/* ---- one row ---- */

typedef struct page {
    bzr__host *host;
    bzr_envelope envelope;
    chance *chance;
    bzr__buf *text;
    bzr__memory_shown shown;
} page;

/* A clean row that reads like our placeholder could have another entry deleted. */
static void add_line(bzr__buf *out, bzr_str line) {
    bzr_str mark = BZR__S("[BLOCKED:");
    size_t done = 0;
    for (size_t at = bzr__str_find(line, BZR__S("["), 0); at < line.n; at = bzr__str_find(line, BZR__S("["), at + 1)) {
        if (!bzr__str_ieq(bzr__str_part(line, at, at + mark.n), mark)) continue;
        bzr__buf_add_str(out, bzr__str_part(line, done, at));
        bzr__buf_add_c(out, '\\');
        done = at;
    }
    bzr__buf_add_str(out, bzr__str_part(line, done, line.n));
}

/* A family with lines of its own: not a bullet, so that its marks stand at the start of a line. */
static bzr_status add_enveloped(page *p, const bzr__memory *row) {
    bzr_wrap_options options = BZR_WRAP_OPTIONS_INIT;
    bzr_text *safe;
    options.envelope = p->envelope;
    options.source = p->envelope == BZR_ENVELOPE_MEMORIES ? row->category : row->source;
    options.notice = p->shown.external ? BZR_NOTICE_NONE : BZR_NOTICE_DEFAULT;
    options.preamble = !p->shown.external;
    options.random = draw;
    options.random_ctx = p->chance;
    bzr_status status = bzr_wrap(row->content, &options, &safe);
    if (status) return bzr__host_fail(p->host, status, "%s", bzr_status_message(status));
    bzr__buf_add_str(p->text, bzr_text_str(safe));
    bzr_text_free(safe);
    return BZR_OK;
}

static bzr_status add_bullet(page *p, const bzr__memory *row, bzr_provenance provenance) {
    bzr_text *line;
    bzr_status status = bzr_memory_prompt_line(row->content, bzr__str_z(bzr_provenance_name(provenance)), false, &line);
    if (status) return bzr__host_fail(p->host, status, "%s", bzr_status_message(status));
    add_line(p->text, bzr_text_str(line));
    bzr_text_free(line);
    return BZR_OK;
}

static bzr_status add_row(page *p, const bzr__memory *row) {
    bzr__threats threats;
    bzr_provenance provenance = bzr__gate_provenance(row);
    bzr_status status = bzr__gate_row(p->host, row, &threats);
    if (status) return status;
    bzr__buf_add_c(p->text, '\n');
    p->shown.entries++;
    if (threats.n) {
        p->shown.blocked++;
        bzr__buf_add_z(p->text, "- ");
        return bzr__memory_placeholder_of(p->host, row->id, &threats, p->text);
    }
    bool own_lines = provenance == BZR_EXTERNAL && p->envelope != BZR_ENVELOPE_EXTERNAL_CONTENT;
    status = own_lines ? add_enveloped(p, row) : add_bullet(p, row, provenance);
    p->shown.external += provenance == BZR_EXTERNAL;
    return status;
}

/* ---- all rows ---- */

static bzr_status add_sections(page *p, const bzr__memory *rows, size_t n) {
    bzr_status status = BZR_OK;
    for (int k = 0; k < SECTIONS; k++) {
        bool headed = false;
        for (size_t i = 0; i < n && !status; i++) {
            if (section_of(rows[i].category) != k) continue;
            if (!headed) {
                bzr__buf_add_z(p->text, "\n\n");
                bzr__buf_add_z(p->text, sections[k][1]);
            }
            headed = true;
            status = add_row(p, &rows[i]);
        }
    }
    return status;
}

bzr_status bzr__memory_prompt_of(bzr__host *host, const bzr__memory *rows, size_t n, bzr_envelope envelope,
                                 bzr__buf *text, bzr__memory_shown *ret) {
    chance c;
    page p = { .host = host, .envelope = envelope, .chance = &c, .text = text };
    *ret = p.shown;
    if (!n) return BZR_OK;
    bzr_status status = seed(host, rows, n, &c);
    bzr__buf_add_str(text, bzr_prompt_section(BZR__S("content_safety")));
    bzr__buf_add_z(text, "\n\n# Memory");
    if (!status) status = add_sections(&p, rows, n);
    bzr__buf_add_c(text, '\n');
    if (!status && text->status) status = bzr__host_fail(host, text->status, "%s", bzr_status_message(text->status));
    if (!status) *ret = p.shown;
    return status;
}

static void answer_text(const bzr__memory_shown *shown, bzr_str text, const char *digest, bzr__buf *answer) {
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "text", text.n ? text : BZR__S(""));
    bzr__answer_int(answer, "entries", (int64_t)shown->entries);
    bzr__answer_int(answer, "external", (int64_t)shown->external);
    bzr__answer_int(answer, "blocked", (int64_t)shown->blocked);
    bzr__answer_z(answer, "sha256", digest);
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__memory_render(bzr__host *host, const bzr__memory_wanted *wanted, bzr_envelope envelope,
                              bzr__buf *answer) {
    bzr__arena arena;
    bzr__buf text;
    bzr__memory *rows;
    bzr__memory_shown shown;
    char digest[65];
    size_t n;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__memory_collect(host, wanted, &arena, &rows, &n);
    if (!status) status = bzr__memory_prompt_of(host, rows, n, envelope, &text, &shown);
    if (!status) status = bzr__gate_digest(bzr__buf_str(&text), digest);
    if (!status) answer_text(&shown, bzr__buf_str(&text), digest, answer);
    bzr__buf_free(&text);
    bzr__arena_free(&arena);
    return status;
}
