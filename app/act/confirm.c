/* confirm.c - see confirm.h. */
#include "app/act/confirm.h"

#include "app/act/action.h"
#include "app/act/deed.h"
#include "app/host/authority.h"
#include "app/host/display.h"
#include "lib/base/str.h"

#include <stdio.h>

#define TEXT_MAX ((size_t)16 << 20)

/* ---- list ---- */

typedef struct listing {
    toad__host *host;
    toad__answer *answer;
    int64_t now;
    bool open_only;
} listing;

static void add_head(toad__answer *b, const toad__confirmation *q, int64_t now) {
    bool expired = q->expires_at <= now && !toad__str_eq(q->state, TOAD__S("used"));
    toad__answer_z(b, "id", q->id);
    toad__answer_str(b, "state", expired ? TOAD__S("expired") : q->state);
    toad__answer_str(b, "session_id", q->session_id);
    toad__answer_str(b, "tool", q->tool);
    toad__answer_time(b, "created_at", q->created_at);
    toad__answer_time(b, "expires_at", q->expires_at);
    toad__answer_time(b, "answered_at", q->answered_at);
}

static bool add_listed(void *ctx, const toad__confirmation *q) {
    listing *l = ctx;
    if (l->open_only && q->expires_at <= l->now) return true;
    if (l->host->session.n && !toad__str_eq(l->host->session, q->session_id)) return true;
    toad__answer_object(l->answer, NULL);
    add_head(l->answer, q, l->now);
    toad__answer_str(l->answer, "arguments", q->arguments);
    toad__answer_end(l->answer);
    return !l->answer->status;
}

toad_status toad__confirmations_list(toad__host *host, toad_str state, uint64_t limit, toad__answer *answer) {
    listing l = { host, answer, toad__store_now(host->store), toad__str_eq(state, TOAD__S("pending")) };
    toad__answer_array(answer, "confirmations");
    toad_status status = toad__store_confirmations(host->store, state, limit, add_listed, &l);
    toad__answer_end(answer);
    return status ? toad__host_store_failed(host, status) : answer->status;
}

/* ---- the question ---- */

typedef struct question {
    toad__host *host;
    toad__arena arena;
    toad__confirmation kept;
    const toad__json *arguments, *reasons;
    toad__buf text, notes; /* the dialog; what its reader should know besides, a line each */
    toad__answer *answer;  /* of toad__confirmation_show: it grows with the dialog */
} question;

static void question_free(question *q) {
    toad__buf_free(&q->text);
    toad__buf_free(&q->notes);
    toad__arena_free(&q->arena);
}

static const toad__json *parse(question *q, toad_str s) {
    const toad__json *root;
    size_t at;
    const char *expected;
    return toad__json_parse(s, &q->arena, &root, &at, &expected) ? NULL : root;
}

