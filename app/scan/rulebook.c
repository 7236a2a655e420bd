/* rulebook.c - see rulebook.h. An example is scanned strict; where its rule reports only hidden text, it is scanned
 * inside a comment of a page. */
#include "app/scan/rulebook.h"
#include "app/host/input.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>

toad_status toad__rulebook_read(toad__rulefile *book, const char *path, char *message, size_t message_n) {
    toad__buf yaml;
    toad__buf_init(&yaml, TOAD__RULEFILE_SIZE);
    int err = toad__input_slurp(path, &yaml);
    toad_status status = TOAD_E_IO;
    if (err)
        snprintf(message, message_n, "%s: %s", path, err == EFBIG ? "larger than a rule file may be" : strerror(err));
    else
        status = toad__rulefile_add(book, path, yaml.n ? toad__buf_str(&yaml) : TOAD__S(""), message, message_n);
    toad__buf_free(&yaml);
    return status;
}

static toad_status reports(toad_scanner *scanner, const toad__rule_def *def, const char *example, bool *ret) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    const toad_verdict *verdict;
    toad__buf text;
    options.scope = TOAD_STRICT;
    toad__buf_init(&text, 1u << 24);
    toad__buf_add_z(&text, def->severity == TOAD_NONE ? "<p>page</p><!-- " : "");
    toad__buf_add_z(&text, example);
    toad__buf_add_z(&text, def->severity == TOAD_NONE ? " -->" : "");
    toad_status status = text.status ? text.status : toad_scan(scanner, toad__buf_str(&text), &options, &verdict);
    toad__buf_free(&text);
    *ret = false;
    for (size_t i = 0; !status && i < toad_verdict_count(verdict); i++)
        *ret |= !strcmp(toad_verdict_finding(verdict, i)->rule, def->id);
    return status;
}

static toad_status prove_list(toad_scanner *scanner, const toad__rule_def *def, const toad__rule_source *source,
                              bool wanted, toad__proof *proof) {
    const char *const *list = wanted ? source->match : source->pass;
    size_t n = wanted ? source->n_match : source->n_pass;
    for (size_t i = 0; i < n; i++) {
        bool found;
        toad_status status = reports(scanner, def, list[i], &found);
        if (status) return status;
        proof->examples++;
        if (found == wanted) continue;
        proof->failed++;
        proof->miss(proof->ctx, source, def->id, list[i], wanted);
    }
    return TOAD_OK;
}

toad_status toad__rulebook_prove(const toad__rulefile *book, const toad_rules *rules, toad__proof *proof) {
    toad_engine *engine = NULL;
    toad_scanner *scanner = NULL;
    const toad__rule_def *defs = toad__rulefile_defs(book);
    toad_engine_options options = TOAD_ENGINE_OPTIONS_INIT;
    options.rules = rules;
    toad_status status = toad_engine_new(&options, &engine);
    if (!status) status = toad_scanner_new(engine, &scanner);
    for (size_t i = 0; !status && i < toad__rulefile_count(book); i++) {
        if (defs[i].gate && *defs[i].gate) continue;
        status = prove_list(scanner, &defs[i], toad__rulefile_source(book, i), true, proof);
        if (!status) status = prove_list(scanner, &defs[i], toad__rulefile_source(book, i), false, proof);
    }
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return status;
}
