#include "lib/decode/leads.h"

toad__leads toad__leads_of(toad_str in, const char *leads) {
    return (toad__leads){ .in = in, .set = toad__set_of(leads) };
}

size_t toad__leads_next(toad__leads *l, size_t from) {
    if (from >= l->in.n) return l->in.n;
    if (from < l->end && from + 64 > l->end) l->word &= UINT64_MAX << (from + 64 - l->end);
    if (from >= l->end || !l->word) {
        size_t at = toad__set_find(l->in, &l->set, from < l->end ? l->end : from);
        l->word = at < l->in.n ? toad__mask_at(l->in, at, &l->set) : 0;
        l->end = at + 64;
        if (!l->word) return l->in.n;
    }
    return l->end - 64 + (size_t)__builtin_ctzll(l->word);
}
