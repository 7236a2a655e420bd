/* args.c - getopt_long fed from the tables, and what each option sets.
 *
 * Messages name the option as it was typed and end with the way to help: a wrong call should never need a second guess.
 */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#define OPTIONS_MAX 32

static bool word(const char *value, const char *const *names, size_t n, int *ret) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(value, names[i])) continue;
        *ret = (int)i;
        return true;
    }
    return false;
}

static bool number(const char *value, uint64_t least, uint64_t most, uint64_t *ret) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 10);
    if (errno || !toad__is_digit((unsigned char)*value) || v < least) return false;
    uint64_t unit = *end == 'k' || *end == 'K'   ? 1024
                    : *end == 'm' || *end == 'M' ? 1024 * 1024
                    : *end == 'g' || *end == 'G' ? 1u << 30
                                                 : 1;
    if (unit > 1) end++;
    if (*end || v > most / unit) return false;
    *ret = v * unit;
    return true;
}

static bool set_recursive(args *a, const char *v) {
    (void)v;
    return a->recursive = true;
}
static bool set_no_ignore(args *a, const char *v) {
    (void)v;
    return a->no_ignore = true;
}
static bool set_jsonl(args *a, const char *v) {
    (void)v;
    return a->jsonl = true;
}
static bool set_json(args *a, const char *v) {
    (void)v;
    return a->json = true;
}
static bool set_list(args *a, const char *v) {
    (void)v;
    return a->list = true;
}
static bool set_verbose(args *a, const char *v) {
    (void)v;
    return a->verbose = true;
}
static bool set_quiet(args *a, const char *v) {
    (void)v;
    return a->quiet = true;
}
static bool set_preamble(args *a, const char *v) {
    (void)v;
    return a->preamble = true;
}
static bool set_man(args *a, const char *v) {
    (void)v;
    return a->man = true;
}
static bool set_help(args *a, const char *v) {
    (void)v;
    return a->help = true;
}
static bool set_envelope(args *a, const char *v) {
    return a->has_envelope = toad_envelope_parse(toad__str_z(v), &a->envelope);
}
static bool set_source(args *a, const char *v) { return (a->source = v) != NULL; }
static bool set_notice(args *a, const char *v) { return toad_notice_parse(toad__str_z(v), &a->notice); }
static bool set_spotlight(args *a, const char *v) { return toad_spotlight_parse(toad__str_z(v), &a->spotlight); }
static bool set_sender(args *a, const char *v) { return (a->sender = v) != NULL; }
static bool set_subject(args *a, const char *v) { return (a->subject = v) != NULL; }
static bool set_raw(args *a, const char *v) {
    (void)v;
    return a->raw = true;
}
static bool set_quote_lines(args *a, const char *v) {
    (void)v;
    return a->quote_lines = true;
}
static bool set_id(args *a, const char *v) { return (a->id = v) != NULL; }
static bool set_kind(args *a, const char *v) { return a->has_kind = toad_kind_parse(toad__str_z(v), &a->kind); }
static bool set_model(args *a, const char *v) { return (a->model = v) != NULL; }
static bool set_scope(args *a, const char *v) { return a->has_scope = toad_scope_parse(toad__str_z(v), &a->scope); }
static bool set_fail_on(args *a, const char *v) {
    return a->has_fail_on = toad_severity_parse(toad__str_z(v), &a->fail_on);
}
static bool set_max_bytes(args *a, const char *v) {
    return a->has_max_bytes = number(v, 1, UINT64_MAX / 2, &a->max_bytes);
}

static bool set_start(args *a, const char *v) { return number(v, 0, UINT64_MAX / 2, &a->start); }
static bool set_max(args *a, const char *v) { return number(v, 1, UINT64_MAX / 2, &a->max); }

static bool set_color(args *a, const char *v) {
    static const char *const names[] = { "auto", "always", "never" };
    int i;
    a->color = v;
    return word(v, names, 3, &i);
}

static bool set_format(args *a, const char *v) {
    static const char *const names[] = { "text", "json", "jsonl", "sarif" };
    int i;
    bool ok = word(v, names, 4, &i);
    if (ok) a->format = (cli_format)i;
    return ok;
}

static bool set_source_format(args *a, const char *v) {
    static const char *const names[] = { "auto", "html", "markdown" };
    int i;
    bool ok = word(v, names, 3, &i);
    if (ok) a->source_format = (toad_format)i;
    return ok;
}

