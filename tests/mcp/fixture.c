/* fixture.c - tools, prompts and resources with the names and answers that @modelcontextprotocol/conformance asks for.
 */
#include "tests/mcp/fixture.h"

#include "lib/base/str.h"

#include <stdatomic.h>
#include <time.h>

#define OBJECT "{\"type\":\"object\",\"properties\":{}}"
#define PNG    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
#define WAV    "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
#define IMAGE  "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define NAME_FORM                                                                                                     \
    "{\"message\":\"What is your "                                                                                    \
    "name?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[" \
    "\"name\"]}}"
#define SAMPLE(text) \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}],\"maxTokens\":100}"
#define FORM(message, properties, required)                                                             \
    "{\"message\":\"" message "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties \
    "},\"required\":[" required "]}}"

static bzr_status say(bzr__mcp_call *call, const char *text) {
    bzr__mcp_add_text(call, bzr__str_z(text));
    return BZR_OK;
}

static bzr_status simple_text(bzr__mcp_call *call) { return say(call, "This is a simple text response for testing."); }

static bzr_status image(bzr__mcp_call *call) {
    bzr__mcp_add_json(call, BZR__S(IMAGE));
    return BZR_OK;
}

static bzr_status audio(bzr__mcp_call *call) {
    bzr__mcp_add_json(call, BZR__S("{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}"));
    return BZR_OK;
}

static bzr_status embedded(bzr__mcp_call *call) {
    bzr__mcp_add_json(
        call,
        BZR__S("{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
               "\"text\":\"This is an embedded resource content.\"}}"));
    return BZR_OK;
}

static bzr_status mixed(bzr__mcp_call *call) {
    bzr__mcp_add_text(call, BZR__S("Multiple content types test:"));
    bzr__mcp_add_json(call, BZR__S(IMAGE));
    bzr__mcp_add_json(call, BZR__S("{\"type\":\"resource\",\"resource\":{\"uri\":\"test://"
                                   "mixed-content-resource\",\"mimeType\":\"application/json\","
                                   "\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}"));
    return BZR_OK;
}

static bzr_status logging(bzr__mcp_call *call) {
    bzr__mcp_log(call, "info", "fixture", BZR__S("\"Tool execution started\""));
    bzr__mcp_log(call, "info", "fixture", BZR__S("\"Tool processing data\""));
    bzr__mcp_log(call, "info", "fixture", BZR__S("\"Tool execution completed\""));
    return say(call, "logged");
}

static bzr_status failing(bzr__mcp_call *call) {
    return bzr__mcp_tool_error(call, BZR__S("This tool intentionally returns an error for testing"));
}

static bzr_status progress(bzr__mcp_call *call) {
    for (uint64_t done = 0; done <= 100; done += 50)
        if (!bzr__mcp_progress(call, done, 100, "working")) return BZR_OK;
    return say(call, "done");
}

static bzr_status structured(bzr__mcp_call *call) {
    bzr__mcp_set_structured(call, BZR__S("{\"n\":1}"));
    return BZR_OK;
}

static bzr_status tools_changed(bzr__mcp_call *call) {
    bzr__mcp_changed(call, BZR__MCP_TOOLS, bzr__str(NULL, 0));
    return say(call, "changed");
}

static bzr_status prompts_changed(bzr__mcp_call *call) {
    bzr__mcp_changed(call, BZR__MCP_PROMPTS, bzr__str(NULL, 0));
    bzr__mcp_changed(call, BZR__MCP_RESOURCE, BZR__S("test://watched-resource"));
    return say(call, "changed");
}

/* ---- tools that ask ---- */

/* Say what was answered, or ask once more where it is no object. */
static bzr_status ask_one(bzr__mcp_call *call, const char *key, bzr__mcp_ask_kind kind, const char *params,
                          const char *before) {
    const bzr__json *answer = bzr__mcp_answer(call, key);
    bzr__buf b;
    if (!answer || answer->type != BZR__JSON_OBJECT) {
        bzr__mcp_ask(call, key, kind, bzr__str_z(params));
        return BZR_OK;
    }
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX);
    bzr__buf_add_z(&b, before);
    bzr__buf_add_str(&b, answer->raw);
    bzr__mcp_add_text(call, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return BZR_OK;
}

