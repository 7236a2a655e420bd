/* action.c - see action.h. First what the session has read, then what the call is, then the decision; the verdict is in
 * the log before the caller can act on it. */
#include "app/act/action.h"

#include "app/host/canonical.h"
#include "app/act/taint.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    TOOL_MAX = 256,   /* bytes of a tool's name */
    BOUND_MAX = 256,  /* contents a question names */
    REASONS_MAX = 32, /* contents that reasons are told of */
    PAYLOAD_MIN = 24, /* bytes of a URL behind its host that can carry something out */
    LOOK_BACK = 2000, /* questions looked through for one that is the same */
};
#define ARENA_MAX ((size_t)512 << 20)

typedef enum decision { ALLOW, ASK, DENY } decision;

typedef struct check {
    bzr__host *host;
    const bzr__action_policy *policy;
    bzr_str tool;
    bzr__arena arena;
    const bzr__json *arguments;
    bzr__buf canonical, ids; /* ids: of the contents the question binds */
    bzr__deed deed;
    bzr__taint taint;
    decision decision;
    const char *last; /* the reason that decided, where it is none of those that follow from the rest */
    const char *why;
    bzr__confirmation found; /* the question that is or was asked; id "" if none */
} check;

/* ---- reading the call ---- */

static bzr_status fail(check *c, bzr_status status, const char *what) {
    return bzr__host_fail(c->host, status, "%s", what);
}

static bzr_status no_memory(check *c) { return fail(c, BZR_E_NOMEM, "out of memory"); }

/* The names of the arguments, in order, with commas between. */
static bzr_status add_shape(bzr_str canonical, bzr__buf *out) {
    bzr__arena arena;
    const bzr__json *root = NULL;
    size_t at;
    const char *expected;
    bzr__arena_init(&arena, ARENA_MAX);
    bzr_status status = bzr__json_parse(canonical, &arena, &root, &at, &expected);
    bool object = !status && root->type == BZR__JSON_OBJECT;
    for (const bzr__json *m = object ? root->child : NULL; m; m = m->next) {
        if (m != root->child) bzr__buf_add_c(out, ',');
        bzr__buf_add_str(out, m->key);
    }
    bzr__arena_free(&arena);
    return status;
}

static bool is_plain(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_alnum((unsigned char)s.p[i]) && !memchr("_-.,:/", s.p[i], 6)) return false;
    return s.n > 0;
}

bzr_status bzr__action_standing(bzr_str tool, bzr_str canonical, bzr__deed deed, bzr__buf *out) {
    bzr__buf shape;
    bzr_status status = BZR_OK;
    bzr__buf_init(&shape, BZR__ACTION_ARGUMENTS);
    bool exact = deed != BZR__DEED_FILE_CHANGE && deed != BZR__DEED_OTHER;
    if (!exact) status = add_shape(canonical, &shape);
    if (!status) status = shape.status;
    if (!status && is_plain(tool) && (exact || is_plain(bzr__buf_str(&shape)))) {
        unsigned char digest[32];
        bzr__buf_add_str(out, tool);
        bzr__buf_add_c(out, exact ? '#' : '(');
        if (exact && !EVP_Digest(canonical.p, canonical.n, digest, NULL, EVP_sha256(), NULL)) status = BZR_E_NOMEM;
        for (size_t i = 0; exact && !status && i < sizeof digest; i++) {
            char hex[3];
            snprintf(hex, sizeof hex, "%02x", digest[i]);
            bzr__buf_add_z(out, hex);
        }
        if (!exact) bzr__buf_add_str(out, bzr__buf_str(&shape));
        if (!exact) bzr__buf_add_c(out, ')');
    }
    bzr__buf_free(&shape);
    return status ? status : out->status;
}

