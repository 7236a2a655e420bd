/* line.c - the Markdown memory line, `- TEXT <!-- YYYY-MM-DD source:external -->`.
 *
 * Upstream wrote the text as it was, so that a line break in an external entry made a second entry of any source it
 * liked, and a comment in the text won over the real one. Here line breaks and comment delimiters are written as
 * character references, and the reader takes the last comment. References of ours that already stand in the text get
 * one more `amp;`, so that reading undoes exactly what writing did: parse(line(x)) == x. Cost: linear. */
#include "lib/base/buf.h"
#include "lib/base/utf8.h"
#include "lib/memory/pyspace.h"
#include "toadstone/memory.h"

#include <stdlib.h>

static bool digits(toad_str s, size_t at, size_t n) {
    for (size_t i = at; i < at + n; i++)
        if (i >= s.n || !toad__is_digit((unsigned char)s.p[i])) return false;
    return true;
}

static bool date_shaped(toad_str s, size_t at) {
    return digits(s, at, 4) && digits(s, at + 5, 2) && digits(s, at + 8, 2) && s.p[at + 4] == '-' && s.p[at + 7] == '-';
}

static unsigned value(toad_str s, size_t at, size_t n) {
    unsigned v = 0;
    for (size_t i = at; i < at + n; i++) v = v * 10 + (unsigned)(s.p[i] - '0');
    return v;
}

/* A day of the proleptic Gregorian calendar, as Python's strptime takes it. */
static bool date_exists(toad_str s) {
    static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    unsigned y = value(s, 0, 4), m = value(s, 5, 2), d = value(s, 8, 2);
    bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    return y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= days[m - 1] + (m == 2 && leap ? 1u : 0u);
}

/* ---- writing ---- */

/* What the reader would undo, behind an ampersand (and for the last one behind "--"). */
static const char *const tails[] = { "#10;", "#13;", "lt;!--", "gt;" };

/* Does `s` at `at` (which holds '&') read as a reference of ours, however often escaped? */
static bool is_reference(toad_str s, size_t at) {
    size_t i = at + 1;
    while (toad__str_starts(toad__str_part(s, i, s.n), TOAD__S("amp;"))) i += 4;
    for (size_t k = 0; k < sizeof tails / sizeof *tails; k++) {
        if (!toad__str_starts(toad__str_part(s, i, s.n), toad__str_z(tails[k]))) continue;
        return k < 3 || (at >= 2 && s.p[at - 1] == '-' && s.p[at - 2] == '-');
    }
    return false;
}

/* Bytes of the line break at `at`, 0 if none stands there; LF and CR keep their kind, all others read as LF. */
static size_t line_break(toad_str s, size_t at, const char **reference) {
    unsigned len;
    uint32_t c = toad__utf8_decode(s, at, &len);
    bool is = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
    *reference = c == '\r' ? "&#13;" : "&#10;";
    return is ? len : 0;
}

/* A chain "&amp;amp;...": written on as a whole, so that a long one is not looked at again from each of its parts. */
static size_t add_ampersand(toad__buf *out, toad_str s, size_t at) {
    size_t end = at + 1;
    toad__buf_add_z(out, is_reference(s, at) ? "&amp;" : "&");
    while (toad__str_starts(toad__str_part(s, end, s.n), TOAD__S("amp;"))) end += 4;
    toad__buf_add_str(out, toad__str_part(s, at + 1, end));
    return end;
}

static void add_text(toad__buf *out, toad_str s) {
    const char *reference;
    for (size_t i = 0; i < s.n;) {
        toad_str rest = toad__str_part(s, i, s.n);
        size_t n = line_break(s, i, &reference);
        if (n) {
            toad__buf_add_z(out, reference);
            i += n;
        } else if (toad__str_starts(rest, TOAD__S("<!--"))) {
            toad__buf_add_z(out, "&lt;!--");
            i += 4;
        } else if (toad__str_starts(rest, TOAD__S("-->"))) {
            toad__buf_add_z(out, "--&gt;");
            i += 3;
        } else if (s.p[i] == '&') {
            i = add_ampersand(out, s, i);
        } else {
            toad__buf_add_c(out, s.p[i++]);
        }
    }
}

static void add_comment(toad__buf *out, toad_str date, toad_str source) {
    toad__buf_add_z(out, "<!-- ");
    toad__buf_add_str(out, date);
    if (!toad__str_eq(source, TOAD__S("agent"))) {
        toad__buf_add_z(out, " source:");
        toad__buf_add_str(out, source);
    }
    toad__buf_add_z(out, " -->");
}

toad_status toad_memory_line(toad_str text, toad_provenance provenance, toad_str date, toad_text **ret) {
    toad__buf out;
    if (!ret || (!text.p && text.n)) return TOAD_E_ARG;
    if (date.n != 10 || !date_shaped(date, 0) || !date_exists(date) || (unsigned)provenance > TOAD_EXTERNAL)
        return TOAD_E_ARG;
    toad__buf_init(&out, SIZE_MAX / 4);
    toad__buf_add_z(&out, "- ");
    add_text(&out, toad__pyspace_trim(text));
    toad__buf_add_c(&out, ' ');
    add_comment(&out, date, toad__str_z(toad_provenance_name(provenance)));
    return toad__finish(&out, ret);
}

