/* calendar.c - calendars and cards (iCalendar, RFC 5545; vCard, RFC 6350): lines unfolded and texts unescaped, as they
 * are shown. Descriptions in HTML are pages of their own, attachments files. Cost: one pass. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

static toad_str without_mark(toad_str s) {
    return toad__str_starts(s, TOAD__S("\xEF\xBB\xBF")) ? toad__str_part(s, 3, s.n) : s;
}

static bool is_calendar(toad_str name, toad_str head) {
    (void)name;
    head = toad__str_part(without_mark(head), 0, 15);
    return toad__str_ieq(head, TOAD__S("BEGIN:VCALENDAR")) ||
           toad__str_ieq(toad__str_part(head, 0, 11), TOAD__S("BEGIN:VCARD"));
}

/* The next line and all that continue it, without the breaks between them. */
static void unfold(toad__cur *c, toad__buf *out) {
    toad__buf_clear(out);
    do {
        size_t from = c->at;
        toad__cur_find(c, '\n');
        toad_str line = toad__str_part(c->s, from, c->at);
        toad__cur_skip(c, 1);
        if (out->n) line = toad__str_part(line, 1, line.n);
        if (line.n && line.p[line.n - 1] == '\r') line.n--;
        toad__buf_add_str(out, line);
    } while (out->n && toad__is_blank(toad__cur_peek(c, 0)));
}

static void add_unescaped(toad_str s, toad__buf *out) {
    for (size_t i = 0; i < s.n; i++) {
        bool escape = s.p[i] == '\\' && i + 1 < s.n && strchr("nN,;:\\", s.p[i + 1]);
        if (escape) i++;
        toad__buf_add_c(out, escape && toad__lower(s.p[i]) == 'n' ? '\n' : s.p[i]);
    }
}

/* Where the value begins: behind the first colon that is in no quotation marks. */
static size_t value_at(toad_str line) {
    bool quoted = false;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] == '"') quoted = !quoted;
        if (line.p[i] == ':' && !quoted) return i + 1;
    }
    return line.n;
}

/* Does a parameter stand in front of the value? `word` in capitals. */
static bool says(toad_str front, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= front.n; i++)
        if (toad__str_ieq(toad__str_part(front, i, i + n), toad__str(word, n))) return true;
    return false;
}

static void add_line(toad__unpack *u, toad_str line, toad__buf *text) {
    toad__buf own;
    size_t at = value_at(line);
    toad_str front = toad__str_part(line, 0, at), value = toad__str_part(line, at, line.n);
    bool file = says(front, ";ENCODING=B:") || says(front, ";ENCODING=B;") || says(front, ";ENCODING=BASE64");
    bool html = says(front, "X-ALT-DESC") || says(front, "FMTTYPE=TEXT/HTML");
    bool whole = true;
    if (!file && !html) {
        add_unescaped(line, text);
        toad__buf_add_c(text, '\n');
        return;
    }
    toad__buf_init(&own, u->room);
    if (file)
        whole = toad__unpack_base64(value, &own);
    else
        add_unescaped(value, &own);
    u->plain = !file;
    toad__part *part = toad__unpack_take(u, file ? TOAD__S("attachment") : TOAD__S("description.html"), &own);
    if (!whole) toad__part_close(part, TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
    add_unescaped(front, text);
    toad__buf_add_c(text, '\n');
}

static void open_calendar(toad__unpack *u, toad_str bytes) {
    toad__cur c = toad__cur_of(without_mark(bytes));
    toad__buf line, text;
    toad__buf_init(&line, bytes.n);
    toad__buf_init(&text, u->room);
    bool ended = false;
    while (!toad__cur_end(&c) && !u->status && !line.status && !text.status) {
        unfold(&c, &line);
        toad_str words = toad__str_trim(line.n ? toad__buf_str(&line) : TOAD__S(""));
        if (!words.n) continue;
        ended = toad__str_ieq(words, TOAD__S("END:VCALENDAR")) || toad__str_ieq(words, TOAD__S("END:VCARD"));
        add_line(u, toad__buf_str(&line), &text);
    }
    if (line.status == TOAD_E_NOMEM) u->status = TOAD_E_NOMEM;
    toad__buf_free(&line);
    u->plain = true;
    toad__part *part = toad__unpack_take(u, TOAD__S("text.txt"), &text);
    if (!ended) toad__part_close(part, TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_calendar = { "calendar", is_calendar, open_calendar };
