/* help.c - help, completion scripts and the manual page, all printed from the tables. */
#include "face/cli/act.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include "toadstone/toadstone.h"

#include <stdio.h>

/* Words, broken before column 79; a line feed begins a paragraph. One that begins with blanks is an example and stays
 * on its line. */
static void print_wrapped(const char *text, int indent) {
    int column = 0;
    bool example = false;
    for (; *text; text += strspn(text, " ")) {
        int n = (int)strcspn(text, example ? "\n" : " \n");
        if (*text == '\n' || (!example && column && column + 1 + n > 78)) {
            putchar('\n');
            column = 0;
        }
        if (*text == '\n') {
            example = *++text == ' ';
            if (example) column += printf(" ");
            continue;
        }
        printf("%*s%.*s", column ? 1 : indent, "", n, text);
        column += (column ? 1 : indent) + n;
        text += n;
    }
    putchar('\n');
}

static void print_option(const option_row *o) {
    char left[64], right[256];
    if (o->letter)
        snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
    else
        snprintf(left, sizeof left, "    --%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
    snprintf(right, sizeof right, "%s%s%s", o->help, o->values ? ": " : "", o->values ? o->values : "");
    printf("  %s\n", left);
    print_wrapped(right, 8);
}

static void print_envelopes(void) {
    printf("\nenvelopes:\n");
    for (int e = 0; e <= TOAD_ENVELOPE_SPOTLIGHT; e++)
        printf("  %-24s%s\n", toad_envelope_name((toad_envelope)e), toad_envelope_title((toad_envelope)e));
}

static void print_command(const cli_command *c) {
    const char *at = c->options;
    printf("usage: toadstone %s %s\n\n", c->name, c->synopsis);
    print_wrapped(*c->text ? c->text : c->summary, 0);
    printf("\noptions:\n");
    for (const option_row *o; (o = cli_next_option(&at));) print_option(o);
    if (c->run == cmd_wrap) print_envelopes();
    if (c->run == cmd_scan)
        printf("\nexit status: 0 nothing at or above --fail-on, 1 a finding, 2 an error, 3 an incomplete scan\n");
}

/* Every command stands in one group; what stands in none is printed last. */
static const struct {
    const char *title, *commands;
} groups[] = {
    { "protect your agent, and see what happens", "setup doctor status log contents scan" },
    { "what an agent may do and read", "confirm exceptions sources policy config wrap-client proxy mcp hook token" },
    { "look at text", "sanitize wrap unwrap extract rules eval prompt" },
    { "from outside, past the guards", "fetch read search feed" },
    { "memory and records", "memory sessions learnings audit store" },
    { "this program", "help version completion" },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static size_t group_of(const cli_command *c) {
    size_t i = 0;
    while (i < GROUPS && !toad__str_is_one_of(toad__str_z(c->name), groups[i].commands)) i++;
    return i;
}

static void print_row(const cli_command *c) { printf("  %-12s%s\n", c->name, c->summary); }

/* In the order of the group. */
static void print_group(size_t g) {
    printf("%s:\n", groups[g].title);
    for (const char *at = groups[g].commands; *at;) {
        size_t n = strcspn(at, " ");
        for (const cli_command *c = cli_commands; c->name; c++)
            if (toad__str_eq(toad__str_z(c->name), toad__str(at, n))) print_row(c);
        at += n + (at[n] == ' ');
    }
    putchar('\n');
}

static void print_commands(void) {
    printf("toadstone %s - screens untrusted text before an LLM agent reads it\n\nusage: toadstone COMMAND [OPTION]... "
           "[FILE]...\n\n",
           toad_version());
    for (size_t g = 0; g < GROUPS; g++) print_group(g);
    for (const cli_command *c = cli_commands; c->name; c++)
        if (group_of(c) == GROUPS) print_row(c);
    printf("'toadstone help COMMAND' explains one. To begin: toadstone status\n");
}

/* ---- as JSON ---- */

static void add_option(toad__answer *out, const option_row *o) {
    char letter[2] = { o->letter, 0 };
    toad__answer_object(out, NULL);
    toad__answer_z(out, "name", o->name);
    toad__answer_some(out, "letter", toad__str_z(letter));
    toad__answer_z(out, "argument", o->argument);
    toad__answer_z(out, "values", o->values);
    toad__answer_z(out, "help", o->help);
    toad__answer_end(out);
}

static void add_command(toad__answer *out, const cli_command *c) {
    const char *at = c->options;
    size_t group = group_of(c);
    toad__answer_object(out, NULL);
    toad__answer_z(out, "name", c->name);
    toad__answer_z(out, "group", group < GROUPS ? groups[group].title : NULL);
    toad__answer_z(out, "summary", c->summary);
    toad__answer_z(out, "synopsis", c->synopsis);
    toad__answer_z(out, "text", c->text);
    toad__answer_array(out, "options");
    for (const option_row *o; (o = cli_next_option(&at));) add_option(out, o);
    toad__answer_end(out);
    toad__answer_end(out);
}

static int print_json(const cli_command *only) {
    toad__answer answer;
    toad__answer_init(&answer, 1u << 24);
    toad__answer_z(&answer, "version", toad_version());
    toad__answer_array(&answer, "commands");
    for (const cli_command *c = cli_commands; c->name; c++)
        if (!only || only == c) add_command(&answer, c);
    toad__answer_end(&answer);
    toad_status status = cli_print_answer(&answer);
    toad__answer_free(&answer);
    return status ? cli_status("help", "answer", status) : EXIT_OK;
}

static void man_text(const char *text) {
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\n.PP\n", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
    }
}

static void man_option(const option_row *o) {
    fputs(".TP\n\\fB", stdout);
    if (o->letter) printf("\\-%c\\fR, \\fB", o->letter);
    fputs("\\-\\-", stdout);
    man_text(o->name);
    fputs("\\fR", stdout);
    if (o->argument) printf(" \\fI%s\\fR", o->argument);
    putchar('\n');
    man_text(o->help);
    if (o->values) printf(": %s", o->values);
    putchar('\n');
}

static void print_man(void) {
    printf(".TH TOADSTONE 1 \"\" \"toadstone %s\" \"User Commands\"\n.SH NAME\n"
           "toadstone \\- screens untrusted text before an LLM agent reads it\n.SH SYNOPSIS\n.B toadstone\n"
           "\\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.SH COMMANDS\n",
           toad_version());
    for (const cli_command *c = cli_commands; c->name; c++) {
        const char *at = c->options;
        printf(".SS \"toadstone %s ", c->name);
        man_text(c->synopsis);
        fputs("\"\n", stdout);
        man_text(*c->text ? c->text : c->summary);
        putchar('\n');
        for (const option_row *o; (o = cli_next_option(&at));) man_option(o);
    }
    fputs(
        ".SH EXIT STATUS\n.TP\n0\nnothing at or above \\-\\-fail\\-on\n.TP\n1\na finding at or above it\n.TP\n2\nan "
        "error\n"
        ".TP\n3\nan incomplete scan without such a finding\n.SH ENVIRONMENT\n.TP\nNO_COLOR\nno colors when it is set\n",
        stdout);
}

int cmd_help(args *a) {
    const cli_command *c = a->help ? a->command : NULL;
    if (a->man) {
        print_man();
        return EXIT_OK;
    }
    if (!a->help && a->operands_n && !(c = cli_find_command(a->operands[0])))
        return cli_unknown_command(a->operands[0]);
    if (a->json && !a->help) return print_json(c);
    if (c && (c->run != cmd_help || a->operands_n))
        print_command(c);
    else
        print_commands();
    return EXIT_OK;
}

static void print_options(const cli_command *c, const char *format) {
    const char *at = c->options;
    for (const option_row *o; (o = cli_next_option(&at));) printf(format, o->name);
}

static void complete_bash(void) {
    fputs("# bash completion of toadstone\n_toadstone() {\n    local cur=${COMP_WORDS[COMP_CWORD]} "
          "prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='",
          stdout);
    for (const cli_command *c = cli_commands; c->name; c++) printf("%s ", c->name);
    fputs("'\n    else\n        case ${COMP_WORDS[1]}:$prev in\n", stdout);
    for (const cli_command *c = cli_commands; c->name; c++) {
        const char *at = c->options;
        for (const option_row *o; (o = cli_next_option(&at));)
            if (o->values) printf("        %s:--%s) words='%s' ;;\n", c->name, o->name, o->values);
    }
    fputs("        *) case ${COMP_WORDS[1]} in\n", stdout);
    for (const cli_command *c = cli_commands; c->name; c++) {
        printf("            %s%s%s) words='%s%s", c->name, c->alias ? "|" : "", c->alias ? c->alias : "",
               c->operands ? c->operands : "", c->operands && *c->operands ? " " : "");
        print_options(c, "--%s ");
        fputs("' ;;\n", stdout);
    }
    fputs("        esac ;;\n        esac\n    fi\n    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
          "complete -o default -F _toadstone toadstone\n",
          stdout);
}

static void print_escaped(const char *text, const char *special) {
    for (; *text; text++) {
        if (strchr(special, *text)) putchar('\\');
        putchar(*text);
    }
}

static void complete_zsh(void) {
    fputs("#compdef toadstone\n_toadstone() {\n    local -a commands\n    commands=(\n", stdout);
    for (const cli_command *c = cli_commands; c->name; c++) printf("        '%s:%s'\n", c->name, c->summary);
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n    "
          "case $words[2] in\n",
          stdout);
    for (const cli_command *c = cli_commands; c->name; c++) {
        const char *at = c->options;
        printf("    %s%s%s) _arguments", c->name, c->alias ? "|" : "", c->alias ? c->alias : "");
        for (const option_row *o; (o = cli_next_option(&at));) {
            printf(" \\\n        '--%s[", o->name);
            print_escaped(o->help, "[]:");
            printf("]%s%s", o->argument ? ":" : "", o->argument ? o->argument : "");
            if (o->argument && o->values)
                printf(":(%s)", o->values);
            else if (o->argument)
                fputs(":_files", stdout);
            putchar('\'');
        }
        if (c->operands && *c->operands) printf(" \\\n        '1: :(%s)'", c->operands);
        fputs(" \\\n        '*: :_files' ;;\n", stdout);
    }
    fputs("    esac\n}\n_toadstone \"$@\"\n", stdout);
}

