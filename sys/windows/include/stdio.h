/* stdio.h - see ../posix.c. */
#ifndef TOAD_WINDOWS_STDIO_H
#define TOAD_WINDOWS_STDIO_H

#include_next <stdio.h>

#define rename toad__rename
#define fopen  toad__fopen

int toad__rename(const char *from, const char *to); /* in one step, over what is there */
int renameat(int from_dir, const char *from, int to_dir, const char *to);
FILE *toad__fopen(const char *path, const char *mode); /* knows "e" and "x" */

#endif
