/* notebook.c - Jupyter notebooks (nbformat 4): the source of each cell and each form of each output by itself, and all
 * else that stands there as the JSON it is. What is no notebook after all is read as that, too, and counts as damaged.
 * Cost: linear; the tree takes a bounded multiple of the file. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/container/unpack.h"

#include <stdio.h>

enum {
    TREE_RATIO = 64,
    TREE_BASE = 1 << 20,
    TREE_MAX = 192 << 20,
    ENDING = 12,
    NAME = 64,
    WORD = 32 /* bytes of a name or kind */
};

typedef struct notebook {
    toad__unpack *u;
    char code[ENDING]; /* ending of the language of its code */
    unsigned cell, output;
} notebook;

static bool is_notebook(toad_str name, toad_str head) {
    toad__cur c = toad__cur_of(head);
    toad__cur_skip_space(&c);
    if (!toad__cur_eat(&c, TOAD__S("{"))) return false;
    toad__cur_skip_space(&c);
    if (toad__name_ends(name, ".ipynb")) return true;
    if (!toad__cur_eat(&c, TOAD__S("\"cells\""))) return false;
    toad__cur_skip_space(&c);
    if (!toad__cur_eat(&c, TOAD__S(":"))) return false;
    toad__cur_skip_space(&c);
    return toad__cur_eat(&c, TOAD__S("["));
}

/* "cell 3.py", "cell 3 output 1.html" */
static toad_str name_of(const notebook *b, const char *ending, char room[NAME]) {
    int n = b->output ? snprintf(room, NAME, "cell %u output %u%s", b->cell, b->output, ending)
            : b->cell ? snprintf(room, NAME, "cell %u%s", b->cell, ending)
                      : snprintf(room, NAME, "notebook%s", ending);
    return toad__str(room, n < 0 ? 0 : (size_t)n < NAME ? (size_t)n : NAME - 1);
}

static bool is(toad_str a, const char *b) { return toad__str_eq(a, toad__str_z(b)); }

static void add_raw(notebook *b, toad_str raw) {
    char room[NAME];
    b->u->plain = true;
    if (raw.n > 2) toad__unpack_add(b->u, name_of(b, ".json", room), raw);
}

/* A key that says more than a key. */
static void add_key(notebook *b, toad_str key) {
    char room[NAME];
    toad__buf text;
    if (key.n <= WORD) return;
    toad__buf_init(&text, b->u->room);
    toad__buf_add_str(&text, key);
    b->u->plain = true;
    toad__unpack_take(b->u, name_of(b, ".txt", room), &text);
}

/* A member that is none of those that are known. */
static void add_other(notebook *b, const toad__json *v) {
    bool list = v->type == TOAD__JSON_ARRAY || v->type == TOAD__JSON_OBJECT;
    add_key(b, v->key);
    if (list || v->raw.n > WORD) add_raw(b, v->raw);
}

/* A text, or a list of the lines of one; anything else is not taken. */
static bool add_joined(const toad__json *v, toad__buf *out) {
    if (v->type == TOAD__JSON_STRING) toad__buf_add_str(out, v->text);
    if (v->type != TOAD__JSON_ARRAY) return v->type == TOAD__JSON_STRING;
    for (const toad__json *line = v->child; line; line = line->next) {
        if (line->type != TOAD__JSON_STRING) return false;
        toad__buf_add_str(out, line->text);
        if (line->next && !(line->text.n && line->text.p[line->text.n - 1] == '\n') && is(v->key, "traceback"))
            toad__buf_add_c(out, '\n');
    }
    return true;
}

static void add_text(notebook *b, const toad__json *v, const char *ending, bool base64) {
    char room[NAME];
    toad__buf text, file;
    bool whole = true;
    toad__buf_init(&text, b->u->room);
    toad__buf_init(&file, b->u->room);
    if (!add_joined(v, &text)) {
        toad__buf_free(&text);
        add_raw(b, v->raw);
        return;
    }
    b->u->plain = !base64;
    if (base64) {
        whole = toad__unpack_base64(text.n ? toad__buf_str(&text) : TOAD__S(""), &file);
        toad__buf_free(&text);
    }
    toad__part *part = toad__unpack_take(b->u, name_of(b, ending, room), base64 ? &file : &text);
    if (!whole) toad__part_close(part, TOAD__CLOSED_CUT, TOAD_DECODE_LIMIT);
}

