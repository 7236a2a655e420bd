/* cmd_content.c - sanitize, wrap, unwrap, extract, prompt, version: one content in, one text out. */
#include "app/scan/content.h"
#include "face/cli/act.h"
#include "face/cli/args.h"
#include "face/cli/jsonl.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/rules/ruleset.h"
#include "toadstone/toadstone.h"

#include <stdio.h>

typedef int operation(const args *a, toad_str content);

/* Read the one operand and run `op` on it. */
static int on_content(const args *a, operation *op) {
    toad__buf in;
    toad__buf_init(&in, CLI_WHOLE_MAX);
    bool ok = cli_read_operand(a->command->name, a->operands, a->operands_n, &in);
    int code = ok ? op(a, in.n ? toad__buf_str(&in) : TOAD__S("")) : EXIT_ERROR;
    toad__buf_free(&in);
    return code;
}

static void tell_removed(const args *a, const toad__census *removed) {
    for (int i = 0; a->verbose && i < TOAD__CENSUS_CLASSES; i++)
        if (removed->count[i])
            fprintf(stderr, "removed: %u %s\n", (unsigned)removed->count[i], toad__census_rule((toad__census_class)i));
}

/* A text alone, or as an object with what was removed. */
static int print_content(const args *a, toad_str text, const toad__census *removed) {
    toad__buf b;
    if (!a->json) {
        cli_print(text);
        tell_removed(a, removed);
        return EXIT_OK;
    }
    toad__buf_init(&b, 8 * CLI_WHOLE_MAX);
    toad__buf_add_c(&b, '{');
    jsonl_add_content(&b, text, removed);
    toad__buf_add_z(&b, "}\n");
    toad_status status = b.status;
    if (!status) cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
    return status ? cli_status(a->command->name, "input", status) : EXIT_OK;
}

static int sanitize(const args *a, toad_str content) {
    toad__buf out;
    toad__census removed;
    toad__buf_init(&out, 4 * CLI_WHOLE_MAX);
    toad_status status = toad__sanitize_content(content, &out, &removed);
    int code = status ? cli_status("sanitize", "input", status)
                      : print_content(a, out.n ? toad__buf_str(&out) : TOAD__S(""), &removed);
    toad__buf_free(&out);
    return code;
}

int cmd_sanitize(args *a) { return a->jsonl ? jsonl_sanitize(a) : on_content(a, sanitize); }

static toad_wrap_options wrap_options(const args *a) {
    toad_wrap_options o = TOAD_WRAP_OPTIONS_INIT;
    bool none = a->id && !strcmp(a->id, "none"), given = a->id && !none && strcmp(a->id, "random");
    o.envelope = a->envelope;
    o.source = toad__str_z(a->source);
    o.sender = toad__str_z(a->sender);
    o.subject = toad__str_z(a->subject);
    o.notice = a->notice;
    o.id_mode = none ? TOAD_ID_NONE : given ? TOAD_ID_GIVEN : TOAD_ID_RANDOM;
    o.id = given ? toad__str_z(a->id) : (toad_str){ NULL, 0 };
    o.preamble = a->preamble;
    o.keep_raw = a->raw;
    o.quote_lines = a->quote_lines;
    o.spotlight = a->spotlight;
    o.max_bytes = a->max_bytes;
    return o;
}

static int wrap(const args *a, toad_str content) {
    toad_wrap_options options = wrap_options(a);
    /* On one line with the text: the line feed that ends the text is no part of it. */
    if (a->envelope == TOAD_ENVELOPE_EXTERNAL_CONTENT && content.n && content.p[content.n - 1] == '\n') content.n--;
    toad_text *text = NULL;
    toad__census removed;
    toad_status status = toad__wrap_content(content, &options, &text, &removed);
    if (status) return cli_status("wrap", status == TOAD_E_ARG ? "--id" : "input", status);
    bool nothing = !text || !toad_text_str(text).n; /* nothing in, nothing out, where the family has it so */
    int code = nothing && !a->json ? EXIT_OK : print_content(a, nothing ? TOAD__S("") : toad_text_str(text), &removed);
    if (!nothing && !a->json) cli_print_z("\n");
    toad_text_free(text);
    return code;
}

