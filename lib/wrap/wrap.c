/* wrap.c - bzr_wrap: clean the labels, clean the content, let the family write, cut if it is too long.
 *
 * Order matters: sanitize, quote, neutralize, cut, check the cut; each step but the last could make a marker out of
 * harmless parts for the next to find. The closing marker is counted before the content, so that a long text can never
 * push it out. Cost: linear in the content; at most a handful of passes when it has to be cut. */
#include "lib/base/limits.h"
#include "lib/base/random.h"
#include "lib/base/utf8.h"
#include "lib/text/sanitize.h"
#include "lib/wrap/envelope.h"
#include "lib/wrap/neutralize.h"

static const bzr__family *const families[] = {
    [BZR_ENVELOPE_OPENCLAW] = &bzr__family_openclaw,
    [BZR_ENVELOPE_PTC] = &bzr__family_ptc,
    [BZR_ENVELOPE_EXTERNAL_CONTENT] = &bzr__family_external_content,
    [BZR_ENVELOPE_UNTRUSTED_TOOL_RESULT] = &bzr__family_tool_result,
    [BZR_ENVELOPE_MEMORIES] = &bzr__family_memories,
    [BZR_ENVELOPE_SPOTLIGHT] = &bzr__family_spotlight,
};
enum { FAMILIES = sizeof families / sizeof *families, ID_MAX = 128, RECUTS = 8 };

const bzr__family *bzr__family_at(size_t i) { return i < FAMILIES ? families[i] : NULL; }

const char *bzr_envelope_name(bzr_envelope v) { return (size_t)v < FAMILIES ? families[v]->name : "unknown"; }
const char *bzr_envelope_title(bzr_envelope v) { return (size_t)v < FAMILIES ? families[v]->title : ""; }

/* Index of `name` in `names`, or -1. */
static int index_of(bzr_str name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bzr__str_eq(name, bzr__str_z(names[i]))) return (int)i;
    return -1;
}

bool bzr_envelope_parse(bzr_str name, bzr_envelope *ret) {
    for (size_t i = 0; i < FAMILIES; i++)
        if (bzr__str_eq(name, bzr__str_z(families[i]->name))) {
            *ret = (bzr_envelope)i;
            return true;
        }
    return false;
}

bool bzr_notice_parse(bzr_str name, bzr_notice *ret) {
    static const char *const names[] = { "default", "none", "short", "long", "search" };
    int i = index_of(name, names, sizeof names / sizeof *names);
    if (i >= 0) *ret = (bzr_notice)i;
    return i >= 0;
}

bool bzr_spotlight_parse(bzr_str name, bzr_spotlight *ret) {
    static const char *const names[] = { "delimit", "datamark", "base64" };
    int i = index_of(name, names, sizeof names / sizeof *names);
    if (i >= 0) *ret = (bzr_spotlight)i;
    return i >= 0;
}

/* All of one bzr_wrap call. */
typedef struct job {
    bzr_wrap_options options;
    const bzr__family *family;
    bzr__sheet sheet;
    bzr__neutralizer neutral;
    bzr__buf clean;     /* sanitized text */
    bzr__buf labels[4]; /* source, sender, subject, task */
    bzr__buf attribute; /* the source again, escaped */
    bzr__buf prepared;  /* the content as its family needs it */
    bzr__buf body;      /* scratch: the content quoted, or cut */
    bzr__buf out;
    char id[32];
} job;

static void job_init(job *j) {
    bzr__neutralizer_init(&j->neutral);
    bzr__buf_init(&j->clean, SIZE_MAX / 4);
    for (unsigned i = 0; i < 4; i++) bzr__buf_init(&j->labels[i], 64u << 10);
    bzr__buf_init(&j->attribute, 64u << 10);
    bzr__buf_init(&j->prepared, SIZE_MAX / 4);
    bzr__buf_init(&j->body, SIZE_MAX / 4);
    bzr__buf_init(&j->out, SIZE_MAX / 4);
}

static void job_free(job *j) {
    bzr__neutralizer_free(&j->neutral);
    bzr__buf_free(&j->clean);
    for (unsigned i = 0; i < 4; i++) bzr__buf_free(&j->labels[i]);
    bzr__buf_free(&j->attribute);
    bzr__buf_free(&j->prepared);
    bzr__buf_free(&j->body);
    bzr__buf_free(&j->out);
}

