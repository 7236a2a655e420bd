/* memory_lines.c - drafts of memory entries from JSON: one object, or a batch of them, one a line.
 *
 * A member that is not known is an error: a misspelled "provenance" must not become the default. */
#include "app/memory/memory.h"

#include "lib/base/str.h"

static toad_status bad(toad__host *host, const char *what) { return toad__host_fail(host, TOAD_E_SYNTAX, "%s", what); }

static toad_status read_parents(toad__host *host, const toad__json *value, toad__arena *arena,
                                toad__memory_draft *ret) {
    size_t n = 0;
    if (value->type != TOAD__JSON_ARRAY) return bad(host, "\"parents\" is no array of ids");
    for (const toad__json *item = value->child; item; item = item->next, n++)
        if (item->type != TOAD__JSON_STRING) return bad(host, "\"parents\" is no array of ids");
    toad_str *parents = toad__arena_alloc(arena, (n ? n : 1) * sizeof *parents);
    if (!parents) return toad__host_failed(host, TOAD_E_NOMEM);
    ret->parents = parents;
    ret->parents_n = n;
    for (const toad__json *item = value->child; item; item = item->next) *parents++ = item->text;
    return TOAD_OK;
}

static toad_status read_member(toad__host *host, const toad__json *m, toad__arena *arena, toad__memory_draft *ret) {
    const struct {
        const char *name;
        toad_str *to;
    } texts[] = {
        { "content", &ret->content }, { "id", &ret->id }, { "category", &ret->category }, { "source", &ret->source }
    };
    if (toad__str_eq(m->key, TOAD__S("parents"))) return read_parents(host, m, arena, ret);
    if (toad__str_eq(m->key, TOAD__S("provenance"))) {
        ret->has_provenance = m->type == TOAD__JSON_STRING && toad_provenance_parse(m->text, &ret->provenance);
        return ret->has_provenance ? TOAD_OK : bad(host, "\"provenance\" is none of: user agent external");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!toad__str_eq(m->key, toad__str_z(texts[i].name))) continue;
        if (m->type != TOAD__JSON_STRING)
            return toad__host_fail(host, TOAD_E_SYNTAX, "\"%s\" is no string", texts[i].name);
        *texts[i].to = m->text.n ? m->text : TOAD__S("");
        return TOAD_OK;
    }
    return bad(host, "there is a member that is none of: content id category source provenance parents");
}

toad_status toad__memory_read_draft(toad__host *host, const toad__json *value, toad__arena *arena,
                                    toad__memory_draft *ret) {
    toad__memory_draft draft = { .line = 0 };
    toad_status status = value->type == TOAD__JSON_OBJECT ? TOAD_OK : bad(host, "an entry is an object");
    for (const toad__json *m = status ? NULL : value->child; m && !status; m = m->next)
        status = read_member(host, m, arena, &draft);
    if (!status && !draft.content.p) status = bad(host, "there is no \"content\"");
    if (!status) *ret = draft;
    return status;
}

static toad_status read_line(toad__host *host, toad_str line, size_t number, toad__arena *arena,
                             toad__memory_draft *ret) {
    const toad__json *value;
    const char *expected;
    size_t at;
    toad_status status = toad__json_parse(line, arena, &value, &at, &expected);
    if (status == TOAD_E_SYNTAX)
        toad__host_fail(host, status, "no JSON at byte %zu: %s expected", at + 1, expected);
    else if (status)
        toad__host_failed(host, status);
    if (!status) status = toad__memory_read_draft(host, value, arena, ret);
    if (!status) {
        ret->line = number;
        return TOAD_OK;
    }
    char message[512];
    size_t n = strlen(host->message) < sizeof message - 1 ? strlen(host->message) : sizeof message - 1;
    memcpy(message, host->message, n);
    message[n] = 0;
    return toad__host_fail(host, status, "line %zu: %s. Nothing was written.", number, message);
}

toad_status toad__memory_add_lines(toad__host *host, toad_str lines, toad__answer *answer) {
    toad__arena arena;
    toad_status status = TOAD_OK;
    size_t n = 0, number = 0, room = 0;
    for (size_t at = 0; at < lines.n; room++) at = toad__str_find(lines, TOAD__S("\n"), at) + 1;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad__memory_draft *drafts = toad__arena_alloc(&arena, (room ? room : 1) * sizeof *drafts);
    if (!drafts) status = toad__host_fail(host, TOAD_E_LIMIT, "the batch is too long. Nothing was written.");
    for (size_t at = 0; at < lines.n && !status;) {
        size_t end = toad__str_find(lines, TOAD__S("\n"), at);
        toad_str line = toad__str_part(lines, at, end);
        at = end + 1;
        number++;
        if (!toad__str_is_blank(line)) status = read_line(host, line, number, &arena, &drafts[n++]);
    }
    if (!status) status = toad__memory_add_all(host, drafts, n, false, answer);
    toad__arena_free(&arena);
    return status;
}