/* The user's family, or the one built in. */
static bool configured_envelope(args *a) {
    toad__config *config;
    if (!cli_load_config("wrap", &config)) return false;
    a->has_envelope = toad_envelope_parse(toad__str_z(toad__config_text(config, TOAD__CONFIG_ENVELOPE)), &a->envelope);
    toad__config_free(config);
    return a->has_envelope;
}

int cmd_wrap(args *a) {
    if (!a->has_envelope && !configured_envelope(a)) return EXIT_ERROR;
    toad_wrap_options options = wrap_options(a);
    return a->jsonl ? jsonl_wrap(a, &options) : on_content(a, wrap);
}

static void print_unwrapped(const args *a, const toad_unwrapped *u) {
    toad__answer answer;
    if (!a->json) {
        cli_print(toad_unwrapped_content(u));
        return;
    }
    toad__answer_init(&answer, 2 * CLI_WHOLE_MAX);
    toad__answer_str(&answer, "text", toad_unwrapped_content(u));
    toad__answer_z(&answer, "envelope", toad_envelope_name(toad_unwrapped_envelope(u)));
    toad__answer_some(&answer, "source", toad_unwrapped_source(u));
    toad__answer_some(&answer, "id", toad_unwrapped_id(u));
    cli_print_answer(&answer);
    toad__answer_free(&answer);
}

static int unwrap(const args *a, toad_str content) {
    toad_unwrapped *u;
    toad_status status = toad_unwrap(content, toad__str_z(a->id), &u);
    if (status == TOAD_E_NOT_FOUND) {
        cli_error("unwrap", a->id ? "no envelope with this id in the input" : "no envelope in the input");
        return EXIT_ERROR;
    }
    if (status) return cli_status("unwrap", "input", status);
    bool genuine = !a->id || toad_unwrapped_genuine(u);
    if (genuine)
        print_unwrapped(a, u);
    else
        cli_error("unwrap", "the envelope does not bear this id at both ends");
    toad_unwrapped_free(u);
    return genuine ? EXIT_OK : EXIT_ERROR;
}

int cmd_unwrap(args *a) { return on_content(a, unwrap); }

static int list_prompts(const args *a) {
    const toad_prompt *p;
    toad__answer answer;
    toad__answer_init(&answer, 1u << 20);
    toad__answer_array(&answer, "sections");
    for (size_t i = 0; (p = toad_prompt_at(i)); i++) {
        if (!a->json) printf("%-24s%s\n", p->name, p->title);
        toad__answer_object(&answer, NULL);
        toad__answer_z(&answer, "name", p->name);
        toad__answer_z(&answer, "title", p->title);
        toad__answer_end(&answer);
    }
    toad__answer_end(&answer);
    if (a->json) cli_print_answer(&answer);
    toad__answer_free(&answer);
    return EXIT_OK;
}

static void print_section(const args *a, toad_str text) {
    toad__answer answer;
    if (!a->json) {
        cli_print(text);
        cli_print_z("\n");
        return;
    }
    toad__answer_init(&answer, 1u << 20);
    toad__answer_z(&answer, "name", a->operands[0]);
    toad__answer_str(&answer, "text", text);
    cli_print_answer(&answer);
    toad__answer_free(&answer);
}

int cmd_prompt(args *a) {
    if (a->list) return list_prompts(a);
    if (a->operands_n != 1) {
        cli_error("prompt", "which section?");
        cli_hint("'toadstone prompt --list' lists them");
        return EXIT_ERROR;
    }
    toad_str text = toad_prompt_section(toad__str_z(a->operands[0]));
    if (!text.p) {
        cli_error("prompt", "no section '%s'", cli_safe(a->operands[0]));
        cli_hint("'toadstone prompt --list' lists them");
        return EXIT_ERROR;
    }
    print_section(a, text);
    return EXIT_OK;
}

int cmd_version(args *a) {
    const char *version = toad_version(), *rules = toad__catalogue_version();
    printf(a->json ? "{\"version\":\"%s\",\"rules\":\"%s\"}\n" : "toadstone %s (rules %s)\n", version, rules);
    return EXIT_OK;
}
