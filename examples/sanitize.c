/* Remove what only serves to hide, and say what it was. */
#include <stdio.h>
#include <string.h>
#include <toadstone/toadstone.h>

int main(void) {
    /* zero-width spaces in words; then a Persian word whose joiner must stay */
    const char *dirty = "re\xe2\x80\x8bport is re\xe2\x80\x8b"
                        "ady, \xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae";
    const char *clean = "report is ready, \xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae";
    toad_text *text;
    toad_removed removed;
    if (toad_sanitize((toad_str){ dirty, strlen(dirty) }, NULL, &text, &removed)) return 1;
    toad_str out = toad_text_str(text);
    int same = out.n == strlen(clean) && !memcmp(out.p, clean, out.n);
    for (size_t i = 0; i < removed.n; i++) printf("%s: %u\n", removed.list[i].name, (unsigned)removed.list[i].count);
    toad_text_free(text);
    return same ? 0 : 1;
}
