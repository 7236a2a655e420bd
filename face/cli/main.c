/* main.c - find the command, parse, run. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/person.h"
#include "lib/base/str.h"

#include <locale.h>

int main(int argc, char **argv) {
    static char help[] = "help", *no_arguments[] = { help, NULL };
    cli_take_token();
    setlocale(LC_MESSAGES, "");
    const char *name = argc > 1 ? argv[1] : NULL;
    if (name && (!strcmp(name, "--help") || !strcmp(name, "-h")))
        name = "help";
    else if (name && (!strcmp(name, "--version") || !strcmp(name, "-V")))
        name = "version";
    const cli_command *c = cli_find_command(name ? name : "help");
    if (!c) return cli_unknown_command(name);
    args a;
    bool ok = name ? args_parse(&a, c, argc - 1, argv + 1) : args_parse(&a, c, 1, no_arguments);
    int code = !ok ? EXIT_ERROR : a.help ? cmd_help(&a) : c->run(&a);
    args_free(&a);
    if (!cli_flush()) code = EXIT_ERROR;
    return name ? code : EXIT_ERROR;
}
