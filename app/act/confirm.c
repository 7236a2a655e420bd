/* confirm.c - see confirm.h. */
#include "app/act/confirm.h"

#include "app/act/action.h"
#include "app/host/authority.h"
#include "app/act/deed.h"
#include "app/host/display.h"
#include "lib/base/str.h"

#include <stdio.h>

#define TEXT_MAX ((size_t)16 << 20)

/* ---- list ---- */

typedef struct listing {
    bzr__host *host;
    bzr__buf *answer;
    int64_t now;
    bool open_only;
} listing;

static void add_head(bzr__buf *b, const bzr__confirmation *q, int64_t now) {
    bool expired = q->expires_at <= now && !bzr__str_eq(q->state, BZR__S("used"));
    bzr__answer_z(b, "id", q->id);
    bzr__answer_str(b, "state", expired ? BZR__S("expired") : q->state);
    bzr__answer_str(b, "session_id", q->session_id);
    bzr__answer_str(b, "tool", q->tool);
    bzr__answer_time(b, "created_at", q->created_at);
    bzr__answer_time(b, "expires_at", q->expires_at);
    bzr__answer_time(b, "answered_at", q->answered_at);
}

static bool add_listed(void *ctx, const bzr__confirmation *q) {
    listing *l = ctx;
    if (l->open_only && q->expires_at <= l->now) return true;
    if (l->host->session.n && !bzr__str_eq(l->host->session, q->session_id)) return true;
    bzr__json_add_key(l->answer, NULL);
    bzr__buf_add_c(l->answer, '{');
    add_head(l->answer, q, l->now);
    bzr__answer_str(l->answer, "arguments", q->arguments);
    bzr__buf_add_c(l->answer, '}');
    return !l->answer->status;
}

bzr_status bzr__confirmations_list(bzr__host *host, bzr_str state, uint64_t limit, bzr__buf *answer) {
    listing l = { host, answer, bzr__store_now(host->store), bzr__str_eq(state, BZR__S("pending")) };
    bzr__buf_add_z(answer, "{\"confirmations\":[");
    bzr_status status = bzr__store_confirmations(host->store, state, limit, add_listed, &l);
    bzr__buf_add_z(answer, "]}");
    return status ? bzr__host_store_failed(host, status) : answer->status;
}

/* ---- the question ---- */

typedef struct question {
    bzr__host *host;
    bzr__arena arena;
    bzr__confirmation kept;
    const bzr__json *arguments, *reasons;
    bzr__buf text, display, notes, sources;
} question;

static void question_free(question *q) {
    bzr__buf_free(&q->text);
    bzr__buf_free(&q->display);
    bzr__buf_free(&q->notes);
    bzr__buf_free(&q->sources);
    bzr__arena_free(&q->arena);
}

static const bzr__json *parse(question *q, bzr_str s) {
    const bzr__json *root;
    size_t at;
    const char *expected;
    return bzr__json_parse(s, &q->arena, &root, &at, &expected) ? NULL : root;
}

static bzr_status load(bzr__host *host, bzr_str id, question *q) {
    *q = (question){ .host = host };
    bzr__arena_init(&q->arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&q->text, TEXT_MAX);
    bzr__buf_init(&q->display, TEXT_MAX);
    bzr__buf_init(&q->notes, TEXT_MAX);
    bzr__buf_init(&q->sources, TEXT_MAX);
    bzr_status status = bzr__store_confirmation_get(host->store, id, &q->arena, &q->kept);
    if (status) return bzr__host_store_failed(host, status);
    q->arguments = parse(q, q->kept.arguments);
    q->reasons = parse(q, q->kept.reasons);
    return q->arguments ? BZR_OK
                        : bzr__host_fail(host, BZR_E_STATE,
                                         "the question was changed after it was asked: its arguments are no JSON");
}

