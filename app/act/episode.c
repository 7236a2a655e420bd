/* episode.c - see episode.h. */
#include "app/act/episode.h"

#include "lib/base/str.h"

#include <stdio.h>

enum {
    ROWS = 64,    /* traced values that are told */
    PAYLOAD = 24, /* bytes of a URL behind its host that can carry something out */
};

static toad_status refuse(toad__episode *e, const char *why) {
    snprintf(e->error, sizeof e->error, "%s", why);
    return TOAD_E_SYNTAX;
}

static size_t items(const toad__json *array) {
    size_t n = 0;
    for (const toad__json *v = array ? array->child : NULL; v; v = v->next) n++;
    return n;
}

/* One string, or several with a line break between. */
static toad_status read_texts(const toad__json *v, toad__arena *arena, toad_str *ret) {
    toad__buf joined;
    *ret = toad__str("", 0);
    if (!v || v->type == TOAD__JSON_NULL) return TOAD_OK;
    if (v->type == TOAD__JSON_STRING) return (*ret = v->text), TOAD_OK;
    if (v->type != TOAD__JSON_ARRAY) return TOAD_E_SYNTAX;
    toad__buf_init(&joined, SIZE_MAX / 2);
    for (const toad__json *s = v->child; s; s = s->next) {
        if (s->type == TOAD__JSON_STRING) toad__buf_add_str(&joined, s->text);
        toad__buf_add_c(&joined, '\n');
    }
    *ret = joined.status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&joined));
    toad__buf_free(&joined);
    return ret->p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status read_reads(toad__episode *e, const toad__json *reads, toad__arena *arena) {
    if (!reads || reads->type == TOAD__JSON_NULL) return TOAD_OK;
    if (reads->type != TOAD__JSON_ARRAY) return refuse(e, "\"reads\" is no array");
    e->reads = toad__arena_alloc(arena, (items(reads) + 1) * sizeof *e->reads);
    if (!e->reads) return TOAD_E_NOMEM;
    for (const toad__json *r = reads->child; r; r = r->next) {
        toad_str text = toad__json_get_text(r, "text");
        if (r->type != TOAD__JSON_OBJECT || !text.p) return refuse(e, "an item of \"reads\" has no \"text\"");
        e->reads[e->act.reads_n++] = (toad__trace_read){ .tool = toad__json_get_text(r, "source"),
                                                         .text = text,
                                                         .arguments = toad__json_get(r, "args") };
    }
    e->act.reads = e->reads;
    return TOAD_OK;
}

static toad_status read_act(toad__episode *e, const toad__json *act) {
    e->act.tool = toad__json_get_text(act, "tool");
    e->act.arguments = toad__json_get(act, "args");
    if (!e->act.tool.n) return refuse(e, "\"act\" with \"tool\" and \"args\" is needed");
    e->deed = toad__deed_of(e->act.tool, e->act.arguments);
    return TOAD_OK;
}

toad_status toad__episode_read(toad_str line, toad__arena *arena, toad__episode *ret) {
    size_t at;
    const char *expected;
    *ret = (toad__episode){ .root = NULL };
    toad_status status = toad__json_parse(line, arena, &ret->root, &at, &expected);
    if (status == TOAD_E_LIMIT) return refuse(ret, "nested too deeply, or too many values");
    if (status == TOAD_E_SYNTAX) {
        snprintf(ret->error, sizeof ret->error, "not valid JSON at byte %zu: expected %s", at, expected);
        return status;
    }
    if (status) return status;
    if (ret->root->type != TOAD__JSON_OBJECT) return refuse(ret, "not a JSON object");
    const toad__json *id = toad__json_get(ret->root, "id");
    if (id) ret->id = id->raw;
    status = read_texts(toad__json_get(ret->root, "user"), arena, &ret->act.said);
    if (!status) status = read_texts(toad__json_get(ret->root, "trusted"), arena, &ret->act.trusted);
    if (status == TOAD_E_SYNTAX) return refuse(ret, "\"user\" and \"trusted\" are strings, or arrays of strings");
    if (!status) status = read_act(ret, toad__json_get(ret->root, "act"));
    return status ? status : read_reads(ret, toad__json_get(ret->root, "reads"), arena);
}

/* ---- judging ---- */

/* A text that could not be scanned whole may hold orders anywhere. */
toad_status toad__episode_scan(toad_scanner *scanner, toad__trace_read *r, toad__arena *arena) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    const toad_verdict *verdict;
    options.kind = TOAD_KIND_TOOL_RESULT;
    toad_status status = toad_scan(scanner, r->text, &options, &verdict);
    if (status) return status;
    if (toad_verdict_completeness(verdict) == TOAD_FULL) return toad__passages_of(verdict, r->text, arena, &r->orders);
    toad_span *all = toad__arena_alloc(arena, sizeof *all);
    if (!all) return TOAD_E_NOMEM;
    *all = (toad_span){ 0, r->text.n };
    r->orders = (toad__passages){ all, 1 };
    return TOAD_OK;
}

toad_status toad__episode_judge(toad_scanner *scanner, toad__episode *e, toad__arena *arena, toad__trace *ret) {
    toad_status status = TOAD_OK;
    if (e->deed == TOAD__DEED_READING &&
        toad__deed_url_payload(e->act.arguments ? e->act.arguments->raw : TOAD__S("")) < PAYLOAD) {
        *ret = (toad__trace){ .why = TOAD__WHY_READS };
        return TOAD_OK;
    }
    for (size_t i = 0; i < e->act.reads_n && !status; i++) status = toad__episode_scan(scanner, &e->reads[i], arena);
    return status ? status : toad__trace_act_of(&e->act, arena, ret);
}

/* ---- telling ---- */

static void add_row(toad__buf *out, const toad__traced *row) {
    toad__json_add_key(out, NULL);
    toad__buf_add_z(out, "{\"argument\":");
    toad__json_add_utf8(out, row->argument);
    toad__buf_add_z(out, ",\"value\":");
    toad__json_add_utf8(out, toad__str_part(row->value, 0, 256));
    toad__buf_add_z(out, row->sink ? ",\"sink\":true,\"from\":\"" : ",\"sink\":false,\"from\":\"");
    toad__buf_add_z(out, toad__origin_name(row->from));
    toad__buf_add_c(out, '"');
    if (row->at.end > row->at.start) {
        toad__buf_add_z(out, ",\"read\":");
        toad__buf_add_u64(out, row->read);
        toad__buf_add_z(out, ",\"start\":");
        toad__buf_add_u64(out, row->at.start);
        toad__buf_add_z(out, ",\"end\":");
        toad__buf_add_u64(out, row->at.end);
    }
    toad__buf_add_c(out, '}');
}

void toad__episode_tell(const toad__episode *e, const toad__trace *trace, toad__buf *out) {
    toad__buf_add_z(out, trace->ask ? "\"decision\":\"ask\",\"class\":\"" : "\"decision\":\"allow\",\"class\":\"");
    toad__buf_add_z(out, toad__deed_name(e->deed));
    toad__buf_add_z(out, "\",\"why\":\"");
    toad__buf_add_z(out, toad__trace_reason(trace->why));
    toad__buf_add_z(out, "\",\"traced\":[");
    for (size_t i = 0; i < trace->n && i < ROWS; i++) add_row(out, &trace->rows[i]);
    toad__buf_add_z(out, "]");
}
