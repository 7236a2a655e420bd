/* Pages in two pieces: maps stay inside the input, pieces inside their channel, and the state survives any cut. The
 * first byte chooses the cut. What is read once for two readers is what each would have read, and what is taken for no
 * markup says nothing when it is fed. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/html/html.h"
#include "toadstone/html.h"

#define CHECK(x)           \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static void check(const toad__html_out *o, size_t n) {
    CHECK(o->visible_map.out_len == o->visible.n || o->status);
    CHECK(o->hidden_map.out_len == o->hidden.n || o->status);
    CHECK(o->visible_map.in_len <= n && o->hidden_map.in_len <= n);
    for (size_t i = 0; i < o->pieces_n; i++) {
        CHECK(o->pieces[i].start <= o->pieces[i].end && o->pieces[i].end <= o->hidden.n);
        CHECK(!i || o->pieces[i - 1].end <= o->pieces[i].start);
    }
    for (size_t i = 0; i < o->links_n; i++) CHECK(o->links[i].in_end <= n && o->links[i].end <= o->urls.n);
}

static void check_map(const toad__offmap *a, const toad__offmap *b) {
    CHECK(a->n == b->n && a->out_len == b->out_len && a->in_len == b->in_len);
    CHECK(!a->n || !memcmp(a->runs, b->runs, a->n * sizeof *a->runs));
}

static void check_equal(const toad__html_out *a, const toad__html_out *b) {
    CHECK(toad__str_eq(toad__buf_str(&a->visible), toad__buf_str(&b->visible)) &&
          toad__str_eq(toad__buf_str(&a->hidden), toad__buf_str(&b->hidden)));
    CHECK(toad__str_eq(toad__buf_str(&a->urls), toad__buf_str(&b->urls)) && a->tags == b->tags &&
          a->pieces_n == b->pieces_n && a->links_n == b->links_n);
    check_map(&a->visible_map, &b->visible_map);
    check_map(&a->hidden_map, &b->hidden_map);
    for (size_t i = 0; i < a->pieces_n; i++)
        CHECK(a->pieces[i].start == b->pieces[i].start && a->pieces[i].end == b->pieces[i].end &&
              a->pieces[i].reason == b->pieces[i].reason);
}

/* A reader of the whole page and one of its beginning, apart and together. */
static void check_shared(toad_str page, size_t cut) {
    toad__html *whole = toad__html_new(), *part = toad__html_new(), *sure = toad__html_new(), *ahead = toad__html_new();
    toad__html_out a, b;
    CHECK(whole && part && sure && ahead);
    toad__html_out_init(&a, 4 << 20);
    toad__html_out_init(&b, 4 << 20);
    toad__html_feed(whole, page, true, &a);
    CHECK(toad__html_has_markup(page) || !(a.tags || a.pieces_n));
    toad__html_feed_sure(sure, (toad_str){ page.p, cut }, &b);
    toad__html_copy(ahead, sure);
    toad__html_feed(ahead, page, true, &b);
    check_equal(&a, &b);
    toad__html_out_clear(&a);
    toad__html_out_clear(&b);
    size_t taken = toad__html_feed(part, (toad_str){ page.p, cut }, false, &a);
    CHECK(toad__html_feed(sure, (toad_str){ page.p, cut }, false, &b) == taken);
    toad__html_out_clear(&a);
    toad__html_out_clear(&b);
    toad__html_feed(part, (toad_str){ page.p + taken, page.n - taken }, true, &a);
    toad__html_feed(sure, (toad_str){ page.p + taken, page.n - taken }, true, &b);
    check_equal(&a, &b);
    toad__html_out_free(&a);
    toad__html_out_free(&b);
    toad__html_free(whole);
    toad__html_free(part);
    toad__html_free(sure);
    toad__html_free(ahead);
}

/* The definition of toad__markdown_wanted, mark by mark. */
static bool has_emphasis(toad_str t, char mark) {
    for (size_t at = 0; at + 2 < t.n; at++) {
        int before = at ? (unsigned char)t.p[at - 1] : ' ', after = (unsigned char)t.p[at + 1];
        if (t.p[at] != mark || (!toad__is_alnum(after) && after < 0x80 && after != mark) ||
            (mark == '_' && toad__is_alnum(before)))
            continue;
        size_t close = at + 2;
        while (close < t.n && close < at + 121 && t.p[close] != mark && t.p[close] != '\n') close++;
        if (close == t.n || close == at + 121 || t.p[close] != mark) continue;
        int last = (unsigned char)t.p[close - 1];
        if (toad__is_alnum(last) || last == mark || last >= 0x80) return true;
    }
    return false;
}

