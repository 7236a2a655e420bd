/* prompt.h - sentences for a system prompt that tell a model how to read envelopes and fetched content.
 *
 * The texts of the seed documents, word for word; static storage, never freed. Thread rule: any thread. */
#ifndef BEZOAR_PROMPT_H
#define BEZOAR_PROMPT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bzr_prompt {
    const char *name;  /* stable: "content_safety", ... */
    const char *title; /* one line, for a list */
    const char *text;  /* the section, without a line feed at its end */
} bzr_prompt;

/* The text of the section `name`, or an empty slice with p NULL. Sections: content_safety (outheis, agents that read
 * files), content_safety_code (outheis, an agent that reads source code), web_content_security and content_attribution
 * (nanofolks). */
BZR_API bzr_str bzr_prompt_section(bzr_str name);
/* Section `i` of all, in a fixed order, or NULL past the last. */
BZR_API const bzr_prompt *bzr_prompt_at(size_t i);

#ifdef __cplusplus
}
#endif
#endif