/* One line, or several, of the dialog: name = value. */
static bzr_status add_shown(question *q, bzr_str name, bzr_str value) {
    bzr__buf shown;
    bzr__buf_init(&shown, TEXT_MAX);
    bzr_status status = bzr__display(&shown, &q->notes, "      ", value);
    bzr__buf_add_z(&q->text, "  ");
    if (!status) status = bzr__display(&q->text, &q->notes, "      ", name);
    bzr__buf_add_z(&q->text, name.n ? " = " : "");
    bzr__buf_add_str(&q->text, bzr__buf_str(&shown));
    bzr__buf_add_c(&q->text, '\n');
    bzr__json_add_key(&q->display, NULL);
    bzr__buf_add_c(&q->display, '{');
    bzr__answer_str(&q->display, "name", name);
    bzr__answer_str(&q->display, "text", bzr__buf_str(&shown));
    bzr__buf_add_c(&q->display, '}');
    bzr__buf_free(&shown);
    return status;
}

static bool is_plain(const bzr__json *v) { return v->type == BZR__JSON_STRING; }

/* The arguments: texts as they are, everything else as the JSON that is bound. */
static bzr_status add_arguments(question *q) {
    bzr_status status = BZR_OK;
    const bzr__json *a = q->arguments;
    if (a->type != BZR__JSON_OBJECT) return add_shown(q, bzr__str("", 0), is_plain(a) ? a->text : a->raw);
    for (const bzr__json *m = a->child; m && !status; m = m->next)
        status = add_shown(q, m->key, is_plain(m) ? m->text : m->raw);
    if (!a->child) bzr__buf_add_z(&q->text, "  (no arguments)\n");
    return status;
}

static bzr_status add_safe(question *q, bzr_str s) {
    bzr__buf unused;
    bzr__buf_init(&unused, TEXT_MAX);
    bzr_status status = bzr__display(&q->text, &unused, "      ", bzr__str_part(s, 0, 400));
    bzr__buf_free(&unused);
    return status;
}

/* "  overlap: it stands in what ... - url "evil.example/x" in fetch_... (https://...)" */
static bzr_status add_reason(question *q, const bzr__json *r) {
    static const char *const members[] = { "kind", "text", "content_id", "source" },
                             *const before[] = { " - ", " \"", " in ", " from " },
                             *const behind[] = { "", "\"", "", "" };
    bzr__buf_add_z(&q->text, "  ");
    bzr_status status = add_safe(q, bzr__json_get_text(r, "reason"));
    bzr__buf_add_z(&q->text, ": ");
    if (!status) status = add_safe(q, bzr__json_get_text(r, "why"));
    for (size_t i = 0; i < 4 && !status; i++) {
        bzr_str value = bzr__json_get_text(r, members[i]);
        if (!value.p) continue;
        bzr__buf_add_z(&q->text, before[i]);
        status = add_safe(q, value);
        bzr__buf_add_z(&q->text, behind[i]);
    }
    bzr__buf_add_c(&q->text, '\n');
    return status;
}

typedef bzr_status (*each_fn)(question *q, bzr_str id, void *ctx);

static bzr_status each_content(question *q, each_fn fn, void *ctx) {
    bzr_str ids = q->kept.content_ids;
    bzr_status status = BZR_OK;
    for (size_t at = 0; at < ids.n && !status;) {
        size_t end = bzr__str_find(ids, BZR__S(","), at);
        status = fn(q, bzr__str_part(ids, at, end), ctx);
        at = end + 1;
    }
    return status;
}

/* Where the suggestion came from; a content that is gone has only its id. */
static bzr_status add_source(question *q, bzr_str id, void *ctx) {
    bzr__content content = { 0 };
    (void)ctx;
    bzr_status status = bzr__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status && status != BZR_E_NOT_FOUND) return bzr__host_store_failed(q->host, status);
    bzr__json_add_key(&q->sources, NULL);
    bzr__buf_add_c(&q->sources, '{');
    bzr__answer_str(&q->sources, "content_id", id);
    bzr__answer_str(&q->sources, "source", content.url);
    bzr__answer_str(&q->sources, "domain", content.domain);
    bzr__answer_str(&q->sources, "scan", content.action);
    bzr__buf_add_c(&q->sources, '}');
    bzr__buf_add_z(&q->text, "  ");
    status = add_safe(q, id);
    bzr__buf_add_z(&q->text, "  ");
    if (!status) status = add_safe(q, content.url.p ? content.url : BZR__S("(expired)"));
    if (content.action.p && !bzr__str_eq(content.action, BZR__S("allow"))) {
        bzr__buf_add_z(&q->text, "  scan: ");
        if (!status) status = add_safe(q, content.action);
    }
    bzr__buf_add_c(&q->text, '\n');
    return status;
}

