#!/usr/bin/env python3
"""Holds the binary interface: check.py SOURCE LIBRARY... (libtoadstone.so, libtoadstone-compat.so).

What the libraries export is what tests/abi/symbols.txt lists, which begins with toad_ and has a prototype in a public header; every
public enum gives each of its values a number; and toad_status has the rows of lib/base/errors.def, and no others."""
import pathlib
import re
import subprocess
import sys


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[0].split("@")[0] for line in out.splitlines()} - {"_init", "_fini", "_edata", "_end", "__bss_start"}


def listed(path):
    """Library name to symbols: a line that ends in ':' begins a library."""
    found, names = {}, None
    for line in path.read_text().splitlines():
        if line.endswith(":"):
            names = found[line[:-1]] = set()
        elif line and not line.startswith("#"):
            names.add(line)
    return found


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def main():
    root, bad = pathlib.Path(sys.argv[1]), []
    want = listed(root / "tests/abi/symbols.txt")
    headers = {p.name: without_comments(p.read_text()) for p in sorted((root / "include/toadstone").glob("*.h"))}
    for library in sys.argv[2:]:
        name = re.sub(r"\.so.*", ".so", pathlib.Path(library).name)
        have = exported(library)
        bad += [f"{name} exports {s}, which symbols.txt does not list" for s in sorted(have - want[name])]
        bad += [f"{name} no longer exports {s}" for s in sorted(want[name] - have)]
        bad += [f"{name} exports {s}, which is not ours" for s in sorted(have) if not s.startswith("toad_")]
        belongs = [t for h, t in headers.items() if (h == "compat.h") == ("compat" in name)]
        bad += [f"{s} has no prototype in a public header" for s in sorted(have) if not any(re.search(rf"TOAD_API [^;]*\b{s}\(", t) for t in belongs)]
    for h, text in headers.items():
        for enum, body in re.findall(r"enum (\w*) ?\{(.*?)\}", text, flags=re.S):
            bad += [f"{h}: {enum}: {v.strip()} has no number" for v in body.split(",") if v.strip() and not re.fullmatch(r"\s*TOAD_\w+ = -?\d+\s*", v)]
    status = set(re.findall(r"(TOAD_\w+) = (-?\d+)", re.search(r"enum toad_status \{(.*?)\}", headers["types.h"], flags=re.S)[1]))
    rows = set((f"TOAD_{n}", v) for n, v in re.findall(r"^X\((\w+), (-?\d+),", (root / "lib/base/errors.def").read_text(), flags=re.M))
    bad += [f"toad_status and errors.def differ in {sorted(status ^ rows)}"] if status != rows else []
    print("\n".join(bad) if bad else f"{sum(map(len, want.values()))} symbols")
    return 1 if bad else 0


sys.exit(main())
