/* clients_hooks.c - our hooks in an agent's configuration: {"hooks": {EVENT: [HOOK, ...]}}, JSON with comments.
 *
 * What is added stands directly behind what was there before, with the separator it needs; what is cut out again is the
 * hook and that separator. Where a list or an object was empty, a blank before the hook says that the list is not ours:
 * so the file is afterwards what it was, to the byte, without a backup. */
#include "app/mcp/clients_internal.h"

#include <stdio.h>

static const toad__hook_file files[] = {
#define X(...) { __VA_ARGS__ },
#include "app/mcp/hook_files.def"
#undef X
};

const toad__hook_file *toad__hook_file_find(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].name, name)) return &files[i];
    return NULL;
}

const toad__hook_file *toad__hook_file_at(size_t i) { return i < sizeof files / sizeof *files ? &files[i] : NULL; }

typedef struct hooking {
    const toad__client_change *change;
    toad_str text, copy;
    const toad__json *root, *hooks; /* NULL: there is none */
    toad__arena *arena;
    toad__buf *out;
    size_t done; /* of the text */
} hooking;

static size_t start_of(const hooking *h, const toad__json *v) { return (size_t)(v->raw.p - h->copy.p); }
static size_t end_of(const hooking *h, const toad__json *v) { return start_of(h, v) + v->raw.n; }

/* ---- one hook ---- */

void toad__client_add_word(toad__buf *b, toad_str word) {
    bool plain = word.n != 0;
    for (size_t i = 0; i < word.n && plain; i++)
        plain = toad__is_alnum((unsigned char)word.p[i]) || memchr("/._-+:=@%,", word.p[i], 10) != NULL;
    if (plain) {
        toad__buf_add_str(b, word);
        return;
    }
    toad__buf_add_c(b, '\'');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '\'')
            toad__buf_add_z(b, "'\\''");
        else
            toad__buf_add_c(b, word.p[i]);
    }
    toad__buf_add_c(b, '\'');
}

/* What says that a command is ours, whatever stands before and behind it. */
static void add_sign(const hooking *h, toad_str event, toad__buf *b) {
    toad__buf_add_z(b, " hook --agent ");
    toad__buf_add_z(b, h->change->hooks->name);
    toad__buf_add_z(b, " --event ");
    toad__buf_add_str(b, event);
}

/* Append a hook for this event. */
static void add_hook(const hooking *h, toad_str event, toad__buf *out) {
    const char *item = h->change->hooks->item, *at = strstr(item, "%s");
    toad__buf command;
    toad__buf_init(&command, TOAD__CLIENT_FILE);
    toad__client_add_word(&command, toad__str_z(h->change->program));
    add_sign(h, event, &command);
    for (size_t i = 0; i < h->change->options_n; i++) {
        toad__buf_add_c(&command, ' ');
        toad__client_add_word(&command, toad__str_z(h->change->options[i]));
    }
    toad__buf_add(out, item, (size_t)(at - item));
    toad__json_add_utf8(out, toad__buf_str(&command));
    toad__buf_add_z(out, at + 2);
    if (command.status) out->status = command.status;
    toad__buf_free(&command);
}

/* The string in this value that starts one of ours, or NULL. */
static const toad__json *command_in(const hooking *h, const toad__json *value, toad_str event) {
    const toad__json *above[TOAD__JSON_DEPTH + 1], *node = value;
    size_t depth = 0;
    const toad__json *found = NULL;
    toad__buf sign;
    toad__buf_init(&sign, 1u << 16);
    add_sign(h, event, &sign);
    while (node && !found) {
        bool ours = node->type == TOAD__JSON_STRING && !sign.status &&
                    toad__str_find(node->text, toad__buf_str(&sign), 0) < node->text.n &&
                    toad__str_find(node->text, TOAD__S("toadstone"), 0) < node->text.n;
        if (ours) found = node;
        if (node->child) {
            above[depth++] = node;
            node = node->child;
            continue;
        }
        while (depth && !node->next) node = above[--depth];
        node = depth ? node->next : NULL;
    }
    toad__buf_free(&sign);
    return found;
}

/* ---- where it goes, where it stood ---- */

static void copy_until(hooking *h, size_t at) {
    toad__buf_add_str(h->out, toad__str_part(h->text, h->done, at));
    h->done = at;
}

static const toad__json *last_of(const toad__json *container) {
    const toad__json *v = container->child;
    while (v && v->next) v = v->next;
    return v;
}

/* Go to where one more value of a container is put, and put what stands before it: as its neighbor stands on a line of
 * its own, so does it. */
