/* action.c - see action.h. First what the session has read, then what the call is, then the decision; the verdict is in
 * the log before the caller can act on it. */
#include "app/act/action.h"

#include "app/act/heard.h"
#include "app/act/sinks.h"
#include "app/act/spread.h"
#include "app/act/taint.h"
#include "app/host/canonical.h"
#include "lib/base/hex.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/fold.h"
#include "sys/digest.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TOOL_MAX = 256,   /* bytes of a tool's name */
    BOUND_MAX = 256,  /* contents a question names */
    REASONS_MAX = 32, /* contents that reasons are told of */
    PAYLOAD_MIN = 24, /* bytes of a URL behind its host that can carry something out */
    TRACED_MAX = 8,   /* values of the act that are told where they come from */
    TRACED_SHOWN = 256,
    LOOK_BACK = 2000, /* questions looked through for one that is the same */
};
#define ARENA_MAX ((size_t)512 << 20)

typedef enum decision { ALLOW, ASK, DENY } decision;

typedef struct check {
    toad__host *host;
    const toad__action_policy *policy;
    toad_str tool;
    toad__arena arena;
    const toad__json *arguments;
    toad__buf canonical, ids; /* ids: of the contents the question binds */
    toad__deed deed;
    toad__taint taint;
    bool heard; /* the user's words are known, and the act is traced to whoever named it */
    toad__trace trace;
    decision decision;
    const char *last; /* the reason that decided, where it is none of those that follow from the rest */
    const char *why;
    toad__confirmation found; /* the question that is or was asked; id "" if none */
} check;

/* ---- reading the call ---- */

static toad_status fail(check *c, toad_status status, const char *what) {
    return toad__host_fail(c->host, status, "%s", what);
}

static toad_status no_memory(check *c) { return fail(c, TOAD_E_NOMEM, "out of memory"); }

/* The names of the arguments, in order, with commas between. */
static toad_status add_shape(toad_str canonical, toad__buf *out) {
    toad__arena arena;
    const toad__json *root = NULL;
    size_t at;
    const char *expected;
    toad__arena_init(&arena, ARENA_MAX);
    toad_status status = toad__json_parse(canonical, &arena, &root, &at, &expected);
    bool object = !status && root->type == TOAD__JSON_OBJECT;
    for (const toad__json *m = object ? root->child : NULL; m; m = m->next) {
        if (m != root->child) toad__buf_add_c(out, ',');
        toad__buf_add_str(out, m->key);
    }
    toad__arena_free(&arena);
    return status;
}

static bool is_plain(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_alnum((unsigned char)s.p[i]) && !memchr("_-.,:/", s.p[i], 6)) return false;
    return s.n > 0;
}

toad_status toad__action_standing(toad_str tool, toad_str canonical, toad__deed deed, toad__buf *out) {
    toad__buf shape;
    toad_status status = TOAD_OK;
    toad__buf_init(&shape, TOAD__ACTION_ARGUMENTS);
    bool exact = deed != TOAD__DEED_FILE_CHANGE && deed != TOAD__DEED_OTHER;
    if (!exact) status = add_shape(canonical, &shape);
    if (!status) status = shape.status;
    if (!status && is_plain(tool) && (exact || is_plain(toad__buf_str(&shape)))) {
        char digest[2 * TOAD__DIGEST + 1];
        toad__buf_add_str(out, tool);
        toad__buf_add_c(out, exact ? '#' : '(');
        if (exact) {
            toad__sha256_of(canonical, digest);
            toad__buf_add_z(out, digest);
        }
        if (!exact) toad__buf_add_str(out, toad__buf_str(&shape));
        if (!exact) toad__buf_add_c(out, ')');
    }
    toad__buf_free(&shape);
    return status ? status : out->status;
}

