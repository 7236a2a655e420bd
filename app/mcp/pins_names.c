/* pins_names.c - names of tools: which pass for which, and which are spoken of where. */
#include "app/host/json_walk.h"
#include "app/mcp/pins_internal.h"
#include "bezoar/text.h"
#include "lib/text/fold.h"
#include "lib/text/skeleton.h"

enum { WORD_LEAST = 5, WORDS_MOST = 4096 };

/* In one case and without what joins words: read_file, readFile and read-file are one. All else stays. */
static void add_loose(bzr_str name, bzr__buf *out) {
    for (size_t i = 0; i < name.n; i++)
        if (!memchr("_-./", name.p[i], 4)) bzr__buf_add_c(out, (char)bzr__lower((unsigned char)name.p[i]));
}

/* What the eye makes of it: look-alikes and invisible characters folded, 1 as l, 0 as o. */
static bzr_status add_skeleton(bzr_str name, bzr__buf *out) {
    bzr__view view;
    bzr__view_init(&view, 8 * name.n + 4096);
    bzr_status status = bzr__fold(&view, name, BZR__FOLD_DROP);
    bzr_str folded = status ? BZR__S("") : bzr__buf_str(&view.text);
    for (size_t at = 0, n = 1; at < folded.n; at += n) {
        n = 1;
        char letter = bzr__skeleton_letter(folded, at, true, &n);
        if (letter) bzr__buf_add_c(out, letter);
        if (!n) n = 1;
    }
    bzr__view_free(&view);
    return status;
}

bzr_status bzr__pin_shape_of(bzr_str name, bzr__arena *arena, bzr__pin_shape *ret) {
    bzr__buf loose, skeleton;
    bzr__buf_init(&loose, 8 * BZR__PIN_NAME);
    bzr__buf_init(&skeleton, 8 * BZR__PIN_NAME);
    add_loose(name, &loose);
    bzr_status status = add_skeleton(name, &skeleton);
    if (!status) status = loose.status ? loose.status : skeleton.status;
    if (!status) {
        ret->loose = bzr__arena_dup(arena, loose.n ? bzr__buf_str(&loose) : BZR__S(""));
        ret->skeleton = bzr__arena_dup(arena, skeleton.n ? bzr__buf_str(&skeleton) : BZR__S(""));
        if (!ret->loose.p || !ret->skeleton.p) status = BZR_E_NOMEM;
    }
    bzr__buf_free(&loose);
    bzr__buf_free(&skeleton);
    return status;
}

/* ---- words in a definition ---- */

static bool in_word(int c) { return bzr__is_alnum(c) || c == '_' || c == '-'; }

/* Only what looks like an identifier, since ordinary words are names of tools, too. */
static bool is_identifier(bzr_str w) {
    bool mark = false;
    for (size_t i = 1; i + 1 < w.n; i++) {
        mark |= w.p[i] == '_' || w.p[i] == '-';
        mark |= bzr__is_lower((unsigned char)w.p[i]) && bzr__is_upper((unsigned char)w.p[i + 1]);
    }
    return mark && w.n >= WORD_LEAST && w.n <= BZR__PIN_NAME;
}

typedef struct words {
    bzr__pin_word_fn fn;
    void *ctx;
    size_t left;
    bool found;
} words;

static void look_through(words *w, bzr_str s) {
    for (size_t at = 0, end; at < s.n && !w->found && w->left; at = end + 1) {
        end = at;
        while (end < s.n && in_word((unsigned char)s.p[end])) end++;
        bzr_str word = bzr__str_part(s, at, end);
        if (!is_identifier(word)) continue;
        w->left--;
        w->found = w->fn(w->ctx, word);
    }
}

/* The client gets it without what hides, which may stand in the middle of a name. */
static void look_behind(words *w, bzr_str s) {
    bzr_text *clean;
    if (bzr_is_clean(s)) return;
    if (bzr_sanitize(s, NULL, &clean, NULL)) {
        w->left = 0; /* not all was looked at */
        return;
    }
    look_through(w, bzr_text_str(clean));
    bzr_text_free(clean);
}

bool bzr__pin_speaks_of(const bzr__json *tool, bzr__pin_word_fn fn, void *ctx, bool *ret_all) {
    words w = { fn, ctx, WORDS_MOST, false };
    bzr__json_walk walk;
    const bzr__json *name = bzr__json_get(tool, "name");
    bzr__json_walk_begin(&walk, tool);
    for (const bzr__json *v; !w.found && (v = bzr__json_walk_next(&walk));) {
        if (v->type != BZR__JSON_STRING || v == name) continue;
        look_through(&w, v->text);
        look_behind(&w, v->text);
    }
    *ret_all = w.left > 0;
    return w.found;
}