static bool set_render(args *a, const char *v) {
    static const char *const names[] = { "raw", "text", "markdown" };
    int i;
    bool ok = word(v, names, 3, &i);
    if (ok) a->render = (toad_render)i;
    return a->has_render = ok;
}

static bool set_jobs(args *a, const char *v) {
    uint64_t n;
    bool ok = number(v, 1, 256, &n);
    if (ok) a->jobs = (unsigned)n;
    return ok;
}

static bool set_by(args *a, const char *v) {
    static const char *const names[] = { "dataset", "subset", "kind", "rule" };
    int i;
    a->by = v;
    return word(v, names, 4, &i);
}

static bool set_worst(args *a, const char *v) {
    uint64_t n;
    bool ok = number(v, 0, 1000, &n);
    if (ok) a->worst = (size_t)n;
    return ok;
}

static bool set_compare(args *a, const char *v) { return (a->compare = v) != NULL; }

static bool set_save(args *a, const char *v) { return (a->save = v) != NULL; }

static bool fraction(const char *v, double *ret) {
    char *end;
    double x = strtod(v, &end);
    bool ok = toad__is_digit((unsigned char)*v) && !*end && x >= 0 && x <= 1;
    if (ok) *ret = x;
    return ok;
}
static bool set_min_recall(args *a, const char *v) { return fraction(v, &a->min_recall); }
static bool set_max_false_flags(args *a, const char *v) { return fraction(v, &a->max_false_flags); }

static bool append(const char ***list, size_t *n, const char *v) {
    const char **longer = realloc(*list, (*n + 1) * sizeof *longer);
    if (!longer) return false;
    *list = longer;
    longer[(*n)++] = v;
    return true;
}

static bool add_kind_of(args *a, const char *v) {
    const char *equals = strrchr(v, '=');
    toad_kind kind;
    return equals && toad_kind_parse(toad__str_z(equals + 1), &kind) && append(&a->kind_of, &a->kind_of_n, v);
}

static bool set_store(args *a, const char *v) { return (a->store = v) != NULL; }
static bool set_session(args *a, const char *v) { return (a->session = v) != NULL; }
static bool set_category(args *a, const char *v) { return (a->category = v) != NULL; }
static bool set_since(args *a, const char *v) { return (a->since = v) != NULL; }
static bool set_until(args *a, const char *v) { return (a->until = v) != NULL; }
static bool set_out(args *a, const char *v) { return (a->out = v) != NULL; }
static bool set_digest(args *a, const char *v) { return (a->digest = v) != NULL; }
static bool set_anchor(args *a, const char *v) { return (a->anchor = v) != NULL; }
static bool set_event_type(args *a, const char *v) { return (a->event_type = v) != NULL; }

