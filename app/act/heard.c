/* heard.c - see heard.h. Bodies are scanned again only where a finding is known to stand in them: the rest orders
 * nothing. */
#include "app/act/heard.h"

#include "app/act/episode.h"
#include "lib/base/str.h"

#define SAID_MAX ((size_t)1 << 20)
#define BUDGET   ((size_t)4 << 20) /* bytes of what was read */
enum { TURNS = 400 };

typedef struct hearing {
    toad__arena *arena;
    toad__turn turns[TURNS]; /* the latest first */
    size_t n;
    bool full;
} hearing;

toad_status toad__heard_user(toad__host *host, toad_str said) {
    const toad__turn turn = { .text = toad__str_part(said, 0, TOAD__TURN_TEXT) };
    return toad__host_store_failed(host, toad__store_turn_add(host->store, host->session, &turn));
}

toad_status toad__heard_read(toad__host *host, toad_str tool, toad_str arguments, toad_str content_id) {
    const toad__turn turn = { .tool = tool,
                              .text = arguments.n <= TOAD__TURN_TEXT ? arguments : TOAD__S("{}"),
                              .content_id = content_id };
    return toad__host_store_failed(host, toad__store_turn_add(host->store, host->session, &turn));
}

static bool keep(void *ctx, const toad__turn *turn) {
    hearing *h = ctx;
    toad__turn t = *turn;
    toad_str *const all[] = { &t.tool, &t.text, &t.content_id };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = toad__arena_dup(h->arena, *all[i]);
        h->full |= !all[i]->p;
    }
    h->turns[h->n++] = t;
    return !h->full && h->n < TURNS;
}

/* Everything the user said, in order, a line each. */
static toad_status join_said(const hearing *h, toad_str *ret) {
    toad__buf said;
    toad__buf_init(&said, SAID_MAX);
    for (size_t i = h->n; i-- > 0;) {
        if (h->turns[i].tool.n) continue;
        if (said.n) toad__buf_add_c(&said, '\n');
        toad__buf_add_str(&said, h->turns[i].text);
    }
    *ret = said.n ? toad__arena_dup(h->arena, toad__buf_str(&said)) : TOAD__S("");
    toad__buf_free(&said);
    return ret->p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status take(toad__host *host, const hearing *h, toad_str id, toad__trace_read *read) {
    toad__content content;
    toad_status status = toad__taint_load(host, id, 0, h->arena, &content);
    if (status) return status;
    read->text = content.body;
    read->id = id;
    if (!read->source.p) read->source = content.url;
    bool flagged = toad__str_is_one_of(content.severity, "low medium high") ||
                   !toad__str_eq(content.completeness, TOAD__S("full")) || !content.intact;
    return flagged ? toad__episode_scan(host->scanner, read, h->arena) : TOAD_OK;
}

static toad_status take_turn(toad__host *host, const hearing *h, const toad__turn *turn, toad__trace_read *read) {
    size_t at;
    const char *expected;
    *read = (toad__trace_read){ .tool = turn->tool };
    if (toad__json_parse(turn->text, h->arena, &read->arguments, &at, &expected)) read->arguments = NULL;
    return take(host, h, turn->content_id, read);
}

/* {"url":URL} stands for the call that nobody noted. */
static toad_status take_row(toad__host *host, const hearing *h, const toad__tainting *row, toad__trace_read *read) {
    toad__json *call = toad__arena_alloc(h->arena, 2 * sizeof *call);
    if (!call) return TOAD_E_NOMEM;
    call[1] = (toad__json){ .type = TOAD__JSON_STRING, .key = TOAD__S("url"), .raw = row->url, .text = row->url };
    call[0] = (toad__json){ .type = TOAD__JSON_OBJECT, .child = &call[1] };
    *read = (toad__trace_read){ .source = row->url, .arguments = call };
    return take(host, h, row->id, read);
}

static bool has_turn(const hearing *h, toad_str id) {
    for (size_t i = 0; i < h->n; i++)
        if (toad__str_eq(h->turns[i].content_id, id)) return true;
    return false;
}

/* Not if the user has lifted it. */
static bool taints(const toad__taint *taint, toad_str id) {
    for (size_t i = 0; i < taint->n; i++)
        if (toad__str_eq(taint->rows[i].id, id)) return true;
    return false;
}

/* Filled from the end, so that what was read longest ago is left out. */
static toad_status load_reads(toad__host *host, const hearing *h, const toad__taint *taint, toad__trace_act *act) {
    size_t all = h->n + taint->n, n = all, room = BUDGET;
    toad__trace_read *reads = toad__arena_alloc(h->arena, (all + 1) * sizeof *reads);
    if (!reads) return TOAD_E_NOMEM;
    for (size_t i = 0; i < all && room; i++) {
        const toad__tainting *row = i < h->n ? NULL : &taint->rows[i - h->n];
        if (row ? has_turn(h, row->id) : !h->turns[i].tool.n || !taints(taint, h->turns[i].content_id)) continue;
        toad_status status =
            row ? take_row(host, h, row, &reads[n - 1]) : take_turn(host, h, &h->turns[i], &reads[n - 1]);
        if (status == TOAD_E_NOT_FOUND) continue;
        if (status) return status;
        size_t size = reads[--n].text.n;
        room = size < room ? room - size : 0;
    }
    act->reads = reads + n;
    act->reads_n = all - n;
    return TOAD_OK;
}

/* The contents that the act is traced to. */
static void mark_rows(const toad__trace *trace, toad__taint *taint) {
    for (size_t i = 0; i < trace->n; i++) {
        const toad__traced *t = &trace->rows[i];
        if (!t->sink || t->from < TOAD__FROM_PROSE) continue;
        for (size_t k = 0; k < taint->n; k++)
            taint->rows[k].any |= toad__str_eq(taint->rows[k].id, trace->reads[t->read].id);
    }
}

toad_status toad__heard_trace(toad__host *host, toad__arena *arena, toad_str tool, const toad__json *arguments,
                              toad__taint *taint, bool *ret_heard, toad__trace *ret) {
    hearing *h = toad__arena_alloc(arena, sizeof *h);
    toad__trace_act act = { .trusted = TOAD__S(""), .tool = tool, .arguments = arguments };
    *ret_heard = false;
    if (!h) return toad__host_failed(host, TOAD_E_NOMEM);
    *h = (hearing){ .arena = arena };
    toad_status status = toad__store_turns(host->store, host->session, TURNS, keep, h);
    if (status) return toad__host_store_failed(host, status);
    if (!h->full) status = join_said(h, &act.said);
    if (h->full || status) return toad__host_failed(host, TOAD_E_NOMEM);
    if (!act.said.n) return TOAD_OK;
    status = load_reads(host, h, taint, &act);
    if (!status) status = toad__trace_act_of(&act, arena, ret);
    if (!status) mark_rows(ret, taint);
    *ret_heard = !status;
    return status ? toad__host_failed(host, status) : TOAD_OK;
}