static void add_notes(question *q) {
    bzr__arena arena;
    bzr__buf all;
    const bzr__json *root;
    size_t at;
    const char *expected;
    bzr__arena_init(&arena, TEXT_MAX);
    bzr__buf_init(&all, TEXT_MAX);
    bzr__buf_add_c(&all, '[');
    bzr__buf_add_str(&all, bzr__buf_str(&q->notes));
    bzr__buf_add_c(&all, ']');
    if (!all.status && !bzr__json_parse(bzr__buf_str(&all), &arena, &root, &at, &expected)) {
        for (const bzr__json *n = root->child; n; n = n->next) {
            bzr__buf_add_z(&q->text, "  note: ");
            bzr__buf_add_str(&q->text, n->text);
            bzr__buf_add_c(&q->text, '\n');
        }
    }
    bzr__buf_free(&all);
    bzr__arena_free(&arena);
}

static void add_answers(question *q) {
    char line[512];
    const char *id = q->kept.id;
    if (!bzr__str_eq(q->kept.state, BZR__S("pending"))) return;
    if (q->host->by == BZR__READER_MODEL) {
        bzr__buf_add_z(&q->text, "\nOnly the user can answer.\n");
        return;
    }
    snprintf(line, sizeof line,
             "\nanswers\n  bezoar confirm answer %s apply --binding %s\n  bezoar confirm answer %s skip\n  bezoar "
             "confirm answer %s always --binding %s\n"
             "  bezoar contents show ID\n",
             id, q->kept.binding, id, id, q->kept.binding);
    bzr__buf_add_z(&q->text, line);
}

static bzr_status write_dialog(question *q) {
    char line[160];
    bzr__deed deed = bzr__deed_of(q->kept.tool, q->arguments);
    bzr__buf_add_z(&q->text, "An agent wants to call ");
    bzr_status status = add_safe(q, q->kept.tool);
    snprintf(line, sizeof line, " (%s) after it read external content.\n\nwhat will run (%zu bytes of arguments)\n",
             bzr__deed_name(deed), q->kept.arguments.n);
    bzr__buf_add_z(&q->text, line);
    if (!status) status = add_arguments(q);
    add_notes(q);
    bzr__buf_add_z(&q->text, "\nwhy you are asked\n");
    for (const bzr__json *r = q->reasons ? q->reasons->child : NULL; r && !status; r = r->next)
        status = add_reason(q, r);
    bzr__buf_add_z(&q->text, "\nwhere it may come from\n");
    if (!status) status = each_content(q, add_source, NULL);
    add_answers(q);
    return status ? status : q->text.status;
}

