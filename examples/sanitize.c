/* Remove what only serves to hide, and say what it was. */
#include <bezoar/bezoar.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    /* zero-width spaces in words; then a Persian word whose joiner must stay */
    const char *dirty = "re\xe2\x80\x8bport is re\xe2\x80\x8b" "ady, \xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae";
    const char *clean = "report is ready, \xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae";
    bzr_text *text;
    bzr_removed removed;
    if (bzr_sanitize((bzr_str){ dirty, strlen(dirty) }, NULL, &text, &removed)) return 1;
    bzr_str out = bzr_text_str(text);
    int same = out.n == strlen(clean) && !memcmp(out.p, clean, out.n);
    for (size_t i = 0; i < removed.n; i++) printf("%s: %u\n", removed.list[i].name, (unsigned)removed.list[i].count);
    bzr_text_free(text);
    return same ? 0 : 1;
}
