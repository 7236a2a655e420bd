#!/usr/bin/env python3
"""Includes point down only, as the map in ARCHITECTURE.md says: its table is read here, and is the only place where the layers are told.

A folder may include itself, what its row names, and what those may include. A row names only folders that stand above it, so there is no circle;
and only such as some file of it does include, so the map promises no more than there is. `lib` and `app` are all folders of theirs above the row."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAP = "ARCHITECTURE.md"
# lib/ is libc without files, sockets, clock or environment.
FOREIGN = {"stdio.h": ("snprintf",), "unistd.h": (), "fcntl.h": (), "time.h": (), "sys/socket.h": (), "pthread.h": (),
           "dirent.h": (), "sys/stat.h": (), "yaml.h": ()}
ALLOWED = {("lib/base/random.c", "unistd.h"), ("lib/base/random.c", "sys/random.h")}


def read_map(found):
    """folder -> what its row names, in the order of the table; groups are kept by their own name as well."""
    rows = {}
    for line in (ROOT / MAP).read_text(encoding="utf-8").splitlines():
        m = re.match(r"\| `([\w/]+?)/?` \| ([^|]*) \|", line)
        if not m or not (ROOT / m[1]).is_dir() or m[1] == "tools":
            continue
        folder = "include" if m[1] == "include/toadstone" else m[1]
        names, top = [], folder.split("/")[0]
        for name in re.findall(r"[\w/]+", m[2].replace("public headers", "include").replace("nothing", "")):
            full = f"{top}/{name}" if f"{top}/{name}" in rows else name
            group = [row for row in rows if row.startswith(f"{name}/")] if name in ("lib", "app") else []
            if full not in rows and not group:
                found.append(f"{MAP}: {folder}/ may include {name}, which is no row above it")
            names += [(row, True) for row in group] or [(full, False)]
        rows[folder] = names
    return rows


def closure(rows, folder):
    ret = {folder}
    for name, _ in rows[folder]:
        ret |= closure(rows, name) if name in rows else set()
    return ret


def room(path, rows):
    """The row that a file belongs to: the longest folder of the map that it stands in."""
    parts = path.split("/")
    for n in range(len(parts) - 1, 0, -1):
        if "/".join(parts[:n]) in rows:
            return "/".join(parts[:n])
    return None


def includes(path, text, rows):
    """(line, row that is included, as it is written) of each include of our own; None: no row."""
    for number, line in enumerate(text.splitlines(), 1):
        m = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not m:
            continue
        if m[1].startswith("toadstone/"):
            yield number, "include", m[1]
        elif "/" not in m[1] and (ROOT / path).parent.joinpath(m[1]).exists():
            yield number, room(path, rows), m[1]
        else:
            yield number, room(m[1], rows), m[1]


def foreign(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        m = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
        if m and path.startswith("lib/") and m[1] in FOREIGN and (path, m[1]) not in ALLOWED:
            if not any(function in text for function in FOREIGN[m[1]]):
                yield f"{path}:{number}: lib/ does no input or output: <{m[1]}>"


def main():
    found, files = [], 0
    rows = read_map(found)
    allowed = {folder: closure(rows, folder) for folder in rows}
    used = {folder: set() for folder in rows}
    for top in dict.fromkeys([folder.split("/")[0] for folder in rows] + ["examples"]):
        for p in sorted((ROOT / top).rglob("*")):
            if p.suffix not in (".c", ".h", ".def"):
                continue
            files += 1
            path, text = p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8", errors="replace")
            own = room(path, rows)
            found += foreign(path, text)
            if own is None and top != "examples":
                found.append(f"{path}: its folder has no row in {MAP}")
                continue
            for number, target, written in includes(path, text, rows):
                if top == "examples":
                    if target != "include":
                        found.append(f"{path}:{number}: examples use the public headers only: {written}")
                elif target is None:
                    found.append(f"{path}:{number}: {written} belongs to no layer; write the path from the root")
                elif target not in allowed[own]:
                    found.append(f"{path}:{number}: {own} may not include {target}: {written}")
                else:
                    used[own].add(target)
    for folder, names in rows.items():
        found += [f"{MAP}: {folder}/ may include {name}, but does not" for name, group in names if not group and name not in used[folder]]
    print("\n".join(found + [f"{len(rows)} rows of the map, {files} files, {len(found)} problems"]))
    return 1 if found else 0


sys.exit(main())
