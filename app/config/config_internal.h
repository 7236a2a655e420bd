/* config_internal.h - between config.c (keys and values), config_yaml.c (one file) and config_load.c (which files). */
#ifndef TOAD_APP_CONFIG_INTERNAL_H
#define TOAD_APP_CONFIG_INTERNAL_H

#include "app/config/config.h"
#include "app/config/policy.h"
#include "lib/base/arena.h"

typedef enum toad__config_type {
    TOAD__CONFIG_FLAG,
    TOAD__CONFIG_WORD,
    TOAD__CONFIG_COUNT,
    TOAD__CONFIG_SPAN,
    TOAD__CONFIG_TEXT,
    TOAD__CONFIG_LIST
} toad__config_type;

/* What a project may do with a key: nothing, take a later word (a larger number), take a smaller number. */
typedef enum toad__config_project {
    TOAD__CONFIG_NEVER,
    TOAD__CONFIG_TIGHTEN,
    TOAD__CONFIG_SHORTER
} toad__config_project;

typedef struct toad__slot {
    const char *name;
    toad__config_type type;
    const char
        *words; /* FLAG, WORD: from loose to tight. COUNT, SPAN: least and most. LIST: the same, of numbers; or NULL */
    toad__config_project project;
    const char *help;
    const char *value;
    int64_t number;
    const char *const *list;
    toad__layer layer;
    const char *origin; /* NULL: built-in */
    size_t n_list;
} toad__slot;

struct toad__config {
    toad__arena arena;
    toad__slot slots[TOAD__CONFIG_POLICY + TOAD__POLICY_N];
    size_t n;
    toad__mistake *mistakes; /* owned */
    size_t n_mistakes, cap_mistakes;
};

typedef struct toad__place_of {
    toad__layer layer;
    const char *file; /* in the arena, or static */
    size_t line;
} toad__place_of;

/* Keep a mistake. `format` must give nothing that a stranger wrote but escaped; `key` is escaped here. */
toad_status toad__config_complain(toad__config *c, const toad__place_of *at, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
toad__slot *toad__config_find(toad__config *c, toad_str name);
/* May this stand in the list? */
bool toad__config_lists(const toad__slot *s, const char *text);
/* Set one value, or keep the mistake that it is. */
toad_status toad__config_set(toad__config *c, const toad__place_of *at, toad__slot *s, const char *text);
/* The key or section below `prefix` ("security.") that `typed` was probably meant for; empty: none. */
toad_str toad__config_guess(const toad__config *c, toad_str prefix, toad_str typed);

#endif
