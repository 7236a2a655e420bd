#include "lib/base/str.h"
#include "lib/html/html.h"

#include <stdlib.h>

#define LINKS_MAX 4096u

const char *toad__hidden_name(toad__hidden_reason r) {
    static const char *const names[] = { "html",
#define X(name, text) "html:hidden(" text ")",
                                         TOAD__HIDDEN(X)
#undef X
    };
    return (size_t)r < sizeof names / sizeof *names ? names[r] : "html";
}

void toad__html_out_init(toad__html_out *o, size_t max) {
    *o = (toad__html_out){ .pieces = NULL };
    toad__buf_init(&o->visible, max);
    toad__buf_init(&o->hidden, max);
    toad__buf_init(&o->urls, max);
    toad__offmap_init(&o->visible_map);
    toad__offmap_init(&o->hidden_map);
}

void toad__html_out_free(toad__html_out *o) {
    toad__buf_free(&o->visible);
    toad__buf_free(&o->hidden);
    toad__buf_free(&o->urls);
    toad__offmap_free(&o->visible_map);
    toad__offmap_free(&o->hidden_map);
    free(o->pieces);
    free(o->links);
    free(o->marks);
    toad__html_out_init(o, o->visible.max);
}

void toad__html_out_clear(toad__html_out *o) {
    toad__buf_clear(&o->visible);
    toad__buf_clear(&o->hidden);
    toad__buf_clear(&o->urls);
    toad__offmap_clear(&o->visible_map);
    toad__offmap_clear(&o->hidden_map);
    o->pieces_n = o->links_n = o->marks_n = o->title = o->tags = 0;
    o->depth_limit = o->links_limit = false;
    o->status = TOAD_OK;
}

/* What a page is made of: bytes copied, or set in, behind what was left out. False: not that, or no room yet. */
static bool put_plain(toad__buf *b, toad__offmap *m, toad_str text, size_t from, size_t to) {
    uint32_t ratio = to > from ? 1 : UINT32_MAX;
    bool plain = text.n && from >= m->in_len && (to == from || to - from == text.n) && to <= UINT32_MAX &&
                 text.n <= UINT32_MAX - m->out_len;
    if (!plain || b->status || m->status || text.n > b->cap - b->n || m->n + 2 > m->cap) return false;
    if (from > m->in_len && (m->ratio || !m->n)) {
        m->runs[m->n++] = (toad__run){ m->out_len, m->in_len };
        m->ratio = 0;
    }
    if (m->ratio != 1 || ratio != 1 || from > m->in_len || !m->n)
        m->runs[m->n++] = (toad__run){ m->out_len, (uint32_t)from };
    m->ratio = ratio;
    m->out_len += (uint32_t)text.n;
    m->in_len = (uint32_t)to;
    memcpy(b->p + b->n, text.p, text.n);
    b->n += text.n;
    return true;
}

void toad__html_put(toad__buf *b, toad__offmap *m, toad_str text, size_t from, size_t to) {
    if (put_plain(b, m, text, from, to)) return;
    if (from > m->in_len) toad__offmap_add(m, 0, from - m->in_len);
    size_t start = m->in_len > from ? m->in_len : from;
    toad__buf_add_str(b, text);
    toad__offmap_add(m, text.n, to > start ? to - start : 0);
}

/* Room for one more element of `size` bytes; false with the status set when there is none. */
static bool grow(toad__html_out *o, void **array, size_t n, size_t *cap, size_t size) {
    if (n < *cap) return true;
    size_t wanted = *cap ? *cap * 2 : 16;
    void *more = realloc(*array, wanted * size);
    if (!more) {
        if (!o->status) o->status = TOAD_E_NOMEM;
        return false;
    }
    *array = more;
    *cap = wanted;
    return true;
}

toad__html_piece *toad__html_piece_begin(toad__html_out *o, toad__hidden_reason reason, size_t at) {
    void *pieces = o->pieces;
    if (!grow(o, &pieces, o->pieces_n, &o->pieces_cap, sizeof *o->pieces)) return NULL;
    o->pieces = pieces;
    if (o->hidden.n) toad__html_put(&o->hidden, &o->hidden_map, TOAD__S("\n"), at, at);
    toad__html_piece *p = &o->pieces[o->pieces_n++];
    *p = (toad__html_piece){ (uint32_t)o->hidden.n, (uint32_t)o->hidden.n, reason };
    return p;
}

void toad__html_mark_here(toad__html_out *o, toad__role role, bool open, uint32_t link) {
    void *marks = o->marks;
    if (!o->want_marks || role == TOAD__ROLE_NONE) return;
    if (!grow(o, &marks, o->marks_n, &o->marks_cap, sizeof *o->marks)) return;
    o->marks = marks;
    o->marks[o->marks_n++] = (toad__html_mark){ (uint32_t)o->visible.n, link, (uint8_t)role, open };
}

toad__html_link *toad__html_link_room(toad__html_out *o) {
    void *links = o->links;
    if (o->links_n >= LINKS_MAX) {
        o->links_limit = true;
        return NULL;
    }
    if (!grow(o, &links, o->links_n, &o->links_cap, sizeof *o->links)) return NULL;
    o->links = links;
    return &o->links[o->links_n++];
}
