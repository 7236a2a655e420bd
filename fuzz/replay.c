/* replay.c - runs a fuzzer's function over every file of a corpus folder, each in an exactly sized buffer. The folder
 * may be missing: the empty input is always run. A seed with invisible characters is kept as NAME.escaped, where \xNN
 * is a byte: nobody meets them by reading the tree. */
#include "tests/support/exact.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), k = strlen(end);
    return n >= k && !strcmp(s + n - k, end);
}

/* Undo \xNN in place; returns the new length. */
static size_t unescape(char *p, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        char digits[3] = { 0 };
        bool escape = i + 4 <= n && p[i] == '\\' && p[i + 1] == 'x';
        if (escape) memcpy(digits, p + i + 2, 2);
        p[to++] = escape ? (char)strtol(digits, NULL, 16) : p[i];
        if (escape) i += 3;
    }
    return to;
}

static int run_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return 1;
    char *all = NULL;
    size_t n = 0, got;
    char chunk[65536];
    while ((got = fread(chunk, 1, sizeof chunk, f))) {
        char *more = realloc(all, n + got);
        if (!more) abort();
        memcpy(more + n, chunk, got);
        all = more;
        n += got;
    }
    fclose(f);
    if (ends_with(path, ".escaped")) n = unescape(all, n);
    char *exact = exact_dup(all, n);
    free(all);
    LLVMFuzzerTestOneInput((const uint8_t *)exact, n);
    free(exact);
    return 0;
}

int main(int argc, char **argv) {
    int failed = 0, files = 0;
    char *empty = exact_dup("", 0);
    LLVMFuzzerTestOneInput((const uint8_t *)empty, 0);
    free(empty);
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            char path[4096];
            if (e->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            failed += run_file(path);
            files++;
        }
        if (dir) closedir(dir);
    }
    printf("%d corpus files replayed\n", files);
    return failed != 0;
}
