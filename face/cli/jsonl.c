/* jsonl.c - the loop over lines, and what each command answers to one.
 *
 * A bad line is answered with its error and its line number, the rest goes on, and the exit status is 2 in the end. The
 * answer is flushed after each line unless the input is a file, so that the program can serve another one as a
 * coprocess. */
#include "face/cli/jsonl.h"
#include "app/act/episode.h"
#include "app/host/jsonl.h"
#include "app/scan/content.h"
#include "face/cli/out.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <errno.h>
#include <stdio.h>

#define ARENA_MAX  ((size_t)1 << 30)
#define ANSWER_MAX ((size_t)2 << 30)

typedef struct loop {
    const args *a;
    /* Append the members of the answer after "id", each with a comma before it. */
    toad_status (*answer)(struct loop *l, const toad__request *r, toad__buf *out);
    /* Read one line: toad__request_read, or what keeps its own request and leaves in `r` the id and the error. */
    toad_status (*read)(struct loop *l, toad_str line, toad__arena *arena, toad__request *r);
    toad__arena *arena; /* of the line */
    toad__episode episode;
    toad_scanner *scanner;
    const toad_scan_options *scan;
    const toad_wrap_options *wrap;
    bool takes_none; /* "text": null is answered, not refused */
    size_t act;      /* 1: the first operand names an act, files follow it */
    bool bad, finding, incomplete;
} loop;

static void add_id(toad__buf *out, const toad__request *r) {
    toad__buf_add_c(out, '{');
    if (!r->id.p) return;
    toad__buf_add_z(out, "\"id\":");
    toad__buf_add_str(out, r->id);
}

static void add_error(toad__buf *out, const toad__request *r, uint64_t line, const char *why) {
    toad__buf_clear(out);
    add_id(out, r);
    toad__buf_add_z(out, r->id.p ? ",\"line\":" : "\"line\":");
    toad__buf_add_u64(out, line);
    toad__buf_add_z(out, ",\"error\":");
    toad__json_add_str(out, toad__str_z(why));
    toad__buf_add_z(out, "}\n");
}

/* A member needs a comma before it unless it is the first. */
static void add_member(toad__buf *out, const char *name) {
    if (out->n > 1) toad__buf_add_c(out, ',');
    toad__buf_add_z(out, name);
}

static void answer_line(loop *l, toad_str line, uint64_t number, toad_status read, toad__buf *out) {
    toad__arena arena;
    toad__request r = { .kind = TOAD_KIND_ANY };
    toad__arena_init(&arena, ARENA_MAX);
    toad__buf_clear(out);
    l->arena = &arena;
    toad_status status = read ? read : l->read(l, line, &arena, &r);
    if (!status) {
        add_id(out, &r);
        status = l->answer(l, &r, out);
        toad__buf_add_z(out, "}\n");
        if (!status) status = out->status;
    }
    if (status) {
        l->bad = true;
        add_error(out, &r, number, *r.error ? r.error : read ? "the line is too long" : toad_status_message(status));
    }
    toad__arena_free(&arena);
}

static toad_status read_request(loop *l, toad_str line, toad__arena *arena, toad__request *r) {
    toad_status status = toad__request_read(line, arena, r);
    if (status || r->bytes.p || l->takes_none) return status;
    snprintf(r->error, sizeof r->error, "%s", TOAD__REQUEST_EMPTY);
    return TOAD_E_SYNTAX;
}

static bool run_input(loop *l, const char *path) {
    const char *command = l->a->command->name;
    toad__input in;
    toad__lines lines;
    toad__buf out;
    int err = toad__input_open(&in, path, true);
    if (err) {
        cli_error(command, "cannot open '%s': %s", cli_safe(path), strerror(err));
        return false;
    }
    toad__buf_init(&out, ANSWER_MAX);
    toad_status status = toad__lines_open(&lines, &in);
    for (bool more = true; !status && more;) {
        toad_str line;
        status = toad__lines_next(&lines, &line, &more);
        if (status || !more || (!lines.line.status && toad__str_is_blank(line))) continue;
        answer_line(l, line, lines.number, lines.line.status, &out);
        cli_print(toad__buf_str(&out));
        if (!in.seekable) fflush(stdout);
    }
    if (status) cli_status(command, path, status);
    toad__lines_close(&lines);
    toad__buf_free(&out);
    toad__input_close(&in);
    return !status;
}

