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

static toad_status load(toad__host *host, const hearing *h, const toad__turn *turn, toad__trace_read *read) {
    toad__content content;
    size_t at;
    const char *expected;
    toad_status status = toad__store_content_get(host->store, turn->content_id, true, h->arena, &content);
    if (status) return status;
    *read = (toad__trace_read){ .tool = turn->tool, .text = content.body };
    if (toad__json_parse(turn->text, h->arena, &read->arguments, &at, &expected)) read->arguments = NULL;
    bool flagged = toad__str_is_one_of(content.severity, "medium high") ||
                   !toad__str_eq(content.completeness, TOAD__S("full")) || !content.intact;
    return flagged ? toad__episode_scan(host->scanner, read, h->arena) : TOAD_OK;
}

static toad_status load_reads(toad__host *host, const hearing *h, toad__trace_act *act) {
    size_t calls = 0, first = h->n, room = BUDGET;
    for (size_t i = 0; i < h->n; i++) calls += h->turns[i].tool.n > 0;
    toad__trace_read *reads = calls ? toad__arena_alloc(h->arena, calls * sizeof *reads) : NULL;
    if (calls && !reads) return TOAD_E_NOMEM;
    size_t n = calls;
    for (size_t i = 0; i < first && room; i++) {
        if (!h->turns[i].tool.n) continue;
        toad_status status = load(host, h, &h->turns[i], &reads[n - 1]);
        if (status == TOAD_E_NOT_FOUND) continue;
        if (status) return status;
        size_t size = reads[--n].text.n;
        room = size < room ? room - size : 0;
    }
    act->reads = reads + n;
    act->reads_n = calls - n;
    return TOAD_OK;
}

toad_status toad__heard_trace(toad__host *host, toad__arena *arena, toad_str tool, const toad__json *arguments,
                              bool *ret_heard, toad__trace *ret) {
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
    status = load_reads(host, h, &act);
    if (!status) status = toad__trace_act_of(&act, arena, ret);
    *ret_heard = !status;
    return status ? toad__host_failed(host, status) : TOAD_OK;
}
