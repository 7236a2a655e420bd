/* links.c - what the links of a page or text give away: room for data in a URL that is fetched by itself.
 *
 * A link is judged by its shape alone: a placeholder for data, a shell
 * substitution, a query that ends in an empty value. Ordinary images with ordinary queries are nothing. Nothing is
 * resolved or fetched here. */
#include "lib/base/cursor.h"
#include "lib/scan/scanner.h"

/* A place in a URL that waits for somebody's data: {x}, [DATA], <x>, $(x), ${x}, or an upper-case word as a value. */
static bool has_placeholder(toad_str url) {
    for (size_t i = 0; i < url.n; i++) {
        char c = url.p[i];
        if (c == '$' && i + 1 < url.n && (url.p[i + 1] == '(' || url.p[i + 1] == '{')) return true;
        char close = c == '{' ? '}' : c == '[' ? ']' : c == '<' ? '>' : 0;
        if (close && i > 8) {
            const char *end = memchr(url.p + i, close, url.n - i);
            if (end && end - (url.p + i) > 2) return true;
        }
    }
    return false;
}

static bool is_secret_word(toad_str v) {
    static const char *const words[] = { "SECRET",   "DATA",          "API_KEY",      "APIKEY",       "TOKEN",
                                         "PASSWORD", "KEY",           "CONVERSATION", "CHAT_HISTORY", "HISTORY",
                                         "SUMMARY",  "SYSTEM_PROMPT", "PROMPT",       "MEMORY",       "USER_DATA",
                                         "EMAIL",    "CONTENT",       "PAYLOAD",      "BASE64",       "ENCODED" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (toad__str_eq(v, toad__str_z(words[i]))) return true;
    return false;
}

/* A query value that is a stand-in for data, or the last value left empty for the reader to fill. */
static bool wants_data(toad_str url) {
    size_t query = toad__str_find(url, TOAD__S("?"), 0);
    for (size_t at = query; at < url.n;) {
        size_t equals = toad__str_find(url, TOAD__S("="), at), end = toad__str_find(url, TOAD__S("&"), at + 1);
        if (equals < end) {
            toad_str value = toad__str_part(url, equals + 1, end);
            if (is_secret_word(value) || (!value.n && end == url.n)) return true;
        }
        at = end;
    }
    return false;
}

/* Ordinary pages have templates and open queries in their URLs; a value that names what is to be stolen they have not.
 */
static bool names_secret(toad_str url) {
    for (size_t at = toad__str_find(url, TOAD__S("="), 0); at < url.n; at = toad__str_find(url, TOAD__S("="), at + 1))
        if (is_secret_word(toad__str_part(url, at + 1, toad__str_find(url, TOAD__S("&"), at + 1)))) return true;
    return false;
}

static bool is_web(toad_str url) {
    return toad__str_ieq(toad__str_part(url, 0, 7), TOAD__S("http://")) ||
           toad__str_ieq(toad__str_part(url, 0, 8), TOAD__S("https://")) || toad__str_starts(url, TOAD__S("//"));
}

void toad__scan_links(toad_scanner *s, const toad__node *node, const toad__html_out *page) {
    for (size_t i = 0; i < page->links_n && !s->status; i++) {
        const toad__html_link *link = &page->links[i];
        toad_str url = toad__str_part(toad__buf_str(&page->urls), link->start, link->end);
        if (!is_web(url)) continue;
        bool data = wants_data(url);
        if (data || has_placeholder(url))
            toad__report_builtin(s, "exfiltration_link", node, (toad_span){ link->in_start, link->in_end },
                                 data && link->auto_fetch && names_secret(url) ? TOAD_MEDIUM : TOAD_LOW);
    }
    if (page->links_limit) toad__incomplete(s, TOAD_MATCH_LIMIT);
}
