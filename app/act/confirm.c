/* confirm.c - see confirm.h. A standing answer is the note of a setting: "always: ENTRY; ENTRY". */
#include "app/act/confirm.h"

#include "app/act/action.h"
#include "app/act/question.h"
#include "app/host/authority.h"
#include "lib/base/str.h"

#include <stdio.h>

/* ---- list ---- */

typedef struct listing {
    toad__host *host;
    toad__answer *answer;
    int64_t now;
    bool open_only;
} listing;

static bool add_listed(void *ctx, const toad__confirmation *q) {
    listing *l = ctx;
    if (l->open_only && q->expires_at <= l->now) return true;
    if (l->host->session.n && !toad__str_eq(l->host->session, q->session_id)) return true;
    toad__answer_object(l->answer, NULL);
    toad__question_head(l->answer, q, l->now);
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

/* The next of the entries of a standing answer, from *at on. */
static bool next_entry(toad_str note, size_t *at, toad_str *ret) {
    toad_str head = TOAD__S(TOAD__ACTION_ALWAYS);
    if (!toad__str_starts(note, head)) return false;
    if (*at < head.n) *at = head.n;
    if (*at >= note.n) return false;
    size_t end = toad__str_find(note, TOAD__S("; "), *at);
    *ret = toad__str_part(note, *at, end);
    *at = end + 2;
    return true;
}

static bool add_standing(void *ctx, const toad__setting *s) {
    toad__answer *answer = ctx;
    toad_str entry;
    if (!toad__str_eq(s->setting, TOAD__S("auto_confirm"))) return true;
    for (size_t at = 0; next_entry(s->note, &at, &entry);) {
        toad__answer_object(answer, NULL);
        toad__answer_str(answer, "source", s->pattern);
        toad__answer_str(answer, "covers", entry);
        toad__answer_end(answer);
    }
    return !answer->status;
}

toad_status toad__confirmations_always(toad__host *host, toad__answer *answer) {
    toad__answer_array(answer, "always");
    toad_status status = toad__store_settings(host->store, add_standing, answer);
    toad__answer_end(answer);
    return status ? toad__host_store_failed(host, status) : answer->status;
}

/* ---- the question ---- */

toad_status toad__confirmation_show(toad__host *host, toad_str id, toad__answer *answer) {
    toad__question q;
    toad_status status = toad__question_load(host, id, answer, &q);
    if (!status) status = toad__question_show(&q);
    if (status && !*host->message)
        toad__host_fail(host, status, "the question cannot be shown: %s", toad_status_message(status));
    toad__question_free(&q);
    return status ? status : answer->status;
}

static toad_status contents(toad__host *host, toad_str id, bool in_form, toad__answer *answer) {
    toad__question q;
    toad_status status = toad__question_load(host, id, answer, &q);
    if (!status) status = toad__question_contents(&q, in_form);
    if (status && !*host->message)
        toad__host_fail(host, status, "the contents cannot be shown: %s", toad_status_message(status));
    toad__question_free(&q);
    return status ? status : answer->status;
}

toad_status toad__confirmation_contents(toad__host *host, toad_str id, toad__answer *answer) {
    toad__buf about;
    toad__buf_init(&about, 1u << 16);
    toad__about(&about, "question", id);
    bool refused = toad__refused(host, "see what is behind a confirmation", toad__buf_str(&about), answer);
    toad__buf_free(&about);
    if (refused) return TOAD_OK;
    return contents(host, id, false, answer);
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
static toad_status stand(toad__question *q, toad_str id, void *ctx) {
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

static toad_status reply_to(toad__question *q, toad_str binding, toad__reply reply, toad__answer *answer) {
    toad__question_always always = { .why = NULL };
    toad_status status = reply == TOAD__REPLY_ALWAYS ? toad__question_always_of(q, &always) : TOAD_OK;
    if (!status && always.why) {
        toad__refuse(answer, always.why);
        return TOAD_OK;
    }
    if (!binding.n && reply == TOAD__REPLY_SKIP) binding = toad__str_z(q->kept.binding);
    if (!status)
        status =
            toad__host_store_failed(q->host, toad__store_confirmation_answer(q->host->store, toad__str_z(q->kept.id),
                                                                             binding, reply != TOAD__REPLY_SKIP));
    if (!status && reply == TOAD__REPLY_ALWAYS) status = toad__question_each(q, stand, &always.entry);
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

static bool refused_reply(toad__question *q, toad__reply reply, toad__answer *answer) {
    static const char *const words[] = { "apply", "skip", "always" };
    toad__buf about;
    toad__buf_init(&about, TOAD__HOST_ANSWER_MAX);
    toad__about(&about, "answer", toad__str_z(words[reply]));
    toad__about(&about, "question", toad__str_z(q->kept.id));
    toad__about(&about, "tool", q->kept.tool);
    toad__about(&about, "arguments", q->kept.arguments);
    bool refused = toad__refused(q->host, "answer a confirmation", toad__buf_str(&about), answer);
    toad__buf_free(&about);
    return refused;
}

toad_status toad__confirmation_reply(toad__host *host, toad_str id, toad_str binding, toad__reply reply,
                                     toad__answer *answer) {
    toad__question q;
    if (toad__refused_to_model(host, "answer a confirmation", answer)) return TOAD_OK;
    toad_status status = toad__question_load(host, id, answer, &q);
    if (!status && !binding.n && reply != TOAD__REPLY_SKIP)
        status = toad__host_fail(host, TOAD_E_ARG,
                                 "name the binding of the question you saw; 'toadstone confirm show %s' prints it",
                                 q.kept.id);
    if (!status && !refused_reply(&q, reply, answer)) status = reply_to(&q, binding, reply, answer);
    if (status && !*host->message)
        toad__host_fail(host, status, "the answer could not be kept: %s", toad_status_message(status));
    toad__question_free(&q);
    return status;
}

/* ---- through a client's form ---- */

#define FORM(decisions, names)                                                                               \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\",\"title\":" \
    "\"Decision\",\"enum\":[" decisions "],\"enumNames\":[" names "]}},\"required\":[\"decision\"]}}"
/* Nothing is chosen beforehand: what comes back was chosen. */
static const char first_form[] = FORM("\"skip\",\"show\",\"apply\"", "\"Skip it\",\"Show me the content\",\"Do it\""),
                  second_form[] = FORM("\"skip\",\"apply\"", "\"Skip it\",\"Do it\"");

static toad_str without_commands(toad_str text) {
    toad_str head = TOAD__S("\nanswers\n");
    size_t end = text.n;
    for (size_t at = 0; (at = toad__str_find(text, head, at)) < text.n; at++) end = at;
    return toad__str_part(text, 0, end);
}

/* The question as the user sees it. `seen`: what tells it from others, too short to answer with. */
static toad_status read_form(toad__host *host, toad_str id, toad__buf *message, char seen[17], bool *ret_open) {
    toad__answer shown;
    toad__answer_init(&shown, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__confirmation_show(host, id, &shown);
    toad_str binding = toad__json_get_text(&shown.root, "binding");
    *ret_open = toad__str_eq(toad__json_get_text(&shown.root, "state"), TOAD__S("pending")) &&
                !toad__json_get_text(&shown.root, "dismissed_at").n;
    if (!status && binding.n < 16) status = TOAD_E_STATE;
    if (!status) memcpy(seen, binding.p, 16);
    if (!status) toad__buf_add_str(message, without_commands(toad__json_get_text(&shown.root, "text")));
    toad__answer_free(&shown);
    return status ? status : message->status;
}

bool toad__confirmation_form(toad__host *host, toad_str id, bool with_contents, toad__buf *out,
                             char tag[TOAD__CONFIRMATION_TAG]) {
    toad__buf message, whole; /* the contents stand behind the first line */
    toad__answer told;
    char seen[17] = "";
    bool open = false;
    toad__buf_init(&message, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&whole, TOAD__HOST_ANSWER_MAX);
    toad__answer_init(&told, TOAD__HOST_ANSWER_MAX);
    toad__reader by = host->by;
    host->by = TOAD__READER_USER;
    toad_status status = read_form(host, id, &message, seen, &open);
    if (!status && with_contents) status = contents(host, id, true, &told);
    host->by = by;
    if (!status && open) {
        toad_str dialog = toad__buf_str(&message);
        size_t call = with_contents ? toad__str_find(dialog, TOAD__S("\n"), 0) + 1 : 0;
        toad__buf_add_str(&whole, toad__str_part(dialog, 0, call));
        toad__buf_add_str(&whole, toad__json_get_text(&told.root, "text"));
        toad__buf_add_z(&whole, with_contents ? "\n" : "");
        toad__buf_add_str(&whole, toad__str_part(dialog, call, dialog.n));
        toad__buf_add_z(out, "{\"message\":");
        toad__json_add_str(out, toad__buf_str(&whole));
        toad__buf_add_z(out, with_contents ? second_form : first_form);
        snprintf(tag, TOAD__CONFIRMATION_TAG, "%.*s %s %d", (int)(id.n < 24 ? id.n : 24), id.p, seen, with_contents);
    }
    open = open && !status && !whole.status && !out->status;
    toad__answer_free(&told);
    toad__buf_free(&whole);
    toad__buf_free(&message);
    return open;
}

static bool chose(const toad__json *reply, const char *decision) {
    return toad__str_eq(toad__json_get_text(reply, "action"), TOAD__S("accept")) &&
           toad__str_eq(toad__json_get_text(toad__json_get(reply, "content"), "decision"), toad__str_z(decision));
}

/* Hand the answer on, if the question is still the one that was shown. */
static void answer_as_user(toad__host *host, toad_str id, const char *seen, toad__reply reply) {
    toad__question q;
    toad__answer said;
    toad__reader by = host->by;
    toad__answer_init(&said, TOAD__HOST_ANSWER_MAX);
    host->by = TOAD__READER_USER;
    if (!toad__question_load(host, id, &said, &q) && !strncmp(q.kept.binding, seen, 16))
        (void)reply_to(&q, toad__str_z(q.kept.binding), reply, &said);
    toad__question_free(&q);
    host->by = by;
    toad__answer_free(&said);
}

bool toad__confirmation_hear(toad__host *host, const char *tag, const toad__json *reply) {
    char id[33], seen[33];
    int with_contents;
    _Static_assert(TOAD__CONFIRMATION_TAG > 24 + 16 + 4, "a tag holds an id, what was seen, and one digit");
    if (!host->store || !tag || sscanf(tag, "%32s %32s %d", id, seen, &with_contents) != 3) return false;
    if (chose(reply, "show") && !with_contents) return true;
    if (chose(reply, "apply") || chose(reply, "skip"))
        answer_as_user(host, toad__str_z(id), seen, chose(reply, "apply") ? TOAD__REPLY_APPLY : TOAD__REPLY_SKIP);
    else
        (void)toad__store_confirmation_dismiss(host->store, toad__str_z(id));
    return false;
}

/* ---- taking back ---- */

typedef struct taking {
    toad_str entry;
    toad__arena arena;
    toad__setting found; /* the first setting that lists it; pattern.p NULL: none */
    toad__buf left;      /* its note without it */
    bool full;
} taking;

static bool find_standing(void *ctx, const toad__setting *s) {
    taking *t = ctx;
    toad_str entry;
    bool listed = false;
    toad__buf_clear(&t->left);
    if (!toad__str_eq(s->setting, TOAD__S("auto_confirm"))) return true;
    for (size_t at = 0; next_entry(s->note, &at, &entry);) {
        if (toad__str_eq(entry, t->entry)) {
            listed = true;
            continue;
        }
        toad__buf_add_z(&t->left, t->left.n ? "; " : TOAD__ACTION_ALWAYS);
        toad__buf_add_str(&t->left, entry);
    }
    if (!listed) return true;
    t->found.kind = toad__arena_dup(&t->arena, s->kind);
    t->found.pattern = toad__arena_dup(&t->arena, s->pattern);
    t->full = !t->found.kind.p || !t->found.pattern.p || t->left.status;
    return false;
}

/* Take the entry out of every standing answer; each round changes one setting. */
static toad_status drop_standing(toad__host *host, toad_str entry, toad__answer *answer, size_t *dropped) {
    taking t = { .entry = entry };
    toad_status status = TOAD_OK;
    toad__arena_init(&t.arena, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&t.left, 1u << 16);
    toad__answer_array(answer, "sources");
    for (bool more = entry.n > 0; more && !status;) {
        t.found = (toad__setting){ 0 };
        status = toad__store_settings(host->store, find_standing, &t);
        if (t.full) status = TOAD_E_NOMEM;
        more = !status && t.found.pattern.p;
        if (!more) break;
        t.found.setting = t.left.n ? TOAD__S("auto_confirm") : TOAD__S("default");
        t.found.note = toad__buf_str(&t.left);
        status = toad__store_setting_put(host->store, &t.found);
        toad__answer_str(answer, NULL, t.found.pattern);
        ++*dropped;
    }
    toad__answer_end(answer);
    toad__buf_free(&t.left);
    toad__arena_free(&t.arena);
    return toad__host_store_failed(host, status);
}

/* What was answered to this question: the approval, and what its "always" covers. */
static toad_status take_back(toad__question *q, toad__answer *answer) {
    toad__question_always always = { .why = NULL };
    size_t dropped = 0;
    bool approved = toad__str_is_one_of(q->kept.state, "approved used");
    toad_status status = toad__question_always_of(q, &always);
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "id", q->kept.id);
    if (!status && approved)
        status =
            toad__host_store_failed(q->host, toad__store_confirmation_revoke(q->host->store, toad__str_z(q->kept.id)));
    if (!status) status = drop_standing(q->host, always.entry, answer, &dropped);
    if (!status && !approved && !dropped)
        return toad__host_fail(q->host, TOAD_E_STATE, "there is nothing to take back: the confirmation is %.*s",
                               (int)(q->kept.state.n < 16 ? q->kept.state.n : 16), q->kept.state.p);
    toad__answer_str(answer, "always", dropped ? always.entry : toad__str(NULL, 0));
    toad__answer_z(answer, "text",
                   !dropped   ? "taken back: it will not run\n"
                   : approved ? "taken back: it will not run, and needs a question again\n"
                              : "taken back: it needs a question again\n");
    return status;
}

static toad_status take_back_entry(toad__host *host, toad_str entry, toad__answer *answer) {
    size_t dropped = 0;
    toad__answer_bool(answer, "success", true);
    toad_status status = drop_standing(host, entry, answer, &dropped);
    if (!status && !dropped)
        return toad__host_fail(host, TOAD_E_NOT_FOUND, "no standing answer covers this; see 'confirm list always'");
    toad__answer_str(answer, "always", entry);
    toad__answer_z(answer, "text", "taken back: it needs a question again\n");
    return status;
}

toad_status toad__confirmation_revoke(toad__host *host, toad_str what, toad__answer *answer) {
    toad__question q;
    if (toad__refused_to_model(host, "take back an answer", answer)) return TOAD_OK;
    if (!toad__str_starts(what, TOAD__S("conf_"))) return take_back_entry(host, what, answer);
    toad_status status = toad__question_load(host, what, answer, &q);
    if (!status) status = take_back(&q, answer);
    if (status && !*host->message)
        toad__host_fail(host, status, "the answer could not be taken back: %s", toad_status_message(status));
    toad__question_free(&q);
    return status;
}
