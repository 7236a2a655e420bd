/* The sentences for a system prompt that tell a model how to read envelopes. */
#include <stdio.h>
#include <toadstone/toadstone.h>

int main(void) {
    const toad_prompt *section;
    for (size_t i = 0; (section = toad_prompt_at(i)); i++) printf("%s: %s\n", section->name, section->title);
    toad_str text = toad_prompt_section((toad_str){ "content_safety", 14 });
    printf("\n%.*s\n", (int)text.n, text.p);
    return text.p ? 0 : 1;
}
