/* sources.c - what is known of each URL and each domain, and what the user says of them.
 *
 * Counting happens with each content put (contents.c). Trust is computed when read, never stored, so that the formula
 * has one place. What the user says wins over what was counted. A domain's setting holds for exactly that name: a
 * look-alike is another name and inherits nothing. */
#include "lib/base/json.h"
#include "store/internal.h"

#define TRUSTED_SCANS 3
#define TRUSTED_SCORE 0.7
#define SUSPECT_SCORE 0.5

double bzr__source_trust(int64_t blocked, int64_t warned) {
    if (blocked > 2) blocked = 2;
    if (warned > 10) warned = 10;
    int64_t tenths = 10 - 5 * blocked - warned; /* in whole tenths: 1.0 - 0.3 is 0.7, not 0.7000000000000001 */
    return tenths > 0 ? (double)tenths / 10 : 0;
}

static const char *reputation_of(const bzr__source *s) {
    if (bzr__str_eq(s->setting, BZR__S("trusted"))) return "trusted";
    if (bzr__str_eq(s->setting, BZR__S("blocked"))) return "suspicious";
    if (s->blocked_count > 0 || s->trust <= SUSPECT_SCORE) return "suspicious";
    return s->scan_count >= TRUSTED_SCANS && s->trust >= TRUSTED_SCORE ? "trusted" : "unknown";
}

static bzr__source source_of(const bzr__value *row) {
    bzr__columns c = { row };
    bzr__source s = { 0 };
    s.kind = bzr__next_text(&c);
    s.name = bzr__next_text(&c);
    s.domain = bzr__next_text(&c);
    s.scan_count = bzr__next_int(&c);
    s.blocked_count = bzr__next_int(&c);
    s.warned_count = bzr__next_int(&c);
    s.first_seen = bzr__next_int(&c);
    s.last_scanned = bzr__next_int(&c);
    s.last_accessed = bzr__next_int(&c);
    s.setting = bzr__next_text(&c);
    s.trust = bzr__source_trust(s.blocked_count, s.warned_count);
    s.reputation = reputation_of(&s);
    return s;
}

typedef struct hand_out {
    bzr__source_fn fn;
    void *ctx;
} hand_out;

static bool give_source(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__source s = source_of(row);
    return to->fn(to->ctx, &s);
}

bzr_status bzr__store_sources(bzr__store *store, const bzr__source_filter *filter, bzr__source_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    return bzr__store_read(
        store, BZR__SQL_SOURCES,
        BZR__ARGS(bzr__text(filter->kind), bzr__text(filter->domain), bzr__limit(filter->limit, 1000)), give_source,
        &to);
}

typedef struct keep_one {
    bzr__arena *arena;
    bzr__source source;
    bool found, full;
} keep_one;

static bool keep_source(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->source = source_of(row);
    bzr_str *const texts[] = { &k->source.kind, &k->source.name, &k->source.domain, &k->source.setting };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !bzr__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

bzr_status bzr__store_source_get(bzr__store *store, bzr_str kind, bzr_str name, bzr__arena *arena, bzr__source *ret) {
    keep_one k = { .arena = arena };
    bzr_status status =
        bzr__store_read(store, BZR__SQL_SOURCE, BZR__ARGS(bzr__text(kind), bzr__text(name)), keep_source, &k);
    if (!status && k.full) status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status && !k.found) status = bzr__store_fail(BZR_E_NOT_FOUND, "nothing is known of this source");
    if (!status) *ret = k.source;
    return status;
}

/* ---- settings ---- */

static bool listed(bzr_str word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (bzr__str_eq(word, bzr__str_z(list[i]))) return true;
    return false;
}

