/* params.c - the schema of a tool's arguments, and the check of a call against it. A model reads what is wrong and
 * mends it, so messages name the argument and what it may be. */
#include "face/mcp/params.h"

#include "lib/base/str.h"

static const char *const type_names[] = { "string", "string", "integer", "boolean",
                                          "array",  "object", "string",  "integer" };

static const char *const type_words[] = {
    "a string",  "one of: ", "a whole number from 1 to 1000000",   "true or false", "an array of at most 256 strings",
    "an object", "a URL",    "a whole number from 0 to 1000000000"
};

/* The next of the words separated by blanks; n is 0 at the end. */
static toad_str next_word(const char **at) {
    const char *from = *at ? *at : "";
    size_t n = strcspn(from, " ");
    *at = from + n + (from[n] == ' ');
    return toad__str(from, n);
}

static void add_words(toad__buf *b, const char *words) {
    toad__buf_add_z(b, ",\"enum\":[");
    for (toad_str word = next_word(&words), first = word; word.n; word = next_word(&words)) {
        if (word.p != first.p) toad__buf_add_c(b, ',');
        toad__json_add_str(b, word);
    }
    toad__buf_add_c(b, ']');
}

static void add_property(toad__buf *b, const mcp_param *p) {
    toad__json_add_str(b, toad__str_z(p->name));
    toad__buf_add_z(b, ":{\"type\":\"");
    toad__buf_add_z(b, type_names[p->type]);
    toad__buf_add_c(b, '"');
    if (p->type == MCP_WORD) add_words(b, p->words);
    if (p->type == MCP_COUNT) toad__buf_add_z(b, ",\"minimum\":1,\"maximum\":1000000");
    if (p->type == MCP_INDEX) toad__buf_add_z(b, ",\"minimum\":0,\"maximum\":1000000000");
    if (p->type == MCP_URL) toad__buf_add_z(b, ",\"format\":\"uri\",\"minLength\":1");
    if (p->type == MCP_TEXTS) toad__buf_add_z(b, ",\"items\":{\"type\":\"string\"},\"maxItems\":256");
    toad__buf_add_z(b, ",\"description\":");
    toad__json_add_str(b, toad__str_z(p->description));
    toad__buf_add_c(b, '}');
}

void mcp_add_schema(toad__buf *b, const mcp_param *params, size_t n) {
    bool first = true;
    toad__buf_add_z(b, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_c(b, ',');
        add_property(b, &params[i]);
    }
    toad__buf_add_c(b, '}');
    for (size_t i = 0; i < n; i++) {
        if (!params[i].required) continue;
        toad__buf_add_z(b, first ? ",\"required\":[" : ",");
        toad__json_add_str(b, toad__str_z(params[i].name));
        first = false;
    }
    toad__buf_add_z(b, first ? ",\"additionalProperties\":false}" : "],\"additionalProperties\":false}");
}

/* ---- the check ---- */

static bool read_number(const toad__json *value, uint64_t least, uint64_t most, uint64_t *ret) {
    uint64_t n = 0;
    if (value->type != TOAD__JSON_NUMBER || value->raw.n > 10) return false;
    for (size_t i = 0; i < value->raw.n; i++) {
        if (!toad__is_digit((unsigned char)value->raw.p[i])) return false;
        n = n * 10 + (uint64_t)(value->raw.p[i] - '0');
    }
    *ret = n;
    return n >= least && n <= most;
}

static bool is_word(toad_str text, const char *words) {
    for (toad_str word = next_word(&words); word.n; word = next_word(&words))
        if (toad__str_eq(word, text)) return true;
    return false;
}

static bool are_texts(const toad__json *value) {
    size_t n = 0;
    for (const toad__json *item = value->child; item; item = item->next)
        if (item->type != TOAD__JSON_STRING || ++n > MCP_TEXTS_MAX) return false;
    return value->type == TOAD__JSON_ARRAY;
}

