/* commands.c - the two tables behind the command line. What is not in them does not exist: help, completion and the man
 * page are printed from them. */
#include "face/cli/args.h"

const cli_command cli_commands[] = {
    { "scan", NULL, "[-r] [OPTION]... [FILE|DIR|-]...", "look for attacks on an agent in text of any kind",
      "Reads files, directories (with -r) or standard input and says what in them tries to steer an LLM agent. "
      "Directories are walked in path order; what .gitignore files leave out, .git and symbolic links are passed over, "
      "and files that are no text are skipped and counted.\n"
      "With --jsonl each line of the input is an object with \"text\" or \"bytes_b64\", and optionally \"id\", "
      "\"kind\", \"scope\" and "
      "\"source\"; each line of the output is its verdict with the same id, in the same order.",
      NULL, "recursive scope kind fail-on format jobs rules model max-bytes jsonl no-ignore color verbose quiet", cmd_scan },
    { "sanitize", "sanitise", "[OPTION]... [FILE|-]", "remove what only serves to hide",
      "Prints the text without invisible, bidirectional and control characters that no script needs. "
      "Letters, look-alikes and emoji stay as they are. What was removed is counted on standard error with -v. "
      "With --jsonl each line of the input is an object, as for scan.",
      NULL, "jsonl verbose", cmd_sanitize },
    { "wrap", NULL, "--envelope E [OPTION]... [FILE|-]", "put untrusted text into a marked block",
      "Prints the text inside an envelope that an agent can tell from its instructions; nothing in the text can close "
      "it. "
      "With --jsonl each line of the input is an object, as for scan.",
      NULL, "envelope source sender subject notice id spotlight max-bytes preamble raw quote-lines jsonl verbose",
      cmd_wrap },
    { "unwrap", NULL, "[--id ID] [FILE|-]", "take the text out of its envelope",
      "Reads one envelope of any family and prints what is inside.", NULL, "id", cmd_unwrap },
    { "extract", NULL, "[--format html|markdown|auto] [--json] [FILE|-]",
      "split a page into what a person sees and what it hides",
      "Prints the visible text. With --json also each hidden piece with its reason, and the links.", NULL,
      "source-format json", cmd_extract },
    { "eval", NULL, "[OPTION]... [FILE|-]...", "measure detection on labelled rows",
      "Reads JSON lines, each an object with \"label\" (\"attack\" or \"benign\") and \"text\" or \"bytes_b64\", and optionally "
      "\"id\", \"dataset\", \"subset\" and \"kind\"; scans every row and prints a table: the share of attacks blocked (high) and flagged "
      "(medium or high), the same of benign rows, which are false alarms, with 95 % intervals, per 1,000 windows of 2 KiB and per MB, and "
      "the area under the curve. Then the worst misses and false alarms, escaped.\n"
      "--by rule counts for each rule the rows it matched in. A run kept with --save can be compared with a later one. "
      "--min-recall and --max-false-flags make it a test: exit status 1 where a bar is not met.",
      NULL, "by worst save compare min-recall max-false-flags json kind kind-of scope jobs rules model quiet", cmd_eval },
    { "rules", NULL, "list | show ID | test FILE... | check [FILE...]", "list, explain and check rules",
      "list prints every rule; show explains one; test proves the match and pass examples of rule files; "
      "check reads rule files and reports the first mistake of each with file, line and field.",
      "list show test check", "rules json", cmd_rules },
    { "prompt", NULL, "SECTION | --list", "print a section for a system prompt",
      "Sections tell the agent how to treat wrapped content.", NULL, "list", cmd_prompt },
    { "version", NULL, "", "print the version of the program and of the catalogue", "", "", "", cmd_version },
    { "completion", NULL, "bash | zsh | fish", "print the completion script of a shell", "", "bash zsh fish", "",
      cmd_completion },
    { "help", NULL, "[COMMAND]", "explain a command", "", "", "man", cmd_help },
    { 0 },
};