static toad_status read_call(check *c, toad_str arguments) {
    size_t at;
    const char *expected;
    if (!c->host->session.n) return fail(c, TOAD_E_ARG, "a check needs the agent's session");
    if (!c->tool.n || c->tool.n > TOOL_MAX || toad__utf8_valid_upto(c->tool) != c->tool.n ||
        memchr(c->tool.p, 0, c->tool.n))
        return fail(c, TOAD_E_ARG, "the name of the tool must be 1 to 256 bytes of UTF-8");
    if (!arguments.n) arguments = TOAD__S("{}");
    toad_status status = toad__json_parse(arguments, &c->arena, &c->arguments, &at, &expected);
    if (status == TOAD_E_SYNTAX)
        return toad__host_fail(c->host, status, "the arguments are not JSON: at byte %zu %s was expected", at,
                               expected);
    if (status)
        return toad__host_fail(c->host, status, "the arguments cannot be read: %s", toad_status_message(status));
    status = toad__canonical_json(c->arguments, &c->arena, &c->canonical);
    return status && status != TOAD_E_LIMIT ? no_memory(c) : TOAD_OK; /* the limit is found out by the decision */
}

/* A URL that is not in what was read, to a host that is, with room for something in it: that is how data leaves by
 * reading. */
static bool carries_out(const check *c) {
    if (toad__deed_url_payload(toad__buf_str(&c->canonical)) < PAYLOAD_MIN) return false;
    for (size_t i = 0; i < c->taint.n; i++)
        if (c->taint.rows[i].taken.text[TOAD__TAKEN_NAME].p && !c->taint.rows[i].taken.text[TOAD__TAKEN_URL].p)
            return true;
    return false;
}

static toad_status look_around(check *c) {
    c->deed = toad__deed_of(c->tool, c->arguments);
    toad_status status = toad__taint_read(c->host, &c->arena, &c->taint);
    bool harmless = c->deed == TOAD__DEED_READING && toad__deed_url_payload(toad__buf_str(&c->canonical)) < PAYLOAD_MIN;
    if (status || !c->taint.n || c->canonical.status || harmless) return status;
    status = toad__taint_compare(c->host, &c->arena, c->arguments, c->deed == TOAD__DEED_COMMAND, &c->taint);
    if (!status && c->deed <= TOAD__DEED_OTHER && carries_out(c)) c->deed = TOAD__DEED_DISCLOSURE;
    if (!status) status = toad__heard_trace(c->host, &c->arena, c->tool, c->arguments, &c->taint, &c->heard, &c->trace);
    return status;
}

/* ---- what the question binds ---- */

static bool matters(const toad__tainting *row) { return row->any || row->high || row->unknown; }

static int by_id(const void *left, const void *right) {
    toad_str a = (*(const toad__tainting *const *)left)->id, b = (*(const toad__tainting *const *)right)->id;
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

/* The contents that speak against the act, or, if none does, those that were read last; sorted. */
static void bind_contents(check *c) {
    const toad__tainting *rows[BOUND_MAX];
    size_t n = 0;
    for (size_t i = 0; i < c->taint.n && n < BOUND_MAX; i++)
        if (matters(&c->taint.rows[i])) rows[n++] = &c->taint.rows[i];
    if (!n)
        for (; n < c->taint.n && n < BOUND_MAX; n++) rows[n] = &c->taint.rows[n];
    qsort(rows, n, sizeof *rows, by_id);
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_c(&c->ids, ',');
        toad__buf_add_str(&c->ids, rows[i]->id);
    }
}

static bool names_content(toad_str ids, toad_str id) {
    for (size_t at = 0; at < ids.n;) {
        const char *comma = memchr(ids.p + at, ',', ids.n - at);
        size_t end = comma ? (size_t)(comma - ids.p) : ids.n;
        if (toad__str_eq(toad__str_part(ids, at, end), id)) return true;
        at = end + 1;
    }
    return false;
}

/* Did the user see everything that speaks against the act now? */
static bool covers(const check *c, toad_str ids) {
    for (size_t i = 0; i < c->taint.n; i++)
        if (matters(&c->taint.rows[i]) && !names_content(ids, c->taint.rows[i].id)) return false;
    return true;
}

/* ---- questions asked before ---- */

/* What was found; what follows counts more. */
typedef enum answered { NOTHING, PENDING, DONE, DENIED, APPROVED } answered;

typedef struct searching {
    check *c;
    int64_t now;
    size_t open; /* questions of the session that live: asked or refused */
    answered rank;
    bool full;
} searching;

static answered rank_of(toad_str state) {
    static const char *const names[] = { "", "pending", "used", "denied", "approved" };
    answered r = APPROVED;
    while (r && !toad__str_eq(state, toad__str_z(names[r]))) r--;
    return r;
}

