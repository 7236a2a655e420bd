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

static toad_status say(toad__mcp_call *call, const char *text) {
    toad__mcp_add_text(call, toad__str_z(text));
    return TOAD_OK;
}

static toad_status simple_text(toad__mcp_call *call) {
    return say(call, "This is a simple text response for testing.");
}

static toad_status image(toad__mcp_call *call) {
    toad__mcp_add_json(call, TOAD__S(IMAGE));
    return TOAD_OK;
}

static toad_status audio(toad__mcp_call *call) {
    toad__mcp_add_json(call, TOAD__S("{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}"));
    return TOAD_OK;
}

static toad_status embedded(toad__mcp_call *call) {
    toad__mcp_add_json(
        call,
        TOAD__S("{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
                "\"text\":\"This is an embedded resource content.\"}}"));
    return TOAD_OK;
}

static toad_status mixed(toad__mcp_call *call) {
    toad__mcp_add_text(call, TOAD__S("Multiple content types test:"));
    toad__mcp_add_json(call, TOAD__S(IMAGE));
    toad__mcp_add_json(call, TOAD__S("{\"type\":\"resource\",\"resource\":{\"uri\":\"test://"
                                     "mixed-content-resource\",\"mimeType\":\"application/json\","
                                     "\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}"));
    return TOAD_OK;
}

static toad_status logging(toad__mcp_call *call) {
    toad__mcp_log(call, "info", "fixture", TOAD__S("\"Tool execution started\""));
    toad__mcp_log(call, "info", "fixture", TOAD__S("\"Tool processing data\""));
    toad__mcp_log(call, "info", "fixture", TOAD__S("\"Tool execution completed\""));
    return say(call, "logged");
}

static toad_status failing(toad__mcp_call *call) {
    return toad__mcp_tool_error(call, TOAD__S("This tool intentionally returns an error for testing"));
}

static toad_status progress(toad__mcp_call *call) {
    for (uint64_t done = 0; done <= 100; done += 50)
        if (!toad__mcp_progress(call, done, 100, "working")) return TOAD_OK;
    return say(call, "done");
}

static toad_status structured(toad__mcp_call *call) {
    toad__mcp_set_structured(call, TOAD__S("{\"n\":1}"));
    return TOAD_OK;
}

static toad_status tools_changed(toad__mcp_call *call) {
    toad__mcp_changed(call, TOAD__MCP_TOOLS, toad__str(NULL, 0));
    return say(call, "changed");
}

static toad_status prompts_changed(toad__mcp_call *call) {
    toad__mcp_changed(call, TOAD__MCP_PROMPTS, toad__str(NULL, 0));
    toad__mcp_changed(call, TOAD__MCP_RESOURCE, TOAD__S("test://watched-resource"));
    return say(call, "changed");
}

/* ---- tools that ask ---- */

/* Say what was answered, or ask once more where it is no object. */
static toad_status ask_one(toad__mcp_call *call, const char *key, toad__mcp_ask_kind kind, const char *params,
                           const char *before) {
    const toad__json *answer = toad__mcp_answer(call, key);
    toad__buf b;
    if (!answer || answer->type != TOAD__JSON_OBJECT) {
        toad__mcp_ask(call, key, kind, toad__str_z(params));
        return TOAD_OK;
    }
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX);
    toad__buf_add_z(&b, before);
    toad__buf_add_str(&b, answer->raw);
    toad__mcp_add_text(call, toad__buf_str(&b));
    toad__buf_free(&b);
    return TOAD_OK;
}

