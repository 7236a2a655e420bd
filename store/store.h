/* store.h - what Toadstone remembers, as named operations; the one header that app/ includes.
 *
 * One schema lives in SQLite (a path) or PostgreSQL (a URI) and every operation behaves alike on both: operations are
 * written once over named statements (sql.def), a backend only runs them (backend.h).
 *
 * Invariants. Every write that matters is one transaction with its audit event: both are there or neither. Events form
 * one chain: each SHA-256 covers the one before, whoever wrote it. Nothing is scanned here and nothing read is
 * believed: rows may have been written behind our back, so readers get them as they stand, with `intact` telling
 * whether the digest still fits. Texts given in must be well-formed UTF-8 without NUL (TOAD_E_ARG); bodies are any
 * bytes.
 *
 * Slices in records given out live until the callback returns, or as long as the arena that was passed. Callbacks
 * return false to stop and must not call the store. Times are microseconds since 1970 UTC, 0 is never. Outputs
 * `ret_*`/`ret` are untouched on failure. After a failure toad__store_message tells what happened, in a sentence for
 * the user. Thread rule: any number of threads; a fork must open its own. Errors common to all: TOAD_E_NOMEM, TOAD_E_IO
 * (the system or the server refused), TOAD_E_ARG (text that is not UTF-8). */
#ifndef TOAD_STORE_STORE_H
#define TOAD_STORE_STORE_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "toadstone/memory.h"
#include "toadstone/types.h"

typedef struct toad__store toad__store;

/* Where time and chance come from; tests give their own. Both must be callable from any thread. */
typedef struct toad__store_host {
    int64_t (*now)(void *ctx);
    bool (*random)(void *ctx, void *p, size_t n);
    void *ctx;
} toad__store_host;

typedef struct toad__store_options {
    const char *where;            /* a path, "postgresql://..." or NULL: toad__store_default_path */
    const toad__store_host *host; /* NULL: the system's */
    uint64_t content_characters;  /* longer bodies are cut and marked; 0: 500,000 */
    int64_t content_ttl;          /* microseconds a content is kept; 0: 24 hours; negative: for ever */
    unsigned links;               /* connections at most; 0: 4 */
    unsigned busy_ms;             /* how long to wait for another writer; 0: 10,000 */
    bool brief; /* for a program of milliseconds: what it wrote survives it, but not a loss of power, and is tidied up
                   by others */
} toad__store_options;

#define TOAD__STORE_MESSAGE   512
#define TOAD__STORE_TRUNCATED "\n[content truncated...]"

/* Append $XDG_STATE_HOME/toadstone/store.db, or ~/.local/state/toadstone/store.db. Errors: TOAD_E_NOT_FOUND (no home).
 */
toad_status toad__store_default_path(toad__buf *path);
/* Open, creating what is missing (directories 0700, file 0600) and migrating an older store under a lock. `options`
 * NULL: all defaults. `message` gets the cause of a failure. Errors: TOAD_E_STATE (a newer version of Toadstone wrote
 * this store). */
toad_status toad__store_open(const toad__store_options *options, toad__store **ret, char message[TOAD__STORE_MESSAGE]);
void toad__store_close(toad__store *store); /* NULL is a no-op */
/* Why the last call of this thread on any store failed; never NULL. */
const char *toad__store_message(void);
/* "sqlite" or "postgresql". */
const char *toad__store_backend(const toad__store *store);
/* The time by the store's own clock. */
int64_t toad__store_now(const toad__store *store);

/* ---- events: the append-only, hash-chained audit log ------------------------------------------------------------- */

typedef struct toad__event {
    int64_t seq, at;                            /* set by the store; `at` never decreases along the chain */
    toad_str type, direction, channel, content; /* e.g. security_scan, inbound, internal, injection_detected */
    toad_str url, pattern_matched, confidence, action, content_id, session_id;
    toad_str details; /* a JSON object with what else belongs to it, or empty */
    toad_str hash;    /* out only: 64 hex digits */
} toad__event;

