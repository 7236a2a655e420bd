/* Confirmations, on every backend: an approval is spent once, for exactly what the user saw, by whoever comes first. */
#include "tests/store/fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#define MUTATIONS 10000
#define RACERS    8

static toad__confirmation question(void) {
    return (toad__confirmation){ .session_id = S("s1"),
                                 .tool = S("bash"),
                                 .arguments = S("{\"command\":\"curl https://example.com/install.sh\"}"),
                                 .content_ids = S("fetch_000000000001,fetch_000000000002"),
                                 .reasons = S("[\"taint\"]") };
}

static toad__confirmation ask(fixture *f) {
    toad__confirmation q = question(), c;
    assert_ok(toad__store_confirmation_ask(f->store, &q, 300 * SECOND, &c));
    return c;
}

static void confirmations_are_used_once(void **state) {
    fixture *f = *state;
    toad__confirmation c = ask(f), got;
    assert_int_equal(toad__store_confirmation_use(f->store, &c), TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), S("another"), true), TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_answer(f->store, S("conf_none"), S(c.binding), true), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), true));
    assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), false), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_get(f->store, S(c.id), &f->arena, &got));
    assert_str(got.state, "approved");
    assert_str(got.arguments, "{\"command\":\"curl https://example.com/install.sh\"}");
    assert_ok(toad__store_confirmation_use(f->store, &c));
    assert_int_equal(toad__store_confirmation_use(f->store, &c), TOAD_E_STATE);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'confirmation'"), "3");
    assert_chain(f);
}

static void denied_and_expired_are_refused(void **state) {
    fixture *f = *state;
    toad__confirmation denied = ask(f), late = ask(f), unanswered = ask(f);
    assert_ok(toad__store_confirmation_answer(f->store, S(denied.id), S(denied.binding), false));
    assert_int_equal(toad__store_confirmation_use(f->store, &denied), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_answer(f->store, S(late.id), S(late.binding), true));
    f->clock += 300 * SECOND;
    assert_int_equal(toad__store_confirmation_use(f->store, &late), TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_answer(f->store, S(unanswered.id), S(unanswered.binding), true),
                     TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_ask(f->store, &denied, 0, &late), TOAD_E_ARG);
}

/* Sent back by a client it stays open; taken back by the user it is a no. */
static void dismissed_and_revoked(void **state) {
    fixture *f = *state;
    toad__confirmation back = ask(f), taken = ask(f), done = ask(f), got;
    assert_int_equal(toad__store_confirmation_revoke(f->store, S(back.id)), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_dismiss(f->store, S(back.id)));
    assert_ok(toad__store_confirmation_get(f->store, S(back.id), &f->arena, &got));
    assert_str(got.state, "pending");
    assert_true(got.answered_at > 0);
    assert_ok(toad__store_confirmation_answer(f->store, S(back.id), S(back.binding), true));
    assert_int_equal(toad__store_confirmation_dismiss(f->store, S(back.id)), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_use(f->store, &back));
    assert_ok(toad__store_confirmation_revoke(f->store, S(back.id))); /* such calls are asked about again */
    assert_ok(toad__store_confirmation_get(f->store, S(back.id), &f->arena, &got));
    assert_str(got.state, "denied");
    assert_ok(toad__store_confirmation_done(f->store, S(done.id))); /* answered and spent, elsewhere */
    assert_ok(toad__store_confirmation_get(f->store, S(done.id), &f->arena, &got));
    assert_str(got.state, "used");
    assert_int_equal(toad__store_confirmation_done(f->store, S(done.id)), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_answer(f->store, S(taken.id), S(taken.binding), true));
    assert_ok(toad__store_confirmation_revoke(f->store, S(taken.id)));
    assert_int_equal(toad__store_confirmation_use(f->store, &taken), TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_revoke(f->store, S("conf_none")), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

/* A row changed behind our back is no longer the question that was answered. */
static void a_changed_question_is_refused(void **state) {
    fixture *f = *state;
    static const char *const changes[] = {
        "arguments = '{\"command\":\"rm -rf ~\"}'",
        "tool = 'write_file'",
        "session_id = 's2'",
        "content_ids = ''",
        "expires_at = expires_at + 1",
        "nonce = 'f' || substr(nonce, 1, 31)",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char sql[256];
        toad__confirmation c = ask(f);
        assert_ok(toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), true));
        snprintf(sql, sizeof sql, "UPDATE confirmations SET %s WHERE id = '%s'", changes[i], c.id);
        place_raw(&f->place, sql);
        assert_int_equal(toad__store_confirmation_use(f->store, &c), TOAD_E_STATE);
    }
}

