/* store.h - what Bezoar remembers, as named operations; the one header that app/ includes.
 *
 * One schema lives in SQLite (a path) or PostgreSQL (a URI) and every operation behaves alike on both: operations are
 * written once over named statements (sql.def), a backend only runs them (backend.h).
 *
 * Invariants. Every write that matters is one transaction with its audit event: both are there or neither. Events form
 * one chain: each SHA-256 covers the one before, whoever wrote it. Nothing is scanned here and nothing read is
 * believed: rows may have been written behind our back, so readers get them as they stand, with `intact` telling
 * whether the digest still fits. Texts given in must be well-formed UTF-8 without NUL (BZR_E_ARG); bodies are any
 * bytes.
 *
 * Slices in records given out live until the callback returns, or as long as the arena that was passed. Callbacks
 * return false to stop and must not call the store. Times are microseconds since 1970 UTC, 0 is never. Outputs
 * `ret_*`/`ret` are untouched on failure. After a failure bzr__store_message tells what happened, in a sentence for the
 * user. Thread rule: any number of threads; a fork must open its own. Errors common to all: BZR_E_NOMEM, BZR_E_IO (the
 * system or the server refused), BZR_E_ARG (text that is not UTF-8). */
#ifndef BZR_STORE_STORE_H
#define BZR_STORE_STORE_H

#include "bezoar/memory.h"
#include "bezoar/types.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"

typedef struct bzr__store bzr__store;

/* Where time and chance come from; tests give their own. Both must be callable from any thread. */
typedef struct bzr__store_host {
    int64_t (*now)(void *ctx);
    bool (*random)(void *ctx, void *p, size_t n);
    void *ctx;
} bzr__store_host;

typedef struct bzr__store_options {
    const char *where;           /* a path, "postgresql://..." or NULL: bzr__store_default_path */
    const bzr__store_host *host; /* NULL: the system's */
    uint64_t content_characters; /* longer bodies are cut and marked; 0: 500,000 */
    int64_t content_ttl;         /* microseconds a content is kept; 0: 24 hours; negative: for ever */
    unsigned links;              /* connections at most; 0: 4 */
    unsigned busy_ms;            /* how long to wait for another writer; 0: 10,000 */
} bzr__store_options;

#define BZR__STORE_MESSAGE   512
#define BZR__STORE_TRUNCATED "\n[content truncated...]"

/* Append $XDG_STATE_HOME/bezoar/store.db, or ~/.local/state/bezoar/store.db. Errors: BZR_E_NOT_FOUND (no home). */
bzr_status bzr__store_default_path(bzr__buf *path);
/* Open, creating what is missing (directories 0700, file 0600) and migrating an older store under a lock. `options`
 * NULL: all defaults. `message` gets the cause of a failure. Errors: BZR_E_STATE (a newer version of Bezoar wrote this
 * store). */
bzr_status bzr__store_open(const bzr__store_options *options, bzr__store **ret, char message[BZR__STORE_MESSAGE]);
void bzr__store_close(bzr__store *store); /* NULL is a no-op */
/* Why the last call of this thread on any store failed; never NULL. */
const char *bzr__store_message(void);
/* "sqlite" or "postgresql". */
const char *bzr__store_backend(const bzr__store *store);
/* The time by the store's own clock. */
int64_t bzr__store_now(const bzr__store *store);

/* ---- events: the append-only, hash-chained audit log ------------------------------------------------------------- */

typedef struct bzr__event {
    int64_t seq, at;                           /* set by the store; `at` never decreases along the chain */
    bzr_str type, direction, channel, content; /* e.g. security_scan, inbound, internal, injection_detected */
    bzr_str url, pattern_matched, confidence, action, content_id, session_id;
    bzr_str details; /* a JSON object with what else belongs to it, or empty */
    bzr_str hash;    /* out only: 64 hex digits */
} bzr__event;

/* Events to look at; zero means any. Ranges are half-open. */
typedef struct bzr__event_filter {
    int64_t since, until, after_seq, before_seq;
    bzr_str type, action, session_id, content_id, url;
    bool newest_first;
    uint64_t limit; /* 0: 1000 */
} bzr__event_filter;

typedef bool (*bzr__event_fn)(void *ctx, const bzr__event *event);

/* Append all or none. Errors: BZR_E_ARG (details that are no JSON object). */
bzr_status bzr__store_events_append(bzr__store *store, const bzr__event *events, size_t n);
bzr_status bzr__store_events(bzr__store *store, const bzr__event_filter *filter, bzr__event_fn fn, void *ctx);
bzr_status bzr__store_events_count(bzr__store *store, const bzr__event_filter *filter, uint64_t *ret);
/* The bytes an event's hash covers after the hash before it: one JSON object, keys in fixed order, ASCII. */
void bzr__event_json(const bzr__event *event, bzr__buf *out);