static int run(loop *l) {
    static char dash[] = "-";
    char *none[] = { dash };
    bool ok = true;
    size_t n = l->a->operands_n - l->act;
    if (!l->read) l->read = read_request;
    for (size_t i = 0; i < (n ? n : 1); i++) ok &= run_input(l, (n ? l->a->operands + l->act : none)[i]);
    if (!ok || l->bad) return EXIT_ERROR;
    return l->finding ? EXIT_FINDING : l->incomplete ? EXIT_INCOMPLETE : EXIT_OK;
}

static toad_status answer_scan(loop *l, const toad__request *r, toad__buf *out) {
    toad_scan_options options = *l->scan;
    const toad_verdict *v;
    toad_text *json;
    if (r->has_kind) options.kind = r->kind;
    if (r->has_scope) options.scope = r->scope;
    toad_status status = toad_scan(l->scanner, r->bytes, &options, &v);
    if (!status) status = toad_verdict_json(v, &json);
    if (status) return status;
    if (r->source.p) {
        add_member(out, "\"source\":");
        toad__json_add_utf8(out, r->source);
    }
    toad_str body = toad_text_str(json);
    add_member(out, "");
    toad__buf_add_str(out, toad__str_part(body, 1, body.n - 1));
    toad_text_free(json);
    l->finding |= l->a->fail_on != TOAD_NONE && toad_verdict_severity(v) >= l->a->fail_on;
    l->incomplete |= toad_verdict_completeness(v) != TOAD_FULL;
    return TOAD_OK;
}

void jsonl_add_content(toad__buf *out, toad_str text, const toad__census *removed) {
    if (toad__utf8_valid_upto(text) == text.n) {
        add_member(out, "\"text\":");
        toad__json_add_utf8(out, text);
    } else {
        add_member(out, "\"bytes_b64\":\"");
        toad__base64_add(out, text);
        toad__buf_add_c(out, '"');
    }
    toad__buf_add_z(out, ",\"removed\":");
    toad__add_removed(out, removed);
}

static toad_status answer_sanitize(loop *l, const toad__request *r, toad__buf *out) {
    (void)l;
    toad__buf clean;
    toad__census removed;
    toad__buf_init(&clean, ANSWER_MAX);
    toad_status status = toad__sanitize_content(r->bytes, &clean, &removed);
    if (!status) jsonl_add_content(out, toad__buf_str(&clean), &removed);
    toad__buf_free(&clean);
    return status;
}

static toad_status answer_wrap(loop *l, const toad__request *r, toad__buf *out) {
    toad_wrap_options options = *l->wrap;
    toad_text *text = NULL;
    toad__census removed;
    if (r->source.p) options.source = r->source;
    toad_status status = toad__wrap_content(r->bytes, &options, &text, &removed);
    if (status) return status;
    if (!text && !r->bytes.p) {
        add_member(out, "\"text\":null,\"removed\":");
        toad__add_removed(out, &removed);
        return TOAD_OK;
    }
    jsonl_add_content(out, text ? toad_text_str(text) : TOAD__S(""), &removed);
    toad_text_free(text);
    return TOAD_OK;
}

int jsonl_scan(const args *a, toad_engine *engine, const toad_scan_options *options) {
    loop l = { .a = a, .answer = answer_scan, .scan = options };
    toad_status status = toad_scanner_new(engine, &l.scanner);
    if (status) return cli_status("scan", "starting", status);
    int code = run(&l);
    toad_scanner_free(l.scanner);
    return code;
}

int jsonl_sanitize(const args *a) {
    loop l = { .a = a, .answer = answer_sanitize };
    return run(&l);
}

int jsonl_wrap(const args *a, const toad_wrap_options *options) {
    loop l = { .a = a, .answer = answer_wrap, .wrap = options, .takes_none = true };
    return run(&l);
}

/* ---- acts ---- */

static toad_status read_episode(loop *l, toad_str line, toad__arena *arena, toad__request *r) {
    toad_status status = toad__episode_read(line, arena, &l->episode);
    r->id = l->episode.id;
    snprintf(r->error, sizeof r->error, "%s", l->episode.error);
    return status;
}

static toad_status answer_episode(loop *l, const toad__request *r, toad__buf *out) {
    toad__trace trace;
    (void)r;
    toad_status status = toad__episode_judge(l->scanner, &l->episode, l->arena, &trace);
    if (status) return status;
    add_member(out, "");
    toad__episode_tell(&l->episode, &trace, out);
    l->finding |= trace.ask;
    return TOAD_OK;
}

int jsonl_acts(const args *a, toad_engine *engine) {
    loop l = { .a = a, .answer = answer_episode, .read = read_episode, .act = 1 };
    toad_status status = toad_scanner_new(engine, &l.scanner);
    if (status) return cli_status("confirm", "starting", status);
    int code = run(&l);
    toad_scanner_free(l.scanner);
    return code;
}
