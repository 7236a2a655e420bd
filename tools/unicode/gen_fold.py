#!/usr/bin/env python3
"""Write lib/text/tables/fold_tables.gen.{h,c}: what every code point becomes in a match view.

Usage: python3 tools/unicode/gen_fold.py [-v] [FOLDER]    (default lib/text; needs the packages unicode-data and libicu72; output committed)

One code point is folded by these steps, repeated until nothing changes:
  1. the hand-written tables data/unicode/{brackets,lookalikes}.txt
  2. letters in boxes, brackets and dark circles, by their names
  3. NFKD (Hangul syllables stay whole)
  4. look-alikes: letters "X WITH ...", turned and small-capital letters by their names, then the UTS #39 skeleton
     where it ends in ASCII, always giving both cases of a letter the same reading
  5. full case folding
then ignorables, marks and the like are dropped. The case-keeping table leaves out 5 and keeps what has marks whole.
"""
import os
import re
import sys

import ucd

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = next((a for a in sys.argv[1:] if not a.startswith("-")), os.path.join(ROOT, "lib/text/tables"))
BLOCK = 64
TABLE_END = 0x20000
COMPAT = range(0x2F800, 0x2FA40)

# Classes: a table entry below FIRST_TEXT says what the code point is, any other is an offset into the texts.
KEEP, LETTER, NATIVE, INVISIBLE, MARK, SPACE, BREAK, GLYPH, JAMO, GREEK = range(10)
CLASS_NAMES = "KEEP LETTER NATIVE INVISIBLE MARK SPACE BREAK GLYPH JAMO GREEK".split()
FIRST_TEXT = 16
# Flags of a text
F_LOOK, F_LETTER, F_NATIVE, F_JAMO = 1, 2, 4, 8

CHARS = ucd.characters()
SCRIPT = ucd.scripts()
CASE = ucd.case_folding()
SKELETONS = ucd.Skeletons()
IGNORABLE = ucd.property_set("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point")
WHITE = ucd.property_set("PropList.txt", "White_Space")
BLANK_GLYPHS = {0x2800, 0x1D159}
BREAKS = {0x85, 0x2028, 0x2029}
# annotation, object replacement, what bad bytes become; Egyptian format controls
OTHER_INVISIBLE = set(range(0xFFF9, 0xFFFE)) | set(range(0x13430, 0x13440))
NO_LOOKALIKES = {"Han", "Hiragana", "Katakana", "Hangul", "Bopomofo"}
NOT_NATIVE = NO_LOOKALIKES | {"Latin", "Common", "Inherited", None}


def read_hand(name):
    table = {}
    with open(os.path.join(ROOT, "data/unicode", name), encoding="ascii") as lines:
        for line in lines:
            code, _, text = line.partition(";")
            if not text or line.startswith("#"):
                continue
            ends = [int(x, 16) for x in code.strip().split("..")]
            text = text.split(" #")[0].strip()
            for i, c in enumerate(range(ends[0], ends[-1] + 1)):
                span = re.fullmatch(r"(\w)\.\.\w", text)
                table[c] = chr(ord(span.group(1)) + i) if span else text
    return table


HAND = {**read_hand("lookalikes.txt"), **read_hand("brackets.txt")}


def category(c):
    return CHARS[c].category if c in CHARS else "Cn"


def name(c):
    return CHARS[c].name if c in CHARS else ""


def is_mark(c):
    return category(c) in ("Mn", "Me") or (c in CHARS and CHARS[c].ccc != 0)


def is_noncharacter(c):
    return 0xFDD0 <= c <= 0xFDEF or c & 0xFFFE == 0xFFFE


def is_private(c):
    return 0xE000 <= c <= 0xF8FF or c >= 0xF0000


# ---- steps ----

BOXED = re.compile(
    r"(?:NEGATIVE CIRCLED|NEGATIVE SQUARED|CROSSED NEGATIVE SQUARED|RAISED NEGATIVE SQUARED|PARENTHESIZED|TORTOISE SHELL BRACKETED"
    r"|CIRCLED ITALIC|SQUARED) LATIN (CAPITAL|SMALL) LETTER ([A-Z])")