/* Events to look at; zero means any. Ranges are half-open. */
typedef struct toad__event_filter {
    int64_t since, until, after_seq, before_seq;
    toad_str type, action, session_id, content_id, url;
    bool newest_first;
    uint64_t limit; /* 0: 1000 */
} toad__event_filter;

typedef bool (*toad__event_fn)(void *ctx, const toad__event *event);

/* Append all or none. Errors: TOAD_E_ARG (details that are no JSON object). */
toad_status toad__store_events_append(toad__store *store, const toad__event *events, size_t n);
toad_status toad__store_events(toad__store *store, const toad__event_filter *filter, toad__event_fn fn, void *ctx);
toad_status toad__store_events_count(toad__store *store, const toad__event_filter *filter, uint64_t *ret);
/* The bytes an event's hash covers after the hash before it: one JSON object, keys in fixed order, ASCII. */
void toad__event_json(const toad__event *event, toad__buf *out);

typedef struct toad__chain_head {
    int64_t seq;
    char hash[65];
} toad__chain_head;

typedef struct toad__audit_report {
    uint64_t checked;
    bool ok;
    int64_t bad_seq; /* where the chain first breaks */
    const char *why; /* "changed", "missing", "truncated", "not chained", "malformed", "anchor"; NULL when ok */
    toad__chain_head head;
} toad__audit_report;

/* Walk the whole chain. `anchor` (may be NULL) is a head noted down earlier, outside the store: it must still be in the
 * chain, which also catches an attacker who rewrote the log and its head. A broken chain is not an error: see
 * `ret->ok`. */
toad_status toad__store_audit_verify(toad__store *store, const toad__chain_head *anchor, toad__audit_report *ret);
toad_status toad__store_audit_head(toad__store *store, toad__chain_head *ret);
/* Drop events older than `before`, keeping the hash the rest hangs on; the act is itself an event. */
toad_status toad__store_audit_purge(toad__store *store, int64_t before, uint64_t *ret_removed);

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* A page as it was fetched, under the URL that was asked for: what is needed to answer for it again. */
typedef struct toad__stored_page {
    toad_str url, final_url;
    char content_id[24];     /* out */
    toad_str etag, modified; /* what the server gave to ask again with, or empty */
    toad_str judge;          /* what scanned it: a page that another one judged is not answered for again */
    toad_str facts;          /* a JSON object of the caller */
    bool named;              /* fetched where only the user may lead */
    int64_t lifetime;        /* microseconds that the server gave it; -1: it did not say */
    int64_t fetched_at;      /* out */
    int64_t fresh_until;
} toad__stored_page;

typedef struct toad__content {
    char id[24];
    toad_str url, domain;                                /* domain: the registrable one, or empty */
    toad_str kind, title, session_id;                    /* kind: web, search, mcp, file, ... */
    toad_str body;                                       /* in: all of it; out: as kept, only where asked for */
    toad_str action, severity, completeness, confidence; /* as they stand in the verdict's JSON */
    toad_str pattern_matched, findings;                  /* worst rule id; the findings as JSON */
    char digest[65];                                     /* out: SHA-256 of the kept body */
    uint64_t size, access_count;                         /* out: bytes before the cut */
    const toad__stored_page *page;                       /* in: the fetch it came by, kept with it; or NULL */
    bool truncated, intact; /* out; intact: body and digest agree (only where the body was read) */
    int64_t stored_at, expires_at, accessed_at, released_at;
    const struct toad__learning *learnings; /* in: what is learned from it, kept or lost with it */
    size_t learnings_n;
} toad__content;

typedef bool (*toad__content_fn)(void *ctx, const toad__content *content);
typedef struct toad__content_filter {
    toad_str url, domain, action;
    bool expired_too;
    uint64_t limit; /* 0: 1000 */
} toad__content_filter;

typedef enum toad__reader { TOAD__READER_USER, TOAD__READER_MODEL } toad__reader;

