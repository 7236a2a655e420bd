/* config.h - what the user has decided, from where.
 *
 * Layers, later ones over earlier ones: built-in, /etc/toadstone/config.yaml, $XDG_CONFIG_HOME/toadstone/config.yaml,
 * the project's .toadstone.yaml (up to the root of the repository), TOADSTONE_* in the environment, flags. A project's
 * file came with somebody's repository, so it may only tighten: keys that have no tighter end are not for it, and a
 * looser value than what holds is a mistake. Reading never stops at the first mistake: each is kept with file, line and
 * key, and a value with a mistake changes nothing. All text lives as long as the config. Thread rule: one thread at a
 * time; once read, any. */
#ifndef TOAD_APP_CONFIG_H
#define TOAD_APP_CONFIG_H

#include "lib/base/buf.h"

#define TOAD__CONFIG_FILE     ((size_t)1 << 20) /* bytes of one file */
#define TOAD__CONFIG_MISTAKES 100               /* of one file; then it is read no further */

/* X(id, name, type, words or NULL, default, project, help). Words go from loose to tight. */
#define TOAD__CONFIG_KEYS(X)                                                                                           \
    X(ISOLATION, "security.web_content_isolation", FLAG, "false true", "true", TIGHTEN,                                \
      "web content reaches an agent as a reference, not inline")                                                       \
    X(CONFIRM, "security.require_confirmation", FLAG, "false true", "true", TIGHTEN,                                   \
      "acts that follow from external content are asked about")                                                        \
    X(AUTO_BLOCK, "security.auto_block_high_confidence", FLAG, "false true", "true", TIGHTEN,                          \
      "content with a high finding is blocked")                                                                        \
    X(CONFIRM_ON, "security.confirm_on", WORD, "overlap taint", "taint", TIGHTEN,                                      \
      "taint: once a session has read external content; overlap: only what comes from it")                             \
    X(CONFIRM_TTL, "security.confirmation_ttl", SPAN, "1m 24h", "15m", SHORTER,                                        \
      "how long a question and its approval live, 1m to 24h")                                                          \
    X(STORE_ERROR, "on_store_error", WORD, "degrade auto block", "auto", TIGHTEN,                                      \
      "if the store fails: block, degrade (wrap inline, log to standard error), or auto: block what is blocked, else " \
      "degrade")                                                                                                       \
    X(STORE, "store.where", TEXT, NULL, "", NEVER, "a file, or postgresql://...; empty: the user's own")               \
    X(CONTENT_TTL, "store.content_ttl", SPAN, "1m never", "24h", NEVER,                                                \
      "how long fetched content is kept, or never to let it expire")                                                   \
    X(CONTENT_SIZE, "store.content_characters", COUNT, "1000 10000000", "500000", NEVER,                               \
      "characters kept of one content")                                                                                \
    X(SCOPE, "scan.scope", WORD, "relaxed strict", "relaxed", TIGHTEN,                                                 \
      "strict adds the rules for memory and instructions")                                                             \
    X(FAIL_ON, "scan.fail_on", WORD, "none high medium low", "medium", TIGHTEN,                                        \
      "least severity that gives exit status 1")                                                                       \
    X(RULES, "scan.rules", LIST, NULL, "", NEVER, "rule files loaded over the built-in rules")                         \
    X(MODEL, "scan.model", TEXT, NULL, "", NEVER,                                                                      \
      "weights of the learned model; none: without it; empty: the built-in ones")                                      \
    X(FETCH_PORTS, "fetch.ports", LIST, "1 65535", "", NEVER,                                                          \
      "ports that pages may be fetched from, beside 80, 443 and, with TLS, 8443")                                      \
    X(FETCH_FRESH, "fetch.fresh_for", SPAN, "0s 24h", "5m", NEVER,                                                     \
      "how long a page is answered for from the store where its server does not say, 0s to 24h")                       \
    X(FETCH_GAP, "fetch.gap", SPAN, "0s 1h", "1s", NEVER,                                                              \
      "least time between two requests to one host, 0s to 1h; hosts of your own that you allow are not counted")       \
    X(ENVELOPE, "envelope", WORD, "openclaw ptc external_content untrusted_tool_result memories spotlight",            \
      "openclaw", NEVER, "which envelope untrusted text is put in")                                                    \
    X(SEARCH_PROVIDER, "search.provider", WORD, "duckduckgo searxng brave tavily", "duckduckgo", NEVER,                \
      "which service web searches ask")                                                                                \
    X(SEARCH_DUCKDUCKGO, "search.duckduckgo_url", TEXT, NULL, "", NEVER, "ask there; empty: its own page")             \
    X(SEARCH_SEARXNG, "search.searxng_url", TEXT, NULL, "", NEVER, "your SearXNG, as http://127.0.0.1:8888/search")    \
    X(SEARCH_BRAVE, "search.brave_url", TEXT, NULL, "", NEVER, "ask there; empty: its own interface")                  \
    X(SEARCH_BRAVE_KEY, "search.brave_key_file", TEXT, NULL, "", NEVER,                                                \
      "a file with the key of Brave, unless BRAVE_API_KEY is set")                                                     \
    X(SEARCH_TAVILY, "search.tavily_url", TEXT, NULL, "", NEVER, "ask there; empty: its own interface")                \
    X(SEARCH_TAVILY_KEY, "search.tavily_key_file", TEXT, NULL, "", NEVER,                                              \
      "a file with the key of Tavily, unless TAVILY_API_KEY is set")