typedef struct bzr__chain_head {
    int64_t seq;
    char hash[65];
} bzr__chain_head;

typedef struct bzr__audit_report {
    uint64_t checked;
    bool ok;
    int64_t bad_seq; /* where the chain first breaks */
    const char *why; /* "changed", "missing", "truncated", "not chained", "malformed", "anchor"; NULL when ok */
    bzr__chain_head head;
} bzr__audit_report;

/* Walk the whole chain. `anchor` (may be NULL) is a head noted down earlier, outside the store: it must still be in the
 * chain, which also catches an attacker who rewrote the log and its head. A broken chain is not an error: see
 * `ret->ok`. */
bzr_status bzr__store_audit_verify(bzr__store *store, const bzr__chain_head *anchor, bzr__audit_report *ret);
bzr_status bzr__store_audit_head(bzr__store *store, bzr__chain_head *ret);
/* Drop events older than `before`, keeping the hash the rest hangs on; the act is itself an event. */
bzr_status bzr__store_audit_purge(bzr__store *store, int64_t before, uint64_t *ret_removed);

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* A page as it was fetched, under the URL that was asked for: what is needed to answer for it again. */
typedef struct bzr__stored_page {
    bzr_str url, final_url;
    char content_id[24];    /* out */
    bzr_str etag, modified; /* what the server gave to ask again with, or empty */
    bzr_str judge;          /* what scanned it: a page that another one judged is not answered for again */
    bzr_str facts;          /* a JSON object of the caller */
    bool named;             /* fetched where only the user may lead */
    int64_t lifetime;       /* microseconds that the server gave it; -1: it did not say */
    int64_t fetched_at;     /* out */
    int64_t fresh_until;
} bzr__stored_page;

typedef struct bzr__content {
    char id[24];
    bzr_str url, domain;                                /* domain: the registrable one, or empty */
    bzr_str kind, title, session_id;                    /* kind: web, search, mcp, file, ... */
    bzr_str body;                                       /* in: all of it; out: as kept, only where asked for */
    bzr_str action, severity, completeness, confidence; /* as they stand in the verdict's JSON */
    bzr_str pattern_matched, findings;                  /* worst rule id; the findings as JSON */
    char digest[65];                                    /* out: SHA-256 of the kept body */
    uint64_t size, access_count;                        /* out: bytes before the cut */
    const bzr__stored_page *page; /* in: the fetch it came by, kept with it; or NULL */
    bool truncated, intact; /* out; intact: body and digest agree (only where the body was read) */
    int64_t stored_at, expires_at, accessed_at, released_at;
    const struct bzr__learning *learnings; /* in: what is learned from it, kept or lost with it */
    size_t learnings_n;
} bzr__content;

typedef bool (*bzr__content_fn)(void *ctx, const bzr__content *content);
typedef struct bzr__content_filter {
    bzr_str url, domain, action;
    bool expired_too;
    uint64_t limit; /* 0: 1000 */
} bzr__content_filter;

typedef enum bzr__reader { BZR__READER_USER, BZR__READER_MODEL } bzr__reader;

/* Keep contents, all or none, with their events, their learnings, the counters of their URL and domain and (where a
 * session is named) its reference. The same body at the same URL is one content, renewed. `ret_ids` gets n ids. */
bzr_status bzr__store_contents_put(bzr__store *store, const bzr__content *contents, size_t n, char (*ret_ids)[24]);
/* Look without leaving a trace. Errors: BZR_E_NOT_FOUND (also when expired). */
bzr_status bzr__store_content_get(bzr__store *store, bzr_str id, bool with_body, bzr__arena *arena, bzr__content *ret);
/* Read the body; marks content, source and session as accessed, with an event. Errors: BZR_E_NOT_FOUND, BZR_E_STATE (a
 * model asks for blocked content that no user released, or whose body no longer fits its digest). */
bzr_status bzr__store_content_read(bzr__store *store, bzr_str id, bzr__reader reader, bzr_str session_id,
                                   bzr__arena *arena, bzr__content *ret);
/* The user lets models read it. `digest` is that of what the user saw. Errors: BZR_E_NOT_FOUND, BZR_E_STATE (it is
 * other content now). */