BOXED_WORD = re.compile(r"(?:NEGATIVE |CROSSED NEGATIVE )?SQUARED ([A-Z]{1,4})")
DIGIT = re.compile(r"(?:DINGBAT )?(?:NEGATIVE )?(?:DOUBLE )?CIRCLED (?:SANS-SERIF )?DIGIT|DINGBAT (?:NEGATIVE )?CIRCLED (?:SANS-SERIF )?DIGIT")


def boxed(c):
    """A letter, word or digit in a box: its text, or None."""
    found = BOXED.fullmatch(name(c))
    if found:
        return found.group(2) if found.group(1) == "CAPITAL" else found.group(2).lower()
    found = BOXED_WORD.fullmatch(name(c))
    if found:
        return found.group(1)
    if DIGIT.match(name(c)) and CHARS[c].numeric in list("0123456789"):
        return CHARS[c].numeric
    return None


SHAPE = r"(?:TURNED|REVERSED|INVERTED|SIDEWAYS|OPEN|CLOSED REVERSED OPEN|REVERSED OPEN|SCRIPT|INSULAR|BARRED|DOTLESS|BLACKLETTER|STIRRUP|TAILLESS|VISIGOTHIC|LENIS|MIDDLE-WELSH|EPIGRAPHIC|HALF|BROKEN|FINAL|VOLAPUK|ARCHAIC|RHOTIC|TOP HALF|BOTTOM HALF|SIDEWAYS DIAERESIZED|SIDEWAYS OPEN)"
LATIN = re.compile(rf"LATIN (CAPITAL|SMALL) LETTER (?:{SHAPE} )*([A-Z])(?: WITH .*| DIGRAPH)?")
SMALL_CAPITAL = re.compile(rf"(?:LATIN|MODIFIER) LETTER SMALL CAPITAL (?:{SHAPE} )*([A-Z])(?: WITH .*)?")
MODIFIER = re.compile(rf"MODIFIER LETTER (CAPITAL|SMALL) (?:{SHAPE} )*([A-Z])(?: WITH .*)?")


def by_name(c):
    """The plain letter in the name of a Latin letter, or None."""
    found = SMALL_CAPITAL.fullmatch(name(c))
    if found:
        return found.group(1).lower()
    found = LATIN.fullmatch(name(c)) or MODIFIER.fullmatch(name(c))
    if found:
        return found.group(2) if found.group(1) == "CAPITAL" else found.group(2).lower()
    return None


def by_skeleton(c):
    """The UTS #39 skeleton of c if it ends in ASCII, marks dropped; None otherwise."""
    if SCRIPT.get(c) in NO_LOOKALIKES or c not in CHARS or category(c) == "Cn":
        return None
    skeleton = [x for x in SKELETONS.of(c) if not is_mark(x) and x not in IGNORABLE]
    if not skeleton or skeleton == [c] or len(skeleton) > 4:
        return None
    text = ""
    for x in skeleton:
        piece = chr(x) if x < 0x80 else HAND.get(x) or by_name(x) or ascii_nfkd(x)
        if not piece or piece == "=" or ord(piece[0]) >= 0x80:
            return None
        text += piece
    return None if min(text) <= " " else text.replace("rn", "m").replace("''", '"')


def ascii_nfkd(c):
    text = [x for x in nfkd(c) if not is_mark(x)]
    return "".join(map(chr, text)) if text and all(x < 0x80 for x in text) else None


def digit(c, text):
    """Decimal digits are digits, unless they are drawn as a letter o."""
    if category(c) != "Nd":
        return text
    return "o" if text and text.lower() == "o" else CHARS[c].numeric


def reading(c):
    """What c alone looks like, in ASCII; None when it looks like nothing there."""
    if c in HAND:
        return None if HAND[c] == "=" else HAND[c]
    return digit(c, by_name(c) or by_skeleton(c)) or ("-" if category(c) == "Pd" else None)


UPPER_OF = {}
for upper, folded in CASE.items():
    if upper >= 0x80 and len(folded) == 1 and folded[0] >= 0x80:
        UPPER_OF.setdefault(folded[0], upper)
CONFLICTS = {}


