#!/usr/bin/env python3
"""Write lib/disguise/tables/triggers.gen.{c,h}: the hash table behind toad__fix_typos.

Usage: gen_triggers.py TRIGGER_WORDS_DEF OUT_DIR

Every trigger word stands in the table under each key that one of its misspellings shares with it (lib/disguise/typo.c computes the same keys):
EDIT    how it begins and how it ends, as many letters as one edit leaves alone there, and the length give or take one
MIXED   first letter, last letter, length and the letters between in any order
SINGLE  with every doubled letter once
BARE    without its vowels
VOWELS  with every vowel written as '*'
Most words of ordinary text are turned away before that by three sets of bits: the keys of EDIT (and words without vowels), all words' lengths and places of vowels with the
consonants at both ends, and their shapes (first letter, last letter, length).
The table is open addressing with linear probing; several words may share a key.
"""
import os
import re
import sys

BITS = 11
BASE, MIX, WIDE_MIX = 0x01000193, 0x9E3779B1, 0x9E3779B97F4A7C15
EDIT, MIXED, SINGLE, BARE, VOWELS = range(5)
END_BITS, SOUND_BITS, SHAPES = 14, 12, 32 * 32 * 16
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
    if len(word) >= MIXED_LEAST:
        found.add(key(MIXED, mixed_hash(word)))
    found.add(key(SINGLE, text_hash(once(word))))
    if len(bare(word)) >= BARE_LEAST:
        found.add(key(BARE, text_hash(bare(word))))
    if len(word) >= VOWELS_LEAST:
        found.add(key(VOWELS, text_hash(re.sub("[aeiou]", "*", word))))
    return found


def build(words):
    """EDIT first, and of two words the longer first: a letter was left out rather than changed."""
    slots = [(0, 0)] * (1 << BITS)
    numbers = sorted(range(len(words)), key=lambda number: -len(words[number]))
    pairs = [(key(EDIT, end >> 32), number) for number in numbers for end in sorted(end_keys(words[number]))]
    pairs += [(k, number) for number, word in enumerate(words) for k in sorted(keys(word))]
    for k, number in pairs:
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


def end_key(part, length, side):
    return ((int.from_bytes(part.encode(), "little") ^ (2 * length + side) << 56) * WIDE_MIX) & 0xFFFFFFFFFFFFFFFF


def end_keys(word):
    if len(word) < EDIT_LEAST:
        return set()
    found = set()
    for n in (len(word) - 1, len(word), len(word) + 1):
        for side, part in enumerate((word[:intact(n)], word[-intact(n):])):
            found.add(end_key(part, n, side))
    return found


def bare(word):
    return re.sub("[aeiou]", "", word)


def once(word):
    return re.sub(r"(.)\1+", r"\1", word)


def sound_bit(word):
    vowels = sum(1 << i for i, letter in enumerate(word) if letter in "aeiou")
    first, last = (0 if letter in "aeiou" else ord(letter) & 31 for letter in (word[0], word[-1]))
    return mixed((vowels | 1 << len(word)) ^ first << 16 ^ last << 24, SOUND_BITS)


def shape_bit(word):
    return (ord(word[0]) & 31) << 9 | (ord(word[-1]) & 31) << 4 | len(word)


def outline_bit(word):
    return shape_bit("".join("`" if letter in "aeiou" else chr(ord(letter) - 1) for letter in word))


