#!/usr/bin/env python3
"""Write lib/text/triggers.gen.{c,h}: the hash table behind bzr__fix_typos.

Usage: gen_triggers.py TRIGGER_WORDS_DEF OUT_DIR

Every trigger word stands in the table under each key that one of its misspellings shares with it (lib/text/typo.c computes the same keys):
EDIT    the word and the word less one letter (two words within one edit share such a key: SymSpell, Garbe 2012)
MIXED   first letter, last letter, length and the letters between in any order
SINGLE  with every doubled letter once
BARE    without its vowels
VOWELS  with every vowel written as '*'
Most words of ordinary text are turned away before that by three sets of bits: how the triggers of EDIT_LEAST letters and more begin and end (as many letters as
one edit leaves alone there, and the length give or take one), how all of them begin and end with their vowels taken for one (and the length), and their shapes (first letter, last
letter, length).
The table is open addressing with linear probing; several words may share a key.
"""
import os
import re
import sys

BITS = 12
BASE, MIX, WIDE_MIX = 0x01000193, 0x9E3779B1, 0x9E3779B97F4A7C15
EDIT, MIXED, SINGLE, BARE, VOWELS = range(5)
END_BITS, SOUND_BITS, SHAPES = 14, 12, 26 * 26 * 16
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


def mixed(value, bits):
    return (value * MIX & 0xFFFFFFFF) >> (32 - bits)


def intact(length):
    """Of a word of so many letters, one edit away from a trigger: how many letters of one of its ends are right."""
    return 3 if length < 8 else length // 2


def end_bits(word):
    if len(word) < EDIT_LEAST:
        return set()
    found = set()
    for n in (len(word) - 1, len(word), len(word) + 1):
        for side, part in enumerate((word[:intact(n)], word[-intact(n):])):
            value = int.from_bytes(part.encode(), "little") ^ (2 * n + side) << 56
            found.add((value * WIDE_MIX & 0xFFFFFFFFFFFFFFFF) >> (64 - END_BITS))
    return found


def sound_bit(word):
    sounds = [0 if letter in "aeiou" else ord(letter) - ord("a") for letter in word[:3] + word[-3:]]
    return mixed(sum(sound << 5 * i for i, sound in enumerate(sounds)) + len(word) * BASE, SOUND_BITS)


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
            "#define BZR__TRIGGER_LONGEST %du" % max(map(len, words)), "#define BZR__TRIGGER_BASE 0x%xu" % BASE, "#define BZR__TRIGGER_MIX 0x%xu" % MIX,
            "#define BZR__TRIGGER_WIDE_MIX UINT64_C(0x%x)" % WIDE_MIX, "",
            "typedef struct bzr__trigger {", "    const char *word;", "    uint8_t n;", "    uint8_t is_short; /* mended, but no sign of an attack */",
            "} bzr__trigger;", "", "extern const bzr__trigger bzr__triggers[BZR__TRIGGERS];",
            "/* Sorted. */", "extern const char *const bzr__triggers_real[BZR__TRIGGERS_REAL];",
            "extern const uint32_t bzr__trigger_keys[1u << BZR__TRIGGER_BITS]; /* 0: free */",
            "extern const uint8_t bzr__trigger_words[1u << BZR__TRIGGER_BITS];", "",
            "#define BZR__TRIGGER_END_BITS %du" % END_BITS, "#define BZR__TRIGGER_SOUND_BITS %du" % SOUND_BITS, "",
            "/* Bits, as typo.c asks for them: the letters of an end and a length; sounds of both ends and the length; (first * 26 + last) * 16 + length, at most 15. */",
            "extern const uint64_t bzr__trigger_ends[%d], bzr__trigger_sounds[%d];" % ((1 << END_BITS) // 64, (1 << SOUND_BITS) // 64),
            "extern const uint64_t bzr__trigger_shapes[%d];" % (SHAPES // 64 + 1), "", "#endif", ""]))
    with open(os.path.join(sys.argv[2], "triggers.gen.c"), "w", encoding="ascii") as out:
        out.write("\n".join(
            [top % "c", '#include "lib/text/triggers.gen.h"', "", "const bzr__trigger bzr__triggers[BZR__TRIGGERS] = {"]
            + ['    { "%s", %d, %d },' % (word, len(word), flag == "SHORT") for word, flag in triggers]
            + ["};", "", "const char *const bzr__triggers_real[BZR__TRIGGERS_REAL] = {"]
            + ['    "%s",' % word for word in real]
            + ["};", "", "const uint32_t bzr__trigger_keys[1u << BZR__TRIGGER_BITS] = {"] + rows(["%du" % k if k else "0" for k, _ in slots], 8)
            + ["};", "", "const uint8_t bzr__trigger_words[1u << BZR__TRIGGER_BITS] = {"] + rows([n for _, n in slots], 24) + ["};"]
            + bit_set("ends", sorted(set().union(*map(end_bits, words))), (1 << END_BITS) - 1)
            + bit_set("sounds", [sound_bit(w) for w in words if len(w) >= 3], (1 << SOUND_BITS) - 1)
            + bit_set("shapes", [shape_bit(w) for w in words], SHAPES) + [""]))


if __name__ == "__main__":
    main()
