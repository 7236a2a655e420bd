/* judge.c - see judge.h. SHA-256 over the tables as they lie in memory and the policy as it is printed. */
#include "app/scan/judge.h"

#include "app/config/policy.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"
#include "toadstone/toadstone.h"

#include <openssl/evp.h>

enum { POLICY_MAX = 1 << 20 };

/* Length first: what belongs to one part cannot pass for the beginning of the next. */
static bool add(EVP_MD_CTX *md, toad_str part) {
    uint64_t n = part.n;
    return EVP_DigestUpdate(md, &n, sizeof n) && (!part.n || EVP_DigestUpdate(md, part.p, part.n));
}

static bool add_engine(EVP_MD_CTX *md, const toad_engine *e) {
    bool ok = add(md, toad__str_z(toad_version()));
    for (unsigned set = 0; ok && set < TOAD__SETS; set++)
        ok = add(md, e->sets[set] ? toad__ruleset_bytes(e->sets[set]) : TOAD__S(""));
    toad_str weights = e->weights ? toad__str(e->weights, e->weights_n) : toad__model_builtin();
    return ok && add(md, e->has_model ? weights : TOAD__S(""));
}

static bool add_policy(EVP_MD_CTX *md, const toad__config *config) {
    toad__buf text;
    toad__buf_init(&text, POLICY_MAX);
    if (config) toad__policy_json(config, &text);
    bool may_block = !config || toad__config_flag(config, TOAD__CONFIG_AUTO_BLOCK);
    bool ok = !text.status && add(md, toad__buf_str(&text)) && add(md, may_block ? TOAD__S("1") : TOAD__S("0"));
    toad__buf_free(&text);
    return ok;
}

const char *toad__host_judge(toad__host *host) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (*host->judge) return host->judge;
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    bool ok = md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) && add_engine(md, host->engine) &&
              add_policy(md, host->config) && EVP_DigestFinal_ex(md, digest, &n);
    EVP_MD_CTX_free(md);
    for (unsigned i = 0; ok && i < n && i < 32; i++) {
        host->judge[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        host->judge[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    return ok ? host->judge : NULL;
}
