/* Reads {"url","base"} lines and writes how each URL reads, or "!" and the code of its refusal: what url_oracle.mjs
 * compares with another reader. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/json.h"
#include "net/url.h"

static void show(const toad__json *row, toad__arena *arena) {
    toad_str base_text = toad__json_get_text(row, "base");
    toad__url base, url;
    toad__refusal why = TOAD__ALLOWED;
    toad_status status = base_text.n ? toad__url_parse(base_text, NULL, arena, &base, &why) : TOAD_OK;
    if (!status && !why)
        status = toad__url_parse(toad__json_get_text(row, "url"), base_text.n ? &base : NULL, arena, &url, &why);
    if (status) exit(2);
    if (why)
        printf("!%s\n", toad__refusal_code(why));
    else
        printf("%.*s\n", (int)url.text.n, url.text.p);
}

int main(void) {
    char *line = NULL;
    size_t room = 0, at;
    const char *expected;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        toad__arena arena;
        const toad__json *row;
        toad__arena_init(&arena, (size_t)16 << 20);
        if (toad__json_parse((toad_str){ line, (size_t)n }, &arena, &row, &at, &expected)) return 2;
        show(row, &arena);
        toad__arena_free(&arena);
    }
    free(line);
    return 0;
}
