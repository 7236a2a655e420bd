/* cmd_search.c - `toadstone search`: results of a search service, in an envelope. */
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

static toad_status run(toad__host *host, const args *a, toad__answer *answer) {
    static const char *const safe[] = { "off", "moderate", "strict" }, *const ages[] = { "day", "week", "month",
                                                                                         "year" };
    toad__web_search_options options = { .provider = a->provider,
                                         .count = a->count,
                                         .region = toad__str_z(a->region),
                                         .safe = (toad__search_safe)place_of(a->safe, safe),
                                         .age = (toad__search_age)place_of(a->age, ages),
                                         .json = a->as_json,
                                         .timeout_ms = (int)a->timeout * 1000 };
    return toad__web_search(host, &options, toad__str_z(a->operands[1]), answer);
}

static void print(const toad__json *answer) {
    const toad__json *left_out = toad__json_get(answer, "left_out");
    cli_print(toad__json_get_text(answer, "text"));
    cli_print_z("\n");
    fflush(stdout);
    for (const toad__json *j = left_out ? left_out->child : NULL; j; j = j->next) {
        toad_str id = toad__json_get_text(j, "id");
        if (id.n) cli_hint("kept for you: look at it with 'toadstone contents show %.*s'", (int)id.n, id.p);
    }
}

int cmd_search(args *a) {
    static const cli_act acts[] = {
        { .name = "words", .operands = "WORD...", .least = 1, .most = 1, .run = run, .print = print, .degrades = true },
        { 0 }
    };
    static char name[] = "words";
    toad__buf query;
    if (!a->operands_n) {
        cli_error("search", "what is to be looked for?");
        cli_hint("try 'toadstone help search'");
        return EXIT_ERROR;
    }
    toad__buf_init(&query, WORDS_MAX);
    for (size_t i = 0; i < a->operands_n; i++) {
        if (i) toad__buf_add_c(&query, ' ');
        toad__buf_add_z(&query, a->operands[i]);
    }
    toad__buf_add_c(&query, '\0');
    char *given[] = { name, query.p };
    a->operands = given;
    a->operands_n = 2;
    int code = query.status ? cli_status("search", "the query", query.status) : cli_run_act(a, acts);
    toad__buf_free(&query);
    return code;
}
