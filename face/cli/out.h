/* out.h - what the program prints: messages, colors, and names that strangers chose. */
#ifndef TOAD_FACE_CLI_OUT_H
#define TOAD_FACE_CLI_OUT_H

#include "lib/base/buf.h"

/* "toadstone: COMMAND: message" on standard error; `command` may be NULL. */
void cli_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line that says what to do next. */
void cli_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What both have said so far, in one line, as far as it is kept. */
const char *cli_said(void);
/* A status of the library as an error message; returns the exit status for it. */
int cli_status(const char *command, const char *what, toad_status status);

/* `name` with control, invisible and ill-formed parts escaped. One of four static buffers: use it at once, in one
 * thread. */
const char *cli_safe(const char *name);
/* The same appended to `b`. */
void cli_add_safe(toad__buf *b, const char *name);

/* Write to standard output; a failure is remembered. */
void cli_print(toad_str s);
void cli_print_z(const char *z);
/* Flush; false after a message when anything could not be written. */
bool cli_flush(void);

/* Columns of the terminal that standard output (standard error) is; 0: it is none. */
size_t cli_width(void);
size_t cli_error_width(void);

/* Is standard output to be colored? `when`: auto, always, never. */
bool cli_wants_color(const char *when);

/* One operand of an operation that reads it whole, "-" and none meaning standard input. False after a message. */
bool cli_read_operand(const char *command, char **operands, size_t n, toad__buf *out);
#define CLI_WHOLE_MAX ((size_t)1 << 30) /* bytes of an input that is read whole */

#endif