def bit_set(name, numbers, size):
    words = [0] * (size // 64)
    for number in numbers:
        words[number // 64] |= 1 << number % 64
    assert max(numbers) < size
    values = ["0x%xu" % w if w < 1 << 32 else "UINT64_C(0x%x)" % w for w in words]
    return ["", "const uint64_t toad__trigger_%s[%d] = {" % (name, len(words))] + rows(values, 5) + ["};"]


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
    assert max(len(bare(word)) for word in words) <= 8 and max(map(len, words)) <= 14
    slots = build(words)
    top = "/* triggers.gen.%s - written by tools/gen_triggers.py from lib/disguise/tables/trigger_words.def; do not edit. */"
    with open(os.path.join(sys.argv[2], "triggers.gen.h"), "w", encoding="ascii") as out:
        out.write("\n".join([
            top % "h", "#ifndef TOAD_DISGUISE_TRIGGERS_GEN_H", "#define TOAD_DISGUISE_TRIGGERS_GEN_H", "", "#include <stdint.h>", "",
            "#define TOAD__TRIGGERS %du" % len(words), "#define TOAD__TRIGGERS_REAL %du" % len(real), "#define TOAD__TRIGGER_BITS %du" % BITS,
            "#define TOAD__TRIGGER_LONGEST %du" % max(map(len, words)), "#define TOAD__TRIGGER_BARE_LONGEST %du" % max(len(bare(word)) for word in words),
            "#define TOAD__TRIGGER_BASE 0x%xu" % BASE, "#define TOAD__TRIGGER_MIX 0x%xu" % MIX,
            "#define TOAD__TRIGGER_WIDE_MIX UINT64_C(0x%x)" % WIDE_MIX, "",
            "typedef struct toad__trigger {", "    const char *word;", "    uint8_t n;", "    uint8_t is_short; /* mended, but no sign of an attack */",
            "} toad__trigger;", "", "extern const toad__trigger toad__triggers[TOAD__TRIGGERS];",
            "/* Sorted. */", "extern const char *const toad__triggers_real[TOAD__TRIGGERS_REAL];",
            "extern const uint32_t toad__trigger_keys[1u << TOAD__TRIGGER_BITS]; /* 0: free */",
            "extern const uint8_t toad__trigger_words[1u << TOAD__TRIGGER_BITS];", "",
            "#define TOAD__TRIGGER_END_BITS %du" % END_BITS, "#define TOAD__TRIGGER_SOUND_BITS %du" % SOUND_BITS, "",
            "/* Bits, as typo.c asks for them: keys of EDIT, and words without vowels; places of vowels and consonants at the ends; first letter, last letter and length, also with doubled letters once; the same with vowels taken for one. */",
            "extern const uint64_t toad__trigger_ends[%d], toad__trigger_sounds[%d];" % ((1 << END_BITS) // 64, (1 << SOUND_BITS) // 64),
            "extern const uint64_t toad__trigger_shapes[%d], toad__trigger_outlines[%d];" % (SHAPES // 64, SHAPES // 64), "", "#endif", ""]))
    with open(os.path.join(sys.argv[2], "triggers.gen.c"), "w", encoding="ascii") as out:
        out.write("\n".join(
            [top % "c", '#include "lib/disguise/tables/triggers.gen.h"', "", "const toad__trigger toad__triggers[TOAD__TRIGGERS] = {"]
            + ['    { "%s", %d, %d },' % (word, len(word), flag == "SHORT") for word, flag in triggers]
            + ["};", "", "const char *const toad__triggers_real[TOAD__TRIGGERS_REAL] = {"]
            + ['    "%s",' % word for word in real]
            + ["};", "", "const uint32_t toad__trigger_keys[1u << TOAD__TRIGGER_BITS] = {"] + rows(["%du" % k if k else "0" for k, _ in slots], 8)
            + ["};", "", "const uint8_t toad__trigger_words[1u << TOAD__TRIGGER_BITS] = {"] + rows([n for _, n in slots], 24) + ["};"]
            + bit_set("ends", sorted({end >> (64 - END_BITS) for word in words for end in end_keys(word) | {end_key(bare(word), len(bare(word)), 0)}}), 1 << END_BITS)
            + bit_set("sounds", [sound_bit(w) for w in words if len(w) >= 3], 1 << SOUND_BITS)
            + bit_set("outlines", [outline_bit(w) for w in words], SHAPES)
            + bit_set("shapes", [shape_bit(w) for word in words for w in (word, once(word))], SHAPES) + [""]))


if __name__ == "__main__":
    main()
