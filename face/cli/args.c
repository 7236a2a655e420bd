/* args.c - the options, a row each, and the reader of a command line.
 *
 * A row says where in `args` its value goes and what it may be; one function for each of eight types puts it there.
 * Names count in full: an abbreviation is another option's name one day. Messages name the option as it was typed, the
 * nearest name, and the way to help: a wrong call should never need a second guess.
 */
#include "face/cli/args.h"
#include "app/config/guess.h"
#include "app/config/policy.h"
#include "app/mcp/clients.h"
#include "face/cli/out.h"
#include "face/hooks/agents.h"
#include "lib/base/str.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

/* ---- what a value must look like ---- */

static bool is_some(const char *v) { return *v != 0; }
static bool is_origin(const char *v) { return strstr(v, "://") != NULL; }
static bool is_variable(const char *v) { return *v && *v != '='; }
static bool is_header(const char *v) { return strchr(v, ':') && !strpbrk(v, "\r\n"); }

static bool is_header_env(const char *v) {
    const char *equals = strchr(v, '=');
    return equals && equals > v && equals[1] && !strpbrk(v, ":\r\n");
}

static bool is_kind_of(const char *v) {
    const char *equals = strrchr(v, '=');
    toad_kind kind;
    return equals && toad_kind_parse(toad__str_z(equals + 1), &kind);
}

static bool is_name(const char *v) {
    size_t n = strlen(v);
    return n && n <= 64 && strspn(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == n;
}

static bool number(const char *value, uint64_t least, uint64_t most, uint64_t *ret) {
    char *end;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 10);
    if (errno || !toad__is_digit((unsigned char)*value) || v < least) return false;
    unsigned shift = *end == 'k' || *end == 'K'   ? 10
                     : *end == 'm' || *end == 'M' ? 20
                     : *end == 'g' || *end == 'G' ? 30
                                                  : 0;
    if (shift) end++;
    if (*end || v > most >> shift) return false;
    *ret = (uint64_t)v << shift;
    return true;
}

static bool is_port(const char *v) {
    uint64_t port;
    return number(v, 1, 65535, &port) && strspn(v, "0123456789") == strlen(v);
}

static bool is_hook_file(const char *v) { return toad__hook_file_find(v) != NULL; }

/* ---- the options ---- */

#define AT(field)                offsetof(args, field)
#define FLAG(field)              .type = OPTION_FLAG, .at = AT(field)
#define TEXT(word, field)        .argument = word, .type = OPTION_TEXT, .at = AT(field)
#define WORD(word, words, field) .argument = word, .values = words, .type = OPTION_WORD, .at = AT(field)
#define CHOICE(word, words, field, first) \
    .argument = word, .values = words, .type = OPTION_CHOICE, .at = AT(field), .least = first
#define NUMBER(word, field, from, to) \
    .argument = word, .type = OPTION_NUMBER, .at = AT(field), .least = from, .most = to