static bool is_letter(toad_str t, size_t at) {
    return at < t.n && (toad__is_alpha((unsigned char)t.p[at]) || (unsigned char)t.p[at] >= 0x80);
}

/* A run of marks between two letters that other dialects take away. */
static bool has_cut_word(toad_str t) {
    static const char *const runs[] = { "`", "``", "==", "''", "'''", "'''''" };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++)
        for (size_t at = 0, n = strlen(runs[k]); (at = toad__str_find(t, toad__str_z(runs[k]), at)) < t.n; at++)
            if (at && is_letter(t, at - 1) && is_letter(t, at + n)) return true;
    return false;
}

static bool has_forum_end(toad_str t) {
    static const char *const ends[] = { "[/b]",     "[/i]",     "[/u]",      "[/s]",      "[/em]",
                                        "[/sub]",   "[/sup]",   "[/url]",    "[/font]",   "[/size]",
                                        "[/color]", "[/quote]", "[/center]", "[/strong]", "[/spoiler]" };
    for (size_t at = 0; (at = toad__str_find(t, TOAD__S("[/"), at)) < t.n; at++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
            if (toad__str_ieq(toad__str_part(t, at, at + strlen(ends[k])), toad__str_z(ends[k]))) return true;
    return false;
}

static void check_wanted(toad_str t) {
    static const char *const parts[] = { "](", "]:", "][", "%%", "```" };
    bool wanted = toad__str_starts(t, TOAD__S("---\n")) || has_emphasis(t, '*') || has_emphasis(t, '_') ||
                  has_emphasis(t, '~'),
         brackets = toad__str_find(t, TOAD__S("["), 0) < t.n;
    for (unsigned i = 0; i < 5; i++) wanted |= (i > 2 || brackets) && toad__str_find(t, toad__str_z(parts[i]), 0) < t.n;
    wanted = wanted || has_cut_word(t) || has_forum_end(t);
    CHECK(toad__markdown_wanted(t) == wanted);
}

static size_t next_letter(toad_str s, size_t at) {
    while (at < s.n && !toad__is_alnum((unsigned char)s.p[at])) at++;
    return at;
}

/* As on a screen: the letters of the visible text and no others. */
static void check_text(toad_str page) {
    toad_extract_options how = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e;
    how.format = TOAD_FORMAT_HTML;
    how.render = TOAD_RENDER_TEXT;
    if (toad_extract(page, &how, &e)) return;
    toad_str seen = toad_extracted_visible(e), text = toad_extracted_rendered(e);
    size_t i = next_letter(seen, 0), k = next_letter(text, 0);
    for (; i < seen.n && k < text.n; i = next_letter(seen, i + 1), k = next_letter(text, k + 1))
        CHECK(seen.p[i] == text.p[k]);
    CHECK(i == seen.n && k == text.n);
    toad_extracted_free(e);
}

/* As Markdown: nothing in it hides, and nothing is fetched. (Code shows everything, but the reader of Markdown looks
 * for tricks there, too.) */
static void check_markdown(toad_str page) {
    toad_extract_options how = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e, *again;
    how.format = TOAD_FORMAT_HTML;
    how.render = TOAD_RENDER_MARKDOWN;
    if (toad_extract(page, &how, &e)) return;
    toad_str text = toad_extracted_rendered(e);
    how.format = TOAD_FORMAT_MARKDOWN;
    how.render = TOAD_RENDER_NONE;
    if (text.n && !memchr(text.p, '`', text.n) && !toad_extract(text, &how, &again)) {
        for (size_t i = 0; i < toad_extracted_hidden_count(again); i++)
            CHECK(!strcmp(toad_extracted_hidden(again, i).reason, "html:hidden(link)"));
        for (size_t i = 0; i < toad_extracted_link_count(again); i++) CHECK(!toad_extracted_link(again, i).auto_fetch);
        toad_extracted_free(again);
    }
    toad_extracted_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    toad_str page = { (const char *)data + 1, size - 1 };
    size_t cut = page.n * data[0] / 256;
    toad__html *h = toad__html_new();
    toad__html_out out;
    if (!h) return 0;
    toad__html_out_init(&out, 4 << 20);
    size_t taken = toad__html_feed(h, (toad_str){ page.p, cut }, false, &out);
    CHECK(taken <= cut);
    check(&out, cut);
    toad__html_out_clear(&out);
    toad__html_feed(h, (toad_str){ page.p + taken, page.n - taken }, true, &out);
    check(&out, page.n - taken);
    toad__html_out_clear(&out);
    toad__markdown_extract(page, data[0] & 1, &out);
    check(&out, page.n);
    toad__html_out_free(&out);
    toad__html_free(h);
    check_shared(page, cut);
    check_wanted(page);
    check_text(page);
    check_markdown(page);
    return 0;
}
