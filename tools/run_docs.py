#!/usr/bin/env python3
"""Runs the examples of the papers: run_docs.py TOADSTONE [FILE]...

A ```sh block whose lines begin with "$ " is a session: each command is run by sh in a scratch directory that the examples of one file share, with
toadstone first on the PATH, and what it prints (standard output and error) must be the lines that follow. A line "..." stands for any lines. A ```c
block with a main() is compiled against include/ and libtoadstone.a beside TOADSTONE, and must run and exit 0; what it prints must be
the ```text block that follows, if one does; a ```python block likewise, with TOADSTONE's folder first on the PATH and the Python binding at hand, and a ```js block as a module of Node, where TOADSTONE_NODE
names the folder of packages that has toadstone in it (tests/bindings makes one). Other blocks are not examples."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PERSON = str(ROOT / "tests/support/person.py")  # who reads the papers sits at a terminal, and types what he is asked to
PAPERS = ["README.md", "docs"]


def blocks(text):
    """(language, first line number, lines) of each fenced block."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(text.split("\n"), 1):
        fence = re.match(r"^```(\S*)\s*$", line)
        if language is None and fence and fence.group(1):
            language, start, lines = fence.group(1), number + 1, []
        elif language is None and fence:
            language, start, lines = "none", number + 1, []
        elif fence:
            found.append((language, start, lines))
            language = None
        elif language is not None:
            lines.append(line)
    return found


def sessions(lines, start):
    """(line number, command, expected lines) of each command of a session; a line that ends in a backslash goes on."""
    out, i = [], 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            i += 1
            continue
        at, command = i, lines[i][2:]
        while command.endswith("\\") and i + 1 < len(lines):
            i += 1
            command += "\n" + lines[i]
        i += 1
        want = []
        while i < len(lines) and not lines[i].startswith("$ "):
            want.append(lines[i])
            i += 1
        out.append((start + at, command, want))
    return out


def matches(want, got):
    pattern = "".join("(?:.*\n)*" if w.strip() == "..." else re.escape(w).replace(re.escape("[...]"), ".*") + "\n" for w in want)
    return re.fullmatch(pattern, "".join(g + "\n" for g in got)) is not None


def lines_of(text):
    return text[:-1].split("\n") if text.endswith("\n") else text.split("\n") if text else []


def run_session(name, lines, start, scratch, env):
    for at, command, want in sessions(lines, start):
        stays = re.search(r"(?<![&>])&(?![&\d>])", command)  # a server that is left running would go with its terminal
        done = subprocess.run([*([] if stays else [PERSON]), "sh", "-c", command], cwd=scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        got = lines_of(done.stdout.decode("utf-8", "replace"))
        yield matches(want, got), f"{name}:{at}: {command}\n  wanted: " + "\n          ".join(want) + "\n  got:    " + "\n          ".join(got)


def run_c(name, start, lines, want, scratch, build, env):
    source, program = pathlib.Path(scratch, "example.c"), pathlib.Path(scratch, "example")
    source.write_text("\n".join(lines) + "\n")
    compiled = subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", str(source), f"{build}/libtoadstone.a",
                               "-o", str(program)], capture_output=True, text=True)
    if compiled.returncode:
        return False, f"{name}:{start}: does not compile\n{compiled.stderr}"
    done = subprocess.run([str(program)], cwd=scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    ok = done.returncode == 0 and (want is None or matches(want, lines_of(done.stdout)))
    return ok, f"{name}:{start}: exit {done.returncode}, printed\n{done.stdout}{done.stderr}"


def run_script(program, name, start, lines, want, scratch, env):
    done = subprocess.run([*program, "\n".join(lines)], cwd=scratch, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    ok = done.returncode == 0 and (want is None or matches(want, lines_of(done.stdout)))
    return ok, f"{name}:{start}: exit {done.returncode}, printed\n{done.stdout}{done.stderr}"


def run_file(path, toadstone):
    name, build = path.relative_to(ROOT).as_posix(), toadstone.parent
    env = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}", LC_ALL="C.UTF-8", NO_COLOR="1",
               PYTHONPATH=str(ROOT / "bindings/python"), PYTHONDONTWRITEBYTECODE="1", TOADSTONE_LIBRARY=f"{build}/libtoadstone.so")
    packages = os.environ.get("TOADSTONE_NODE")
    found = blocks(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        if packages:
            pathlib.Path(scratch, "node_modules").symlink_to(os.path.abspath(packages))
        for i, (language, start, lines) in enumerate(found):
            if language == "sh" and any(line.startswith("$ ") for line in lines):
                yield from run_session(name, lines, start, scratch, env)
            want = found[i + 1][2] if i + 1 < len(found) and found[i + 1][0] == "text" else None
            if language == "python":
                yield run_script([sys.executable, "-c"], name, start, lines, want, scratch, env)
            elif language == "js" and packages:
                yield run_script(["node", "--input-type=module", "-e"], name, start, lines, want, scratch, env)
            elif language == "c" and any("main(" in line for line in lines):
                yield run_c(name, start, lines, want, scratch, build, env)


def main():
    toadstone = pathlib.Path(os.path.abspath(sys.argv[1]))
    papers = [pathlib.Path(p).resolve() for p in sys.argv[2:]]
    if not papers:
        for p in PAPERS:
            papers += sorted((ROOT / p).glob("*.md")) if (ROOT / p).is_dir() else [ROOT / p]
    passed = failed = 0
    for p in papers:
        for ok, message in run_file(p, toadstone):
            passed, failed = passed + ok, failed + (not ok)
            if not ok:
                print(message)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