static toad_status load(toad__host *host, toad_str id, toad__answer *answer, question *q) {
    *q = (question){ .host = host, .answer = answer };
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

/* One line, or several, of the dialog: name = value. */
static toad_status add_shown(question *q, toad_str name, toad_str value) {
    toad__buf shown;
    toad__buf_init(&shown, TEXT_MAX);
    toad_status status = toad__display(&shown, &q->notes, "      ", value);
    toad__buf_add_z(&q->text, "  ");
    if (!status) status = toad__display(&q->text, &q->notes, "      ", name);
    toad__buf_add_z(&q->text, name.n ? " = " : "");
    toad__buf_add_str(&q->text, toad__buf_str(&shown));
    toad__buf_add_c(&q->text, '\n');
    toad__answer_object(q->answer, NULL);
    toad__answer_str(q->answer, "name", name);
    toad__answer_str(q->answer, "text", toad__buf_str(&shown));
    toad__answer_end(q->answer);
    toad__buf_free(&shown);
    return status;
}

static bool is_plain(const toad__json *v) { return v->type == TOAD__JSON_STRING; }

/* The arguments: texts as they are, everything else as the JSON that is bound. */
static toad_status add_arguments(question *q) {
    toad_status status = TOAD_OK;
    const toad__json *a = q->arguments;
    if (a->type != TOAD__JSON_OBJECT) return add_shown(q, toad__str("", 0), is_plain(a) ? a->text : a->raw);
    for (const toad__json *m = a->child; m && !status; m = m->next)
        status = add_shown(q, m->key, is_plain(m) ? m->text : m->raw);
    if (!a->child) toad__buf_add_z(&q->text, "  (no arguments)\n");
    return status;
}

static toad_status add_safe(question *q, toad_str s) {
    toad__buf unused;
    toad__buf_init(&unused, TEXT_MAX);
    toad_status status = toad__display(&q->text, &unused, "      ", toad__str_part(s, 0, 400));
    toad__buf_free(&unused);
    return status;
}

/* "  overlap: it stands in what ... - url "evil.example/x" in fetch_... (https://...)" */
static toad_status add_reason(question *q, const toad__json *r) {
    static const char *const members[] = { "kind", "text", "content_id", "source" },
                             *const before[] = { " - ", " \"", " in ", " from " },
                             *const behind[] = { "", "\"", "", "" };
    toad__buf_add_z(&q->text, "  ");
    toad_status status = add_safe(q, toad__json_get_text(r, "reason"));
    toad__buf_add_z(&q->text, ": ");
    if (!status) status = add_safe(q, toad__json_get_text(r, "why"));
    for (size_t i = 0; i < 4 && !status; i++) {
        toad_str value = toad__json_get_text(r, members[i]);
        if (!value.p) continue;
        toad__buf_add_z(&q->text, before[i]);
        status = add_safe(q, value);
        toad__buf_add_z(&q->text, behind[i]);
    }
    toad__buf_add_c(&q->text, '\n');
    return status;
}

typedef toad_status (*each_fn)(question *q, toad_str id, void *ctx);

static toad_status each_content(question *q, each_fn fn, void *ctx) {
    toad_str ids = q->kept.content_ids;
    toad_status status = TOAD_OK;
    for (size_t at = 0; at < ids.n && !status;) {
        size_t end = toad__str_find(ids, TOAD__S(","), at);
        status = fn(q, toad__str_part(ids, at, end), ctx);
        at = end + 1;
    }
    return status;
}

/* Where the suggestion came from; a content that is gone has only its id. */
static toad_status add_source(question *q, toad_str id, void *ctx) {
    toad__content content = { 0 };
    (void)ctx;
    toad_status status = toad__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status && status != TOAD_E_NOT_FOUND) return toad__host_store_failed(q->host, status);
    toad__answer_object(q->answer, NULL);
    toad__answer_str(q->answer, "content_id", id);
    toad__answer_str(q->answer, "source", content.url);
    toad__answer_str(q->answer, "domain", content.domain);
    toad__answer_str(q->answer, "scan", content.action);
    toad__answer_end(q->answer);
    toad__buf_add_z(&q->text, "  ");
    status = add_safe(q, id);
    toad__buf_add_z(&q->text, "  ");
    if (!status) status = add_safe(q, content.url.p ? content.url : TOAD__S("(expired)"));
    if (content.action.p && !toad__str_eq(content.action, TOAD__S("allow"))) {
        toad__buf_add_z(&q->text, "  scan: ");
        if (!status) status = add_safe(q, content.action);
    }
    toad__buf_add_c(&q->text, '\n');
    return status;
}

static void add_notes(question *q) {
    toad_str all = toad__buf_str(&q->notes);
    toad__answer_array(q->answer, "notes");
    for (size_t at = 0, end; at < all.n; at = end + 1) {
        end = toad__str_find(all, TOAD__S("\n"), at);
        toad__answer_str(q->answer, NULL, toad__str_part(all, at, end));
        toad__buf_add_z(&q->text, "  note: ");
        toad__buf_add_str(&q->text, toad__str_part(all, at, end));
        toad__buf_add_c(&q->text, '\n');
    }
    toad__answer_end(q->answer);
}

