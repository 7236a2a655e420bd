/* screen.c - from what was found in a value to what is forwarded in its place. */
#include "app/mcp/screen_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* From loose to tight, as in the policy. */
typedef enum act { ALLOW, WARN, REDACT, ASK, BLOCK } act;
static const char *const act_names[] = { "allow", "warn", "redact", "ask", "block" };

toad_status toad__screen_new(toad__host *host, const toad__screen_options *options, toad__screen **ret) {
    static const toad__screen_options usual = TOAD__SCREEN_OPTIONS_INIT;
    toad__screen *s = calloc(1, sizeof *s);
    if (!s) return TOAD_E_NOMEM;
    s->host = host;
    s->options = options ? *options : usual;
    if (!s->options.max_bytes) s->options.max_bytes = TOAD__SCREEN_VALUE;
    toad__arena_init(&s->arena, TOAD__SCREEN_ARENA);
    toad__buf_init(&s->joined, TOAD__SCREEN_OUT);
    toad_status status = s->options.pin_off ? TOAD_OK : toad__pins_new(host, s->options.pin_strict, &s->pins);
    if (status) {
        free(s);
        return status;
    }
    *ret = s;
    return TOAD_OK;
}

void toad__screen_free(toad__screen *s) {
    if (!s) return;
    toad__pins_free(s->pins);
    toad__reading_free(s);
    toad__arena_free(&s->arena);
    free(s);
}

/* ---- one value ---- */

typedef struct work {
    toad__screen *s;
    const toad__screen_in *in;
    toad__screen_result *ret;
    toad__buf *out;
    act worst;    /* by policy, of the whole value */
    bool whole;   /* something is to be kept out that cannot be left out by itself */
    bool changes; /* something is to be done to a string or a unit */
    bool asked;   /* ... by ASK */
} work;

static act policy(const toad__screen *s, toad_severity severity, toad_completeness completeness) {
    const char *name = toad__host_action_for(s->host, toad__str_z(s->kind), severity, completeness);
    act a = ALLOW;
    while (a < BLOCK && strcmp(name, act_names[a]) != 0) a++;
    return a;
}

/* What is done about one string: the policy's word, or the user's. */
static act act_on(const work *w, toad_severity severity, toad_completeness completeness) {
    act a = policy(w->s, severity, completeness);
    if (a == ALLOW) return a;
    switch (w->in->decision) {
    case TOAD__SCREEN_KEEP_OUT: return BLOCK;
    case TOAD__SCREEN_REDACT: return REDACT;
    case TOAD__SCREEN_ALLOW_ONCE: return WARN;
    default: return a;
    }
}

static bool is_modern(const toad__json *value) { return toad__json_get(value, "resultType") != NULL; }

static void list_rules(work *w) {
    const toad__reading *r = &w->s->reading;
    toad__screen_result *ret = w->ret;
    size_t n = 0;
    for (toad_severity severity = TOAD_HIGH; severity > TOAD_NONE; severity--)
        for (size_t i = 0; i < r->n_rules; i++) {
            size_t length = strlen(r->rules[i].rule);
            if (r->rules[i].severity != severity || n + length + 3 > sizeof ret->rules) continue;
            n += (size_t)snprintf(ret->rules + n, sizeof ret->rules - n, n ? ", %s" : "%s", r->rules[i].rule);
        }
}

static void write_verdict(const work *w, act a, toad__buf *out) {
    const toad__reading *r = &w->s->reading;
    toad__answer v;
    toad__answer_init(&v, TOAD__HOST_ANSWER_MAX);
    toad__answer_z(&v, "action", act_names[a]);
    toad__answer_z(&v, "severity", toad_severity_name(w->ret->severity));
    toad__answer_z(&v, "completeness", toad_completeness_name(w->ret->completeness));
    toad__answer_array(&v, "rules");
    for (size_t i = 0; i < r->n_rules; i++) toad__answer_z(&v, NULL, r->rules[i].rule);
    toad__answer_end(&v);
    if (r->n_lifted) toad__answer_array(&v, "excepted");
    for (size_t i = 0; i < r->n_lifted; i++) toad__answer_z(&v, NULL, r->lifted[i].rule);
    if (r->n_lifted) toad__answer_end(&v);
    toad__answer_z(&v, "content_id", *w->ret->content_id ? w->ret->content_id : NULL);
    toad__answer_write(&v, out);
    toad__answer_free(&v);
}

