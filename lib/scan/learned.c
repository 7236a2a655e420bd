/* learned.c - what the learned model says of a view, as a finding.
 *
 * The model reads what the rules read: every folded view but the raw text of a page, whose extracted text is read instead. It warns and
 * never blocks by itself; in a text about attacks it is only noted. Its reasons are words of the text, so they are quoted escaped. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#define PHRASE_BYTES 48u

/* One sentence of ours with the weightiest words of the text, escaped, in the verdict's arena; the plain sentence when there is no room. */
static const char *why_of(bzr_scanner *s, bzr_str folded, const bzr__model_hit *hit) {
    static const char *const says[BZR__MODEL_HEADS] = { "The text reads like an attack planted in content", "The text reads like an attack typed at the model" };
    const char *plain = says[hit->head % BZR__MODEL_HEADS];
    bzr__buf b;
    bzr__buf_init(&b, 4096);
    bzr__buf_add_z(&b, plain);
    for (size_t i = 0; i < hit->phrases_n; i++) {
        bzr_str phrase = bzr__str_part(folded, hit->phrases[i].start, hit->phrases[i].end);
        bzr__buf_add_z(&b, i ? ", " : "; weightiest: ");
        bzr__json_add_str(&b, bzr__str_part(phrase, 0, phrase.n < PHRASE_BYTES ? phrase.n : PHRASE_BYTES));
    }
    bzr__buf_add(&b, ".", 2);
    char *copy = b.status ? NULL : bzr__arena_alloc(&s->verdict.arena, b.n);
    if (copy) memcpy(copy, b.p, b.n);
    bzr__buf_free(&b);
    return copy ? copy : "The text reads like an attack.";
}

/* The text of a page is judged as one, whoever handed it in. */
static bzr_kind kind_of(const bzr_scanner *s, const bzr__node *node) {
    if (s->options.kind != BZR_KIND_ANY) return s->options.kind;
    for (; node->parent; node = node->parent)
        if (!strncmp(node->step, "html", 4)) return BZR_KIND_WEB;
    return BZR_KIND_ANY;
}

/* Encoded or smuggled where no ordinary text would be, or spelled with look-alikes or invisible characters between its letters. */
static bool is_disguised(const bzr__node *node, const bzr__view *view) {
    if (node->flags & (BZR__NODE_ENCODED | BZR__NODE_SMUGGLED)) return !(node->flags & BZR__NODE_DOUBTFUL);
    return view->lookalikes * 5 > view->letters || (view->dropped >= 3 && view->dropped * 24 > view->letters);
}

void bzr__learned(bzr_scanner *s, const bzr__node *node, const bzr__view *view) {
    bzr__model_hit hit;
    bzr_str folded = bzr__buf_str(&view->text);
    if (!s->model_scratch || !folded.n) return;
    bzr__model_score(&s->engine->model, s->model_scratch, folded, kind_of(s, node), is_disguised(node, view), &hit);
    if (hit.score > s->verdict.score) s->verdict.score = hit.score;
    if (!hit.flagged) return;
    bool seen = !(node->flags & (BZR__NODE_HIDDEN | BZR__NODE_ENCODED | BZR__NODE_SMUGGLED));
    bzr_severity severity = seen && bzr__is_security_prose(s) ? BZR_LOW : BZR_MEDIUM;
    bzr__report_why(s, "learned_injection", node, bzr__offmap_back(&view->map, hit.sentence), severity, why_of(s, folded, &hit));
}
