/* log.c - see log.h. Events are read newest first, so that what is kept is bounded by the number of entries and what is
 * read by EVENTS_MOST, however long the log is. */
#include "app/records/log.h"

#include "app/host/display.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "toadstone/rules.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 2000, EVENTS_MOST = 50000, ENTRIES_MOST = 2000, LOOK = 200, KINDS_MOST = 32 };
#define SCRATCH_MAX ((size_t)16 << 20)

typedef struct entry {
    int64_t at, first_at;
    uint64_t times;
    const char *what; /* one word of ours */
    toad_str from, why, id, session_id, look;
    bool blocked;
} entry;

typedef struct reading {
    toad__arena *kept;   /* what the entries hold */
    toad__arena scratch; /* of one event */
    entry *entries;      /* newest first */
    size_t n, cap, most;
    bool fold, full, no_memory;
    int64_t last, lowest; /* seq */
    size_t read;
    struct {
        const char *what;
        uint64_t n;
    } counts[KINDS_MOST];
    size_t counts_n;
} reading;

static bool is(toad_str s, const char *z) { return toad__str_eq(s, toad__str_z(z)); }

/* ---- one event ---- */

static toad_str command(reading *r, const char *words, toad_str a, toad_str b) {
    char text[LOOK];
    if (!toad__is_plain_word(a) || (b.p && !toad__is_plain_word(b))) return TOAD__S("");
    int n = snprintf(text, sizeof text, "toadstone %s %.*s%s%.*s", words, (int)a.n, a.p, b.n ? " " : "", (int)b.n,
                     b.p ? b.p : "");
    return toad__arena_dup(&r->scratch, toad__str(text, (size_t)n));
}

/* What a rule finds, in words, where it is known; its id stands behind them. */
static toad_str why_of(reading *r, toad_str rules) {
    char text[256];
    toad_rule rule;
    toad_str first = toad__str_part(rules, 0, toad__str_find(rules, TOAD__S(","), 0));
    if (!rules.n || toad_rules_find(NULL, first, &rule)) return rules;
    int n = snprintf(text, sizeof text, "%s (%.*s)", rule.title, (int)(rules.n < 120 ? rules.n : 120), rules.p);
    return toad__arena_dup(&r->scratch, toad__str(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1));
}

static toad_str joined(reading *r, const char *before, toad_str s) {
    toad__buf b;
    toad__buf_init(&b, 1u << 16);
    toad__buf_add_z(&b, before);
    toad__buf_add_str(&b, s);
    toad_str all = b.status ? s : toad__arena_dup(&r->scratch, toad__buf_str(&b));
    toad__buf_free(&b);
    return all;
}

static const char *word_of_action(toad_str action) {
    static const char *const words[][2] = {
        { "block", "blocked" }, { "warn", "warned" }, { "redact", "redacted" }, { "ask", "asked" }
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(action, words[i][0])) return words[i][1];
    return NULL;
}

/* A scan; one of an entry of memory names the operation. */
static void tell_scan(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    toad_str operation = toad__json_get_text(details, "operation");
    x->what = word_of_action(e->action);
    x->why = why_of(r, e->pattern_matched);
    x->look = command(r, "contents show", e->content_id, toad__str(NULL, 0));
    if (!operation.n || !x->what) return;
    x->what = "refused";
    x->from = joined(r, "memory ", operation);
    x->look = command(r, "rules show", e->pattern_matched, toad__str(NULL, 0));
}

static void tell_action(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    x->what = is(e->action, "ask") ? "asked" : is(e->action, "deny") ? "denied" : NULL;
    x->from = toad__json_get_text(details, "tool");
    x->id = toad__json_get_text(details, "confirmation");
    x->why = joined(r, "it follows from external content: ", e->content);
    x->look = command(r, "confirm show", x->id, toad__str(NULL, 0));
}

static void tell_answer(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    x->what = is(e->content, "approved")  ? "approved"
              : is(e->content, "denied")  ? "declined"
              : is(e->content, "revoked") ? "took back"
                                          : NULL;
    x->id = toad__json_get_text(details, "id");
    x->from = TOAD__S("you"); /* the tool is put in its place where the question is still kept */
    x->look = command(r, "confirm show", x->id, toad__str(NULL, 0));
}

static void tell_tool(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    toad_str server = toad__json_get_text(details, "server"), tool = toad__json_get_text(details, "tool");
    toad__buf from;
    x->what = is(e->action, "block")        ? "held"
              : is(e->content, "approved")  ? "approved"
              : is(e->content, "forgotten") ? "forgot"
                                            : NULL;
    toad__buf_init(&from, 1u << 16);
    toad__buf_add_z(&from, "mcp:");
    toad__buf_add_str(&from, server);
    if (tool.n) toad__buf_add_c(&from, '/');
    toad__buf_add_str(&from, tool);
    x->from = toad__arena_dup(&r->scratch, from.status ? server : toad__buf_str(&from));
    toad__buf_free(&from);
    x->why = toad__json_get_text(details, "why");
    x->look = tool.n ? command(r, "proxy diff", server, tool) : command(r, "proxy tools", server, toad__str(NULL, 0));
}