bzr_status bzr__store_content_release(bzr__store *store, bzr_str id, bzr_str digest);
/* Newest first, without bodies. */
bzr_status bzr__store_contents(bzr__store *store, const bzr__content_filter *filter, bzr__content_fn fn, void *ctx);
/* Remove one. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__store_content_delete(bzr__store *store, bzr_str id);
/* Remove what has expired, and what is kept of sites and pages no longer. */
bzr_status bzr__store_contents_purge(bzr__store *store, uint64_t *ret_removed);

/* ---- pages and sites: what spares the web a request -------------------------------------------------------------- */

/* The page last fetched under this URL; `url` as in bzr__stored_page. Errors: BZR_E_NOT_FOUND (none, or its content has
 * expired). */
bzr_status bzr__store_page_get(bzr__store *store, bzr_str url, bzr__arena *arena, bzr__stored_page *ret);
/* The stored page was answered for again: the session's reference and an event. `renewed`: its server said that it is
 * still the same, so that validators and times are those of `page` and the content is kept as long as a new one. */
bzr_status bzr__store_page_again(bzr__store *store, const bzr__stored_page *page, bool renewed,
                                 const bzr__content *content, bzr_str session_id);
/* It may not be answered for again. */
bzr_status bzr__store_page_drop(bzr__store *store, bzr_str url);

/* What a site asks of robots. `state` is the caller's. */
typedef struct bzr__stored_site {
    bzr_str site, robots;
    int64_t state, until; /* `until`: when it must be asked again */
} bzr__stored_site;

/* Errors: BZR_E_NOT_FOUND (not known, or no longer). */
bzr_status bzr__store_site_get(bzr__store *store, bzr_str site, bzr__arena *arena, bzr__stored_site *ret);
bzr_status bzr__store_site_put(bzr__store *store, const bzr__stored_site *site);
/* Take the next turn at `host`, `gap` after the one before, whoever took it: `*ret_at` is when. Is that after `latest`,
 * no turn is taken. */
bzr_status bzr__store_visit(bzr__store *store, bzr_str host, int64_t gap, int64_t latest, int64_t *ret_at);
/* No turns before `until`. */
bzr_status bzr__store_visit_hold(bzr__store *store, bzr_str host, int64_t until);

/* ---- memories ---------------------------------------------------------------------------------------------------- */

typedef struct bzr__memory {
    bzr_str id, content, category, source, session_id;
    bzr_str parents; /* ids, separated by commas */
    bzr_provenance provenance;
    int64_t created_at, updated_at, revision;
    bzr_str sha256;
    bool intact;  /* the digest is that of the content: false where a row was written behind our back */
    double score; /* of a search, larger is better */
} bzr__memory;

typedef enum bzr__memory_act { BZR__MEMORY_ADD, BZR__MEMORY_UPDATE, BZR__MEMORY_DELETE } bzr__memory_act;

typedef struct bzr__memory_op {
    bzr__memory_act act;
    bzr__reader by;            /* a model can never raise the provenance of an entry */
    bzr_str id;                /* update, delete; add: empty for a new one */
    bzr_str content, category; /* update: category with p NULL leaves it */
    bzr_str source, session_id;
    bzr_provenance provenance; /* what the writer claims; the least trusted of it, the parents and (unless the user
                                  writes) the old row is what is stored */
    const bzr_str *parents;    /* add: ids this entry was derived from; each must exist */
    size_t parent_count;
    int64_t expect_revision; /* update, delete: only this revision; 0: any */
    int64_t at;              /* add: created at, for imports; 0: now */
} bzr__memory_op;

typedef struct bzr__memory_filter {
    bzr_str category, session_id;
    bzr_provenance at_most; /* BZR_EXTERNAL: only external entries; BZR_AGENT: agents', too; BZR_USER: all */
    uint64_t limit;         /* 0: all */
} bzr__memory_filter;

typedef bool (*bzr__memory_fn)(void *ctx, const bzr__memory *memory);

/* Apply all or none. On failure `*ret_failed` (may be NULL) is the index of the operation that could not be done.
 * `ret_ids` (may be NULL) gets n ids: those made here, "" where the operation named one. Errors: BZR_E_NOT_FOUND (entry
 * or parent), BZR_E_STATE (other revision, or an id that exists), BZR_E_ARG (empty content, a comma in an id). */
bzr_status bzr__store_memories_apply(bzr__store *store, const bzr__memory_op *ops, size_t n, char (*ret_ids)[24],
                                     size_t *ret_failed);
