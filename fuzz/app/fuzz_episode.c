/* fuzz_episode.c - any line as an act and what led to it: read, judged, told.
 *
 * Holds: a line is refused with a reason or answered with JSON that says allow or ask; each place that is told lies in
 * the read it names; labels change nothing; an act is judged alike twice. */
#include "app/act/acts.h"
#include "app/act/episode.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static toad_engine *engine;
static toad_scanner *scanner;

static void check_places(const toad__episode *e, const toad__trace *trace) {
    CHECK(trace->ask == (trace->why >= TOAD__WHY_ORDER));
    for (size_t i = 0; i < trace->n; i++) {
        const toad__traced *t = &trace->rows[i];
        CHECK(toad__origin_name(t->from));
        CHECK(t->from < TOAD__FROM_FIELD || t->read < e->act.reads_n);
        CHECK(t->at.start <= t->at.end);
        CHECK(!t->at.end || t->at.end <= e->act.reads[t->read].text.n);
    }
}

static void check_answer(const toad__episode *e, const toad__trace *trace) {
    toad__buf out;
    toad__arena arena;
    const toad__json *root;
    size_t at;
    const char *expected;
    toad__buf_init(&out, 1u << 22);
    toad__arena_init(&arena, 1u << 26);
    toad__buf_add_c(&out, '{');
    toad__episode_tell(e, trace, &out);
    toad__buf_add_c(&out, '}');
    CHECK(!out.status);
    CHECK(!toad__json_parse(toad__buf_str(&out), &arena, &root, &at, &expected));
    CHECK(toad__str_is_one_of(toad__json_get_text(root, "decision"), "allow ask"));
    toad__arena_free(&arena);
    toad__buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    toad__episode e;
    toad__trace first, second;
    toad__acts_row row;
    if (!engine) CHECK(!toad_engine_new(NULL, &engine) && !toad_scanner_new(engine, &scanner));
    toad__arena_init(&arena, TOAD__EPISODE_ARENA);
    toad_status status = toad__episode_read(toad__str(data, size), &arena, &e);
    CHECK(status != TOAD_E_SYNTAX || *e.error);
    if (!status) {
        CHECK(!toad__episode_judge(scanner, &e, &arena, &first));
        check_places(&e, &first);
        check_answer(&e, &first);
        CHECK(!toad__episode_judge(scanner, &e, &arena, &second));
        CHECK(first.why == second.why && first.n == second.n);
        toad__acts_read(e.root, &arena, &row);
    }
    toad__arena_free(&arena);
    return 0;
}