def look(c):
    """The ASCII reading of c, the same for both cases of a letter wherever their shapes allow it; None if there is none."""
    if HAND.get(c) == "=" or (is_mark(c)) or c in WHITE:
        return None
    mine = reading(c)
    small = CASE.get(c)
    if small and len(small) == 1 and small[0] >= 0x80:
        theirs = reading(small[0])
        if not mine:
            return theirs.upper() if theirs else None
        if theirs and theirs.lower() != mine.lower():
            if mine == "l" or SCRIPT.get(c) in ("Cyrillic", "Cherokee"):
                return theirs.upper()
            CONFLICTS[c] = (mine, theirs)
        return mine
    if not mine and c in UPPER_OF:
        theirs = reading(UPPER_OF[c])
        return {"l": "i"}.get(theirs, theirs.lower()) if theirs else None
    return mine


def nfkd(c):
    """Full compatibility decomposition, without the arithmetic one of Hangul."""
    d = CHARS.get(c)
    if not d or not d.decomposition:
        return [c]
    return [y for x in d.decomposition for y in nfkd(x)]


def is_spacing_mark(c):
    """A blank that carries a mark: its decomposition would lose the sign and make a word gap."""
    d = nfkd(c)
    return len(d) > 1 and d[0] == 0x20 and all(is_mark(x) for x in d[1:])


def step(c, keep):
    """One step for one code point; None when it is stable."""
    if c < 0x80:
        return None if keep or not 0x41 <= c <= 0x5A else [c + 0x20]
    if c in IGNORABLE or is_mark(c):
        return None
    if c in HAND:
        return None if HAND[c] == "=" else [ord(x) for x in HAND[c]]
    box = boxed(c)
    if box:
        return [ord(x) for x in box]
    d = nfkd(c)
    if is_spacing_mark(c):
        d = [c] if CHARS[c].compat else CHARS[c].decomposition
    if d != [c]:
        if not keep or not any(is_mark(x) for x in d) or CHARS[c].compat:
            singleton = CHARS[c].compat or len(CHARS[c].decomposition) == 1
            if not keep or singleton:
                return d
        return None if keep else d
    text = look(c)
    if text:
        return [ord(x) for x in text]
    return None if keep else CASE.get(c)


L, V, T, S, NV, NT = 0x1100, 0x1161, 0x11A7, 0xAC00, 21, 28


def compose(text):
    """Conjoining jamo to syllables."""
    out = []
    for c in text:
        last = out[-1] if out else 0
        if L <= last < L + 19 and V <= c < V + NV:
            out[-1] = S + ((last - L) * NV + c - V) * NT
        elif S <= last < S + 11172 and (last - S) % NT == 0 and T < c < T + NT:
            out[-1] = last + c - T
        else:
            out.append(c)
    return out


def fold(c, keep):
    """The text c becomes."""
    todo, out, rounds = [c], [], 0
    while todo:
        x = todo.pop(0)
        more = step(x, keep)
        rounds += 1
        assert rounds < 200, hex(c)
        if more is not None and more != [x]:
            todo = list(more) + todo
        elif x not in IGNORABLE and not (not keep and is_mark(x)):
            out.append(0x20 if x in WHITE else x)
    return compose(out)


def is_jamo(c):
    return L <= c < L + 19 or V <= c < V + NV or T < c < T + NT


def classify(c, keep):
    """(class, None), or (None, folded text) when it is replaced."""
    if c in IGNORABLE or c in OTHER_INVISIBLE or is_private(c) or is_noncharacter(c) or 0x80 <= c < 0xA0 and c not in BREAKS:
        return INVISIBLE, None
    if c in BREAKS:
        return BREAK, None
    if c in WHITE:
        return SPACE, None
    if c in BLANK_GLYPHS:
        return GLYPH, None
    if is_mark(c):
        return (KEEP if keep else MARK), None
    if is_jamo(c):
        return JAMO, None
    if c in AMBIGUOUS:
        return GREEK, None
    text = fold(c, keep)
    assert not text or (0x20 not in (text[0], text[-1]) and "  " not in "".join(map(chr, text))), hex(c)
    if text == [c]:
        if not category(c).startswith("L"):
            return KEEP, None
        return (LETTER if SCRIPT.get(c) in NOT_NATIVE else NATIVE), None
    return (None, text) if text else (MARK, None)


