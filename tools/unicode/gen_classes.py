#!/usr/bin/env python3
"""Write lib/text/tables/class_tables.gen.{c,h}: what the sanitizer must know about every code point.

Usage: gen_classes.py UNICODE_DIR OUT_DIR        (Debian: /usr/share/unicode, package unicode-data)

Every code point belongs to one of fewer than 256 classes; a class says which keep-rule looks at it (kind) and what it is to its
neighbors (script, flags). Class numbers are ordered: first all that never need a look, then combining marks, then
the rest, so that the scan loop compares one byte. Lookup is a two-stage table of 128-blocks.
"""
import os
import sys

LIMIT = 0x110000
KINDS = ["NONE", "MARK", "STACK", "CONTROL", "C1", "LINE", "SOFT_HYPHEN", "CGJ", "HANGUL_FILLER", "IGNORABLE", "FVS", "MVS", "ZWSP",
         "ZWNJ", "ZWJ", "BIDI_MARK", "BIDI_EMBED", "ISOLATE", "PDI", "JOINER", "OPERATOR", "SELECTOR", "EMOJI_SELECTOR",
         "IDEO_SELECTOR", "BOM", "ANNOTATION", "PRIVATE", "NONCHAR", "SHORTHAND", "MUSIC", "HIEROGLYPH", "TAG",
         "BLANK_CELL"]
FLAGS = ["LETTER", "DIGIT", "COMBINES", "VIRAMA", "RTL", "PICTURE", "SKIN", "EMOJI_BASE", "IDEOGRAPH", "STD1", "STD2", "STD3",
         "JAMO_L", "JAMO_V", "JAMO_T", "MATH", "MUSICAL", "STENO", "GLYPH", "MONGOL", "UNSPACED", "PLAIN_LETTER", "STYLED_LETTER",
         "DOUBLE", "BLANK", "JOINING"]
NO_BLANKS = {"Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Balinese", "Javanese", "Sundanese", "Cham", "Tai_Tham", "Tai_Le",
             "New_Tai_Lue", "Tai_Viet", "Ahom", "Batak", "Buginese", "Rejang", "Han", "Hiragana", "Katakana", "Bopomofo", "Hangul", "Yi"}
PLAIN = {"Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Coptic", "Cherokee", "Lisu", "Canadian_Aboriginal", "Han",
         "Hiragana", "Katakana", "Hangul", "Bopomofo", "Deseret"}
INDIC = ["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala", "Tibetan",
         "Myanmar", "Khmer", "Balinese", "Javanese"]
STACKED = {"Latin", "Cyrillic"}


def rows(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as source:
        for line in source:
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) > 1:
                yield fields


def span(field):
    first, _, last = field.partition("..")
    return range(int(first, 16), int(last or first, 16) + 1)


def table(directory, name, default, column=1):
    values = [default] * LIMIT
    for fields in rows(directory, name):
        for c in span(fields[0]):
            values[c] = fields[column]
    return values


def members(directory, name, wanted):
    return {c for fields in rows(directory, name) if fields[1] in wanted for c in span(fields[0])}


def kind_of(c, category, ccc, script, ignorable):
    fixed = {0xAD: "SOFT_HYPHEN", 0x34F: "CGJ", 0x115F: "HANGUL_FILLER", 0x1160: "HANGUL_FILLER", 0x180E: "MVS", 0x200B: "ZWSP",
             0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "BIDI_MARK", 0x200F: "BIDI_MARK", 0x61C: "BIDI_MARK", 0x2028: "LINE", 0x2029: "LINE",
             0x85: "LINE", 0x2060: "JOINER", 0x2069: "PDI", 0xFEFF: "BOM", 0x2800: "BLANK_CELL"}
    spans = [(0, 0x1F, "CONTROL"), (0x7F, 0x7F, "CONTROL"), (0x80, 0x9F, "C1"), (0x180B, 0x180F, "FVS"), (0x202A, 0x202E, "BIDI_EMBED"),
             (0x2061, 0x2064, "OPERATOR"), (0x2066, 0x2068, "ISOLATE"), (0xFE00, 0xFE0D, "SELECTOR"), (0xFE0E, 0xFE0F, "EMOJI_SELECTOR"),
             (0xE0100, 0xE01EF, "IDEO_SELECTOR"), (0xFFF9, 0xFFFC, "ANNOTATION"), (0x1BCA0, 0x1BCA3, "SHORTHAND"),
             (0x1D173, 0x1D17A, "MUSIC"), (0x13430, 0x1343F, "HIEROGLYPH"), (0xE0000, 0xE00FF, "TAG")]
    if c in (9, 10):
        return "NONE"
    if c in fixed:
        return fixed[c]
    for first, last, name in spans:
        if first <= c <= last:
            return name
    if c & 0xFFFE == 0xFFFE or 0xFDD0 <= c <= 0xFDEF:
        return "NONCHAR"
    if category == "Co":
        return "PRIVATE"
    if ignorable:
        return "IGNORABLE"
    if category == "Me" or (category == "Mn" and (ccc or script == "Inherited")):
        return "MARK"
    return "STACK" if category == "Mn" else "NONE"