enum { SINKS = 256 };
typedef struct sinks {
    struct {
        toad_str name, value;
        toad__sink_sort sort;
    } row[SINKS];
    size_t n;
} sinks;

static toad_status keep_sink(void *ctx, toad_str name, toad_str value, toad__sink_sort sort) {
    sinks *s = ctx;
    if (s->n == SINKS) return TOAD_E_LIMIT;
    s->row[s->n].name = name;
    s->row[s->n].value = value;
    s->row[s->n++].sort = sort;
    return TOAD_OK;
}

static bool has_sink(const sinks *s, const sinks *of, size_t i) {
    for (size_t k = 0; k < s->n; k++)
        if (s->row[k].sort == of->row[i].sort && toad__str_eq(s->row[k].name, of->row[i].name) &&
            toad__str_eq(s->row[k].value, of->row[i].value))
            return true;
    return false;
}

/* Does this call of the same tool touch only what the user has let it touch in this session, whatever else it says?
 * Money is spent anew each time. */
static bool is_done_again(check *c, toad_str arguments) {
    sinks *now = toad__arena_alloc(&c->arena, sizeof *now), *then = toad__arena_alloc(&c->arena, sizeof *then);
    const toad__json *root;
    size_t at;
    const char *expected;
    if (!c->heard || c->deed == TOAD__DEED_PURCHASE) return false;
    if (toad__str_eq(arguments, toad__buf_str(&c->canonical))) return true;
    if (!now || !then || toad__json_parse(arguments, &c->arena, &root, &at, &expected) ||
        toad__sinks(c->arguments, false, keep_sink, now) || toad__sinks(root, false, keep_sink, then))
        return false;
    for (size_t i = 0; i < now->n; i++)
        if (!has_sink(then, now, i)) return false;
    return now->n > 0;
}

static bool search(void *ctx, const toad__confirmation *q) {
    searching *s = ctx;
    check *c = s->c;
    answered rank = rank_of(q->state);
    bool lives = rank == DONE || q->expires_at > s->now;
    if (!rank || !lives || !toad__str_eq(q->session_id, c->host->session)) return true;
    s->open += rank == PENDING || rank == DENIED;
    if (rank <= s->rank || !toad__str_eq(q->tool, c->tool) || !covers(c, q->content_ids)) return true;
    bool same =
        rank == DONE ? is_done_again(c, q->arguments) : toad__str_eq(q->arguments, toad__buf_str(&c->canonical));
    if (!same) return true;
    c->found = *q;
    c->found.session_id = c->host->session;
    c->found.content_ids = toad__arena_dup(&c->arena, q->content_ids);
    c->found.state = toad__arena_dup(&c->arena, q->state);
    s->full = !c->found.content_ids.p || !c->found.state.p;
    s->rank = rank;
    return !s->full;
}

/* ---- approvals of another run ---- */

void toad__action_run_session(toad_str project, const unsigned char random[6], char ret[TOAD__ACTION_RUN_SESSION]) {
    char digest[2 * TOAD__DIGEST + 1], run[13];
    toad__sha256_of(project, digest);
    toad__hex_z(run, random, 6);
    snprintf(ret, TOAD__ACTION_RUN_SESSION, "proxy_%.*s_%s", TOAD__ACTION_PROJECT, digest, run);
}

void toad__action_hook_session(toad_str project, toad_str name, char ret[TOAD__ACTION_HOOK_SESSION]) {
    char digest[2 * TOAD__DIGEST + 1];
    toad__sha256_of(project, digest);
    snprintf(ret, TOAD__ACTION_HOOK_SESSION, "hook_%.*s_%.*s", TOAD__ACTION_PROJECT, digest, (int)name.n, name.p);
}

void toad__action_proxied(const char *starter, toad_str server, char ret[TOAD__ACTION_PROXIED]) {
    snprintf(ret, TOAD__ACTION_PROXIED, "%s proxy %.*s", starter, (int)(server.n < 100 ? server.n : 100), server.p);
}

