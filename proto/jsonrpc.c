/* jsonrpc.c - classify a message by the members it has, and write the frames of answers.
 *
 * A message is refused with a reason rather than guessed at: a member of the wrong type, a request that is also an
 * answer, an answer that is both result and error. The id is looked at first, so that a refusal can still be matched to
 * its request. Cost: the JSON reader's pass, and one look through the members of the outermost object. */
#include "proto/jsonrpc.h"

#include "lib/base/str.h"

static toad_status refuse(toad__rpc *m, toad_status status, int code, const char *why) {
    m->code = code;
    m->why = why;
    return status;
}

static toad_status invalid(toad__rpc *m, const char *why) {
    return refuse(m, TOAD_E_SYNTAX, TOAD__RPC_REQUEST_INVALID, why);
}

/* A whole number: no fraction, no exponent. */
static bool is_whole(toad_str raw) {
    size_t i = raw.n && raw.p[0] == '-';
    if (raw.n == i || raw.n > 20) return false;
    while (i < raw.n && toad__is_digit((unsigned char)raw.p[i])) i++;
    return i == raw.n;
}

static bool is_id(const toad__json *id) {
    return id->raw.n <= TOAD__RPC_ID_MAX &&
           (id->type == TOAD__JSON_STRING || (id->type == TOAD__JSON_NUMBER && is_whole(id->raw)));
}

static toad_status classify_call(toad__rpc *m, const toad__json *id, const toad__json *method) {
    m->kind = id ? TOAD__RPC_REQUEST : TOAD__RPC_NOTIFICATION;
    m->method = method->text;
    m->params = toad__json_get(m->root, "params");
    if (method->type != TOAD__JSON_STRING || !method->text.n || method->text.n > TOAD__RPC_METHOD_MAX)
        return invalid(m, "method must be a string of 1 to 128 bytes");
    if (id && !m->id) return invalid(m, "id must be a string or a whole number");
    if (m->result || toad__json_get(m->root, "result")) return invalid(m, "a request has no result and no error");
    if (m->params && m->params->type != TOAD__JSON_OBJECT)
        return refuse(m, TOAD_E_SYNTAX, TOAD__RPC_PARAMS, "params must be an object");
    return TOAD_OK;
}

static toad_status classify_answer(toad__rpc *m, const toad__json *id) {
    const toad__json *result = toad__json_get(m->root, "result"), *error = m->result;
    m->kind = error ? TOAD__RPC_ERROR : TOAD__RPC_RESULT;
    const toad__json *own = m->id;
    if (!result && !error) return invalid(m, "a message has a method, a result or an error");
    m->id = NULL; /* an answer is never answered: its id is one of ours */
    if (result && error) return invalid(m, "an answer has a result or an error, not both");
    if (!own && (result || (id && id->type != TOAD__JSON_NULL)))
        return invalid(m, "id must be a string or a whole number");
    if (error && error->type != TOAD__JSON_OBJECT) return invalid(m, "error must be an object");
    m->id = own;
    if (result) m->result = result;
    return TOAD_OK;
}

toad_status toad__rpc_classify(const toad__json *value, toad__rpc *ret) {
    *ret = (toad__rpc){ .root = value };
    if (value->type != TOAD__JSON_OBJECT) return invalid(ret, "a message must be an object");
    const toad__json *id = toad__json_get(value, "id"), *method = toad__json_get(value, "method");
    if (id && is_id(id)) ret->id = id;
    if (!toad__str_eq(toad__json_get_text(value, "jsonrpc"), TOAD__S("2.0")))
        return invalid(ret, "jsonrpc must be \"2.0\"");
    ret->result = toad__json_get(value, "error");
    return method ? classify_call(ret, id, method) : classify_answer(ret, id);
}

toad_status toad__rpc_read(toad_str bytes, toad__arena *arena, toad__rpc *ret) {
    const toad__json *root;
    const char *expected;
    size_t at;
    *ret = (toad__rpc){ .root = NULL };
    if (bytes.n > TOAD__RPC_MESSAGE_MAX)
        return refuse(ret, TOAD_E_LIMIT, TOAD__RPC_REQUEST_INVALID, "the message is too large");
    toad_status status = toad__json_parse(bytes, arena, &root, &at, &expected);
    if (status == TOAD_E_SYNTAX) return refuse(ret, status, TOAD__RPC_PARSE, "the message is not valid JSON");
    if (status == TOAD_E_LIMIT)
        return refuse(ret, status, TOAD__RPC_REQUEST_INVALID,
                      "the message is nested too deeply or has too many values");
    if (status) return refuse(ret, status, TOAD__RPC_INTERNAL, "out of memory");
    if (root->type != TOAD__JSON_ARRAY) return toad__rpc_classify(root, ret);
    *ret = (toad__rpc){ .kind = TOAD__RPC_BATCH, .root = root };
    return TOAD_OK;
}