def flags(c, text):
    f = F_JAMO if len(text) == 1 and is_jamo(text[0]) else 0
    shown = category(c).startswith("L") or BOXED.fullmatch(name(c)) is not None
    if not shown:
        return f
    f |= F_LETTER
    is_ascii = len(text) == 1 and chr(text[0]).isascii() and chr(text[0]).isalpha()
    disguise = SCRIPT.get(c) not in ("Latin", "Common") or "SMALL CAPITAL" in name(c) or "NEGATIVE" in name(c)
    if nfkd(c) == [c] and is_ascii and disguise:
        f |= F_LOOK
    elif SCRIPT.get(c) not in NOT_NATIVE and (not is_ascii or not CHARS[c].compat and nfkd(c) != [c]):
        f |= F_NATIVE
    return f


# Greek capitals that look like one Latin letter and whose small letters look like another
for c in range(0x391, 0x3AA):
    if c in CHARS:
        look(c)
AMBIGUOUS = {c: (mine.upper(), theirs.upper()) for c, (mine, theirs) in CONFLICTS.items()}


class Tables:
    """Two-stage tables over one shared set of blocks and one pool of texts."""

    def __init__(self):
        self.blocks, self.pool, self.offsets = {}, bytearray(FIRST_TEXT), {}
        self.entries = []

    def text(self, f, text):
        key = (f, "".join(map(chr, text)).encode())
        if key not in self.offsets:
            self.offsets[key] = len(self.pool)
            self.pool += bytes([len(key[1]), f]) + key[1]
        return self.offsets[key]

    def entry(self, c, keep):
        kind, text = classify(c, keep)
        return kind if text is None else self.text(flags(c, text), text)

    def stage(self, keep):
        codes = list(range(TABLE_END)) + list(COMPAT)
        entries = [0 if c < 0x80 or 0xD800 <= c < 0xE000 else LETTER if c in ucd.HANGUL else self.entry(c, keep) for c in codes]
        self.entries.append(entries)
        return [self.blocks.setdefault(tuple(entries[i:i + BLOCK]), len(self.blocks)) for i in range(0, len(entries), BLOCK)]

    def two(self, entry, c):
        """The entry of a code point from 80 to 7FF for the fast loop; 0 sends it the long way, as it does overlong ASCII."""
        if c < 0x80:
            return 0
        if entry in (KEEP, LETTER, NATIVE, MARK):
            raw = b"" if entry == MARK else chr(c).encode()
            f = {LETTER: F_LETTER, NATIVE: F_LETTER | F_NATIVE}.get(entry, 0)
        elif entry < FIRST_TEXT or self.pool[entry] > 2 or self.pool[entry + 1] & F_JAMO:
            return 0
        else:
            n, f = self.pool[entry], self.pool[entry + 1]
            raw = self.pool[entry + 2:entry + 2 + n]
        ratio = 0 if not raw else len(chr(c).encode()) // len(raw)
        value = int.from_bytes(raw, "little") | len(raw) << 16 | ratio << 20 | 1 << 31
        return value | bool(f & F_LOOK) << 32 | bool(f & F_LETTER) << 42 | bool(f & F_NATIVE) << 52


def numbers(values, width=16):
    lines = [", ".join(str(v) for v in values[i:i + width]) for i in range(0, len(values), width)]
    return ",\n    ".join(lines)


def array(kind, declarator, values, width=24):
    suffix = "u" if kind == "uint64_t" else ""
    return f"const {kind} {declarator} = {{\n    {numbers([str(v) + suffix for v in values], width)},\n}};\n"


