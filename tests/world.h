/* world.h - what an operation needs: an engine and a host on a store of its own, in a directory that goes away with it.
 * And, for what passes between an MCP client and a server, a screen on that host. */
#ifndef TOAD_TESTS_WORLD_H
#define TOAD_TESTS_WORLD_H

#include "app/host/authority.h"
#include "app/host/host.h"
#include "app/mcp/screen.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct world {
    char directory[64], path[96]; /* path: of the store */
    toad_engine *engine;
    toad__config *config; /* NULL: none */
    toad__host host;
    toad__arena arena; /* of the test */
    toad__buf out;
    toad__answer answer;
    /* of a world with a screen */
    toad__screen *screen;
    toad__screen_options options;
    toad__screen_result result;
    toad__screen_decision decision;
    char *text; /* of the last value, exactly sized */
    size_t text_n;
} world;

/* The face of a test: whoever is asked agrees. What a real face finds out is tested in tests/cli/gate.bats. */
static inline bool world_agrees(const char *what, toad_str question, char why[160]) {
    (void)what, (void)question, (void)why;
    return true;
}
static const toad__person world_person = { .how = "test", .agrees = world_agrees };

static inline void world_open(world *w, toad__config *config) {
    *w = (world){ .directory = "/tmp/toadstone-test-XXXXXX", .config = config };
    assert_non_null(mkdtemp(w->directory));
    snprintf(w->path, sizeof w->path, "%s/s.db", w->directory);
    assert_int_equal(toad_engine_new(NULL, &w->engine), TOAD_OK);
    assert_int_equal(toad__host_open(w->engine, config, w->path, &w->host), TOAD_OK);
    w->host.session = TOAD__S("s1");
    w->host.person = &world_person;
    toad__arena_init(&w->arena, 256u << 20);
    toad__buf_init(&w->out, 64u << 20);
    toad__answer_init(&w->answer, 64u << 20);
}

/* A screen with these options in place of the one before. */
static inline void world_screen(world *w) {
    toad__screen_free(w->screen);
    w->screen = NULL;
    assert_int_equal(toad__screen_new(&w->host, &w->options, &w->screen), TOAD_OK);
}

static inline void world_open_screen(world *w, toad__config *config) {
    world_open(w, config);
    w->host.by = TOAD__READER_MODEL;
    w->options = (toad__screen_options)TOAD__SCREEN_OPTIONS_INIT;
    world_screen(w);
}

static inline void world_close(world *w) {
    char command[96];
    toad__screen_free(w->screen);
    toad__buf_free(&w->out);
    toad__answer_free(&w->answer);
    free(w->text);
    toad__arena_free(&w->arena);
    toad__host_close(&w->host);
    toad__config_free(w->config);
    toad_engine_free(w->engine);
    snprintf(command, sizeof command, "rm -r %s", w->directory);
    assert_int_equal(system(command), 0);
}

static inline const toad__json *world_parse(world *w, toad_str json) {
    const toad__json *root = NULL;
    size_t at;
    const char *expected;
    if (toad__json_parse(json, &w->arena, &root, &at, &expected)) fail_msg("no JSON: %.*s", (int)json.n, json.p);
    return root;
}

/* As cmocka's set-up and tear-down: *state is a world. */
static inline int world_set_up(void **state) {
    *state = calloc(1, sizeof(world));
    if (*state) world_open(*state, NULL);
    return *state ? 0 : -1;
}
static inline int world_tear_down(void **state) {
    world_close(*state);
    free(*state);
    return 0;
}

#endif