#define SHARE(word, field) .argument = word, .type = OPTION_SHARE, .at = AT(field)
#define LIST(word, field, is) \
    .argument = word, .type = OPTION_LIST, .at = AT(field), .count = AT(field##_n), .valid = is

const option_row cli_options[] = {
    { 'r', "recursive", "walk directories", FLAG(recursive) },
    { 's', "scope", "strict adds the rules for memory and instructions (default: relaxed)",
      CHOICE("SCOPE", "relaxed strict", scope, 0), .given = AT(has_scope) },
    { 'k', "kind", "what sort of text it is (default: any)",
      CHOICE("KIND", "any web tool_result tool_description memory instruction_file email code search", kind, 0),
      .given = AT(has_kind) },
    { 'f', "fail-on", "least severity that gives exit status 1 (default: medium)",
      CHOICE("SEVERITY", "low medium high none", fail_on, TOAD_LOW), .given = AT(has_fail_on) },
    { 0, "show", "least severity to print, the rest is counted; all: also each place by itself (default: medium)",
      CHOICE("SEVERITY", "low medium high all", show, 1) },
    { 'o', "format", "how to print what was found (default: text)",
      CHOICE("FORMAT", "text json jsonl sarif", format, 0) },
    { 0, "from", "what the input is written in (default: auto)",
      CHOICE("FORMAT", "auto html markdown", source_format, 0) },
    { 0, "format",
      "how to write what a person sees: as on a screen, as Markdown, or with the white space of the page (default: "
      "text)",
      CHOICE("FORMAT", "text markdown raw", render, TOAD_RENDER_TEXT), .key = "render", .given = AT(has_render) },
    { 'j', "jobs", "threads for several files, or for one that is large, 1 to 256 (default: one per processor)",
      NUMBER("N", jobs, 1, 256) },
    { 'j', "jobs", "pages fetched at once where there are several, 1 to 64 (default: 4)", NUMBER("N", jobs, 1, 64),
      .key = "fetch-jobs" },
    { 'R', "rules", "load a rule file over the built-in rules; may be repeated", LIST("FILE", rules, NULL) },
    { 0, "model", "weights of the learned model instead of the built-in ones; none: without it", TEXT("FILE", model) },
    { 'm', "max-bytes", "at most so many bytes: of each input scanned, of the whole envelope; 4K, 10M, 1G",
      NUMBER("N", max_bytes, 1, UINT64_MAX / 2), .given = AT(has_max_bytes) },
    { 0, "jsonl", "the input is JSON lines, one object each; so is the output", FLAG(jsonl) },
    { 0, "json", "print JSON", FLAG(json) },
    { 0, "no-ignore", "also scan what .gitignore files leave out", FLAG(no_ignore) },
    { 0, "color", "color the text (default: auto, on a terminal and without NO_COLOR)",
      WORD("WHEN", "auto always never", color) },
    { 'e', "envelope", "which envelope",
      CHOICE("FAMILY", "openclaw ptc external_content untrusted_tool_result memories spotlight", envelope, 0),
      .given = AT(has_envelope) },
    { 0, "source", "where the text came from: a URL, a tool, a file", TEXT("SOURCE", source) },
    { 0, "sender", "who sent it (openclaw)", TEXT("NAME", sender) },
    { 0, "subject", "what it is about (openclaw)", TEXT("TEXT", subject) },
    { 0, "notice", "the words before the envelope, where the family has them",
      CHOICE("NOTICE", "default none short long search", notice, 0) },
    { 0, "id", "marker id: random (the default of wrap), none, or one of your own", TEXT("ID", id) },
    { 0, "spotlight", "how spotlight marks the text (default: delimit)",
      CHOICE("MODE", "delimit datamark base64", spotlight, 0) },
    { 0, "raw", "do not sanitize first", FLAG(raw) },
    { 0, "quote-lines", "put '| ' before each line", FLAG(quote_lines) },
    { 0, "preamble", "put the sentence for the model before the envelope", FLAG(preamble) },
    { 0, "acts", "the rows are acts and what led to them: how many are asked about", FLAG(acts) },
    { 0, "by", "what a line of the table stands for (default: dataset; of acts suite)",
      WORD("GROUP", "dataset subset kind rule suite task", by) },
    { 0, "worst", "how many misses and false alarms to show, 0 to 1000 (default: 10)", NUMBER("N", worst, 0, 1000) },
    { 0, "compare", "add what changed since the run that printed FILE with --json", TEXT("FILE", compare) },
    { 0, "save", "also write the run to FILE as --json prints it", TEXT("FILE", save) },
    { 0, "kind-of", "what sort of text the rows of a dataset are; may be repeated",
      LIST("DATASET=KIND", kind_of, is_kind_of) },
    { 0, "min-recall", "exit with 1 when less of the attacks is flagged, 0 to 1", SHARE("SHARE", min_recall) },
    { 0, "max-false-flags", "exit with 1 when more of the benign rows is flagged, 0 to 1",
      SHARE("SHARE", max_false_flags) },
    { 0, "store", "the store: a file, or postgresql://... (default: $TOADSTONE_STORE, else your own)",
      TEXT("WHERE", store) },
    { 0, "session", "the agent's session", TEXT("ID", session) },
    { 0, "as", "who asks; a model may do less (default: model in an agent's shell or where read is not at a terminal)",
      CHOICE("WHO", "user model", as_model, 0), .given = AT(has_as) },
    { 0, "client", "whose configuration is meant",
      WORD("NAME", "claude codex gemini cursor opencode qwen copilot vscode windsurf", client) },
    { 0, "agent", "whose hook this is", WORD("NAME", HOOK_AGENTS, agent) },
    { 0, "agent", "this agent; may be repeated (default: every agent that is here)", LIST("NAME", agents, is_hook_file),
      .values = TOAD__HOOK_NAMES, .key = "setup-agent" },
    { 0, "project", "in the project's configuration instead of yours", FLAG(project) },
    { 'y', "yes", "do not ask before writing", FLAG(yes) },
    { 0, "event", "which event, as the agent calls it (default: what the input says)", TEXT("EVENT", event) },
    { 0, "fail", "what happens where nothing can be decided (default: closed)", WORD("HOW", "closed open", fail) },
    { 0, "deadline-ms", "answer after so many milliseconds at the latest (default: 4000)",
      NUMBER("N", deadline_ms, 1, 600000) },
    { 0, "server", "only this server", TEXT("NAME", server) },
    { 0, "all", "all servers", FLAG(all) },
    { 0, "remote", "also servers over HTTP that are sent no token; one that logs in with OAuth loses its login",
      FLAG(remote) },
    { 0, "undo", "put back what was there before", FLAG(undo) },
    { 0, "dry-run", "show what would be changed, and change nothing", FLAG(dry_run) },
    { 0, "file", "this configuration instead of those of the client", TEXT("FILE", file) },
    { 0, "name", "what you call the server: letters, digits and ._-", TEXT("NAME", name), .valid = is_name },
    { 0, "url", "the server's endpoint, spoken to over HTTP", TEXT("URL", url) },
    { 0, "file", "the servers, as a client's configuration has them under \"mcpServers\"", TEXT("FILE", file),
      .key = "proxy-file" },
    { 0, "env", "a variable that the server may see, beside those every program needs; may be repeated",
      LIST("NAME[=VALUE]", env, is_variable) },
    { 0, "header",
      "send it to the server's endpoint; others on this machine can see it among the arguments; may be repeated",
      LIST("NAME: VALUE", headers, is_header) },
    { 0, "header-env", "send this header with what is in this variable of the environment: for tokens; may be repeated",
      LIST("NAME=VARIABLE", header_env, is_header_env) },
    { 0, "http", "serve over HTTP there, as 127.0.0.1:8731", TEXT("ADDR:PORT", http) },
    { 0, "token-file", "bearer tokens that clients must send one of, a line each (default: $TOAD_TOKEN, else none)",
      TEXT("FILE", token_file) },
    { 0, "allow-host", "a name this server is called by, besides localhost; may be repeated",
      LIST("NAME", hosts, is_some) },
    { 0, "allow-origin", "web pages from there may call it, as https://app.example.com; may be repeated",
      LIST("ORIGIN", origins, is_origin) },
    { 0, "pin", "which tools are trusted: those seen first, only those you approved, all (default: first-use)",
      CHOICE("HOW", "first-use strict off", pin, 0) },
    { 0, "held", "only tools that are held", FLAG(held) },
    { 0, "wrap-all", "put every text of a result in the envelope, not only what was flagged", FLAG(wrap_all) },
    { 0, "same-era", "never translate between revisions of the protocol", FLAG(same_era) },
    { 0, "category", "of that category", TEXT("NAME", category) },
    { 0, "provenance", "who wrote it", CHOICE("WHO", "user agent external", provenance, 0),
      .given = AT(has_provenance) },
    { 0, "rule", "what this rule finds does not count; may be repeated (default: just these bytes)",
      LIST("ID", only_rules, is_some) },
    { 0, "at", "at this source: a URL, a domain, mcp:SERVER/TOOL or mcp:SERVER (default: the content's own)",
      TEXT("SOURCE", at) },
    { 0, "until", "no longer than that: 2030-01-31, or 30d from now (default: for good)", TEXT("TIME", until),
      .key = "until-then" },
    { 0, "note", "why, in your words", TEXT("TEXT", note) },
    { 0, "since", "from then on: 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d ago", TEXT("TIME", since) },
    { 0, "follow", "go on with what happens from now on", FLAG(follow) },
    { 0, "until", "before then", TEXT("TIME", until) },
    { 0, "limit", "at most so many, 1 to 1000000", NUMBER("N", limit, 1, 1000000) },
    { 0, "out", "write to FILE", TEXT("FILE", out) },
    { 0, "digest", "of the content that you saw, as 'contents show' prints it", TEXT("SHA256", digest) },
    { 0, "digest", "of the tool that you saw, as 'proxy diff' prints it", TEXT("SHA256", digest),
      .key = "tool-digest" },
    { 0, "style",
      "what stands around the content: an envelope; only a line of text before and behind (plain); the same with signs "
      "(default: envelope)",
      CHOICE("STYLE", "envelope plain signs", style, 0), .aliases = "toadstone seed nanofolks" },
    { 0, "anchor", "a head of the log noted down earlier, which must still be in it", TEXT("SEQ:HASH", anchor) },
    { 0, "type", "events of that type, as security_scan", TEXT("TYPE", event_type) },
    { 0, "action", "events with that action", WORD("ACTION", "allow warn redact block", event_action) },
    { 0, "format", "how to write the events (default: jsonl)", WORD("FORMAT", "jsonl ocsf ecs cef", export_format),
      .key = "export-format" },
    { 0, "id", "id of the new entry (default: one is made)", TEXT("ID", id), .key = "memory-id" },
    { 0, "parent", "an entry that this one was made from; may be repeated", LIST("ID", parents, NULL) },
    { 0, "all-or-nothing", "import: one bad line, and nothing is written", FLAG(all_or_nothing) },
    { 0, "all-words", "every word must occur", FLAG(all_words) },
    { 0, "include-security", "add what is known of blocks, sources and learnings", FLAG(include_security) },
    { 0, "check", "only say whether it may be fetched", FLAG(check) },
    { 0, "no-resolve", "judge by spelling: ask no name server (with --check)", FLAG(no_resolve) },
    { 0, "fresh", "ask the server, whatever is kept of the page", FLAG(fresh) },
    { 0, "allow-private", "this host, or HOST:PORT, may lead inside; may be repeated",
      LIST("HOST", private_hosts, is_some) },
    { 0, "port", "also allow this port; may be repeated", LIST("N", ports, is_port) },
    { 0, "robots", "what robots.txt says (default: respect for a model, ignore for you)",
      WORD("HOW", "respect ignore", robots) },
    { 0, "timeout", "at most so long for all of it, 1 to 3600 (default: 30)", NUMBER("SECONDS", timeout, 1, 3600) },
    { 0, "timeout", "at most so long for all of it, 1 to 3600 (default: 600)", NUMBER("SECONDS", timeout, 1, 3600),
      .key = "proxy-timeout" },
    { 0, "start", "from that byte of the text on, as 'next_start' of the part before says",
      NUMBER("N", start, 0, UINT64_MAX / 2) },
    { 0, "max", "at most so many bytes of the text; nothing is torn at the end (default: all)",
      NUMBER("N", max, 1, UINT64_MAX / 2) },
    { 0, "binding", "of the question that you saw, as 'confirm show' prints it", TEXT("HASH", binding) },
    { 0, "severity", "of the worst finding", WORD("SEVERITY", "none low medium high", severity) },
    { 0, "completeness", "how much was looked at (default: full)",
      CHOICE("HOW", "full size_limit decode_limit depth_limit match_limit time_limit", completeness, 0) },
    { 0, "origin", "say where each value comes from", FLAG(origin) },
    { 0, "provider", "which service is asked (default: search.provider)",
      WORD("NAME", "duckduckgo searxng brave tavily", provider) },
    { 0, "count", "how many results, 1 to 20 (default: 10)", NUMBER("N", count, 1, 20) },
    { 0, "region", "country and language, as us-en", TEXT("REGION", region) },
    { 0, "safe", "what the service may show (default: its own)", WORD("LEVEL", "off moderate strict", safe) },
    { 0, "time", "not older than that", WORD("AGE", "day week month year", age) },
    { 0, "format", "how the results stand in the envelope (default: text)", CHOICE("FORMAT", "text json", as_json, 0),
      .key = "search-format" },
    { 0, "source", "what sort of source it came from",
      WORD("KIND", "web search mcp file email memory tool api", source), .key = "policy-source" },
    { 0, "repository", "judge each file by what it is in a repository, as -r does", FLAG(repository) },
    { 0, "baseline", "report only what is not in this baseline", TEXT("FILE", baseline) },
    { 0, "write-baseline", "write what was found as a baseline, to report only what is new from then on",
      TEXT("FILE", write_baseline) },
    { 0, "suppressions",
      "findings that somebody has answered for (default: $XDG_CONFIG_HOME/toadstone/suppressions.yaml)",
      TEXT("FILE", suppressions) },
    { 'l', "list", "list what there is", FLAG(list) },
    { 0, "man", "print the manual page in roff", FLAG(man) },
    { 'v', "verbose", "name what was skipped or removed on standard error", FLAG(verbose) },
    { 'q', "quiet", "print nothing, only set the exit status", FLAG(quiet) },
    { 'h', "help", "explain the command", FLAG(help) },
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

const option_row *cli_next_option(const char **at) {
    if (!*at) return NULL;
    size_t n = strcspn(*at, " ");
    /* --help belongs to every command and comes last */
    const option_row *o = n ? find_option(toad__str(*at, n)) : find_option(TOAD__S("help"));
    assert(o); /* no command lists an option that has no row */
    *at = n ? *at + n + ((*at)[n] == ' ') : NULL;
    return o;
}

/* ---- one value into its place ---- */

static bool add_to_list(const char ***list, size_t *n, const char *value) {
    const char **longer = realloc(*list, (*n + 1) * sizeof *longer);
    if (!longer) return false;
    *list = longer;
    longer[(*n)++] = value;
    return true;
}

static bool set_share(double *ret, const char *value) {
    char *end;
    double x = strtod(value, &end);
    bool ok = toad__is_digit((unsigned char)*value) && !*end && x >= 0 && x <= 1;
    if (ok) *ret = x;
    return ok;
}

/* The words stand in the order of the enum's values, from `least` on and round. */
static int choice_of(const option_row *o, const char *value) {
    int count = 1, i = toad__word_index(o->values, value, strlen(value));
    if (i < 0 && o->aliases) i = toad__word_index(o->aliases, value, strlen(value));
    for (const char *p = o->values; *p; p++) count += *p == ' ';
    return i < 0 ? -1 : (i + (int)o->least) % count;
}

_Static_assert(sizeof(toad_kind) == sizeof(int) && sizeof(cli_format) == sizeof(int), "a choice is stored as an int");

static bool set(args *a, const option_row *o, const char *value) {
    void *at = (char *)a + o->at;
    int choice = o->values ? choice_of(o, value) : 0;
    if (choice < 0 || (o->valid && !o->valid(value))) return false;
    if (o->given) *(bool *)(void *)((char *)a + o->given) = true;
    switch (o->type) {
    case OPTION_FLAG: return *(bool *)at = true;
    case OPTION_TEXT:
    case OPTION_WORD: *(const char **)at = value; return true;
    case OPTION_CHOICE: memcpy(at, &choice, sizeof choice); return true;
    case OPTION_NUMBER: return number(value, o->least, o->most, at);
    case OPTION_SHARE: return set_share(at, value);
    case OPTION_LIST: return add_to_list(at, (size_t *)(void *)((char *)a + o->count), value);
    }
    return false;
}

/* ---- the command line ---- */

static bool complain(const cli_command *c, const char *what, const char *typed) {
    cli_error(c->name, "%s '%s'", what, cli_safe(typed));
    cli_hint("try 'toadstone help %s'", c->name);
    return false;
}

static bool unknown_option(const cli_command *c, const char *typed) {
    toad__guess guess = toad__guess_of(toad__str(typed + 2, strcspn(typed + 2, "=")));
    const char *at = c->options;
    for (const option_row *o; (o = cli_next_option(&at));) toad__guess_try(&guess, toad__str_z(o->name));
    complain(c, "unknown option", typed);
    if (guess.best.n) cli_hint("did you mean '--%.*s'?", (int)guess.best.n, guess.best.p);
    return false;
}

/* What a value must be that is none of a few words. */
static bool bad_shape(const cli_command *c, const option_row *o, const char *value) {
    const char *name = o->name, *safe = cli_safe(value);
    if (o->type == OPTION_SHARE)
        cli_error(c->name, "--%s: '%s' is no number from 0 to 1", name, safe);
    else if (o->type != OPTION_NUMBER)
        cli_error(c->name, "--%s: '%s' is not a valid %s", name, safe, o->argument);
    else if (o->most > UINT32_MAX)
        cli_error(c->name, "--%s: '%s' is no whole number from %llu on; 4K, 10M and 1G are such", name, safe,
                  (unsigned long long)o->least);
    else
        cli_error(c->name, "--%s: '%s' is no whole number from %llu to %llu", name, safe, (unsigned long long)o->least,
                  (unsigned long long)o->most);
    cli_hint("--%s: %s", name, o->help);
    return false;
}

static bool bad_value(const cli_command *c, const option_row *o, const char *value) {
    if (!o->values) return bad_shape(c, o, value);
    cli_error(c->name, "--%s: '%s' is none of: %s", o->name, cli_safe(value), o->values);
    cli_guess(value, o->values);
    return false;
}

typedef struct reader {
    args *a;
    const cli_command *c;
    char **next, **end; /* the words not yet read */
} reader;

/* `value` may be written to: words are told in any case, and kept in ours. */
static bool take(reader *r, const option_row *o, char *value, const char *typed) {
    if (o->argument && !value) {
        if (r->next == r->end) return complain(r->c, "this option needs a value:", typed);
        value = *r->next++;
    }
    for (char *p = value; o->values && *p; p++)
        if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
    return set(r->a, o, value) || bad_value(r->c, o, value);
}

static bool take_long(reader *r, char *typed) {
    const char *at = r->c->options;
    char *value = strchr(typed, '=');
    toad_str name = toad__str(typed + 2, value ? (size_t)(value - typed) - 2 : strlen(typed) - 2);
    const option_row *o;
    while ((o = cli_next_option(&at)) && !toad__str_eq(toad__str_z(o->name), name)) {}
    if (!o) return unknown_option(r->c, typed);
    if (value && !o->argument) return complain(r->c, "this option takes no value:", typed);
    return take(r, o, value ? value + 1 : NULL, typed);
}

/* -r, -rq, -j4, -j 4. */
static bool take_letters(reader *r, char *typed) {
    for (char *p = typed + 1; *p; p++) {
        const char *at = r->c->options, letter[3] = { '-', *p, 0 };
        const option_row *o;
        while ((o = cli_next_option(&at)) && o->letter != *p) {}
        if (!o) return complain(r->c, "unknown option", letter);
        if (o->argument) return take(r, o, p[1] ? p + 1 : NULL, letter);
        if (!take(r, o, NULL, letter)) return false;
    }
    return true;
}

bool args_parse(args *ret, const cli_command *c, int argc, char **argv) {
    reader r = { ret, c, argv + 1, argv + argc };
    bool ended = false;
    *ret = (args){ .command = c,
                   .fail_on = TOAD_MEDIUM,
                   .show = TOAD_MEDIUM,
                   .color = "auto",
                   .worst = 10,
                   .min_recall = -1,
                   .max_false_flags = -1,
                   .operands = argv + 1 };
    while (r.next < r.end) { /* operands are moved to the front; they never overtake what is read */
        char *word = *r.next++;
        if (ended || *word != '-' || !word[1])
            ret->operands[ret->operands_n++] = word;
        else if (!strcmp(word, "--"))
            ended = true, ret->is_command = !ret->operands_n;
        else if (!(word[1] == '-' ? take_long : take_letters)(&r, word))
            return false;
    }
    ret->operands[ret->operands_n] = NULL; /* there is room: argv has one more, and NULL ends a command to be run */
    return true;
}

void args_free(args *a) {
    for (const option_row *o = cli_options; o->name; o++) {
        if (o->type != OPTION_LIST) continue;
        const char ***list = (void *)((char *)a + o->at);
        free(*list);
        *list = NULL;
    }
}

void cli_guess(const char *typed, const char *words) {
    toad__guess guess = toad__guess_of(toad__str_z(typed));
    for (size_t n; (n = strcspn(words, " ")); words += n + (words[n] == ' '))
        toad__guess_try(&guess, toad__str(words, n));
    if (guess.best.n) cli_hint("did you mean '%.*s'?", (int)guess.best.n, guess.best.p);
}

int cli_unknown_command(const char *typed) {
    toad__guess guess = toad__guess_of(toad__str_z(typed));
    for (const cli_command *c = cli_commands; c->name; c++) toad__guess_try(&guess, toad__str_z(c->name));
    cli_error(NULL, "unknown command '%s'", cli_safe(typed));
    if (guess.best.n) cli_hint("did you mean 'toadstone %.*s'?", (int)guess.best.n, guess.best.p);
    cli_hint("'toadstone help' lists the commands");
    return EXIT_ERROR;
}