static void tell_setting(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    x->what = "set";
    x->from = toad__json_get_text(details, "pattern");
    x->why = e->content;
    x->look = TOAD__S("toadstone sources list");
    (void)r;
}

static void tell_exception(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    toad_str of = e->pattern_matched.n ? e->pattern_matched : TOAD__S("these bytes");
    (void)details;
    x->what = "changed";
    x->why = joined(r, is(e->content, "removed") ? "no exception any more for " : "exception for ", of);
    x->look = TOAD__S("toadstone exceptions list");
}

static void tell_release(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    (void)details;
    x->what = is(e->type, "content_delete") ? "deleted" : "released";
    if (x->what[0] == 'r') x->look = command(r, "contents show", e->content_id, toad__str(NULL, 0));
}

static void tell_refused(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    (void)details;
    bool content = is(e->type, "content_refused");
    x->what = "refused";
    x->from = TOAD__S("an agent");
    x->why = content ? TOAD__S("it asked for a blocked content") : joined(r, "it tried to ", e->content);
    x->look = command(r, "contents show", e->content_id, toad__str(NULL, 0));
}

static void tell_web(reading *r, const toad__event *e, const toad__json *details, entry *x) {
    (void)details;
    x->what = is(e->type, "web_search") ? word_of_action(e->action) : "refused";
    x->why =
        is(e->type, "web_search") ? TOAD__S("hits were withheld or marked") : joined(r, "not fetched: ", e->content);
}

static const struct {
    const char *type;
    void (*tell)(reading *r, const toad__event *e, const toad__json *details, entry *x);
} kinds[] = {
    { "security_scan", tell_scan },      { "content_not_kept", tell_scan },   { "action_check", tell_action },
    { "confirmation", tell_answer },     { "tool_pin", tell_tool },           { "setting_change", tell_setting },
    { "exception", tell_exception },     { "content_release", tell_release }, { "content_delete", tell_release },
    { "content_refused", tell_refused }, { "refused", tell_refused },         { "fetch_refused", tell_web },
    { "search_refused", tell_web },      { "web_search", tell_web },
};

/* What the user did by an event of another type is told by its name. */
static bool tell(reading *r, const toad__event *e, entry *x) {
    const toad__json *details = NULL;
    const char *why;
    size_t at, i = 0, n = sizeof kinds / sizeof *kinds;
    bool quiet = toad__str_starts(e->type, TOAD__S("memory_")) || toad__str_is_one_of(e->type, "content_read agreed");
    toad_str kept = toad__arena_dup(&r->scratch, e->details);
    if (kept.n && toad__json_parse(kept, &r->scratch, &details, &at, &why)) details = NULL;
    *x = (entry){ .at = e->at,
                  .first_at = e->at,
                  .times = 1,
                  .from = e->url,
                  .id = e->content_id,
                  .session_id = e->session_id,
                  .blocked = is(e->action, "block") };
    while (i < n && !is(e->type, kinds[i].type)) i++;
    if (i < n) {
        kinds[i].tell(r, e, details, x);
    } else if (!quiet && is(e->channel, "user")) {
        x->what = "changed";
        x->why = joined(r, "", e->type);
    }
    return x->what != NULL;
}

/* ---- many ---- */

static void keep(reading *r, toad_str *s) {
    toad_str copy = toad__arena_dup(r->kept, *s);
    if (s->n && !copy.p) r->no_memory = true;
    *s = copy.p ? copy : TOAD__S("");
}

static void count(reading *r, const char *what) {
    size_t i = 0;
    while (i < r->counts_n && strcmp(r->counts[i].what, what)) i++;
    if (i == r->counts_n && r->counts_n < KINDS_MOST) r->counts[r->counts_n++].what = what;
    if (i < KINDS_MOST) r->counts[i].n++;
}

static entry *same(const reading *r, const entry *x) {
    for (size_t i = r->fold ? r->n : 0; i-- > 0;) {
        entry *e = &r->entries[i];
        if (!strcmp(e->what, x->what) && toad__str_eq(e->from, x->from) && toad__str_eq(e->why, x->why)) return e;
    }
    return NULL;
}

static bool add(reading *r, entry x) {
    entry *before = same(r, &x);
    if (before) {
        before->times++;
        before->first_at = x.at;
        return true;
    }
    if (r->n == r->most) {
        r->full = true;
        return true;
    }
    entry *room = toad__arena_room(r->kept, r->entries, r->n, &r->cap, sizeof *room);
    if (!room) return r->no_memory = true, false;
    r->entries = room;
    toad_str *const texts[] = { &x.from, &x.why, &x.id, &x.session_id, &x.look };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) keep(r, texts[i]);
    r->entries[r->n++] = x;
    return !r->no_memory;
}

