/* main.c - find the command, parse, run. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <locale.h>

/* Edit distance of two short words, to guess what was meant. */
static unsigned distance(const char *a, const char *b) {
    unsigned row[32];
    size_t n = strlen(b);
    if (n > 30 || strlen(a) > 30) return 99;
    for (unsigned j = 0; j <= n; j++) row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            unsigned change = corner + (a[i - 1] != b[j - 1]), step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < step ? change : step;
        }
    }
    return row[n];
}

static int unknown_command(const char *name) {
    const cli_command *best = NULL;
    unsigned least = 3;
    for (const cli_command *c = cli_commands; c->name; c++) {
        unsigned d = distance(name, c->name);
        if (d >= least) continue;
        least = d;
        best = c;
    }
    cli_error(NULL, "unknown command '%s'", cli_safe(name));
    if (best) cli_hint("did you mean 'toadstone %s'?", best->name);
    cli_hint("'toadstone help' lists the commands");
    return EXIT_ERROR;
}

int main(int argc, char **argv) {
    static char help[] = "help", *no_arguments[] = { help, NULL };
    setlocale(LC_MESSAGES, "");
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h")))
        name = "help";
    else if (name && (!strcmp(name, "--version") || !strcmp(name, "-V")))
        name = "version";
    const cli_command *c = cli_find_command(name ? name : "help");
    if (!c) return unknown_command(name);
    args a;
    bool ok = name ? args_parse(&a, c, argc - 1, argv + 1) : args_parse(&a, c, 1, no_arguments);
    int code = !ok ? EXIT_ERROR : a.help ? cmd_help(&a) : c->run(&a);
    args_free(&a);
    if (!cli_flush()) code = EXIT_ERROR;
    return name ? code : EXIT_ERROR;
}
