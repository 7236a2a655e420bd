/* unwrap.c - take an envelope apart again.
 *
 * Openers are looked for in one pass; a caller who knows the id only ever gets the envelope that bears it, so a forged
 * one before the real one is stepped over. At most TRIES openers are tried, each linear. Whether an envelope is genuine
 * depends on the id alone, never on what the text says about itself; ids are compared without an early exit. */
#include "lib/base/arena.h"
#include "lib/wrap/envelope.h"

#include <stdlib.h>

enum { TRIES = 64 };

struct bzr_unwrapped {
    bzr__buf content, source, id;
    bzr_envelope envelope;
    bool genuine;
};

static bool same_id(bzr_str a, bzr_str b) {
    unsigned char diff = 0;
    if (!a.n || a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++) diff |= (unsigned char)(a.p[i] ^ b.p[i]);
    return !diff;
}

/* The family whose opener stands at `at`, or -1. */
static int opener_at(bzr_str text, size_t at) {
    const bzr__family *f;
    for (size_t i = 0; (f = bzr__family_at(i)); i++)
        if (bzr__after(text, at, f->opener)) return (int)i;
    return -1;
}

/* The first whole envelope; with `id`, the first that bears it, or else the first of all. */
static int find(bzr_str text, bzr_str id, bzr__parts *ret) {
    int first = -1;
    for (size_t at = 0, tries = 0; at < text.n && tries < TRIES; at++) {
        bzr__parts parts = { 0 };
        if (text.p[at] != '<' && text.p[at] != '[') continue;
        int family = opener_at(text, at);
        if (family < 0) continue;
        tries++;
        if (!bzr__family_at((size_t)family)->read(text, at, &parts)) continue;
        bool named = same_id(id, parts.id);
        if (first < 0 || named) {
            *ret = parts;
            first = family;
        }
        if (!id.n || named) return first;
        at = parts.end - 1;
    }
    return first;
}

bzr_status bzr_unwrap(bzr_str text, bzr_str id, bzr_unwrapped **ret) {
    bzr__parts parts;
    if (text.n > SIZE_MAX / 8) return BZR_E_ARG;
    int family = find(text, id, &parts);
    if (family < 0) return BZR_E_NOT_FOUND;
    bzr_unwrapped *u = calloc(1, sizeof *u);
    if (!u) return BZR_E_NOMEM;
    bzr__buf_init(&u->content, SIZE_MAX / 4);
    bzr__buf_init(&u->source, SIZE_MAX / 4);
    bzr__buf_init(&u->id, SIZE_MAX / 4);
    u->envelope = (bzr_envelope)family;
    u->genuine = same_id(id, parts.id);
    const bzr__family *f = bzr__family_at((size_t)family);
    if (f->restore)
        f->restore(&parts, &u->content);
    else
        bzr__buf_add_str(&u->content, parts.content);
    bzr__add_unescaped(&u->source, parts.source);
    bzr__buf_add_str(&u->id, parts.id);
    bzr_status status = u->content.status ? u->content.status : u->source.status ? u->source.status : u->id.status;
    if (status)
        bzr_unwrapped_free(u);
    else
        *ret = u;
    return status;
}

void bzr_unwrapped_free(bzr_unwrapped *u) {
    if (!u) return;
    bzr__buf_free(&u->content);
    bzr__buf_free(&u->source);
    bzr__buf_free(&u->id);
    free(u);
}

bzr_str bzr_unwrapped_content(const bzr_unwrapped *u) { return bzr__buf_str(&u->content); }
bzr_str bzr_unwrapped_source(const bzr_unwrapped *u) { return bzr__buf_str(&u->source); }
bzr_str bzr_unwrapped_id(const bzr_unwrapped *u) { return bzr__buf_str(&u->id); }
bzr_envelope bzr_unwrapped_envelope(const bzr_unwrapped *u) { return u->envelope; }
bool bzr_unwrapped_genuine(const bzr_unwrapped *u) { return u->genuine; }