static const char *noun(toad__mcp_what what) {
    switch (what) {
    case TOAD__MCP_VALUE_OUTPUT:
    case TOAD__MCP_VALUE_TOOL_RESULT: return "the result of this tool";
    case TOAD__MCP_VALUE_PROMPT: return "this prompt";
    case TOAD__MCP_VALUE_RESOURCE: return "this resource";
    case TOAD__MCP_VALUE_TOOLS:
    case TOAD__MCP_VALUE_PROMPTS:
    case TOAD__MCP_VALUE_RESOURCES:
    case TOAD__MCP_VALUE_TEMPLATES:
    case TOAD__MCP_VALUE_COMPLETION: return "this list";
    case TOAD__MCP_VALUE_ERROR: return "this error";
    case TOAD__MCP_VALUE_NOTIFICATION: return "this notification";
    case TOAD__MCP_VALUE_REQUEST: return "this request of the server";
    case TOAD__MCP_VALUE_TASK: return "this task";
    default: return "this answer of the server";
    }
}

/* The value is not passed on, for this reason. */
static toad_status block(work *w, act a, const char *why) {
    char text[800];
    toad__buf verdict;
    toad__screen_result *ret = w->ret;
    ret->fate = a == ASK ? TOAD__SCREEN_ASK : TOAD__SCREEN_BLOCKED;
    snprintf(ret->why, sizeof ret->why, "%s", why);
    int n = snprintf(text, sizeof text, "[toadstone] Withheld %s: %s", noun(w->in->what), why);
    if (ret->severity > TOAD_NONE) /* ids of rules read like what they match: they are for _meta */
        n += snprintf(text + n, sizeof text - (size_t)n, " (severity %s)", toad_severity_name(ret->severity));
    if (*ret->content_id)
        snprintf(text + n, sizeof text - (size_t)n, ". The user can look at it: toadstone contents show %s",
                 ret->content_id);
    else
        snprintf(text + n, sizeof text - (size_t)n, ".");
    toad__buf_init(&verdict, 1u << 16);
    write_verdict(w, a, &verdict);
    toad__reply reply = { .what = w->in->what,
                          .name = w->in->name,
                          .modern = is_modern(w->in->value),
                          .value = w->in->value,
                          .text = text,
                          .verdict = verdict.status ? TOAD__S("") : toad__buf_str(&verdict) };
    toad__screen_reply_for(&reply, w->out, &ret->reply);
    toad_status status = verdict.status ? verdict.status : w->out->status;
    toad__buf_free(&verdict);
    return status;
}

/* ---- the plan ---- */

static void keep_out(work *w, toad__leaf *l, act a) {
    if (l->unit) {
        w->changes = true;
        l->unit->dropped = true;
    } else {
        w->whole = true;
        w->asked |= a == ASK;
    }
}

static void treat(work *w, toad__leaf *l, toad__treatment treatment) {
    l->treatment = treatment;
    w->changes |= !l->key && !l->blob;
}

/* Is there a place for a verdict? */
static bool has_room_for_verdict(const work *w) {
    const toad__json *meta = toad__json_get(w->in->value, "_meta");
    return w->in->what != TOAD__MCP_VALUE_OUTPUT && w->in->value->type == TOAD__JSON_OBJECT &&
           (!meta || meta->type == TOAD__JSON_OBJECT);
}

/* What is left as it is must be marked by the verdict, or it does not go on. */
static void plan_leaf(work *w, toad__leaf *l) {
    act a = act_on(w, l->severity, l->completeness);
    toad__mcp_what what = w->in->what;
    bool fixed = l->role == TOAD__LEAF_FIXED;
    bool wraps = l->role == TOAD__LEAF_TEXT && what != TOAD__MCP_VALUE_REQUEST;
    bool silent = a >= WARN && (fixed || l->key || l->blob) && !has_room_for_verdict(w);
    if (a >= ASK || silent || (a == REDACT && fixed) ||
        (a == WARN && l->unit && (fixed || what == TOAD__MCP_VALUE_SERVER)))
        keep_out(w, l, a);
    else if (a == WARN && wraps)
        treat(w, l, TOAD__TREAT_WRAP);
    else if (a >= WARN && !fixed)
        treat(w, l, TOAD__TREAT_REDACT);
    else if (w->s->options.wrap_all && wraps && toad__str_eq(l->node->key, TOAD__S("text")))
        treat(w, l, TOAD__TREAT_WRAP);
    else if (!l->clean && !fixed)
        treat(w, l, TOAD__TREAT_SANITIZE);
}