static bzr_status read_call(check *c, bzr_str arguments) {
    size_t at;
    const char *expected;
    if (!c->host->session.n) return fail(c, BZR_E_ARG, "a check needs the agent's session");
    if (!c->tool.n || c->tool.n > TOOL_MAX || bzr__utf8_valid_upto(c->tool) != c->tool.n ||
        memchr(c->tool.p, 0, c->tool.n))
        return fail(c, BZR_E_ARG, "the name of the tool must be 1 to 256 bytes of UTF-8");
    if (!arguments.n) arguments = BZR__S("{}");
    bzr_status status = bzr__json_parse(arguments, &c->arena, &c->arguments, &at, &expected);
    if (status == BZR_E_SYNTAX)
        return bzr__host_fail(c->host, status, "the arguments are not JSON: at byte %zu %s was expected", at, expected);
    if (status) return bzr__host_fail(c->host, status, "the arguments cannot be read: %s", bzr_status_message(status));
    status = bzr__canonical_json(c->arguments, &c->arena, &c->canonical);
    return status && status != BZR_E_LIMIT ? no_memory(c) : BZR_OK; /* the limit is found out by the decision */
}

/* A URL that is not in what was read, to a host that is, with room for something in it: that is how data leaves by
 * reading. */
static bool carries_out(const check *c) {
    if (bzr__deed_url_payload(bzr__buf_str(&c->canonical)) < PAYLOAD_MIN) return false;
    for (size_t i = 0; i < c->taint.n; i++)
        if (c->taint.rows[i].taken.text[BZR__TAKEN_NAME].p && !c->taint.rows[i].taken.text[BZR__TAKEN_URL].p)
            return true;
    return false;
}

static bzr_status look_around(check *c) {
    c->deed = bzr__deed_of(c->tool, c->arguments);
    bzr_status status = bzr__taint_read(c->host, &c->arena, &c->taint);
    bool harmless = c->deed == BZR__DEED_READING && bzr__deed_url_payload(bzr__buf_str(&c->canonical)) < PAYLOAD_MIN;
    if (status || !c->taint.n || c->canonical.status || harmless) return status;
    status = bzr__taint_compare(c->host, &c->arena, c->arguments, c->deed == BZR__DEED_COMMAND, &c->taint);
    if (!status && c->deed <= BZR__DEED_OTHER && carries_out(c)) c->deed = BZR__DEED_DISCLOSURE;
    return status;
}

/* ---- what the question binds ---- */

static bool matters(const bzr__tainting *row) { return row->any || row->high || row->unknown; }