bzr_status bzr__store_memory_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__memory *ret);
/* In the order of their making: the same rows in the same order. */
bzr_status bzr__store_memories(bzr__store *store, const bzr__memory_filter *filter, bzr__memory_fn fn, void *ctx);
/* Full text, best first, ranked by BM25 (PostgreSQL: a like measure). Words are or-ed, or and-ed with `all_words`; any
 * query is only words. `limit` 0: 10. Nothing matches a query without words. What bounds the cost: the newest
 * 700 entries (PostgreSQL: 300) with any of the words and as many with all of them are ranked, and words that a fifth
 * of the entries have count only when there are no others. */
bzr_status bzr__store_memories_search(bzr__store *store, bzr_str query, bool all_words, uint64_t limit,
                                      bzr__memory_fn fn, void *ctx);

/* ---- sources ----------------------------------------------------------------------------------------------------- */

typedef struct bzr__source {
    bzr_str kind, name, domain; /* kind: "url" or "domain" */
    int64_t scan_count, blocked_count, warned_count, first_seen, last_scanned, last_accessed;
    double trust;
    const char *reputation; /* "trusted", "unknown", "suspicious" */
    bzr_str setting;        /* the user's, or empty */
} bzr__source;

typedef bool (*bzr__source_fn)(void *ctx, const bzr__source *source);
typedef struct bzr__source_filter {
    bzr_str kind, domain;
    uint64_t limit; /* 0: 1000 */
} bzr__source_filter;

/* Seed 004's formula: 1.0 - 0.5 x blocked - 0.1 x warned, not below 0.0. */
double bzr__source_trust(int64_t blocked, int64_t warned);
bzr_status bzr__store_source_get(bzr__store *store, bzr_str kind, bzr_str name, bzr__arena *arena, bzr__source *ret);
/* Most recently scanned first. */
bzr_status bzr__store_sources(bzr__store *store, const bzr__source_filter *filter, bzr__source_fn fn, void *ctx);

typedef struct bzr__setting {
    bzr_str kind, pattern, setting,
        note; /* kind: url, domain, pattern; setting: trusted, blocked, auto_confirm, default */
    int64_t set_at;
} bzr__setting;
typedef bool (*bzr__setting_fn)(void *ctx, const bzr__setting *setting);

/* Set, or with "default" remove, what the user says of a source. Errors: BZR_E_ARG (a kind or setting not listed). */
bzr_status bzr__store_setting_put(bzr__store *store, const bzr__setting *setting);
bzr_status bzr__store_settings(bzr__store *store, bzr__setting_fn fn, void *ctx);
/* What holds for this URL: the URL's own setting, else the longest pattern (`*` is any run of bytes; of
 * two as long, one that blocks), else the domain's. Empty when there is none. */
bzr_status bzr__store_setting_for(bzr__store *store, bzr_str url, bzr_str domain, bzr__arena *arena, bzr_str *ret);

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

typedef struct bzr__session {
    bzr_str id, agent, details; /* details: a JSON object, or empty */
    int64_t started_at, last_at;
} bzr__session;

typedef enum bzr__answer { BZR__UNANSWERED = -1, BZR__NO = 0, BZR__YES = 1 } bzr__answer;

typedef struct bzr__session_ref {
    bzr_str session_id, content_id, url, scan_result;
    bool was_acted_on;
    bzr__answer user_confirmed;
    int64_t accessed_at;
} bzr__session_ref;

typedef bool (*bzr__session_fn)(void *ctx, const bzr__session *session);
typedef bool (*bzr__session_ref_fn)(void *ctx, const bzr__session_ref *ref);

/* Begin a session or note that it goes on. */
bzr_status bzr__store_session_touch(bzr__store *store, const bzr__session *session);
bzr_status bzr__store_session_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__session *ret);
/* Last used first. `limit` 0: 1000. */
bzr_status bzr__store_sessions(bzr__store *store, uint64_t limit, bzr__session_fn fn, void *ctx);
/* Every content the session has seen, in the order of id: what a new process needs to go on. */
bzr_status bzr__store_session_refs(bzr__store *store, bzr_str session_id, bzr__session_ref_fn fn, void *ctx);
/* The session acted on a content, with the user's answer. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__store_session_acted(bzr__store *store, bzr_str session_id, bzr_str content_id, bzr__answer confirmed);

/* ---- learnings --------------------------------------------------------------------------------------------------- */

typedef struct bzr__learning {
    bzr_str id, category, content, source, pattern_type, domain, url; /* content: ours, never untrusted text */
    double relevance;
    int64_t first_at, last_at, reappeared_count;
} bzr__learning;
typedef bool (*bzr__learning_fn)(void *ctx, const bzr__learning *learning);

