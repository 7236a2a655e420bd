/* config_internal.h - between config.c (keys and values), config_yaml.c (one file) and config_load.c (which files). */
#ifndef BZR_APP_CONFIG_INTERNAL_H
#define BZR_APP_CONFIG_INTERNAL_H

#include "app/config/config.h"
#include "app/config/policy.h"
#include "lib/base/arena.h"

typedef enum bzr__config_type {
    BZR__CONFIG_FLAG,
    BZR__CONFIG_WORD,
    BZR__CONFIG_COUNT,
    BZR__CONFIG_SPAN,
    BZR__CONFIG_TEXT,
    BZR__CONFIG_LIST
} bzr__config_type;

/* What a project may do with a key: nothing, take a later word (a larger number), take a smaller number. */
typedef enum bzr__config_project { BZR__CONFIG_NEVER, BZR__CONFIG_TIGHTEN, BZR__CONFIG_SHORTER } bzr__config_project;

typedef struct bzr__slot {
    const char *name;
    bzr__config_type type;
    const char *words; /* FLAG, WORD: from loose to tight. COUNT, SPAN: least and most. LIST: the same, of numbers; or NULL */
    bzr__config_project project;
    const char *help;
    const char *value;
    int64_t number;
    const char *const *list;
    bzr__layer layer;
    const char *origin; /* NULL: built-in */
    size_t n_list;
} bzr__slot;

struct bzr__config {
    bzr__arena arena;
    bzr__slot slots[BZR__CONFIG_POLICY + BZR__POLICY_N];
    size_t n;
    bzr__mistake *mistakes; /* owned */
    size_t n_mistakes, cap_mistakes;
};

typedef struct bzr__place_of {
    bzr__layer layer;
    const char *file; /* in the arena, or static */
    size_t line;
} bzr__place_of;

/* Keep a mistake. `format` must give nothing that a stranger wrote but escaped; `key` is escaped here. */
bzr_status bzr__config_complain(bzr__config *c, const bzr__place_of *at, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bzr__slot *bzr__config_find(bzr__config *c, bzr_str name);
/* May this stand in the list? */
bool bzr__config_lists(const bzr__slot *s, const char *text);
/* Set one value, or keep the mistake that it is. */
bzr_status bzr__config_set(bzr__config *c, const bzr__place_of *at, bzr__slot *s, const char *text);
/* The key or section below `prefix` ("security.") that `typed` was probably meant for; empty: none. */
bzr_str bzr__config_guess(const bzr__config *c, bzr_str prefix, bzr_str typed);

#endif
