#include "lib/decode/leads.h"
#include <string.h>

static size_t find(const bzr__leads *l, unsigned i, size_t from) {
    const char *hit = from < l->in.n ? memchr(l->in.p + from, l->lead[i], l->in.n - from) : NULL;
    return hit ? (size_t)(hit - l->in.p) : l->in.n;
}

bzr__leads bzr__leads_of(bzr_str in, const char lead[BZR__LEADS]) {
    bzr__leads l = { .in = in };
    memcpy(l.lead, lead, BZR__LEADS);
    for (unsigned i = 0; i < BZR__LEADS; i++) l.next[i] = find(&l, i, 0);
    return l;
}

size_t bzr__leads_next(bzr__leads *l, size_t from) {
    size_t first = l->in.n;
    for (unsigned i = 0; i < BZR__LEADS; i++) {
        if (l->next[i] < from) l->next[i] = find(l, i, from);
        if (l->next[i] < first) first = l->next[i];
    }
    return first;
}
