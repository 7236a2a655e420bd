/* read.c - a weights file, checked before a single weight is looked up.
 *
 * Layout, all numbers little endian: "TOADMDL6", then u32: gate, word and gram bits, cue classes, lexicon bits, heads,
 * kinds, of the net slots, depth, width, hidden; then i32 per head: bias, word step, step of grams (of the third:
 * glosses), cue step; i32 gate, gate step; i32 [kind][head] thresholds; u32 FNV-1a checksum of everything after the
 * header; then the lexicon (12 bytes a slot), the glossary (its slots, its sieves), cues int8 [class][class][head],
 * gates int8 [feature], words and grams int8 [feature][head that has them], glosses int8 [feature]; of the net i32
 * biases and steps, its words (a slot each), vectors of keys, layers, attentions, hidden layer, output. The sizes must
 * be those that this library was built for, and the file must end with the last table: every later index is masked to
 * its table, or found less than its size. */
#include "lib/base/str.h"
#include "lib/model/model.h"

#include <stdlib.h>

#define MAGIC "TOADMDL6"
enum { SIZES = 11, LEXICON_MOST = 16, CLASSES_MOST = 64 };

typedef struct cursor {
    const uint8_t *p;
    size_t n, at;
    bool ok;
} cursor;

static uint32_t take32(cursor *c) {
    if (c->n - c->at < 4) {
        c->ok = false;
        return 0;
    }
    const uint8_t *p = c->p + c->at;
    c->at += 4;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int32_t take_signed(cursor *c) {
    uint32_t v = take32(c);
    return v < 0x80000000u ? (int32_t)v : -(int32_t)(0xffffffffu - v) - 1;
}

static const uint8_t *take(cursor *c, size_t n) {
    if (c->n - c->at < n) {
        c->ok = false;
        return c->p;
    }
    const uint8_t *p = c->p + c->at;
    c->at += n;
    return p;
}

static void take_numbers(cursor *c, int32_t *ret, unsigned n, int32_t most) {
    for (unsigned i = 0; i < n; i++) {
        ret[i] = take_signed(c);
        if (ret[i] > most || ret[i] < -most) c->ok = false;
    }
}

static void take_heads(cursor *c, int32_t ret[TOAD__MODEL_HEADS], int32_t most) {
    take_numbers(c, ret, TOAD__MODEL_HEADS, most);
}

/* floor(sqrt(v)), bit by bit. */
static uint32_t square_root(uint32_t v) {
    uint32_t root = 0;
    for (uint32_t bit = 1u << 15; bit; bit >>= 1)
        if ((uint64_t)(root + bit) * (root + bit) <= v) root += bit;
    return root;
}

static uint32_t checksum(const uint8_t *p, size_t n) {
    uint32_t h = 0x811c9dc5u;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 0x01000193u;
    return h;
}

static bool read_header(cursor *c, toad__model *m) {
    if (memcmp(take(c, 8), MAGIC, c->ok ? 8 : 0) != 0 || !c->ok) return false;
    uint32_t size[SIZES];
    for (unsigned i = 0; i < SIZES; i++) size[i] = take32(c);
    m->cue_classes = size[3];
    m->lexicon.bits = size[4];
    take_heads(c, m->bias, 1 << 26);
    take_heads(c, m->word_step, 1 << 24);
    take_heads(c, m->part_step, 1 << 24);
    take_heads(c, m->cue_step, 1 << 24);
    m->gate = take_signed(c);
    m->gate_step = take_signed(c);
    for (unsigned k = 0; k < TOAD__MODEL_KINDS; k++) take_heads(c, m->threshold[k], INT32_MAX);
    return c->ok && size[0] == TOAD__FRONT_BITS && size[1] == TOAD__WORD_BITS && size[2] == TOAD__GRAM_BITS &&
           size[3] <= CLASSES_MOST && size[4] >= 4 && size[4] <= LEXICON_MOST && size[5] == TOAD__MODEL_HEADS &&
           size[6] == TOAD__MODEL_KINDS && size[7] == TOAD__NET_WORDS && size[8] == TOAD__NET_DEPTH &&
           size[9] == TOAD__NET_WIDTH && size[10] == TOAD__NET_HIDDEN;
}

static void take_net(cursor *c, toad__net *ret) {
    take_numbers(c, ret->bias, TOAD__NET_BIASES, 1 << 26);
    take_numbers(c, ret->step, TOAD__NET_STEPS, 1 << 24);
    ret->words = take(c, TOAD__NET_SLOTS);
    ret->keys = take(c, TOAD__NET_KEYS);
    ret->layers = (const int8_t *)take(c, TOAD__NET_CONVOLUTIONS);
    ret->attentions = (const int8_t *)take(c, TOAD__NET_ATTENTION);
    ret->hidden = (const int8_t *)take(c, TOAD__NET_MATRIX);
    ret->out = (const int8_t *)take(c, TOAD__NET_HIDDEN);
}

static toad_status read_model(toad_str file, bool trusted, toad__model *ret) {
    toad__model m;
    cursor c = { (const uint8_t *)file.p, file.n, 0, true };
    if (file.n < 8 || !read_header(&c, &m)) return TOAD_E_SYNTAX;
    uint32_t sum = take32(&c);
    if (!c.ok || (!trusted && sum != checksum(c.p + c.at, c.n - c.at))) return TOAD_E_SYNTAX;
    m.lexicon.slots = take(&c, (size_t)12 << m.lexicon.bits);
    m.glossary.slots = take(&c, TOAD__GLOSS_SLOTS);
    m.glossary.stems = take(&c, TOAD__GLOSS_SIEVE);
    m.glossary.firsts = take(&c, TOAD__GLOSS_SIEVE);
    m.cues = (const int8_t *)take(&c, (size_t)m.cue_classes * m.cue_classes * TOAD__MODEL_HEADS);
    m.gates = (const int8_t *)take(&c, (size_t)1 << TOAD__FRONT_BITS);
    m.words = (const int8_t *)take(&c, (size_t)TOAD__MODEL_HEADS << TOAD__WORD_BITS);
    m.grams = (const int8_t *)take(&c, (size_t)TOAD__GRAM_HEADS << TOAD__GRAM_BITS);
    m.glosses = (const int8_t *)take(&c, (size_t)1 << TOAD__GLOSS_BITS);
    take_net(&c, &m.net);
    if (!c.ok || c.at != c.n) return TOAD_E_SYNTAX;
    for (uint32_t n = 0; n < TOAD__MODEL_FEATURES; n++) m.root[n] = (uint16_t)square_root((1u << 30) / (n ? n : 1));
    *ret = m;
    return TOAD_OK;
}

toad_status toad__model_read(toad_str file, toad__model *ret) { return read_model(file, false, ret); }

/* The checksum of a million bytes takes longer than the whole start of the program, and a test has made it. */
toad_status toad__model_read_builtin(toad__model *ret) { return read_model(toad__model_builtin(), true, ret); }