/* Remember, or count again, what is the same in category, pattern_type and domain. */
bzr_status bzr__store_learning_note(bzr__store *store, const bzr__learning *learning, char ret_id[24]);
/* Last seen first; `domain` empty: of all. `limit` 0: 1000. */
bzr_status bzr__store_learnings(bzr__store *store, bzr_str domain, uint64_t limit, bzr__learning_fn fn, void *ctx);

/* ---- confirmations ----------------------------------------------------------------------------------------------- */

typedef struct bzr__confirmation {
    char id[24];
    bzr_str session_id, tool, arguments; /* arguments: canonical JSON, exactly what will run */
    bzr_str content_ids, reasons;        /* content ids, sorted, separated by commas; reasons as JSON */
    char nonce[33], binding[65];
    int64_t created_at, expires_at, answered_at;
    bzr_str state; /* pending, approved, denied, used */
} bzr__confirmation;
typedef bool (*bzr__confirmation_fn)(void *ctx, const bzr__confirmation *confirmation);

/* Ask: id, nonce, binding and times are made here, `ttl` is in microseconds. `ret` (slices of `ask`) is what was kept.
 */
bzr_status bzr__store_confirmation_ask(bzr__store *store, const bzr__confirmation *ask, int64_t ttl,
                                       bzr__confirmation *ret);
bzr_status bzr__store_confirmation_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__confirmation *ret);
/* Newest first; `state` empty: all. `limit` 0: 1000. */
bzr_status bzr__store_confirmations(bzr__store *store, bzr_str state, uint64_t limit, bzr__confirmation_fn fn,
                                    void *ctx);
/* The user's answer, once. `binding` is that of the question the user saw. Errors: BZR_E_NOT_FOUND, BZR_E_STATE
 * (answered already, expired, or another question). */
bzr_status bzr__store_confirmation_answer(bzr__store *store, bzr_str id, bzr_str binding, bool approve);
/* Spend an approval, once, for exactly what was asked: id, session, tool, arguments, content_ids, nonce and expiry must
 * be those of the question. Errors: BZR_E_NOT_FOUND, BZR_E_STATE (not approved, spent, expired, or anything differs).
 */
bzr_status bzr__store_confirmation_use(bzr__store *store, const bzr__confirmation *act);

/* ---- tools: what MCP servers said their tools are ---------------------------------------------------------------- */

typedef struct bzr__tool {
    bzr_str server, name;
    bzr_str digest, definition;            /* as last seen: SHA-256 and canonical JSON */
    bzr_str body;                          /* SHA-256 without the names */
    bzr_str approved, approved_definition; /* what is trusted, by the user or since it was seen first; or empty */
    bool by_user;
    bzr_str state, why; /* trusted, held; why: ours, or empty */
    int64_t first_seen, last_seen;
} bzr__tool;
typedef bool (*bzr__tool_fn)(void *ctx, const bzr__tool *tool);

/* By server and name; `server` empty: of all. `limit` 0: 100,000. */
bzr_status bzr__store_tools(bzr__store *store, bzr_str server, uint64_t limit, bzr__tool_fn fn, void *ctx);
bzr_status bzr__store_tool_get(bzr__store *store, bzr_str server, bzr_str name, bzr__arena *arena, bzr__tool *ret);
/* Note tools as they are now, all or none, each with an event. A new one with the state trusted is approved as it is;
 * of a known one the approval stays, and what bears another digest is held, whatever `state` says. */
bzr_status bzr__store_tools_seen(bzr__store *store, const bzr__tool *tools, size_t n);
/* The user trusts the definition with this digest. Errors: BZR_E_NOT_FOUND, BZR_E_STATE (it is another one now). */
bzr_status bzr__store_tool_approve(bzr__store *store, bzr_str server, bzr_str name, bzr_str digest);
/* Forget one, or with an empty `name` all of the server. */
bzr_status bzr__store_tools_forget(bzr__store *store, bzr_str server, bzr_str name, uint64_t *ret_removed);

/* ---- the store itself -------------------------------------------------------------------------------------------- */

typedef struct bzr__store_stats {
    uint64_t total_contents, total_urls, accessed, blocked, warned, expired, body_bytes, packed_bytes;
    uint64_t memories, sources, settings, sessions, events, learnings, confirmations, pending;
    uint64_t version;
} bzr__store_stats;

bzr_status bzr__store_stats_get(bzr__store *store, bzr__store_stats *ret);
/* A consistent copy at `path`, which must not exist (0600). PostgreSQL: BZR_E_ARG, pg_dump does it. */
bzr_status bzr__store_backup(bzr__store *store, const char *path);
/* The backend's own check of its files. BZR_E_IO with what it found. */
bzr_status bzr__store_check(bzr__store *store);

#endif