static toad_status ask_name(toad__mcp_call *call) {
    return ask_one(call, "user_name", TOAD__MCP_ASK_FORM, NAME_FORM, "Hello, ");
}
static toad_status ask_capital(toad__mcp_call *call) {
    return ask_one(call, "capital_question", TOAD__MCP_ASK_SAMPLING, SAMPLE("What is the capital of France?"),
                   "LLM response: ");
}
static toad_status ask_roots(toad__mcp_call *call) {
    return ask_one(call, "client_roots", TOAD__MCP_ASK_ROOTS, "{}", "Roots: ");
}
static toad_status ask_sampling(toad__mcp_call *call) {
    return ask_one(call, "sample", TOAD__MCP_ASK_SAMPLING, SAMPLE("Test prompt for sampling"), "LLM response: ");
}
static toad_status ask_user(toad__mcp_call *call) {
    return ask_one(call, "user", TOAD__MCP_ASK_FORM,
                   FORM("Please provide your information",
                        "\"username\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}", "\"username\",\"email\""),
                   "User response: ");
}

static toad_status ask_defaults(toad__mcp_call *call) {
    return ask_one(
        call, "defaults", TOAD__MCP_ASK_FORM,
        FORM("Defaults",
             "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},\"age\":{\"type\":\"integer\",\"default\":30},"
             "\"score\":{\"type\":\"number\",\"default\":95.5},"
             "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
             "\"verified\":{\"type\":\"boolean\",\"default\":true}",
             ""),
        "Elicitation completed: ");
}

