/* question.c - see question.h. */
#include "app/act/question.h"

#include "app/act/action.h"
#include "app/act/deed.h"
#include "app/host/display.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/fold.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX ((size_t)16 << 20)

enum {
    SAFE = 400,        /* bytes of a name that are shown */
    LINE = 140,        /* bytes of values in the first line */
    VALUE_LEAST = 12,  /* of each of them at least */
    VALUES = 6,        /* of them at most */
    MARKS = 64,        /* in one value */
    NEEDLES = 32,      /* texts that marks are looked for */
    LOOKED = 8192,     /* bytes of head and tail of a value where they are looked for */
    FORM_CONTENTS = 3, /* contents that a form shows */
    PASSAGE = 60,      /* bytes of words that came from one, in a line ... */
    AROUND = 24,       /* ... and of what stands around them */
};
#define SHOWN_MAX ((size_t)4 << 20) /* bytes of contents after which no more are shown */

/* ---- reading ---- */

static const toad__json *parse(toad__question *q, toad_str s) {
    const toad__json *root;
    size_t at;
    const char *expected;
    return toad__json_parse(s, &q->arena, &root, &at, &expected) ? NULL : root;
}

toad_status toad__question_load(toad__host *host, toad_str id, toad__answer *answer, toad__question *q) {
    *q = (toad__question){ .host = host, .answer = answer };
    toad__arena_init(&q->arena, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&q->text, TEXT_MAX);
    toad__buf_init(&q->notes, TEXT_MAX);
    toad_status status = toad__store_confirmation_get(host->store, id, &q->arena, &q->kept);
    if (status) return toad__host_store_failed(host, status);
    q->arguments = parse(q, q->kept.arguments);
    q->reasons = parse(q, q->kept.reasons);
    return q->arguments ? TOAD_OK
                        : toad__host_fail(host, TOAD_E_STATE,
                                          "the question was changed after it was asked: its arguments are no JSON");
}

void toad__question_free(toad__question *q) {
    toad__buf_free(&q->text);
    toad__buf_free(&q->notes);
    toad__arena_free(&q->arena);
}

toad_status toad__question_each(toad__question *q, toad__question_fn fn, void *ctx) {
    toad_str ids = q->kept.content_ids;
    toad_status status = TOAD_OK;
    for (size_t at = 0; at < ids.n && !status;) {
        size_t end = toad__str_find(ids, TOAD__S(","), at);
        status = fn(q, toad__str_part(ids, at, end), ctx);
        at = end + 1;
    }
    return status;
}

/* What is kept under an id; all of it empty when it is gone. */
static toad_status get(toad__question *q, toad_str id, bool with_body, toad__content *ret) {
    *ret = (toad__content){ 0 };
    toad_status status = toad__store_content_get(q->host->store, id, with_body, &q->arena, ret);
    return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(q->host, status);
}

/* ---- names and values ---- */

static void add(toad__question *q, const char *z) { toad__buf_add_z(&q->text, z); }

/* A name or a few words. `mark`: they stand between marks. */
static toad_status add_safe(toad__question *q, toad_str s, bool mark) {
    toad__buf unused;
    s = toad__str_part(s, 0, toad__utf8_floor(s, s.n < SAFE ? s.n : SAFE));
    const toad_span all = { 0, s.n };
    toad__display_how how = { .indent = "      ", .marks = &all, .marks_n = mark };
    toad__buf_init(&unused, TEXT_MAX);
    toad_status status = toad__display_as(&q->text, &unused, &how, s);
    toad__buf_free(&unused);
    return status;
}

static bool is_plain(const toad__json *v) { return v->type == TOAD__JSON_STRING; }

static toad_str value_of(const toad__json *v) { return is_plain(v) ? v->text : v->raw; }

/* ---- which words of it came from there ---- */

typedef struct marks {
    toad_span at[MARKS];
    size_t n;
} marks;