static void add_question(question *q, bzr__buf *answer) {
    bool to_model = q->host->by == BZR__READER_MODEL;
    bzr__buf_add_c(answer, '{');
    add_head(answer, &q->kept, bzr__store_now(q->host->store));
    bzr__answer_z(answer, "class", bzr__deed_name(bzr__deed_of(q->kept.tool, q->arguments)));
    bzr__answer_json(answer, "arguments", q->kept.arguments);
    bzr__json_add_key(answer, "display");
    bzr__buf_add_c(answer, '[');
    bzr__buf_add_str(answer, bzr__buf_str(&q->display));
    bzr__buf_add_z(answer, "],\"notes\":[");
    bzr__buf_add_str(answer, bzr__buf_str(&q->notes));
    bzr__buf_add_c(answer, ']');
    if (!to_model) { /* it may not be told of what is blocked */
        bzr__buf_add_z(answer, ",\"sources\":[");
        bzr__buf_add_str(answer, bzr__buf_str(&q->sources));
        bzr__buf_add_c(answer, ']');
        bzr__answer_json(answer, "reasons", q->kept.reasons);
        bzr__answer_z(answer, "binding", q->kept.binding);
    }
    bzr__answer_str(answer, "text",
                    to_model ? BZR__S("Only the user can see and answer this question.\n") : bzr__buf_str(&q->text));
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__confirmation_show(bzr__host *host, bzr_str id, bzr__buf *answer) {
    question q;
    bzr_status status = load(host, id, &q);
    if (!status) status = write_dialog(&q);
    if (!status)
        add_question(&q, answer);
    else if (!*host->message)
        bzr__host_fail(host, status, "the question cannot be shown: %s", bzr_status_message(status));
    question_free(&q);
    return status ? status : answer->status;
}

/* ---- the answer ---- */

typedef struct standing {
    bzr_str kind, pattern; /* whose setting it is */
    bzr__arena *arena;
    bzr_str setting, note;
    bool full;
} standing;

static bool find_setting(void *ctx, const bzr__setting *s) {
    standing *st = ctx;
    if (!bzr__str_eq(s->kind, st->kind) || !bzr__str_eq(s->pattern, st->pattern)) return true;
    st->setting = bzr__arena_dup(st->arena, s->setting);
    st->note = bzr__arena_dup(st->arena, s->note);
    st->full = !st->setting.p || !st->note.p;
    return false;
}

/* What an "always" would cover; p NULL: nothing. */
static bzr_status entry_of(question *q, bzr_str *ret) {
    bzr__buf b;
    bzr__buf_init(&b, 1u << 14);
    bzr_status status =
        bzr__action_standing(q->kept.tool, q->kept.arguments, bzr__deed_of(q->kept.tool, q->arguments), &b);
    if (!status && b.n) *ret = bzr__arena_dup(&q->arena, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return status == BZR_E_LIMIT ? BZR_OK : status;
}

/* Add the entry to what the setting of this content's domain already covers. */
static bzr_status stand(question *q, bzr_str id, void *ctx) {
    const bzr_str *entry = ctx;
    bzr__content content = { 0 };
    bzr_status status = bzr__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status) return status == BZR_E_NOT_FOUND ? BZR_OK : bzr__host_store_failed(q->host, status);
    bool domain = content.domain.n > 0;
    standing st = { .kind = domain ? BZR__S("domain") : BZR__S("url"),
                    .pattern = domain ? content.domain : content.url,
                    .arena = &q->arena };
    status = bzr__store_settings(q->host->store, find_setting, &st);
    if (status) return bzr__host_store_failed(q->host, status);
    bool automatic = bzr__str_eq(st.setting, BZR__S("auto_confirm")),
         limited = bzr__str_starts(st.note, BZR__S(BZR__ACTION_ALWAYS));
    if ((automatic && !limited) || (automatic && bzr__str_find(st.note, *entry, 0) < st.note.n)) return BZR_OK;
    bzr__buf note;
    bzr__buf_init(&note, 1u << 16);
    bzr__buf_add_str(&note, automatic ? st.note : BZR__S(BZR__ACTION_ALWAYS));
    bzr__buf_add_z(&note, automatic ? "; " : "");
    bzr__buf_add_str(&note, *entry);
    bzr__setting setting = {
        .kind = st.kind, .pattern = st.pattern, .setting = BZR__S("auto_confirm"), .note = bzr__buf_str(&note)
    };
    status =
        note.status ? note.status : bzr__host_store_failed(q->host, bzr__store_setting_put(q->host->store, &setting));
    bzr__buf_free(&note);
    return status;
}

static bzr_status is_blocked(question *q, bzr_str id, void *ctx) {
    bool *blocked = ctx;
    bzr__content content = { 0 };
    bzr_str setting = { NULL, 0 };
    bzr_status status = bzr__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status) return status == BZR_E_NOT_FOUND ? BZR_OK : bzr__host_store_failed(q->host, status);
    status = bzr__store_setting_for(q->host->store, content.url, content.domain, &q->arena, &setting);
    *blocked |= bzr__str_eq(content.severity, BZR__S("high")) || bzr__str_eq(setting, BZR__S("blocked"));
    return bzr__host_store_failed(q->host, status);
}

