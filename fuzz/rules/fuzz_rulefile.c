/* Any bytes as a rule file: a clear message or rules that compile or are refused with a message; never a crash. */
#include "app/scan/rulefile.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char message[256] = "";
    bzr__rulefile *f = bzr__rulefile_new();
    bzr_rules *rules = NULL;
    if (!f) return 0;
    bzr_status status = bzr__rulefile_add(f, "fuzz.yaml", (bzr_str){ (const char *)data, size }, message, sizeof message);
    if (status == BZR_E_RULE && !message[0]) abort();
    if (!status) {
        status = bzr__rulefile_compile(f, &rules, message, sizeof message);
        if (status == BZR_E_RULE && !message[0]) abort();
    }
    bzr_rules_free(rules);
    bzr__rulefile_free(f);
    return 0;
}