/* The project in the name of a session; empty: it has none. */
static toad_str project_of(toad_str session) {
    size_t at = toad__str_starts(session, TOAD__S("proxy_")) ? 6 : toad__str_starts(session, TOAD__S("hook_")) ? 5 : 0;
    size_t end = at + TOAD__ACTION_PROJECT;
    return at && session.n > end && session.p[end] == '_' ? toad__str_part(session, at, end) : TOAD__S("");
}

static bool same_project(toad_str a, toad_str b) {
    return project_of(a).n && toad__str_eq(project_of(a), project_of(b));
}

static bool search_runs(void *ctx, const toad__confirmation *q) {
    searching *s = ctx;
    check *c = s->c;
    if (rank_of(q->state) != APPROVED || q->expires_at <= s->now || !same_project(q->session_id, c->host->session) ||
        !toad__str_eq(q->tool, c->tool) || !toad__str_eq(q->arguments, toad__buf_str(&c->canonical)))
        return true;
    c->found = *q;
    c->found.session_id = toad__arena_dup(&c->arena, q->session_id);
    c->found.content_ids = toad__arena_dup(&c->arena, q->content_ids);
    s->full = !c->found.content_ids.p || !c->found.session_id.p;
    s->rank = APPROVED;
    return false;
}

typedef struct origin {
    toad_str url;
    char digest[2 * TOAD__DIGEST + 1];
} origin;

/* What is kept under an id: where it is from, and its bytes. */
static toad_status tell(check *c, toad_str id, origin *ret) {
    toad__content content = { 0 };
    toad_status status = toad__store_content_get(c->host->store, id, false, &c->arena, &content);
    *ret = (origin){ .url = content.url };
    memcpy(ret->digest, content.digest, sizeof ret->digest);
    return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(c->host, status);
}

/* Did the user see everything that speaks against the act now, when another run had read it? The same bytes from the
 * same place are the same content there. */
static toad_status covers_run(check *c, bool *ret) {
    origin seen[BOUND_MAX], now;
    size_t n = 0;
    toad_str ids = c->found.content_ids;
    toad_status status = TOAD_OK;
    for (size_t at = 0, end; at < ids.n && n < BOUND_MAX && !status; at = end + 1) {
        end = toad__str_find(ids, TOAD__S(","), at);
        status = tell(c, toad__str_part(ids, at, end), &seen[n++]);
    }
    *ret = true;
    for (size_t i = 0; i < c->taint.n && *ret && !status; i++) {
        bool found = false;
        if (!matters(&c->taint.rows[i])) continue;
        status = tell(c, c->taint.rows[i].id, &now);
        for (size_t k = 0; k < n && now.url.p; k++)
            found |= seen[k].url.p && toad__str_eq(seen[k].url, now.url) && !strcmp(seen[k].digest, now.digest);
        *ret = found;
    }
    return status;
}

/* Spend the approval that was found. False: it is spent, expired or changed; then the user is asked again. */
static bool spend(check *c) {
    toad__confirmation act = { .session_id = c->found.session_id,
                               .tool = c->tool,
                               .arguments = toad__buf_str(&c->canonical),
                               .content_ids = c->found.content_ids,
                               .expires_at = c->found.expires_at };
    memcpy(act.id, c->found.id, sizeof act.id);
    memcpy(act.nonce, c->found.nonce, sizeof act.nonce);
    return toad__store_confirmation_use(c->host->store, &act) == TOAD_OK;
}

static void decide(check *c, decision what, const char *reason, const char *why) {
    c->decision = what;
    c->last = reason;
    c->why = why;
}

/* ---- standing answers ---- */

typedef struct standing {
    check *c;
    const toad__tainting *row;
    toad_str entry;
    bool covered;
} standing;

/* Does a list "a; b; c" hold `entry`? */
static bool lists(toad_str note, toad_str entry) {
    for (size_t at = 0; at < note.n;) {
        size_t end = toad__str_find(note, TOAD__S("; "), at);
        if (toad__str_eq(toad__str_part(note, at, end), entry)) return true;
        at = end + 2;
    }
    return false;
}

