#!/usr/bin/env python3
"""No raw invisible, bidirectional, control or look-alike character stands in a file of this repository.

They are written as escapes, so that nobody, person or agent, is attacked by reading the tree. Files of numbers are the exception;
seeds of fuzzers may hold any other bytes."""
import pathlib
import subprocess
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Places where letters of real languages may stand in the clear.
LETTERS = ("data/", "LICENSE")
# Third-party tables, kept as their source publishes them.
TABLES = ("data/unicode/", "data/html/")
# Hashes and numbers, no text (docs/model-card.md).
NUMBERS = ("data/model/weights.bin",)
PACKED = ("data/model/pairs/", ".jsonl.zst")  # texts, packed


def tracked():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True).stdout
    return [n for n in out.decode().split("\0") if n]


def problems(name, data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        yield f"{name}: not UTF-8 at byte {e.start}"
        return
    for number, line in enumerate(text.split("\n"), 1):
        for c in line:
            category = unicodedata.category(c)
            if c in "\t\r" and c == "\t":
                continue
            if ord(c) < 0x80 and ord(c) >= 0x20 and ord(c) != 0x7F:
                continue
            if category in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Mn", "Me") or (category == "Zs"):
                yield f"{name}:{number}: raw U+{ord(c):04X}; write it as an escape"
                break
            if not name.startswith(LETTERS):
                yield f"{name}:{number}: raw U+{ord(c):04X} ({unicodedata.name(c, '?')}); plain ASCII is wanted here"
                break


def seed_problems(name, data):
    """A seed may hold any bytes, but none that a reader of the tree would not see."""
    for c in data.decode("utf-8", "replace"):
        if ord(c) >= 0x80 and unicodedata.category(c) in ("Cf", "Cn", "Co", "Mn", "Me", "Zl", "Zp"):
            yield f"{name}: raw U+{ord(c):04X}; keep the seed as {pathlib.PurePath(name).name}.escaped, bytes as \\xNN"
            return


def main():
    found, files = [], 0
    for name in tracked():
        path = ROOT / name
        if name.startswith(TABLES) or name in NUMBERS or (name.startswith(PACKED[0]) and name.endswith(PACKED[1])) or not path.is_file() or path.is_symlink():
            continue
        files += 1
        check = seed_problems if name.startswith("fuzz/corpus/") else problems
        found += check(name, path.read_bytes())
    print("\n".join(found + [f"{files} files, {len(found)} problems"]))
    return 1 if found else 0


sys.exit(main())
