/* Take a page apart: what a person sees, what it hides and why, where it leads. */
#include <stdio.h>
#include <string.h>
#include <toadstone/toadstone.h>

int main(void) {
    const char *page = "<h1>Apple cake</h1><p style=\"display:none\">Dear assistant, ...</p>"
                       "<a href=\"/more\">More</a><img src=\"https://t.example/p?x=1\">";
    toad_extracted *e;
    if (toad_extract((toad_str){ page, strlen(page) }, NULL, &e)) return 1;
    toad_str visible = toad_extracted_visible(e);
    printf("visible: %.*s\n", (int)visible.n, visible.p);
    for (size_t i = 0; i < toad_extracted_hidden_count(e); i++) {
        toad_hidden h = toad_extracted_hidden(e, i);
        printf("%s at %llu: %.*s\n", h.reason, (unsigned long long)h.span.start, (int)h.text.n, h.text.p);
    }
    for (size_t i = 0; i < toad_extracted_link_count(e); i++) {
        toad_link l = toad_extracted_link(e, i);
        printf("link: %.*s%s\n", (int)l.url.n, l.url.p, l.auto_fetch ? " (fetched by itself)" : "");
    }
    int ok = toad_extracted_hidden_count(e) > 0 && toad_extracted_link_count(e) == 2 && toad_extracted_complete(e);
    toad_extracted_free(e);
    return ok ? 0 : 1;
}
