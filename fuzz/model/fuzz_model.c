/* fuzz_model.c - any weights file, any text.
 *
 * The first byte says which: a file to read (damaged files are refused, whole ones give a model whose tables lie in the
 * file), or text to score with the built-in weights, or with weights whose numbers are the input's own. Holds: spans
 * lie in the text, the sentence in the window, phrases in the sentence; the same text gives the same answer; the
 * front's fast path gives what its slow one does. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/model/model.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static void check_hit(const toad__model_hit *hit, size_t n) {
    CHECK(hit->score <= TOAD__MODEL_SCORE_MAX && hit->phrases_n <= TOAD__MODEL_PHRASES &&
          hit->head < TOAD__MODEL_HEADS);
    CHECK(hit->window.start <= hit->window.end && hit->window.end <= n);
    CHECK(hit->sentence.start <= hit->sentence.end && hit->sentence.end <= hit->window.end &&
          hit->sentence.start >= hit->window.start);
    for (size_t i = 0; i < hit->phrases_n; i++)
        CHECK(hit->phrases[i].start >= hit->sentence.start && hit->phrases[i].end <= hit->sentence.end);
}

/* The sums of the front are those of its features. */
static void check_front(const toad__model *m, toad_str text, size_t most) {
    toad__front fast = { .text = text }, slow = fast;
    toad__front_sum sums[8];
    for (size_t n; (n = toad__front_read(&fast, m->gates, sums, most));) {
        for (size_t i = 0; i < n; i++) {
            uint32_t ids[TOAD__FRONT_IDS];
            int32_t sum = 0;
            size_t k = toad__front_ids(&slow, ids);
            for (size_t j = 0; j < k; j++) sum += m->gates[ids[j]];
            CHECK(k == sums[i].n && sum == sums[i].sum);
        }
    }
    CHECK(fast.at == slow.at && fast.before == slow.before && fast.inside == slow.inside);
}

static void score(const toad__model *m, const uint8_t *data, size_t size, unsigned kind) {
    char *text = malloc(size ? size : 1);
    toad__model_scratch *s = toad__model_scratch_new();
    CHECK(text && s);
    if (size) memcpy(text, data, size);
    check_front(m, toad__str(text, size), 1 + kind % 8);
    toad__model_hit one, two;
    toad__model_score(m, s, toad__str(text, size), (toad_kind)kind, 0, &one);
    toad__model_score(m, s, toad__str(text, size), (toad_kind)kind, 0, &two);
    check_hit(&one, size);
    CHECK(one.score == two.score && one.window.start == two.window.start && one.window.end == two.window.end &&
          !memcmp(one.logit, two.logit, sizeof one.logit));
    toad__model_scratch_free(s);
    free(text);
}

static void read_damaged(const uint8_t *data, size_t size) {
    toad_str whole = toad__model_builtin();
    toad__model m;
    char *file = malloc(whole.n);
    CHECK(file);
    memcpy(file, whole.p, whole.n);
    for (size_t i = 0; i + 5 <= size; i += 5) { /* four bytes say where, one says what */
        uint32_t at = (uint32_t)data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16;
        file[data[i + 3] & 1 ? at % 256 : at % whole.n] = (char)data[i + 4];
    }
    bool same = !memcmp(file, whole.p, whole.n);
    toad_status status = toad__model_read(toad__str(file, whole.n), &m);
    CHECK(!same || status == TOAD_OK);
    if (status == TOAD_OK) score(&m, data, size, 0);
    CHECK(toad__model_read(toad__str(data, size), &m) == TOAD_E_SYNTAX || size == whole.n);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static toad__model whole;
    if (!whole.words) CHECK(toad__model_read(toad__model_builtin(), &whole) == TOAD_OK);
    toad__model m = whole;
    if (!size) return 0;
    if (data[0] % 4 == 0) {
        read_damaged(data + 1, size - 1);
        return 0;
    }
    if (data[0] % 4 == 1) m.gate = -INT32_MAX;
    if (data[0] % 4 == 2 && size > 5) {
        for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++)
            m.word_step[h] = m.part_step[h] = m.cue_step[h] = (int32_t)data[1] << 16;
        for (unsigned i = 0; i < TOAD__NET_STEPS; i++) m.net.step[i] = (int32_t)data[3] << 16;
        for (unsigned k = 0; k < TOAD__MODEL_KINDS; k++) m.threshold[k][TOAD__MODEL_STEERING] = INT32_MIN / 8;
        m.gate = -(int32_t)data[2] * 4096;
    }
    score(&m, data + 1, size - 1, data[0] / 4);
    return 0;
}