def load(directory):
    category = table(directory, "extracted/DerivedGeneralCategory.txt", "Cn")
    ccc = [int(v) for v in table(directory, "extracted/DerivedCombiningClass.txt", "0")]
    script = table(directory, "Scripts.txt", "Unknown")
    joining = table(directory, "extracted/DerivedJoiningType.txt", "U")
    bidi = table(directory, "extracted/DerivedBidiClass.txt", "L")
    ignorable = members(directory, "DerivedCoreProperties.txt", {"Default_Ignorable_Code_Point"})
    picture = members(directory, "emoji/emoji-data.txt", {"Extended_Pictographic"})
    skin = members(directory, "emoji/emoji-data.txt", {"Emoji_Modifier"})
    math = members(directory, "DerivedCoreProperties.txt", {"Math"})
    ideograph = members(directory, "PropList.txt", {"Unified_Ideograph", "Ideographic"})
    hangul = table(directory, "HangulSyllableType.txt", "NA")
    virama = members(directory, "IndicSyllabicCategory.txt", {"Virama", "Invisible_Stacker", "Pure_Killer"})
    indic = {script[c] for c in members(directory, "IndicSyllabicCategory.txt", {"Virama", "Invisible_Stacker", "Vowel_Dependent"})}
    indic -= {"Inherited", "Common"}
    base = {int(f[0].split()[0], 16) for f in rows(directory, "emoji/emoji-variation-sequences.txt")}
    standard = {}
    for fields in rows(directory, "StandardizedVariants.txt"):
        first, second = (int(v, 16) for v in fields[0].split())
        standard.setdefault(first, set()).add(second)
    return locals()


def flags_of(c, d, kind):
    cat, script = d["category"][c], d["script"][c]
    std = d["standard"].get(c, set())
    tests = {
        "LETTER": cat[0] == "L", "DIGIT": cat == "Nd", "COMBINES": cat[0] == "M", "VIRAMA": c in d["virama"],
        "RTL": d["bidi"][c] in ("R", "AL") and cat[0] == "L", "PICTURE": c in d["picture"], "SKIN": c in d["skin"], "EMOJI_BASE": c in d["base"],
        "IDEOGRAPH": c in d["ideograph"] and cat == "Lo", "STD1": 0xFE00 in std, "STD2": 0xFE01 in std, "STD3": 0xFE02 in std,
        "JAMO_L": d["hangul"][c] == "L" and c != 0x115F, "JAMO_V": d["hangul"][c] == "V" and c != 0x1160, "JAMO_T": d["hangul"][c] == "T",
        "MATH": c in d["math"], "MUSICAL": 0x1D100 <= c <= 0x1D1FF, "STENO": 0x1BC00 <= c <= 0x1BC9F,
        "GLYPH": 0x13000 <= c <= 0x1345F, "MONGOL": script == "Mongolian" and cat[0] == "L",
        "UNSPACED": script in NO_BLANKS and cat[0] in "LMN", "PLAIN_LETTER": script in PLAIN and cat[0] == "L",
        "STYLED_LETTER": script in STACKED and cat[0] == "L", "DOUBLE": d["ccc"][c] in (233, 234),
        "BLANK": cat[0] == "Z" or c in (9, 10, 0x2800), "JOINING": cat[0] == "L" and d["joining"][c] in "CDLR",
    }
    seen_by_neighbors = kind in ("NONE", "MARK", "STACK", "HANGUL_FILLER", "BLANK_CELL")
    return sum(1 << FLAGS.index(name) for name, on in tests.items() if on and seen_by_neighbors)


