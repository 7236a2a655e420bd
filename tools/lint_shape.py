#!/usr/bin/env python3
"""Functions and files are short enough to see whole: a function warns at 60 lines and fails at 100, a file fails at 900, a line at 120 columns.

Generated files (*.gen.*) are left out. Functions are found by the house style: a body opens with '{' at the end of a line that begins in the first
column, and closes with '}' in the first column."""
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARN, FAIL, FILE_FAIL, WIDTH = 60, 100, 900, 120
PRODUCT = ("include", "lib", "sys", "compat", "store", "net", "proto", "app", "face")
BESIDE = ("tools", "tests", "fuzz", "bench", "examples")


def functions(lines):
    start = None
    for i, line in enumerate(lines):
        opens = line.endswith("{") and line[:1] not in (" ", "\t", "}", "#", "/") and "(" in line and " = " not in line
        continued = line.endswith(") {") and line.startswith(" ") and start is None
        if start is None and opens:
            start = i
        elif start is None and continued:
            k = i
            while k > 0 and lines[k].startswith(" "):
                k -= 1
            if "(" in lines[k] and not lines[k].rstrip().endswith((";", "{", "}")):
                start = k
        elif start is not None and line.startswith("}"):
            yield start + 1, i - start + 1
            start = None


def main():
    lengths, bad, warned, files = [], [], [], 0
    for top in PRODUCT + BESIDE:
        for p in sorted((ROOT / top).rglob("*.[ch]")):
            if ".gen." in p.name:
                continue
            name, lines = p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8", errors="replace").split("\n")
            files += 1
            if len(lines) > FILE_FAIL:
                bad.append(f"{name}: {len(lines)} lines in one file")
            bad += [f"{name}:{i}: {len(line)} columns" for i, line in enumerate(lines, 1) if len(line) > WIDTH]
            for at, n in functions(lines):
                if top in PRODUCT:
                    lengths.append(n)
                if n > FAIL:
                    bad.append(f"{name}:{at}: {n} lines in one function")
                elif n > WARN:
                    warned.append(f"{name}:{at}: warning: {n} lines in one function")
    lengths.sort()
    if lengths:
        print(f"{len(lengths)} functions of the product: median {statistics.median(lengths):.0f} lines, "
              f"90 % within {lengths[len(lengths) * 9 // 10]}, longest {lengths[-1]}")
    print("\n".join(warned + bad + [f"{files} files, {len(bad)} problems"]))
    return 1 if bad else 0


sys.exit(main())
