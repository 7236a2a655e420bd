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
static bzr_str next_word(const char **at) {
    const char *from = *at ? *at : "";
    size_t n = strcspn(from, " ");
    *at = from + n + (from[n] == ' ');
    return bzr__str(from, n);
}

static void add_words(bzr__buf *b, const char *words) {
    bzr__buf_add_z(b, ",\"enum\":[");
    for (bzr_str word = next_word(&words), first = word; word.n; word = next_word(&words)) {
        if (word.p != first.p) bzr__buf_add_c(b, ',');
        bzr__json_add_str(b, word);
    }
    bzr__buf_add_c(b, ']');
}

static void add_property(bzr__buf *b, const mcp_param *p) {
    bzr__json_add_str(b, bzr__str_z(p->name));
    bzr__buf_add_z(b, ":{\"type\":\"");
    bzr__buf_add_z(b, type_names[p->type]);
    bzr__buf_add_c(b, '"');
    if (p->type == MCP_WORD) add_words(b, p->words);
    if (p->type == MCP_COUNT) bzr__buf_add_z(b, ",\"minimum\":1,\"maximum\":1000000");
    if (p->type == MCP_INDEX) bzr__buf_add_z(b, ",\"minimum\":0,\"maximum\":1000000000");
    if (p->type == MCP_URL) bzr__buf_add_z(b, ",\"format\":\"uri\",\"minLength\":1");
    if (p->type == MCP_TEXTS) bzr__buf_add_z(b, ",\"items\":{\"type\":\"string\"},\"maxItems\":256");
    bzr__buf_add_z(b, ",\"description\":");
    bzr__json_add_str(b, bzr__str_z(p->description));
    bzr__buf_add_c(b, '}');
}

void mcp_add_schema(bzr__buf *b, const mcp_param *params, size_t n) {
    bool first = true;
    bzr__buf_add_z(b, "{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; i < n; i++) {
        if (i) bzr__buf_add_c(b, ',');
        add_property(b, &params[i]);
    }
    bzr__buf_add_c(b, '}');
    for (size_t i = 0; i < n; i++) {
        if (!params[i].required) continue;
        bzr__buf_add_z(b, first ? ",\"required\":[" : ",");
        bzr__json_add_str(b, bzr__str_z(params[i].name));
        first = false;
    }
    bzr__buf_add_z(b, first ? ",\"additionalProperties\":false}" : "],\"additionalProperties\":false}");
}

/* ---- the check ---- */

static bool read_number(const bzr__json *value, uint64_t least, uint64_t most, uint64_t *ret) {
    uint64_t n = 0;
    if (value->type != BZR__JSON_NUMBER || value->raw.n > 10) return false;
    for (size_t i = 0; i < value->raw.n; i++) {
        if (!bzr__is_digit((unsigned char)value->raw.p[i])) return false;
        n = n * 10 + (uint64_t)(value->raw.p[i] - '0');
    }
    *ret = n;
    return n >= least && n <= most;
}

static bool is_word(bzr_str text, const char *words) {
    for (bzr_str word = next_word(&words); word.n; word = next_word(&words))
        if (bzr__str_eq(word, text)) return true;
    return false;
}

static bool are_texts(const bzr__json *value) {
    size_t n = 0;
    for (const bzr__json *item = value->child; item; item = item->next)
        if (item->type != BZR__JSON_STRING || ++n > MCP_TEXTS_MAX) return false;
    return value->type == BZR__JSON_ARRAY;
}

static bool fits(const bzr__json *value, const mcp_param *p) {
    uint64_t n;
    switch (p->type) {
    case MCP_TEXT: return value->type == BZR__JSON_STRING;
    case MCP_WORD: return value->type == BZR__JSON_STRING && is_word(value->text, p->words);
    case MCP_COUNT: return read_number(value, 1, MCP_COUNT_MAX, &n);
    case MCP_INDEX: return read_number(value, 0, MCP_INDEX_MAX, &n);
    case MCP_URL: return value->type == BZR__JSON_STRING && value->text.n;
    case MCP_FLAG: return value->type == BZR__JSON_TRUE || value->type == BZR__JSON_FALSE;
    case MCP_OBJECT: return value->type == BZR__JSON_OBJECT;
    default: return are_texts(value);
    }
}

static bool complain(bzr__buf *why, const mcp_param *p, bool missing) {
    bzr__buf_add_z(why, "The argument '");
    bzr__buf_add_z(why, p->name);
    bzr__buf_add_z(why, missing ? "' is missing: " : "' must be ");
    bzr__buf_add_z(why, missing ? p->description : type_words[p->type]);
    if (!missing && p->type == MCP_WORD) bzr__buf_add_z(why, p->words);
    if (!missing) bzr__buf_add_c(why, '.');
    return false;
}

static bool complain_unknown(bzr__buf *why, bzr_str name, const mcp_param *params, size_t n) {
    bzr__buf_add_z(why, "There is no argument ");
    bzr__json_add_str(why, bzr__str_part(name, 0, 64));
    bzr__buf_add_z(why, n ? "; there are:" : "; there are none");
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_z(why, i ? ", " : " ");
        bzr__buf_add_z(why, params[i].name);
    }
    bzr__buf_add_c(why, '.');
    return false;
}

static bool is_given(const bzr__json *value) { return value && value->type != BZR__JSON_NULL; }

bool mcp_check_arguments(const bzr__json *arguments, const mcp_param *params, size_t n, bzr__buf *why) {
    for (size_t i = 0; i < n; i++) {
        const bzr__json *value = bzr__json_get(arguments, params[i].name);
        if (is_given(value) ? !fits(value, &params[i]) : params[i].required)
            return complain(why, &params[i], !is_given(value));
    }
    for (const bzr__json *m = arguments ? arguments->child : NULL; m; m = m->next) {
        size_t i = 0;
        while (i < n && !bzr__str_eq(m->key, bzr__str_z(params[i].name))) i++;
        if (i == n) return complain_unknown(why, m->key, params, n);
    }
    return true;
}

/* ---- what was given ---- */

bool mcp_is_given(const bzr__mcp_call *call, const char *name) {
    return is_given(bzr__json_get(call->arguments, name));
}

bzr_str mcp_text(const bzr__mcp_call *call, const char *name) { return bzr__json_get_text(call->arguments, name); }

uint64_t mcp_count(const bzr__mcp_call *call, const char *name) {
    const bzr__json *value = bzr__json_get(call->arguments, name);
    uint64_t n = 0;
    return value && read_number(value, 0, MCP_INDEX_MAX, &n) ? n : 0;
}

bool mcp_flag(const bzr__mcp_call *call, const char *name) {
    const bzr__json *value = bzr__json_get(call->arguments, name);
    return value && value->type == BZR__JSON_TRUE;
}

bzr_str mcp_object(const bzr__mcp_call *call, const char *name) {
    const bzr__json *value = bzr__json_get(call->arguments, name);
    return value && value->type == BZR__JSON_OBJECT ? value->raw : bzr__str(NULL, 0);
}

size_t mcp_texts(const bzr__mcp_call *call, const char *name, bzr_str out[MCP_TEXTS_MAX]) {
    const bzr__json *value = bzr__json_get(call->arguments, name);
    size_t n = 0;
    for (const bzr__json *item = value ? value->child : NULL; item && n < MCP_TEXTS_MAX; item = item->next)
        out[n++] = item->text.p ? item->text : BZR__S("");
    return n;
}
