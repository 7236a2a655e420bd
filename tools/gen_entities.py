#!/usr/bin/env python3
"""Write lib/text/tables/entities.gen.c: the named character references of HTML as one sorted table.

Source: Python's html.entities.html5, which is the WHATWG list (2,231 names, with and without semicolon).
Usage: tools/gen_entities.py > lib/text/tables/entities.gen.c
"""
from html.entities import html5


def c_bytes(text):
    """A C string literal; octal escapes, as they end by themselves after three digits."""
    return '"' + "".join(chr(b) if 0x20 <= b < 0x7F and chr(b) not in '"\\?' else "\\%03o" % b for b in text.encode()) + '"'


def main():
    names = sorted(html5, key=lambda name: name.encode())
    print("/* entities.gen.c - made by tools/gen_entities.py; do not edit. %d names, sorted by bytes. */" % len(names))
    print('#include "lib/text/entity.h"\n')
    print("const unsigned toad__entities_n = %d;" % len(names))
    print("const toad__entity toad__entities[] = {")
    for name in names:
        value = html5[name]
        print("    { %s, %s, %d, %d }," % (c_bytes(name), c_bytes(value), len(name), len(value.encode())))
    print("};")


if __name__ == "__main__":
    main()
