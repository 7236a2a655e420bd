#include "lib/html/html.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define LINKS_MAX 4096u

const char *bzr__hidden_name(bzr__hidden_reason r) {
    static const char *const names[] = {
        "html",
#define X(name, text) "html:hidden(" text ")",
        BZR__HIDDEN(X)
#undef X
    };
    return (size_t)r < sizeof names / sizeof *names ? names[r] : "html";
}

void bzr__html_out_init(bzr__html_out *o, size_t max) {
    *o = (bzr__html_out){ .pieces = NULL };
    bzr__buf_init(&o->visible, max);
    bzr__buf_init(&o->hidden, max);
    bzr__buf_init(&o->urls, max);
    bzr__offmap_init(&o->visible_map);
    bzr__offmap_init(&o->hidden_map);
}

void bzr__html_out_free(bzr__html_out *o) {
    bzr__buf_free(&o->visible);
    bzr__buf_free(&o->hidden);
    bzr__buf_free(&o->urls);
    bzr__offmap_free(&o->visible_map);
    bzr__offmap_free(&o->hidden_map);
    free(o->pieces);
    free(o->links);
    free(o->marks);
    bzr__html_out_init(o, o->visible.max);
}

void bzr__html_out_clear(bzr__html_out *o) {
    bzr__buf_clear(&o->visible);
    bzr__buf_clear(&o->hidden);
    bzr__buf_clear(&o->urls);
    bzr__offmap_clear(&o->visible_map);
    bzr__offmap_clear(&o->hidden_map);
    o->pieces_n = o->links_n = o->marks_n = o->title = o->tags = 0;
    o->depth_limit = o->links_limit = false;
    o->status = BZR_OK;
}

/* What a page is made of: bytes copied, or set in, behind what was left out. False: not that, or no room yet. */
static bool put_plain(bzr__buf *b, bzr__offmap *m, bzr_str text, size_t from, size_t to) {
    uint32_t ratio = to > from ? 1 : UINT32_MAX;
    bool plain = text.n && from >= m->in_len && (to == from || to - from == text.n) && to <= UINT32_MAX && text.n <= UINT32_MAX - m->out_len;
    if (!plain || b->status || m->status || text.n > b->cap - b->n || m->n + 2 > m->cap) return false;
    if (from > m->in_len && (m->ratio || !m->n)) {
        m->runs[m->n++] = (bzr__run){ m->out_len, m->in_len };
        m->ratio = 0;
    }
    if (m->ratio != 1 || ratio != 1 || from > m->in_len || !m->n) m->runs[m->n++] = (bzr__run){ m->out_len, (uint32_t)from };
    m->ratio = ratio;
    m->out_len += (uint32_t)text.n;
    m->in_len = (uint32_t)to;
    memcpy(b->p + b->n, text.p, text.n);
    b->n += text.n;
    return true;
}

void bzr__html_put(bzr__buf *b, bzr__offmap *m, bzr_str text, size_t from, size_t to) {
    if (put_plain(b, m, text, from, to)) return;
    if (from > m->in_len) bzr__offmap_add(m, 0, from - m->in_len);
    size_t start = m->in_len > from ? m->in_len : from;
    bzr__buf_add_str(b, text);
    bzr__offmap_add(m, text.n, to > start ? to - start : 0);
}

/* Room for one more element of `size` bytes; false with the status set when there is none. */
static bool grow(bzr__html_out *o, void **array, size_t n, size_t *cap, size_t size) {
    if (n < *cap) return true;
    size_t wanted = *cap ? *cap * 2 : 16;
    void *more = realloc(*array, wanted * size);
    if (!more) {
        if (!o->status) o->status = BZR_E_NOMEM;
        return false;
    }
    *array = more;
    *cap = wanted;
    return true;
}

bzr__html_piece *bzr__html_piece_begin(bzr__html_out *o, bzr__hidden_reason reason, size_t at) {
    void *pieces = o->pieces;
    if (!grow(o, &pieces, o->pieces_n, &o->pieces_cap, sizeof *o->pieces)) return NULL;
    o->pieces = pieces;
    if (o->hidden.n) bzr__html_put(&o->hidden, &o->hidden_map, BZR__S("\n"), at, at);
    bzr__html_piece *p = &o->pieces[o->pieces_n++];
    *p = (bzr__html_piece){ (uint32_t)o->hidden.n, (uint32_t)o->hidden.n, reason };
    return p;
}

void bzr__html_mark_here(bzr__html_out *o, bzr__role role, bool open, uint32_t link) {
    void *marks = o->marks;
    if (!o->want_marks || role == BZR__ROLE_NONE) return;
    if (!grow(o, &marks, o->marks_n, &o->marks_cap, sizeof *o->marks)) return;
    o->marks = marks;
    o->marks[o->marks_n++] = (bzr__html_mark){ (uint32_t)o->visible.n, link, (uint8_t)role, open };
}

bzr__html_link *bzr__html_link_room(bzr__html_out *o) {
    void *links = o->links;
    if (o->links_n >= LINKS_MAX) {
        o->links_limit = true;
        return NULL;
    }
    if (!grow(o, &links, o->links_n, &o->links_cap, sizeof *o->links)) return NULL;
    o->links = links;
    return &o->links[o->links_n++];
}