static bzr_status ask_name(bzr__mcp_call *call) {
    return ask_one(call, "user_name", BZR__MCP_ASK_FORM, NAME_FORM, "Hello, ");
}
static bzr_status ask_capital(bzr__mcp_call *call) {
    return ask_one(call, "capital_question", BZR__MCP_ASK_SAMPLING, SAMPLE("What is the capital of France?"),
                   "LLM response: ");
}
static bzr_status ask_roots(bzr__mcp_call *call) {
    return ask_one(call, "client_roots", BZR__MCP_ASK_ROOTS, "{}", "Roots: ");
}
static bzr_status ask_sampling(bzr__mcp_call *call) {
    return ask_one(call, "sample", BZR__MCP_ASK_SAMPLING, SAMPLE("Test prompt for sampling"), "LLM response: ");
}
static bzr_status ask_user(bzr__mcp_call *call) {
    return ask_one(call, "user", BZR__MCP_ASK_FORM,
                   FORM("Please provide your information",
                        "\"username\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}", "\"username\",\"email\""),
                   "User response: ");
}

static bzr_status ask_defaults(bzr__mcp_call *call) {
    return ask_one(
        call, "defaults", BZR__MCP_ASK_FORM,
        FORM("Defaults",
             "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},"
             "\"score\":{\"type\":\"number\",\"default\":95.5},"
             "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
             "\"verified\":{\"type\":\"boolean\",\"default\":true}",
             ""),
        "Elicitation completed: ");
}

