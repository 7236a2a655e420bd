/* The sentences for a system prompt that tell a model how to read envelopes. */
#include <bezoar/bezoar.h>
#include <stdio.h>

int main(void) {
    const bzr_prompt *section;
    for (size_t i = 0; (section = bzr_prompt_at(i)); i++) printf("%s: %s\n", section->name, section->title);
    bzr_str text = bzr_prompt_section((bzr_str){ "content_safety", 14 });
    printf("\n%.*s\n", (int)text.n, text.p);
    return text.p ? 0 : 1;
}
