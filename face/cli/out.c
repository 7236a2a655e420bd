/* out.c - see out.h. */
#include "face/cli/out.h"
#include "app/host/input.h"
#include "face/cli/args.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char said[4096];

/* One thread speaks for the program. */
static void keep_said(const char *format, va_list list) {
    size_t n = strlen(said);
    if (n) n += (size_t)snprintf(said + n, sizeof said - n, "; ");
    if (n < sizeof said) vsnprintf(said + n, sizeof said - n, format, list);
}

const char *cli_said(void) { return said; }

void cli_error(const char *command, const char *format, ...) {
    va_list list;
    va_start(list, format);
    keep_said(format, list);
    va_end(list);
    va_start(list, format);
    fflush(stdout);
    fputs("toadstone: ", stderr);
    if (command) fprintf(stderr, "%s: ", command);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void cli_hint(const char *format, ...) {
    va_list list;
    va_start(list, format);
    keep_said(format, list);
    va_end(list);
    va_start(list, format);
    fputs("  ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

int cli_status(const char *command, const char *what, toad_status status) {
    cli_error(command, "%s: %s", cli_safe(what), toad_status_message(status));
    cli_hint("%s", toad_status_help(status));
    return EXIT_ERROR;
}

void cli_add_safe(toad__buf *b, const char *name) {
    toad__buf quoted;
    toad__buf_init(&quoted, 1u << 20);
    toad__json_add_utf8(&quoted, toad__str_z(name));
    if (!quoted.status) toad__buf_add(b, quoted.p + 1, quoted.n - 2);
    toad__buf_free(&quoted);
}

const char *cli_safe(const char *name) {
    static char rings[4][4096];
    static unsigned turn;
    char *out = rings[turn++ % 4];
    toad__buf b;
    toad__buf_init(&b, 1u << 20);
    cli_add_safe(&b, name);
    const char *tail = b.n ? b.p : "";
    size_t n = b.n, left = 0;
    if (n >= sizeof rings[0]) { /* a path too long to be opened: its last names tell more than nothing */
        tail = memchr(b.p + n - 600, '/', 600);
        if (!tail) tail = b.p + n;
        n = (size_t)(b.p + b.n - tail);
        memcpy(out, "...", left = 3);
    }
    memcpy(out + left, tail, n);
    out[left + n] = 0;
    toad__buf_free(&b);
    return out;
}

void cli_print(toad_str s) {
    if (s.n) fwrite(s.p, 1, s.n, stdout);
}

void cli_print_z(const char *z) { fputs(z, stdout); }

bool cli_flush(void) {
    bool failed = fflush(stdout) || ferror(stdout);
    if (failed) cli_error(NULL, "cannot write the output: %s", strerror(errno));
    return !failed;
}

static size_t width_of(int fd) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    long n = columns ? strtol(columns, NULL, 10) : 0;
    if (!isatty(fd)) return 0;
    if (n > 0 && n < 10000) return (size_t)n;
    return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

size_t cli_width(void) { return width_of(STDOUT_FILENO); }
size_t cli_error_width(void) { return width_of(STDERR_FILENO); }

bool cli_wants_color(const char *when) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (strcmp(when, "auto")) return !strcmp(when, "always");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

bool cli_read_operand(const char *command, char **operands, size_t n, toad__buf *out) {
    const char *path = n ? operands[0] : "-";
    if (n > 1) {
        cli_error(command, "one input is read, '%s' is one too many", cli_safe(operands[1]));
        return false;
    }
    if (!n && isatty(STDIN_FILENO)) cli_hint("reading what you type, until Ctrl-D; a file can be named instead");
    int err = toad__input_slurp(path, out);
    if (err == EFBIG)
        cli_error(command, "'%s' is larger than %zu bytes", cli_safe(path), out->max);
    else if (err)
        cli_error(command, "cannot read '%s': %s", cli_safe(path), strerror(err));
    return !err;
}