typedef enum toad__config_key {
#define X(id, name, type, words, value, project, help) TOAD__CONFIG_##id,
    TOAD__CONFIG_KEYS(X)
#undef X
        TOAD__CONFIG_POLICY, /* the first of the policy's keys, see policy.h: policy.SOURCE.CASE */
} toad__config_key;

typedef enum toad__layer {
    TOAD__LAYER_BUILTIN,
    TOAD__LAYER_SYSTEM,
    TOAD__LAYER_USER,
    TOAD__LAYER_PROJECT,
    TOAD__LAYER_ENVIRONMENT,
    TOAD__LAYER_FLAG
} toad__layer;

typedef struct toad__mistake {
    toad__layer layer;
    const char *file;          /* or "environment", "flag"; as given, to be escaped when printed */
    size_t line;               /* 0: none */
    const char *key, *message; /* escaped: safe to print */
} toad__mistake;

typedef struct toad__config toad__config;

/* With the built-in values. Errors: TOAD_E_NOMEM. */
toad_status toad__config_new(toad__config **ret);
void toad__config_free(toad__config *c); /* NULL is a no-op */
/* Read the bytes of a file. Mistakes are no error. Errors of all: TOAD_E_NOMEM. */
toad_status toad__config_add_yaml(toad__config *c, toad__layer layer, const char *file, toad_str yaml);
/* The same from disk. One that does not exist is passed over when `optional`; a project's must be a regular file. */
toad_status toad__config_add_file(toad__config *c, toad__layer layer, const char *path, bool optional);
/* TOADSTONE_SECURITY_REQUIRE_CONFIRMATION=false and the like; TOADSTONE_STORE is store.where. `environment` as
 * environ(7). */
toad_status toad__config_add_environment(toad__config *c, char *const *environment);
/* A flag of the command line; `origin` is its name. */
toad_status toad__config_add_flag(toad__config *c, const char *origin, const char *key, const char *value);
/* All files that there are, and the environment. */
toad_status toad__config_load(toad__config *c);

size_t toad__config_mistakes(const toad__config *c);
const toad__mistake *toad__config_mistake(const toad__config *c, size_t i);

bool toad__config_flag(const toad__config *c, toad__config_key key);
/* WORD: its place among the words. COUNT: the number. SPAN: microseconds, -1 for never. */
int64_t toad__config_number(const toad__config *c, toad__config_key key);
const char *toad__config_text(const toad__config *c, toad__config_key key);
/* NULL where nobody but us set it. */
const char *toad__config_origin(const toad__config *c, size_t key);
size_t toad__config_list(const toad__config *c, toad__config_key key, const char *const **ret);

/* Append all values as YAML that a file may hold, with where each comes from behind it when `origin`; or as JSON:
 * {"keys":[{"key","value","origin","help"}]}. Passwords in URIs are left out. */
void toad__config_yaml(const toad__config *c, bool origin, toad__buf *out);
void toad__config_json(const toad__config *c, toad__buf *out);

#endif
