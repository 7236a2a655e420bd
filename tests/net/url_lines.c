/* Reads {"url","base"} lines and writes how each URL reads, or "!" and the code of its refusal: what url_oracle.mjs
 * compares with another reader. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/json.h"
#include "net/url.h"

static void show(const bzr__json *row, bzr__arena *arena) {
    bzr_str base_text = bzr__json_get_text(row, "base");
    bzr__url base, url;
    bzr__refusal why = BZR__ALLOWED;
    bzr_status status = base_text.n ? bzr__url_parse(base_text, NULL, arena, &base, &why) : BZR_OK;
    if (!status && !why)
        status = bzr__url_parse(bzr__json_get_text(row, "url"), base_text.n ? &base : NULL, arena, &url, &why);
    if (status) exit(2);
    if (why)
        printf("!%s\n", bzr__refusal_code(why));
    else
        printf("%.*s\n", (int)url.text.n, url.text.p);
}

int main(void) {
    char *line = NULL;
    size_t room = 0, at;
    const char *expected;
    for (ssize_t n; (n = getline(&line, &room, stdin)) > 0;) {
        bzr__arena arena;
        const bzr__json *row;
        bzr__arena_init(&arena, (size_t)16 << 20);
        if (bzr__json_parse((bzr_str){ line, (size_t)n }, &arena, &row, &at, &expected)) return 2;
        show(row, &arena);
        bzr__arena_free(&arena);
    }
    free(line);
    return 0;
}
