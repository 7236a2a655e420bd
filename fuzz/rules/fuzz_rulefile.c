/* Any bytes as a rule file: a clear message or rules that compile or are refused with a message; never a crash. */
#include "app/scan/rulefile.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[256] = "";
    toad__rulefile *f = toad__rulefile_new();
    toad_rules *rules = NULL;
    if (!f) return 0;
    toad_status status =
        toad__rulefile_add(f, "fuzz.yaml", (toad_str){ (const char *)data, size }, message, sizeof message);
    if (status == TOAD_E_RULE && !message[0]) abort();
    if (!status) {
        status = toad__rulefile_compile(f, &rules, message, sizeof message);
        if (status == TOAD_E_RULE && !message[0]) abort();
    }
    toad_rules_free(rules);
    toad__rulefile_free(f);
    return 0;
}