static int by_id(const void *left, const void *right) {
    bzr_str a = (*(const bzr__tainting *const *)left)->id, b = (*(const bzr__tainting *const *)right)->id;
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

/* The contents that speak against the act, or, if none does, those that were read last; sorted. */
static void bind_contents(check *c) {
    const bzr__tainting *rows[BOUND_MAX];
    size_t n = 0;
    for (size_t i = 0; i < c->taint.n && n < BOUND_MAX; i++)
        if (matters(&c->taint.rows[i])) rows[n++] = &c->taint.rows[i];
    if (!n)
        for (; n < c->taint.n && n < BOUND_MAX; n++) rows[n] = &c->taint.rows[n];
    qsort(rows, n, sizeof *rows, by_id);
    for (size_t i = 0; i < n; i++) {
        if (i) bzr__buf_add_c(&c->ids, ',');
        bzr__buf_add_str(&c->ids, rows[i]->id);
    }
}

static bool names_content(bzr_str ids, bzr_str id) {
    for (size_t at = 0; at < ids.n;) {
        const char *comma = memchr(ids.p + at, ',', ids.n - at);
        size_t end = comma ? (size_t)(comma - ids.p) : ids.n;
        if (bzr__str_eq(bzr__str_part(ids, at, end), id)) return true;
        at = end + 1;
    }
    return false;
}

/* Did the user see everything that speaks against the act now? */
static bool covers(const check *c, bzr_str ids) {
    for (size_t i = 0; i < c->taint.n; i++)
        if (matters(&c->taint.rows[i]) && !names_content(ids, c->taint.rows[i].id)) return false;
    return true;
}

/* ---- questions asked before ---- */

typedef struct searching {
    check *c;
    int64_t now;
    size_t open; /* questions of the session that live: asked or refused */
    int rank;    /* of what was found: approved over denied over pending */
    bool full;
} searching;

static int rank_of(bzr_str state) {
    return bzr__str_eq(state, BZR__S("approved"))  ? 3
           : bzr__str_eq(state, BZR__S("denied"))  ? 2
           : bzr__str_eq(state, BZR__S("pending")) ? 1
                                                   : 0;
}

static bool search(void *ctx, const bzr__confirmation *q) {
    searching *s = ctx;
    check *c = s->c;
    int rank = rank_of(q->state);
    if (!rank || q->expires_at <= s->now || !bzr__str_eq(q->session_id, c->host->session)) return true;
    if (rank < 3) s->open++;
    if (rank <= s->rank || !bzr__str_eq(q->tool, c->tool) || !bzr__str_eq(q->arguments, bzr__buf_str(&c->canonical)) ||
        !covers(c, q->content_ids))
        return true;
    c->found = *q;
    c->found.content_ids = bzr__arena_dup(&c->arena, q->content_ids);
    c->found.state = bzr__arena_dup(&c->arena, q->state);
    s->full = !c->found.content_ids.p || !c->found.state.p;
    s->rank = rank;
    return !s->full;
}

/* Spend the approval that was found. False: it is spent, expired or changed; then the user is asked again. */
static bool spend(check *c) {
    bzr__confirmation act = { .session_id = c->host->session,
                              .tool = c->tool,
                              .arguments = bzr__buf_str(&c->canonical),
                              .content_ids = c->found.content_ids,
                              .expires_at = c->found.expires_at };
    memcpy(act.id, c->found.id, sizeof act.id);
    memcpy(act.nonce, c->found.nonce, sizeof act.nonce);
    return bzr__store_confirmation_use(c->host->store, &act) == BZR_OK;
}

static void decide(check *c, decision what, const char *reason, const char *why) {
    c->decision = what;
    c->last = reason;
    c->why = why;
}

/* ---- standing answers ---- */

typedef struct standing {
    check *c;
    const bzr__tainting *row;
    bzr_str entry;
    bool covered;
} standing;

/* Does a list "a; b; c" hold `entry`? */
static bool lists(bzr_str note, bzr_str entry) {
    for (size_t at = 0; at < note.n;) {
        size_t end = bzr__str_find(note, BZR__S("; "), at);
        if (bzr__str_eq(bzr__str_part(note, at, end), entry)) return true;
        at = end + 2;
    }
    return false;
}

static bool weigh_setting(void *ctx, const bzr__setting *s) {
    standing *st = ctx;
    bool own = (bzr__str_eq(s->kind, BZR__S("domain")) && bzr__str_eq(s->pattern, st->row->domain)) ||
               (bzr__str_eq(s->kind, BZR__S("url")) && bzr__str_eq(s->pattern, st->row->url));
    bool limited = bzr__str_starts(s->note, BZR__S(BZR__ACTION_ALWAYS));
    if (!bzr__str_eq(s->setting, BZR__S("auto_confirm")) || (!own && !bzr__str_eq(s->kind, BZR__S("pattern"))))
        return true;
    st->covered =
        !limited || (own && lists(bzr__str_part(s->note, sizeof BZR__ACTION_ALWAYS - 1, s->note.n), st->entry));
    return !st->covered;
}

/* Has the user said "always" for every content behind the act? High findings and what can't be compared are never
 * covered. */
static bzr_status always(check *c, bool *ret) {
    bzr__buf entry;
    bzr__buf_init(&entry, BZR__ACTION_ARGUMENTS);
    bzr_status status = bzr__action_standing(c->tool, bzr__buf_str(&c->canonical), c->deed, &entry);
    bool covered = !c->taint.high && entry.n;
    for (size_t i = 0; i < c->taint.n && covered && !status; i++) {
        const bzr__tainting *row = &c->taint.rows[i];
        if (c->taint.overlap && !row->any && !row->unknown) continue;
        standing st = { c, row, bzr__buf_str(&entry), false };
        covered = !row->unknown && bzr__str_eq(row->setting, BZR__S("auto_confirm"));
        if (covered) status = bzr__store_settings(c->host->store, weigh_setting, &st);
        covered = covered && st.covered;
    }
    if (entry.status)
        status = no_memory(c);
    else if (status)
        bzr__host_store_failed(c->host, status);
    bzr__buf_free(&entry);
    *ret = covered;
    return status;
}

/* ---- the decision ---- */

/* Reasons to refuse without asking. */
static bool refuse(check *c) {
    for (size_t i = 0; i < c->taint.n; i++) {
        const bzr__tainting *row = &c->taint.rows[i];
        if (!row->strong) continue;
        if (row->blocked && c->policy->auto_block_high_confidence)
            decide(c, DENY, "blocked_content", "what it does comes from content that is blocked");
        else if (bzr__str_eq(row->setting, BZR__S("blocked")))
            decide(c, DENY, "blocked_source", "what it does comes from a source that the user has blocked");
        if (c->decision == DENY) return true;
    }
    return false;
}

static bool wants_question(const check *c) {
    bool speaks = c->taint.high || c->taint.overlap;
    for (size_t i = 0; i < c->taint.n && !speaks; i++) speaks = c->taint.rows[i].unknown;
    return c->deed >= BZR__DEED_FILE_CHANGE ? speaks || !c->policy->only_overlap : c->deed == BZR__DEED_OTHER && speaks;
}

static bzr_status ask(check *c, size_t open);

static bzr_status judge_asked(check *c) {
    searching s = { .c = c, .now = bzr__store_now(c->host->store) };
    bool covered = false;
    bzr_status status = bzr__store_confirmations(c->host->store, bzr__str(NULL, 0), LOOK_BACK, search, &s);
    if (status) return bzr__host_store_failed(c->host, status);
    if (s.full) return no_memory(c);
    if (s.rank == 3 && spend(c)) {
        decide(c, ALLOW, "confirmed", "the user has confirmed exactly this, once");
        return BZR_OK;
    }
    if (s.rank == 2) {
        decide(c, DENY, "declined", "the user was asked and said no");
        return BZR_OK;
    }
    if (s.rank == 1) {
        decide(c, ASK, NULL, NULL);
        return BZR_OK;
    }
    c->found.id[0] = 0;
    status = always(c, &covered);
    if (status || !covered) return status ? status : ask(c, s.open);
    decide(c, ALLOW, "auto_confirm", "the user has said always for this source and tool");
    return BZR_OK;
}

static bzr_status judge(check *c) {
    if (c->canonical.status)
        decide(c, DENY, "too_large", "the arguments are too long to be shown and bound");
    else if (!c->taint.n)
        decide(c, ALLOW, NULL, NULL);
    else if (c->deed == BZR__DEED_READING || !wants_question(c))
        decide(c, ALLOW, NULL, NULL);
    else if (refuse(c))
        return BZR_OK;
    else if (!c->policy->require_confirmation)
        decide(c, ALLOW, "not_required", "the configuration asks for no confirmation");
    else
        return judge_asked(c);
    return BZR_OK;
}

/* ---- reasons ---- */

static void add_reason(bzr__buf *b, const char *reason, const char *why) {
    bzr__json_add_key(b, NULL);
    bzr__buf_add_c(b, '{');
    bzr__answer_z(b, "reason", reason);
    bzr__answer_z(b, "why", why);
}

/* A model is not told the id of what it may not read. */
static void add_row(bzr__buf *b, const bzr__tainting *row, bool to_model) {
    bool named = !(to_model && row->blocked);
    bzr__answer_str(b, "content_id", named ? row->id : bzr__str(NULL, 0));
    bzr__answer_str(b, "source", named ? row->url : bzr__str(NULL, 0));
    bzr__buf_add_c(b, '}');
}

static void add_row_reasons(bzr__buf *b, const bzr__tainting *row, bool to_model) {
    for (size_t k = 0; k < BZR__TAKEN_SORTS; k++) {
        if (!row->taken.text[k].p) continue;
        add_reason(b, "overlap", "it stands in what the session has read");
        bzr__answer_z(b, "kind", bzr__taken_name((bzr__taken)k));
        bzr__answer_str(b, "text", row->taken.text[k]);
        add_row(b, row, to_model);
    }
    if (row->high) {
        add_reason(b, "high_finding", "the session has content that tries to steer it");
        add_row(b, row, to_model);
    }
    if (row->unknown) {
        add_reason(b, "not_compared", "this content has expired, was changed, or is too long to compare");
        add_row(b, row, to_model);
    }
}

static void add_reasons(const check *c, bzr__buf *b, bool to_model) {
    static const char *const whys[] = { "it reads",
                                        "what it does is not known",
                                        "it changes files or what is stored",
                                        "it discloses information",
                                        "it sends something to others",
                                        "it runs a command",
                                        "it spends money" };
    size_t told = 0;
    bzr__buf_add_c(b, '[');
    if (c->taint.n) {
        add_reason(b, "taint", "the session has read external content");
        bzr__answer_int(b, "contents", (int64_t)c->taint.n);
        bzr__buf_add_c(b, '}');
    }
    add_reason(b, "class", whys[c->deed]);
    bzr__answer_z(b, "class", bzr__deed_name(c->deed));
    bzr__buf_add_c(b, '}');
    for (size_t i = 0; i < c->taint.n && told < REASONS_MAX; i++) {
        if (!matters(&c->taint.rows[i])) continue;
        told++;
        add_row_reasons(b, &c->taint.rows[i], to_model);
    }
    if (c->last) {
        add_reason(b, c->last, c->why);
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_c(b, ']');
}

static bzr_status ask(check *c, size_t open) {
    bzr__buf reasons;
    if (open >= BZR__ACTION_PENDING) {
        decide(c, DENY, "too_many_questions", "too many questions of this session are open or were just refused");
        return BZR_OK;
    }
    decide(c, ASK, NULL, NULL);
    bzr__buf_init(&reasons, BZR__ACTION_ARGUMENTS);
    bind_contents(c);
    add_reasons(c, &reasons, false);
    bzr__confirmation q = { .session_id = c->host->session,
                            .tool = c->tool,
                            .arguments = bzr__buf_str(&c->canonical),
                            .content_ids = bzr__buf_str(&c->ids),
                            .reasons = bzr__buf_str(&reasons) };
    bzr_status status = reasons.status || c->ids.status ? no_memory(c) : BZR_OK;
    if (!status)
        status =
            bzr__host_store_failed(c->host, bzr__store_confirmation_ask(c->host->store, &q, c->policy->ttl, &c->found));
    bzr__buf_free(&reasons);
    return status;
}

/* ---- what follows ---- */

/* The contents behind an act that may run are marked as acted on. */
static bzr_status mark(check *c) {
    bool confirmed = c->last && !strcmp(c->last, "confirmed");
    bzr_status status = BZR_OK;
    if (c->decision != ALLOW || c->deed == BZR__DEED_READING) return BZR_OK;
    for (size_t i = 0; i < c->taint.n && !status; i++) {
        const bzr__tainting *row = &c->taint.rows[i];
        bool behind = confirmed ? names_content(c->found.content_ids, row->id) : row->any;
        if (behind)
            status = bzr__store_session_acted(c->host->store, c->host->session, row->id,
                                              confirmed ? BZR__YES : BZR__UNANSWERED);
    }
    return status == BZR_E_NOT_FOUND ? BZR_OK : bzr__host_store_failed(c->host, status);
}

static const char *decision_name(decision d) { return d == ALLOW ? "allow" : d == ASK ? "ask" : "deny"; }

static bzr_status log_decision(check *c) {
    bzr__buf details;
    if (!c->taint.n || c->deed == BZR__DEED_READING) return BZR_OK;
    bzr__buf_init(&details, 1u << 16);
    bzr__buf_add_c(&details, '{');
    bzr__answer_str(&details, "tool", c->tool);
    bzr__answer_z(&details, "reason", c->last);
    bzr__answer_bool(&details, "overlap", c->taint.overlap);
    bzr__answer_bool(&details, "high", c->taint.high);
    bzr__answer_z(&details, "confirmation", *c->found.id ? c->found.id : NULL);
    bzr__buf_add_c(&details, '}');
    bzr__event event = { .type = BZR__S("action_check"),
                         .direction = BZR__S("outbound"),
                         .channel = BZR__S("internal"),
                         .content = bzr__str_z(bzr__deed_name(c->deed)),
                         .action = bzr__str_z(decision_name(c->decision)),
                         .session_id = c->host->session,
                         .details = bzr__buf_str(&details) };
    bzr_status status = details.status
                            ? no_memory(c)
                            : bzr__host_store_failed(c->host, bzr__store_events_append(c->host->store, &event, 1));
    bzr__buf_free(&details);
    return status;
}

static void add_confirmation(const check *c, bool to_model, bzr__buf *answer) {
    bzr__json_add_key(answer, "confirmation");
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "id", c->found.id);
    bzr__answer_time(answer, "expires_at", c->found.expires_at);
    if (!to_model) bzr__answer_z(answer, "binding", c->found.binding);
    bzr__buf_add_c(answer, '}');
}

static void add_error(const check *c, bzr__buf *answer) {
    char text[160];
    bzr__answer_bool(answer, "success", false);
    if (c->decision == DENY) {
        snprintf(text, sizeof text, "denied: %s", c->why);
    } else {
        snprintf(text, sizeof text, "the user must confirm this first: bezoar confirm answer %.24s", c->found.id);
    }
    bzr__answer_z(answer, "error", text);
}

static void add_answer(const check *c, bzr__buf *answer) {
    bool to_model = c->host->by == BZR__READER_MODEL;
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "decision", decision_name(c->decision));
    bzr__answer_z(answer, "class", bzr__deed_name(c->deed));
    if (c->decision == ASK)
        add_confirmation(c, to_model, answer);
    else
        bzr__answer_z(answer, "confirmation", NULL);
    bzr__json_add_key(answer, "reasons");
    add_reasons(c, answer, to_model);
    if (c->decision == ALLOW)
        bzr__answer_z(answer, "text", "allow\n");
    else
        add_error(c, answer);
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__action_check(bzr__host *host, bzr_str tool, bzr_str arguments, const bzr__action_policy *policy,
                             bzr__buf *answer) {
    static const bzr__action_policy usual = BZR__ACTION_POLICY_INIT;
    check c = { .host = host, .policy = policy ? policy : &usual, .tool = tool };
    bzr__arena_init(&c.arena, ARENA_MAX);
    bzr__buf_init(&c.canonical, BZR__ACTION_ARGUMENTS);
    bzr__buf_init(&c.ids, BZR__ACTION_ARGUMENTS);
    bzr_status status = read_call(&c, arguments);
    if (!status) status = look_around(&c);
    if (!status) status = judge(&c);
    if (!status) status = log_decision(&c);
    if (!status) status = mark(&c);
    if (!status) add_answer(&c, answer);
    bzr__buf_free(&c.ids);
    bzr__buf_free(&c.canonical);
    bzr__arena_free(&c.arena);
    return status ? status : answer->status;
}
