/* process.h - the processes above this one, as /proc tells (proc(5)). */
#ifndef TOAD_SYS_PROCESS_H
#define TOAD_SYS_PROCESS_H

#include <stdbool.h>

typedef struct toad__process {
    long pid, parent;
    unsigned long long start; /* ticks since the machine started: with `pid` it is no other's */
    char name[64];
} toad__process;

/* False: there is no such process, or it cannot be read. */
bool toad__process_of(long pid, toad__process *ret);

#define TOAD__STARTER 64
/* What started this program, through whatever shells: "PID.START", the same for all that one agent starts. False:
 * nobody knows. */
bool toad__starter(char ret[TOAD__STARTER]);
/* Is it alive? */
bool toad__starter_lives(const char *starter);
/* Is standard input one end of a pair of sockets that the starter made for this program? Then nobody else wrote what is
 * read there: a program of its shell has no such input with words of its own, unless it can attach to the starter as a
 * debugger does. Most agents (Node, Bun) start hooks so; false says nothing. */
bool toad__fed_by_starter(const char *starter);

#endif
