/* Prints, for each row of a file of vectors, the verdict, the sanitized text and what a model may see: the same bytes
 * on every machine that the library runs on, and from every language (tests/bindings). Usage: verdicts FILE, a JSON
 * object with "id" and "text" a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "toadstone/toadstone.h"

static toad_scanner *scanner;

static void out(const char *what, toad_status status, toad_text *text) {
    printf(" %s ", what);
    if (status)
        fputs(toad_status_message(status), stdout);
    else
        fwrite(toad_text_str(text).p, 1, toad_text_str(text).n, stdout);
    toad_text_free(text);
}

/* In an envelope with an id that is no secret, and so is always the same. */
static void guarded(toad_str text) {
    toad_wrap_options envelope = TOAD_WRAP_OPTIONS_INIT;
    toad_guard_options options = TOAD_GUARD_OPTIONS_INIT;
    toad_guarded *seen;
    envelope.id_mode = TOAD_ID_GIVEN, envelope.id = (toad_str){ "0", 1 };
    options.kind = TOAD_KIND_WEB, options.wrap = &envelope;
    toad_status status = toad_guard(scanner, text, &options, &seen);
    if (status) {
        printf(" guarded %s", toad_status_message(status));
        return;
    }
    printf(" %s ", toad_action_name(toad_guarded_action(seen)));
    fwrite(toad_guarded_text(seen).p, 1, toad_guarded_text(seen).n, stdout);
    toad_guarded_free(seen);
}

static void row(const toad__json *vector) {
    toad_str id = toad__json_get_text(vector, "id"), text = toad__json_get_text(vector, "text");
    const toad_verdict *verdict;
    toad_text *json = NULL, *clean = NULL;
    toad_status status = toad_scan(scanner, text, NULL, &verdict);
    if (!status) status = toad_verdict_json(verdict, &json);
    printf("%.*s", (int)id.n, id.n ? id.p : "");
    out("verdict", status, json);
    status = toad_sanitize(text, NULL, &clean, NULL);
    out("sanitized", status, clean);
    guarded(text);
    putchar('\n');
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    toad_engine *engine;
    char *line = NULL;
    size_t room = 0, at;
    const char *expected;
    if (!file || toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 2;
    for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
        toad__arena arena;
        const toad__json *vector;
        toad__arena_init(&arena, (size_t)64 << 20);
        if (toad__json_parse((toad_str){ line, (size_t)n }, &arena, &vector, &at, &expected)) return 2;
        row(vector);
        toad__arena_free(&arena);
    }
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    free(line);
    return fclose(file) ? 2 : 0;
}