static toad_status ask_enums(toad__mcp_call *call) {
    return ask_one(
        call, "enums", TOAD__MCP_ASK_FORM,
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
static toad_status ask_with_state(toad__mcp_call *call) {
    if (!toad__str_eq(call->state, TOAD__S("round 1"))) {
        toad__mcp_keep(call, TOAD__S("round 1"));
        toad__mcp_ask(call, "confirm", TOAD__MCP_ASK_FORM,
                      TOAD__S(FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\"")));
        return TOAD_OK;
    }
    toad__mcp_keep(call, call->state);
    return ask_one(call, "confirm", TOAD__MCP_ASK_FORM,
                   FORM("Please confirm", "\"ok\":{\"type\":\"boolean\"}", "\"ok\""), "state-ok ");
}

static toad_status ask_three(toad__mcp_call *call) {
    if (toad__mcp_answer(call, "user_name") && toad__mcp_answer(call, "greeting") &&
        toad__mcp_answer(call, "client_roots"))
        return say(call, "all three");
    toad__mcp_keep(call, TOAD__S("asked"));
    toad__mcp_ask(call, "user_name", TOAD__MCP_ASK_FORM, TOAD__S(NAME_FORM));
    toad__mcp_ask(call, "greeting", TOAD__MCP_ASK_SAMPLING, TOAD__S(SAMPLE("Generate a greeting")));
    toad__mcp_ask(call, "client_roots", TOAD__MCP_ASK_ROOTS, TOAD__S("{}"));
    return TOAD_OK;
}

static toad_status ask_rounds(toad__mcp_call *call) {
    bool second = toad__str_eq(call->state, TOAD__S("2")), named = second || toad__mcp_answer(call, "step1");
    if (second && toad__mcp_answer(call, "step2")) return say(call, "both steps done");
    toad__mcp_keep(call, named ? TOAD__S("2") : TOAD__S("1"));
    toad__mcp_ask(
        call, named ? "step2" : "step1", TOAD__MCP_ASK_FORM,
        named ? TOAD__S(FORM("Step 2: What is your favorite color?", "\"color\":{\"type\":\"string\"}", "\"color\""))
              : TOAD__S(FORM("Step 1: What is your name?", "\"name\":{\"type\":\"string\"}", "\"name\"")));
    return TOAD_OK;
}

static toad_status ask_declared(toad__mcp_call *call) {
    if (toad__mcp_answer(call, "form") || toad__mcp_answer(call, "sample") || toad__mcp_answer(call, "roots"))
        return say(call, "answered");
    if (toad__mcp_can_ask(call, TOAD__MCP_ASK_FORM))
        toad__mcp_ask(call, "form", TOAD__MCP_ASK_FORM, TOAD__S(NAME_FORM));
    if (toad__mcp_can_ask(call, TOAD__MCP_ASK_SAMPLING))
        toad__mcp_ask(call, "sample", TOAD__MCP_ASK_SAMPLING, TOAD__S(SAMPLE("Hi")));
    if (toad__mcp_can_ask(call, TOAD__MCP_ASK_ROOTS)) toad__mcp_ask(call, "roots", TOAD__MCP_ASK_ROOTS, TOAD__S("{}"));
    return say(call, "nothing to ask with");
}

/* The user is sent to a page; nothing but an accepted offer lets the act through. */
static toad_status ask_by_url(toad__mcp_call *call) {
    const toad__json *answer = toad__mcp_answer(call, "page");
    if (answer && toad__str_eq(toad__json_get_text(answer, "action"), TOAD__S("accept")))
        return say(call, "let through");
    if (answer) return toad__mcp_tool_error(call, TOAD__S("blocked"));
    toad__mcp_ask(
        call, "page", TOAD__MCP_ASK_URL,
        call->version == TOAD__MCP_2025_11_25
            ? TOAD__S("{\"mode\":\"url\",\"elicitationId\":\"e1\",\"message\":\"Please look\",\"url\":\"https://"
                      "example.com/confirm\"}")
            : TOAD__S("{\"mode\":\"url\",\"message\":\"Please look\",\"url\":\"https://example.com/confirm\"}"));
    return TOAD_OK;
}

/* A second of work, in steps; who cancels it is counted. */
static atomic_uint cancelled;

static toad_status slow(toad__mcp_call *call) {
    struct timespec step = { .tv_nsec = 25000000 };
    for (uint64_t i = 0; i < 40; i++) {
        if (!toad__mcp_progress(call, i, 40, NULL)) {
            cancelled++;
            return TOAD_OK;
        }
        nanosleep(&step, NULL);
    }
    return say(call, "slowly done");
}

static toad_status count_cancelled(toad__mcp_call *call) {
    toad__buf b;
    toad__buf_init(&b, 64);
    toad__buf_add_u64(&b, cancelled);
    toad__mcp_add_text(call, toad__buf_str(&b));
    toad__buf_free(&b);
    return TOAD_OK;
}

/* Over HTTP the stream ends before the answer is there. */
static toad_status reconnection(toad__mcp_call *call) {
    toad__mcp_pause(call);
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
static const toad__mcp_tool tools[] = {
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

static toad_str argument(const toad__mcp_call *call, const char *name) {
    return toad__json_get_text(call->arguments, name);
}

static toad_status simple_prompt(toad__mcp_call *call) {
    toad__mcp_add_message(call, "user", TOAD__S("This is a simple prompt for testing."));
    return TOAD_OK;
}

static toad_status prompt_with_arguments(toad__mcp_call *call) {
    toad__buf b;
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX * 2);
    toad__buf_add_z(&b, "Prompt with arguments: arg1='");
    toad__buf_add_str(&b, argument(call, "arg1"));
    toad__buf_add_z(&b, "', arg2='");
    toad__buf_add_str(&b, argument(call, "arg2"));
    toad__buf_add_z(&b, "'");
    toad__mcp_add_message(call, "user", toad__buf_str(&b));
    toad__buf_free(&b);
    return TOAD_OK;
}

static toad_status prompt_with_resource(toad__mcp_call *call) {
    toad__buf b;
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX * 8);
    toad__buf_add_z(&b, "{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":");
    toad__json_add_utf8(&b, argument(call, "resourceUri"));
    toad__buf_add_z(&b, ",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource content for testing.\"}}}");
    toad__mcp_add_json(call, toad__buf_str(&b));
    toad__buf_free(&b);
    toad__mcp_add_message(call, "user", TOAD__S("Please process the embedded resource above."));
    return TOAD_OK;
}

static toad_status prompt_with_image(toad__mcp_call *call) {
    toad__mcp_add_json(call, TOAD__S("{\"role\":\"user\",\"content\":" IMAGE "}"));
    toad__mcp_add_message(call, "user", TOAD__S("Please analyze the image above."));
    return TOAD_OK;
}

static toad_status prompt_that_asks(toad__mcp_call *call) {
    if (toad__mcp_answer(call, "user_context")) return simple_prompt(call);
    toad__mcp_ask(
        call, "user_context", TOAD__MCP_ASK_FORM,
        TOAD__S(FORM("What context should the prompt use?", "\"context\":{\"type\":\"string\"}", "\"context\"")));
    return TOAD_OK;
}

static const toad__mcp_argument two_arguments[] = { { "arg1", "First test argument", true },
                                                    { "arg2", "Second test argument", true } };
static const toad__mcp_argument resource_argument[] = { { "resourceUri", "URI of the resource to embed", true } };
static const toad__mcp_prompt prompts[] = {
    { "test_simple_prompt", "Simple", "A simple prompt.", NULL, 0, simple_prompt },
    { "test_prompt_with_arguments", NULL, "A prompt with arguments.", two_arguments, 2, prompt_with_arguments },
    { "test_prompt_with_embedded_resource", NULL, "A prompt with a resource.", resource_argument, 1,
      prompt_with_resource },
    { "test_prompt_with_image", NULL, "A prompt with an image.", NULL, 0, prompt_with_image },
    { "test_input_required_result_prompt", NULL, "A prompt that asks.", NULL, 0, prompt_that_asks },
};

/* ---- resources ---- */

static const toad__mcp_resource resources[] = {
    { TOAD__S("test://static-text"), TOAD__S("static-text"), TOAD__S("Static text"), TOAD__S("A static text."),
      TOAD__S("text/plain") },
    { TOAD__S("test://static-binary"), TOAD__S("static-binary"), TOAD__S(""), TOAD__S("A static image."),
      TOAD__S("image/png") },
    { TOAD__S("test://watched-resource"), TOAD__S("watched-resource"), TOAD__S(""), TOAD__S("A resource that changes."),
      TOAD__S("text/plain") },
};

static toad_status list_resources(toad__mcp_call *call) {
    size_t n = sizeof resources / sizeof *resources, i = call->from < n ? (size_t)call->from : n,
           end = n - i > call->most ? i + call->most : n;
    for (; i < end; i++) toad__mcp_add_resource(call, &resources[i]);
    call->more = end < n;
    return TOAD_OK;
}

/* test://template/{id}/data */
static toad_status read_template(toad__mcp_call *call) {
    toad_str before = TOAD__S("test://template/"), after = TOAD__S("/data"), id;
    toad__buf b;
    if (!toad__str_starts(call->name, before) || call->name.n < before.n + after.n) return TOAD_E_NOT_FOUND;
    if (!toad__str_eq(toad__str_part(call->name, call->name.n - after.n, call->name.n), after)) return TOAD_E_NOT_FOUND;
    id = toad__str_part(call->name, before.n, call->name.n - after.n);
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX * 8);
    toad__buf_add_z(&b, "{\"templateTest\":true,\"id\":");
    toad__json_add_utf8(&b, id);
    toad__buf_add_c(&b, '}');
    toad__mcp_add_contents(call, "application/json", toad__buf_str(&b));
    toad__buf_free(&b);
    return TOAD_OK;
}

static toad_status read_resource(toad__mcp_call *call) {
    if (toad__str_eq(call->name, resources[0].uri))
        toad__mcp_add_contents(call, "text/plain", TOAD__S("This is the content of the static text resource."));
    else if (toad__str_eq(call->name, resources[1].uri))
        toad__mcp_add_json(
            call, TOAD__S("{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG "\"}"));
    else if (toad__str_eq(call->name, resources[2].uri))
        toad__mcp_add_contents(call, "text/plain", TOAD__S("Watched."));
    else
        return read_template(call);
    return TOAD_OK;
}

static toad_status complete(toad__mcp_call *call) {
    toad_str typed = toad__json_get_text(call->arguments, "value");
    if (toad__str_starts(TOAD__S("paris"), typed)) toad__mcp_add_json(call, TOAD__S("\"paris\""));
    return TOAD_OK;
}

toad__mcp_server fixture_server(void) {
    return (toad__mcp_server){
        .name = "toadstone-fixture",
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
