/* unwrap.c - take an envelope apart again.
 *
 * Openers are looked for in one pass; a caller who knows the id only ever gets the envelope that bears it, so a forged
 * one before the real one is stepped over. At most TRIES openers are tried, each linear. Whether an envelope is genuine
 * depends on the id alone, never on what the text says about itself; ids are compared without an early exit. */
#include "lib/base/arena.h"
#include "lib/wrap/envelope.h"

#include <assert.h>
#include <stdlib.h>

enum { TRIES = 64 };

struct toad_unwrapped {
    toad__buf content, source, id;
    toad_envelope envelope;
    bool genuine;
};

static bool same_id(toad_str a, toad_str b) {
    unsigned char diff = 0;
    if (!a.n || a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++) diff |= (unsigned char)(a.p[i] ^ b.p[i]);
    return !diff;
}

/* The family whose opener stands at `at`, or -1. */
static int opener_at(toad_str text, size_t at) {
    const toad__family *f;
    for (size_t i = 0; (f = toad__family_at(i)); i++)
        if (toad__after(text, at, f->opener)) return (int)i;
    return -1;
}

/* The first whole envelope; with `id`, the first that bears it, or else the first of all. */
static int find(toad_str text, toad_str id, toad__parts *ret) {
    int first = -1;
    for (size_t at = 0, tries = 0; at < text.n && tries < TRIES; at++) {
        toad__parts parts = { 0 };
        if (text.p[at] != '<' && text.p[at] != '[') continue;
        int family = opener_at(text, at);
        if (family < 0) continue;
        tries++;
        if (!toad__family_at((size_t)family)->read(text, at, &parts)) continue;
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

toad_status toad_unwrap(toad_str text, toad_str id, toad_unwrapped **ret) {
    toad__parts parts;
    if (!ret || (!text.p && text.n) || (!id.p && id.n) || text.n > SIZE_MAX / 8) return TOAD_E_ARG;
    int family = find(text, id, &parts);
    if (family < 0) return TOAD_E_NOT_FOUND;
    toad_unwrapped *u = calloc(1, sizeof *u);
    if (!u) return TOAD_E_NOMEM;
    toad__buf_init(&u->content, SIZE_MAX / 4);
    toad__buf_init(&u->source, SIZE_MAX / 4);
    toad__buf_init(&u->id, SIZE_MAX / 4);
    assert(parts.end <= text.n);
    u->envelope = (toad_envelope)family;
    u->genuine = same_id(id, parts.id);
    const toad__family *f = toad__family_at((size_t)family);
    if (f->restore)
        f->restore(&parts, &u->content);
    else
        toad__buf_add_str(&u->content, parts.content);
    toad__add_unescaped(&u->source, parts.source);
    toad__buf_add_str(&u->id, parts.id);
    toad_status status = u->content.status ? u->content.status : u->source.status ? u->source.status : u->id.status;
    if (status)
        toad_unwrapped_free(u);
    else
        *ret = u;
    return status;
}

void toad_unwrapped_free(toad_unwrapped *u) {
    if (!u) return;
    toad__buf_free(&u->content);
    toad__buf_free(&u->source);
    toad__buf_free(&u->id);
    free(u);
}

toad_str toad_unwrapped_content(const toad_unwrapped *u) { return toad__buf_str(&u->content); }
toad_str toad_unwrapped_source(const toad_unwrapped *u) { return toad__buf_str(&u->source); }
toad_str toad_unwrapped_id(const toad_unwrapped *u) { return toad__buf_str(&u->id); }
toad_envelope toad_unwrapped_envelope(const toad_unwrapped *u) { return u->envelope; }
bool toad_unwrapped_genuine(const toad_unwrapped *u) { return u->genuine; }