/* A tool that the user has blocked is in no list. */
static toad_status leave_out_blocked(work *w) {
    const toad__reading *r = &w->s->reading;
    const toad__unit *last = NULL;
    bool blocked = false;
    for (size_t i = 0; i < r->n; i++) {
        toad__unit *unit = r->leaves[i].unit;
        if (!unit || unit == last) continue;
        last = unit;
        toad__screen_in tool = *w->in;
        tool.name = toad__json_get_text(unit->node, "name");
        toad_status status = tool.name.n ? toad__screen_is_blocked(w->s, &tool, &blocked) : TOAD_OK;
        if (status) return status;
        if (!tool.name.n || !blocked) continue;
        unit->dropped = w->changes = true;
        snprintf(w->ret->why, sizeof w->ret->why, "a tool is left out: %s", TOAD__SCREEN_SOURCE_BLOCKED);
    }
    return TOAD_OK;
}

static uint32_t count_dropped(const toad__reading *r) {
    const toad__unit *last = NULL;
    uint32_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const toad__unit *unit = r->leaves[i].unit;
        n += unit && unit != last && unit->dropped;
        if (unit) last = unit;
    }
    return n;
}

/* ---- tools ---- */

/* The items of the list, in the order of the leaves, judged one by one. */
static toad_status weigh_tools(work *w) {
    toad__screen *s = w->s;
    const toad__json *list = toad__json_get(w->in->value, "tools");
    size_t at = 0;
    toad_status status = toad__pins_begin(s->pins, w->in->server, list);
    for (const toad__json *tool = list && list->type == TOAD__JSON_ARRAY ? list->child : NULL; tool && !status;
         tool = tool->next) {
        bool objects = false;
        toad__pin_ruling ruling;
        while (at < s->reading.n && (!s->reading.leaves[at].unit || s->reading.leaves[at].node->raw.p < tool->raw.p))
            at++;
        toad__unit *unit =
            at < s->reading.n && s->reading.leaves[at].unit->node == tool ? s->reading.leaves[at].unit : NULL;
        for (size_t i = at; unit && i < s->reading.n && s->reading.leaves[i].unit == unit; i++)
            objects |= policy(s, s->reading.leaves[i].severity, s->reading.leaves[i].completeness) > ALLOW;
        status = toad__pins_weigh(s->pins, tool, objects ? w->ret->rules : NULL, &ruling);
        if (status || !unit) continue;
        unit->dropped = ruling.held;
        w->changes |= ruling.held;
        if (ruling.held && !*w->ret->why)
            snprintf(w->ret->why, sizeof w->ret->why, "a tool is held: %.200s", ruling.why);
    }
    return status ? status : toad__pins_end(s->pins);
}

/* Is there a list that pinning does not see and a client may? Some readers take no notice of case, or of the type. */
static bool hides_tools(const toad__json *value) {
    for (const toad__json *m = value->child; m; m = m->next) {
        if (!toad__str_ieq(m->key, TOAD__S("tools"))) continue;
        if (m->type == TOAD__JSON_OBJECT || !toad__str_eq(m->key, TOAD__S("tools"))) return true;
    }
    return false;
}

/* What pinning decides, the scan does not decide again: the user may have approved what it objects to. */
static void plan_tools(work *w) {
    for (size_t i = 0; i < w->s->reading.n; i++) {
        toad__leaf *l = &w->s->reading.leaves[i];
        if (!l->unit)
            plan_leaf(w, l);
        else if (!l->clean && l->role != TOAD__LEAF_FIXED)
            treat(w, l, TOAD__TREAT_SANITIZE);
    }
}