/* Keep contents, all or none, with their events, their learnings, the counters of their URL and domain and (where a
 * session is named) its reference. The same body at the same URL is one content, renewed. `ret_ids` gets n ids. */
toad_status toad__store_contents_put(toad__store *store, const toad__content *contents, size_t n, char (*ret_ids)[24]);
/* Look without leaving a trace. Errors: TOAD_E_NOT_FOUND (also when expired). */
toad_status toad__store_content_get(toad__store *store, toad_str id, bool with_body, toad__arena *arena,
                                    toad__content *ret);
/* Read the body; marks content, source and session as accessed, with an event. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE
 * (a model asks for blocked content that no user released, or whose body no longer fits its digest). */
toad_status toad__store_content_read(toad__store *store, toad_str id, toad__reader reader, toad_str session_id,
                                     toad__arena *arena, toad__content *ret);
/* The user lets models read it. `digest` is that of what the user saw. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE (it is
 * other content now). */
toad_status toad__store_content_release(toad__store *store, toad_str id, toad_str digest);
/* The id that begins so, as people copy them: with `fetch_` or without, 4 digits at least. Errors: TOAD_E_NOT_FOUND,
 * TOAD_E_ARG (more than one). */
toad_status toad__store_content_find(toad__store *store, toad_str prefix, char ret[24]);
/* Newest first, without bodies. */
toad_status toad__store_contents(toad__store *store, const toad__content_filter *filter, toad__content_fn fn,
                                 void *ctx);
/* Remove one. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__store_content_delete(toad__store *store, toad_str id);
/* Remove what has expired, and what is kept of sites and pages no longer. */
toad_status toad__store_contents_purge(toad__store *store, uint64_t *ret_removed);

/* ---- pages and sites: what spares the web a request -------------------------------------------------------------- */

/* The page last fetched under this URL; `url` as in toad__stored_page. Errors: TOAD_E_NOT_FOUND (none, or its content
 * has expired). */
toad_status toad__store_page_get(toad__store *store, toad_str url, toad__arena *arena, toad__stored_page *ret);
/* The stored page was answered for again: the session's reference and an event. `renewed`: its server said that it is
 * still the same, so that validators and times are those of `page` and the content is kept as long as a new one. */
toad_status toad__store_page_again(toad__store *store, const toad__stored_page *page, bool renewed,
                                   const toad__content *content, toad_str session_id);
/* It may not be answered for again. */
toad_status toad__store_page_drop(toad__store *store, toad_str url);

/* What a site asks of robots. `state` is the caller's. */
typedef struct toad__stored_site {
    toad_str site, robots;
    int64_t state, until; /* `until`: when it must be asked again */
} toad__stored_site;

/* Errors: TOAD_E_NOT_FOUND (not known, or no longer). */
toad_status toad__store_site_get(toad__store *store, toad_str site, toad__arena *arena, toad__stored_site *ret);
toad_status toad__store_site_put(toad__store *store, const toad__stored_site *site);
/* Take the next turn at `host`, `gap` after the one before, whoever took it: `*ret_at` is when. Is that after `latest`,
 * no turn is taken. */
toad_status toad__store_visit(toad__store *store, toad_str host, int64_t gap, int64_t latest, int64_t *ret_at);
/* No turns before `until`. */
toad_status toad__store_visit_hold(toad__store *store, toad_str host, int64_t until);

/* ---- memories ---------------------------------------------------------------------------------------------------- */

typedef struct toad__memory {
    toad_str id, content, category, source, session_id;
    toad_str parents; /* ids, separated by commas */
    toad_provenance provenance;
    int64_t created_at, updated_at, revision;
    toad_str sha256;
    bool intact;  /* the digest is that of the content: false where a row was written behind our back */
    double score; /* of a search, larger is better */
} toad__memory;

typedef enum toad__memory_act { TOAD__MEMORY_ADD, TOAD__MEMORY_UPDATE, TOAD__MEMORY_DELETE } toad__memory_act;