static bool id_char(char c) { return bzr__is_alnum((unsigned char)c) || c == '.' || c == '_' || c == '-'; }

static bool id_ok(bzr_str id) {
    if (!id.n || id.n > ID_MAX) return false;
    for (size_t i = 0; i < id.n; i++)
        if (!id_char(id.p[i])) return false;
    return true;
}

static bool draw(const job *j, void *p, size_t n) {
    return j->options.random ? j->options.random(j->options.random_ctx, p, n) : bzr__random(p, n);
}

/* Id and nonce: given, drawn, or none, as the family needs and the caller wants. */
static bzr_status set_id(job *j) {
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[sizeof j->id / 2];
    const bzr_wrap_options *o = &j->options;
    bool spotlight = j->family == &bzr__family_spotlight;
    if (o->id_mode == BZR_ID_GIVEN) {
        if (!id_ok(o->id)) return BZR_E_ARG;
        if (spotlight)
            for (size_t i = 0; i < o->id.n; i++)
                if (!bzr__is_alnum((unsigned char)o->id.p[i])) return BZR_E_ARG;
        j->sheet.id = o->id;
    }
    if (spotlight && (o->id_mode == BZR_ID_NONE || (o->id_mode == BZR_ID_GIVEN && o->id.n < 4))) return BZR_E_ARG;
    if (spotlight && !draw(j, j->sheet.nonce, sizeof j->sheet.nonce)) return BZR_E_RANDOM;
    if (o->id_mode != BZR_ID_RANDOM || !j->family->wants_id) return BZR_OK;
    if (!draw(j, bytes, sizeof bytes)) return BZR_E_RANDOM;
    for (size_t i = 0; i < sizeof bytes; i++) {
        j->id[2 * i] = hex[bytes[i] >> 4];
        j->id[2 * i + 1] = hex[bytes[i] & 15];
    }
    j->sheet.id = bzr__str(j->id, sizeof j->id);
    return BZR_OK;
}

/* Line breaks of any kind, other controls: all that keeps a label from being one line. */
static bool breaks_line(uint32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029; }

/* `in` as one line of at most METADATA code points, into `out`; a cut is shown. */
static void one_line(bzr_str in, bzr__buf *out) {
    static const char dots[] = "...";
    bool gap = false;
    size_t points = 0;
    bzr__buf_clear(out);
    for (size_t i = 0; i < in.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(in, i, &len);
        i += len;
        bool blank = breaks_line(c) || c == ' ';
        if (blank && (gap || !out->n)) continue;
        gap = blank;
        if (++points > BZR__LIMIT_METADATA - (sizeof dots - 1)) {
            bzr__buf_add_z(out, dots);
            return;
        }
        bzr__buf_add_cp(out, blank ? ' ' : c);
    }
    if (gap) out->n--;
}

/* Replacements make a label longer, and a cut can make a token: twice around is enough in practice, and then it is left
 * empty. */
static bzr_status add_label(job *j, bzr_str in, bzr__buf *out) {
    bzr__buf_clear(&j->clean);
    bzr_status status = in.n ? bzr__sanitize(bzr__str_part(in, 0, 64u << 10), &j->clean, NULL, NULL) : BZR_OK;
    bzr_str text = bzr__buf_str(&j->clean);
    for (unsigned round = 0; !status && in.n && round < RECUTS; round++) {
        size_t before = text.n;
        one_line(text, out);
        if (out->status) return out->status;
        bool cut = round && out->n != before;
        status = bzr__neutralize(&j->neutral, bzr__buf_str(out));
        bool same = !status && bzr__str_eq(bzr__buf_str(out), bzr__buf_str(&j->neutral.out));
        if (same && !cut) return BZR_OK;
        if (same) return BZR_OK;
        bzr__buf_clear(&j->clean);
        bzr__buf_add_str(&j->clean, bzr__buf_str(&j->neutral.out));
        if (j->clean.status) return j->clean.status;
        text = bzr__buf_str(&j->clean);
    }
    if (in.n) bzr__buf_clear(out);
    return status;
}