static bool weigh_setting(void *ctx, const toad__setting *s) {
    standing *st = ctx;
    bool own = (toad__str_eq(s->kind, TOAD__S("domain")) && toad__str_eq(s->pattern, st->row->domain)) ||
               (toad__str_eq(s->kind, TOAD__S("url")) && toad__str_eq(s->pattern, st->row->url));
    bool limited = toad__str_starts(s->note, TOAD__S(TOAD__ACTION_ALWAYS));
    if (!toad__str_eq(s->setting, TOAD__S("auto_confirm")) || (!own && !toad__str_eq(s->kind, TOAD__S("pattern"))))
        return true;
    st->covered =
        !limited || (own && lists(toad__str_part(s->note, sizeof TOAD__ACTION_ALWAYS - 1, s->note.n), st->entry));
    return !st->covered;
}

/* Has the user said "always" for every content behind the act? High findings and what can't be compared are never
 * covered. */
static toad_status always(check *c, bool *ret) {
    toad__buf entry;
    toad__buf_init(&entry, TOAD__ACTION_ARGUMENTS);
    toad_status status = toad__action_standing(c->tool, toad__buf_str(&c->canonical), c->deed, &entry);
    bool covered = !c->taint.high && entry.n;
    for (size_t i = 0; i < c->taint.n && covered && !status; i++) {
        const toad__tainting *row = &c->taint.rows[i];
        if (c->taint.overlap && !row->any && !row->unknown) continue;
        standing st = { c, row, toad__buf_str(&entry), false };
        covered = !row->unknown && toad__str_eq(row->setting, TOAD__S("auto_confirm"));
        if (covered) status = toad__store_settings(c->host->store, weigh_setting, &st);
        covered = covered && st.covered;
    }
    if (entry.status)
        status = no_memory(c);
    else if (status)
        toad__host_store_failed(c->host, status);
    toad__buf_free(&entry);
    *ret = covered;
    return status;
}

/* ---- the decision ---- */

/* Reasons to refuse without asking. */
static bool refuse(check *c) {
    for (size_t i = 0; i < c->taint.n; i++) {
        const toad__tainting *row = &c->taint.rows[i];
        if (!row->strong) continue;
        if (row->blocked && c->policy->auto_block_high_confidence)
            decide(c, DENY, "blocked_content", "what it does comes from content that is blocked");
        else if (toad__str_eq(row->setting, TOAD__S("blocked")))
            decide(c, DENY, "blocked_source", "what it does comes from a source that the user has blocked");
        if (c->decision == DENY) return true;
    }
    return false;
}

static bool wants_question(const check *c) {
    bool speaks = c->taint.high || c->taint.overlap, unknown = false;
    for (size_t i = 0; i < c->taint.n; i++) unknown |= c->taint.rows[i].unknown;
    if (c->heard) return c->trace.ask || unknown || (c->deed == TOAD__DEED_DISCLOSURE && speaks);
    speaks |= unknown;
    return c->deed >= TOAD__DEED_FILE_CHANGE ? speaks || !c->policy->only_overlap
                                             : c->deed == TOAD__DEED_OTHER && speaks;
}

static toad_status ask(check *c, size_t open);

/* Has the user approved this in another run of the project? Then it is spent. */
static toad_status judge_run(check *c, bool *ret) {
    searching s = { .c = c, .now = toad__store_now(c->host->store) };
    *ret = false;
    if (!same_project(c->host->session, c->host->session)) return TOAD_OK;
    toad_status status = toad__store_confirmations(c->host->store, TOAD__S("approved"), LOOK_BACK, search_runs, &s);
    if (status) return toad__host_store_failed(c->host, status);
    if (s.full) return no_memory(c);
    if (s.rank) status = covers_run(c, ret);
    *ret = *ret && !status && spend(c);
    if (*ret) decide(c, ALLOW, "confirmed", "the user has confirmed exactly this, once");
    return status;
}

static toad_status judge_asked(check *c) {
    searching s = { .c = c, .now = toad__store_now(c->host->store) };
    bool covered = false;
    toad_status status = toad__store_confirmations(c->host->store, toad__str(NULL, 0), LOOK_BACK, search, &s);
    if (status) return toad__host_store_failed(c->host, status);
    if (s.full) return no_memory(c);
    if (s.rank == APPROVED && spend(c)) {
        decide(c, ALLOW, "confirmed", "the user has confirmed exactly this, once");
        return TOAD_OK;
    }
    if (s.rank == DONE) {
        decide(c, ALLOW, "confirmed", "the user has confirmed such a call to the same end in this session");
        return TOAD_OK;
    }
    if (s.rank == DENIED) {
        decide(c, DENY, "declined", "the user was asked and said no");
        return TOAD_OK;
    }
    toad__confirmation own = c->found;
    status = judge_run(c, &covered);
    if (status || covered) return status;
    c->found = own;
    if (s.rank == PENDING) {
        decide(c, ASK, NULL, NULL);
        return TOAD_OK;
    }
    c->found.id[0] = 0;
    status = always(c, &covered);
    if (status || !covered) return status ? status : ask(c, s.open);
    decide(c, ALLOW, "auto_confirm", "the user has said always for this source and tool");
    return TOAD_OK;
}

