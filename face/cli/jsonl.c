/* jsonl.c - the loop over lines, and what each command answers to one.
 *
 * A bad line is answered with its error and its line number, the rest goes on, and the exit status is 2 in the end. The
 * answer is flushed after each line unless the input is a file, so that the program can serve another one as a
 * coprocess. */
#include "face/cli/jsonl.h"
#include "app/scan/content.h"
#include "app/host/jsonl.h"
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
    bzr_status (*answer)(struct loop *l, const bzr__request *r, bzr__buf *out);
    bzr_scanner *scanner;
    const bzr_scan_options *scan;
    const bzr_wrap_options *wrap;
    bool bad, finding, incomplete;
} loop;

static void add_id(bzr__buf *out, const bzr__request *r) {
    bzr__buf_add_c(out, '{');
    if (!r->id.p) return;
    bzr__buf_add_z(out, "\"id\":");
    bzr__buf_add_str(out, r->id);
}

static void add_error(bzr__buf *out, const bzr__request *r, uint64_t line, const char *why) {
    bzr__buf_clear(out);
    add_id(out, r);
    bzr__buf_add_z(out, r->id.p ? ",\"line\":" : "\"line\":");
    bzr__buf_add_u64(out, line);
    bzr__buf_add_z(out, ",\"error\":");
    bzr__json_add_str(out, bzr__str_z(why));
    bzr__buf_add_z(out, "}\n");
}

/* A member needs a comma before it unless it is the first. */
static void add_member(bzr__buf *out, const char *name) {
    if (out->n > 1) bzr__buf_add_c(out, ',');
    bzr__buf_add_z(out, name);
}

static void answer_line(loop *l, bzr_str line, uint64_t number, bzr_status read, bzr__buf *out) {
    bzr__arena arena;
    bzr__request r = { .kind = BZR_KIND_ANY };
    bzr__arena_init(&arena, ARENA_MAX);
    bzr__buf_clear(out);
    bzr_status status = read ? read : bzr__request_read(line, &arena, &r);
    if (!status) {
        add_id(out, &r);
        status = l->answer(l, &r, out);
        bzr__buf_add_z(out, "}\n");
        if (!status) status = out->status;
    }
    if (status) {
        l->bad = true;
        add_error(out, &r, number, *r.error ? r.error : read ? "the line is too long" : bzr_status_message(status));
    }
    bzr__arena_free(&arena);
}

static bool is_blank(bzr_str line) {
    size_t i = 0;
    while (i < line.n && bzr__is_space((unsigned char)line.p[i])) i++;
    return i == line.n;
}

static bool run_input(loop *l, const char *path) {
    const char *command = l->a->command->name;
    bzr__input in;
    bzr__lines lines;
    bzr__buf out;
    int err = bzr__input_open(&in, path, true);
    if (err) {
        cli_error(command, "cannot open '%s': %s", cli_safe(path), strerror(err));
        return false;
    }
    bzr__buf_init(&out, ANSWER_MAX);
    bzr_status status = bzr__lines_open(&lines, &in);
    for (bool more = true; !status && more;) {
        bzr_str line;
        status = bzr__lines_next(&lines, &line, &more);
        if (status || !more || (!lines.line.status && is_blank(line))) continue;
        answer_line(l, line, lines.number, lines.line.status, &out);
        cli_print(bzr__buf_str(&out));
        if (!in.seekable) fflush(stdout);
    }
    if (status) cli_status(command, path, status);
    bzr__lines_close(&lines);
    bzr__buf_free(&out);
    bzr__input_close(&in);
    return !status;
}

static int run(loop *l) {
    static char dash[] = "-";
    char *none[] = { dash };
    bool ok = true;
    for (size_t i = 0; i < (l->a->operands_n ? l->a->operands_n : 1); i++)
        ok &= run_input(l, (l->a->operands_n ? l->a->operands : none)[i]);
    if (!ok || l->bad) return EXIT_ERROR;
    return l->finding ? EXIT_FINDING : l->incomplete ? EXIT_INCOMPLETE : EXIT_OK;
}

static bzr_status answer_scan(loop *l, const bzr__request *r, bzr__buf *out) {
    bzr_scan_options options = *l->scan;
    const bzr_verdict *v;
    bzr_text *json;
    if (r->has_kind) options.kind = r->kind;
    if (r->has_scope) options.scope = r->scope;
    bzr_status status = bzr_scan(l->scanner, r->bytes, &options, &v);
    if (!status) status = bzr_verdict_json(v, &json);
    if (status) return status;
    if (r->source.p) {
        add_member(out, "\"source\":");
        bzr__json_add_utf8(out, r->source);
    }
    bzr_str body = bzr_text_str(json);
    add_member(out, "");
    bzr__buf_add_str(out, bzr__str_part(body, 1, body.n - 1));
    bzr_text_free(json);
    l->finding |= l->a->fail_on != BZR_NONE && bzr_verdict_severity(v) >= l->a->fail_on;
    l->incomplete |= bzr_verdict_completeness(v) != BZR_FULL;
    return BZR_OK;
}

static void add_content(bzr__buf *out, bzr_str text, const bzr__census *removed) {
    if (bzr__utf8_valid_upto(text) == text.n) {
        add_member(out, "\"text\":");
        bzr__json_add_utf8(out, text);
    } else {
        add_member(out, "\"bytes_b64\":\"");
        bzr__base64_add(out, text);
        bzr__buf_add_c(out, '"');
    }
    bzr__buf_add_z(out, ",\"removed\":");
    bzr__add_removed(out, removed);
}

static bzr_status answer_sanitize(loop *l, const bzr__request *r, bzr__buf *out) {
    (void)l;
    bzr__buf clean;
    bzr__census removed;
    bzr__buf_init(&clean, ANSWER_MAX);
    bzr_status status = bzr__sanitize_content(r->bytes, &clean, &removed);
    if (!status) add_content(out, bzr__buf_str(&clean), &removed);
    bzr__buf_free(&clean);
    return status;
}

static bzr_status answer_wrap(loop *l, const bzr__request *r, bzr__buf *out) {
    bzr_wrap_options options = *l->wrap;
    bzr_text *text = NULL;
    bzr__census removed;
    if (r->source.p) options.source = r->source;
    bzr_status status = bzr__wrap_content(r->bytes, &options, &text, &removed);
    if (status) return status;
    add_content(out, text ? bzr_text_str(text) : BZR__S(""), &removed);
    bzr_text_free(text);
    return BZR_OK;
}

int jsonl_scan(const args *a, bzr_engine *engine, const bzr_scan_options *options) {
    loop l = { .a = a, .answer = answer_scan, .scan = options };
    bzr_status status = bzr_scanner_new(engine, &l.scanner);
    if (status) return cli_status("scan", "starting", status);
    int code = run(&l);
    bzr_scanner_free(l.scanner);
    return code;
}

int jsonl_sanitize(const args *a) {
    loop l = { .a = a, .answer = answer_sanitize };
    return run(&l);
}

int jsonl_wrap(const args *a, const bzr_wrap_options *options) {
    loop l = { .a = a, .answer = answer_wrap, .wrap = options };
    return run(&l);
}