static int by_start(const void *left, const void *right) {
    const toad_span *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

/* In order, and those that touch as one. */
static void settle(marks *m) {
    size_t kept = 0;
    if (m->n) qsort(m->at, m->n, sizeof *m->at, by_start);
    for (size_t i = 0; i < m->n; i++) {
        if (kept && m->at[i].start <= m->at[kept - 1].end) {
            if (m->at[i].end > m->at[kept - 1].end) m->at[kept - 1].end = m->at[i].end;
        } else {
            m->at[kept++] = m->at[i];
        }
    }
    m->n = kept;
}

/* Mark each place of one part of the value where a text stands that reasons name, both folded, as they were compared.
 */
static toad_status look_in(const toad__question *q, toad_str part, size_t base, toad__view views[2], marks *m) {
    toad_status status = toad__fold(&views[0], part, TOAD__FOLD_DROP);
    toad_str folded = toad__buf_str(&views[0].text);
    size_t needles = 0;
    for (const toad__json *r = q->reasons ? q->reasons->child : NULL; r && !status && needles < NEEDLES; r = r->next) {
        toad_str text = toad__json_get_text(r, "text");
        text = toad__str_part(text, 0, toad__utf8_floor(text, text.n < SAFE ? text.n : SAFE));
        if (!text.n) continue;
        needles++;
        status = toad__fold(&views[1], text, TOAD__FOLD_DROP);
        text = toad__str_trim(toad__buf_str(&views[1].text));
        for (size_t at = 0; text.n && m->n < MARKS && (at = toad__str_find(folded, text, at)) < folded.n;
             at += text.n) {
            toad_span in = toad__offmap_back(&views[0].map, (toad_span){ at, at + text.n });
            m->at[m->n++] = (toad_span){ base + in.start, base + in.end };
        }
    }
    return status;
}

static toad_status find_marks(const toad__question *q, toad_str value, marks *ret) {
    toad__view views[2];
    ret->n = 0;
    if (q->host->by == TOAD__READER_MODEL) return TOAD_OK;
    size_t head = toad__utf8_floor(value, value.n < LOOKED ? value.n : LOOKED),
           tail = value.n > 2 * LOOKED ? toad__utf8_floor(value, value.n - LOOKED) : head;
    toad__view_init(&views[0], 8 * LOOKED);
    toad__view_init(&views[1], 8 * LOOKED);
    toad_status status = look_in(q, toad__str_part(value, 0, head), 0, views, ret);
    if (!status && tail < value.n) status = look_in(q, toad__str_part(value, tail, value.n), tail, views, ret);
    toad__view_free(&views[0]);
    toad__view_free(&views[1]);
    settle(ret);
    return status == TOAD_E_LIMIT ? TOAD_OK : status;
}

/* ---- the first two lines ---- */

/* One value in one line: quotation marks of the text are no end of it, and of a long one head and tail are shown. */
static void add_short(toad__question *q, toad_str shown, bool quoted, size_t room) {
    toad__buf line;
    toad__buf_init(&line, TEXT_MAX);
    if (quoted) toad__buf_add_c(&line, '"');
    for (size_t i = 0; i < shown.n; i++) {
        if (shown.p[i] == '\n') continue; /* its mark is there */
        if (quoted && shown.p[i] == '"') toad__buf_add_c(&line, '\\');
        toad__buf_add_c(&line, shown.p[i]);
    }
    if (quoted) toad__buf_add_c(&line, '"');
    toad_str s = toad__buf_str(&line);
    if (s.n > room + 8) {
        toad__buf_add_str(&q->text, toad__str_part(s, 0, toad__utf8_floor(s, room / 2)));
        add(q, "\xE2\x80\xA6");
        s = toad__str_part(s, toad__utf8_floor(s, s.n - room / 2), s.n);
    }
    toad__buf_add_str(&q->text, s);
    if (line.status) q->text.status = line.status;
    toad__buf_free(&line);
}

static toad_status add_short_value(toad__question *q, toad_str name, const toad__json *v, size_t room) {
    toad__buf shown, unused;
    toad__buf_init(&shown, TEXT_MAX);
    toad__buf_init(&unused, TEXT_MAX);
    toad_status status = toad__display(&shown, &unused, "", name);
    add(q, " ");
    add_short(q, toad__buf_str(&shown), false, VALUE_LEAST);
    add(q, name.n ? "=" : "");
    toad__buf_clear(&shown);
    if (!status) status = toad__display(&shown, &unused, "", value_of(v));
    add_short(q, toad__buf_str(&shown), is_plain(v), room);
    toad__buf_free(&shown);
    toad__buf_free(&unused);
    return status;
}

/* "Allow write_file: content="..." path="nginx.conf"?" */
static toad_status add_call(toad__question *q) {
    bool object = q->arguments->type == TOAD__JSON_OBJECT;
    const toad__json *first = object ? q->arguments->child : q->arguments, *v = first;
    size_t n = 0, told = 0;
    for (; v; v = object ? v->next : NULL) n++;
    size_t room = n ? LINE / (n < VALUES ? n : VALUES) : LINE;
    add(q, "Allow ");
    toad_status status = add_safe(q, q->kept.tool, false);
    add(q, n ? ":" : "");
    for (v = first; v && told < VALUES && !status; v = object ? v->next : NULL, told++)
        status = add_short_value(q, object ? v->key : toad__str("", 0), v, room < VALUE_LEAST ? VALUE_LEAST : room);
    if (n > told) {
        add(q, " and ");
        toad__buf_add_u64(&q->text, n - told);
        add(q, " more");
    }
    add(q, "?\n");
    return status;
}

static toad_status count_one(toad__question *q, toad_str id, void *ctx) {
    size_t *n = ctx;
    (void)q;
    (void)id;
    return ++*n, TOAD_OK;
}

static toad_status first_url(toad__question *q, toad_str id, void *ctx) {
    toad_str *url = ctx;
    toad__content content;
    if (url->p) return TOAD_OK;
    toad_status status = get(q, id, false, &content);
    *url = content.url;
    return status;
}

/* "It comes from https://example.com/nginx: "server { ..."": the reason that names most, else what was read. */
static toad_status add_origin(toad__question *q) {
    toad_str text = { NULL, 0 }, source = { NULL, 0 };
    size_t contents = 0;
    for (const toad__json *r = q->reasons ? q->reasons->child : NULL; r; r = r->next) {
        toad_str t = toad__json_get_text(r, "text");
        if (t.n <= text.n) continue;
        text = t;
        source = toad__json_get_text(r, "source");
    }
    toad_status status = toad__question_each(q, count_one, &contents);
    if (!status && !source.p) status = toad__question_each(q, first_url, &source);
    if (status) return status;
    add(q, text.n ? "From " : "The agent has read ");
    status = add_safe(q, source.p ? source : TOAD__S("content that has expired"), false);
    if (text.n) {
        add(q, ", which the agent has read: ");
        if (!status) status = add_safe(q, text, true);
    } else if (contents > 1) {
        add(q, " and ");
        toad__buf_add_u64(&q->text, contents - 1);
        add(q, " more");
    }
    add(q, "\n");
    return status;
}

/* ---- what will run ---- */

/* One line, or several, of the dialog: name = value. */
static toad_status add_shown(toad__question *q, toad_str name, toad_str value) {
    toad__buf shown;
    marks m;
    toad__buf_init(&shown, TEXT_MAX);
    toad_status status = find_marks(q, value, &m);
    toad__display_how how = { .indent = "      ", .marks = m.at, .marks_n = m.n };
    if (!status) status = toad__display_as(&shown, &q->notes, &how, value);
    add(q, "  ");
    if (!status) status = toad__display(&q->text, &q->notes, "      ", name);
    add(q, name.n ? " = " : "");
    toad__buf_add_str(&q->text, toad__buf_str(&shown));
    add(q, "\n");
    toad__answer_object(q->answer, NULL);
    toad__answer_str(q->answer, "name", name);
    toad__answer_str(q->answer, "text", toad__buf_str(&shown));
    toad__answer_array(q->answer, "marks");
    for (size_t i = 0; i < m.n; i++) {
        toad__answer_object(q->answer, NULL);
        toad__answer_int(q->answer, "start", (int64_t)m.at[i].start);
        toad__answer_int(q->answer, "end", (int64_t)m.at[i].end);
        toad__answer_end(q->answer);
    }
    toad__answer_end(q->answer);
    toad__answer_end(q->answer);
    toad__buf_free(&shown);
    return status;
}

/* The arguments: texts as they are, everything else as the JSON that is bound. */
static toad_status add_arguments(toad__question *q) {
    toad_status status = TOAD_OK;
    const toad__json *a = q->arguments;
    if (a->type != TOAD__JSON_OBJECT) return add_shown(q, toad__str("", 0), value_of(a));
    for (const toad__json *m = a->child; m && !status; m = m->next) status = add_shown(q, m->key, value_of(m));
    if (!a->child) add(q, "  (no arguments)\n");
    return status;
}

static void add_notes(toad__question *q) {
    toad_str all = toad__buf_str(&q->notes);
    toad__answer_array(q->answer, "notes");
    for (size_t at = 0, end; at < all.n; at = end + 1) {
        end = toad__str_find(all, TOAD__S("\n"), at);
        toad__answer_str(q->answer, NULL, toad__str_part(all, at, end));
        add(q, "  note: ");
        toad__buf_add_str(&q->text, toad__str_part(all, at, end));
        add(q, "\n");
    }
    toad__answer_end(q->answer);
}

/* ---- why, and from where ---- */

/* "  overlap: it stands in what ... - url "evil.example/x" in fetch_... (https://...)" */
static toad_status add_reason(toad__question *q, const toad__json *r) {
    static const char *const members[] = { "kind", "text", "content_id", "source" },
                             *const before[] = { " - ", " \"", " in ", " from " },
                             *const behind[] = { "", "\"", "", "" };
    add(q, "  ");
    toad_status status = add_safe(q, toad__json_get_text(r, "reason"), false);
    add(q, ": ");
    if (!status) status = add_safe(q, toad__json_get_text(r, "why"), false);
    for (size_t i = 0; i < 4 && !status; i++) {
        toad_str value = toad__json_get_text(r, members[i]);
        if (!value.p) continue;
        add(q, before[i]);
        status = add_safe(q, value, false);
        add(q, behind[i]);
    }
    add(q, "\n");
    return status;
}

/* "  fetch_...  https://...  scan: warn"; a content that is gone has only its id. */
static toad_status add_name_of(toad__question *q, toad_str id, const toad__content *content) {
    toad_status status = add_safe(q, id, false);
    add(q, "  ");
    if (!status) status = add_safe(q, content->url.p ? content->url : TOAD__S("(expired)"), false);
    if (content->action.p && !toad__str_eq(content->action, TOAD__S("allow"))) {
        add(q, "  scan: ");
        if (!status) status = add_safe(q, content->action, false);
    }
    return status;
}

static toad_status add_source(toad__question *q, toad_str id, void *ctx) {
    toad__content content;
    (void)ctx;
    toad_status status = get(q, id, false, &content);
    if (status) return status;
    toad__answer_object(q->answer, NULL);
    toad__answer_str(q->answer, "content_id", id);
    toad__answer_str(q->answer, "source", content.url);
    toad__answer_str(q->answer, "domain", content.domain);
    toad__answer_str(q->answer, "scan", content.action);
    toad__answer_end(q->answer);
    add(q, "  ");
    status = add_name_of(q, id, &content);
    add(q, "\n");
    return status;
}

/* ---- what can be answered ---- */

/* What an "always" would cover; p NULL: nothing. */
static toad_status entry_of(toad__question *q, toad_str *ret) {
    toad__buf b;
    toad__buf_init(&b, 1u << 14);
    toad_status status =
        toad__action_standing(q->kept.tool, q->kept.arguments, toad__deed_of(q->kept.tool, q->arguments), &b);
    if (!status && b.n) *ret = toad__arena_dup(&q->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return status == TOAD_E_LIMIT ? TOAD_OK : status;
}

static toad_status is_blocked(toad__question *q, toad_str id, void *ctx) {
    bool *blocked = ctx;
    toad__content content;
    toad_str setting = { NULL, 0 };
    toad_status status = get(q, id, false, &content);
    if (status || !content.url.p) return status;
    status = toad__store_setting_for(q->host->store, content.url, content.domain, &q->arena, &setting);
    *blocked |= toad__str_eq(content.severity, TOAD__S("high")) || toad__str_eq(setting, TOAD__S("blocked"));
    return toad__host_store_failed(q->host, status);
}

toad_status toad__question_always_of(toad__question *q, toad__question_always *ret) {
    bool blocked = false;
    toad_status status = toad__question_each(q, is_blocked, &blocked);
    if (!status) status = entry_of(q, &ret->entry);
    if (blocked)
        ret->why =
            "there is no 'always' for content with a high finding or from a blocked source; answer apply or skip";
    else if (!ret->entry.p || !q->kept.content_ids.n)
        ret->why = "there is no 'always' for this call; answer apply or skip";
    return status;
}

static toad_status add_answers(toad__question *q) {
    char line[512];
    const char *id = q->kept.id;
    bool pending = toad__str_eq(q->kept.state, TOAD__S("pending"));
    toad__question_always always = { .why = NULL };
    toad_status status = pending ? toad__question_always_of(q, &always) : TOAD_OK;
    toad__answer_array(q->answer, "answers");
    if (pending) toad__answer_z(q->answer, NULL, "apply");
    if (pending) toad__answer_z(q->answer, NULL, "show");
    if (pending) toad__answer_z(q->answer, NULL, "skip");
    if (pending && !always.why) toad__answer_z(q->answer, NULL, "always");
    toad__answer_end(q->answer);
    if (!pending) return status;
    snprintf(line, sizeof line,
             "\nanswers\n  toadstone confirm answer %s apply --binding %s\n  toadstone confirm answer %s show\n"
             "  toadstone confirm answer %s skip\n",
             id, q->kept.binding, id, id);
    add(q, line);
    snprintf(line, sizeof line, "  toadstone confirm answer %s always --binding %s\n", id, q->kept.binding);
    if (!always.why) add(q, line);
    return status;
}

/* ---- the whole ---- */

void toad__question_head(toad__answer *b, const toad__confirmation *q, int64_t now) {
    bool expired = q->expires_at <= now && !toad__str_eq(q->state, TOAD__S("used")),
         pending = toad__str_eq(q->state, TOAD__S("pending"));
    toad__answer_z(b, "id", q->id);
    toad__answer_str(b, "state", expired ? TOAD__S("expired") : q->state);
    toad__answer_str(b, "session_id", q->session_id);
    toad__answer_str(b, "tool", q->tool);
    toad__answer_time(b, "created_at", q->created_at);
    toad__answer_time(b, "expires_at", q->expires_at);
    toad__answer_time(b, "answered_at", pending ? 0 : q->answered_at);
    toad__answer_time(b, "dismissed_at", pending ? q->answered_at : 0);
}

static toad_status add_what(toad__question *q) {
    char line[160];
    const char *deed = toad__deed_name(toad__deed_of(q->kept.tool, q->arguments));
    toad__answer_z(q->answer, "class", deed);
    toad__answer_json(q->answer, "arguments", q->kept.arguments);
    snprintf(line, sizeof line, "\nwhat will run (%s, %zu bytes of arguments)\n", deed, q->kept.arguments.n);
    add(q, line);
    toad__answer_array(q->answer, "display");
    toad_status status = add_arguments(q);
    toad__answer_end(q->answer);
    add_notes(q);
    return status;
}

static toad_status add_why(toad__question *q) {
    toad_status status = TOAD_OK;
    add(q, "\nwhy you are asked\n");
    for (const toad__json *r = q->reasons ? q->reasons->child : NULL; r && !status; r = r->next)
        status = add_reason(q, r);
    add(q, "\nwhere it may come from\n");
    toad__answer_array(q->answer, "sources");
    if (!status) status = toad__question_each(q, add_source, NULL);
    toad__answer_end(q->answer);
    return status ? status : add_answers(q);
}

toad_status toad__question_show(toad__question *q) {
    bool to_model = q->host->by == TOAD__READER_MODEL;
    toad__question_head(q->answer, &q->kept, toad__store_now(q->host->store));
    toad_status status = to_model ? TOAD_OK : add_call(q);
    if (!status && !to_model) status = add_origin(q);
    if (!status) status = add_what(q);
    if (to_model) {
        toad__answer_z(q->answer, "text", "Only the user can see and answer this question.\n");
        return status;
    }
    if (!status) status = add_why(q);
    if (!toad__answer_json(q->answer, "reasons", q->kept.reasons)) toad__answer_z(q->answer, "reasons", NULL);
    toad__answer_z(q->answer, "binding", q->kept.binding);
    toad__answer_str(q->answer, "text", toad__buf_str(&q->text));
    return status ? status : q->text.status ? q->text.status : q->notes.status;
}

/* ---- what the contents say ---- */

typedef struct reading {
    bool in_form, told, any; /* told: a passage is shown; any: one without common words will do */
    size_t n, left;          /* contents that are shown, and that are not */
} reading;

/* A client may hand a form to its model, so a form shows nothing that a model may not read. */
static const char *why_not(const toad__content *content, bool in_form) {
    if (!content->url.p) return "it has expired";
    if (in_form && toad__str_eq(content->action, TOAD__S("block")) && !content->released_at)
        return "it is blocked, and not shown here: it tries to steer the agent";
    return NULL;
}

/* "It stands there as: ... server { ...": for clients that show two lines of a form, the passage is the second. */
static toad_status add_passage(toad__question *q, toad_str body, const marks *m) {
    toad__buf shown, unused;
    toad_span mark = m->n ? m->at[0] : (toad_span){ 0, 0 };
    size_t after = m->n ? AROUND : PASSAGE + AROUND;
    if (mark.end - mark.start > PASSAGE) mark.end = toad__utf8_floor(body, mark.start + PASSAGE);
    size_t from = toad__utf8_floor(body, mark.start > AROUND ? mark.start - AROUND : 0),
           to = toad__utf8_floor(body, mark.end + after < body.n ? mark.end + after : body.n);
    mark = (toad_span){ mark.start - from, mark.end - from };
    toad__display_how how = { .indent = "", .marks = &mark, .marks_n = m->n > 0 };
    toad__buf_init(&shown, TEXT_MAX);
    toad__buf_init(&unused, TEXT_MAX);
    toad_status status = toad__display_as(&shown, &unused, &how, toad__str_part(body, from, to));
    add(q, m->n ? "It stands there as: " : "It begins with: ");
    add_short(q, toad__buf_str(&shown), false, shown.n);
    add(q, "\n\n");
    toad__buf_free(&shown);
    toad__buf_free(&unused);
    return status;
}

/* Of the first content that has words in common with the call, or else of the first. */
static toad_status add_first_passage(toad__question *q, toad_str id, void *ctx) {
    reading *r = ctx;
    toad__content content;
    marks m = { .n = 0 };
    if (r->told) return TOAD_OK;
    toad_status status = get(q, id, true, &content);
    if (status || why_not(&content, true)) return status;
    content.body = toad__str_trim(content.body);
    status = find_marks(q, content.body, &m);
    r->told = !status && (m.n || r->any);
    return r->told ? add_passage(q, content.body, &m) : status;
}

static toad_status add_body(toad__question *q, const toad__content *content, bool in_form) {
    toad__buf shown, unused;
    marks m;
    toad_str body = content->body;
    if (body.n && body.p[body.n - 1] == '\n') body.n--;
    toad__buf_init(&shown, TEXT_MAX);
    toad__buf_init(&unused, TEXT_MAX);
    toad_status status = find_marks(q, body, &m);
    toad__display_how how = { .indent = "  | ", .marks = m.at, .marks_n = m.n, .reading = true, .whole = !in_form };
    if (!status) status = toad__display_as(&shown, &unused, &how, body);
    add(q, "  | ");
    toad__buf_add_str(&q->text, toad__buf_str(&shown));
    add(q, "\n");
    if (!content->intact) add(q, "  (it was changed in the store after it was kept)\n");
    if (content->truncated) add(q, "  (it was longer than what is kept)\n");
    toad__answer_str(q->answer, "text", toad__buf_str(&shown));
    toad__buf_free(&shown);
    toad__buf_free(&unused);
    return status;
}

static toad_status add_content(toad__question *q, toad_str id, void *ctx) {
    reading *r = ctx;
    toad__content content;
    if ((r->in_form && r->n == FORM_CONTENTS) || q->text.n > SHOWN_MAX) return r->left++, TOAD_OK;
    r->n++;
    toad_status status = get(q, id, true, &content);
    if (status) return status;
    const char *not_shown = why_not(&content, r->in_form);
    add(q, "\n");
    status = add_name_of(q, id, &content);
    add(q, "\n");
    toad__answer_object(q->answer, NULL);
    toad__answer_str(q->answer, "content_id", id);
    toad__answer_str(q->answer, "source", content.url);
    toad__answer_str(q->answer, "scan", content.action);
    if (not_shown) {
        toad__answer_z(q->answer, "text", NULL);
        add(q, "  (");
        add(q, not_shown);
        add(q, ")\n");
    } else if (!status) {
        status = add_body(q, &content, r->in_form);
    }
    toad__answer_end(q->answer);
    return status;
}

toad_status toad__question_contents(toad__question *q, bool in_form) {
    reading r = { .in_form = in_form };
    toad_status status = in_form ? toad__question_each(q, add_first_passage, &r) : TOAD_OK;
    r.any = true;
    if (in_form && !status) status = toad__question_each(q, add_first_passage, &r);
    add(q, "what the agent has read, written by strangers: nothing in it is a word of Toadstone's or of the agent's\n");
    toad__answer_z(q->answer, "id", q->kept.id);
    toad__answer_array(q->answer, "contents");
    if (!status) status = toad__question_each(q, add_content, &r);
    toad__answer_end(q->answer);
    if (r.left) {
        add(q, "\nand ");
        toad__buf_add_u64(&q->text, r.left);
        add(q, " more; one of them: toadstone contents show ID\n");
    }
    if (in_form) {
        add(q, "\nAll of it: toadstone confirm answer ");
        add(q, q->kept.id);
        add(q, " show\n");
    }
    toad__answer_str(q->answer, "text", toad__buf_str(&q->text));
    return status ? status : q->text.status;
}
