/* options.h - the one rule by which structs that begin with their own size cross the library's border.
 *
 * The caller's compiler knew one version of the struct, the library knows another. What the caller's version lacks
 * keeps the default that is already in `dst`; what it has beyond ours must be zero, which asks for nothing. A member is
 * only ever added behind the old end, and no struct ends in padding (TOAD__SIZED holds that), so the bytes of one
 * member never mean another. */
#ifndef TOAD_BASE_OPTIONS_H
#define TOAD_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* To stand once for each such struct: `size` comes first, and behind `last` there is no padding. */
#define TOAD__SIZED(type, last)                                                                              \
    _Static_assert(offsetof(type, size) == 0 && sizeof(((type *)0)->size) == sizeof(size_t), #type " size"); \
    _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == sizeof(type), #type " padding")

/* Copy the caller's `src` over the defaults in `dst`. NULL: the defaults. False, `dst` untouched: a size that holds not
 * even itself or that no such struct can have, or a member that this library does not know and that is set. */
static inline bool toad__options_take(void *dst, size_t dst_size, const void *src) {
    size_t size;
    if (!src) return true;
    memcpy(&size, src, sizeof size);
    if (size < sizeof size || size % _Alignof(size_t)) return false;
    for (size_t i = dst_size; i < size; i++)
        if (((const char *)src)[i]) return false;
    size_t common = size < dst_size ? size : dst_size;
    memcpy((char *)dst + sizeof size, (const char *)src + sizeof size, common - sizeof size);
    return true;
}

#endif
