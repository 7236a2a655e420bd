/* mail.c - mails (RFC 5322) and what is in them (MIME, RFC 2045 to 2049): bodies, attachments, mails in mails.
 *
 * Every byte of a mail is in one part: a body decoded as its header says, or what lies between two bodies (headers,
 * boundaries, preambles) as it stands, whose encoded words the scanner reads itself. One pass over the lines with the
 * boundaries that are open, innermost first, as mail programs read. A mail in a mail goes on in the same pass, so
 * nothing recurses. What says twice what it is, or has parts without a boundary, is read one way and counts as damaged:
 * another reader may see another mail.
 *
 * Invariant: `done` <= `body` <= `at`. Cost: linear, times the boundaries that are open (at most 16). */
#include "lib/base/hex.h"
#include "lib/base/str.h"
#include "lib/container/unpack.h"

enum { HEAD = 8192, BOUNDARIES = 16, FIELD_NAME = 80, WORD_MOST = 1024, CHARSET_MOST = 40 };

typedef struct entity {
    toad_str type, label, encoding, boundary, name;
    bool twice; /* it says what it is more than once */
} entity;

typedef struct mail {
    toad_str in;
    size_t at, done, head, body; /* read; given to parts; where headers and the body began */
    toad_str open[BOUNDARIES];
    size_t open_n;
    enum { HEADERS, BODY, BETWEEN } where; /* BETWEEN: preambles, and what follows the last part */
    entity e;
} mail;

/* ---- header fields ---- */

/* The name of a field that a line begins with; empty: it begins none. */
static toad_str field_name(toad_str line) {
    size_t n = 0;
    while (n < line.n && n < FIELD_NAME && line.p[n] > ' ' && line.p[n] != ':' && line.p[n] != 0x7F) n++;
    size_t end = n;
    while (end < line.n && toad__is_blank((unsigned char)line.p[end])) end++;
    return n && end < line.n && line.p[end] == ':' ? toad__str_part(line, 0, n) : toad__str(NULL, 0);
}

static toad_str line_at(toad_str s, size_t at) {
    size_t end = toad__str_find(s, TOAD__S("\n"), at);
    return toad__str_part(s, at, end < s.n ? end + 1 : s.n);
}

static bool is_empty(toad_str line) { return toad__str_is_blank(line); }

/* The field at `at`, with the lines that continue it. */
static toad_str field_at(toad_str block, size_t at) {
    size_t end = at + line_at(block, at).n;
    while (end < block.n && toad__is_blank((unsigned char)block.p[end])) end += line_at(block, end).n;
    return toad__str_part(block, at, end);
}

static bool is_token(int c) { return c > ' ' && c < 0x7F && !strchr("()<>@,;:\\\"/[]?=", c); }

static toad_str quoted_value(toad__cur *c) {
    size_t from = c->at + 1;
    toad__cur_skip(c, 1);
    while (!toad__cur_end(c) && toad__cur_peek(c, 0) != '"') toad__cur_skip(c, toad__cur_peek(c, 0) == '\\' ? 2 : 1);
    return toad__str_part(c->s, from, c->at);
}

/* The value of a parameter, NAME=, NAME*= or NAME*0=, as it stands, without quotation marks; p NULL: there is none. */
static toad_str parameter(toad_str value, const char *name) {
    toad__cur c = toad__cur_of(value);
    while (!toad__cur_end(&c)) {
        size_t from = c.at;
        while (is_token(toad__cur_peek(&c, 0)) && toad__cur_peek(&c, 0) != '*') c.at++;
        bool same = toad__str_ieq(toad__str_part(value, from, c.at), toad__str_z(name));
        while (same && (toad__cur_peek(&c, 0) == '*' || toad__cur_peek(&c, 0) == '0')) c.at++;
        toad__cur_skip_space(&c);
        if (toad__cur_peek(&c, 0) == '=' && same) {
            toad__cur_skip(&c, 1);
            toad__cur_skip_space(&c);
            if (toad__cur_peek(&c, 0) == '"') return quoted_value(&c);
            from = c.at;
            while (!toad__cur_end(&c) && toad__cur_peek(&c, 0) != ';' && !toad__is_space(toad__cur_peek(&c, 0))) c.at++;
            return toad__str_part(value, from, c.at);
        }
        if (toad__cur_peek(&c, 0) == '"') quoted_value(&c);
        if (c.at == from || !is_token(toad__cur_peek(&c, 0))) toad__cur_skip(&c, 1);
    }
    return toad__str(NULL, 0);
}