typedef struct toad__memory_op {
    toad__memory_act act;
    toad__reader by;            /* a model can never raise the provenance of an entry */
    toad_str id;                /* update, delete; add: empty for a new one */
    toad_str content, category; /* update: category with p NULL leaves it */
    toad_str source, session_id;
    toad_provenance provenance; /* what the writer claims; the least trusted of it, the parents and (unless the user
                                  writes) the old row is what is stored */
    const toad_str *parents;    /* add: ids this entry was derived from; each must exist */
    size_t parent_count;
    int64_t expect_revision; /* update, delete: only this revision; 0: any */
    int64_t at;              /* add: created at, for imports; 0: now */
} toad__memory_op;

typedef struct toad__memory_filter {
    toad_str category, session_id;
    toad_provenance at_most; /* TOAD_EXTERNAL: only external entries; TOAD_AGENT: agents', too; TOAD_USER: all */
    uint64_t limit;          /* 0: all */
} toad__memory_filter;

typedef bool (*toad__memory_fn)(void *ctx, const toad__memory *memory);

/* May an entry be called so? 1 to 64 of [A-Za-z0-9._:-]. */
bool toad__store_is_memory_id(toad_str id);

typedef struct toad__memory_made {
    char id[24];                /* made here; "" where the operation named one */
    toad_provenance provenance; /* what was stored: the operation's, joined with what it was made from */
} toad__memory_made;

/* Apply all or none. On failure `*ret_failed` (may be NULL) is the index of the operation that could not be done.
 * `ret` (may be NULL) gets n of what became of them. A row whose digest does not fit counts as external, whatever it
 * says. Errors: TOAD_E_NOT_FOUND (entry or parent), TOAD_E_STATE (other revision, or an id that exists), TOAD_E_ARG
 * (empty content, an id that is none). */
toad_status toad__store_memories_apply(toad__store *store, const toad__memory_op *ops, size_t n, toad__memory_made *ret,
                                       size_t *ret_failed);
toad_status toad__store_memory_get(toad__store *store, toad_str id, toad__arena *arena, toad__memory *ret);
/* In the order of their making: the same rows in the same order. */
toad_status toad__store_memories(toad__store *store, const toad__memory_filter *filter, toad__memory_fn fn, void *ctx);
/* Full text, best first, ranked by BM25 (PostgreSQL: a like measure). Words are or-ed, or and-ed with `all_words`; any
 * query is only words. `limit` 0: 10. Nothing matches a query without words. What bounds the cost: the newest
 * 700 entries (PostgreSQL: 300) with any of the words and as many with all of them are ranked, and words that a fifth
 * of the entries have count only when there are no others. */
toad_status toad__store_memories_search(toad__store *store, toad_str query, bool all_words, uint64_t limit,
                                        toad__memory_fn fn, void *ctx);

/* ---- snapshots: the memory a session was given ------------------------------------------------------------------- */

typedef struct toad__snapshot {
    toad_str text;
    int64_t entries, external, blocked;
    bool intact; /* out: the text is what was kept. If not, a foreign hand wrote it */
} toad__snapshot;

/* `shape`: which memories, in which envelope. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__store_snapshot_get(toad__store *store, toad_str session, toad_str shape, toad__arena *arena,
                                     toad__snapshot *ret);
/* Keep it, where there is none, or only one with the text `instead`: of two who do so at once, one wins. */
toad_status toad__store_snapshot_put(toad__store *store, toad_str session, toad_str shape,
                                     const toad__snapshot *snapshot, toad_str instead);

/* ---- sources ----------------------------------------------------------------------------------------------------- */

typedef struct toad__source {
    toad_str kind, name, domain; /* kind: "url" or "domain" */
    int64_t scan_count, blocked_count, warned_count, first_seen, last_scanned, last_accessed;
    double trust;
    const char *reputation; /* "trusted", "unknown", "suspicious" */
    toad_str setting;       /* the user's, or empty */
} toad__source;

typedef bool (*toad__source_fn)(void *ctx, const toad__source *source);
typedef struct toad__source_filter {
    toad_str kind, domain;
    uint64_t limit; /* 0: 1000 */
} toad__source_filter;

