/* docker.c - docker agent's memory tool: what of an entry matched, what is said of it, and the block before a turn. */
#include "compat/upstream.h"

#include <stdlib.h>

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static toad_status scan_scope(toad_scanner *s, toad_str text, toad_scope scope, const toad_verdict **ret) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    options.scope = scope;
    if (scope == TOAD_STRICT) options.kind = TOAD_KIND_MEMORY; /* what the strict scope is for, and judged like it */
    return toad_scan(s, text, &options, ret);
}

/* The learned model alone refuses no memory entry: a refusal names a pattern. */
static bool is_pattern(const toad_finding *f) { return strcmp(f->family, "learned") != 0; }

toad_status toad_scan_ids(toad_scanner *s, toad_str text, toad_scope scope, toad_text **ret) {
    const toad_verdict *v;
    toad_status status = ret ? scan_scope(s, text, scope, &v) : TOAD_E_ARG;
    if (status) return status;
    size_t n = 0, most = toad_verdict_count(v);
    const char **ids = malloc((most ? most : 1) * sizeof *ids);
    if (!ids) return TOAD_E_NOMEM;
    for (size_t i = 0; i < most; i++)
        if (is_pattern(toad_verdict_finding(v, i))) ids[n++] = toad_verdict_finding(v, i)->rule;
    qsort(ids, n, sizeof *ids, by_name);
    toad__buf b;
    toad__buf_init(&b, 1u << 20);
    for (size_t i = 0; i < n; i++) {
        if (i && !strcmp(ids[i], ids[i - 1])) continue;
        if (b.n) toad__buf_add_c(&b, '\n');
        toad__buf_add_z(&b, ids[i]);
    }
    free(ids);
    return toad__finish(&b, ret);
}

toad_status toad_first_threat_message(toad_scanner *s, toad_str text, toad_scope scope, toad_text **ret) {
    const toad_verdict *v;
    toad_status status = ret ? scan_scope(s, text, scope, &v) : TOAD_E_ARG;
    if (status) return status;
    const toad_finding *worst = toad_verdict_worst(v);
    toad__buf b;
    toad__buf_init(&b, 4096);
    if (worst && is_pattern(worst)) {
        toad__buf_add_z(&b, "Content blocked: matched prompt-injection pattern '");
        toad__buf_add_z(&b, worst->rule);
        toad__buf_add_z(&b, "'. Rephrase the entry.");
    }
    return toad__finish(&b, ret);
}

toad_status toad_docker_memories(const toad_memory_view *entries, size_t n, toad_text **ret) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "<memories>\n");
    toad__buf_add_z(&out, toad__memories_lead_in);
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_z(&out, "\n  <memory");
        if (entries[i].type.n) {
            toad__buf_add_z(&out, " category=\"");
            toad__add_xml(&out, entries[i].type);
            toad__buf_add_c(&out, '"');
        }
        toad__buf_add_c(&out, '>');
        toad__add_xml(&out, entries[i].text);
        toad__buf_add_z(&out, "</memory>");
    }
    toad__buf_add_z(&out, "\n</memories>");
    return toad__finish(&out, ret);
}