static toad_status judge(check *c) {
    if (c->canonical.status)
        decide(c, DENY, "too_large", "the arguments are too long to be shown and bound");
    else if (!c->taint.n)
        decide(c, ALLOW, NULL, NULL);
    else if (c->deed == TOAD__DEED_READING || !wants_question(c))
        decide(c, ALLOW, NULL, NULL);
    else if (refuse(c))
        return TOAD_OK;
    else if (!c->policy->require_confirmation)
        decide(c, ALLOW, "not_required", "the configuration asks for no confirmation");
    else
        return judge_asked(c);
    return TOAD_OK;
}

/* ---- reasons ---- */

/* Open: what follows are members of the reason. */
static void begin_reason(toad__answer *b, const char *reason, const char *why) {
    toad__answer_object(b, NULL);
    toad__answer_z(b, "reason", reason);
    toad__answer_z(b, "why", why);
}

/* A model is not told the id of what it may not read. */
static void add_row(toad__answer *b, const toad__tainting *row, bool to_model) {
    bool named = !(to_model && row->blocked);
    toad__answer_str(b, "content_id", named ? row->id : toad__str(NULL, 0));
    toad__answer_str(b, "source", named ? row->url : toad__str(NULL, 0));
    toad__answer_end(b);
}

static void add_row_reasons(toad__answer *b, const toad__tainting *row, bool to_model) {
    for (size_t k = 0; k < TOAD__TAKEN_SORTS; k++) {
        if (!row->taken.text[k].p) continue;
        begin_reason(b, "overlap", "it stands in what the session has read");
        toad__answer_z(b, "kind", toad__taken_name((toad__taken)k));
        toad__answer_str(b, "text", row->taken.text[k]);
        add_row(b, row, to_model);
    }
    if (row->high) {
        begin_reason(b, "high_finding", "the session has content that tries to steer it");
        add_row(b, row, to_model);
    }
    if (row->unknown) {
        begin_reason(b, "not_compared", "this content has expired, was changed, or is too long to compare");
        add_row(b, row, to_model);
    }
}

/* A value of the act and where it comes from: "text" as the question finds it in the arguments, "start" and "end" in
 * the content's bytes. */
static void add_traced(const check *c, toad__answer *b, const toad__traced *t, toad__view *view, bool to_model) {
    begin_reason(b, "traced", toad__trace_reason(c->trace.why));
    toad_status status = toad__fold(view, toad__str_part(t->value, 0, TRACED_SHOWN), TOAD__FOLD_DROP);
    toad__answer_str(b, "argument", t->argument);
    toad__answer_str(b, "text", status ? TOAD__S("") : toad__buf_str(&view->text));
    toad__answer_z(b, "from", toad__origin_name(t->from));
    if (t->from >= TOAD__FROM_FIELD) {
        const toad__trace_read *read = &c->trace.reads[t->read];
        bool named = true;
        for (size_t i = 0; i < c->taint.n; i++)
            named &= !(to_model && c->taint.rows[i].blocked && toad__str_eq(c->taint.rows[i].id, read->id));
        toad__answer_str(b, "content_id", named ? read->id : toad__str(NULL, 0));
        toad__answer_str(b, "source", named ? read->source : toad__str(NULL, 0));
        toad__answer_int(b, "start", (int64_t)t->at.start);
        toad__answer_int(b, "end", (int64_t)t->at.end);
    }
    toad__answer_end(b);
}

