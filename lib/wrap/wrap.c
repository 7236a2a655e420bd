/* wrap.c - toad_wrap: clean the labels, clean the content, let the family write, cut if it is too long.
 *
 * Order matters: sanitize, quote, neutralize, cut, check the cut; each step but the last could make a marker out of
 * harmless parts for the next to find. The closing marker is counted before the content, so that a long text can never
 * push it out. Cost: linear in the content; at most a handful of passes when it has to be cut. */
#include "lib/base/hex.h"
#include "lib/base/limits.h"
#include "lib/base/options.h"
#include "lib/base/random.h"
#include "lib/base/utf8.h"
#include "lib/text/sanitize.h"
#include "lib/wrap/envelope.h"
#include "lib/wrap/neutralize.h"

#include <assert.h>

static const toad__family *const families[] = {
    [TOAD_ENVELOPE_OPENCLAW] = &toad__family_openclaw,
    [TOAD_ENVELOPE_PTC] = &toad__family_ptc,
    [TOAD_ENVELOPE_EXTERNAL_CONTENT] = &toad__family_external_content,
    [TOAD_ENVELOPE_UNTRUSTED_TOOL_RESULT] = &toad__family_tool_result,
    [TOAD_ENVELOPE_MEMORIES] = &toad__family_memories,
    [TOAD_ENVELOPE_SPOTLIGHT] = &toad__family_spotlight,
};
enum { FAMILIES = sizeof families / sizeof *families, ID_MAX = 128, RECUTS = 8 };

const toad__family *toad__family_at(size_t i) { return i < FAMILIES ? families[i] : NULL; }

const char *toad_envelope_name(toad_envelope v) { return (size_t)v < FAMILIES ? families[v]->name : "unknown"; }
const char *toad_envelope_title(toad_envelope v) { return (size_t)v < FAMILIES ? families[v]->title : ""; }

/* Index of `name` in `names`, or -1. */
static int index_of(toad_str name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(name, toad__str_z(names[i]))) return (int)i;
    return -1;
}

bool toad_envelope_parse(toad_str name, toad_envelope *ret) {
    for (size_t i = 0; i < FAMILIES; i++)
        if (toad__str_eq(name, toad__str_z(families[i]->name))) {
            *ret = (toad_envelope)i;
            return true;
        }
    return false;
}

bool toad_notice_parse(toad_str name, toad_notice *ret) {
    static const char *const names[] = { "default", "none", "short", "long", "search" };
    int i = index_of(name, names, sizeof names / sizeof *names);
    if (i >= 0) *ret = (toad_notice)i;
    return i >= 0;
}

bool toad_spotlight_parse(toad_str name, toad_spotlight *ret) {
    static const char *const names[] = { "delimit", "datamark", "base64" };
    int i = index_of(name, names, sizeof names / sizeof *names);
    if (i >= 0) *ret = (toad_spotlight)i;
    return i >= 0;
}

/* All of one toad_wrap call. */
typedef struct job {
    toad_wrap_options options;
    const toad__family *family;
    toad__sheet sheet;
    toad__neutralizer neutral;
    toad__buf clean;     /* sanitized text */
    toad__buf labels[4]; /* source, sender, subject, task */
    toad__buf attribute; /* the source again, escaped */
    toad__buf prepared;  /* the content as its family needs it */
    toad__buf body;      /* scratch: the content quoted, or cut */
    toad__buf out;
    char id[32];
} job;

static void job_init(job *j) {
    toad__neutralizer_init(&j->neutral);
    toad__buf_init(&j->clean, SIZE_MAX / 4);
    for (unsigned i = 0; i < 4; i++) toad__buf_init(&j->labels[i], 64u << 10);
    toad__buf_init(&j->attribute, 64u << 10);
    toad__buf_init(&j->prepared, SIZE_MAX / 4);
    toad__buf_init(&j->body, SIZE_MAX / 4);
    toad__buf_init(&j->out, SIZE_MAX / 4);
}

static void job_free(job *j) {
    toad__neutralizer_free(&j->neutral);
    toad__buf_free(&j->clean);
    for (unsigned i = 0; i < 4; i++) toad__buf_free(&j->labels[i]);
    toad__buf_free(&j->attribute);
    toad__buf_free(&j->prepared);
    toad__buf_free(&j->body);
    toad__buf_free(&j->out);
}

static bool id_char(char c) { return toad__is_alnum((unsigned char)c) || c == '.' || c == '_' || c == '-'; }

static bool id_ok(toad_str id) {
    if (!id.n || id.n > ID_MAX) return false;
    for (size_t i = 0; i < id.n; i++)
        if (!id_char(id.p[i])) return false;
    return true;
}

static bool draw(const job *j, void *p, size_t n) {
    return j->options.random ? j->options.random(j->options.random_ctx, p, n) : toad__random(p, n);
}

