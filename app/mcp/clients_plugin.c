/* clients_plugin.c - agents that load code in place of hooks: the whole file is ours, written and taken away as one.
 *
 * One line of the code is COMMAND, the words of our program as a list that JSON, JavaScript and Python read alike. The
 * file that is there tells by it which program it starts, so that doctor tries just that. */
#include "app/mcp/clients_internal.h"

#include <string.h>

#define COMMAND "COMMAND = "

static bool is_ours(toad_str text) { return toad__str_find(text, TOAD__S("toadstone"), 0) < text.n; }

static void add_command(const toad__client_change *change, toad__buf *out) {
    const char *const words[] = { change->program, "hook", "--agent", change->hooks->name };
    size_t n = sizeof words / sizeof *words;
    toad__buf_add_c(out, '[');
    for (size_t i = 0; i < n + change->options_n; i++) {
        if (i) toad__buf_add_z(out, ", ");
        toad__json_add_utf8(out, toad__str_z(i < n ? words[i] : change->options[i - n]));
    }
    toad__buf_add_c(out, ']');
}

static void write_file(const toad__client_change *change, toad__buf *out) {
    for (const char *const *line = change->hooks->lines; *line; line++) {
        const char *at = strstr(*line, COMMAND "["), *end = at ? strchr(at, ']') : NULL;
        if (end) {
            toad__buf_add(out, *line, (size_t)(at - *line) + strlen(COMMAND));
            add_command(change, out);
        }
        toad__buf_add_z(out, end ? end + 1 : *line);
        toad__buf_add_c(out, '\n');
    }
}

/* The command that the file starts at an event, for a shell; an empty slice where it names none. */
static toad_str command_of(toad_str text, toad_str event, toad__arena *arena) {
    size_t at = toad__str_find(text, TOAD__S(COMMAND "["), 0), from = at + strlen(COMMAND), where;
    const toad__json *list;
    const char *expected;
    toad__buf b;
    if (at >= text.n) return TOAD__S("");
    size_t end = toad__str_find(text, TOAD__S("\n"), from);
    while (end > from && text.p[end - 1] != ']') end--;
    if (toad__json_parse(toad__str_part(text, from, end), arena, &list, &where, &expected)) return TOAD__S("");
    toad__buf_init(&b, TOAD__CLIENT_FILE);
    for (const toad__json *word = list->child; word; word = word->next) {
        if (b.n) toad__buf_add_c(&b, ' ');
        toad__client_add_word(&b, word->text);
    }
    toad__buf_add_z(&b, " --event ");
    toad__buf_add_str(&b, event);
    toad_str kept = b.status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return kept.p ? kept : TOAD__S("");
}

/* The first event of the list stands for the text; a file without events for itself. */
static toad_status list_all(const toad__client_change *change, toad_str text, toad_str put, bool changed,
                            toad__arena *arena, toad__client_server **ret) {
    const char *p = *change->hooks->events ? change->hooks->events : "its manifest";
    bool whole = !*change->hooks->events, there = change->undo ? text.n && !changed : text.n || changed;
    for (bool first = true; *p; first = false) {
        size_t n = whole ? strlen(p) : strcspn(p, " ");
        toad__client_server *s = toad__arena_alloc(arena, sizeof *s);
        if (!s) return TOAD_E_NOMEM;
        *s = (toad__client_server){ .name = toad__str(p, n), .changed = changed };
        s->state = there ? TOAD__SERVER_WRAPPED : TOAD__SERVER_PLAIN;
        s->command = text.n && !whole ? command_of(text, s->name, arena) : TOAD__S("");
        s->before = first && changed ? text : TOAD__S("");
        s->after = first && changed && put.n ? toad__arena_dup(arena, put) : TOAD__S("");
        if (!s->after.p) return TOAD_E_NOMEM;
        *ret = s;
        ret = &s->next;
        p += n + (p[n] == ' ');
    }
    return TOAD_OK;
}

toad_status toad__plugin_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                 toad__client_server **ret, const char **ret_why) {
    if (text.n && !is_ours(text)) {
        *ret_why = "it is not ours";
        return TOAD_E_SYNTAX;
    }
    if (change->look)
        toad__buf_add_str(out, text);
    else if (!change->undo)
        write_file(change, out);
    if (out->status) return out->status;
    toad_str put = out->n ? toad__buf_str(out) : TOAD__S("");
    return list_all(change, text, put, !toad__str_eq(text, put), arena, ret);
}
