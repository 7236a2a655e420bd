/* cmd_hook.c - `toadstone hook`: one question of an agent's hook.
 *
 * An agent that gets no answer in time lets the text pass, so the answer that blocks is made first, and printed by
 * whatever comes first: the deadline, a signal that kills, or the end of a run that could not decide. The judged answer
 * is written in one piece, when no timer runs any more. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/hooks/hook.h"
#include "lib/base/str.h"

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#define DEADLINE_MS 4000
#define ANSWER      (HOOK_PAYLOAD * 3)

/* ---- the answer that is ready before anything is read ---- */

static hook_answer ready;

static void put(int fd, const toad__buf *b) {
    for (size_t at = 0; at < b->n;) {
        ssize_t n = write(fd, b->p + at, b->n - at);
        if (n <= 0) return;
        at += (size_t)n;
    }
}

static void answer_ready(int signal) {
    (void)signal;
    put(STDERR_FILENO, &ready.err);
    put(STDOUT_FILENO, &ready.out);
    _exit(ready.code);
}

static void open_answer(hook_answer *a) {
    toad__buf_init(&a->out, ANSWER);
    toad__buf_init(&a->err, 4096);
    a->code = 0;
}

static void close_answer(hook_answer *a) {
    toad__buf_free(&a->out);
    toad__buf_free(&a->err);
}

static void start_timer(uint64_t ms) {
    struct itimerval t = { .it_value = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) } };
    setitimer(ITIMER_REAL, &t, NULL);
}

static void watch(uint64_t ms) {
    static const int signals[] = { SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP };
    struct sigaction sa = { .sa_handler = answer_ready };
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &sa, NULL);
    start_timer(ms);
}

/* ---- the judged one ---- */

static bool read_payload(toad__buf *out, char why[256]) {
    for (;;) {
        char *room = toad__buf_room(out, 65536);
        ssize_t n = room ? read(STDIN_FILENO, room, 65536) : -1;
        if (n == 0) return true;
        if (n < 0) {
            snprintf(why, 256, "%s", room ? "the hook's input could not be read" : "the hook's input is too long");
            return false;
        }
        out->n += (size_t)n;
    }
}

static bool judge(const args *a, const toad__config *config, const toad_engine *engine, toad_str payload,
                  hook_answer *answer, char why[256]) {
    const toad__screen_options screening = { .policy = cli_action_policy(config),
                                             .pin_off = true,
                                             .remember_all = true };
    toad__host host;
    hook_settings settings = { .agent = hook_agent_find(a->agent), .event = a->event, .session = a->session };
    toad_status status = toad__host_open_brief(engine, config, a->store, &host);
    if (status) {
        snprintf(why, 256, "%.250s", host.message);
        return false;
    }
    settings.host = &host;
    bool ok = !toad__screen_new(&host, &screening, &settings.screen);
    if (ok) ok = hook_run(&settings, payload, answer, why);
    toad__screen_free(settings.screen);
    toad__host_close(&host);
    return ok;
}

static bool run(const args *a, toad_str payload, hook_answer *answer, char why[256]) {
    toad__config *config;
    toad_rules *rules = NULL;
    toad_engine *engine;
    bool ok = false;
    snprintf(why, 256, "it could not be judged");
    if (!cli_load_config("hook", &config)) {
        snprintf(why, 256, "the configuration has a mistake: toadstone config check");
        return false;
    }
    if (cli_new_engine(a, &rules, &engine)) {
        ok = judge(a, config, engine, payload, answer, why);
        toad_engine_free(engine);
        toad_rules_free(rules);
    }
    toad__config_free(config);
    return ok;
}

int cmd_hook(args *a) {
    char why[256];
    hook_answer answer;
    toad__buf payload;
    if (!a->agent) {
        cli_error("hook", "whose hook is this? give --agent");
        return EXIT_ERROR;
    }
    const hook_agent *agent = hook_agent_find(a->agent);
    const hook_event *event = a->event ? hook_event_find(agent, toad__str_z(a->event)) : NULL;
    bool open = a->fail && !strcmp(a->fail, "open");
    open_answer(&ready);
    hook_fail(agent, event, "it could not be judged in time, or at all", open, &ready);
    watch(a->deadline_ms ? a->deadline_ms : DEADLINE_MS);
    open_answer(&answer);
    toad__buf_init(&payload, HOOK_PAYLOAD);
    bool ok = read_payload(&payload, why) && run(a, toad__buf_str(&payload), &answer, why);
    start_timer(0);
    if (!ok) {
        close_answer(&answer);
        open_answer(&answer);
        hook_fail(agent, event, why, open, &answer);
    }
    put(STDERR_FILENO, &answer.err);
    put(STDOUT_FILENO, &answer.out);
    int code = answer.code;
    close_answer(&answer);
    close_answer(&ready);
    toad__buf_free(&payload);
    return code;
}