static bzr_status reply_to(question *q, bzr_str binding, bzr__reply reply, bzr__buf *answer) {
    bool blocked = false;
    bzr_str entry = { NULL, 0 };
    bzr_status status = BZR_OK;
    if (reply == BZR__REPLY_ALWAYS) {
        status = each_content(q, is_blocked, &blocked);
        if (!status) status = entry_of(q, &entry);
        if (!status && (blocked || !entry.p || !q->kept.content_ids.n)) {
            bzr__refuse(answer, blocked ? "there is no 'always' for content with a high finding or from a blocked "
                                          "source; answer apply or skip"
                                        : "there is no 'always' for this call; answer apply or skip");
            return BZR_OK;
        }
    }
    if (!binding.n && reply == BZR__REPLY_SKIP) binding = bzr__str_z(q->kept.binding);
    if (!status)
        status = bzr__host_store_failed(q->host, bzr__store_confirmation_answer(q->host->store, bzr__str_z(q->kept.id),
                                                                                binding, reply != BZR__REPLY_SKIP));
    if (!status && reply == BZR__REPLY_ALWAYS) status = each_content(q, stand, &entry);
    if (status) return status;
    bzr__buf_add_z(answer, "{\"success\":true");
    bzr__answer_z(answer, "id", q->kept.id);
    bzr__answer_z(answer, "state", reply == BZR__REPLY_SKIP ? "denied" : "approved");
    bzr__answer_str(answer, "always", entry);
    bzr__answer_z(answer, "text",
                  reply == BZR__REPLY_SKIP    ? "it will not run\n"
                  : reply == BZR__REPLY_APPLY ? "it may run, once, as shown\n"
                                              : "it may run, and needs no question again for these sources\n");
    bzr__buf_add_c(answer, '}');
    return answer->status;
}

static bzr_str without_commands(bzr_str text) {
    bzr_str head = BZR__S("\nanswers\n");
    size_t end = text.n;
    for (size_t at = 0; (at = bzr__str_find(text, head, at)) < text.n; at++) end = at;
    return bzr__str_part(text, 0, end);
}

bool bzr__confirmation_dialog(bzr__host *host, bzr_str id, bzr__arena *arena, bzr_str *ret_text,
                              bzr_str *ret_binding) {
    bzr__buf shown;
    const bzr__json *root;
    const char *expected;
    size_t at;
    bzr__reader by = host->by;
    bzr__buf_init(&shown, BZR__HOST_ANSWER_MAX);
    host->by = BZR__READER_USER;
    bzr_status status = bzr__confirmation_show(host, id, &shown);
    host->by = by;
    bzr_str copy = status ? bzr__str(NULL, 0) : bzr__arena_dup(arena, bzr__buf_str(&shown));
    bool ok = copy.p && !bzr__json_parse(copy, arena, &root, &at, &expected);
    bzr__buf_free(&shown);
    if (!ok) return false;
    bzr_str text = bzr__json_get_text(root, "text");
    *ret_text = without_commands(text);
    *ret_binding = bzr__json_get_text(root, "binding");
    return text.n && ret_binding->n > BZR__CONFIRMATION_SEEN;
}

bzr_status bzr__confirmation_reply(bzr__host *host, bzr_str id, bzr_str binding, bzr__reply reply, bzr__buf *answer) {
    question q;
    if (bzr__refused_to_model(host, "answer a confirmation", answer)) return BZR_OK;
    bzr_status status = load(host, id, &q);
    if (!status && !binding.n && reply != BZR__REPLY_SKIP)
        status = bzr__host_fail(
            host, BZR_E_ARG, "name the binding of the question you saw; 'bezoar confirm show %s' prints it", q.kept.id);
    if (!status) status = reply_to(&q, binding, reply, answer);
    if (status && !*host->message)
        bzr__host_fail(host, status, "the answer could not be kept: %s", bzr_status_message(status));
    question_free(&q);
    return status;
}