def main():
    sys.setrecursionlimit(10000)
    t = Tables()
    stages = [t.stage(False), t.stage(True)]
    greek = [(c, ord(m), ord(r)) for c, (m, r) in sorted(AMBIGUOUS.items())]
    t.pool += bytes(4)  # readers copy four bytes at a time
    two = [t.two(t.entries[keep][c], c) for keep in (0, 1) for c in range(0x800)]
    assert len(t.pool) < 65000 and len(t.blocks) < 65536
    stage2 = [e for block in sorted(t.blocks, key=t.blocks.get) for e in block] + [0]  # readers gather two entries at a time
    size = 2 * (sum(map(len, stages)) + len(stage2)) + len(t.pool) + 8 * len(two)
    versions = f"Unicode {ucd.version()}, UTS #39 of ICU {SKELETONS.major}"
    enum = "\n".join(f"    TOAD__FOLD_{n} = {i}," for i, n in enumerate(CLASS_NAMES))
    with open(os.path.join(OUT, "fold_tables.gen.h"), "w", encoding="ascii") as out:
        out.write(f"""/* fold_tables.gen.h - made by tools/unicode/gen_fold.py from {versions}; do not edit.
 *
 * entry = toad__fold_stage2[toad__fold_stage1[keep][c / 64] * 64 + c % 64]; below TOAD__FOLD_FIRST_TEXT it is a class, else the offset of a text in
 * toad__fold_pool: its length, its flags, its bytes. Code points from {TABLE_END:X} on are outside, but for {COMPAT[0]:X}..{COMPAT[-1]:X}, which follow them. */
#ifndef TOAD_TEXT_FOLD_TABLES_GEN_H
#define TOAD_TEXT_FOLD_TABLES_GEN_H

#include <stdint.h>

enum {{
{enum}
    TOAD__FOLD_FIRST_TEXT = {FIRST_TEXT},
    TOAD__FOLD_TABLE_END = 0x{TABLE_END:X},
    TOAD__FOLD_COMPAT_FIRST = 0x{COMPAT[0]:X},
    TOAD__FOLD_COMPAT_END = 0x{COMPAT[-1] + 1:X},
    TOAD__FOLD_F_LOOK = {F_LOOK},
    TOAD__FOLD_F_LETTER = {F_LETTER},
    TOAD__FOLD_F_NATIVE = {F_NATIVE},
    TOAD__FOLD_F_JAMO = {F_JAMO},
    TOAD__FOLD_GREEK_N = {len(greek)},
}};

extern const uint16_t toad__fold_stage1[2][{len(stages[0])}];
extern const uint16_t toad__fold_stage2[{len(stage2)}];
extern const uint8_t toad__fold_pool[{len(t.pool)}];
/* [keep * 800 + c], U+0080..U+07FF: its bytes (at most two), their number << 16, bytes of input per byte << 20, 1 << 31, then as counters to be
 * added up: look-alike << 32, letter << 42, native << 52. 0: look it up in the other table, or no two-byte form at all. */
extern const uint64_t toad__fold_two[{len(two)}];
/* Greek capitals with two readings: the capital, what it looks like, what its small letter looks like. */
extern const uint16_t toad__fold_greek[{len(greek)}][3];

#endif
""")
    with open(os.path.join(OUT, "fold_tables.gen.c"), "w", encoding="ascii") as out:
        out.write(f"/* fold_tables.gen.c - made by tools/unicode/gen_fold.py from {versions}; do not edit. {size} bytes. */\n")
        out.write('#include "lib/text/tables/fold_tables.gen.h"\n\n')
        rows = ",\n".join("    {\n    " + numbers(s, 24) + ",\n    }" for s in stages)
        out.write(f"const uint16_t toad__fold_stage1[2][{len(stages[0])}] = {{\n{rows},\n}};\n")
        out.write(array("uint16_t", f"toad__fold_stage2[{len(stage2)}]", stage2))
        out.write(array("uint8_t", f"toad__fold_pool[{len(t.pool)}]", list(t.pool), 32))
        out.write(array("uint64_t", f"toad__fold_two[{len(two)}]", two, 12))
        out.write(f"const uint16_t toad__fold_greek[{len(greek)}][3] = {{\n" +
                  "".join(f"    {{ 0x{c:X}, '{chr(m)}', '{chr(r)}' }},\n" for c, m, r in greek) + "};\n")
    print(f"{versions}: {len(t.blocks)} blocks, pool {len(t.pool)}, {size} bytes in all")
    if "-v" in sys.argv:
        for c, (mine, theirs) in sorted(CONFLICTS.items()):
            print(f"two readings: U+{c:04X} {mine} {theirs} {name(c)}")


if __name__ == "__main__":
    main()