static toad_status plan(work *w) {
    if (w->in->what == TOAD__MCP_VALUE_TOOLS && w->s->pins) {
        toad_status status = weigh_tools(w);
        if (status) return status;
        plan_tools(w);
    } else {
        for (size_t i = 0; i < w->s->reading.n; i++) plan_leaf(w, &w->s->reading.leaves[i]);
    }
    return w->in->what == TOAD__MCP_VALUE_TOOLS ? leave_out_blocked(w) : TOAD_OK;
}

/* ---- what is forwarded ---- */

/* Redacting may leave, or make, what a scan still finds. */
static toad_status still_found(work *w, size_t from, bool *ret) {
    toad__screen_in again = *w->in;
    size_t at;
    const char *expected;
    toad_str copy = toad__arena_dup(&w->s->arena, toad__str_part(toad__buf_str(w->out), from, w->out->n));
    if (!copy.p) return TOAD_E_NOMEM;
    toad_status status = toad__json_parse(copy, &w->s->arena, &again.value, &at, &expected);
    if (!status) status = toad__screen_read(w->s, &again, NULL, false);
    *ret = !status && policy(w->s, w->s->reading.severity, w->s->reading.completeness) > ALLOW;
    return status;
}

static const char *reason(const work *w) {
    return w->s->reading.severity >= TOAD_LOW ? "it reads like an attack on its reader"
                                              : "not all of it could be looked at";
}

static toad_status forward_changed(work *w, act a) {
    size_t from = w->out->n;
    bool again = false;
    toad__buf verdict;
    toad__buf_init(&verdict, 1u << 16);
    if (a > ALLOW && w->in->what != TOAD__MCP_VALUE_OUTPUT) write_verdict(w, a, &verdict);
    w->ret->dropped = count_dropped(&w->s->reading);
    if (w->ret->dropped && !*w->ret->why) snprintf(w->ret->why, sizeof w->ret->why, "%s", reason(w));
    toad_status status = verdict.status
                             ? verdict.status
                             : toad__screen_splice(w->s, w->in, toad__buf_str(&verdict), w->ret->content_id, w->out);
    toad__buf_free(&verdict);
    if (!status && a == REDACT) status = still_found(w, from, &again);
    if (status) return status;
    if (again) {
        w->out->n = from;
        return block(w, BLOCK, "it reads like an attack on its reader even where that is taken out");
    }
    w->ret->fate = TOAD__SCREEN_CHANGED;
    w->ret->reply = TOAD__FATE_REPLACE;
    return TOAD_OK;
}

/* Keep what is flagged; a blocked value that the user has released is passed with a warning. */
static toad_status keep_flagged(work *w, act *a, bool *ret_may_pass) {
    bool released = false;
    if (w->in->decision != TOAD__SCREEN_BY_POLICY) return TOAD_OK;
    toad_status status = toad__screen_keep(w->s, w->in, act_names[w->worst], w->ret, &released, ret_may_pass);
    if (status || !released) return status;
    toad__screen_in allowed = *w->in;
    allowed.decision = TOAD__SCREEN_ALLOW_ONCE;
    const toad__screen_in *in = w->in;
    toad__reading *r = &w->s->reading;
    w->in = &allowed;
    w->whole = w->changes = w->asked = false;
    for (size_t i = 0; i < r->n; i++) {
        r->leaves[i].treatment = TOAD__TREAT_NONE;
        if (r->leaves[i].unit) r->leaves[i].unit->dropped = false;
    }
    status = plan(w);
    w->in = in;
    *a = WARN;
    return status;
}

