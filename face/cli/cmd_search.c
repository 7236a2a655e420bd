/* cmd_search.c - `bezoar search`: results of a search service, in an envelope. */
#include "app/web/search.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MAX = 1 << 16 };

/* The place of a word among those an option takes; 0: it was not given. */
static int place_of(const char *word, const char *const *words) {
    int i = 1;
    while (word && strcmp(word, words[i - 1]) != 0) i++; /* args.c takes no others */
    return word ? i : 0;
}

static bzr_status run(bzr__host *host, const args *a, bzr__buf *answer) {
    static const char *const safe[] = { "off", "moderate", "strict" }, *const ages[] = { "day", "week", "month",
                                                                                         "year" };
    bzr__web_search_options options = { .provider = a->provider,
                                        .count = a->count,
                                        .region = bzr__str_z(a->region),
                                        .safe = (bzr__search_safe)place_of(a->safe, safe),
                                        .age = (bzr__search_age)place_of(a->age, ages),
                                        .json = a->as_json,
                                        .timeout_ms = (int)a->timeout * 1000 };
    return bzr__web_search(host, &options, bzr__str_z(a->operands[1]), answer);
}

static void print(const bzr__json *answer) {
    const bzr__json *left_out = bzr__json_get(answer, "left_out");
    cli_print(bzr__json_get_text(answer, "text"));
    cli_print_z("\n");
    fflush(stdout);
    for (const bzr__json *j = left_out ? left_out->child : NULL; j; j = j->next) {
        bzr_str id = bzr__json_get_text(j, "id");
        if (id.n) cli_hint("kept for you: look at it with 'bezoar contents show %.*s'", (int)id.n, id.p);
    }
}

int cmd_search(args *a) {
    static const cli_act acts[] = {
        { .name = "words", .operands = "WORD...", .least = 1, .most = 1, .run = run, .print = print, .degrades = true },
        { 0 }
    };
    static char name[] = "words";
    bzr__buf query;
    if (!a->operands_n) {
        cli_error("search", "what is to be looked for?");
        cli_hint("try 'bezoar help search'");
        return EXIT_ERROR;
    }
    bzr__buf_init(&query, WORDS_MAX);
    for (size_t i = 0; i < a->operands_n; i++) {
        if (i) bzr__buf_add_c(&query, ' ');
        bzr__buf_add_z(&query, a->operands[i]);
    }
    bzr__buf_add_c(&query, '\0');
    char *given[] = { name, query.p };
    a->operands = given;
    a->operands_n = 2;
    int code = query.status ? cli_status("search", "the query", query.status) : cli_run_act(a, acts);
    bzr__buf_free(&query);
    return code;
}