/* Id and nonce: given, drawn, or none, as the family needs and the caller wants. */
static toad_status set_id(job *j) {
    unsigned char bytes[sizeof j->id / 2];
    const toad_wrap_options *o = &j->options;
    bool spotlight = j->family == &toad__family_spotlight;
    if (o->id_mode == TOAD_ID_GIVEN) {
        if (!id_ok(o->id)) return TOAD_E_ARG;
        if (spotlight)
            for (size_t i = 0; i < o->id.n; i++)
                if (!toad__is_alnum((unsigned char)o->id.p[i])) return TOAD_E_ARG;
        j->sheet.id = o->id;
    }
    if (spotlight && (o->id_mode == TOAD_ID_NONE || (o->id_mode == TOAD_ID_GIVEN && o->id.n < 4))) return TOAD_E_ARG;
    if (spotlight && !draw(j, j->sheet.nonce, sizeof j->sheet.nonce)) return TOAD_E_RANDOM;
    if (o->id_mode != TOAD_ID_RANDOM || !j->family->wants_id) return TOAD_OK;
    if (!draw(j, bytes, sizeof bytes)) return TOAD_E_RANDOM;
    toad__hex(j->id, bytes, sizeof bytes);
    j->sheet.id = toad__str(j->id, sizeof j->id);
    return TOAD_OK;
}

/* Line breaks of any kind, other controls: all that keeps a label from being one line. */
static bool breaks_line(uint32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029; }

/* `in` as one line of at most METADATA code points, into `out`; a cut is shown. */
static void one_line(toad_str in, toad__buf *out) {
    static const char dots[] = "...";
    bool gap = false;
    size_t points = 0;
    toad__buf_clear(out);
    for (size_t i = 0; i < in.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(in, i, &len);
        i += len;
        bool blank = breaks_line(c) || c == ' ';
        if (blank && (gap || !out->n)) continue;
        gap = blank;
        if (++points > TOAD__LIMIT_METADATA - (sizeof dots - 1)) {
            toad__buf_add_z(out, dots);
            return;
        }
        toad__buf_add_cp(out, blank ? ' ' : c);
    }
    if (gap) out->n--;
}

/* Replacements make a label longer, and a cut can make a token, so what came out is looked at again until it stays as
 * it is; a label that does not settle in RECUTS rounds is left empty. Two rounds are enough for all that was ever seen.
 */
static toad_status add_label(job *j, toad_str in, toad__buf *out) {
    toad__buf_clear(&j->clean);
    toad_status status = in.n ? toad__sanitize(toad__str_part(in, 0, 64u << 10), &j->clean, NULL, NULL) : TOAD_OK;
    toad_str text = toad__buf_str(&j->clean);
    for (unsigned round = 0; !status && in.n && round < RECUTS; round++) {
        one_line(text, out);
        if (out->status) return out->status;
        status = toad__neutralize(&j->neutral, toad__buf_str(out));
        if (!status && toad__str_eq(toad__buf_str(out), toad__buf_str(&j->neutral.out))) return TOAD_OK;
        toad__buf_clear(&j->clean);
        toad__buf_add_str(&j->clean, toad__buf_str(&j->neutral.out));
        if (j->clean.status) return j->clean.status;
        text = toad__buf_str(&j->clean);
    }
    if (in.n) toad__buf_clear(out);
    return status;
}

static toad_status set_labels(job *j) {
    const toad_str raw[4] = { j->options.source, j->options.sender, j->options.subject, j->options.task };
    toad_str *const label[4] = { &j->sheet.source, &j->sheet.sender, &j->sheet.subject, &j->sheet.task };
    for (unsigned i = 0; i < 4; i++) {
        toad_status status = add_label(j, raw[i], &j->labels[i]);
        if (status) return status;
        *label[i] = toad__buf_str(&j->labels[i]);
    }
    toad__add_attribute(&j->attribute, j->sheet.source);
    j->sheet.source_attr = toad__buf_str(&j->attribute);
    return j->attribute.status;
}

static void add_quoted(toad__buf *out, toad_str s) {
    for (size_t i = 0; i <= s.n;) {
        size_t end = toad__str_find(s, TOAD__S("\n"), i);
        toad__buf_add_z(out, "| ");
        toad__buf_add_str(out, toad__str_part(s, i, end < s.n ? end + 1 : s.n));
        i = end + 1;
    }
}

/* Say inside that the content was cut. */
static void add_note(const job *j, toad__buf *out, size_t keep) {
    toad__buf_add_z(out, j->options.quote_lines ? "\n| ... (truncated: " : "\n... (truncated: ");
    toad__buf_add_u64(out, keep);
    toad__buf_add_z(out, " of ");
    toad__buf_add_u64(out, j->neutral.out.n);
    toad__buf_add_z(out, " bytes)");
}

/* Write the whole envelope around the first `keep` bytes of the neutralized content. */
static toad_status write_envelope(job *j, size_t keep) {
    toad_str content = toad__buf_str(&j->neutral.out);
    assert(keep <= content.n);
    toad__buf_clear(&j->out);
    toad__buf_clear(&j->body);
    if (keep < content.n) {
        toad__buf_add_str(&j->body, toad__str_part(content, 0, keep));
        add_note(j, &j->body, keep);
        content = toad__buf_str(&j->body);
    }
    j->sheet.content = content;
    j->family->write(&j->sheet, &j->out);
    return j->body.status ? j->body.status : j->out.status;
}

