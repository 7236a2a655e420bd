/* judge.c - see judge.h. SHA-256 over the tables as they lie in memory and the policy as it is printed. */
#include "app/scan/judge.h"

#include "app/config/policy.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"
#include "sys/digest.h"
#include "toadstone/toadstone.h"

#include <assert.h>

enum { POLICY_MAX = 1 << 20 };

/* Every part has its length before it: what belongs to one cannot pass for the beginning of the next. */
enum { MOST = TOAD__SETS + 4 };
typedef struct heap {
    uint64_t lengths[MOST];
    toad_str parts[2 * MOST];
    size_t n;
} heap;

static void add(heap *h, toad_str part) {
    assert(h->n < MOST);
    h->lengths[h->n] = part.n;
    h->parts[2 * h->n] = toad__str(&h->lengths[h->n], sizeof *h->lengths);
    h->parts[2 * h->n + 1] = part;
    h->n++;
}

static void add_engine(heap *h, const toad_engine *e) {
    add(h, toad__str_z(toad_version()));
    for (unsigned set = 0; set < TOAD__SETS; set++)
        add(h, e->sets[set] ? toad__ruleset_bytes(e->sets[set]) : TOAD__S(""));
    toad_str weights = e->weights ? toad__str(e->weights, e->weights_n) : toad__model_builtin();
    add(h, e->has_model ? weights : TOAD__S(""));
}

const char *toad__host_judge(toad__host *host) {
    heap h = { .n = 0 };
    toad__buf policy;
    if (*host->judge) return host->judge;
    toad__buf_init(&policy, POLICY_MAX);
    if (host->config) toad__policy_json(host->config, &policy);
    bool may_block = !host->config || toad__config_flag(host->config, TOAD__CONFIG_AUTO_BLOCK);
    add_engine(&h, host->engine);
    add(&h, toad__buf_str(&policy));
    add(&h, may_block ? TOAD__S("1") : TOAD__S("0"));
    if (!policy.status) toad__sha256_hex(h.parts, 2 * h.n, host->judge);
    toad__buf_free(&policy);
    return *host->judge ? host->judge : NULL;
}
