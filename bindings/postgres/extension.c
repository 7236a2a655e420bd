/* extension.c - the scan as functions of PostgreSQL: text is judged where it lies.
 *
 * One engine and one scanner a backend, made at the first call, kept to its end: 3 to 6 MiB. A verdict depends on the
 * text, the catalogue and the model alone, so the functions are immutable for one version of the library, and safe in
 * parallel workers; an index on a verdict is rebuilt after an upgrade. Long texts are read in pieces, between which a
 * cancel or a time-out of the statement is heeded. Nothing of the library is called while an error of PostgreSQL may
 * jump over it, and what the library allocated is freed before. */
#include "toadstone/toadstone.h"

#include <postgres.h> /* before any other of its headers */

#include <catalog/pg_type_d.h>
#include <fmgr.h>
#include <mb/pg_wchar.h>
#include <miscadmin.h>
#include <utils/builtins.h>
#include <utils/jsonb.h>

PG_MODULE_MAGIC;

#define PIECE ((size_t)64 << 10)

static toad_scanner *scanner; /* of this backend; a backend is one thread */

static toad_scanner *the_scanner(void) {
    static toad_engine *engine;
    if (!scanner && ((!engine && toad_engine_new(NULL, &engine)) || toad_scanner_new(engine, &scanner)))
        ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("toadstone: out of memory"));
    return scanner;
}

static toad_kind kind_of(text *name) {
    toad_kind kind;
    char *word = text_to_cstring(name);
    if (toad_kind_parse((toad_str){ word, strlen(word) }, &kind)) return kind;
    ereport(ERROR, errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("toadstone: no such kind of content: \"%s\"", word),
            errhint("It is one of any, web, tool_result, tool_description, memory, instruction_file, email, code, "
                    "search."));
}

/* A cancel leaves the stream open: the next call of this backend ends it with the scanner. */
static const toad_verdict *verdict_of(text *input, text *kind) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    options.kind = kind_of(kind);
    char *p = VARDATA_ANY(input), *utf8 = pg_server_to_any(p, VARSIZE_ANY_EXHDR(input), PG_UTF8);
    size_t n = utf8 == p ? VARSIZE_ANY_EXHDR(input) : strlen(utf8);
    toad_stream *stream;
    toad_status status = toad_stream_open(the_scanner(), &options, &stream);
    if (status == TOAD_E_STATE) {
        toad_scanner_free(scanner);
        scanner = NULL;
        status = toad_stream_open(the_scanner(), &options, &stream);
    }
    for (size_t at = 0; !status && at < n; at += PIECE) {
        CHECK_FOR_INTERRUPTS();
        status = toad_stream_write(stream, (toad_str){ utf8 + at, n - at < PIECE ? n - at : PIECE });
    }
    const toad_verdict *verdict;
    if (!status) status = toad_stream_close(stream, &verdict);
    if (utf8 != p) pfree(utf8);
    if (status)
        ereport(ERROR, errcode(status == TOAD_E_NOMEM ? ERRCODE_OUT_OF_MEMORY : ERRCODE_INTERNAL_ERROR),
                errmsg("toadstone: the text could not be scanned"),
                errdetail_internal("%s", toad_status_message(status)));
    return verdict;
}

PG_FUNCTION_INFO_V1(toadstone_scan);
Datum toadstone_scan(PG_FUNCTION_ARGS) {
    static const char *const names[] = { "none", "low", "medium", "high" };
    const toad_verdict *verdict = verdict_of(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1));
    toad_severity severity = toad_verdict_severity(verdict);
    bool unread = toad_verdict_completeness(verdict) != TOAD_FULL && severity < TOAD_MEDIUM;
    PG_RETURN_TEXT_P(cstring_to_text(unread ? "incomplete" : names[severity]));
}

/* jsonb has no place for U+0000: an excerpt tells it as U+FFFD. Each escape is of two or six bytes, so nothing moves.
 */
static void replace_nul(char *json, size_t n) {
    for (size_t i = 0; i + 6 <= n; i++) {
        if (json[i] != '\\') continue;
        if (!memcmp(json + i, "\\u0000", 6)) memcpy(json + i, "\\ufffd", 6);
        i++;
    }
}

PG_FUNCTION_INFO_V1(toadstone_verdict);
Datum toadstone_verdict(PG_FUNCTION_ARGS) {
    toad_text *json = NULL;
    if (toad_verdict_json(verdict_of(PG_GETARG_TEXT_PP(0), PG_GETARG_TEXT_PP(1)), &json))
        ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("toadstone: out of memory"));
    toad_str s = toad_text_str(json);
    char *copy = palloc_extended(s.n + 1, MCXT_ALLOC_NO_OOM);
    if (copy) {
        memcpy(copy, s.p, s.n);
        copy[s.n] = '\0';
        replace_nul(copy, s.n);
    }
    toad_text_free(json);
    if (!copy) ereport(ERROR, errcode(ERRCODE_OUT_OF_MEMORY), errmsg("toadstone: out of memory"));
    PG_RETURN_DATUM(DirectFunctionCall1(jsonb_in, CStringGetDatum(copy)));
}

PG_FUNCTION_INFO_V1(toadstone_version);
Datum toadstone_version(PG_FUNCTION_ARGS) {
    (void)fcinfo;
    PG_RETURN_TEXT_P(cstring_to_text(toad_version()));
}