/* One form of an output or of an attachment, by its type. */
static void add_form(notebook *b, const toad__json *v) {
    static const struct {
        const char *type, *ending;
    } texts[] = { { "text/html", ".html" },       { "text/markdown", ".md" },          { "text/plain", ".txt" },
                  { "image/svg+xml", ".svg" },    { "application/javascript", ".js" }, { "text/latex", ".tex" },
                  { "application/json", ".json" } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is(v->key, texts[i].type)) {
            add_text(b, v, texts[i].ending, false);
            return;
        }
    add_key(b, v->key);
    bool packed = toad__str_starts(v->key, TOAD__S("image/")) || toad__str_starts(v->key, TOAD__S("audio/")) ||
                  toad__str_starts(v->key, TOAD__S("video/")) || is(v->key, "application/pdf");
    add_text(b, v, packed ? "" : ".txt", packed);
}

static void add_forms(notebook *b, const toad__json *data) {
    if (data->type != TOAD__JSON_OBJECT) add_raw(b, data->raw);
    for (const toad__json *v = data->type == TOAD__JSON_OBJECT ? data->child : NULL; v; v = v->next) add_form(b, v);
}

static void add_output(notebook *b, const toad__json *output) {
    if (output->type != TOAD__JSON_OBJECT) add_raw(b, output->raw);
    for (const toad__json *v = output->type == TOAD__JSON_OBJECT ? output->child : NULL; v; v = v->next) {
        if (is(v->key, "data"))
            add_forms(b, v);
        else if (is(v->key, "text") || is(v->key, "traceback") || is(v->key, "evalue"))
            add_text(b, v, ".txt", false);
        else
            add_other(b, v);
    }
}

static void add_outputs(notebook *b, const toad__json *outputs) {
    if (outputs->type != TOAD__JSON_ARRAY) add_raw(b, outputs->raw);
    for (const toad__json *v = outputs->type == TOAD__JSON_ARRAY ? outputs->child : NULL; v; v = v->next) {
        b->output++;
        add_output(b, v);
    }
    b->output = 0;
}

static void add_attachments(notebook *b, const toad__json *files) {
    if (files->type != TOAD__JSON_OBJECT) add_raw(b, files->raw);
    for (const toad__json *v = files->type == TOAD__JSON_OBJECT ? files->child : NULL; v; v = v->next) {
        add_key(b, v->key);
        add_forms(b, v);
    }
}

static void add_cell(notebook *b, const toad__json *cell) {
    toad_str type = toad__json_get_text(cell, "cell_type");
    const char *ending = is(type, "markdown") ? ".md" : is(type, "code") ? b->code : ".txt";
    b->cell++;
    if (cell->type != TOAD__JSON_OBJECT) add_raw(b, cell->raw);
    for (const toad__json *v = cell->type == TOAD__JSON_OBJECT ? cell->child : NULL; v; v = v->next) {
        if (is(v->key, "source"))
            add_text(b, v, ending, false);
        else if (is(v->key, "outputs"))
            add_outputs(b, v);
        else if (is(v->key, "attachments"))
            add_attachments(b, v);
        else
            add_other(b, v);
    }
}

/* ".py" unless the notebook names another ending that could be one. */
static void read_ending(notebook *b, const toad__json *root) {
    toad_str said =
        toad__json_get_text(toad__json_get(toad__json_get(root, "metadata"), "language_info"), "file_extension");
    bool good = said.n > 1 && said.n < ENDING && said.p[0] == '.';
    for (size_t i = 1; i < said.n && good; i++) good = toad__is_alnum((unsigned char)said.p[i]);
    toad__str_copy_to(b->code, sizeof b->code, good ? said : TOAD__S(".py"));
}

static void add_all(notebook *b, const toad__json *root) {
    read_ending(b, root);
    for (const toad__json *v = root->child; v && !b->u->status; v = v->next) {
        const toad__json *cell = is(v->key, "cells") && v->type == TOAD__JSON_ARRAY ? v->child : NULL;
        if (!cell) add_other(b, v);
        for (; cell && !b->u->status; cell = cell->next) add_cell(b, cell);
        b->cell = 0;
    }
}

static void open_notebook(toad__unpack *u, toad_str bytes) {
    notebook b = { .u = u };
    toad__arena tree;
    const toad__json *root;
    const char *err;
    size_t err_at, most = bytes.n < TREE_MAX / TREE_RATIO ? bytes.n * TREE_RATIO + TREE_BASE : TREE_MAX;
    toad__arena_init(&tree, most);
    toad_status status = toad__json_parse(bytes, &tree, &root, &err_at, &err);
    if (!status && root->type == TOAD__JSON_OBJECT) {
        add_all(&b, root);
    } else {
        u->plain = true;
        toad__part_close(toad__unpack_add(u, TOAD__S(""), bytes),
                         status == TOAD_E_SYNTAX ? TOAD__CLOSED_DAMAGED : TOAD__CLOSED_LARGE, TOAD_DECODE_LIMIT);
    }
    toad__arena_free(&tree);
}

const toad__container toad__container_notebook = { "notebook", is_notebook, open_notebook };
