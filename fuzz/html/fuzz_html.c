/* Pages in two pieces: maps stay inside the input, pieces inside their channel, and the state survives any cut. The first byte chooses the cut. What is read
 * once for two readers is what each would have read, and what is taken for no markup says nothing when it is fed. */
#include "bezoar/html.h"
#include "lib/base/str.h"
#include "lib/html/html.h"

#include <stdlib.h>

#define CHECK(x) do { if (!(x)) abort(); } while (0)

static void check(const bzr__html_out *o, size_t n) {
    CHECK(o->visible_map.out_len == o->visible.n || o->status);
    CHECK(o->hidden_map.out_len == o->hidden.n || o->status);
    CHECK(o->visible_map.in_len <= n && o->hidden_map.in_len <= n);
    for (size_t i = 0; i < o->pieces_n; i++) {
        CHECK(o->pieces[i].start <= o->pieces[i].end && o->pieces[i].end <= o->hidden.n);
        CHECK(!i || o->pieces[i - 1].end <= o->pieces[i].start);
    }
    for (size_t i = 0; i < o->links_n; i++) CHECK(o->links[i].in_end <= n && o->links[i].end <= o->urls.n);
}

static void check_map(const bzr__offmap *a, const bzr__offmap *b) {
    CHECK(a->n == b->n && a->out_len == b->out_len && a->in_len == b->in_len);
    CHECK(!a->n || !memcmp(a->runs, b->runs, a->n * sizeof *a->runs));
}

static void check_equal(const bzr__html_out *a, const bzr__html_out *b) {
    CHECK(bzr__str_eq(bzr__buf_str(&a->visible), bzr__buf_str(&b->visible)) && bzr__str_eq(bzr__buf_str(&a->hidden), bzr__buf_str(&b->hidden)));
    CHECK(bzr__str_eq(bzr__buf_str(&a->urls), bzr__buf_str(&b->urls)) && a->tags == b->tags && a->pieces_n == b->pieces_n && a->links_n == b->links_n);
    check_map(&a->visible_map, &b->visible_map);
    check_map(&a->hidden_map, &b->hidden_map);
    for (size_t i = 0; i < a->pieces_n; i++)
        CHECK(a->pieces[i].start == b->pieces[i].start && a->pieces[i].end == b->pieces[i].end && a->pieces[i].reason == b->pieces[i].reason);
}

/* A reader of the whole page and one of its beginning, apart and together. */
static void check_shared(bzr_str page, size_t cut) {
    bzr__html *whole = bzr__html_new(), *part = bzr__html_new(), *sure = bzr__html_new(), *ahead = bzr__html_new();
    bzr__html_out a, b;
    CHECK(whole && part && sure && ahead);
    bzr__html_out_init(&a, 4 << 20);
    bzr__html_out_init(&b, 4 << 20);
    bzr__html_feed(whole, page, true, &a);
    CHECK(bzr__html_has_markup(page) || !(a.tags || a.pieces_n));
    bzr__html_feed_sure(sure, (bzr_str){ page.p, cut }, &b);
    bzr__html_copy(ahead, sure);
    bzr__html_feed(ahead, page, true, &b);
    check_equal(&a, &b);
    bzr__html_out_clear(&a);
    bzr__html_out_clear(&b);
    size_t taken = bzr__html_feed(part, (bzr_str){ page.p, cut }, false, &a);
    CHECK(bzr__html_feed(sure, (bzr_str){ page.p, cut }, false, &b) == taken);
    bzr__html_out_clear(&a);
    bzr__html_out_clear(&b);
    bzr__html_feed(part, (bzr_str){ page.p + taken, page.n - taken }, true, &a);
    bzr__html_feed(sure, (bzr_str){ page.p + taken, page.n - taken }, true, &b);
    check_equal(&a, &b);
    bzr__html_out_free(&a);
    bzr__html_out_free(&b);
    bzr__html_free(whole);
    bzr__html_free(part);
    bzr__html_free(sure);
    bzr__html_free(ahead);
}

/* The definition of bzr__markdown_wanted, mark by mark. */
static bool has_emphasis(bzr_str t, char mark) {
    for (size_t at = 0; at + 2 < t.n; at++) {
        int before = at ? (unsigned char)t.p[at - 1] : ' ', after = (unsigned char)t.p[at + 1];
        if (t.p[at] != mark || (!bzr__is_alnum(after) && after < 0x80 && after != mark) || (mark == '_' && bzr__is_alnum(before))) continue;
        size_t close = at + 2;
        while (close < t.n && close < at + 121 && t.p[close] != mark && t.p[close] != '\n') close++;
        if (close == t.n || close == at + 121 || t.p[close] != mark) continue;
        int last = (unsigned char)t.p[close - 1];
        if (bzr__is_alnum(last) || last == mark || last >= 0x80) return true;
    }
    return false;
}