/* What an "always" would cover; p NULL: nothing. */
static toad_status entry_of(question *q, toad_str *ret) {
    toad__buf b;
    toad__buf_init(&b, 1u << 14);
    toad_status status =
        toad__action_standing(q->kept.tool, q->kept.arguments, toad__deed_of(q->kept.tool, q->arguments), &b);
    if (!status && b.n) *ret = toad__arena_dup(&q->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return status == TOAD_E_LIMIT ? TOAD_OK : status;
}

static toad_status is_blocked(question *q, toad_str id, void *ctx) {
    bool *blocked = ctx;
    toad__content content = { 0 };
    toad_str setting = { NULL, 0 };
    toad_status status = toad__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status) return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(q->host, status);
    status = toad__store_setting_for(q->host->store, content.url, content.domain, &q->arena, &setting);
    *blocked |= toad__str_eq(content.severity, TOAD__S("high")) || toad__str_eq(setting, TOAD__S("blocked"));
    return toad__host_store_failed(q->host, status);
}

typedef struct standing_answer {
    toad_str entry;  /* what it covers */
    const char *why; /* why there is none; NULL: there is */
} standing_answer;

static toad_status find_always(question *q, standing_answer *ret) {
    bool blocked = false;
    toad_status status = each_content(q, is_blocked, &blocked);
    if (!status) status = entry_of(q, &ret->entry);
    if (blocked)
        ret->why =
            "there is no 'always' for content with a high finding or from a blocked source; answer apply or skip";
    else if (!ret->entry.p || !q->kept.content_ids.n)
        ret->why = "there is no 'always' for this call; answer apply or skip";
    return status;
}

/* What can be answered now. */
static toad_status add_answers(question *q) {
    char line[512];
    const char *id = q->kept.id;
    bool pending = toad__str_eq(q->kept.state, TOAD__S("pending"));
    standing_answer always = { .why = NULL };
    toad_status status = pending ? find_always(q, &always) : TOAD_OK;
    toad__answer_array(q->answer, "answers");
    if (pending) toad__answer_z(q->answer, NULL, "apply");
    if (pending) toad__answer_z(q->answer, NULL, "skip");
    if (pending && !always.why) toad__answer_z(q->answer, NULL, "always");
    toad__answer_end(q->answer);
    if (!pending) return status;
    snprintf(line, sizeof line,
             "\nanswers\n  toadstone confirm answer %s apply --binding %s\n  toadstone confirm answer %s skip\n", id,
             q->kept.binding, id);
    toad__buf_add_z(&q->text, line);
    snprintf(line, sizeof line, "  toadstone confirm answer %s always --binding %s\n", id, q->kept.binding);
    if (!always.why) toad__buf_add_z(&q->text, line);
    toad__buf_add_z(&q->text, "  toadstone contents show ID\n");
    return status;
}

/* The dialog and the answer grow together: what is shown in one is a member of the other. A model may not be told of
 * what is blocked: it learns what would run, and neither why nor where it comes from. */
