/* jsonrpc.c - classify a message by the members it has, and write the frames of answers.
 *
 * A message is refused with a reason rather than guessed at: a member of the wrong type, a request that is also an
 * answer, an answer that is both result and error. The id is looked at first, so that a refusal can still be matched to
 * its request. Cost: the JSON reader's pass, and one look through the members of the outermost object. */
#include "proto/jsonrpc.h"

#include "lib/base/str.h"

static bzr_status refuse(bzr__rpc *m, bzr_status status, int code, const char *why) {
    m->code = code;
    m->why = why;
    return status;
}

static bzr_status invalid(bzr__rpc *m, const char *why) {
    return refuse(m, BZR_E_SYNTAX, BZR__RPC_REQUEST_INVALID, why);
}

/* A whole number: no fraction, no exponent. */
static bool is_whole(bzr_str raw) {
    size_t i = raw.n && raw.p[0] == '-';
    if (raw.n == i || raw.n > 20) return false;
    while (i < raw.n && bzr__is_digit((unsigned char)raw.p[i])) i++;
    return i == raw.n;
}

static bool is_id(const bzr__json *id) {
    return id->raw.n <= BZR__RPC_ID_MAX &&
           (id->type == BZR__JSON_STRING || (id->type == BZR__JSON_NUMBER && is_whole(id->raw)));
}

static bzr_status classify_call(bzr__rpc *m, const bzr__json *id, const bzr__json *method) {
    m->kind = id ? BZR__RPC_REQUEST : BZR__RPC_NOTIFICATION;
    m->method = method->text;
    m->params = bzr__json_get(m->root, "params");
    if (method->type != BZR__JSON_STRING || !method->text.n || method->text.n > BZR__RPC_METHOD_MAX)
        return invalid(m, "method must be a string of 1 to 128 bytes");
    if (id && !m->id) return invalid(m, "id must be a string or a whole number");
    if (m->result || bzr__json_get(m->root, "result")) return invalid(m, "a request has no result and no error");
    if (m->params && m->params->type != BZR__JSON_OBJECT)
        return refuse(m, BZR_E_SYNTAX, BZR__RPC_PARAMS, "params must be an object");
    return BZR_OK;
}

static bzr_status classify_answer(bzr__rpc *m, const bzr__json *id) {
    const bzr__json *result = bzr__json_get(m->root, "result"), *error = m->result;
    m->kind = error ? BZR__RPC_ERROR : BZR__RPC_RESULT;
    const bzr__json *own = m->id;
    if (!result && !error) return invalid(m, "a message has a method, a result or an error");
    m->id = NULL; /* an answer is never answered: its id is one of ours */
    if (result && error) return invalid(m, "an answer has a result or an error, not both");
    if (!own && (result || (id && id->type != BZR__JSON_NULL)))
        return invalid(m, "id must be a string or a whole number");
    if (error && error->type != BZR__JSON_OBJECT) return invalid(m, "error must be an object");
    m->id = own;
    if (result) m->result = result;
    return BZR_OK;
}

bzr_status bzr__rpc_classify(const bzr__json *value, bzr__rpc *ret) {
    *ret = (bzr__rpc){ .root = value };
    if (value->type != BZR__JSON_OBJECT) return invalid(ret, "a message must be an object");
    const bzr__json *id = bzr__json_get(value, "id"), *method = bzr__json_get(value, "method");
    if (id && is_id(id)) ret->id = id;
    if (!bzr__str_eq(bzr__json_get_text(value, "jsonrpc"), BZR__S("2.0")))
        return invalid(ret, "jsonrpc must be \"2.0\"");
    ret->result = bzr__json_get(value, "error");
    return method ? classify_call(ret, id, method) : classify_answer(ret, id);
}

bzr_status bzr__rpc_read(bzr_str bytes, bzr__arena *arena, bzr__rpc *ret) {
    const bzr__json *root;
    const char *expected;
    size_t at;
    *ret = (bzr__rpc){ .root = NULL };
    if (bytes.n > BZR__RPC_MESSAGE_MAX)
        return refuse(ret, BZR_E_LIMIT, BZR__RPC_REQUEST_INVALID, "the message is too large");
    bzr_status status = bzr__json_parse(bytes, arena, &root, &at, &expected);
    if (status == BZR_E_SYNTAX) return refuse(ret, status, BZR__RPC_PARSE, "the message is not valid JSON");
    if (status == BZR_E_LIMIT)
        return refuse(ret, status, BZR__RPC_REQUEST_INVALID, "the message is nested too deeply or has too many values");
    if (status) return refuse(ret, status, BZR__RPC_INTERNAL, "out of memory");
    if (root->type != BZR__JSON_ARRAY) return bzr__rpc_classify(root, ret);
    *ret = (bzr__rpc){ .kind = BZR__RPC_BATCH, .root = root };
    return BZR_OK;
}