static toad_str first_word(toad_str value) {
    size_t n = 0;
    value = toad__str_trim(value);
    while (n < value.n && value.p[n] != ';' && value.p[n] != '(' && !toad__is_space((unsigned char)value.p[n])) n++;
    return toad__str_part(value, 0, n);
}

static void read_field(entity *e, toad_str field) {
    toad_str name = field_name(field);
    toad_str value = toad__str_part(field, toad__str_find(field, TOAD__S(":"), 0) + 1, field.n);
    if (toad__str_ieq(name, TOAD__S("content-type"))) {
        e->twice |= e->type.p != NULL;
        if (e->type.p) return;
        e->type = first_word(value);
        e->label = toad__str_trim(value);
        e->boundary = parameter(value, "boundary");
        if (!e->name.p) e->name = parameter(value, "name");
    } else if (toad__str_ieq(name, TOAD__S("content-transfer-encoding"))) {
        e->twice |= e->encoding.p != NULL;
        if (!e->encoding.p) e->encoding = first_word(value);
    } else if (toad__str_ieq(name, TOAD__S("content-disposition"))) {
        toad_str file = parameter(value, "filename");
        if (file.p) e->name = file;
    }
}

static entity read_headers(toad_str block) {
    entity e = { .twice = false };
    for (size_t at = 0; at < block.n;) {
        toad_str field = field_at(block, at);
        if (field_name(field).n) read_field(&e, field);
        at += field.n;
    }
    return e;
}

/* ---- bodies ---- */

static bool type_is(const entity *e, const char *type) { return toad__str_ieq(e->type, toad__str_z(type)); }

static bool type_starts(const entity *e, const char *prefix) {
    toad_str p = toad__str_z(prefix);
    return toad__str_ieq(toad__str_part(e->type, 0, p.n), p);
}

static bool is_encoded(const entity *e, const char *how) { return toad__str_ieq(e->encoding, toad__str_z(how)); }
static bool is_text(const entity *e) { return !e->type.n || type_starts(e, "text/"); }

/* Quoted-printable; in a word of a header, _ is a blank. */
static void add_quoted(toad_str in, bool in_word, toad__buf *out) {
    for (size_t i = 0; i < in.n && !out->status;) {
        int byte = in.p[i] == '=' ? toad__hex_pair(in, i + 1) : -1;
        size_t end = i + 1;
        while (in.p[i] == '=' && end < in.n && (toad__is_blank((unsigned char)in.p[end]) || in.p[end] == '\r')) end++;
        bool soft = in.p[i] == '=' && end < in.n && in.p[end] == '\n';
        char plain = in_word && in.p[i] == '_' ? ' ' : in.p[i];
        if (!soft) toad__buf_add_c(out, byte >= 0 ? (char)byte : plain);
        i = soft ? end + 1 : byte >= 0 ? i + 3 : i + 1;
    }
}

static toad_str name_of(const entity *e) {
    if (e->name.n) return e->name;
    if (type_is(e, "text/html")) return TOAD__S("body.html");
    if (type_is(e, "message/rfc822")) return TOAD__S("message.eml");
    return is_text(e) ? TOAD__S("body.txt") : TOAD__S("attachment");
}

static const char *why_closed(const entity *e, toad_str text) {
    if (type_is(e, "application/pkcs7-mime") || type_is(e, "application/x-pkcs7-mime")) return TOAD__CLOSED_ENCRYPTED;
    if (toad__str_starts(toad__str_trim(toad__str_part(text, 0, HEAD)), TOAD__S("-----BEGIN PGP MESSAGE-----")))
        return TOAD__CLOSED_ENCRYPTED;
    return NULL;
}