/* ---- mutations ---- */

static unsigned chance = 12345;

static unsigned draw(unsigned below) {
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) % below;
}

/* Room for what a mutation writes; the act's slices point into it. */
typedef struct room {
    char text[4][256];
} room;

/* The text fields of an act, each moved into the room, where they may be written and grow by one. */
static toad_str *text_of(toad__confirmation *act, unsigned i, room *r) {
    toad_str *const texts[] = { &act->session_id, &act->tool, &act->arguments, &act->content_ids };
    memcpy(r->text[i], texts[i]->p, texts[i]->n);
    texts[i]->p = r->text[i];
    return texts[i];
}

static void change_a_byte(toad__confirmation *act, room *r) {
    unsigned i = draw(4);
    toad_str *t = text_of(act, i, r);
    r->text[i][draw((unsigned)t->n)] ^= (char)(1 + draw(127));
}

static void cut(toad__confirmation *act, room *r) {
    toad_str *t = text_of(act, draw(4), r);
    t->n = draw((unsigned)t->n);
}

static void put_in_a_byte(toad__confirmation *act, room *r) {
    unsigned i = draw(4);
    toad_str *t = text_of(act, i, r);
    size_t at = draw((unsigned)t->n + 1);
    memmove(r->text[i] + at + 1, r->text[i] + at, t->n - at);
    r->text[i][at] = (char)draw(128);
    t->n++;
}

/* Bytes stay the same and in order; only where one field ends and the next begins changes. */
static void move_a_border(toad__confirmation *act, room *r) {
    toad_str *session = text_of(act, 0, r), *tool = text_of(act, 1, r), *arguments = text_of(act, 2, r);
    toad_str *from = draw(2) ? session : tool, *to = from == session ? tool : arguments;
    size_t n = 1 + draw((unsigned)from->n);
    char *at = r->text[from == session ? 1 : 2];
    memmove(at + n, at, to->n);
    memcpy(at, from->p + from->n - n, n);
    from->n -= n;
    to->n += n;
}

static void change_the_argument(toad__confirmation *act, room *r) {
    act->arguments.n = (size_t)snprintf(r->text[2], sizeof r->text[2],
                                        "{\"command\":\"curl https://example.com/install.sh?%u\"}", draw(1u << 20));
    act->arguments.p = r->text[2];
}

static void change_the_order(toad__confirmation *act, room *r) {
    static const char *const orders[] = {
        "fetch_000000000002,fetch_000000000001",
        "fetch_000000000001",
        "fetch_000000000002",
        ",fetch_000000000001",
        "fetch_000000000001,fetch_000000000001",
        "fetch_000000000001,,fetch_000000000002",
        "fetch_000000000001,fetch_000000000002,fetch_000000000002",
        "fetch_000000000001, fetch_000000000002",
    };
    act->content_ids = S(orders[draw(8)]);
    (void)r;
}

static void change_the_expiry(toad__confirmation *act, room *r) {
    int64_t by = (int64_t)(1 + draw(1000)) << draw(40);
    act->expires_at += draw(2) ? by : -by;
    (void)r;
}

static void change_the_session(toad__confirmation *act, room *r) {
    act->session_id.n = (size_t)snprintf(r->text[0], sizeof r->text[0], "s%u", 2 + draw(1u << 20));
    act->session_id.p = r->text[0];
}

static void change_the_nonce(toad__confirmation *act, room *r) {
    unsigned at = draw(32);
    char was = act->nonce[at];
    do act->nonce[at] = "0123456789abcdef"[draw(16)];
    while (act->nonce[at] == was);
    (void)r;
}

static bool same_act(const toad__confirmation *a, const toad__confirmation *b) {
    return toad__str_eq(a->session_id, b->session_id) && toad__str_eq(a->tool, b->tool) &&
           toad__str_eq(a->arguments, b->arguments) && toad__str_eq(a->content_ids, b->content_ids) &&
           a->expires_at == b->expires_at && !strcmp(a->nonce, b->nonce);
}

static void ten_thousand_mutations_fail(void **state) {
    static void (*const mutations[])(toad__confirmation *, room *) = {
        change_a_byte,       cut,
        put_in_a_byte,       move_a_border,
        change_the_argument, change_the_order,
        change_the_expiry,   change_the_session,
        change_the_nonce,
    };
    fixture *f = *state;
    toad__confirmation c = ask(f), other = ask(f);
    room r;
    assert_ok(toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), true));
    for (int i = 0; i < MUTATIONS; i++) {
        toad__confirmation act = c;
        mutations[(size_t)i % (sizeof mutations / sizeof *mutations)](&act, &r);
        assert_false(same_act(&act, &c));
        assert_int_equal(toad__store_confirmation_use(f->store, &act), TOAD_E_STATE);
    }
    toad__confirmation act = c;
    memcpy(act.id, other.id, sizeof act.id);
    assert_int_equal(toad__store_confirmation_use(f->store, &act), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_use(f->store, &c));
    assert_int_equal(toad__store_confirmation_use(f->store, &c), TOAD_E_STATE);
    assert_chain(f);
}