/* The largest place <= keep where the content can end: between characters, and so that its end and our note make no
 * token. */
static toad_status safe_cut(job *j, size_t *keep) {
    toad_str content = toad__buf_str(&j->neutral.out);
    toad__neutralizer check;
    toad_status status = TOAD_OK;
    toad__neutralizer_init(&check);
    check.ptc = j->neutral.ptc;
    for (unsigned i = 0; !status && i < RECUTS; i++) {
        assert(*keep <= content.n);
        *keep = toad__cut_floor(content, *keep);
        size_t from = *keep > TOAD__MARKER_OVERLAP ? toad__utf8_floor(content, *keep - TOAD__MARKER_OVERLAP) : 0;
        toad__buf_clear(&j->body);
        toad__buf_add_str(&j->body, toad__str_part(content, from, *keep));
        add_note(j, &j->body, *keep);
        if (j->body.status) status = j->body.status;
        size_t first = status ? 0 : toad__marker_first(&check, toad__buf_str(&j->body), &status);
        if (status || first == j->body.n) break;
        *keep = i + 1 < RECUTS && first < *keep - from ? from + first : 0;
    }
    toad__neutralizer_free(&check);
    return status;
}

static toad_status write_cut(job *j) {
    size_t max = j->options.max_bytes < SIZE_MAX ? (size_t)j->options.max_bytes : SIZE_MAX;
    toad_status status = write_envelope(j, j->neutral.out.n);
    if (status || !max || j->out.n <= max) return status;
    size_t full = j->out.n, keep = j->neutral.out.n;
    status = write_envelope(j, 0);
    if (status) return status;
    size_t empty = j->out.n;
    if (empty > max) return TOAD_E_LIMIT;
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

static toad_status run(job *j, toad_str content) {
    toad_status status = set_id(j);
    if (!status) status = set_labels(j);
    if (status) return status;
    toad__buf_clear(&j->clean);
    if (!j->options.keep_raw) {
        status = toad__sanitize(content, &j->clean, NULL, NULL);
        content = toad__buf_str(&j->clean);
    }
    if (!status && j->family->prepare) {
        j->family->prepare(content, &j->prepared);
        status = j->prepared.status;
        content = toad__buf_str(&j->prepared);
    }
    if (!status && j->options.quote_lines) {
        add_quoted(&j->body, content);
        status = j->body.status;
        content = toad__buf_str(&j->body);
    }
    j->neutral.ptc = j->family == &toad__family_ptc;
    if (!status) status = toad__neutralize(&j->neutral, content);
    return status ? status : write_cut(j);
}

static bool options_ok(const toad_wrap_options *o) {
    return (size_t)o->envelope < FAMILIES && (unsigned)o->notice <= TOAD_NOTICE_CUSTOM &&
           (unsigned)o->id_mode <= TOAD_ID_NONE && (unsigned)o->spotlight <= TOAD_SPOTLIGHT_BASE64;
}

TOAD__SIZED(toad_wrap_options, random_ctx);

toad_status toad_wrap(toad_str content, const toad_wrap_options *options, toad_text **ret) {
    job j = { .options = TOAD_WRAP_OPTIONS_INIT };
    if (!ret || (!content.p && content.n) || !toad__options_take(&j.options, sizeof j.options, options) ||
        !options_ok(&j.options))
        return TOAD_E_ARG;
    j.family = families[j.options.envelope];
    if (j.family->knows_nil && !content.p) {
        *ret = NULL;
        return TOAD_OK;
    }
    j.sheet.options = &j.options;
    job_init(&j);
    toad_status status = j.family->knows_nil && !content.n ? TOAD_OK : run(&j, content);
    if (!status) status = toad__buf_to_text(&j.out, ret);
    job_free(&j);
    return status;
}

toad_status toad_neutralize(toad_str content, bool sanitize, toad_text **ret) {
    toad__neutralizer z;
    toad__buf clean;
    if (!ret || (!content.p && content.n)) return TOAD_E_ARG;
    toad__neutralizer_init(&z);
    toad__buf_init(&clean, SIZE_MAX / 4);
    toad_status status = sanitize ? toad__sanitize(content, &clean, NULL, NULL) : TOAD_OK;
    if (!status) status = toad__neutralize(&z, sanitize ? toad__buf_str(&clean) : content);
    if (!status) status = toad__buf_to_text(&z.out, ret);
    toad__buf_free(&clean);
    toad__neutralizer_free(&z);
    return status;
}

toad_status toad_find_marker(toad_str text, size_t *ret) {
    toad__neutralizer z;
    toad_status status;
    if (!ret || (!text.p && text.n)) return TOAD_E_ARG;
    toad__neutralizer_init(&z);
    z.ptc = true;
    size_t first = toad__marker_first(&z, text, &status);
    if (!status) *ret = first;
    toad__neutralizer_free(&z);
    return status;
}
