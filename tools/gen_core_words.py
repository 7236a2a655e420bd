#!/usr/bin/env python3
"""Write lib/disguise/tables/core_words.gen.{c,h}: how disguise.c finds the core words among the letters of a text.

Usage: gen_core_words.py CORE_WORDS_DEF OUT_DIR

Each word is found by four letters of it. They are put into eight buckets; a letter at one of the four places says, by one bit each, which
buckets can still match (shift-or over sets, as in Hyperscan's Teddy). What passes is looked up by a perfect hash of the four letters. The
buckets are chosen so that as little ordinary text as possible passes. Also here: the shuffles that move the marked bytes of eight to the front.
"""
import os
import re
import sys

BUCKETS, PLACES, BITS = 8, 4, 6
# letters of 1000, digits read as letters
OFTEN = dict(zip("abcdefghijklmnopqrstuvwxyz",
                 (67, 17, 48, 44, 121, 26, 25, 26, 123, 1, 11, 0, 26, 68, 65, 32, 2, 58, 80, 86, 26, 11, 9, 9, 12, 9)))


def read(path):
    words = []
    for kind, args in re.findall(r"^(WORD|PHRASE|PAIR)\(([^)]*)\)", open(path, encoding="ascii").read(), re.M):
        parts = [part.strip() for part in args.split(",")]
        word, then, anchor = (parts[0], "", parts[1]) if kind == "WORD" else parts
        skeleton = (word + then).replace("l", "i")
        assert anchor in skeleton, word
        words.append((word + then, skeleton, len(word), kind != "PAIR", skeleton.index(anchor), anchor))
    assert len({word[5] for word in words}) == len(words)
    return words


def passes(bucket):
    share = 1.0
    for place in range(PLACES):
        share *= sum(OFTEN[letter] for letter in {anchor[place] for anchor in bucket}) / 1000
    return share if bucket else 0.0


def into_buckets(anchors):
    buckets = [[] for _ in range(BUCKETS)]
    for anchor in sorted(anchors, key=lambda anchor: (-passes([anchor]), anchor)):
        best = min(range(BUCKETS), key=lambda i: passes(buckets[i] + [anchor]) - passes(buckets[i]))
        buckets[best].append(anchor)
    return buckets


def code(anchor):
    return sum((ord(letter) & 31) << 5 * place for place, letter in enumerate(anchor))


def perfect(anchors):
    for factor in range(0x9E3779B1, 0xFFFFFFFF, 2):
        slots = {(code(anchor) * factor & 0xFFFFFFFF) >> (32 - BITS) for anchor in anchors}
        if len(slots) == len(anchors):
            return factor
    raise SystemExit("no factor")


def shuffle(mask):
    places = [bit for bit in range(8) if mask >> bit & 1]
    places += [0x80] * (8 - len(places))
    return sum(place << 8 * i for i, place in enumerate(places))


def rows(values, form, per_line):
    lines = []
    for i in range(0, len(values), per_line):
        lines.append("    " + ", ".join(form % value for value in values[i:i + per_line]) + ",")
    return "\n".join(lines)


def main(source, out):
    words = read(source)
    anchors = [word[5] for word in words]
    buckets = into_buckets(anchors)
    at = [[sum(1 << i for i, bucket in enumerate(buckets) if any(ord(anchor[place]) & 31 == letter for anchor in bucket))
           for letter in range(32)] for place in range(PLACES)]
    factor = perfect(anchors)
    slots = [0] * (1 << BITS)
    for i, anchor in enumerate(anchors):
        slots[(code(anchor) * factor & 0xFFFFFFFF) >> (32 - BITS)] = i
    longest = max(len(word[0]) for word in words)
    note = "written by tools/gen_core_words.py from lib/disguise/tables/core_words.def; do not edit. */\n"
    with open(os.path.join(out, "core_words.gen.h"), "w", encoding="ascii") as file:
        file.write("/* core_words.gen.h - " + note + f"""#ifndef TOAD_DISGUISE_CORE_WORDS_GEN_H
#define TOAD_DISGUISE_CORE_WORDS_GEN_H

#include <stdint.h>

#define TOAD__CORE_WORDS {len(words)}u
#define TOAD__CORE_LONGEST {longest}u
#define TOAD__CORE_FACTOR 0x{factor:x}u
#define TOAD__CORE_BITS {BITS}u

typedef struct toad__core_word {{
    char plain[{longest + 1}], skeleton[{longest + 1}]; /* with the next word, if it is a phrase */
    uint8_t n, head;                  /* letters in all; of the first word */
    uint8_t alone;                    /* the first word says something without the next */
    uint8_t anchor;                   /* where its rarest four letters stand in the skeleton */
}} toad__core_word;

extern const toad__core_word toad__core_words[TOAD__CORE_WORDS];
/* By the letter (its low five bits) at each of the four places: the buckets that it may belong to. */
extern const uint8_t toad__core_buckets[{PLACES}][32];
/* By the hash of the four letters (five bits each, the first one lowest): the only word that they can belong to. */
extern const uint8_t toad__core_slots[1u << TOAD__CORE_BITS];
/* The shuffle that moves the bytes whose bits are set to the front, eight places in a word. */
extern const uint64_t toad__core_squeeze[256];

#endif
""")
    with open(os.path.join(out, "core_words.gen.c"), "w", encoding="ascii") as file:
        file.write("/* core_words.gen.c - " + note + '#include "lib/disguise/tables/core_words.gen.h"\n\n')
        file.write("const toad__core_word toad__core_words[TOAD__CORE_WORDS] = {\n")
        for plain, skeleton, head, alone, anchor, _ in words:
            file.write(f'    {{ "{plain}", "{skeleton}", {len(plain)}, {head}, {int(alone)}, {anchor} }},\n')
        file.write(f"}};\n\nconst uint8_t toad__core_buckets[{PLACES}][32] = {{\n")
        for place in at:
            file.write("    { " + ", ".join(map(str, place)) + " },\n")
        file.write("};\n\nconst uint8_t toad__core_slots[1u << TOAD__CORE_BITS] = {\n" + rows(slots, "%d", 32) + "\n};\n\n")
        file.write("const uint64_t toad__core_squeeze[256] = {\n" + rows([shuffle(mask) for mask in range(256)], "0x%016xu", 6) + "\n};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