def classify(d):
    scripts = {name: INDIC.index(name) + 1 if name in INDIC else len(INDIC) + 1 for name in d["indic"]}
    keys = []
    for c in range(LIMIT):
        kind = kind_of(c, d["category"][c], d["ccc"][c], d["script"][c], c in d["ignorable"])
        spelled = kind in ("NONE", "MARK", "STACK") and d["category"][c][0] in "LM"
        keys.append((min(KINDS.index(kind), 3), KINDS.index(kind), scripts.get(d["script"][c], 0) if spelled else 0, flags_of(c, d, kind)))
    order = sorted(set(keys))
    if len(order) > 256:
        sys.exit("too many classes: %d" % len(order))
    number = {key: i for i, key in enumerate(order)}
    return [number[key] for key in keys], order


def write(path, lines):
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


def header(order):
    quiet = sum(1 for k in order if k[0] == 0)
    marks = sum(1 for k in order if k[0] <= 2)
    out = ["/* class_tables.gen.h - written by tools/unicode/gen_classes.py from the Unicode Character Database; do not edit. */",
           "#ifndef TOAD_TEXT_CLASS_TABLES_GEN_H", "#define TOAD_TEXT_CLASS_TABLES_GEN_H", "", "#include <stdint.h>", "",
           "/* Which keep-rule looks at the code point. */", "enum {"]
    out += ["    TOAD__CP_%s = %d," % (name, i) for i, name in enumerate(KINDS)]
    out += ["};", "", "/* What it is to its neighbors. */", "enum {"]
    out += ["    TOAD__IS_%s = 1 << %d," % (name, i) for i, name in enumerate(FLAGS)]
    out += ["};", "", "typedef struct toad__class {", "    uint32_t flags;", "    uint8_t kind, script; /* script: not 0 for Indic scripts; the rare ones share a number */",
            "} toad__class;", "",
            "/* Class numbers below the first need no look, those below the second are combining marks. */",
            "#define TOAD__CLASS_QUIET %du" % quiet, "#define TOAD__CLASS_MARKS %du" % marks, "",
            "extern const toad__class toad__classes[%d];" % len(order), "extern const uint16_t toad__class_block[%d];" % (LIMIT >> 7),
            "extern const uint8_t toad__class_of_block[][128];",
            "/* Bit i: all code points from 64 * i to 64 * i + 63 need no look (none of them a surrogate). */", "extern const uint64_t toad__quiet_blocks[16];", "",
            "/* Class number of a code point (at most 10FFFF). */",
            "static inline unsigned toad__class_number(uint32_t c) { return toad__class_of_block[toad__class_block[c >> 7]][c & 127]; }",
            "static inline const toad__class *toad__class_of(uint32_t c) { return &toad__classes[toad__class_number(c)]; }", "", "#endif"]
    return out


def body(numbers, order):
    blocks, index = {}, []
    for at in range(0, LIMIT, 128):
        block = tuple(numbers[at:at + 128])
        index.append(blocks.setdefault(block, len(blocks)))
    out = ["/* class_tables.gen.c - written by tools/unicode/gen_classes.py from the Unicode Character Database; do not edit. */",
           '#include "lib/text/tables/class_tables.gen.h"', "", "const toad__class toad__classes[%d] = {" % len(order)]
    out += ["    { 0x%x, %d, %d }," % (flags, kind, script) for _, kind, script, flags in order]
    out += ["};", "", "const uint16_t toad__class_block[%d] = {" % len(index)]
    out += ["    " + ", ".join(map(str, index[i:i + 20])) + "," for i in range(0, len(index), 20)]
    out += ["};", "", "const uint8_t toad__class_of_block[][128] = {"]
    for block in blocks:
        out += ["    {"] + ["        " + ", ".join(map(str, block[i:i + 20])) + "," for i in range(0, 128, 20)] + ["    },"]
    quiet = sum(1 for k in order if k[0] == 0)
    words = [0] * 16
    for i in range(1024):
        if max(numbers[64 * i:64 * i + 64]) < quiet and not 0xD800 <= 64 * i <= 0xDFFF:
            words[i // 64] |= 1 << i % 64
    out += ["};", "", "const uint64_t toad__quiet_blocks[16] = {"]
    return out + ["    " + " ".join("UINT64_C(0x%x)," % word for word in words[i:i + 4]) for i in range(0, 16, 4)] + ["};"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    numbers, order = classify(load(sys.argv[1]))
    write(os.path.join(sys.argv[2], "class_tables.gen.h"), header(order))
    write(os.path.join(sys.argv[2], "class_tables.gen.c"), body(numbers, order))


if __name__ == "__main__":
    main()
