#!/usr/bin/env python3
"""Write lib/disguise/tables/common_words.gen.{c,h}: common words, to be found whatever the order of their inner letters.

Usage: gen_common_words.py COMMON_WORDS_TXT OUT_DIR

The table is open-addressed by a hash of the first letter, the last letter, the length and the inner letters in any order (key() is written
again in lib/disguise/scramble.c). Words are put in from the commonest on, so the first that fits is the commonest.

Before that, words are sieved by their pairs of letters: one ordinary word in thirteen has a pair that is rare at its beginning, of shuffled
words more than half have.
"""
import collections
import os
import sys

RARE = 8  # words that a rare pair is in, at most
BITS, MIX, FACTOR = 13, 0x9E3779B1, 0x85EBCA6B
MASK = 0xFFFFFFFF


def key(word):
    """The slot, and three more bits of the hash: by them most words of another key are told apart without being looked at."""
    middle = sum((ord(c) * MIX & MASK) ^ ord(c) << 13 for c in word[1:-1]) & MASK
    value = (middle ^ (ord(word[0]) << 16 | ord(word[-1]) << 8 | len(word))) * FACTOR & MASK
    return value >> (32 - BITS), value >> (29 - BITS) & 7


def main():
    lines = open(sys.argv[1], encoding="ascii").read().split("\n")
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    assert len(set(words)) == len(words) and len(words) < 1 << 13 and all(4 <= len(w) <= 14 and w.isalpha() and w.islower() for w in words)
    slots = [0] * (1 << BITS)
    for i, word in enumerate(words):
        at, tag = key(word)
        while slots[at]:
            at = (at + 1) % len(slots)
        slots[at] = tag << 13 | i + 1
    counts = collections.Counter(word[i:i + 2] for word in words if len(word) > 4 for i in range(len(word) - 1))
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [sum(1 << k for k, b in enumerate(letters) if counts[a + b] > RARE) for a in letters]
    head = "/* common_words.gen.%s - written by tools/gen_common_words.py from lib/disguise/tables/common_words.txt; do not edit. */\n"
    with open(os.path.join(sys.argv[2], "common_words.gen.h"), "w", encoding="ascii") as out:
        out.write(head % "h")
        out.write("#ifndef TOAD_DISGUISE_COMMON_WORDS_GEN_H\n#define TOAD_DISGUISE_COMMON_WORDS_GEN_H\n\n#include <stdint.h>\n\n")
        out.write("#define TOAD__COMMON_BITS %du\n#define TOAD__COMMON_MIX 0x%xu\n#define TOAD__COMMON_FACTOR 0x%xu\n" % (BITS, MIX, FACTOR))
        out.write("#define TOAD__COMMON_LEAST 4u\n#define TOAD__COMMON_LONGEST 14u\n\n")
        out.write("typedef struct toad__common_word {\n    char word[15];\n    uint8_t n;\n} toad__common_word;\n\n")
        out.write("extern const toad__common_word toad__common_words[%d];\n" % len(words))
        out.write("/* By hash: 1 and the index of a word in 13 bits, three more bits of the hash above them; or 0. */\nextern const uint16_t toad__common_slots[1u << TOAD__COMMON_BITS];\n"
                  "/* By a letter: the letters that are met often behind it. */\nextern const uint32_t toad__common_pairs[26];\n\n#endif\n")
    with open(os.path.join(sys.argv[2], "common_words.gen.c"), "w", encoding="ascii") as out:
        out.write(head % "c")
        out.write('#include "lib/disguise/tables/common_words.gen.h"\n\nconst toad__common_word toad__common_words[%d] = {\n' % len(words))
        for k in range(0, len(words), 6):
            out.write("    " + " ".join('{ "%s", %d },' % (w, len(w)) for w in words[k:k + 6]) + "\n")
        out.write("};\n\nconst uint16_t toad__common_slots[1u << TOAD__COMMON_BITS] = {\n")
        for k in range(0, len(slots), 24):
            out.write("    " + " ".join("%d," % s for s in slots[k:k + 24]) + "\n")
        out.write("};\n\nconst uint32_t toad__common_pairs[26] = {\n")
        for k in range(0, 26, 13):
            out.write("    " + " ".join("0x%x," % p for p in pairs[k:k + 13]) + "\n")
        out.write("};\n")


if __name__ == "__main__":
    main()
