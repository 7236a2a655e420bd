#!/usr/bin/env python3
"""Write the generated files of the tree anew, or with --check say which of them are not what their generators write.

usage: generate.py [--check]        (./dev generate, and a step of ./dev check)

Needs unicode-data and libicu72 of Debian 12: with other versions of Unicode other tables come out. One file is not made here: cost.gen.c counts
the words of gigabytes of installed documents (tools/gen_cost.py), which no two machines have alike; a stale one makes rules slower, never wrong."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNICODE = "/usr/share/unicode"
# What comes out, and the command that writes it: OUT is a folder, and a command without it prints its one file.
GENERATED = [
    (["lib/text/tables/class_tables.gen.c", "lib/text/tables/class_tables.gen.h"], ["tools/unicode/gen_classes.py", UNICODE, "OUT"]),
    (["lib/text/tables/fold_tables.gen.c", "lib/text/tables/fold_tables.gen.h"], ["tools/unicode/gen_fold.py", "OUT"]),
    (["lib/disguise/tables/words.gen.c", "lib/disguise/tables/words.gen.h"],
     ["tools/gen_disguise.py", "lib/disguise/tables/words.def", "lib/disguise/tables/common_words.txt", "OUT"]),
    (["lib/text/tables/entities.gen.c"], ["tools/gen_entities.py"]),
    (["data/rules/gates.yaml"], ["tools/gen_gates.py"]),
    (["app/mcp/plugins.gen.c"], ["tools/gen_packages.py", "--embed"]),
]
ELSEWHERE = ["lib/rules/cost.gen.c"]


def made(outputs, command):
    """The bytes of each output, written into a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as out:
        words = [sys.executable] + [out if word == "OUT" else word for word in command]
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit(f"{command[0]} failed")
        if "OUT" not in command:
            return [done.stdout]
        return [(pathlib.Path(out) / pathlib.PurePath(name).name).read_bytes() for name in outputs]


def strangers():
    """Files that call themselves generated and that nobody generates."""
    listed = {name for outputs, _ in GENERATED for name in outputs} | set(ELSEWHERE)
    files = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.gen.*"], capture_output=True, text=True, check=True)
    return [f"{name}: no generator is named for it in tools/generate.py" for name in files.stdout.split() if name not in listed]


def main():
    check, found = "--check" in sys.argv[1:], strangers()
    for outputs, command in GENERATED:
        for name, data in zip(outputs, made(outputs, command)):
            path = ROOT / name
            if path.exists() and path.read_bytes() == data:
                continue
            if check:
                found.append(f"{name}: {command[0]} writes something else; run ./dev generate and commit what it changes")
            else:
                path.write_bytes(data)
                print(f"wrote {name}")
    print("\n".join(found + [f"{sum(len(outputs) for outputs, _ in GENERATED)} generated files, {len(found)} problems"]))
    return 1 if found else 0


sys.exit(main())
