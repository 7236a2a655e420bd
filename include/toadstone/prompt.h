/* prompt.h - sentences for a system prompt that tell a model how to read envelopes and fetched content.
 *
 * The texts that agents were tuned on, word for word; static storage, never freed. Thread rule: any thread. */
#ifndef TOADSTONE_PROMPT_H
#define TOADSTONE_PROMPT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* LENT; static. */
typedef struct toad_prompt {
    const char *name;  /* stable: "content_safety", ... */
    const char *title; /* one line, for a list */
    const char *text;  /* the section, without a line feed at its end */
} toad_prompt;

/* Sections by name, and in a fixed order.
 *
 * section  The text of `name`, or an empty slice with p NULL: content_safety (outheis, agents that read files),
 *          content_safety_code (outheis, an agent that reads source code), web_content_security and content_attribution
 *          (nanofolks), ptc (PtcRunner, before what is in its tags). Later versions may have more; the wording of one
 *          is never changed under its name.
 * at       Section `i`, or NULL past the last.
 *
 * Thread rule: any thread. */
TOAD_API toad_str toad_prompt_section(toad_str name);
TOAD_API const toad_prompt *toad_prompt_at(size_t i);

#ifdef __cplusplus
}
#endif
#endif
