#!/usr/bin/env python3
"""Write words.gen.{c,h}: the words that lib/disguise looks for, as open-addressed tables of 16-bit slots.

Usage: gen_disguise.py WORDS_DEF COMMON_WORDS_TXT OUT_DIR

A slot holds 1 and the index of a word, and above that some bits of the hash by which most other keys are told apart; several words may
share a key, those put in first are found first. The keys are computed again in C:
core      three letters, of the first five, an i also written as an l (lib/disguise/core.c)
triggers  how a word begins and how it ends, as many letters as one edit leaves alone there, and the length give or take one; its outline:
          the ends, with vowels taken for one, and the length, also without doubled letters and without vowels (lib/disguise/misspelled.c)
common    the letters at both ends, the length, and the letters between in any order (lib/disguise/shuffled.c)
Beside them two sieves: a set of bits that has every key of triggers, and the pairs of letters that common words are full of."""
import collections
import itertools
import os
import re
import sys

MIX, WIDE_MIX, FACTOR = 0x9E3779B1, 0x9E3779B97F4A7C15, 0x85EBCA6B
ALL, WIDE = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
CORE_BITS, TRIGGER_BITS, COMMON_BITS, SIEVE_BITS = 11, 11, 13, 14
EDIT_LEAST = 6  # letters of a trigger that may differ by one edit
FRONT, BACK, OUTLINE = range(3)
RARE = 8  # words that a rare pair is in, at most


def table(keys, bits, index_bits):
    """keys: (hash, its width, index) in the order in which they are to be found."""
    slots = [0] * (1 << bits)
    for value, width, index in keys:
        at = value >> (width - bits)
        while slots[at]:
            at = (at + 1) % len(slots)
        slots[at] = (value >> (width - bits - (16 - index_bits)) << index_bits & 0xFFFF) | index + 1
        assert index + 1 < 1 << index_bits
    return slots


def core_key(letters):
    return sum((ord(letter) & 31) << 8 * i for i, letter in enumerate(letters)) * MIX & ALL


def trigger_key(part, length, kind):
    return (int.from_bytes(part.encode(), "little") ^ (4 * length + kind) << 56) * WIDE_MIX & WIDE


def outline_key(word):
    return trigger_key("".join("a" if c in "aeiou" else c for c in (word[0], word[-1])), len(word), OUTLINE)


def edit_keys(word):
    if len(word) >= EDIT_LEAST:
        for n in (len(word) - 1, len(word), len(word) + 1):
            intact = 3 if n < 8 else n // 2
            yield trigger_key(word[:intact], n, FRONT)
            yield trigger_key(word[-intact:], n, BACK)


def outline_keys(word, spellings):
    forms = {word, re.sub(r"(.)\1+", r"\1", word), re.sub("[aeiou]", "", word)} | set(spellings)
    return sorted(outline_key(form) for form in forms if len(form) > 1)


def common_key(word):
    middle = sum((ord(c) * MIX & ALL) ^ ord(c) << 13 for c in word[1:-1]) & ALL
    return (middle ^ (ord(word[0]) << 16 | ord(word[-1]) << 8 | len(word))) * FACTOR & ALL


def array(out, kind, name, size, values, per_line):
    out.write(f"\nconst {kind} toad__{name}[{size}] = {{\n")
    for i in range(0, len(values), per_line):
        out.write("    " + ", ".join(values[i:i + per_line]) + ",\n")
    out.write("};\n")