static void open_place(hooking *h, const toad__json *container) {
    const toad__json *last = last_of(container);
    if (!last) {
        copy_until(h, start_of(h, container) + 1);
        toad__buf_add_c(h->out, ' ');
        return;
    }
    size_t line = start_of(h, last);
    while (line && h->copy.p[line - 1] != '\n' && h->copy.p[line - 1] != ',' && h->copy.p[line - 1] != '{' &&
           h->copy.p[line - 1] != '[')
        line--;
    bool own = line && h->copy.p[line - 1] == '\n';
    size_t blanks = line;
    while (own && toad__is_blank((unsigned char)h->copy.p[blanks])) blanks++;
    copy_until(h, end_of(h, last));
    toad__buf_add_z(h->out, own ? ",\n" : ", ");
    if (own) toad__buf_add_str(h->out, toad__str_part(h->copy, line, blanks));
}

/* Where the name of a member begins. */
static size_t name_at(const hooking *h, const toad__json *container, const toad__json *member) {
    const toad__json *before = NULL;
    for (const toad__json *v = container->child; v != member; v = v->next) before = v;
    size_t at = before ? end_of(h, before) : start_of(h, container) + 1;
    while (at < h->copy.n && h->copy.p[at] != '"') at++;
    return at;
}

/* Cut a value of a container out, with what open_place put before it. `before` is the value before it, which is kept or
 * was cut just now; `kept`: some value before it is. `named`: where its name begins. */
static void cut(hooking *h, const toad__json *container, const toad__json *before, bool kept, const toad__json *value,
                size_t named) {
    size_t from = kept ? end_of(h, before) : before ? h->done : named;
    if (!before && from == start_of(h, container) + 2 && h->text.p[from - 1] == ' ') from--;
    copy_until(h, from);
    h->done = end_of(h, value);
    if (kept || !value->next) return;
    while (h->copy.p[h->done] != ',') h->done++; /* nothing stands before it: with the comma behind it */
    h->done++;
}

/* ---- all of them ---- */

static const toad__json *find(const hooking *h, const toad__json *list, toad_str event) {
    const toad__json *v = list && list->type == TOAD__JSON_ARRAY ? list->child : NULL;
    while (v && !command_in(h, v, event)) v = v->next;
    return v;
}

static const toad__json *member(const toad__json *object, toad_str name) {
    const toad__json *v = object && object->type == TOAD__JSON_OBJECT ? object->child : NULL;
    while (v && !toad__str_eq(v->key, name)) v = v->next;
    return v;
}

static toad_str event_at(const hooking *h, size_t *at) {
    const char *p = h->change->hooks->events + *at;
    size_t n = strcspn(p, " ");
    *at += n + (p[n] == ' ');
    return toad__str(p, n);
}

static toad_status list_event(const hooking *h, toad_str event, const toad__json *ours, bool changed, toad_str put,
                              toad__client_server ***last) {
    toad__client_server *s = toad__arena_alloc(h->arena, sizeof *s);
    if (!s) return TOAD_E_NOMEM;
    *s = (toad__client_server){ .name = event, .changed = changed };
    bool there = h->change->undo ? ours && !changed : ours || changed;
    s->state = there ? TOAD__SERVER_WRAPPED : TOAD__SERVER_PLAIN;
    s->before = changed && ours ? ours->raw : TOAD__S("");
    s->command = ours ? command_in(h, ours, event)->text : TOAD__S("");
    s->after = changed && !h->change->undo ? toad__arena_dup(h->arena, put) : TOAD__S("");
    if (!s->after.p) return TOAD_E_NOMEM;
    **last = s;
    *last = &s->next;
    return TOAD_OK;
}

/* `all`: nothing was there, everything of ours is new. */
static void add_members(hooking *h, bool all) {
    bool any = false;
    for (size_t at = 0; h->change->hooks->events[at];) {
        toad_str event = event_at(h, &at);
        if (!all && member(h->hooks, event)) continue;
        if (!all && !any) open_place(h, h->hooks);
        if (any) toad__buf_add_z(h->out, ", ");
        any = true;
        toad__json_add_utf8(h->out, event);
        toad__buf_add_z(h->out, ": [");
        add_hook(h, event, h->out);
        toad__buf_add_c(h->out, ']');
    }
}

static void add_whole(hooking *h) {
    toad__buf_add_z(h->out, "\"hooks\": {");
    add_members(h, true);
    toad__buf_add_c(h->out, '}');
}

/* In the lists that there are, in the order of the file, then the missing members behind them. */
static void install(hooking *h) {
    if (!h->text.n) {
        toad__buf_add_c(h->out, '{');
        toad__buf_add_z(h->out, h->change->hooks->head);
        add_whole(h);
        toad__buf_add_z(h->out, "}\n");
        return;
    }
    if (!h->hooks) {
        open_place(h, h->root);
        add_whole(h);
        return;
    }
    for (const toad__json *list = h->hooks->child; list; list = list->next) {
        for (size_t at = 0; h->change->hooks->events[at];) {
            toad_str event = event_at(h, &at);
            if (!toad__str_eq(list->key, event)) continue;
            const toad__json *ours = find(h, list, event);
            if (ours) {
                copy_until(h, start_of(h, ours));
                h->done = end_of(h, ours);
            } else {
                open_place(h, list);
            }
            add_hook(h, event, h->out);
        }
    }
    add_members(h, false);
}