/* Who named what the act touches, where the user was heard: the gravest first. */
static void add_trace(const check *c, toad__answer *b, bool to_model) {
    toad__view view;
    size_t told = 0;
    if (!c->heard || !c->taint.n) return;
    toad__view_init(&view, 8 * TRACED_SHOWN);
    for (size_t i = 0; i < c->trace.n && told < TRACED_MAX; i++) {
        const toad__traced *t = &c->trace.rows[i];
        if (!t->sink || (told && t->from < TOAD__FROM_PROSE)) continue;
        add_traced(c, b, t, &view, to_model);
        told++;
    }
    toad__view_free(&view);
    if (told) return;
    begin_reason(b, "traced", toad__trace_reason(c->trace.why));
    toad__answer_end(b);
}

static void add_reasons(const check *c, toad__answer *b, bool to_model) {
    static const char *const whys[] = { "it reads",
                                        "what it does is not known",
                                        "it changes files or what is stored",
                                        "it discloses information",
                                        "it sends something to others",
                                        "it runs a command",
                                        "it spends money" };
    size_t told = 0;
    toad__answer_array(b, "reasons");
    if (c->taint.n) {
        begin_reason(b, "taint", "the session has read external content");
        toad__answer_int(b, "contents", (int64_t)c->taint.n);
        toad__answer_end(b);
    }
    begin_reason(b, "class", whys[c->deed]);
    toad__answer_z(b, "class", toad__deed_name(c->deed));
    toad__answer_end(b);
    for (size_t i = 0; i < c->taint.n && told < REASONS_MAX; i++) {
        if (!matters(&c->taint.rows[i])) continue;
        told++;
        add_row_reasons(b, &c->taint.rows[i], to_model);
    }
    add_trace(c, b, to_model);
    if (c->last) {
        begin_reason(b, c->last, c->why);
        toad__answer_end(b);
    }
    toad__answer_end(b);
}

static toad_status ask(check *c, size_t open) {
    toad__answer told;
    toad__buf reasons;
    if (open >= TOAD__ACTION_PENDING) {
        decide(c, DENY, "too_many_questions", "too many questions of this session are open or were just refused");
        return TOAD_OK;
    }
    decide(c, ASK, NULL, NULL);
    toad__answer_init(&told, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&reasons, TOAD__ACTION_ARGUMENTS);
    bind_contents(c);
    add_reasons(c, &told, false);
    if (told.status)
        reasons.status = told.status;
    else
        toad__answer_write_value(told.root.child, &reasons);
    toad__confirmation q = { .session_id = c->host->session,
                             .tool = c->tool,
                             .arguments = toad__buf_str(&c->canonical),
                             .content_ids = toad__buf_str(&c->ids),
                             .reasons = toad__buf_str(&reasons) };
    toad_status status = reasons.status || c->ids.status ? no_memory(c) : TOAD_OK;
    if (!status)
        status = toad__host_store_failed(c->host,
                                         toad__store_confirmation_ask(c->host->store, &q, c->policy->ttl, &c->found));
    toad__answer_free(&told);
    toad__buf_free(&reasons);
    return status;
}

/* ---- what follows ---- */

/* Is the content behind an act that may run? What is traced to a page is that page; where nothing is, a confirmed act
 * is put down to a content only if there was no other. */
static bool is_behind(const check *c, const toad__tainting *row, bool confirmed) {
    bool any = false;
    for (size_t i = 0; i < c->taint.n; i++) any |= c->taint.rows[i].any;
    if (!confirmed || any) return row->any;
    return toad__str_eq(c->found.content_ids, row->id);
}

static toad_status mark(check *c) {
    bool confirmed = c->last && !strcmp(c->last, "confirmed");
    toad_status status = TOAD_OK;
    if (c->decision != ALLOW || c->deed == TOAD__DEED_READING) return TOAD_OK;
    for (size_t i = 0; i < c->taint.n && !status; i++) {
        const toad__tainting *row = &c->taint.rows[i];
        if (is_behind(c, row, confirmed))
            status = toad__store_session_acted(c->host->store, c->host->session, row->id,
                                               confirmed ? TOAD__YES : TOAD__UNANSWERED);
    }
    return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(c->host, status);
}

