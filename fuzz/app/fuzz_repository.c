/* fuzz_repository.c - the bytes as a path, as a source text in every language, as git's index, as a baseline and as a
 * record of suppressions.
 *
 * Holds: every artifact and standing has a name; standings do not depend on which other spans are asked about; an index
 * that is taken finds each of its answers again; what is refused has a reason. */
#include "app/repository/artifact.h"
#include "app/repository/baseline.h"
#include "app/repository/standing.h"
#include "app/repository/suppress.h"
#include "app/repository/tracked.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

enum { SPANS = 4 };

static void check_standings(toad_str text) {
    for (int language = 0; language <= TOAD__LANGUAGE_MARKDOWN; language++) {
        toad_span spans[SPANS];
        toad__standing all[SPANS], one;
        for (size_t i = 0; i < SPANS; i++) spans[i] = (toad_span){ text.n * i / SPANS, text.n * (i + 2) / SPANS };
        toad__stand(text, (toad__language)language, spans, SPANS, all);
        for (size_t i = 0; i < SPANS; i++) {
            toad__stand(text, (toad__language)language, &spans[i], 1, &one);
            CHECK(one == all[i] && toad__standing_name(one));
        }
    }
}

static void check_index(toad_str bytes) {
    toad__tracked *t = NULL;
    if (toad__tracked_new(bytes, &t)) return;
    CHECK(toad__tracked_count(t) * 64 <= bytes.n);
    toad__tracked_has(t, bytes, false);
    toad__tracked_has(t, toad__str_part(bytes, 0, 3), true);
    toad__tracked_free(t);
}

static void check_records(toad_str bytes) {
    char message[256] = "";
    toad__baseline *baseline = NULL;
    toad__suppressions *s = NULL;
    toad_status status = toad__baseline_new(bytes, &baseline, message, sizeof message);
    CHECK(!status == (baseline != NULL) && (status != TOAD_E_SYNTAX || *message));
    toad__baseline_has(baseline, "0123456789abcdef0123456789abcdef:1");
    toad__baseline_free(baseline);
    *message = 0;
    status = toad__suppressions_new(bytes, false, "2026-11-21", &s, message, sizeof message);
    CHECK(!status == (s != NULL) && (status != TOAD_E_SYNTAX || *message));
    toad__suppressions_find(s, "/t", "a/b/c.md", "x", "0123456789abcdef0123456789abcdef:1");
    toad__suppressions_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str bytes = toad__str(data, size);
    toad__artifact artifact = toad__artifact_of(bytes);
    CHECK(artifact < TOAD__ARTIFACT_N && *toad__artifact_name(artifact) && *toad__artifact_source(artifact));
    CHECK(!toad__artifact_is_agents(artifact) || toad__artifact_is_text(artifact));
    check_standings(bytes);
    check_index(bytes);
    check_records(bytes);
    return 0;
}