static bzr_status set_labels(job *j) {
    const bzr_str raw[4] = { j->options.source, j->options.sender, j->options.subject, j->options.task };
    bzr_str *const label[4] = { &j->sheet.source, &j->sheet.sender, &j->sheet.subject, &j->sheet.task };
    for (unsigned i = 0; i < 4; i++) {
        bzr_status status = add_label(j, raw[i], &j->labels[i]);
        if (status) return status;
        *label[i] = bzr__buf_str(&j->labels[i]);
    }
    bzr__add_attribute(&j->attribute, j->sheet.source);
    j->sheet.source_attr = bzr__buf_str(&j->attribute);
    return j->attribute.status;
}

static void add_quoted(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i <= s.n;) {
        size_t end = bzr__str_find(s, BZR__S("\n"), i);
        bzr__buf_add_z(out, "| ");
        bzr__buf_add_str(out, bzr__str_part(s, i, end < s.n ? end + 1 : s.n));
        i = end + 1;
    }
}

/* Say inside that the content was cut. */
static void add_note(const job *j, bzr__buf *out, size_t keep) {
    bzr__buf_add_z(out, j->options.quote_lines ? "\n| ... (truncated: " : "\n... (truncated: ");
    bzr__buf_add_u64(out, keep);
    bzr__buf_add_z(out, " of ");
    bzr__buf_add_u64(out, j->neutral.out.n);
    bzr__buf_add_z(out, " bytes)");
}

/* Write the whole envelope around the first `keep` bytes of the neutralized content. */
static bzr_status write_envelope(job *j, size_t keep) {
    bzr_str content = bzr__buf_str(&j->neutral.out);
    bzr__buf_clear(&j->out);
    bzr__buf_clear(&j->body);
    if (keep < content.n) {
        bzr__buf_add_str(&j->body, bzr__str_part(content, 0, keep));
        add_note(j, &j->body, keep);
        content = bzr__buf_str(&j->body);
    }
    j->sheet.content = content;
    j->family->write(&j->sheet, &j->out);
    return j->body.status ? j->body.status : j->out.status;
}

/* The largest place <= keep where the content can end: between characters, and so that its end and our note make no
 * token. */
static bzr_status safe_cut(job *j, size_t *keep) {
    bzr_str content = bzr__buf_str(&j->neutral.out);
    bzr__neutralizer check;
    bzr_status status = BZR_OK;
    bzr__neutralizer_init(&check);
    check.ptc = j->neutral.ptc;
    for (unsigned i = 0; !status && i < RECUTS; i++) {
        *keep = bzr__cut_floor(content, *keep);
        size_t from = *keep > BZR__MARKER_OVERLAP ? bzr__utf8_floor(content, *keep - BZR__MARKER_OVERLAP) : 0;
        bzr__buf_clear(&j->body);
        bzr__buf_add_str(&j->body, bzr__str_part(content, from, *keep));
        add_note(j, &j->body, *keep);
        if (j->body.status) status = j->body.status;
        size_t first = status ? 0 : bzr__marker_first(&check, bzr__buf_str(&j->body), &status);
        if (status || first == j->body.n) break;
        *keep = i + 1 < RECUTS && first < *keep - from ? from + first : 0;
    }
    bzr__neutralizer_free(&check);
    return status;
}

static bzr_status write_cut(job *j) {
    size_t max = j->options.max_bytes < SIZE_MAX ? (size_t)j->options.max_bytes : SIZE_MAX;
    bzr_status status = write_envelope(j, j->neutral.out.n);
    if (status || !max || j->out.n <= max) return status;
    size_t full = j->out.n, keep = j->neutral.out.n;
    status = write_envelope(j, 0);
    if (status) return status;
    size_t empty = j->out.n;
    if (empty > max) return BZR_E_LIMIT;
    /* a guess in proportion, then steps that take off at least what is too much */
    keep = (size_t)((double)keep * (double)(max - empty) / (double)(full > empty ? full - empty : 1));
    if (keep > j->neutral.out.n) keep = j->neutral.out.n;
    for (unsigned i = 0; i < RECUTS; i++) {
        status = safe_cut(j, &keep);
        if (!status) status = write_envelope(j, keep);
        if (status || j->out.n <= max) return status;
        size_t over = j->out.n - max;
        keep = keep > over ? keep - over : 0;
    }
    return write_envelope(j, 0);
}