static bool take(void *ctx, const toad__event *e) {
    reading *r = ctx;
    entry x;
    bool on = true;
    r->lowest = e->seq;
    if (e->seq > r->last) r->last = e->seq;
    r->read++;
    toad__arena_init(&r->scratch, SCRATCH_MAX);
    if (tell(r, e, &x)) {
        count(r, x.what);
        on = !r->most || add(r, x);
    }
    toad__arena_free(&r->scratch);
    return on;
}

static toad_status read_since(toad__host *host, int64_t since, reading *r) {
    toad__event_filter filter = { .since = since, .newest_first = true, .limit = PAGE };
    size_t before;
    do {
        before = r->read;
        filter.before_seq = r->lowest;
        toad_status status = toad__host_store_failed(host, toad__store_events(host->store, &filter, take, r));
        if (status) return status;
        if (r->no_memory) return toad__host_failed(host, TOAD_E_NOMEM);
    } while (r->read - before == PAGE && r->read < EVENTS_MOST);
    r->full |= r->read - before == PAGE;
    return TOAD_OK;
}

/* The question behind an answer says which tool it was about. */
static toad_status add_tools(toad__host *host, reading *r) {
    for (size_t i = 0; i < r->n; i++) {
        toad__confirmation c;
        if (!toad__str_starts(r->entries[i].id, TOAD__S("conf_"))) continue;
        toad_status status = toad__store_confirmation_get(host->store, r->entries[i].id, r->kept, &c);
        if (status == TOAD_E_NOT_FOUND) continue;
        if (status) return toad__host_store_failed(host, status);
        r->entries[i].from = c.tool;
    }
    return TOAD_OK;
}

static void add_entry(const toad__host *host, const entry *e, toad__answer *answer) {
    bool hide = host->by == TOAD__READER_MODEL && e->blocked;
    toad__answer_object(answer, NULL);
    toad__answer_time(answer, "at", e->at);
    toad__answer_time(answer, "first_at", e->first_at);
    toad__answer_int(answer, "times", (int64_t)e->times);
    toad__answer_z(answer, "what", e->what);
    toad__answer_some(answer, "from", e->from);
    toad__answer_some(answer, "why", e->why);
    toad__answer_some(answer, "id", hide ? TOAD__S("") : e->id);
    toad__answer_some(answer, "session_id", e->session_id);
    toad__answer_some(answer, "look", hide ? TOAD__S("") : e->look);
    toad__answer_end(answer);
}

static void add_counts(const reading *r, toad__answer *answer) {
    toad__answer_object(answer, "counts");
    for (size_t i = 0; i < r->counts_n; i++) toad__answer_int(answer, r->counts[i].what, (int64_t)r->counts[i].n);
    toad__answer_end(answer);
}

toad_status toad__log(toad__host *host, const toad__log_in *in, toad__answer *answer) {
    reading r = { .kept = &host->arena, .fold = true, .most = in->limit ? in->limit : TOAD__LOG_ENTRIES };
    if (r.most > ENTRIES_MOST) r.most = ENTRIES_MOST;
    int64_t since = toad__time_midnight(toad__store_now(host->store));
    if (in->since && !toad__time_read(in->since, toad__store_now(host->store), &since))
        return toad__host_fail(host, TOAD_E_ARG,
                               "--since: that is no time: write 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d for "
                               "so long ago");
    toad_status status = read_since(host, since, &r);
    if (!status) status = add_tools(host, &r);
    if (status) return status;
    toad__answer_time(answer, "since", since);
    toad__answer_array(answer, "entries");
    for (size_t i = r.n; i-- > 0;) add_entry(host, &r.entries[i], answer);
    toad__answer_end(answer);
    add_counts(&r, answer);
    toad__answer_bool(answer, "more", r.full);
    return TOAD_OK;
}

toad_status toad__log_news(toad__host *host, int64_t *after, toad__answer *answer) {
    toad__event_filter filter = { .after_seq = *after ? *after : -1, .limit = PAGE };
    toad__arena arena;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    reading r = { .kept = &arena, .most = PAGE, .last = *after };
    toad_status status = toad__host_store_failed(host, toad__store_events(host->store, &filter, take, &r));
    if (!status && r.no_memory) status = toad__host_failed(host, TOAD_E_NOMEM);
    if (!status) status = add_tools(host, &r);
    toad__answer_array(answer, "entries");
    for (size_t i = 0; i < r.n && !status; i++) add_entry(host, &r.entries[i], answer);
    toad__answer_end(answer);
    toad__arena_free(&arena);
    if (!status) *after = r.last;
    return status;
}

toad_status toad__log_counts(toad__host *host, toad__answer *answer) {
    reading r = { .kept = &host->arena };
    toad_status status = read_since(host, toad__time_midnight(toad__store_now(host->store)), &r);
    if (!status) add_counts(&r, answer);
    return status;
}
