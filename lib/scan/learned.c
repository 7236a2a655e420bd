/* learned.c - what the learned model says of a view, as a finding.
 *
 * The model reads what the rules read: every folded view but the raw text of a page, whose extracted text is read
 * instead. It warns and never blocks by itself; in a text about attacks, and where a tool's result nearly reads like
 * one, it is only noted. Its reasons are words of the
 * text, so they are quoted escaped. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#define PHRASE_BYTES 48u

/* One sentence of ours with the weightiest words of the text, escaped, in the verdict's arena; the plain sentence when
 * there is no room. */
static const char *why_of(toad_scanner *s, toad_str folded, const toad__model_hit *hit) {
    static const char *const says[TOAD__MODEL_HEADS] = { "The text reads like an attack planted in content",
                                                         "The text reads like an attack typed at the model",
                                                         "The text reads like one that steers its reader" };
    const char *plain = says[hit->head % TOAD__MODEL_HEADS];
    toad__buf b;
    toad__buf_init(&b, 4096);
    toad__buf_add_z(&b, plain);
    for (size_t i = 0; i < hit->phrases_n; i++) {
        toad_str phrase = toad__str_part(folded, hit->phrases[i].start, hit->phrases[i].end);
        toad__buf_add_z(&b, i ? ", " : "; weightiest: ");
        toad__json_add_str(&b, toad__str_part(phrase, 0, phrase.n < PHRASE_BYTES ? phrase.n : PHRASE_BYTES));
    }
    toad__buf_add(&b, ".", 2);
    char *copy = b.status ? NULL : toad__arena_alloc(&s->verdict.arena, b.n);
    if (copy) memcpy(copy, b.p, b.n);
    toad__buf_free(&b);
    return copy ? copy : "The text reads like an attack.";
}

/* The text of a page is judged as one, whoever handed it in. */
static toad_kind kind_of(const toad_scanner *s, const toad__node *node) {
    if (s->options.kind != TOAD_KIND_ANY) return s->options.kind;
    for (; node->parent; node = node->parent)
        if (node->step->flags & TOAD__PAGE) return TOAD_KIND_WEB;
    return TOAD_KIND_ANY;
}

/* Disguised: encoded or smuggled where no ordinary text would be, or spelled with look-alikes or invisible characters
 * between its letters. */
static unsigned how_it_comes(const toad__node *node, const toad__view *view) {
    bool coded = node->flags & (TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED);
    bool disguised =
        coded ? !(node->flags & TOAD__NODE_DOUBTFUL)
              : view->lookalikes * 5 > view->letters || (view->dropped >= 3 && view->dropped * 24 > view->letters);
    return (disguised ? TOAD__MODEL_DISGUISED : 0u) | (node->flags & TOAD__NODE_HIDDEN ? TOAD__MODEL_HIDDEN : 0u) |
           (node->flags & TOAD__NODE_DOUBTFUL ? TOAD__MODEL_DOUBTFUL : 0u);
}

void toad__learned(toad_scanner *s, const toad__node *node, const toad__view *view) {
    toad__model_hit hit;
    toad_str folded = toad__buf_str(&view->text);
    if (!s->model_scratch || !folded.n) return;
    toad__model_score(&s->engine->model, s->model_scratch, folded, kind_of(s, node), how_it_comes(node, view), &hit);
    if (hit.score > s->verdict.score) s->verdict.score = hit.score;
    if (!hit.flagged && !hit.noted) return;
    bool seen = !(node->flags & (TOAD__NODE_HIDDEN | TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED));
    toad_severity severity = !hit.flagged || (seen && toad__is_security_prose(s)) ? TOAD_LOW : TOAD_MEDIUM;
    toad__report_why(s, "learned_injection", node, toad__offmap_back(&view->map, hit.sentence), severity,
                     why_of(s, folded, &hit));
}