static bzr_status run(job *j, bzr_str content) {
    bzr_status status = set_id(j);
    if (!status) status = set_labels(j);
    if (status) return status;
    bzr__buf_clear(&j->clean);
    if (!j->options.keep_raw) {
        status = bzr__sanitize(content, &j->clean, NULL, NULL);
        content = bzr__buf_str(&j->clean);
    }
    if (!status && j->family->prepare) {
        j->family->prepare(content, &j->prepared);
        status = j->prepared.status;
        content = bzr__buf_str(&j->prepared);
    }
    if (!status && j->options.quote_lines) {
        add_quoted(&j->body, content);
        status = j->body.status;
        content = bzr__buf_str(&j->body);
    }
    j->neutral.ptc = j->family == &bzr__family_ptc;
    if (!status) status = bzr__neutralize(&j->neutral, content);
    return status ? status : write_cut(j);
}

static bool options_ok(const bzr_wrap_options *o) {
    return (size_t)o->envelope < FAMILIES && (unsigned)o->notice <= BZR_NOTICE_CUSTOM &&
           (unsigned)o->id_mode <= BZR_ID_NONE && (unsigned)o->spotlight <= BZR_SPOTLIGHT_BASE64;
}

bzr_status bzr_wrap(bzr_str content, const bzr_wrap_options *options, bzr_text **ret) {
    job j = { .options = BZR_WRAP_OPTIONS_INIT };
    if (options) memcpy(&j.options, options, options->size < sizeof j.options ? options->size : sizeof j.options);
    if (!options_ok(&j.options)) return BZR_E_ARG;
    j.family = families[j.options.envelope];
    if (j.family->knows_nil && !content.p) {
        *ret = NULL;
        return BZR_OK;
    }
    j.sheet.options = &j.options;
    job_init(&j);
    bzr_status status = j.family->knows_nil && !content.n ? BZR_OK : run(&j, content);
    if (!status) status = bzr__buf_to_text(&j.out, ret);
    job_free(&j);
    return status;
}

bzr_status bzr_neutralize(bzr_str content, bool sanitize, bzr_text **ret) {
    bzr__neutralizer z;
    bzr__buf clean;
    bzr__neutralizer_init(&z);
    bzr__buf_init(&clean, SIZE_MAX / 4);
    bzr_status status = sanitize ? bzr__sanitize(content, &clean, NULL, NULL) : BZR_OK;
    if (!status) status = bzr__neutralize(&z, sanitize ? bzr__buf_str(&clean) : content);
    if (!status) status = bzr__buf_to_text(&z.out, ret);
    bzr__buf_free(&clean);
    bzr__neutralizer_free(&z);
    return status;
}

bzr_status bzr_find_marker(bzr_str text, size_t *ret) {
    bzr__neutralizer z;
    bzr_status status;
    bzr__neutralizer_init(&z);
    z.ptc = true;
    size_t first = bzr__marker_first(&z, text, &status);
    if (!status) *ret = first;
    bzr__neutralizer_free(&z);
    return status;
}

static bzr_status wrap_as(bzr_envelope envelope, bzr_str content, bzr_str source, bool preamble, bzr_text **ret) {
    bzr_wrap_options o = BZR_WRAP_OPTIONS_INIT;
    o.envelope = envelope;
    o.source = source;
    o.preamble = preamble;
    o.keep_raw = true;
    return bzr_wrap(content, &o, ret);
}

bzr_status bzr_ptc_wrap(bzr_str content, bzr_str source, bzr_text **ret) {
    return wrap_as(BZR_ENVELOPE_PTC, content, source, false, ret);
}
bzr_status bzr_ptc_wrap_with_preamble(bzr_str content, bzr_str source, bzr_text **ret) {
    return wrap_as(BZR_ENVELOPE_PTC, content, source, true, ret);
}
bzr_status bzr_wrap_external_content(bzr_str text, bzr_text **ret) {
    return wrap_as(BZR_ENVELOPE_EXTERNAL_CONTENT, text, BZR__S(""), false, ret);
}
bzr_status bzr_wrap_web_content(bzr_str content, bzr_str source, bzr_text **ret) {
    return wrap_as(BZR_ENVELOPE_OPENCLAW, content, source.n ? source : BZR__S("web_search"), false, ret);
}