def main(words_def, common_txt, folder):
    text = re.sub(r"/\*.*?\*/", "", open(words_def, encoding="ascii").read(), flags=re.S)
    rows = [(kind, re.split(r",\s*", args)) for kind, args in re.findall(r"^(\w+)\(([^)]*)\)", text, re.M)]
    core = [("".join(args), len(args[0]), kind != "PAIR") for kind, args in rows if kind in ("CORE", "PHRASE", "PAIR")]
    triggers = [(args[0], kind == "SMALL") for kind, args in rows if kind in ("TRIGGER", "SMALL")]
    also = [tuple(args) for kind, args in rows if kind == "ALSO"]
    common = " ".join(line for line in open(common_txt, encoding="ascii").read().split("\n") if line[:1] != "#").split()
    assert len(set(common)) == len(common) and all(4 <= len(w) <= 14 and w.isalpha() and w.islower() for w in common)
    assert {word for word, _ in triggers if len(word) > 3} <= set(common) and max(len(word) for word, _ in triggers) <= 14

    skeletons = [word.replace("l", "i") for word, _, _ in core]
    threes = [(k, "".join(three)) for k, s in enumerate(skeletons) for i in range(3)
              for three in itertools.product(*("il" if c == "i" else c for c in s[i:i + 3]))]
    core_slots = table([(core_key(three), 32, k) for k, three in threes], CORE_BITS, 5)
    longest_first = sorted(range(len(triggers)), key=lambda i: -len(triggers[i][0]))
    keys = [(key, 64, i) for i in longest_first for key in sorted(set(edit_keys(triggers[i][0])))]
    keys += [(key, 64, i) for i, (word, _) in enumerate(triggers)
             for key in outline_keys(word, [form for of, form in also if of == word])]
    sieve = [0] * (1 << SIEVE_BITS >> 6)
    for key, _, _ in keys:
        at = key >> (64 - SIEVE_BITS)
        sieve[at >> 6] |= 1 << (at & 63)
    counts = collections.Counter(word[i:i + 2] for word in common if len(word) > 4 for i in range(len(word) - 1))
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [sum(1 << k for k, b in enumerate(letters) if counts[a + b] > RARE) for a in letters]

    note = "written by tools/gen_disguise.py from words.def and common_words.txt; do not edit. */\n"
    with open(os.path.join(folder, "words.gen.h"), "w", encoding="ascii") as out:
        out.write("/* words.gen.h - " + note + f"""#ifndef TOAD_DISGUISE_WORDS_GEN_H
#define TOAD_DISGUISE_WORDS_GEN_H

#include <stdint.h>

#define TOAD__WORD_MIX      0x{MIX:x}u
#define TOAD__WORD_WIDE_MIX UINT64_C(0x{WIDE_MIX:x})
#define TOAD__WORD_FACTOR   0x{FACTOR:x}u

typedef struct toad__core_word {{
    char plain[{max(map(len, skeletons)) + 1}], skeleton[{max(map(len, skeletons)) + 1}]; /* with the next word, if it is a phrase */
    uint8_t n, head; /* letters in all; of the first word */
    uint8_t alone;   /* the first word says something without the next */
}} toad__core_word;

#define TOAD__CORE_BITS       {CORE_BITS}u
#define TOAD__CORE_INDEX_BITS 5u
extern const toad__core_word toad__core_words[{len(core)}];
extern const uint16_t toad__core_slots[1u << TOAD__CORE_BITS];

typedef struct toad__trigger {{
    char word[{max(len(word) for word, _ in triggers) + 1}];
    uint8_t n, is_small; /* small: mended, but no sign of an attack */
}} toad__trigger;

typedef struct toad__spelling {{
    char spelling[4];
    uint8_t trigger;
}} toad__spelling;

#define TOAD__TRIGGER_LONGEST    {max(len(word) for word, _ in triggers)}u
#define TOAD__TRIGGER_BITS       {TRIGGER_BITS}u
#define TOAD__TRIGGER_INDEX_BITS 7u
#define TOAD__SIEVE_BITS         {SIEVE_BITS}u
#define TOAD__SPELLINGS          {len(also)}u
extern const toad__trigger toad__triggers[{len(triggers)}];
extern const toad__spelling toad__spellings[TOAD__SPELLINGS];
extern const uint16_t toad__trigger_slots[1u << TOAD__TRIGGER_BITS];
extern const uint64_t toad__trigger_sieve[1u << (TOAD__SIEVE_BITS - 6)];

typedef struct toad__common_word {{
    char word[15];
    uint8_t n;
}} toad__common_word;

#define TOAD__COMMON_LEAST      4u
#define TOAD__COMMON_LONGEST    14u
#define TOAD__COMMON_BITS       {COMMON_BITS}u
#define TOAD__COMMON_INDEX_BITS 13u
extern const toad__common_word toad__common_words[{len(common)}];
extern const uint16_t toad__common_slots[1u << TOAD__COMMON_BITS];
/* By a letter: the letters that are met often behind it. */
extern const uint32_t toad__common_pairs[26];

#endif
""")
    with open(os.path.join(folder, "words.gen.c"), "w", encoding="ascii") as out:
        out.write("/* words.gen.c - " + note + '#include "lib/disguise/tables/words.gen.h"\n')
        array(out, "toad__core_word", "core_words", len(core),
              [f'{{ "{w}", "{s}", {len(w)}, {head}, {int(alone)} }}' for (w, head, alone), s in zip(core, skeletons)], 2)
        array(out, "uint16_t", "core_slots", "1u << TOAD__CORE_BITS", list(map(str, core_slots)), 20)
        array(out, "toad__trigger", "triggers", len(triggers), [f'{{ "{w}", {len(w)}, {int(s)} }}' for w, s in triggers], 4)
        of = [word for word, _ in triggers]
        array(out, "toad__spelling", "spellings", "TOAD__SPELLINGS", [f'{{ "{form}", {of.index(w)} }}' for w, form in also], 8)
        array(out, "uint16_t", "trigger_slots", "1u << TOAD__TRIGGER_BITS", list(map(str, table(keys, TRIGGER_BITS, 7))), 20)
        array(out, "uint64_t", "trigger_sieve", "1u << (TOAD__SIEVE_BITS - 6)", [f"0x{v:x}u" for v in sieve], 8)
        array(out, "toad__common_word", "common_words", len(common), [f'{{ "{w}", {len(w)} }}' for w in common], 6)
        slots = table([(common_key(word), 32, i) for i, word in enumerate(common)], COMMON_BITS, 13)
        array(out, "uint16_t", "common_slots", "1u << TOAD__COMMON_BITS", list(map(str, slots)), 20)
        array(out, "uint32_t", "common_pairs", 26, [f"0x{p:x}" for p in pairs], 13)


if __name__ == "__main__":
    main(*sys.argv[1:])