/* What passes though something was found: of low severity, or excepted by the user. */
static toad_status log_passed(const work *w) {
    const toad__screen *s = w->s;
    const toad__known_rule *lifted = s->reading.n_lifted ? &s->reading.lifted[0] : NULL;
    toad__event event = { .type = TOAD__S("security_scan"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("mcp"),
                          .content = lifted ? TOAD__S("excepted") : TOAD__S("injection_detected"),
                          .pattern_matched = toad__str_z(lifted ? lifted->rule : w->ret->rules),
                          .confidence = TOAD__S("low"),
                          .action = TOAD__S("allow"),
                          .session_id = s->host->session };
    return s->host->store ? toad__store_events_append(s->host->store, &event, 1) : TOAD_OK;
}

static toad_status decide(work *w) {
    toad__screen *s = w->s;
    act a = act_on(w, s->reading.severity, s->reading.completeness);
    bool may_pass = true, tools = w->in->what == TOAD__MCP_VALUE_TOOLS && s->pins;
    w->worst = policy(s, s->reading.severity, s->reading.completeness);
    list_rules(w);
    if (tools && hides_tools(w->in->value)) return block(w, BLOCK, "its tools can be read in more than one way");
    toad_status status = plan(w);
    if (status)
        return status == TOAD_E_NOMEM ? status : block(w, BLOCK, "the pins of its tools could not be read or kept");
    bool flagged = w->worst > ALLOW || s->reading.severity >= TOAD_MEDIUM;
    if (flagged ? !tools || w->whole : s->options.remember_all)
        status = keep_flagged(w, &a, &may_pass);
    else if ((s->reading.severity == TOAD_LOW || s->reading.n_lifted) && !tools)
        log_passed(w);
    if (status) return status;
    if (!may_pass)
        return block(w, BLOCK, w->worst > ALLOW ? reason(w) : "it could not be kept, and on_store_error is block");
    if (w->whole) return block(w, w->asked && a == ASK ? ASK : BLOCK, reason(w));
    if (tools) a = w->changes ? WARN : ALLOW; /* what is left in the list is as pinned */
    if (w->changes || s->reading.forged || a > ALLOW) return forward_changed(w, a < REDACT ? a : REDACT);
    w->ret->fate = TOAD__SCREEN_PASS;
    w->ret->reply = TOAD__FATE_PASS;
    return TOAD_OK;
}

static toad_status schema_of(work *w, const toad__json **ret, bool *known) {
    *ret = NULL;
    *known = true;
    if (w->in->what != TOAD__MCP_VALUE_TOOL_RESULT || !toad__json_get(w->in->value, "structuredContent"))
        return TOAD_OK;
    *known = false; /* without pinning nothing is known of the tool */
    if (!w->s->pins) return TOAD_OK;
    return toad__pins_schema(w->s->pins, w->in->server, w->in->name, ret, known);
}

/* Nothing of a source that the user has blocked goes on, and nothing where that cannot be known. */
static toad_status screen(work *w) {
    const toad__json *schema;
    bool known, blocked;
    w->s->reading.n_rules = w->s->reading.n_lifted = 0;
    toad_status status = toad__screen_is_blocked(w->s, w->in, &blocked);
    if (status == TOAD_E_NOMEM) return status;
    if (status || blocked)
        return block(w, BLOCK, blocked ? TOAD__SCREEN_SOURCE_BLOCKED : "the settings of its source could not be read");
    if (w->in->value->raw.n > w->s->options.max_bytes) return block(w, BLOCK, "it is longer than the limit");
    status = schema_of(w, &schema, &known);
    if (!status) status = toad__screen_read(w->s, w->in, schema, known);
    if (status == TOAD_E_NOMEM) return status;
    if (status) return block(w, BLOCK, "it could not be scanned");
    w->ret->severity = w->s->reading.severity;
    w->ret->completeness = w->s->reading.completeness;
    return decide(w);
}

toad_status toad__screen_message(toad__screen *s, const toad__screen_in *in, toad__buf *out, toad__screen_result *ret) {
    toad__screen_result result = { .fate = TOAD__SCREEN_BLOCKED, .reply = TOAD__FATE_REPLACE };
    work w = { .s = s, .in = in, .ret = &result, .out = out };
    size_t from = out->n;
    s->kind = in->kind ? in->kind : "mcp";
    for (s->objects_from = TOAD_LOW; s->objects_from < TOAD_HIGH && !policy(s, s->objects_from, TOAD_FULL);)
        s->objects_from++;
    toad_status status = screen(&w);
    toad__arena_free(&s->arena);
    toad__arena_init(&s->arena, TOAD__SCREEN_ARENA);
    if (status) {
        out->n = from;
        return toad__host_fail(s->host, status, "a message could not be screened: %s", toad_status_message(status));
    }
    *ret = result;
    return TOAD_OK;
}