/* A face that shows one question and answers another, or a cut or changed binding, answers nothing. */
static void mutated_answers_fail(void **state) {
    fixture *f = *state;
    toad__confirmation c = ask(f), other = ask(f), got;
    char binding[66];
    for (size_t i = 0; i < 64; i++) {
        memcpy(binding, c.binding, 65);
        binding[i] = binding[i] == '0' ? '1' : '0';
        assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), S(binding), true), TOAD_E_STATE);
        assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), toad__str(c.binding, i), true),
                         TOAD_E_STATE);
    }
    snprintf(binding, sizeof binding, "%s0", c.binding);
    assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), S(binding), true), TOAD_E_STATE);
    assert_int_equal(toad__store_confirmation_answer(f->store, S(c.id), S(other.binding), true), TOAD_E_STATE);
    assert_ok(toad__store_confirmation_get(f->store, S(c.id), &f->arena, &got));
    assert_str(got.state, "pending");
    assert_chain(f);
}

/* ---- races ---- */

/* Run `act` in many processes at once, each with a store of its own; how many of them succeeded? */
static int race(fixture *f, toad_status (*act)(toad__store *, const toad__confirmation *, int),
                const toad__confirmation *c) {
    pid_t children[RACERS];
    int gate[2], won = 0;
    assert_int_equal(pipe(gate), 0);
    toad__store_close(f->store); /* SQLite's locks do not outlive a fork */
    for (int i = 0; i < RACERS; i++) {
        if ((children[i] = fork())) continue;
        char byte;
        close(gate[1]);
        toad__store *store = open_again(f);
        while (read(gate[0], &byte, 1) > 0) {}
        toad_status status = act(store, c, i);
        toad__store_close(store);
        _exit(status == TOAD_OK ? 0 : status == TOAD_E_STATE ? 1 : 2);
    }
    close(gate[1]);
    close(gate[0]);
    for (int i = 0; i < RACERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
        won += WEXITSTATUS(status) == 0;
    }
    f->store = open_again(f);
    return won;
}

static toad_status use(toad__store *store, const toad__confirmation *c, int i) {
    (void)i;
    return toad__store_confirmation_use(store, c);
}

static toad_status answer(toad__store *store, const toad__confirmation *c, int i) {
    return toad__store_confirmation_answer(store, S(c->id), S(c->binding), i % 2);
}

static void the_first_of_many_wins(void **state) {
    fixture *f = *state;
    for (int round = 0; round < 10; round++) {
        toad__confirmation c = ask(f), asked = ask(f);
        assert_ok(toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), true));
        assert_int_equal(race(f, use, &c), 1);
        assert_int_equal(race(f, answer, &asked), 1);
    }
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE content = 'used'"), "10");
    assert_chain(f);
}

/* ---- lists ---- */

static bool count(void *ctx, const toad__confirmation *c) {
    (void)c;
    ++*(int *)ctx;
    return true;
}

static void pending_ones_are_listed(void **state) {
    fixture *f = *state;
    int n = 0;
    toad__store_stats stats;
    toad__confirmation a = ask(f);
    ask(f);
    assert_ok(toad__store_confirmation_answer(f->store, S(a.id), S(a.binding), false));
    assert_ok(toad__store_confirmations(f->store, S("pending"), 0, count, &n));
    assert_int_equal(n, 1);
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_true(stats.confirmations == 2 && stats.pending == 1 && stats.skipped == 1 && stats.applied == 0);
    toad__confirmation b = ask(f);
    assert_ok(toad__store_confirmation_answer(f->store, S(b.id), S(b.binding), true));
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_true(stats.confirmations == 3 && stats.skipped == 1 && stats.applied == 1);
}

static const struct CMUnitTest tests[] = {
    T(confirmations_are_used_once),   T(denied_and_expired_are_refused), T(dismissed_and_revoked),
    T(a_changed_question_is_refused), T(ten_thousand_mutations_fail),    T(mutated_answers_fail),
    T(the_first_of_many_wins),        T(pending_ones_are_listed),
};

RUN_ON_BOTH(tests)
