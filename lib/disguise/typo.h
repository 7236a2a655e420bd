/* typo.h - between typo.c and skeleton.c: is a text worth mending? */
#ifndef TOAD_DISGUISE_TYPO_H
#define TOAD_DISGUISE_TYPO_H

#include "toadstone/types.h"

/* What toad__fix_typos would return for the same text, but for short prefixed words; counting stops at `enough`. */
uint32_t toad__count_typos(toad_str folded, uint32_t enough);

#endif
