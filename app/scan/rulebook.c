/* rulebook.c - see rulebook.h. An example is scanned strict; where its rule reports only hidden text, it is scanned
 * inside a comment of a page. */
#include "app/scan/rulebook.h"
#include "app/host/input.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>

bzr_status bzr__rulebook_read(bzr__rulefile *book, const char *path, char *message, size_t message_n) {
    bzr__buf yaml;
    bzr__buf_init(&yaml, BZR__RULEFILE_SIZE);
    int err = bzr__input_slurp(path, &yaml);
    bzr_status status = BZR_E_IO;
    if (err)
        snprintf(message, message_n, "%s: %s", path, err == EFBIG ? "larger than a rule file may be" : strerror(err));
    else
        status = bzr__rulefile_add(book, path, yaml.n ? bzr__buf_str(&yaml) : BZR__S(""), message, message_n);
    bzr__buf_free(&yaml);
    return status;
}

static bzr_status reports(bzr_scanner *scanner, const bzr__rule_def *def, const char *example, bool *ret) {
    bzr_scan_options options = BZR_SCAN_OPTIONS_INIT;
    const bzr_verdict *verdict;
    bzr__buf text;
    options.scope = BZR_STRICT;
    bzr__buf_init(&text, 1u << 24);
    bzr__buf_add_z(&text, def->severity == BZR_NONE ? "<p>page</p><!-- " : "");
    bzr__buf_add_z(&text, example);
    bzr__buf_add_z(&text, def->severity == BZR_NONE ? " -->" : "");
    bzr_status status = text.status ? text.status : bzr_scan(scanner, bzr__buf_str(&text), &options, &verdict);
    bzr__buf_free(&text);
    *ret = false;
    for (size_t i = 0; !status && i < bzr_verdict_count(verdict); i++)
        *ret |= !strcmp(bzr_verdict_finding(verdict, i)->rule, def->id);
    return status;
}

static bzr_status prove_list(bzr_scanner *scanner, const bzr__rule_def *def, const bzr__rule_source *source,
                             bool wanted, bzr__proof *proof) {
    const char *const *list = wanted ? source->match : source->pass;
    size_t n = wanted ? source->n_match : source->n_pass;
    for (size_t i = 0; i < n; i++) {
        bool found;
        bzr_status status = reports(scanner, def, list[i], &found);
        if (status) return status;
        proof->examples++;
        if (found == wanted) continue;
        proof->failed++;
        proof->miss(proof->ctx, source, def->id, list[i], wanted);
    }
    return BZR_OK;
}

bzr_status bzr__rulebook_prove(const bzr__rulefile *book, const bzr_rules *rules, bzr__proof *proof) {
    bzr_engine *engine = NULL;
    bzr_scanner *scanner = NULL;
    const bzr__rule_def *defs = bzr__rulefile_defs(book);
    bzr_status status = bzr_engine_new(rules, &engine);
    if (!status) status = bzr_scanner_new(engine, &scanner);
    for (size_t i = 0; !status && i < bzr__rulefile_count(book); i++) {
        if (defs[i].gate && *defs[i].gate) continue;
        status = prove_list(scanner, &defs[i], bzr__rulefile_source(book, i), true, proof);
        if (!status) status = prove_list(scanner, &defs[i], bzr__rulefile_source(book, i), false, proof);
    }
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    return status;
}