/* `value` if it is one of `names`, which end with NULL. */
static bool one_of(const char *value, const char *const *names, const char **ret) {
    while (*names && strcmp(value, *names)) names++;
    *ret = value;
    return *names != NULL;
}
static bool set_style(args *a, const char *v) {
    static const char *const names[] = { "toadstone", "seed", "nanofolks", NULL };
    return one_of(v, names, &a->style);
}
static bool set_event_action(args *a, const char *v) {
    static const char *const names[] = { "allow", "warn", "block", NULL };
    return one_of(v, names, &a->event_action);
}
static bool set_export_format(args *a, const char *v) {
    static const char *const names[] = { "jsonl", "ocsf", "ecs", "cef", NULL };
    return one_of(v, names, &a->export_format);
}
static bool set_as(args *a, const char *v) {
    a->as_model = !strcmp(v, "model");
    return a->as_model || !strcmp(v, "user");
}
static bool set_client(args *a, const char *v) {
    static const char *const names[] = { "claude", "codex",   "gemini", "cursor",  "opencode",
                                         "qwen",   "copilot", "vscode", "windsurf" };
    int i;
    a->client = v;
    return word(v, names, sizeof names / sizeof *names, &i);
}
static bool set_server(args *a, const char *v) { return (a->server = v) != NULL; }
static bool set_file(args *a, const char *v) { return (a->file = v) != NULL; }
static bool set_all(args *a, const char *v) {
    (void)v;
    return a->all = true;
}
static bool set_undo(args *a, const char *v) {
    (void)v;
    return a->undo = true;
}
static bool set_dry_run(args *a, const char *v) {
    (void)v;
    return a->dry_run = true;
}
static bool set_name(args *a, const char *v) {
    a->name = v;
    return *v && strlen(v) <= 64 &&
           strspn(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(v);
}
static bool set_url(args *a, const char *v) { return (a->url = v) != NULL; }
static bool add_env(args *a, const char *v) { return *v && *v != '=' && append(&a->env, &a->env_n, v); }
static bool add_header(args *a, const char *v) {
    return strchr(v, ':') && !strpbrk(v, "\r\n") && append(&a->headers, &a->headers_n, v);
}
static bool add_header_env(args *a, const char *v) {
    const char *equals = strchr(v, '=');
    bool named = equals && equals > v && equals[1] && strcspn(v, ":\r\n") == strlen(v);
    return named && append(&a->header_env, &a->header_env_n, v);
}
static bool set_pin(args *a, const char *v) {
    static const char *const names[] = { "first-use", "strict", "off" };
    int i;
    bool ok = word(v, names, 3, &i);
    if (ok) a->pin = "fso"[i];
    return ok;
}
static bool set_http(args *a, const char *v) { return (a->http = v) != NULL; }
static bool set_token_file(args *a, const char *v) { return (a->token_file = v) != NULL; }
static bool add_host(args *a, const char *v) { return *v && append(&a->hosts, &a->hosts_n, v); }
static bool add_allowed_origin(args *a, const char *v) {
    return strstr(v, "://") && append(&a->origins, &a->origins_n, v);
}
static bool set_held(args *a, const char *v) {
    (void)v;
    return a->held = true;
}
static bool set_wrap_all(args *a, const char *v) {
    (void)v;
    return a->wrap_all = true;
}
static bool set_same_era(args *a, const char *v) {
    (void)v;
    return a->same_era = true;
}
static bool set_provenance(args *a, const char *v) {
    return a->has_provenance = toad_provenance_parse(toad__str_z(v), &a->provenance);
}
static bool set_limit(args *a, const char *v) {
    char *end;
    unsigned long n = strtoul(v, &end, 10);
    bool ok = toad__is_digit((unsigned char)*v) && !*end && n >= 1 && n <= 1000000;
    if (ok) a->limit = n;
    return ok;
}

static bool add_parent(args *a, const char *v) { return append(&a->parents, &a->parents_n, v); }
static bool set_all_words(args *a, const char *v) {
    (void)v;
    return a->all_words = true;
}
static bool set_include_security(args *a, const char *v) {
    (void)v;
    return a->include_security = true;
}

static bool set_check(args *a, const char *v) {
    (void)v;
    return a->check = true;
}
static bool set_no_resolve(args *a, const char *v) {
    (void)v;
    return a->no_resolve = true;
}
static bool set_fresh(args *a, const char *v) {
    (void)v;
    return a->fresh = true;
}
static bool add_private(args *a, const char *v) { return *v && append(&a->private_hosts, &a->private_n, v); }
static bool add_port(args *a, const char *v) {
    uint64_t port;
    return number(v, 1, 65535, &port) && strspn(v, "0123456789") == strlen(v) && append(&a->ports, &a->ports_n, v);
}
static bool set_robots(args *a, const char *v) {
    a->robots = v;
    return !strcmp(v, "respect") || !strcmp(v, "ignore");
}
static bool set_timeout(args *a, const char *v) {
    uint64_t seconds;
    bool ok = number(v, 1, 3600, &seconds);
    if (ok) a->timeout = (unsigned)seconds;
    return ok;
}

static bool set_binding(args *a, const char *v) { return (a->binding = v) != NULL; }
static bool set_severity(args *a, const char *v) {
    toad_severity severity;
    a->severity = v;
    return toad_severity_parse(toad__str_z(v), &severity);
}
static bool set_completeness(args *a, const char *v) {
    static const char *const names[] = { "full",        "size_limit",  "decode_limit",
                                         "depth_limit", "match_limit", "time_limit" };
    int i;
    bool ok = word(v, names, 6, &i);
    if (ok) a->completeness = (toad_completeness)i;
    return ok;
}
static bool set_origin(args *a, const char *v) {
    (void)v;
    return a->origin = true;
}

static bool set_repository(args *a, const char *v) {
    (void)v;
    return a->repository = true;
}
static bool set_baseline(args *a, const char *v) { return (a->baseline = v) != NULL; }
static bool set_write_baseline(args *a, const char *v) { return (a->write_baseline = v) != NULL; }
static bool set_suppressions(args *a, const char *v) { return (a->suppressions = v) != NULL; }

static bool set_provider(args *a, const char *v) {
    static const char *const names[] = { "duckduckgo", "searxng", "brave", "tavily", NULL };
    return one_of(v, names, &a->provider);
}
static bool set_region(args *a, const char *v) { return (a->region = v) != NULL; }
static bool set_safe(args *a, const char *v) {
    static const char *const names[] = { "off", "moderate", "strict", NULL };
    return one_of(v, names, &a->safe);
}
static bool set_age(args *a, const char *v) {
    static const char *const names[] = { "day", "week", "month", "year", NULL };
    return one_of(v, names, &a->age);
}
static bool set_count(args *a, const char *v) {
    uint64_t n;
    bool ok = number(v, 1, 20, &n);
    if (ok) a->count = (unsigned)n;
    return ok;
}
static bool set_search_format(args *a, const char *v) {
    a->as_json = !strcmp(v, "json");
    return a->as_json || !strcmp(v, "text");
}

static bool add_rules(args *a, const char *v) { return append(&a->rules, &a->rules_n, v); }

const option_row cli_options[] = {
    { NULL, 'r', "recursive", NULL, NULL, "walk directories", set_recursive },
    { NULL, 's', "scope", "SCOPE", "relaxed strict",
      "strict adds the rules for memory and instructions (default: relaxed)", set_scope },
    { NULL, 'k', "kind", "KIND", "any web tool_result tool_description memory instruction_file email code search",
      "what sort of text it is (default: any)", set_kind },
    { NULL, 'f', "fail-on", "SEVERITY", "low medium high none",
      "least severity that gives exit status 1 (default: medium)", set_fail_on },
    { NULL, 'o', "format", "FORMAT", "text json jsonl sarif", "how to print what was found (default: text)",
      set_format },
    { NULL, 0, "from", "FORMAT", "auto html markdown", "what the input is written in (default: auto)",
      set_source_format },
    { "render", 0, "format", "FORMAT", "text markdown raw",
      "how to write what a person sees: as on a screen, as Markdown, or with the white space of the page (default: "
      "text)",
      set_render },
    { NULL, 'j', "jobs", "N", NULL, "threads for several files, 1 to 256 (default: one per processor)", set_jobs },
    { "fetch-jobs", 'j', "jobs", "N", NULL, "pages fetched at once where there are several, 1 to 64 (default: 4)",
      set_jobs },
    { NULL, 'R', "rules", "FILE", NULL, "load a rule file over the catalogue; may be repeated", add_rules },
    { NULL, 0, "model", "FILE", NULL, "weights of the learned model instead of the built-in ones; none: without it",
      set_model },
    { NULL, 'm', "max-bytes", "N", NULL,
      "at most so many bytes: of each input scanned, of the whole envelope; 4K, 10M, 1G", set_max_bytes },
    { NULL, 0, "jsonl", NULL, NULL, "the input is JSON lines, one object each; so is the output", set_jsonl },
    { NULL, 0, "json", NULL, NULL, "print JSON", set_json },
    { NULL, 0, "no-ignore", NULL, NULL, "also scan what .gitignore files leave out", set_no_ignore },
    { NULL, 0, "color", "WHEN", "auto always never",
      "color the text (default: auto, on a terminal and without NO_COLOR)", set_color },
    { NULL, 'e', "envelope", "FAMILY", "openclaw ptc external_content untrusted_tool_result memories spotlight",
      "which envelope", set_envelope },
    { NULL, 0, "source", "SOURCE", NULL, "where the text came from: a URL, a tool, a file", set_source },
    { NULL, 0, "sender", "NAME", NULL, "who sent it (openclaw)", set_sender },
    { NULL, 0, "subject", "TEXT", NULL, "what it is about (openclaw)", set_subject },
    { NULL, 0, "notice", "NOTICE", "default none short long search",
      "the words before the envelope, where the family has them", set_notice },
    { NULL, 0, "id", "ID", NULL, "marker id: random (the default of wrap), none, or one of your own", set_id },
    { NULL, 0, "spotlight", "MODE", "delimit datamark base64", "how spotlight marks the text (default: delimit)",
      set_spotlight },
    { NULL, 0, "raw", NULL, NULL, "do not sanitize first", set_raw },
    { NULL, 0, "quote-lines", NULL, NULL, "put '| ' before each line", set_quote_lines },
    { NULL, 0, "preamble", NULL, NULL, "put the sentence for the model before the envelope", set_preamble },
    { NULL, 0, "by", "GROUP", "dataset subset kind rule", "what a line of the table stands for (default: dataset)",
      set_by },
    { NULL, 0, "worst", "N", NULL, "how many misses and false alarms to show, 0 to 1000 (default: 10)", set_worst },
    { NULL, 0, "compare", "FILE", NULL, "add what changed since the run that printed FILE with --json", set_compare },
    { NULL, 0, "save", "FILE", NULL, "also write the run to FILE as --json prints it", set_save },
    { NULL, 0, "kind-of", "DATASET=KIND", NULL, "what sort of text the rows of a dataset are; may be repeated",
      add_kind_of },
    { NULL, 0, "min-recall", "SHARE", NULL, "exit with 1 when less of the attacks is flagged, 0 to 1", set_min_recall },
    { NULL, 0, "max-false-flags", "SHARE", NULL, "exit with 1 when more of the benign rows is flagged, 0 to 1",
      set_max_false_flags },
    { NULL, 0, "store", "WHERE", NULL,
      "the store: a file, or postgresql://... (default: $TOADSTONE_STORE, else your own)", set_store },
    { NULL, 0, "session", "ID", NULL, "the agent's session", set_session },
    { NULL, 0, "as", "WHO", "user model", "who asks; a model may do less (default: user)", set_as },
    { NULL, 0, "client", "NAME", "claude codex gemini cursor opencode qwen copilot vscode windsurf",
      "whose configuration is meant", set_client },
    { NULL, 0, "server", "NAME", NULL, "only this server", set_server },
    { NULL, 0, "all", NULL, NULL, "all servers", set_all },
    { NULL, 0, "undo", NULL, NULL, "put back what was there before", set_undo },
    { NULL, 0, "dry-run", NULL, NULL, "show what would be changed, and change nothing", set_dry_run },
    { NULL, 0, "file", "FILE", NULL, "this configuration instead of those of the client", set_file },
    { NULL, 0, "name", "NAME", NULL, "what you call the server: letters, digits and ._-", set_name },
    { NULL, 0, "url", "URL", NULL, "the server's endpoint, spoken to over HTTP", set_url },
    { "proxy-file", 0, "file", "FILE", NULL, "the servers, as a client's configuration has them under \"mcpServers\"",
      set_file },
    { NULL, 0, "env", "NAME[=VALUE]", NULL,
      "a variable that the server may see, beside those every program needs; may be repeated", add_env },
    { NULL, 0, "header", "NAME: VALUE", NULL,
      "send it to the server's endpoint; others on this machine can see it among the arguments; may be repeated",
      add_header },
    { NULL, 0, "header-env", "NAME=VARIABLE", NULL,
      "send this header with what is in this variable of the environment: for tokens; may be repeated",
      add_header_env },
    { NULL, 0, "http", "ADDR:PORT", NULL, "serve over HTTP there (default: 127.0.0.1:8731)", set_http },
    { NULL, 0, "token-file", "FILE", NULL,
      "bearer tokens that clients must send one of, a line each (default: $TOAD_TOKEN, else none)", set_token_file },
    { NULL, 0, "allow-host", "NAME", NULL, "a name this server is called by, besides localhost; may be repeated",
      add_host },
    { NULL, 0, "allow-origin", "ORIGIN", NULL,
      "web pages from there may call it, as https://app.example.com; may be repeated", add_allowed_origin },
    { NULL, 0, "pin", "HOW", "first-use strict off",
      "which tools are trusted: those seen first, only those you approved, all (default: first-use)", set_pin },
    { NULL, 0, "held", NULL, NULL, "only tools that are held", set_held },
    { NULL, 0, "wrap-all", NULL, NULL, "put every text of a result in the envelope, not only what was flagged",
      set_wrap_all },
    { NULL, 0, "same-era", NULL, NULL, "never translate between revisions of the protocol", set_same_era },
    { NULL, 0, "category", "NAME", NULL, "of that category", set_category },
    { NULL, 0, "provenance", "WHO", "user agent external", "who wrote it", set_provenance },
    { NULL, 0, "since", "TIME", NULL, "from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago",
      set_since },
    { NULL, 0, "until", "TIME", NULL, "before then", set_until },
    { NULL, 0, "limit", "N", NULL, "at most so many, 1 to 1000000", set_limit },
    { NULL, 0, "out", "FILE", NULL, "write to FILE", set_out },
    { NULL, 0, "digest", "SHA256", NULL, "of the content that you saw, as 'contents show' prints it", set_digest },
    { NULL, 0, "style", "STYLE", "toadstone seed nanofolks",
      "words around the content: ours, or nanofolks' as designed (seed) or as built (default: toadstone)", set_style },
    { NULL, 0, "anchor", "SEQ:HASH", NULL, "a head of the log noted down earlier, which must still be in it",
      set_anchor },
    { NULL, 0, "type", "TYPE", NULL, "events of that type, as security_scan", set_event_type },
    { NULL, 0, "action", "ACTION", "allow warn block", "events with that action", set_event_action },
    { "export-format", 0, "format", "FORMAT", "jsonl ocsf ecs cef", "how to write the events (default: jsonl)",
      set_export_format },
    { "memory-id", 0, "id", "ID", NULL, "id of the new entry (default: one is made)", set_id },
    { NULL, 0, "parent", "ID", NULL, "an entry that this one was made from; may be repeated", add_parent },
    { NULL, 0, "all-words", NULL, NULL, "every word must occur", set_all_words },
    { NULL, 0, "include-security", NULL, NULL, "add what is known of blocks, sources and learnings",
      set_include_security },
    { NULL, 0, "check", NULL, NULL, "only say whether it may be fetched", set_check },
    { NULL, 0, "no-resolve", NULL, NULL, "judge by spelling: ask no name server (with --check)", set_no_resolve },
    { NULL, 0, "fresh", NULL, NULL, "ask the server, whatever is kept of the page", set_fresh },
    { NULL, 0, "allow-private", "HOST", NULL, "this host, or HOST:PORT, may lead inside; may be repeated",
      add_private },
    { NULL, 0, "port", "N", NULL, "also allow this port; may be repeated", add_port },
    { NULL, 0, "robots", "HOW", "respect ignore", "what robots.txt says (default: respect for a model, ignore for you)",
      set_robots },
    { NULL, 0, "timeout", "SECONDS", NULL, "at most so long for all of it, 1 to 3600 (default: 30)", set_timeout },
    { NULL, 0, "start", "N", NULL, "from that byte of the text on, as 'next_start' of the part before says",
      set_start },
    { NULL, 0, "max", "N", NULL, "at most so many bytes of the text; nothing is torn at the end (default: all)",
      set_max },
    { NULL, 0, "binding", "HASH", NULL, "of the question that you saw, as 'confirm show' prints it", set_binding },
    { NULL, 0, "severity", "SEVERITY", "none low medium high", "of the worst finding", set_severity },
    { NULL, 0, "completeness", "HOW", "full size_limit decode_limit depth_limit match_limit time_limit",
      "how much was looked at (default: full)", set_completeness },
    { NULL, 0, "origin", NULL, NULL, "say where each value comes from", set_origin },
    { NULL, 0, "provider", "NAME", "duckduckgo searxng brave tavily",
      "which service is asked (default: search.provider)", set_provider },
    { NULL, 0, "count", "N", NULL, "how many results, 1 to 20 (default: 10)", set_count },
    { NULL, 0, "region", "REGION", NULL, "country and language, as us-en", set_region },
    { NULL, 0, "safe", "LEVEL", "off moderate strict", "what the service may show (default: its own)", set_safe },
    { NULL, 0, "time", "AGE", "day week month year", "not older than that", set_age },
    { "search-format", 0, "format", "FORMAT", "text json", "how the results stand in the envelope (default: text)",
      set_search_format },
    { "policy-source", 0, "source", "KIND", "web search mcp file email memory tool api",
      "what sort of source it came from", set_source },
    { NULL, 0, "repository", NULL, NULL, "judge each file by what it is in a repository, as -r does", set_repository },
    { NULL, 0, "baseline", "FILE", NULL, "report only what is not in this baseline", set_baseline },
    { NULL, 0, "write-baseline", "FILE", NULL,
      "write what was found as a baseline, to report only what is new from then on", set_write_baseline },
    { NULL, 0, "suppressions", "FILE", NULL,
      "findings that somebody has answered for (default: $XDG_CONFIG_HOME/toadstone/suppressions.yaml)",
      set_suppressions },
    { NULL, 'l', "list", NULL, NULL, "list what there is", set_list },
    { NULL, 0, "man", NULL, NULL, "print the manual page in roff", set_man },
    { NULL, 'v', "verbose", NULL, NULL, "name what was skipped or removed on standard error", set_verbose },
    { NULL, 'q', "quiet", NULL, NULL, "print nothing, only set the exit status", set_quiet },
    { NULL, 'h', "help", NULL, NULL, "explain the command", set_help },
    { 0 },
};

static const option_row *find_option(toad_str name) {
    const option_row *o = cli_options;
    while (o->name && !toad__str_eq(toad__str_z(o->key ? o->key : o->name), name)) o++;
    return o->name ? o : NULL;
}

const cli_command *cli_find_command(const char *name) {
    for (const cli_command *c = cli_commands; c->name; c++)
        if (!strcmp(name, c->name) || (c->alias && !strcmp(name, c->alias))) return c;
    return NULL;
}

const option_row *cli_next_option(const cli_command *c, const char **at) {
    if (!*at) return NULL;
    size_t n = strcspn(*at, " ");
    /* --help belongs to every command and comes last */
    const option_row *o = n ? find_option(toad__str(*at, n)) : find_option(TOAD__S("help"));
    *at = n ? *at + n + ((*at)[n] == ' ') : NULL;
    (void)c;
    return o;
}

typedef struct getopt_tables {
    struct option longs[OPTIONS_MAX];
    const option_row *rows[OPTIONS_MAX];
    char shorts[2 + 2 * OPTIONS_MAX];
    int n;
} getopt_tables;

static void build_tables(const cli_command *c, getopt_tables *t) {
    const char *at = c->options;
    char *letters = t->shorts;
    *letters++ = ':';
    for (const option_row *o; t->n < OPTIONS_MAX - 1 && (o = cli_next_option(c, &at)); t->n++) {
        t->rows[t->n] = o;
        t->longs[t->n] = (struct option){ o->name, o->argument ? required_argument : no_argument, NULL, 256 + t->n };
        if (!o->letter) continue;
        *letters++ = o->letter;
        if (o->argument) *letters++ = ':';
    }
}

static const option_row *row_of(const getopt_tables *t, int code) {
    for (int i = 0; i < t->n; i++)
        if (code == 256 + i || (t->rows[i]->letter && code == t->rows[i]->letter)) return t->rows[i];
    return NULL;
}

static bool complain(const cli_command *c, const char *what, const char *name) {
    cli_error(c->name, "%s '%s'", what, cli_safe(name));
    cli_hint("try 'toadstone help %s'", c->name);
    return false;
}

/* getopt says only that something was wrong: find the word it was about. */
static bool complain_about_word(const cli_command *c, char **argv, int code, bool missing) {
    char letter[3] = { '-', (char)optopt, 0 };
    const char *typed = argv[optind - 1];
    bool is_long = !strncmp(typed, "--", 2);
    if (missing) return complain(c, "this option needs a value:", is_long ? typed : letter);
    if (optopt >= 256 && code == '?') return complain(c, "this option takes no value:", typed);
    return complain(c, "unknown option", is_long ? typed : letter);
}

static bool complain_about_value(const cli_command *c, const option_row *o, const char *value) {
    if (o->values)
        cli_error(c->name, "--%s: '%s' is none of: %s", o->name, cli_safe(value), o->values);
    else
        cli_error(c->name, "--%s: '%s' is not a valid %s", o->name, cli_safe(value),
                  o->argument ? o->argument : "value");
    return false;
}

bool args_parse(args *ret, const cli_command *c, int argc, char **argv) {
    getopt_tables t = { .n = 0 };
    *ret = (args){
        .command = c, .fail_on = TOAD_MEDIUM, .color = "auto", .worst = 10, .min_recall = -1, .max_false_flags = -1
    };
    build_tables(c, &t);
    opterr = 0;
    optind = 1;
    for (int code; (code = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1;) {
        const option_row *o = code == '?' || code == ':' ? NULL : row_of(&t, code);
        if (!o) return complain_about_word(c, argv, code, code == ':');
        if (!o->set(ret, optarg)) return complain_about_value(c, o, optarg);
    }
    ret->operands = argv + optind;
    ret->operands_n = (size_t)(argc - optind);
    return true;
}

void args_free(args *a) {
    free(a->env);
    free(a->headers);
    free(a->header_env);
    free(a->hosts);
    free(a->origins);
    free(a->parents);
    free(a->rules);
    free(a->kind_of);
    free(a->private_hosts);
    free(a->ports);
}
