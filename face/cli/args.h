/* args.h - the command line as data: one table of commands and one of options drive parsing, help, completion and the
 * man page. */
#ifndef TOAD_FACE_CLI_ARGS_H
#define TOAD_FACE_CLI_ARGS_H

#include "toadstone/html.h"
#include "toadstone/memory.h"
#include "toadstone/wrap.h"

enum { EXIT_OK = 0, EXIT_FINDING = 1, EXIT_ERROR = 2, EXIT_INCOMPLETE = 3 };

typedef enum cli_pin { PIN_FIRST_USE, PIN_STRICT, PIN_OFF } cli_pin;
typedef enum cli_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL, FORMAT_SARIF } cli_format;

typedef struct args {
    const struct cli_command *command;
    bool recursive, no_ignore, jsonl, acts, json, list, verbose, quiet, preamble, raw, quote_lines, help, man;
    bool has_scope, has_max_bytes, has_envelope, has_fail_on, has_kind;
    toad_scope scope;
    toad_kind kind;
    int show;              /* the least severity that scan prints as text; 0: all, each place by itself */
    toad_severity fail_on; /* TOAD_NONE: never fail because of a finding */
    cli_format format;
    toad_format source_format;
    bool has_render;
    toad_render render;
    uint64_t jobs; /* 0: the operation's own */
    uint64_t max_bytes;
    toad_envelope envelope;
    toad_notice notice;
    toad_spotlight spotlight;
    const char *source, *sender, *subject, *id, *color, *model, *by, *compare, *save;
    const char *store, *session, *category, *since, *until, *out;
    int style; /* a toad__fetched_style */
    const char *digest, *anchor, *event_type, *event_action, *export_format;
    bool has_as;
    int as_model;                /* 0 or 1; where --as was not given, see asker.h */
    const char *taken_for_model; /* why, where nobody said so; or NULL */
    bool has_provenance;
    toad_provenance provenance;
    const char *client;
    const char *agent, *event, *fail; /* of a hook */
    const char **agents;              /* that are set up, proven; owned */
    size_t agents_n;
    bool project, yes;
    uint64_t deadline_ms; /* 0: the operation's own */
    const char *server, *file;
    bool all, undo, dry_run, remote, follow;
    const char *http, *token_file; /* ADDR:PORT */
    const char **hosts, **origins; /* that may speak to it; owned */
    size_t hosts_n, origins_n;
    const char *name, *url;                    /* of a proxied server */
    const char **env, **headers, **header_env; /* NAME or NAME=VALUE; NAME: VALUE; NAME=VARIABLE; owned */
    const char *at, *note, **only_rules;       /* of an exception */
    size_t only_rules_n;
    size_t env_n, headers_n, header_env_n;
    cli_pin pin;
    bool held, wrap_all, same_era;
    uint64_t limit; /* 0: the operation's own */
    uint64_t worst;
    double min_recall, max_false_flags; /* below 0: no bar */
    const char **kind_of;               /* DATASET=KIND, proven; owned */
    size_t kind_of_n;
    const char **parents; /* ids; owned */
    size_t parents_n;
    bool all_words, include_security, all_or_nothing;
    bool check, no_resolve, fresh;
    const char *robots;
    const char **private_hosts, **ports; /* HOST or HOST:PORT; numbers, proven; owned */
    size_t private_hosts_n, ports_n;
    uint64_t timeout;    /* seconds; 0: the operation's own */
    uint64_t start, max; /* the part of a content, bytes; max 0: all that follows */
    const char *binding, *severity;
    const char *provider, *region, *safe, *age; /* of a search, proven */
    uint64_t count;                             /* 0: the operation's own */
    int as_json;                                /* 0 or 1: the hits in the envelope */
    toad_completeness completeness;
    bool origin;
    bool repository;
    const char *baseline, *write_baseline, *suppressions; /* files */
    const char **rules;                                   /* rule files, in the order given; owned */
    size_t rules_n;
    char **operands; /* NULL ends them */
    size_t operands_n;
    bool is_command; /* all of them stand behind "--" */
} args;

typedef enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char * */
    OPTION_WORD,   /* const char *, one of `values` */
    OPTION_CHOICE, /* an enum, or an int: the place of the word among `values`, counted from `least` on and round */
    OPTION_NUMBER, /* uint64_t from `least` to `most`; K, M or G may follow */
    OPTION_SHARE,  /* double, 0 to 1 */
    OPTION_LIST    /* const char **, owned, and its count: each time one more */
} option_type;

/* What an option is called, takes and means, and where in `args` it goes. */
typedef struct option_row {
    char letter;                                 /* 0: none */
    const char *name, *help, *argument, *values; /* values: the words it accepts, separated by blanks, or NULL */
    option_type type;
    size_t at, given,
        count; /* offsets; given: of the bool that says it was there, count: of the size_t of a list; 0: none */
    uint64_t least, most;
    bool (*valid)(const char *value); /* NULL: any */
    const char *aliases;              /* older words for `values`, in the same order, or NULL */
    const char *key; /* its name in a command's list where two commands mean different things by one name, else NULL */
} option_row;
extern const option_row cli_options[];

typedef struct cli_command {
    const char *name, *alias, *synopsis, *summary, *text; /* text: paragraphs for help and man */
    const char *operands; /* words to complete after the command, NULL: files, "": nothing */
    const char *options;  /* long names, separated by blanks */
    int (*run)(args *a);
} cli_command;
extern const cli_command cli_commands[]; /* ends with name NULL */

const cli_command *cli_find_command(const char *name);
/* The next option of a command's list, from *at on; NULL after the last. */
const option_row *cli_next_option(const char **at);
/* "did you mean ...?" on standard error, where one of the words is near to what was typed. */
void cli_guess(const char *typed, const char *words);
/* The message for a command that there is none of; returns the exit status. */
int cli_unknown_command(const char *typed);

/* Parse what follows the command's name. False after a message on stderr; free with args_free either way. */
bool args_parse(args *ret, const cli_command *c, int argc, char **argv);
void args_free(args *a);

/* The commands. Each prints and returns the exit status. */
int cmd_scan(args *a);
int cmd_sanitize(args *a);
int cmd_wrap(args *a);
int cmd_unwrap(args *a);
int cmd_extract(args *a);
int cmd_eval(args *a);
int cmd_fetch(args *a);
int cmd_search(args *a);
int cmd_feed(args *a);
int cmd_read(args *a);
int cmd_rules(args *a);
int cmd_contents(args *a);
int cmd_audit(args *a);
int cmd_log(args *a);
int cmd_sources(args *a);
int cmd_sessions(args *a);
int cmd_learnings(args *a);
int cmd_status(args *a);
int cmd_store(args *a);
int cmd_token(args *a);
int cmd_exceptions(args *a);

int cmd_memory(args *a);
int cmd_confirm(args *a);
int cmd_config(args *a);
int cmd_policy(args *a);
int cmd_mcp(args *a);
int cmd_proxy(args *a);
int cmd_wrap_client(args *a);
int cmd_hook(args *a);
int cmd_setup(args *a);
int cmd_doctor(args *a);
int cmd_prompt(args *a);
int cmd_version(args *a);
int cmd_completion(args *a);
int cmd_help(args *a);

#endif