/* 1.0 - 0.5 x blocked - 0.1 x warned, not below 0.0. */
double toad__source_trust(int64_t blocked, int64_t warned);
toad_status toad__store_source_get(toad__store *store, toad_str kind, toad_str name, toad__arena *arena,
                                   toad__source *ret);
/* Most recently scanned first. */
toad_status toad__store_sources(toad__store *store, const toad__source_filter *filter, toad__source_fn fn, void *ctx);

typedef struct toad__setting {
    toad_str kind, pattern, setting,
        note; /* kind: url, domain, pattern; setting: trusted, blocked, auto_confirm, default */
    int64_t set_at;
} toad__setting;
typedef bool (*toad__setting_fn)(void *ctx, const toad__setting *setting);

/* Set, or with "default" remove, what the user says of a source. Errors: TOAD_E_ARG (a kind or setting not listed). */
toad_status toad__store_setting_put(toad__store *store, const toad__setting *setting);
toad_status toad__store_settings(toad__store *store, toad__setting_fn fn, void *ctx);
/* What holds for this URL: the URL's own setting, else the longest pattern (`*` is any run of bytes; of
 * two as long, one that blocks), else the domain's. Empty when there is none. */
toad_status toad__store_setting_for(toad__store *store, toad_str url, toad_str domain, toad__arena *arena,
                                    toad_str *ret);

/* ---- the user's token -------------------------------------------------------------------------------------------- */

/* The SHA-256, in hex, of what a script of the user's shows in his place; empty: there is none. */
toad_status toad__store_token(toad__store *store, char ret[65]);
/* Empty: none holds any more. */
toad_status toad__store_token_put(toad__store *store, const char *digest);

/* ---- exceptions: alarms that the user knows to be false -----------------------------------------------------------
 */

/* What does not count, there and until then: what this rule finds, or anything in just these bytes. */
typedef struct toad__exception {
    char id[24];            /* out of a put */
    toad_str at;            /* a URL, a domain, mcp:SERVER/TOOL, mcp:SERVER */
    toad_str rule, digest;  /* one of them; digest: the SHA-256 of a content */
    toad_str note;          /* the user's words, or empty */
    int64_t made_at, until; /* until: INT64_MAX for good */
} toad__exception;
typedef bool (*toad__exception_fn)(void *ctx, const toad__exception *exception);

/* Add all or none; one for the same at the same place is replaced. `released`: a content that comes with them and is
 * held again when one of them is taken back; or NULL. Errors: TOAD_E_ARG. */
toad_status toad__store_exceptions_put(toad__store *store, toad__exception *list, size_t n,
                                       const toad__content *released);
/* All, oldest first, those that are over included. */
toad_status toad__store_exceptions(toad__store *store, toad__exception_fn fn, void *ctx);
/* Those that hold now at this URL or this domain. */
toad_status toad__store_exceptions_for(toad__store *store, toad_str url, toad_str domain, toad__exception_fn fn,
                                       void *ctx);
/* Errors: TOAD_E_NOT_FOUND. */
toad_status toad__store_exception_get(toad__store *store, toad_str id, toad__arena *arena, toad__exception *ret);
/* Take it back, with the release that came with it. */
toad_status toad__store_exception_drop(toad__store *store, const toad__exception *exception);

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

typedef struct toad__session {
    toad_str id, agent, details; /* details: a JSON object, or empty */
    int64_t started_at, last_at;
} toad__session;

typedef enum toad__confirmed { TOAD__UNANSWERED = -1, TOAD__NO = 0, TOAD__YES = 1 } toad__confirmed;

/* Begins the content_id of an entry of memory, before its id. */
#define TOAD__MEMORY_REF "memory:"

typedef struct toad__session_ref {
    toad_str session_id, content_id, url, scan_result;
    bool was_acted_on;
    toad__confirmed user_confirmed;
    int64_t accessed_at;
} toad__session_ref;