static void add_body(toad__unpack *u, const entity *e, toad_str text) {
    toad__buf out;
    toad_str name = name_of(e);
    toad__part *part;
    bool base64 = is_encoded(e, "base64"), quoted = is_encoded(e, "quoted-printable"), whole = true;
    toad__buf_init(&out, u->room);
    if (base64) whole = toad__unpack_base64(text, &out);
    if (quoted) add_quoted(text, false, &out);
    if (base64 || quoted) text = toad__buf_str(&out);
    u->plain = is_text(e) && !toad__container_kind(name, text);
    const char *why = why_closed(e, text);
    if (base64 || quoted)
        part = toad__unpack_take(u, name, &out);
    else
        part = text.n ? toad__unpack_add(u, name, text) : NULL;
    if (part && is_text(e)) part->label = e->label;
    if (why) toad__part_close(part, why, TOAD_DECODE_LIMIT);
    if (!whole) toad__part_close(part, TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
}

/* ---- encoded words ---- */

typedef struct word {
    toad_str charset, text;
    bool base64;
    size_t end;
} word;

/* =?charset?B?text?= (RFC 2047) */
static bool read_word(toad_str s, size_t at, word *ret) {
    toad_str near = toad__str_part(s, at, at + WORD_MOST);
    size_t how = toad__str_find(near, TOAD__S("?"), 2), text = how + 3;
    if (text > near.n || near.p[how + 2] != '?') return false;
    int kind = toad__lower((unsigned char)near.p[how + 1]);
    size_t end = toad__str_find(near, TOAD__S("?="), text);
    if (end == near.n || (kind != 'b' && kind != 'q')) return false;
    toad_str charset = toad__str_part(near, 2, how);
    charset.n = toad__str_find(charset, TOAD__S("*"), 0); /* a language may follow */
    *ret = (word){ charset, toad__str_part(near, text, end), kind == 'b', at + end + 2 };
    return charset.n > 0 && charset.n <= CHARSET_MOST;
}

/* Those that the scanner reads itself where they stand. */
static bool is_read_in_place(toad_str charset) {
    static const char *const names[] = { "utf-8", "utf8", "us-ascii", "iso-8859-1", "windows-1252" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (toad__str_ieq(charset, toad__str_z(names[i]))) return true;
    return false;
}

/* What was collected, as a text in its charset. */
static void end_words(toad__unpack *u, toad_str charset, toad__buf *out) {
    static const char type[] = "text/plain; charset=";
    if (!out->n) return;
    char *label = toad__arena_alloc(&u->to->arena, sizeof type + charset.n);
    u->plain = true;
    toad__part *part = label ? toad__unpack_take(u, TOAD__S("words"), out) : NULL;
    toad__buf_init(out, u->room);
    if (!label) u->status = TOAD_E_NOMEM;
    if (!part) return;
    memcpy(label, type, sizeof type - 1);
    memcpy(label + sizeof type - 1, charset.p, charset.n);
    part->label = toad__str(label, sizeof type - 1 + charset.n);
}

/* The words of headers in other charsets. */
static void add_words(toad__unpack *u, toad_str block) {
    toad_str charset = { NULL, 0 };
    toad__buf out;
    word w = { .end = 0 };
    toad__buf_init(&out, u->room);
    for (size_t at = 0, last = 0; (at = toad__str_find(block, TOAD__S("=?"), at)) < block.n && !out.status;) {
        if (!read_word(block, at, &w) || is_read_in_place(w.charset)) {
            at += 2;
            continue;
        }
        if (!toad__str_ieq(charset, w.charset)) end_words(u, charset, &out);
        if (out.n && !toad__str_is_blank(toad__str_part(block, last, at))) toad__buf_add_c(&out, '\n');
        charset = w.charset;
        if (w.base64)
            toad__unpack_base64(w.text, &out);
        else
            add_quoted(w.text, true, &out);
        at = last = w.end;
    }
    end_words(u, charset, &out);
    toad__buf_free(&out);
}

/* ---- the whole ---- */

/* What stands between two bodies, from `done` to `to`, as it is. */
static void add_between(toad__unpack *u, mail *m, size_t to) {
    toad_str text = toad__str_part(m->in, m->done, to);
    u->at = (toad_span){ m->done, to };
    u->plain = true;
    if (!toad__str_is_blank(text)) toad__unpack_add(u, m->done ? TOAD__S("headers") : TOAD__S(""), text);
    m->done = to;
}

/* The body that ends at `to`, if one was begun. */
static void end_body(toad__unpack *u, mail *m, size_t to) {
    if (m->where != BODY) return;
    add_between(u, m, m->body);
    u->at = (toad_span){ m->body, to };
    if (m->e.twice) toad__unpack_close(u, name_of(&m->e), TOAD__CLOSED_DAMAGED, TOAD_DECODE_LIMIT);
    add_body(u, &m->e, toad__str_part(m->in, m->body, to));
    m->done = to;
}

/* Headers end before m->at. */
static void end_headers(toad__unpack *u, mail *m) {
    toad_str block = toad__str_part(m->in, m->head, m->at);
    m->e = read_headers(block);
    u->at = (toad_span){ m->head, m->at };
    add_words(u, block);
    bool plain = !is_encoded(&m->e, "base64") && !is_encoded(&m->e, "quoted-printable");
    m->where = BODY;
    m->body = m->at;
    if (type_is(&m->e, "message/rfc822") && plain) {
        m->where = HEADERS;
        m->head = m->at;
    } else if (type_starts(&m->e, "multipart/")) {
        m->where = BETWEEN;
        bool deep = m->open_n == BOUNDARIES;
        if (deep || !m->e.boundary.n || m->e.twice)
            toad__unpack_close(u, TOAD__S(""), deep ? TOAD__CLOSED_DEEP : TOAD__CLOSED_DAMAGED,
                               deep ? TOAD_DEPTH_LIMIT : TOAD_DECODE_LIMIT);
        if (!deep && m->e.boundary.n) m->open[m->open_n++] = m->e.boundary;
    }
}

/* How many boundaries stay open behind this line, if it is one of theirs; SIZE_MAX: it is none. */
static size_t boundary_of(const mail *m, toad_str line, bool *ret_last) {
    if (!toad__str_starts(line, TOAD__S("--"))) return SIZE_MAX;
    line = toad__str_part(line, 2, line.n);
    for (size_t i = m->open_n; i--;) {
        if (!toad__str_starts(line, m->open[i])) continue;
        toad_str rest = toad__str_part(line, m->open[i].n, line.n);
        *ret_last = toad__str_starts(rest, TOAD__S("--"));
        if (*ret_last || is_empty(rest)) return *ret_last ? i : i + 1;
    }
    return SIZE_MAX;
}

static void read_line(toad__unpack *u, mail *m) {
    toad_str line = line_at(m->in, m->at);
    bool last = false;
    size_t left = boundary_of(m, line, &last), start = m->at;
    m->at += line.n;
    if (left != SIZE_MAX) {
        end_body(u, m, start);
        m->open_n = left;
        m->where = last ? BETWEEN : HEADERS;
        m->head = m->at;
    } else if (m->where == HEADERS && is_empty(line)) {
        end_headers(u, m);
    }
}

static void open_mail(toad__unpack *u, toad_str bytes) {
    mail m = { .in = bytes, .where = HEADERS };
    u->of = TOAD_KIND_EMAIL;
    while (m.at < bytes.n && !u->status && u->to->n <= TOAD__LIMIT_CONTAINER_PARTS) read_line(u, &m);
    end_body(u, &m, bytes.n);
    u->at = (toad_span){ m.head, bytes.n };
    if (m.where == HEADERS) add_words(u, toad__str_part(bytes, m.head, bytes.n));
    add_between(u, &m, bytes.n);
    if (m.open_n) toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
}

/* Headers, and among them one that programs write into every mail with anything but plain ASCII in it; by its name, any
 * headers will do. */
static bool is_mail(toad_str name, toad_str head) {
    bool named = toad__name_ends(name, ".eml") || toad__name_ends(name, ".mht") || toad__name_ends(name, ".mhtml");
    bool mime = false, who = false;
    size_t n = 0;
    head = toad__str_part(head, 0, HEAD);
    for (size_t at = 0; at < head.n;) {
        toad_str field = field_at(head, at), key = field_name(field);
        bool begins = named && !at && toad__str_starts(field, TOAD__S("From "));
        if (!key.n && !begins) break;
        n += key.n > 0;
        mime |= toad__str_ieq(key, TOAD__S("mime-version"));
        who |= toad__str_ieq(key, TOAD__S("from")) || toad__str_ieq(key, TOAD__S("received"));
        at += field.n;
    }
    return n && (named || (mime && who));
}

const toad__container toad__container_mail = { "mail", is_mail, open_mail };
