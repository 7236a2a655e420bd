/* authority.c - see authority.h. A log that cannot be written makes no permission: the refusal stands either way. Of a
 * token only the SHA-256 is kept: it is 256 bits of chance, so nothing slower is needed. */
#include "app/host/authority.h"

#include "app/host/display.h"
#include "lib/base/json.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/digest.h"

#include <stdio.h>

#define ABOUT_MAX ((size_t)16 << 20)

void toad__refuse(toad__answer *answer, const char *error) {
    toad__answer_bool(answer, "success", false);
    toad__answer_z(answer, "error", error);
}

void toad__about(toad__buf *about, const char *name, toad_str value) {
    toad__buf notes;
    toad__buf_init(&notes, ABOUT_MAX);
    toad__buf_add_z(about, "  ");
    toad__buf_add_z(about, name);
    toad__buf_add_z(about, " = ");
    toad_status status = toad__display(about, &notes, "      ", value.p ? value : TOAD__S(""));
    toad__buf_add_c(about, '\n');
    if (status && !about->status) about->status = status;
    toad__buf_free(&notes);
}

/* ---- the log ---- */

static void note(toad__host *host, const char *type, const char *channel, const char *what, const char *how,
                 toad_str about) {
    toad__buf details;
    toad__buf_init(&details, 1u << 20);
    toad__buf_add_z(&details, "{\"how\":");
    toad__json_add_str(&details, toad__str_z(how));
    toad__buf_add_z(&details, ",\"about\":");
    toad__json_add_utf8(&details, toad__str_part(about, 0, 4096));
    toad__buf_add_c(&details, '}');
    if (host->store)
        toad__store_events_append(
            host->store,
            &(toad__event){ .type = toad__str_z(type),
                            .direction = TOAD__S("internal"),
                            .channel = toad__str_z(channel),
                            .content = toad__str_z(what),
                            .action = strcmp(type, "agreed") ? TOAD__S("block") : TOAD__S("allow"),
                            .session_id = host->session,
                            .details = details.status ? TOAD__S("") : toad__buf_str(&details) },
            1);
    toad__buf_free(&details);
}

static bool refuse(toad__host *host, bool model, const char *what, const char *error, toad_str about,
                   toad__answer *answer) {
    toad__refuse(answer, error);
    note(host, "refused", model ? "model" : "user", what, error, about);
    return true;
}

/* ---- who it is ---- */

bool toad__is_model(const toad__host *host) {
    return host->by == TOAD__READER_MODEL || (host->person && host->person->agent);
}

static bool refuse_model(toad__host *host, const char *what, toad_str about, toad__answer *answer) {
    char error[400];
    const char *agent = host->person ? host->person->agent : NULL;
    snprintf(error, sizeof error, "only the user may %s; ask them to%s%s", what, agent ? ". An agent asks: " : "",
             agent ? agent : "");
    return refuse(host, true, what, error, about, answer);
}

bool toad__refused_to_model(toad__host *host, const char *what, toad__answer *answer) {
    return toad__is_model(host) && refuse_model(host, what, TOAD__S(""), answer);
}

/* The token of the store, as it is kept. */
static void digest_of(toad_str token, char ret[65]) {
    const toad_str parts[] = { TOAD__S("toadstone user token\n"), token };
    toad__sha256_hex(parts, 2, ret);
}

static bool is_token(toad__host *host, toad_str token) {
    char given[65], kept[65] = "";
    digest_of(token, given);
    return !toad__store_token(host->store, kept) && strlen(kept) == 64 && toad__same_bytes(given, kept, 64);
}

bool toad__person_sees(const toad__host *host) {
    const toad__person *p = host->person;
    return p && !p->agent && !p->token.n && p->agrees;
}

bool toad__refused(toad__host *host, const char *what, toad_str about, toad__answer *answer) {
    const toad__person *p = host->person;
    char error[400], why[160] = "nobody can be asked here";
    if (toad__is_model(host)) return refuse_model(host, what, about, answer);
    bool in_person = p && p->in_person, shown = p && p->token.n && !in_person;
    bool known = shown && host->store && is_token(host, p->token);
    if (shown && !known) snprintf(why, sizeof why, "that is not the token of this store");
    if (known || (!shown && p && p->agrees && p->agrees(what, about, why))) {
        note(host, "agreed", "user", what, shown ? "token" : p->how, about);
        return false;
    }
    snprintf(error, sizeof error,
             "only the user may %s: %s. Say it at a terminal, where a word is to be typed; %s ('toadstone help token')",
             what, why, in_person ? "no token stands for you here" : "a script shows a token");
    return refuse(host, false, what, error, about, answer);
}

/* ---- tokens ---- */

static bool refused_token(toad__host *host, const char *what, toad__answer *answer) {
    if (toad__is_model(host)) return refuse_model(host, what, TOAD__S(""), answer);
    if (host->person && host->person->token.n)
        return refuse(host, false, what, "a token makes and revokes no token: say it at a terminal, without one",
                      TOAD__S(""), answer);
    return toad__refused(host, what, TOAD__S(""), answer);
}

toad_status toad__token_make(toad__host *host, toad__answer *answer) {
    unsigned char random[TOAD__TOKEN_BYTES];
    char token[2 * TOAD__TOKEN_BYTES + 1], digest[65];
    if (refused_token(host, "make a token", answer)) return TOAD_OK;
    if (!toad__random(random, sizeof random)) return toad__host_failed(host, TOAD_E_RANDOM);
    for (size_t i = 0; i < sizeof random; i++) snprintf(token + 2 * i, 3, "%02x", random[i]);
    digest_of(toad__str_z(token), digest);
    toad_status status = toad__host_store_failed(host, toad__store_token_put(host->store, digest));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "token", token);
    return TOAD_OK;
}

toad_status toad__token_revoke(toad__host *host, toad__answer *answer) {
    if (refused_token(host, "revoke the token", answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_token_put(host->store, ""));
    if (!status) toad__answer_bool(answer, "success", true);
    return status;
}