typedef bool (*toad__session_fn)(void *ctx, const toad__session *session);
typedef bool (*toad__session_ref_fn)(void *ctx, const toad__session_ref *ref);

/* Begin a session or note that it goes on. */
toad_status toad__store_session_touch(toad__store *store, const toad__session *session);
toad_status toad__store_session_get(toad__store *store, toad_str id, toad__arena *arena, toad__session *ret);
/* Last used first. `limit` 0: 1000. */
toad_status toad__store_sessions(toad__store *store, uint64_t limit, toad__session_fn fn, void *ctx);
/* Every content the session has seen, in the order of id: what a new process needs to go on. */
toad_status toad__store_session_refs(toad__store *store, toad_str session_id, toad__session_ref_fn fn, void *ctx);
/* The session has read what is no content, one reference each (content_id, url, scan_result), with one event. */
toad_status toad__store_session_saw(toad__store *store, toad_str session_id, const toad__session_ref *refs, size_t n);
/* The session acted on a content, with the user's answer. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__store_session_acted(toad__store *store, toad_str session_id, toad_str content_id,
                                      toad__confirmed confirmed);

#define TOAD__ALIAS_KEPT INT64_C(2592000000000) /* microseconds: 30 days; no session lives longer */

/* Other names of a session, by which what does not know its id finds it: the agent's own id, the process that started
 * it. The latest session of a name counts. */
toad_status toad__store_alias_put(toad__store *store, toad_str alias, toad_str session_id);
/* Errors: TOAD_E_NOT_FOUND. */
toad_status toad__store_alias_get(toad__store *store, toad_str alias, toad__arena *arena, toad_str *ret);

/* ---- turns: what was said and read in a session ----------------------------------------------------------------- */

#define TOAD__TURNS_KEPT INT64_C(86400000000) /* microseconds */
#define TOAD__TURN_TEXT  ((size_t)64 << 10)   /* bytes that are worth keeping of one */

/* Without a tool: the user said `text`. Else the tool was called with `text`, its arguments as JSON, and gave the
 * content `content_id`. */
typedef struct toad__turn {
    toad_str tool, text, content_id;
    int64_t at;
} toad__turn;
typedef bool (*toad__turn_fn)(void *ctx, const toad__turn *turn);

/* Note one, and drop those that are too old. */
toad_status toad__store_turn_add(toad__store *store, toad_str session_id, const toad__turn *turn);
/* The latest first. `limit` 0: 1000. */
toad_status toad__store_turns(toad__store *store, toad_str session_id, uint64_t limit, toad__turn_fn fn, void *ctx);

/* ---- learnings --------------------------------------------------------------------------------------------------- */

typedef struct toad__learning {
    toad_str id, category, content, source, pattern_type, domain, url; /* content: ours, never untrusted text */
    double relevance;
    int64_t first_at, last_at, reappeared_count;
} toad__learning;
typedef bool (*toad__learning_fn)(void *ctx, const toad__learning *learning);

/* Remember, or count again, what is the same in category, pattern_type and domain. */
toad_status toad__store_learning_note(toad__store *store, const toad__learning *learning, char ret_id[24]);
/* Last seen first; `domain` empty: of all. `limit` 0: 1000. */
toad_status toad__store_learnings(toad__store *store, toad_str domain, uint64_t limit, toad__learning_fn fn, void *ctx);

/* ---- confirmations ----------------------------------------------------------------------------------------------- */

typedef struct toad__confirmation {
    char id[24];
    toad_str session_id, tool, arguments; /* arguments: canonical JSON, exactly what will run */
    toad_str content_ids, reasons;        /* content ids, sorted, separated by commas; reasons as JSON */
    char nonce[33], binding[65];
    int64_t created_at, expires_at, answered_at;
    toad_str state; /* pending, approved, denied, used; pending with answered_at: a client sent it back */
} toad__confirmation;
typedef bool (*toad__confirmation_fn)(void *ctx, const toad__confirmation *confirmation);

