#!/usr/bin/env python3
"""Includes point down only: fails when a C file includes a layer that is not below its own."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A layer may include itself and any layer of a lower rank. Layers of one rank never include each other.
RANK = {
    "include": 0, "lib/base": 1, "lib/text": 2, "lib/disguise": 3, "lib/rules": 4, "lib/memory": 5, "lib/decode": 5, "lib/html": 5,
    "lib/wrap": 5, "lib/model": 5, "lib/scan": 6, "lib/verdict": 7, "sys": 7, "store": 8, "net": 8, "proto": 8, "compat": 8, "app": 9, "face": 10,
}
# Outside the product: these may include any layer.
OPEN = ("tests", "fuzz", "bench", "tools")
# lib/ is libc without files, sockets, clock or environment.
FOREIGN = {"stdio.h": ("snprintf",), "unistd.h": (), "fcntl.h": (), "time.h": (), "sys/socket.h": (), "pthread.h": (),
           "dirent.h": (), "sys/stat.h": (), "yaml.h": ()}
ALLOWED = {("lib/base/random.c", "unistd.h"), ("lib/base/random.c", "sys/random.h")}


def layer(path):
    parts = path.split("/")
    if parts[0] == "lib" and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0]


def problems(path, text):
    own = layer(path)
    for number, line in enumerate(text.splitlines(), 1):
        m = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
        if not m:
            continue
        quoted, system = m.groups()
        where = f"{path}:{number}"
        if system:
            if own.startswith("lib/") and system in FOREIGN and (path, system) not in ALLOWED:
                if not any(f in text for f in FOREIGN[system]):
                    yield f"{where}: lib/ does no input or output: <{system}>"
            continue
        target = "include" if quoted.startswith("toadstone/") or (own == "include" and "/" not in quoted) else layer(quoted)
        if own == "examples" and target != "include":
            yield f"{where}: examples use the public headers only: {quoted}"
        if own not in RANK:
            continue
        if target not in RANK:
            if "/" in quoted or not (ROOT / path).parent.joinpath(quoted).exists():
                yield f"{where}: {quoted} belongs to no layer; write the path from the root"
        elif target != own and RANK[target] >= RANK[own]:
            yield f"{where}: {own} may not include {target}: {quoted}"


def main():
    found, files = [], 0
    for top in ["include", "lib", "sys", "store", "net", "proto", "compat", "app", "face", "examples"]:
        for p in sorted((ROOT / top).rglob("*")):
            if p.suffix in (".c", ".h", ".def"):
                files += 1
                found += problems(p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8", errors="replace"))
    print("\n".join(found + [f"{files} files, {len(found)} problems"]))
    return 1 if found else 0


sys.exit(main())
