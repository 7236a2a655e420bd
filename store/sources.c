/* sources.c - what is known of each URL and each domain, and what the user says of them.
 *
 * Counting happens with each content put (contents.c). Trust is computed when read, never stored, so that the formula
 * has one place. What the user says wins over what was counted. A domain's setting holds for exactly that name: a
 * look-alike is another name and inherits nothing. */
#include "lib/base/json.h"
#include "store/internal.h"

#define TRUSTED_SCANS 3
#define SUSPECT_SCORE 0.5

double toad__source_trust(int64_t blocked, int64_t warned) {
    if (blocked > 2) blocked = 2;
    if (warned > 10) warned = 10;
    int64_t tenths = 10 - 5 * blocked - warned; /* in whole tenths: 1.0 - 0.3 is 0.7, not 0.7000000000000001 */
    return tenths > 0 ? (double)tenths / 10 : 0;
}

static const char *reputation_of(const toad__source *s) {
    if (toad__str_eq(s->setting, TOAD__S("trusted"))) return "trusted";
    if (toad__str_eq(s->setting, TOAD__S("blocked"))) return "suspicious";
    if (s->blocked_count > 0 || s->trust <= SUSPECT_SCORE) return "suspicious";
    return s->scan_count >= TRUSTED_SCANS && !s->warned_count ? "trusted" : "unknown";
}

static toad__source source_of(const toad__value *row) {
    toad__columns c = { row };
    toad__source s = { 0 };
    s.kind = toad__next_text(&c);
    s.name = toad__next_text(&c);
    s.domain = toad__next_text(&c);
    s.scan_count = toad__next_int(&c);
    s.blocked_count = toad__next_int(&c);
    s.warned_count = toad__next_int(&c);
    s.first_seen = toad__next_int(&c);
    s.last_scanned = toad__next_int(&c);
    s.last_accessed = toad__next_int(&c);
    s.setting = toad__next_text(&c);
    s.trust = toad__source_trust(s.blocked_count, s.warned_count);
    s.reputation = reputation_of(&s);
    return s;
}

typedef struct hand_out {
    toad__source_fn fn;
    void *ctx;
} hand_out;

static bool give_source(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__source s = source_of(row);
    return to->fn(to->ctx, &s);
}

toad_status toad__store_sources(toad__store *store, const toad__source_filter *filter, toad__source_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    return toad__store_read(
        store, TOAD__SQL_SOURCES,
        TOAD__ARGS(toad__text(filter->kind), toad__text(filter->domain), toad__limit(filter->limit, 1000)), give_source,
        &to);
}

typedef struct keep_one {
    toad__arena *arena;
    toad__source source;
    bool found, full;
} keep_one;

static bool keep_source(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->source = source_of(row);
    toad_str *const texts[] = { &k->source.kind, &k->source.name, &k->source.domain, &k->source.setting };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

toad_status toad__store_source_get(toad__store *store, toad_str kind, toad_str name, toad__arena *arena,
                                   toad__source *ret) {
    keep_one k = { .arena = arena };
    toad_status status =
        toad__store_read(store, TOAD__SQL_SOURCE, TOAD__ARGS(toad__text(kind), toad__text(name)), keep_source, &k);
    if (!status && k.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status && !k.found) status = toad__store_fail(TOAD_E_NOT_FOUND, "nothing is known of this source");
    if (!status) *ret = k.source;
    return status;
}

/* ---- settings ---- */

static bool listed(toad_str word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(word, toad__str_z(list[i]))) return true;
    return false;
}

static void setting_event(toad__tx *tx, const toad__setting *s) {
    toad__buf details;
    toad__buf_init(&details, 1u << 16);
    toad__buf_add_z(&details, "{\"kind\":");
    toad__json_add_str(&details, s->kind);
    toad__buf_add_z(&details, ",\"pattern\":");
    toad__json_add_str(&details, s->pattern);
    toad__buf_add_z(&details, ",\"note\":");
    toad__json_add_str(&details, s->note);
    toad__buf_add_c(&details, '}');
    if (details.status) toad__tx_fail(tx, details.status, "a setting is too long");
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("setting_change"),
                                       .direction = TOAD__S("internal"),
                                       .channel = TOAD__S("user"),
                                       .content = s->setting,
                                       .details = toad__buf_str(&details) });
    toad__buf_free(&details);
}

toad_status toad__store_setting_put(toad__store *store, const toad__setting *s) {
    static const char *const kinds[] = { "url", "domain", "pattern" };
    static const char *const settings[] = { "trusted", "blocked", "auto_confirm", "default" };
    if (!s->pattern.n || !listed(s->kind, kinds, 3))
        return toad__store_fail(TOAD_E_ARG, "a setting is for a url, domain or pattern");
    if (!listed(s->setting, settings, 4))
        return toad__store_fail(TOAD_E_ARG, "a source is trusted, blocked, auto_confirm or default");
    toad__tx tx;
    toad__tx_begin(store, &tx);
    if (toad__str_eq(s->setting, TOAD__S("default")))
        toad__tx_queue(&tx, TOAD__SQL_SETTING_DELETE, TOAD__ARGS(toad__text(s->kind), toad__text(s->pattern)));
    else
        toad__tx_queue(&tx, TOAD__SQL_SETTING_PUT,
                       TOAD__ARGS(toad__text(s->kind), toad__text(s->pattern), toad__text(s->setting),
                                  toad__text(s->note), toad__int(tx.now)));
    setting_event(&tx, s);
    return toad__tx_end(&tx);
}

static toad__setting setting_of(const toad__value *row) {
    toad__columns c = { row };
    toad__setting s;
    s.kind = toad__next_text(&c);
    s.pattern = toad__next_text(&c);
    s.setting = toad__next_text(&c);
    s.note = toad__next_text(&c);
    s.set_at = toad__next_int(&c);
    return s;
}

typedef struct settings_out {
    toad__setting_fn fn;
    void *ctx;
} settings_out;

static bool give_setting(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const settings_out *to = ctx;
    toad__setting s = setting_of(row);
    return to->fn(to->ctx, &s);
}

toad_status toad__store_settings(toad__store *store, toad__setting_fn fn, void *ctx) {
    settings_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_SETTINGS, NULL, 0, give_setting, &to);
}

/* `*` is any run of bytes, all else is itself: linear but for one step back to the last star. */
static bool glob(toad_str pattern, toad_str text) {
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
    toad__arena *arena;
    toad_str url, setting;
    size_t weight; /* of the setting chosen so far */
    bool full;
} choice;

static bool weigh(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    choice *best = ctx;
    toad__setting s = setting_of(row);
    bool pattern = toad__str_eq(s.kind, TOAD__S("pattern"));
    if (pattern && !glob(s.pattern, best->url)) return true;
    size_t weight = toad__str_eq(s.kind, TOAD__S("url")) ? SIZE_MAX : pattern ? 1 + s.pattern.n : 1;
    if (weight < best->weight || (weight == best->weight && !toad__str_eq(s.setting, TOAD__S("blocked")))) return true;
    best->weight = weight;
    best->setting = s.setting;
    best->full |= !toad__keep(best->arena, &best->setting);
    return true;
}

toad_status toad__store_setting_for(toad__store *store, toad_str url, toad_str domain, toad__arena *arena,
                                    toad_str *ret) {
    choice best = { .arena = arena, .url = url };
    toad_status status =
        toad__store_read(store, TOAD__SQL_SETTINGS_FOR, TOAD__ARGS(toad__text(url), toad__text(domain)), weigh, &best);
    if (!status && best.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status) *ret = best.setting;
    return status;
}
