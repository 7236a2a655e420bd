/* typo.h - between typo.c and skeleton.c: is a text worth mending? */
#ifndef BZR_TEXT_TYPO_H
#define BZR_TEXT_TYPO_H

#include "bezoar/types.h"

/* What bzr__fix_typos would return for the same text, but for short prefixed words; counting stops at `enough`. */
uint32_t bzr__count_typos(bzr_str folded, uint32_t enough);

#endif
