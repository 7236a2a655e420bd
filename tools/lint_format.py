#!/usr/bin/env python3
"""Every C file is as clang-format leaves it (Debian's 14, .clang-format here); generated files are left out. ./dev generate makes those."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "clang-format-14"


def files():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z", "*.c", "*.h"], capture_output=True, check=True)
    return [n for n in out.stdout.decode().split("\0") if n and ".gen." not in n and (ROOT / n).is_file()]


def look(names):
    done = subprocess.run([PROGRAM, "--dry-run", "-Werror", *names], cwd=ROOT, capture_output=True, text=True)
    return [line for line in done.stderr.splitlines() if ": error: " in line] if done.returncode else []


def main():
    names = files()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [line for part in pool.map(look, [names[i:i + 30] for i in range(0, len(names), 30)]) for line in part]
    bad = sorted({line.split(":")[0] for line in found})
    hint = [f"{PROGRAM} -i {' '.join(bad)}"] if bad else []
    print("\n".join(found + hint + [f"{len(names)} files, {len(bad)} problems"]))
    return 1 if bad else 0


sys.exit(main())