static void setting_event(bzr__tx *tx, const bzr__setting *s) {
    bzr__buf details;
    bzr__buf_init(&details, 1u << 16);
    bzr__buf_add_z(&details, "{\"kind\":");
    bzr__json_add_str(&details, s->kind);
    bzr__buf_add_z(&details, ",\"pattern\":");
    bzr__json_add_str(&details, s->pattern);
    bzr__buf_add_z(&details, ",\"note\":");
    bzr__json_add_str(&details, s->note);
    bzr__buf_add_c(&details, '}');
    if (details.status) bzr__tx_fail(tx, details.status, "a setting is too long");
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("setting_change"),
                                     .direction = BZR__S("internal"),
                                     .channel = BZR__S("user"),
                                     .content = s->setting,
                                     .details = bzr__buf_str(&details) });
    bzr__buf_free(&details);
}

bzr_status bzr__store_setting_put(bzr__store *store, const bzr__setting *s) {
    static const char *const kinds[] = { "url", "domain", "pattern" };
    static const char *const settings[] = { "trusted", "blocked", "auto_confirm", "default" };
    if (!s->pattern.n || !listed(s->kind, kinds, 3))
        return bzr__store_fail(BZR_E_ARG, "a setting is for a url, domain or pattern");
    if (!listed(s->setting, settings, 4))
        return bzr__store_fail(BZR_E_ARG, "a source is trusted, blocked, auto_confirm or default");
    bzr__tx tx;
    bzr__tx_begin(store, &tx);
    if (bzr__str_eq(s->setting, BZR__S("default")))
        bzr__tx_queue(&tx, BZR__SQL_SETTING_DELETE, BZR__ARGS(bzr__text(s->kind), bzr__text(s->pattern)));
    else
        bzr__tx_queue(&tx, BZR__SQL_SETTING_PUT,
                      BZR__ARGS(bzr__text(s->kind), bzr__text(s->pattern), bzr__text(s->setting), bzr__text(s->note),
                                bzr__int(tx.now)));
    setting_event(&tx, s);
    return bzr__tx_end(&tx);
}

static bzr__setting setting_of(const bzr__value *row) {
    bzr__columns c = { row };
    bzr__setting s;
    s.kind = bzr__next_text(&c);
    s.pattern = bzr__next_text(&c);
    s.setting = bzr__next_text(&c);
    s.note = bzr__next_text(&c);
    s.set_at = bzr__next_int(&c);
    return s;
}

typedef struct settings_out {
    bzr__setting_fn fn;
    void *ctx;
} settings_out;

static bool give_setting(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const settings_out *to = ctx;
    bzr__setting s = setting_of(row);
    return to->fn(to->ctx, &s);
}

bzr_status bzr__store_settings(bzr__store *store, bzr__setting_fn fn, void *ctx) {
    settings_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_SETTINGS, NULL, 0, give_setting, &to);
}

/* `*` is any run of bytes, all else is itself: linear but for one step back to the last star. */
static bool glob(bzr_str pattern, bzr_str text) {
    size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.n) {
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.n && pattern.p[p] == text.p[t]) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.n && pattern.p[p] == '*') p++;
    return p == pattern.n;
}

typedef struct choice {
    bzr__arena *arena;
    bzr_str url, setting;
    size_t weight; /* of the setting chosen so far */
    bool full;
} choice;

static bool weigh(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    choice *best = ctx;
    bzr__setting s = setting_of(row);
    bool pattern = bzr__str_eq(s.kind, BZR__S("pattern"));
    if (pattern && !glob(s.pattern, best->url)) return true;
    size_t weight = bzr__str_eq(s.kind, BZR__S("url")) ? SIZE_MAX : pattern ? 1 + s.pattern.n : 1;
    if (weight < best->weight || (weight == best->weight && !bzr__str_eq(s.setting, BZR__S("blocked")))) return true;
    best->weight = weight;
    best->setting = s.setting;
    best->full |= !bzr__keep(best->arena, &best->setting);
    return true;
}

bzr_status bzr__store_setting_for(bzr__store *store, bzr_str url, bzr_str domain, bzr__arena *arena, bzr_str *ret) {
    choice best = { .arena = arena, .url = url };
    bzr_status status =
        bzr__store_read(store, BZR__SQL_SETTINGS_FOR, BZR__ARGS(bzr__text(url), bzr__text(domain)), weigh, &best);
    if (!status && best.full) status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status) *ret = best.setting;
    return status;
}
