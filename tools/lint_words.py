#!/usr/bin/env python3
"""Nothing in the tree sends its reader to what is not in the tree, and the project has one name.

Four things fail: a mark of a private document (numbered requests, research notes, the folder beside the checkout; that folder is found by
the programs in BESIDE alone), a Markdown file named in a comment or a document that does not exist, a path
of the tree that a document names and that is not there, and the name that the project had before.
The words are built from pieces, so that this file passes its own test."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BESIDE = ("dev",)
NOTES = ("attacks", "upstream", "ecosystem", "detection", "aesthetics", "dependencies", "peers", "DESIGN")
PRIVATE = re.compile(r"\bseeds? 00\d|\bseed documents?\b|\b(?:" + "|".join(NOTES) + r")\.m" + r"d\b|\bshar" + r"ed/", re.I)
BEFORE = re.compile("be" + "zoar|\\bb" + "zr", re.I)
# Files that agents read in other people's trees; they are spoken of, not referred to.
AGENTS = re.compile(r"(?:^|/)(?:AGENTS?|AGENTS\.override|CLAUDE|CLAUDE\.local|GEMINI|QWEN|CRUSH|WARP|SKILL|SOUL|USER|IDENTITY|MEMORY|context|"
                    r"feedback|user|copilot-instructions)\.md$", re.I)
# Names of examples: what a command shown there reads or writes.
EXAMPLES = {"tools/list", "tools/call", "news.md", "docs/notes.md", "docs/examples.md", "a/b.md"}
PLACE = re.compile(r"(?<![\w./*-])(?:app|bench|compat|data|docs|face|fuzz|include|lib|net|packaging|proto|store|sys|tests|tools)/[\w./-]*\w(?![\w*{/])")
NAME = re.compile(r"(?<![\w./*\[-])[\w./-]*\w\.md\b")


def tracked():
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=True)
    return [n for n in out.stdout.decode().split("\0") if n and (ROOT / n).is_file()]


def comments(name, text):
    """The lines on which prose stands: comments of programs, and documents without their examples of commands."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if name.endswith((".c", ".h", ".def")):
            start = 0 if inside else line.find("/*")
            part = line[start:] if start >= 0 else ""
            if "/*" in line or inside:
                inside = "*/" not in line[max(line.rfind("/*"), 0):]
            yield number, part
        elif name.endswith(".md"):
            if line.startswith("```"):
                inside = not inside
            elif not inside and not line.startswith("    "):
                yield number, line
        elif name == "dev" or name.endswith((".sh", ".bats", ".bash", ".build", ".yaml")):
            if line.lstrip().startswith("#"):
                yield number, line


def exists(name, target):
    places = (ROOT, (ROOT / name).parent, ROOT / "docs")
    return any((place / target).is_file() for place in places)


def problems(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        if BEFORE.search(line) or BEFORE.search(name):
            yield f"{name}:{number}: the name that the project had before"
        if name not in BESIDE and PRIVATE.search(line):
            yield f"{name}:{number}: refers to what is not in the tree: {PRIVATE.search(line)[0]}"
    if name.startswith(("tests/", "fuzz/", "data/")) and not name.endswith(".md"):
        return
    for number, line in comments(name, text):
        for target in NAME.findall(line):
            if not exists(name, target) and not AGENTS.search(target) and target not in EXAMPLES and not target.startswith("."):
                yield f"{name}:{number}: there is no {target}"
        for place in PLACE.findall(line) if name.endswith(".md") else []:
            if not (ROOT / place).exists() and not (ROOT / f"{place}.c").exists() and place not in EXAMPLES and not re.search(r"NAME|\.md$", place):
                yield f"{name}:{number}: there is no {place}"


def main():
    found, files = [], 0
    for name in tracked():
        data = (ROOT / name).read_bytes()
        if b"\0" in data[:4096] or name.startswith("fuzz/corpus/"):
            continue
        files += 1
        found += problems(name, data.decode("utf-8", "replace"))
    print("\n".join(found + [f"{files} files, {len(found)} problems"]))
    return 1 if found else 0


sys.exit(main())