/* What was read passes into the file that is written, and out of the one that is read. */
static toad_status spread(check *c) {
    toad_str path = toad__deed_path(c->arguments);
    if (c->decision != ALLOW || !path.n) return TOAD_OK;
    if (c->deed == TOAD__DEED_READING) return toad__spread_from_file(c->host, &c->arena, path);
    return c->deed == TOAD__DEED_FILE_CHANGE ? toad__spread_to_file(c->host, path, &c->taint) : TOAD_OK;
}

static const char *decision_name(decision d) { return d == ALLOW ? "allow" : d == ASK ? "ask" : "deny"; }

static toad_status log_decision(check *c) {
    toad__answer told;
    toad__buf details;
    if (!c->taint.n || c->deed == TOAD__DEED_READING) return TOAD_OK;
    toad__answer_init(&told, 1u << 16);
    toad__buf_init(&details, 1u << 16);
    toad__answer_str(&told, "tool", c->tool);
    toad__answer_z(&told, "reason", c->last);
    toad__answer_bool(&told, "overlap", c->taint.overlap);
    toad__answer_bool(&told, "high", c->taint.high);
    toad__answer_z(&told, "confirmation", *c->found.id ? c->found.id : NULL);
    toad__answer_write(&told, &details);
    toad__event event = { .type = TOAD__S("action_check"),
                          .direction = TOAD__S("outbound"),
                          .channel = TOAD__S("internal"),
                          .content = toad__str_z(toad__deed_name(c->deed)),
                          .action = toad__str_z(decision_name(c->decision)),
                          .session_id = c->host->session,
                          .details = toad__buf_str(&details) };
    toad_status status = details.status
                             ? no_memory(c)
                             : toad__host_store_failed(c->host, toad__store_events_append(c->host->store, &event, 1));
    toad__answer_free(&told);
    toad__buf_free(&details);
    return status;
}

static void add_confirmation(const check *c, bool to_model, toad__answer *answer) {
    toad__answer_object(answer, "confirmation");
    toad__answer_z(answer, "id", c->found.id);
    toad__answer_time(answer, "expires_at", c->found.expires_at);
    if (!to_model) toad__answer_z(answer, "binding", c->found.binding);
    toad__answer_end(answer);
}

static void add_error(const check *c, toad__answer *answer) {
    char text[256];
    toad__answer_bool(answer, "success", false);
    if (c->decision == DENY) {
        snprintf(text, sizeof text, "denied: %s", c->why);
    } else if (c->found.answered_at) { /* pending all the same: a client sent the question back */
        snprintf(text, sizeof text,
                 "the client sent the question back unanswered, and the user can still answer it: toadstone confirm "
                 "answer %.24s",
                 c->found.id);
    } else {
        snprintf(text, sizeof text, "the user must confirm this first: toadstone confirm answer %.24s", c->found.id);
    }
    toad__answer_z(answer, "error", text);
}

static void add_answer(const check *c, toad__answer *answer) {
    bool to_model = c->host->by == TOAD__READER_MODEL;
    toad__answer_z(answer, "decision", decision_name(c->decision));
    toad__answer_z(answer, "class", toad__deed_name(c->deed));
    if (c->decision == ASK)
        add_confirmation(c, to_model, answer);
    else
        toad__answer_z(answer, "confirmation", NULL);
    add_reasons(c, answer, to_model);
    if (c->decision == ALLOW)
        toad__answer_z(answer, "text", "allow\n");
    else
        add_error(c, answer);
}

toad_status toad__action_check(toad__host *host, toad_str tool, toad_str arguments, const toad__action_policy *policy,
                               toad__answer *answer) {
    static const toad__action_policy usual = TOAD__ACTION_POLICY_INIT;
    check c = { .host = host, .policy = policy ? policy : &usual, .tool = tool };
    toad__arena_init(&c.arena, ARENA_MAX);
    toad__buf_init(&c.canonical, TOAD__ACTION_ARGUMENTS);
    toad__buf_init(&c.ids, TOAD__ACTION_ARGUMENTS);
    toad_status status = read_call(&c, arguments);
    if (!status) status = look_around(&c);
    if (!status) status = judge(&c);
    if (!status) status = log_decision(&c);
    if (!status) status = mark(&c);
    if (!status) status = spread(&c);
    if (!status) add_answer(&c, answer);
    toad__buf_free(&c.ids);
    toad__buf_free(&c.canonical);
    toad__arena_free(&c.arena);
    return status ? status : answer->status;
}
