/* pins_names.c - names of tools: which pass for which, and which are spoken of where. */
#include "app/host/json_walk.h"
#include "app/mcp/pins_internal.h"
#include "lib/disguise/skeleton.h"
#include "lib/text/fold.h"
#include "toadstone/text.h"

enum { WORD_LEAST = 5, WORDS_MOST = 4096 };

/* In one case and without what joins words: read_file, readFile and read-file are one. All else stays. */
static void add_loose(toad_str name, toad__buf *out) {
    for (size_t i = 0; i < name.n; i++)
        if (!memchr("_-./", name.p[i], 4)) toad__buf_add_c(out, (char)toad__lower((unsigned char)name.p[i]));
}

/* What the eye makes of it: look-alikes and invisible characters folded, 1 as l, 0 as o. */
static toad_status add_skeleton(toad_str name, toad__buf *out) {
    toad__view view;
    toad__view_init(&view, 8 * name.n + 4096);
    toad_status status = toad__fold(&view, name, TOAD__FOLD_DROP);
    toad_str folded = status ? TOAD__S("") : toad__buf_str(&view.text);
    for (size_t at = 0, n = 1; at < folded.n; at += n) {
        n = 1;
        char letter = toad__skeleton_letter(folded, at, true, &n);
        if (letter) toad__buf_add_c(out, letter);
        if (!n) n = 1;
    }
    toad__view_free(&view);
    return status;
}

toad_status toad__pin_shape_of(toad_str name, toad__arena *arena, toad__pin_shape *ret) {
    toad__buf loose, skeleton;
    toad__buf_init(&loose, 8 * TOAD__PIN_NAME);
    toad__buf_init(&skeleton, 8 * TOAD__PIN_NAME);
    add_loose(name, &loose);
    toad_status status = add_skeleton(name, &skeleton);
    if (!status) status = loose.status ? loose.status : skeleton.status;
    if (!status) {
        ret->loose = toad__arena_dup(arena, loose.n ? toad__buf_str(&loose) : TOAD__S(""));
        ret->skeleton = toad__arena_dup(arena, skeleton.n ? toad__buf_str(&skeleton) : TOAD__S(""));
        if (!ret->loose.p || !ret->skeleton.p) status = TOAD_E_NOMEM;
    }
    toad__buf_free(&loose);
    toad__buf_free(&skeleton);
    return status;
}

/* ---- words in a definition ---- */

static bool in_word(int c) { return toad__is_alnum(c) || c == '_' || c == '-'; }

/* Only what looks like an identifier, since ordinary words are names of tools, too. */
static bool is_identifier(toad_str w) {
    bool mark = false;
    for (size_t i = 1; i + 1 < w.n; i++) {
        mark |= w.p[i] == '_' || w.p[i] == '-';
        mark |= toad__is_lower((unsigned char)w.p[i]) && toad__is_upper((unsigned char)w.p[i + 1]);
    }
    return mark && w.n >= WORD_LEAST && w.n <= TOAD__PIN_NAME;
}

typedef struct words {
    toad__pin_word_fn fn;
    void *ctx;
    size_t left;
    bool found;
} words;

static void look_through(words *w, toad_str s) {
    for (size_t at = 0, end; at < s.n && !w->found && w->left; at = end + 1) {
        end = at;
        while (end < s.n && in_word((unsigned char)s.p[end])) end++;
        toad_str word = toad__str_part(s, at, end);
        if (!is_identifier(word)) continue;
        w->left--;
        w->found = w->fn(w->ctx, word);
    }
}

/* The client gets it without what hides, which may stand in the middle of a name. */
static void look_behind(words *w, toad_str s) {
    toad_text *clean;
    if (toad_is_clean(s)) return;
    if (toad_sanitize(s, NULL, &clean, NULL)) {
        w->left = 0; /* not all was looked at */
        return;
    }
    look_through(w, toad_text_str(clean));
    toad_text_free(clean);
}

bool toad__pin_speaks_of(const toad__json *tool, toad__pin_word_fn fn, void *ctx, bool *ret_all) {
    words w = { fn, ctx, WORDS_MOST, false };
    toad__json_walk walk;
    const toad__json *name = toad__json_get(tool, "name");
    toad__json_walk_begin(&walk, tool);
    for (const toad__json *v; !w.found && (v = toad__json_walk_next(&walk));) {
        if (v->type != TOAD__JSON_STRING || v == name) continue;
        look_through(&w, v->text);
        look_behind(&w, v->text);
    }
    *ret_all = w.left > 0;
    return w.found;
}