static bool is_letter(bzr_str t, size_t at) { return at < t.n && (bzr__is_alpha((unsigned char)t.p[at]) || (unsigned char)t.p[at] >= 0x80); }

/* A run of marks between two letters that other dialects take away. */
static bool has_cut_word(bzr_str t) {
    static const char *const runs[] = { "`", "``", "==", "''", "'''", "'''''" };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (size_t at = 0, n = strlen(runs[k]); (at = bzr__str_find(t, bzr__str_z(runs[k]), at)) < t.n; at++)
            if (at && is_letter(t, at - 1) && is_letter(t, at + n)) return true;
    return false;
}

static bool has_forum_end(bzr_str t) {
    static const char *const ends[] = { "[/b]", "[/i]", "[/u]", "[/s]", "[/em]", "[/sub]", "[/sup]", "[/url]", "[/font]", "[/size]", "[/color]", "[/quote]", "[/center]", "[/strong]", "[/spoiler]" };
    for (size_t at = 0; (at = bzr__str_find(t, BZR__S("[/"), at)) < t.n; at++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            if (bzr__str_ieq(bzr__str_part(t, at, at + strlen(ends[k])), bzr__str_z(ends[k]))) return true;
    return false;
}

static void check_wanted(bzr_str t) {
    static const char *const parts[] = { "](", "]:", "][", "%%", "```" };
    bool wanted = bzr__str_starts(t, BZR__S("---\n")) || has_emphasis(t, '*') || has_emphasis(t, '_') || has_emphasis(t, '~'), brackets = bzr__str_find(t, BZR__S("["), 0) < t.n;
    for (unsigned i = 0; i < 5; i++) wanted |= (i > 2 || brackets) && bzr__str_find(t, bzr__str_z(parts[i]), 0) < t.n;
    wanted = wanted || has_cut_word(t) || has_forum_end(t);
    CHECK(bzr__markdown_wanted(t) == wanted);
}

static size_t next_letter(bzr_str s, size_t at) {
    while (at < s.n && !bzr__is_alnum((unsigned char)s.p[at])) at++;
    return at;
}

/* As on a screen: the letters of the visible text and no others. */
static void check_text(bzr_str page) {
    bzr_extract_options how = BZR_EXTRACT_OPTIONS_INIT;
    bzr_extracted *e;
    how.format = BZR_FORMAT_HTML;
    how.render = BZR_RENDER_TEXT;
    if (bzr_extract(page, &how, &e)) return;
    bzr_str seen = bzr_extracted_visible(e), text = bzr_extracted_rendered(e);
    size_t i = next_letter(seen, 0), k = next_letter(text, 0);
    for (; i < seen.n && k < text.n; i = next_letter(seen, i + 1), k = next_letter(text, k + 1)) CHECK(seen.p[i] == text.p[k]);
    CHECK(i == seen.n && k == text.n);
    bzr_extracted_free(e);
}

/* As Markdown: nothing in it hides, and nothing is fetched. (Code shows everything, but the reader of Markdown looks for
 * tricks there, too.) */
static void check_markdown(bzr_str page) {
    bzr_extract_options how = BZR_EXTRACT_OPTIONS_INIT;
    bzr_extracted *e, *again;
    how.format = BZR_FORMAT_HTML;
    how.render = BZR_RENDER_MARKDOWN;
    if (bzr_extract(page, &how, &e)) return;
    bzr_str text = bzr_extracted_rendered(e);
    how.format = BZR_FORMAT_MARKDOWN;
    how.render = BZR_RENDER_NONE;
    if (text.n && !memchr(text.p, '`', text.n) && !bzr_extract(text, &how, &again)) {
        for (size_t i = 0; i < bzr_extracted_hidden_count(again); i++)
            CHECK(!strcmp(bzr_extracted_hidden(again, i).reason, "html:hidden(link)"));
        for (size_t i = 0; i < bzr_extracted_link_count(again); i++) CHECK(!bzr_extracted_link(again, i).auto_fetch);
        bzr_extracted_free(again);
    }
    bzr_extracted_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    bzr_str page = { (const char *)data + 1, size - 1 };
    size_t cut = page.n * data[0] / 256;
    bzr__html *h = bzr__html_new();
    bzr__html_out out;
    if (!h) return 0;
    bzr__html_out_init(&out, 4 << 20);
    size_t taken = bzr__html_feed(h, (bzr_str){ page.p, cut }, false, &out);
    CHECK(taken <= cut);
    check(&out, cut);
    bzr__html_out_clear(&out);
    bzr__html_feed(h, (bzr_str){ page.p + taken, page.n - taken }, true, &out);
    check(&out, page.n - taken);
    bzr__html_out_clear(&out);
    bzr__markdown_extract(page, data[0] & 1, &out);
    check(&out, page.n);
    bzr__html_out_free(&out);
    bzr__html_free(h);
    check_shared(page, cut);
    check_wanted(page);
    check_text(page);
    check_markdown(page);
    return 0;
}
