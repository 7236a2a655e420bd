/* Prints, for each row of a file of vectors, the verdict and the sanitized text: the same bytes on every machine that
 * the library runs on. Usage: verdicts FILE, a JSON object with "id" and "text" a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezoar/bezoar.h"
#include "lib/base/json.h"

static bzr_scanner *scanner;

static void out(const char *what, bzr_status status, bzr_text *text) {
    printf(" %s ", what);
    if (status)
        fputs(bzr_status_message(status), stdout);
    else
        fwrite(bzr_text_str(text).p, 1, bzr_text_str(text).n, stdout);
    bzr_text_free(text);
}

static void row(const bzr__json *vector) {
    bzr_str id = bzr__json_get_text(vector, "id"), text = bzr__json_get_text(vector, "text");
    const bzr_verdict *verdict;
    bzr_text *json = NULL, *clean = NULL;
    bzr_status status = bzr_scan(scanner, text, NULL, &verdict);
    if (!status) status = bzr_verdict_json(verdict, &json);
    printf("%.*s", (int)id.n, id.n ? id.p : "");
    out("verdict", status, json);
    status = bzr_sanitize(text, NULL, &clean, NULL);
    out("sanitized", status, clean);
    putchar('\n');
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    bzr_engine *engine;
    char *line = NULL;
    size_t room = 0, at;
    const char *expected;
    if (!file || bzr_engine_new(NULL, &engine) || bzr_scanner_new(engine, &scanner)) return 2;
    for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
        bzr__arena arena;
        const bzr__json *vector;
        bzr__arena_init(&arena, (size_t)64 << 20);
        if (bzr__json_parse((bzr_str){ line, (size_t)n }, &arena, &vector, &at, &expected)) return 2;
        row(vector);
        bzr__arena_free(&arena);
    }
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    free(line);
    return fclose(file) ? 2 : 0;
}