static toad_status show(question *q) {
    char line[160];
    toad__answer *answer = q->answer;
    const char *deed = toad__deed_name(toad__deed_of(q->kept.tool, q->arguments));
    add_head(answer, &q->kept, toad__store_now(q->host->store));
    toad__answer_z(answer, "class", deed);
    toad__answer_json(answer, "arguments", q->kept.arguments);
    toad__buf_add_z(&q->text, "An agent wants to call ");
    toad_status status = add_safe(q, q->kept.tool);
    snprintf(line, sizeof line, " (%s) after it read external content.\n\nwhat will run (%zu bytes of arguments)\n",
             deed, q->kept.arguments.n);
    toad__buf_add_z(&q->text, line);
    toad__answer_array(answer, "display");
    if (!status) status = add_arguments(q);
    toad__answer_end(answer);
    add_notes(q);
    if (q->host->by == TOAD__READER_MODEL) {
        toad__answer_z(answer, "text", "Only the user can see and answer this question.\n");
        return status;
    }
    toad__buf_add_z(&q->text, "\nwhy you are asked\n");
    for (const toad__json *r = q->reasons ? q->reasons->child : NULL; r && !status; r = r->next)
        status = add_reason(q, r);
    toad__buf_add_z(&q->text, "\nwhere it may come from\n");
    toad__answer_array(answer, "sources");
    if (!status) status = each_content(q, add_source, NULL);
    toad__answer_end(answer);
    if (!status) status = add_answers(q);
    if (!toad__answer_json(answer, "reasons", q->kept.reasons)) toad__answer_z(answer, "reasons", NULL);
    toad__answer_z(answer, "binding", q->kept.binding);
    toad__answer_str(answer, "text", toad__buf_str(&q->text));
    return status ? status : q->text.status ? q->text.status : q->notes.status;
}

toad_status toad__confirmation_show(toad__host *host, toad_str id, toad__answer *answer) {
    question q;
    toad_status status = load(host, id, answer, &q);
    if (!status) status = show(&q);
    if (status && !*host->message)
        toad__host_fail(host, status, "the question cannot be shown: %s", toad_status_message(status));
    question_free(&q);
    return status ? status : answer->status;
}

/* ---- the answer ---- */

typedef struct standing {
    toad_str kind, pattern; /* whose setting it is */
    toad__arena *arena;
    toad_str setting, note;
    bool full;
} standing;

static bool find_setting(void *ctx, const toad__setting *s) {
    standing *st = ctx;
    if (!toad__str_eq(s->kind, st->kind) || !toad__str_eq(s->pattern, st->pattern)) return true;
    st->setting = toad__arena_dup(st->arena, s->setting);
    st->note = toad__arena_dup(st->arena, s->note);
    st->full = !st->setting.p || !st->note.p;
    return false;
}

/* Add the entry to what the setting of this content's domain already covers. */
static toad_status stand(question *q, toad_str id, void *ctx) {
    const toad_str *entry = ctx;
    toad__content content = { 0 };
    toad_status status = toad__store_content_get(q->host->store, id, false, &q->arena, &content);
    if (status) return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(q->host, status);
    bool domain = content.domain.n > 0;
    standing st = { .kind = domain ? TOAD__S("domain") : TOAD__S("url"),
                    .pattern = domain ? content.domain : content.url,
                    .arena = &q->arena };
    status = toad__store_settings(q->host->store, find_setting, &st);
    if (status) return toad__host_store_failed(q->host, status);
    if (st.full) return toad__host_failed(q->host, TOAD_E_NOMEM);
    bool automatic = toad__str_eq(st.setting, TOAD__S("auto_confirm")),
         limited = toad__str_starts(st.note, TOAD__S(TOAD__ACTION_ALWAYS));
    if ((automatic && !limited) || (automatic && toad__str_find(st.note, *entry, 0) < st.note.n)) return TOAD_OK;
    toad__buf note;
    toad__buf_init(&note, 1u << 16);
    toad__buf_add_str(&note, automatic ? st.note : TOAD__S(TOAD__ACTION_ALWAYS));
    toad__buf_add_z(&note, automatic ? "; " : "");
    toad__buf_add_str(&note, *entry);
    toad__setting setting = {
        .kind = st.kind, .pattern = st.pattern, .setting = TOAD__S("auto_confirm"), .note = toad__buf_str(&note)
    };
    status =
        note.status ? note.status : toad__host_store_failed(q->host, toad__store_setting_put(q->host->store, &setting));
    toad__buf_free(&note);
    return status;
}