bool bzr__rpc_same_id(const bzr__json *a, const bzr__json *b) {
    if (!a || !b || a->type != b->type) return false;
    return a->type == BZR__JSON_STRING ? bzr__str_eq(a->text, b->text) : bzr__str_eq(a->raw, b->raw);
}

void bzr__rpc_add_id(bzr__buf *out, const bzr__json *id) {
    if (!id)
        bzr__buf_add_z(out, "null");
    else if (id->type == BZR__JSON_STRING)
        bzr__json_add_utf8(out, id->text);
    else
        bzr__buf_add_str(out, id->raw);
}

static void begin(bzr__buf *out, const bzr__json *id, const char *member) {
    bzr__buf_add_z(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__rpc_add_id(out, id);
    bzr__buf_add_z(out, member);
}

void bzr__rpc_begin_result(bzr__buf *out, const bzr__json *id) { begin(out, id, ",\"result\":"); }

void bzr__rpc_add_error(bzr__buf *out, const bzr__json *id, int code, const char *message, bzr_str data) {
    begin(out, id, ",\"error\":{\"code\":");
    bzr__rpc_add_int(out, code);
    bzr__buf_add_z(out, ",\"message\":");
    bzr__json_add_str(out, bzr__str_z(message));
    if (data.n) {
        bzr__buf_add_z(out, ",\"data\":");
        bzr__buf_add_str(out, data);
    }
    bzr__buf_add_z(out, "}}");
}

void bzr__rpc_begin_notification(bzr__buf *out, const char *method) {
    bzr__buf_add_z(out, "{\"jsonrpc\":\"2.0\",\"method\":");
    bzr__json_add_str(out, bzr__str_z(method));
    bzr__buf_add_z(out, ",\"params\":");
}

void bzr__rpc_add_int(bzr__buf *out, int64_t value) {
    if (value < 0) bzr__buf_add_c(out, '-');
    bzr__buf_add_u64(out, value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value);
}

/* ---- the id of a message that is not kept ---- */

static void add_id_byte(bzr__rpc_id_finder *f, char c) {
    if (f->id_n < sizeof f->id) f->id[f->id_n] = c;
    if (f->id_n <= sizeof f->id) f->id_n++;
}

/* One byte within a string. Only names and the id of the outermost object are of interest. */
static void find_in_string(bzr__rpc_id_finder *f, char c) {
    if (f->is_id && f->depth == 1)
        add_id_byte(f, c);
    else if (f->is_key && f->depth == 1 && (c != '"' || f->escaped)) {
        if (f->key_n < sizeof f->key) f->key[f->key_n] = c;
        if (f->key_n <= sizeof f->key) f->key_n++;
    }
    f->in_string = c != '"' || f->escaped;
    f->escaped = c == '\\' && !f->escaped;
}

static void find_outside(bzr__rpc_id_finder *f, char c) {
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
    } else if (f->is_id && top && !bzr__is_space((unsigned char)c)) {
        add_id_byte(f, c);
    }
}

void bzr__rpc_find_id(bzr__rpc_id_finder *f, bzr_str bytes) {
    for (size_t i = 0; i < bytes.n && !f->done; i++) (f->in_string ? find_in_string : find_outside)(f, bytes.p[i]);
}

void bzr__rpc_found_id(const bzr__rpc_id_finder *f, bzr__buf *out) {
    bzr__arena arena;
    const bzr__json *id;
    const char *expected;
    size_t at;
    if (!f->done || f->id_n > sizeof f->id) return;
    bzr__arena_init(&arena, 4096);
    if (!bzr__json_parse(bzr__str(f->id, f->id_n), &arena, &id, &at, &expected) && is_id(id)) bzr__rpc_add_id(out, id);
    bzr__arena_free(&arena);
}