/* ---- reading ---- */

struct toad_memory_entry {
    toad__buf text, source;
    char date[10];
    bool dated;
};

/* A date comment at `at` (which holds "<!--"), as upstream's expression has it: its date and source; false if it is
 * none. */
static bool comment(toad_str s, size_t at, toad_str *date, toad_str *source) {
    size_t i = toad__pyspace_skip(s, at + 4);
    if (!date_shaped(s, i)) return false;
    *date = toad__str_part(s, i, i + 10);
    *source = TOAD__S("agent");
    size_t blank = toad__pyspace_skip(s, i + 10), word = blank + 7, end = word;
    if (blank > i + 10 && toad__str_starts(toad__str_part(s, blank, s.n), TOAD__S("source:"))) {
        while (end < s.n && (toad__is_alnum((unsigned char)s.p[end]) || s.p[end] == '_')) end++;
        if (end == word) return false;
        *source = toad__str_part(s, word, end);
        blank = toad__pyspace_skip(s, end);
    }
    return toad__str_starts(toad__str_part(s, blank, s.n), TOAD__S("-->"));
}

/* Undo add_text: a reference of ours becomes what it stands for, an escaped one loses one `amp;`. */
static void add_read(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n;) {
        toad_str rest = toad__str_part(s, i, s.n);
        if (s.p[i] != '&' || !is_reference(s, i)) {
            size_t end = i + 1;
            while (s.p[i] == '&' && toad__str_starts(toad__str_part(s, end, s.n), TOAD__S("amp;"))) end += 4;
            toad__buf_add_str(out, toad__str_part(s, i, end));
            i = end;
        } else if (toad__str_starts(rest, TOAD__S("&amp;"))) {
            size_t end = i + 5;
            toad__buf_add_c(out, '&');
            while (toad__str_starts(toad__str_part(s, end, s.n), TOAD__S("amp;"))) end += 4;
            toad__buf_add_str(out, toad__str_part(s, i + 5, end));
            i = end;
        } else {
            char c = rest.p[1] == 'l' ? '<' : rest.p[1] == 'g' ? '>' : rest.p[3] == '0' ? '\n' : '\r';
            toad__buf_add_c(out, c);
            i += rest.p[1] == '#' ? 5 : 4;
        }
    }
}

toad_status toad_memory_parse_line(toad_str line, toad_memory_entry **ret) {
    toad_str date = TOAD__S(""), source = TOAD__S("agent"), d, src;
    if (!ret || (!line.p && line.n)) return TOAD_E_ARG;
    toad_str s = toad__pyspace_trim(line);
    if (!toad__str_starts(s, TOAD__S("- "))) return TOAD_E_NOT_FOUND;
    s = toad__str_part(s, 2, s.n);
    size_t end = s.n;
    for (size_t at = toad__str_find(s, TOAD__S("<!--"), 0); at < s.n; at = toad__str_find(s, TOAD__S("<!--"), at + 4)) {
        if (!comment(s, at, &d, &src)) continue;
        end = at;
        date = d;
        source = src;
    }
    toad_str text = toad__pyspace_trim(toad__str_part(s, 0, end));
    if (!text.n) return TOAD_E_NOT_FOUND;
    toad_memory_entry *e = calloc(1, sizeof *e);
    if (!e) return TOAD_E_NOMEM;
    toad__buf_init(&e->text, SIZE_MAX / 4);
    toad__buf_init(&e->source, SIZE_MAX / 4);
    add_read(&e->text, text);
    toad__buf_add_str(&e->source, source);
    e->dated = date.n && date_exists(date);
    if (e->dated) memcpy(e->date, date.p, sizeof e->date);
    toad_status status = e->text.status ? e->text.status : e->source.status;
    if (status)
        toad_memory_entry_free(e);
    else
        *ret = e;
    return status;
}

void toad_memory_entry_free(toad_memory_entry *entry) {
    if (!entry) return;
    toad__buf_free(&entry->text);
    toad__buf_free(&entry->source);
    free(entry);
}

toad_str toad_memory_entry_text(const toad_memory_entry *entry) { return toad__buf_str(&entry->text); }
toad_str toad_memory_entry_source(const toad_memory_entry *entry) { return toad__buf_str(&entry->source); }
toad_str toad_memory_entry_date(const toad_memory_entry *entry) {
    return toad__str(entry->date, entry->dated ? sizeof entry->date : 0);
}
toad_provenance toad_memory_entry_provenance(const toad_memory_entry *entry) {
    toad_provenance p = TOAD_EXTERNAL;
    toad_provenance_parse(toad__buf_str(&entry->source), &p);
    return p;
}
