#!/usr/bin/env python3
"""Count the 3-, 4- and 5-grams of ordinary text into lib/rules/cost.gen.c, by which the rule compiler picks rare literals.

usage: gen_cost.py CORPUSDIR > lib/rules/cost.gen.c      (bench/corpus.py makes the corpus)

The text is folded as far as that matters here: ASCII lower case, white space runs as one blank. A table for each length, of 2^PLACES places by
the hash the matcher uses, holds how often the commonest gram of a place begins at a byte: 0 is less than 2^-20, each step up doubles it.
"""
import math
import re
import struct
import sys
from collections import Counter

MASK = (1 << 64) - 1
PLACES = {3: 14, 4: 16, 5: 17}  # as in lib/rules/cost.h


def place(gram):
    value = int.from_bytes(gram, 'little') << (64 - 8 * len(gram)) & MASK
    return (value * 0x9E3779B97F4A7C15 & MASK) >> (64 - PLACES[len(gram)])


def documents(path):
    data = open(path, 'rb').read()
    at = 0
    while at < len(data):
        n, = struct.unpack_from('<I', data, at)
        yield data[at + 4:at + 4 + n]
        at += 4 + n


def main():
    counts, total = Counter(), 0
    for name in ('docs', 'html', 'source', 'multi'):
        for doc in documents(f'{sys.argv[1]}/{name}.corpus'):
            text = re.sub(rb'[\t-\r ]+', b' ', doc[:40000].lower())
            for n in (3, 4, 5):
                counts.update(text[i:i + n] for i in range(len(text) - n + 1))
            total += len(text)
    places = {n: [0] * (1 << PLACES[n]) for n in PLACES}
    for gram, n in counts.items():
        at = place(gram)
        places[len(gram)][at] = max(places[len(gram)][at], n)
    print('/* Written by tools/gen_cost.py from Debian documentation, web pages and source text. Not edited by hand. */')
    print('#include "lib/rules/cost.h"')
    for n in PLACES:
        levels = [max(0, min(15, math.floor(math.log2(k / total)) + 21)) if k else 0 for k in places[n]]
        print(f'\nconst uint64_t toad__gram_levels_{n}[1 << (TOAD__GRAM_PLACES_{n} - 4)] = {{')
        for row in range(0, len(levels) // 16, 8):
            words = [sum(levels[w * 16 + k] << (4 * k) for k in range(16)) for w in range(row, row + 8)]
            print('    ' + ' '.join(f'0x{w:x},' for w in words))
        print('};')


if __name__ == '__main__':
    main()
