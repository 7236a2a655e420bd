/* pager.c - see pager.h. A line that is wider than the terminal counts as the lines it takes, in bytes. */
#include "face/cli/pager.h"

#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Where the screen ends that begins at `at`. */
static size_t end_of_screen(toad_str s, size_t at, const struct winsize *size) {
    for (size_t rows = 1; at < s.n;) {
        size_t end = toad__str_find(s, TOAD__S("\n"), at);
        size_t taken = 1 + (end - at) / size->ws_col;
        if (rows > 1 && rows + taken > size->ws_row) return at;
        rows += taken;
        at = end < s.n ? end + 1 : end;
    }
    return at;
}

void cli_page(toad_str s) {
    struct winsize size;
    char line[64];
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row < 3 ||
        size.ws_col < 8) {
        cli_print(s);
        return;
    }
    for (size_t at = 0, end; at < s.n; at = end) {
        end = end_of_screen(s, at, &size);
        cli_print(toad__str_part(s, at, end));
        if (end == s.n) break;
        cli_print_z("-- Enter: more; q: enough -- ");
        cli_flush();
        if (!fgets(line, sizeof line, stdin) || *line == 'q') break;
    }
}