static toad_status reply_to(question *q, toad_str binding, toad__reply reply, toad__answer *answer) {
    standing_answer always = { .why = NULL };
    toad_status status = reply == TOAD__REPLY_ALWAYS ? find_always(q, &always) : TOAD_OK;
    if (!status && always.why) {
        toad__refuse(answer, always.why);
        return TOAD_OK;
    }
    if (!binding.n && reply == TOAD__REPLY_SKIP) binding = toad__str_z(q->kept.binding);
    if (!status)
        status =
            toad__host_store_failed(q->host, toad__store_confirmation_answer(q->host->store, toad__str_z(q->kept.id),
                                                                             binding, reply != TOAD__REPLY_SKIP));
    if (!status && reply == TOAD__REPLY_ALWAYS) status = each_content(q, stand, &always.entry);
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "id", q->kept.id);
    toad__answer_z(answer, "state", reply == TOAD__REPLY_SKIP ? "denied" : "approved");
    toad__answer_str(answer, "always", always.entry);
    toad__answer_z(answer, "text",
                   reply == TOAD__REPLY_SKIP    ? "it will not run\n"
                   : reply == TOAD__REPLY_APPLY ? "it may run, once, as shown\n"
                                                : "it may run, and needs no question again for these sources\n");
    return answer->status;
}

static toad_str without_commands(toad_str text) {
    toad_str head = TOAD__S("\nanswers\n");
    size_t end = text.n;
    for (size_t at = 0; (at = toad__str_find(text, head, at)) < text.n; at++) end = at;
    return toad__str_part(text, 0, end);
}

bool toad__confirmation_dialog(toad__host *host, toad_str id, toad__arena *arena, toad_str *ret_text,
                               toad_str *ret_binding) {
    toad__answer shown;
    toad__reader by = host->by;
    toad__answer_init(&shown, TOAD__HOST_ANSWER_MAX);
    host->by = TOAD__READER_USER;
    bool ok = !toad__confirmation_show(host, id, &shown);
    host->by = by;
    if (ok) {
        *ret_text = toad__arena_dup(arena, without_commands(toad__json_get_text(&shown.root, "text")));
        *ret_binding = toad__arena_dup(arena, toad__json_get_text(&shown.root, "binding"));
    }
    toad__answer_free(&shown);
    return ok && ret_text->n && ret_binding->n > TOAD__CONFIRMATION_SEEN;
}

bool toad__confirmation_read(const toad__json *reply, int64_t waited_ms, toad__reply *ret) {
    toad_str action = toad__json_get_text(reply, "action");
    toad_str decision = toad__json_get_text(toad__json_get(reply, "content"), "decision");
    bool accepted = toad__str_eq(action, TOAD__S("accept")), apply = toad__str_eq(decision, TOAD__S("apply"));
    bool declined = toad__str_eq(action, TOAD__S("decline")) && waited_ms >= TOAD__CONFIRMATION_READ_MS;
    if (!declined && !(accepted && (apply || toad__str_eq(decision, TOAD__S("skip"))))) return false;
    *ret = accepted && apply ? TOAD__REPLY_APPLY : TOAD__REPLY_SKIP;
    return true;
}

toad_status toad__confirmation_reply(toad__host *host, toad_str id, toad_str binding, toad__reply reply,
                                     toad__answer *answer) {
    question q;
    if (toad__refused_to_model(host, "answer a confirmation", answer)) return TOAD_OK;
    toad_status status = load(host, id, answer, &q);
    if (!status && !binding.n && reply != TOAD__REPLY_SKIP)
        status = toad__host_fail(host, TOAD_E_ARG,
                                 "name the binding of the question you saw; 'toadstone confirm show %s' prints it",
                                 q.kept.id);
    if (!status) status = reply_to(&q, binding, reply, answer);
    if (status && !*host->message)
        toad__host_fail(host, status, "the answer could not be kept: %s", toad_status_message(status));
    question_free(&q);
    return status;
}