static void complete_fish(void) {
    fputs("# fish completion of toadstone\n", stdout);
    for (const cli_command *c = cli_commands; c->name; c++) {
        const char *at = c->options;
        printf("complete -c toadstone -n __fish_use_subcommand -a %s -d \"%s\"\n", c->name, c->summary);
        if (c->operands && *c->operands)
            printf("complete -c toadstone -n '__fish_seen_subcommand_from %s' -a '%s'\n", c->name, c->operands);
        for (const option_row *o; (o = cli_next_option(&at));) {
            printf("complete -c toadstone -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
            if (o->letter) printf(" -s %c", o->letter);
            if (o->values)
                printf(" -xa '%s'", o->values);
            else if (o->argument)
                fputs(" -r", stdout);
            printf(" -d \"%s\"\n", o->help);
        }
    }
}

int cmd_completion(args *a) {
    static const struct {
        const char *shell;
        void (*print)(void);
    } shells[] = { { "bash", complete_bash }, { "zsh", complete_zsh }, { "fish", complete_fish } };
    const char *shell = a->operands_n == 1 ? a->operands[0] : "";
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shell, shells[i].shell)) continue;
        shells[i].print();
        return EXIT_OK;
    }
    cli_error("completion", "which shell? bash, zsh or fish");
    return EXIT_ERROR;
}