/* Is the list ours as a whole: one hook, and no blank before it? */
static bool is_whole_list(const hooking *h, const toad__json *list, const toad__json *ours) {
    return list->child == ours && !ours->next && start_of(h, ours) == start_of(h, list) + 1;
}

static bool is_ours_alone(const hooking *h) {
    size_t n = 0;
    for (const toad__json *list = h->hooks->child; list; list = list->next, n++) {
        const toad__json *ours = find(h, list, list->key);
        if (!ours || !is_whole_list(h, list, ours)) return false;
    }
    const toad__json *first = h->hooks->child;
    return n && name_at(h, h->hooks, first) == start_of(h, h->hooks) + 1;
}

static void uninstall(hooking *h) {
    const toad__json *before = NULL;
    bool kept = false;
    if (!h->hooks) return;
    if (is_ours_alone(h)) {
        for (const toad__json *v = h->root->child; v != h->hooks; v = v->next) before = v;
        cut(h, h->root, before, before != NULL, h->hooks, name_at(h, h->root, h->hooks));
        return;
    }
    for (const toad__json *list = h->hooks->child; list; before = list, list = list->next) {
        const toad__json *ours = find(h, list, list->key), *neighbor = NULL;
        bool whole = ours && is_whole_list(h, list, ours);
        if (whole) cut(h, h->hooks, before, kept, list, name_at(h, h->hooks, list));
        kept |= !whole;
        if (!ours || whole) continue;
        for (const toad__json *v = list->child; v != ours; v = v->next) neighbor = v;
        cut(h, list, neighbor, neighbor != NULL, ours, start_of(h, ours));
    }
}

static toad_status list_all(const hooking *h, toad__client_server **ret) {
    toad__client_server **last = ret;
    toad_status status = TOAD_OK;
    toad__buf hook;
    toad__buf_init(&hook, TOAD__CLIENT_FILE);
    for (size_t at = 0; h->change->hooks->events[at] && !status;) {
        toad_str event = event_at(h, &at);
        const toad__json *ours = find(h, member(h->hooks, event), event);
        toad__buf_clear(&hook);
        if (!h->change->undo && !h->change->look) add_hook(h, event, &hook);
        bool changed = !h->change->look &&
                       (h->change->undo ? ours != NULL : !ours || !toad__str_eq(ours->raw, toad__buf_str(&hook)));
        status = list_event(h, event, ours, changed, hook.n ? toad__buf_str(&hook) : TOAD__S(""), &last);
    }
    if (!status) status = hook.status;
    toad__buf_free(&hook);
    return status;
}

/* The file that `install` makes of nothing is nothing again. */
static bool is_whole_file(const hooking *h) {
    bool head = *h->change->hooks->head != 0;
    const toad__json *first = h->root->child, *second = first ? first->next : NULL;
    if (!h->hooks || !is_ours_alone(h)) return false;
    if (head) return first && second == h->hooks && !second->next && toad__str_eq(first->key, TOAD__S("version"));
    return first == h->hooks && !second && h->text.n && h->text.p[1] == '"' && h->text.p[h->text.n - 1] == '\n' &&
           h->text.p[h->text.n - 2] == '}' && h->text.p[h->text.n - 3] == '}';
}

toad_status toad__hooks_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                toad__client_server **ret, const char **ret_why, size_t *ret_at) {
    toad__client_server *first = NULL;
    hooking h = { .change = change, .text = text.n ? text : TOAD__S(""), .arena = arena, .out = out };
    toad_status status = TOAD_OK;
    *ret_at = 0;
    if (change->hooks->lines) return toad__plugin_rewrite(h.text, change, arena, out, ret, ret_why);
    if (text.n) status = toad__client_parse_json(h.text, arena, &h.copy, &h.root, ret_why, ret_at);
    if (status) return status;
    *ret_at = 0;
    h.hooks = member(h.root, TOAD__S("hooks"));
    bool odd = (h.root && h.root->type != TOAD__JSON_OBJECT) || (h.hooks && h.hooks->type != TOAD__JSON_OBJECT);
    for (const toad__json *list = odd || !h.hooks ? NULL : h.hooks->child; list; list = list->next)
        odd |= toad__str_is_one_of(list->key, change->hooks->events) && list->type != TOAD__JSON_ARRAY;
    if (odd) {
        *ret_why = "its hooks are written in a way that is not understood";
        return TOAD_E_SYNTAX;
    }
    status = list_all(&h, &first);
    bool gone = !status && change->undo && h.root && is_whole_file(&h);
    if (!status && !change->look && !change->undo) install(&h);
    if (!status && change->undo && !gone) uninstall(&h);
    if (!status && !gone) copy_until(&h, h.text.n);
    if (!status) status = out->status;
    if (!status) *ret = first;
    return status;
}
