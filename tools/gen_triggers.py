#!/usr/bin/env python3
"""Write lib/text/triggers.gen.{c,h}: the hash table behind bzr__fix_typos.

Usage: gen_triggers.py TRIGGER_WORDS_DEF OUT_DIR

Every trigger word stands in the table under each key that one of its misspellings shares with it (lib/text/typo.c computes the same keys):
EDIT    the word and the word less one letter (two words within one edit share such a key: SymSpell, Garbe 2012)
MIXED   first letter, last letter, length and the letters between in any order
SINGLE  with every doubled letter once
BARE    without its vowels
VOWELS  with every vowel written as '*'
Most words of ordinary text are turned away before any hashing by three sets of bits: how the triggers begin and end (three letters), the same
with all vowels taken for one, and their shapes (first letter, last letter, length).
The table is open addressing with linear probing; several words may share a key.
"""
import os
import re
import sys

BITS = 12
BASE, MIX = 0x01000193, 0x9E3779B1
EDIT, MIXED, SINGLE, BARE, VOWELS = range(5)
ENDS, SHAPES = 26 ** 3, 26 * 26 * 16
EDIT_LEAST, MIXED_LEAST, BARE_LEAST, VOWELS_LEAST = 6, 4, 2, 3


def text_hash(word):
    value = 0
    for letter in word:
        value = (value * BASE + ord(letter)) & 0xFFFFFFFF
    return value


def mixed_hash(word):
    middle = sum((ord(letter) * MIX) & 0xFFFFFFFF ^ ord(letter) << 13 for letter in word[1:-1]) & 0xFFFFFFFF
    return text_hash(word[0] + word[-1] + chr(len(word))) ^ middle


def key(kind, value):
    return ((value + kind) * MIX) & 0xFFFFFFFF or 1


def keys(word):
    found = set()
    if len(word) >= EDIT_LEAST:
        found.add(key(EDIT, text_hash(word)))
        found |= {key(EDIT, text_hash(word[:i] + word[i + 1:])) for i in range(len(word))}
    if len(word) >= MIXED_LEAST:
        found.add(key(MIXED, mixed_hash(word)))
    found.add(key(SINGLE, text_hash(re.sub(r"(.)\1+", r"\1", word))))
    bare = re.sub("[aeiou]", "", word)
    if len(bare) >= BARE_LEAST:
        found.add(key(BARE, text_hash(bare)))
    if len(word) >= VOWELS_LEAST:
        found.add(key(VOWELS, text_hash(re.sub("[aeiou]", "*", word))))
    return found


def build(words):
    slots = [(0, 0)] * (1 << BITS)
    for number, word in enumerate(words):
        for k in sorted(keys(word)):
            at = k >> (32 - BITS)
            while slots[at][0]:
                at = (at + 1) & ((1 << BITS) - 1)
            slots[at] = (k, number)
    return slots


def end_bit(three):
    value = 0
    for letter in three:
        value = value * 26 + ord(letter) - ord("a")
    return value


def sound_bit(three):
    return end_bit(re.sub("[aeiou]", "a", three))


def shape_bit(word):
    return ((ord(word[0]) - ord("a")) * 26 + ord(word[-1]) - ord("a")) * 16 + min(len(word), 15)


def bit_set(name, numbers, size):
    words = [0] * (size // 64 + 1)
    for number in numbers:
        words[number // 64] |= 1 << number % 64
    values = ["0x%xu" % w if w < 1 << 32 else "UINT64_C(0x%x)" % w for w in words]
    return ["", "const uint64_t bzr__trigger_%s[%d] = {" % (name, len(words))] + rows(values, 5) + ["};"]


def rows(values, width):
    return ["    " + ", ".join(map(str, values[i:i + width])) + "," for i in range(0, len(values), width)]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii") as source:
        text = re.sub(r"/\*.*?\*/", "", source.read(), flags=re.S)
    triggers = re.findall(r"^TRIGGER\((\w+), (\w+)\)", text, flags=re.M)
    real = sorted(re.findall(r"^REAL\((\w+)\)", text, flags=re.M))
    words = [word for word, _ in triggers]
    slots = build(words)
    top = "/* triggers.gen.%s - written by tools/gen_triggers.py from lib/text/trigger_words.def; do not edit. */"
    with open(os.path.join(sys.argv[2], "triggers.gen.h"), "w", encoding="ascii") as out:
        out.write("\n".join([
            top % "h", "#ifndef BZR_TEXT_TRIGGERS_GEN_H", "#define BZR_TEXT_TRIGGERS_GEN_H", "", "#include <stdint.h>", "",
            "#define BZR__TRIGGERS %du" % len(words), "#define BZR__TRIGGERS_REAL %du" % len(real), "#define BZR__TRIGGER_BITS %du" % BITS,
            "#define BZR__TRIGGER_LONGEST %du" % max(map(len, words)), "#define BZR__TRIGGER_BASE 0x%xu" % BASE, "#define BZR__TRIGGER_MIX 0x%xu" % MIX, "",
            "typedef struct bzr__trigger {", "    const char *word;", "    uint8_t n;", "    uint8_t is_short; /* mended, but no sign of an attack */",
            "} bzr__trigger;", "", "extern const bzr__trigger bzr__triggers[BZR__TRIGGERS];",
            "/* Sorted. */", "extern const char *const bzr__triggers_real[BZR__TRIGGERS_REAL];",
            "extern const uint32_t bzr__trigger_keys[1u << BZR__TRIGGER_BITS]; /* 0: free */",
            "extern const uint8_t bzr__trigger_words[1u << BZR__TRIGGER_BITS];", "",
            "/* Bits: three letters in base 26, the same with every vowel taken for a, and (first * 26 + last) * 16 + length, at most 15. */",
            "extern const uint64_t bzr__trigger_heads[%d], bzr__trigger_tails[%d];" % (ENDS // 64 + 1, ENDS // 64 + 1),
            "extern const uint64_t bzr__trigger_head_sounds[%d], bzr__trigger_tail_sounds[%d];" % (ENDS // 64 + 1, ENDS // 64 + 1),
            "extern const uint64_t bzr__trigger_shapes[%d];" % (SHAPES // 64 + 1), "", "#endif", ""]))
    with open(os.path.join(sys.argv[2], "triggers.gen.c"), "w", encoding="ascii") as out:
        out.write("\n".join(
            [top % "c", '#include "lib/text/triggers.gen.h"', "", "const bzr__trigger bzr__triggers[BZR__TRIGGERS] = {"]
            + ['    { "%s", %d, %d },' % (word, len(word), flag == "SHORT") for word, flag in triggers]
            + ["};", "", "const char *const bzr__triggers_real[BZR__TRIGGERS_REAL] = {"]
            + ['    "%s",' % word for word in real]
            + ["};", "", "const uint32_t bzr__trigger_keys[1u << BZR__TRIGGER_BITS] = {"] + rows(["%du" % k if k else "0" for k, _ in slots], 8)
            + ["};", "", "const uint8_t bzr__trigger_words[1u << BZR__TRIGGER_BITS] = {"] + rows([n for _, n in slots], 24) + ["};"]
            + bit_set("heads", [end_bit(w[:3]) for w in words], ENDS) + bit_set("tails", [end_bit(w[-3:]) for w in words], ENDS)
            + bit_set("head_sounds", [sound_bit(w[:3]) for w in words], ENDS) + bit_set("tail_sounds", [sound_bit(w[-3:]) for w in words], ENDS)
            + bit_set("shapes", [shape_bit(w) for w in words], SHAPES) + [""]))


if __name__ == "__main__":
    main()
