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
#include "lib/base/str.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SPANS = 4 };

static void check_standings(bzr_str text) {
    for (int language = 0; language <= BZR__LANGUAGE_MARKDOWN; language++) {
        bzr_span spans[SPANS];
        bzr__standing all[SPANS], one;
        for (size_t i = 0; i < SPANS; i++) spans[i] = (bzr_span){ text.n * i / SPANS, text.n * (i + 2) / SPANS };
        bzr__stand(text, (bzr__language)language, spans, SPANS, all);
        for (size_t i = 0; i < SPANS; i++) {
            bzr__stand(text, (bzr__language)language, &spans[i], 1, &one);
            CHECK(one == all[i] && bzr__standing_name(one));
        }
    }
}

static void check_index(bzr_str bytes) {
    bzr__tracked *t = NULL;
    if (bzr__tracked_new(bytes, &t)) return;
    CHECK(bzr__tracked_count(t) * 64 <= bytes.n);
    bzr__tracked_has(t, bytes, false);
    bzr__tracked_has(t, bzr__str_part(bytes, 0, 3), true);
    bzr__tracked_free(t);
}

static void check_records(bzr_str bytes) {
    char message[256] = "";
    bzr__baseline *baseline = NULL;
    bzr__suppressions *s = NULL;
    bzr_status status = bzr__baseline_new(bytes, &baseline, message, sizeof message);
    CHECK(!status == (baseline != NULL) && (status != BZR_E_SYNTAX || *message));
    bzr__baseline_has(baseline, "0123456789abcdef0123456789abcdef:1");
    bzr__baseline_free(baseline);
    *message = 0;
    status = bzr__suppressions_new(bytes, false, "2026-11-21", &s, message, sizeof message);
    CHECK(!status == (s != NULL) && (status != BZR_E_SYNTAX || *message));
    bzr__suppressions_find(s, "/t", "a/b/c.md", "x", "0123456789abcdef0123456789abcdef:1");
    bzr__suppressions_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str bytes = bzr__str(data, size);
    bzr__artifact artifact = bzr__artifact_of(bytes);
    CHECK(artifact < BZR__ARTIFACT_N && *bzr__artifact_name(artifact) && *bzr__artifact_source(artifact));
    CHECK(!bzr__artifact_is_agents(artifact) || bzr__artifact_is_text(artifact));
    check_standings(bytes);
    check_index(bytes);
    check_records(bytes);
    return 0;
}