bool toad__rpc_same_id(const toad__json *a, const toad__json *b) {
    if (!a || !b || a->type != b->type) return false;
    return a->type == TOAD__JSON_STRING ? toad__str_eq(a->text, b->text) : toad__str_eq(a->raw, b->raw);
}

void toad__rpc_add_id(toad__buf *out, const toad__json *id) {
    if (!id)
        toad__buf_add_z(out, "null");
    else if (id->type == TOAD__JSON_STRING)
        toad__json_add_utf8(out, id->text);
    else
        toad__buf_add_str(out, id->raw);
}

static void begin(toad__buf *out, const toad__json *id, const char *member) {
    toad__buf_add_z(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__rpc_add_id(out, id);
    toad__buf_add_z(out, member);
}

void toad__rpc_begin_result(toad__buf *out, const toad__json *id) { begin(out, id, ",\"result\":"); }

void toad__rpc_add_error(toad__buf *out, const toad__json *id, int code, const char *message, toad_str data) {
    begin(out, id, ",\"error\":{\"code\":");
    toad__rpc_add_int(out, code);
    toad__buf_add_z(out, ",\"message\":");
    toad__json_add_str(out, toad__str_z(message));
    if (data.n) {
        toad__buf_add_z(out, ",\"data\":");
        toad__buf_add_str(out, data);
    }
    toad__buf_add_z(out, "}}");
}

void toad__rpc_begin_notification(toad__buf *out, const char *method) {
    toad__buf_add_z(out, "{\"jsonrpc\":\"2.0\",\"method\":");
    toad__json_add_str(out, toad__str_z(method));
    toad__buf_add_z(out, ",\"params\":");
}

void toad__rpc_add_int(toad__buf *out, int64_t value) {
    if (value < 0) toad__buf_add_c(out, '-');
    toad__buf_add_u64(out, value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value);
}

/* ---- the id of a message that is not kept ---- */

static void add_id_byte(toad__rpc_id_finder *f, char c) {
    if (f->id_n < sizeof f->id) f->id[f->id_n] = c;
    if (f->id_n <= sizeof f->id) f->id_n++;
}

/* One byte within a string. Only names and the id of the outermost object are of interest. */
static void find_in_string(toad__rpc_id_finder *f, char c) {
    if (f->is_id && f->depth == 1)
        add_id_byte(f, c);
    else if (f->is_key && f->depth == 1 && (c != '"' || f->escaped)) {
        if (f->key_n < sizeof f->key) f->key[f->key_n] = c;
        if (f->key_n <= sizeof f->key) f->key_n++;
    }
    f->in_string = c != '"' || f->escaped;
    f->escaped = c == '\\' && !f->escaped;
}

static void find_outside(toad__rpc_id_finder *f, char c) {
    bool top = f->depth == 1;
    if (c == '"') {
        f->in_string = true;
        if (f->is_id && top)
            add_id_byte(f, c);
        else if (f->is_key && top)
            f->key_n = 0;
    } else if (c == '{' || c == '[') {
        f->is_id = false;
        f->is_key = !f->depth++ && c == '{';
    } else if (c == '}' || c == ']' || c == ',') {
        if (top && f->is_id) f->done = true;
        if (c != ',' && f->depth) f->depth--;
        f->is_key = f->depth == 1 && c == ',';
    } else if (c == ':' && top && f->is_key) {
        f->is_key = false;
        f->is_id = f->key_n == 2 && !memcmp(f->key, "id", 2);
    } else if (f->is_id && top && !toad__is_space((unsigned char)c)) {
        add_id_byte(f, c);
    }
}

void toad__rpc_find_id(toad__rpc_id_finder *f, toad_str bytes) {
    for (size_t i = 0; i < bytes.n && !f->done; i++) (f->in_string ? find_in_string : find_outside)(f, bytes.p[i]);
}

void toad__rpc_found_id(const toad__rpc_id_finder *f, toad__buf *out) {
    toad__arena arena;
    const toad__json *id;
    const char *expected;
    size_t at;
    if (!f->done || f->id_n > sizeof f->id) return;
    toad__arena_init(&arena, 4096);
    if (!toad__json_parse(toad__str(f->id, f->id_n), &arena, &id, &at, &expected) && is_id(id))
        toad__rpc_add_id(out, id);
    toad__arena_free(&arena);
}
