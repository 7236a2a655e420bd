/* memory_lines.c - drafts of memory entries from JSON: one object, or a batch of them, one a line.
 *
 * A member that is not known is an error: a misspelled "provenance" must not become the default. */
#include "app/memory/memory.h"

#include "lib/base/str.h"

static bzr_status bad(bzr__host *host, const char *what) { return bzr__host_fail(host, BZR_E_SYNTAX, "%s", what); }

static bzr_status read_parents(bzr__host *host, const bzr__json *value, bzr__arena *arena, bzr__memory_draft *ret) {
    size_t n = 0;
    if (value->type != BZR__JSON_ARRAY) return bad(host, "\"parents\" is no array of ids");
    for (const bzr__json *item = value->child; item; item = item->next, n++)
        if (item->type != BZR__JSON_STRING) return bad(host, "\"parents\" is no array of ids");
    bzr_str *parents = bzr__arena_alloc(arena, (n ? n : 1) * sizeof *parents);
    if (!parents) return bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    ret->parents = parents;
    ret->parents_n = n;
    for (const bzr__json *item = value->child; item; item = item->next) *parents++ = item->text;
    return BZR_OK;
}

static bzr_status read_member(bzr__host *host, const bzr__json *m, bzr__arena *arena, bzr__memory_draft *ret) {
    const struct {
        const char *name;
        bzr_str *to;
    } texts[] = {
        { "content", &ret->content }, { "id", &ret->id }, { "category", &ret->category }, { "source", &ret->source }
    };
    if (bzr__str_eq(m->key, BZR__S("parents"))) return read_parents(host, m, arena, ret);
    if (bzr__str_eq(m->key, BZR__S("provenance"))) {
        ret->has_provenance = m->type == BZR__JSON_STRING && bzr_provenance_parse(m->text, &ret->provenance);
        return ret->has_provenance ? BZR_OK : bad(host, "\"provenance\" is none of: user agent external");
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!bzr__str_eq(m->key, bzr__str_z(texts[i].name))) continue;
        if (m->type != BZR__JSON_STRING)
            return bzr__host_fail(host, BZR_E_SYNTAX, "\"%s\" is no string", texts[i].name);
        *texts[i].to = m->text.n ? m->text : BZR__S("");
        return BZR_OK;
    }
    return bad(host, "there is a member that is none of: content id category source provenance parents");
}

bzr_status bzr__memory_read_draft(bzr__host *host, const bzr__json *value, bzr__arena *arena, bzr__memory_draft *ret) {
    bzr__memory_draft draft = { .line = 0 };
    bzr_status status = value->type == BZR__JSON_OBJECT ? BZR_OK : bad(host, "an entry is an object");
    for (const bzr__json *m = status ? NULL : value->child; m && !status; m = m->next)
        status = read_member(host, m, arena, &draft);
    if (!status && !draft.content.p) status = bad(host, "there is no \"content\"");
    if (!status) *ret = draft;
    return status;
}

static bzr_status read_line(bzr__host *host, bzr_str line, size_t number, bzr__arena *arena, bzr__memory_draft *ret) {
    const bzr__json *value;
    const char *expected;
    size_t at;
    bzr_status status = bzr__json_parse(line, arena, &value, &at, &expected);
    if (status == BZR_E_SYNTAX)
        bzr__host_fail(host, status, "no JSON at byte %zu: %s expected", at + 1, expected);
    else if (status)
        bzr__host_fail(host, status, "%s", bzr_status_message(status));
    if (!status) status = bzr__memory_read_draft(host, value, arena, ret);
    if (!status) {
        ret->line = number;
        return BZR_OK;
    }
    char message[512];
    size_t n = strlen(host->message) < sizeof message - 1 ? strlen(host->message) : sizeof message - 1;
    memcpy(message, host->message, n);
    message[n] = 0;
    return bzr__host_fail(host, status, "line %zu: %s. Nothing was written.", number, message);
}

static bool is_blank(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_space((unsigned char)s.p[i])) return false;
    return true;
}

bzr_status bzr__memory_add_lines(bzr__host *host, bzr_str lines, bzr__buf *answer) {
    bzr__arena arena;
    bzr_status status = BZR_OK;
    size_t n = 0, number = 0, room = 0;
    for (size_t at = 0; at < lines.n; room++) at = bzr__str_find(lines, BZR__S("\n"), at) + 1;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__memory_draft *drafts = bzr__arena_alloc(&arena, (room ? room : 1) * sizeof *drafts);
    if (!drafts) status = bzr__host_fail(host, BZR_E_LIMIT, "the batch is too long. Nothing was written.");
    for (size_t at = 0; at < lines.n && !status;) {
        size_t end = bzr__str_find(lines, BZR__S("\n"), at);
        bzr_str line = bzr__str_part(lines, at, end);
        at = end + 1;
        number++;
        if (!is_blank(line)) status = read_line(host, line, number, &arena, &drafts[n++]);
    }
    if (!status) status = bzr__memory_add_all(host, drafts, n, answer);
    bzr__arena_free(&arena);
    return status;
}