/* Ask: id, nonce, binding and times are made here, `ttl` is in microseconds. `ret` (slices of `ask`) is what was kept.
 */
toad_status toad__store_confirmation_ask(toad__store *store, const toad__confirmation *ask, int64_t ttl,
                                         toad__confirmation *ret);
toad_status toad__store_confirmation_get(toad__store *store, toad_str id, toad__arena *arena, toad__confirmation *ret);
/* Newest first; `state` empty: all. `limit` 0: 1000. */
toad_status toad__store_confirmations(toad__store *store, toad_str state, uint64_t limit, toad__confirmation_fn fn,
                                      void *ctx);
/* The user's answer, once. `binding` is that of the question the user saw. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE
 * (answered already, expired, or another question). */
toad_status toad__store_confirmation_answer(toad__store *store, toad_str id, toad_str binding, bool approve);
/* A client sent the question back unanswered: it stays open. Errors: as above. */
toad_status toad__store_confirmation_dismiss(toad__store *store, toad_str id);
/* The agent asked in a dialog of its own, the user said yes, and it is done. Errors: as above. */
toad_status toad__store_confirmation_done(toad__store *store, toad_str id);
/* The user takes an approval back, spent or not: it is a no. Errors: as above. */
toad_status toad__store_confirmation_revoke(toad__store *store, toad_str id);
/* Spend an approval, once, for exactly what was asked: id, session, tool, arguments, content_ids, nonce and expiry must
 * be those of the question. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE (not approved, spent, expired, or anything differs).
 */
toad_status toad__store_confirmation_use(toad__store *store, const toad__confirmation *act);

/* ---- tools: what MCP servers said their tools are ---------------------------------------------------------------- */

typedef struct toad__tool {
    toad_str server, name;
    toad_str digest, definition;            /* as last seen: SHA-256 and canonical JSON */
    toad_str body;                          /* SHA-256 without the names */
    toad_str approved, approved_definition; /* what is trusted, by the user or since it was seen first; or empty */
    bool by_user;
    toad_str state, why; /* trusted, held; why: ours, or empty */
    int64_t first_seen, last_seen;
} toad__tool;
typedef bool (*toad__tool_fn)(void *ctx, const toad__tool *tool);

/* By server and name; `server` empty: of all. `limit` 0: 100,000. */
toad_status toad__store_tools(toad__store *store, toad_str server, uint64_t limit, toad__tool_fn fn, void *ctx);
toad_status toad__store_tool_get(toad__store *store, toad_str server, toad_str name, toad__arena *arena,
                                 toad__tool *ret);
/* Note tools as they are now, all or none, each with an event. A new one with the state trusted is approved as it is;
 * of a known one the approval stays, and what bears another digest is held, whatever `state` says. */
toad_status toad__store_tools_seen(toad__store *store, const toad__tool *tools, size_t n);
/* The user trusts the definition with this digest. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE (it is another one now). */
toad_status toad__store_tool_approve(toad__store *store, toad_str server, toad_str name, toad_str digest);
/* Forget one, or with an empty `name` all of the server. */
toad_status toad__store_tools_forget(toad__store *store, toad_str server, toad_str name, uint64_t *ret_removed);

/* ---- the store itself -------------------------------------------------------------------------------------------- */

typedef struct toad__store_stats {
    uint64_t total_contents, total_urls, accessed, blocked, warned, expired, body_bytes, packed_bytes;
    uint64_t memories, sources, settings, sessions, events, learnings, confirmations, pending;
    uint64_t applied, skipped; /* confirmations that a user answered so */
    uint64_t version;
} toad__store_stats;

toad_status toad__store_stats_get(toad__store *store, toad__store_stats *ret);
/* A consistent copy at `path`, which must not exist (0600). PostgreSQL: TOAD_E_ARG, pg_dump does it. */
toad_status toad__store_backup(toad__store *store, const char *path);
/* The backend's own check of its files. TOAD_E_IO with what it found. */
toad_status toad__store_check(toad__store *store);

#endif