static bzr_status ask_enums(bzr__mcp_call *call) {
    return ask_one(
        call, "enums", BZR__MCP_ASK_FORM,
        FORM("Enums",
             "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
             "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},"
             "{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
             "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":[\"Option "
             "One\",\"Option Two\",\"Option Three\"]},"
             "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\","
             "\"option3\"]}},"
             "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"First "
             "Choice\"},"
             "{\"const\":\"value2\",\"title\":\"Second Choice\"},{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}",
             ""),
        "Elicitation completed: ");
}

/* A form, with a state that must come back. */
static bzr_status ask_with_state(bzr__mcp_call *call) {
    if (!bzr__str_eq(call->state, BZR__S("round 1"))) {
        bzr__mcp_keep(call, BZR__S("round 1"));
        bzr__mcp_ask(call, "confirm", BZR__MCP_ASK_FORM,
                     BZR__S(FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")));
        return BZR_OK;
    }
    bzr__mcp_keep(call, call->state);
    return ask_one(call, "confirm", BZR__MCP_ASK_FORM,
                   FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\""), "state-ok ");
}

static bzr_status ask_three(bzr__mcp_call *call) {
    if (bzr__mcp_answer(call, "user_name") && bzr__mcp_answer(call, "greeting") &&
        bzr__mcp_answer(call, "client_roots"))
        return say(call, "all three");
    bzr__mcp_keep(call, BZR__S("asked"));
    bzr__mcp_ask(call, "user_name", BZR__MCP_ASK_FORM, BZR__S(NAME_FORM));
    bzr__mcp_ask(call, "greeting", BZR__MCP_ASK_SAMPLING, BZR__S(SAMPLE("Generate a greeting")));
    bzr__mcp_ask(call, "client_roots", BZR__MCP_ASK_ROOTS, BZR__S("{}"));
    return BZR_OK;
}

static bzr_status ask_rounds(bzr__mcp_call *call) {
    bool second = bzr__str_eq(call->state, BZR__S("2")), named = second || bzr__mcp_answer(call, "step1");
    if (second && bzr__mcp_answer(call, "step2")) return say(call, "both steps done");
    bzr__mcp_keep(call, named ? BZR__S("2") : BZR__S("1"));
    bzr__mcp_ask(
        call, named ? "step2" : "step1", BZR__MCP_ASK_FORM,
        named ? BZR__S(FORM("Step 2: What is your favorite color?", "\"color\":{\"type\":\"string\"}", "\"color\""))
              : BZR__S(FORM("Step 1: What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"")));
    return BZR_OK;
}

static bzr_status ask_declared(bzr__mcp_call *call) {
    if (bzr__mcp_answer(call, "form") || bzr__mcp_answer(call, "sample") || bzr__mcp_answer(call, "roots"))
        return say(call, "answered");
    if (bzr__mcp_can_ask(call, BZR__MCP_ASK_FORM)) bzr__mcp_ask(call, "form", BZR__MCP_ASK_FORM, BZR__S(NAME_FORM));
    if (bzr__mcp_can_ask(call, BZR__MCP_ASK_SAMPLING))
        bzr__mcp_ask(call, "sample", BZR__MCP_ASK_SAMPLING, BZR__S(SAMPLE("Hi")));
    if (bzr__mcp_can_ask(call, BZR__MCP_ASK_ROOTS)) bzr__mcp_ask(call, "roots", BZR__MCP_ASK_ROOTS, BZR__S("{}"));
    return say(call, "nothing to ask with");
}

/* The user is sent to a page; nothing but an accepted offer lets the act through. */
static bzr_status ask_by_url(bzr__mcp_call *call) {
    const bzr__json *answer = bzr__mcp_answer(call, "page");
    if (answer && bzr__str_eq(bzr__json_get_text(answer, "action"), BZR__S("accept"))) return say(call, "let through");
    if (answer) return bzr__mcp_tool_error(call, BZR__S("blocked"));
    bzr__mcp_ask(
        call, "page", BZR__MCP_ASK_URL,
        call->version == BZR__MCP_2025_11_25
            ? BZR__S("{\"mode\":\"url\",\"elicitationId\":\"e1\",\"message\":\"Please look\",\"url\":\"https://"
                     "example.com/confirm\"}")
            : BZR__S("{\"mode\":\"url\",\"message\":\"Please look\",\"url\":\"https://example.com/confirm\"}"));
    return BZR_OK;
}

/* A second of work, in steps; who cancels it is counted. */
static atomic_uint cancelled;

static bzr_status slow(bzr__mcp_call *call) {
    struct timespec step = { .tv_nsec = 25000000 };
    for (uint64_t i = 0; i < 40; i++) {
        if (!bzr__mcp_progress(call, i, 40, NULL)) {
            cancelled++;
            return BZR_OK;
        }
        nanosleep(&step, NULL);
    }
    return say(call, "slowly done");
}

static bzr_status count_cancelled(bzr__mcp_call *call) {
    bzr__buf b;
    bzr__buf_init(&b, 64);
    bzr__buf_add_u64(&b, cancelled);
    bzr__mcp_add_text(call, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return BZR_OK;
}

/* Over HTTP the stream ends before the answer is there. */
static bzr_status reconnection(bzr__mcp_call *call) {
    bzr__mcp_pause(call);
    return say(call, "Reconnection test completed");
}

#define SCHEMA_2020                                                                                                    \
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/"                                                            \
    "schema\",\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\","                                 \
    "\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"          \
    "\"properties\":{\"name\":{\"type\":\"string\"},"                                                                  \
    "\"address\":{\"$ref\":\"#/$defs/"                                                                                 \
    "address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":"           \
    "\"string\"},"                                                                                                     \
    "\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}]" \
    ","                                                                                                                \
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[\"contactMethod\"]},\"then\":{"    \
    "\"required\":[\"phone\"]},"                                                                                       \
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"

#define TOOL(name, run) \
    { name, NULL, "A tool of the conformance suite.", OBJECT, NULL, NULL, run }
static const bzr__mcp_tool tools[] = {
    TOOL("test_simple_text", simple_text),
    TOOL("test_image_content", image),
    TOOL("test_audio_content", audio),
    TOOL("test_embedded_resource", embedded),
    TOOL("test_multiple_content_types", mixed),
    TOOL("test_tool_with_logging", logging),
    TOOL("test_logging_tool", logging),
    TOOL("test_error_handling", failing),
    TOOL("test_tool_with_progress", progress),
    { "test_structured", "Structured", "Structured content.", OBJECT,
      "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}",
      "{\"readOnlyHint\":true}", structured },
    { "test_sampling", NULL, "Asks the client's model.",
      "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}},\"required\":[\"prompt\"]}", NULL, NULL,
      ask_sampling },
    { "test_elicitation", NULL, "Asks the user.",
      "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},\"required\":[\"message\"]}", NULL, NULL,
      ask_user },
    TOOL("test_elicitation_sep1034_defaults", ask_defaults),
    TOOL("test_elicitation_sep1330_enums", ask_enums),
    { "json_schema_2020_12_tool", NULL, "Tool with JSON Schema 2020-12 features", SCHEMA_2020, NULL, NULL,
      simple_text },
    { "test_x_mcp_header", NULL, "Arguments that a client mirrors in headers.",
      "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},\"deep\":{"
      "\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"Deep-N\"}}}}}",
      NULL, NULL, simple_text },
    TOOL("test_url_confirmation", ask_by_url),
    TOOL("test_reconnection", reconnection),
    TOOL("test_slow", slow),
    TOOL("test_count_cancelled", count_cancelled),
    TOOL("test_missing_capability", ask_sampling),
    TOOL("test_streaming_elicitation", ask_name),
    TOOL("test_trigger_tool_change", tools_changed),
    TOOL("test_trigger_prompt_change", prompts_changed),
    TOOL("test_input_required_result_elicitation", ask_name),
    TOOL("test_input_required_result_sampling", ask_capital),
    TOOL("test_input_required_result_list_roots", ask_roots),
    TOOL("test_input_required_result_request_state", ask_with_state),
    TOOL("test_input_required_result_multiple_inputs", ask_three),
    TOOL("test_input_required_result_multi_round", ask_rounds),
    TOOL("test_input_required_result_tampered_state", ask_with_state),
    TOOL("test_input_required_result_capabilities", ask_declared),
};

/* ---- prompts ---- */

static bzr_str argument(const bzr__mcp_call *call, const char *name) {
    return bzr__json_get_text(call->arguments, name);
}

static bzr_status simple_prompt(bzr__mcp_call *call) {
    bzr__mcp_add_message(call, "user", BZR__S("This is a simple prompt for testing."));
    return BZR_OK;
}

static bzr_status prompt_with_arguments(bzr__mcp_call *call) {
    bzr__buf b;
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX * 2);
    bzr__buf_add_z(&b, "Prompt with arguments: arg1='");
    bzr__buf_add_str(&b, argument(call, "arg1"));
    bzr__buf_add_z(&b, "', arg2='");
    bzr__buf_add_str(&b, argument(call, "arg2"));
    bzr__buf_add_z(&b, "'");
    bzr__mcp_add_message(call, "user", bzr__buf_str(&b));
    bzr__buf_free(&b);
    return BZR_OK;
}

static bzr_status prompt_with_resource(bzr__mcp_call *call) {
    bzr__buf b;
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX * 8);
    bzr__buf_add_z(&b, "{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":");
    bzr__json_add_utf8(&b, argument(call, "resourceUri"));
    bzr__buf_add_z(&b, ",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}}");
    bzr__mcp_add_json(call, bzr__buf_str(&b));
    bzr__buf_free(&b);
    bzr__mcp_add_message(call, "user", BZR__S("Please process the embedded resource above."));
    return BZR_OK;
}

static bzr_status prompt_with_image(bzr__mcp_call *call) {
    bzr__mcp_add_json(call, BZR__S("{\"role\":\"user\",\"content\":" IMAGE "}"));
    bzr__mcp_add_message(call, "user", BZR__S("Please analyze the image above."));
    return BZR_OK;
}

static bzr_status prompt_that_asks(bzr__mcp_call *call) {
    if (bzr__mcp_answer(call, "user_context")) return simple_prompt(call);
    bzr__mcp_ask(
        call, "user_context", BZR__MCP_ASK_FORM,
        BZR__S(FORM("What context should the prompt use?", "\"context\":{\"type\":\"string\"}", "\"context\"")));
    return BZR_OK;
}

static const bzr__mcp_argument two_arguments[] = { { "arg1", "First test argument", true },
                                                   { "arg2", "Second test argument", true } };
static const bzr__mcp_argument resource_argument[] = { { "resourceUri", "URI of the resource to embed", true } };
static const bzr__mcp_prompt prompts[] = {
    { "test_simple_prompt", "Simple", "A simple prompt.", NULL, 0, simple_prompt },
    { "test_prompt_with_arguments", NULL, "A prompt with arguments.", two_arguments, 2, prompt_with_arguments },
    { "test_prompt_with_embedded_resource", NULL, "A prompt with a resource.", resource_argument, 1,
      prompt_with_resource },
    { "test_prompt_with_image", NULL, "A prompt with an image.", NULL, 0, prompt_with_image },
    { "test_input_required_result_prompt", NULL, "A prompt that asks.", NULL, 0, prompt_that_asks },
};

/* ---- resources ---- */

static const bzr__mcp_resource resources[] = {
    { BZR__S("test://static-text"), BZR__S("static-text"), BZR__S("Static text"), BZR__S("A static text."),
      BZR__S("text/plain") },
    { BZR__S("test://static-binary"), BZR__S("static-binary"), BZR__S(""), BZR__S("A static image."),
      BZR__S("image/png") },
    { BZR__S("test://watched-resource"), BZR__S("watched-resource"), BZR__S(""), BZR__S("A resource that changes."),
      BZR__S("text/plain") },
};

static bzr_status list_resources(bzr__mcp_call *call) {
    size_t n = sizeof resources / sizeof *resources, i = call->from < n ? (size_t)call->from : n,
           end = n - i > call->most ? i + call->most : n;
    for (; i < end; i++) bzr__mcp_add_resource(call, &resources[i]);
    call->more = end < n;
    return BZR_OK;
}

/* test://template/{id}/data */
static bzr_status read_template(bzr__mcp_call *call) {
    bzr_str before = BZR__S("test://template/"), after = BZR__S("/data"), id;
    bzr__buf b;
    if (!bzr__str_starts(call->name, before) || call->name.n < before.n + after.n) return BZR_E_NOT_FOUND;
    if (!bzr__str_eq(bzr__str_part(call->name, call->name.n - after.n, call->name.n), after)) return BZR_E_NOT_FOUND;
    id = bzr__str_part(call->name, before.n, call->name.n - after.n);
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX * 8);
    bzr__buf_add_z(&b, "{\"templateTest\":true,\"id\":");
    bzr__json_add_utf8(&b, id);
    bzr__buf_add_c(&b, '}');
    bzr__mcp_add_contents(call, "application/json", bzr__buf_str(&b));
    bzr__buf_free(&b);
    return BZR_OK;
}

static bzr_status read_resource(bzr__mcp_call *call) {
    if (bzr__str_eq(call->name, resources[0].uri))
        bzr__mcp_add_contents(call, "text/plain", BZR__S("This is the content of the static text resource."));
    else if (bzr__str_eq(call->name, resources[1].uri))
        bzr__mcp_add_json(call,
                          BZR__S("{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG "\"}"));
    else if (bzr__str_eq(call->name, resources[2].uri))
        bzr__mcp_add_contents(call, "text/plain", BZR__S("Watched."));
    else
        return read_template(call);
    return BZR_OK;
}

static bzr_status complete(bzr__mcp_call *call) {
    bzr_str typed = bzr__json_get_text(call->arguments, "value");
    if (bzr__str_starts(BZR__S("paris"), typed)) bzr__mcp_add_json(call, BZR__S("\"paris\""));
    return BZR_OK;
}

bzr__mcp_server fixture_server(void) {
    return (bzr__mcp_server){
        .name = "bezoar-fixture",
        .title = "Fixture",
        .version = "1",
        .instructions = "For tests.",
        .tools = tools,
        .tools_n = sizeof tools / sizeof *tools,
        .prompts = prompts,
        .prompts_n = sizeof prompts / sizeof *prompts,
        .resources = list_resources,
        .read = read_resource,
        .complete = complete,
        .templates =
            "[{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\",\"mimeType\":\"application/json\"}]",
        .logging = true,
        .changes = true,
        .ttl_ms = 1000,
    };
}