static bool fits(const toad__json *value, const mcp_param *p) {
    uint64_t n;
    switch (p->type) {
    case MCP_TEXT: return value->type == TOAD__JSON_STRING;
    case MCP_WORD: return value->type == TOAD__JSON_STRING && is_word(value->text, p->words);
    case MCP_COUNT: return read_number(value, 1, MCP_COUNT_MAX, &n);
    case MCP_INDEX: return read_number(value, 0, MCP_INDEX_MAX, &n);
    case MCP_URL: return value->type == TOAD__JSON_STRING && value->text.n;
    case MCP_FLAG: return value->type == TOAD__JSON_TRUE || value->type == TOAD__JSON_FALSE;
    case MCP_OBJECT: return value->type == TOAD__JSON_OBJECT;
    default: return are_texts(value);
    }
}

static bool complain(toad__buf *why, const mcp_param *p, bool missing) {
    toad__buf_add_z(why, "The argument '");
    toad__buf_add_z(why, p->name);
    toad__buf_add_z(why, missing ? "' is missing: " : "' must be ");
    toad__buf_add_z(why, missing ? p->description : type_words[p->type]);
    if (!missing && p->type == MCP_WORD) toad__buf_add_z(why, p->words);
    if (!missing) toad__buf_add_c(why, '.');
    return false;
}

static bool complain_unknown(toad__buf *why, toad_str name, const mcp_param *params, size_t n) {
    toad__buf_add_z(why, "There is no argument ");
    toad__json_add_str(why, toad__str_part(name, 0, 64));
    toad__buf_add_z(why, n ? "; there are:" : "; there are none");
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_z(why, i ? ", " : " ");
        toad__buf_add_z(why, params[i].name);
    }
    toad__buf_add_c(why, '.');
    return false;
}

static bool is_given(const toad__json *value) { return value && value->type != TOAD__JSON_NULL; }

bool mcp_check_arguments(const toad__json *arguments, const mcp_param *params, size_t n, toad__buf *why) {
    for (size_t i = 0; i < n; i++) {
        const toad__json *value = toad__json_get(arguments, params[i].name);
        if (is_given(value) ? !fits(value, &params[i]) : params[i].required)
            return complain(why, &params[i], !is_given(value));
    }
    for (const toad__json *m = arguments ? arguments->child : NULL; m; m = m->next) {
        size_t i = 0;
        while (i < n && !toad__str_eq(m->key, toad__str_z(params[i].name))) i++;
        if (i == n) return complain_unknown(why, m->key, params, n);
    }
    return true;
}

/* ---- what was given ---- */

bool mcp_is_given(const toad__mcp_call *call, const char *name) {
    return is_given(toad__json_get(call->arguments, name));
}

toad_str mcp_text(const toad__mcp_call *call, const char *name) { return toad__json_get_text(call->arguments, name); }

uint64_t mcp_count(const toad__mcp_call *call, const char *name) {
    const toad__json *value = toad__json_get(call->arguments, name);
    uint64_t n = 0;
    return value && read_number(value, 0, MCP_INDEX_MAX, &n) ? n : 0;
}

bool mcp_flag(const toad__mcp_call *call, const char *name) {
    const toad__json *value = toad__json_get(call->arguments, name);
    return value && value->type == TOAD__JSON_TRUE;
}

toad_str mcp_object(const toad__mcp_call *call, const char *name) {
    const toad__json *value = toad__json_get(call->arguments, name);
    return value && value->type == TOAD__JSON_OBJECT ? value->raw : toad__str(NULL, 0);
}

size_t mcp_texts(const toad__mcp_call *call, const char *name, toad_str out[MCP_TEXTS_MAX]) {
    const toad__json *value = toad__json_get(call->arguments, name);
    size_t n = 0;
    for (const toad__json *item = value ? value->child : NULL; item && n < MCP_TEXTS_MAX; item = item->next)
        out[n++] = item->text.p ? item->text : TOAD__S("");
    return n;
}
