#!/usr/bin/env python3
"""Which test holds which source: the tree of tests mirrors the tree of sources, and this is where it says so.

usage: tests.py lint                every source has its test, every test its source
       tests.py find WORD...        tests whose name holds one of the words      (./dev test)
       tests.py changed FILE...     tests of what changed                        (./dev quick)
The last two print lines `meson NAME` and `bats FILE`; they want a configured build/release.

lib/text/fold.c is tested by tests/unit/text/test_fold.c; fold_fast.c by test_fold_fast.c or, by the first part of its name, by
test_fold.c as well. HOMES says where the mirror of a folder stands, COVERED what is tested through something else."""
import difflib
import fnmatch
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ("lib", "sys", "app", "store", "net", "proto", "face", "compat")
HOMES = {"lib": "tests/unit", "sys": "tests/unit/sys", "app": "tests/unit/app", "proto": "tests/unit/proto", "net": "tests/net", "store": "tests/store",
         "face": "tests/unit/face", "compat": "tests/unit/compat"}
# Sources without a test of their own name: a path or pattern, and the tests that hold them. The first that fits counts.
COVERED = [
    # lib: reached through the one door that its folder has
    ("lib/base/version.c", ["tests/unit/base/test_status.c"]),
    ("lib/decode/turned.c", ["tests/unit/scan/test_layers.c"]),
    ("lib/html/*.c", ["tests/unit/html/test_extract.c", "tests/unit/html/test_render.c", "tests/unit/html/test_markup.c"]),
    ("lib/memory/*.c", ["tests/unit/memory/test_memory.c"]),
    ("lib/model/*.c", ["tests/unit/model/test_model.c"]),
    ("lib/rules/*.c", ["tests/unit/rules/test_rules.c", "tests/oracle/oracle.c"]),
    ("lib/scan/*.c", ["tests/unit/scan/test_judge.c", "tests/unit/scan/test_stream.c", "tests/unit/scan/test_decodings.c",
                      "tests/conformance/evasion.c"]),
    ("lib/text/api.c", ["tests/unit/text/test_sanitize.c"]),
    ("lib/text/keep_rules.c", ["tests/unit/text/test_sanitize.c"]),
    ("lib/text/odd.c", ["tests/unit/text/test_sanitize.c"]),
    ("lib/container/*.c", ["tests/unit/container/test_container.c", "tests/cli/containers.bats"]),
    ("lib/disguise/core.c", ["tests/unit/disguise/test_shape.c", "tests/unit/disguise/test_disguise.c"]),
    ("lib/disguise/words.c", ["tests/unit/disguise/test_misspelled.c", "tests/unit/disguise/test_shuffled.c"]),
    ("lib/verdict/guard.c", ["examples/guard.c", "tests/oom/test_oom.c"]),
    ("lib/verdict/policy.c", ["tests/unit/app/config/test_config.c", "tests/cli/config.bats"]),
    ("lib/verdict/verdict.c", ["tests/unit/scan/test_judge.c", "tests/unit/scan/test_stream.c", "tests/cli/scan.bats"]),
    ("compat/*.c", ["tests/unit/wrap/test_upstream.c", "tests/conformance/upstream.c"]),
    ("lib/wrap/*.c", ["tests/unit/wrap/test_wrap.c", "tests/unit/wrap/test_neutralize.c"]),
    # what stands in for others on Windows, in the program that dist makes
    ("*_windows.c", ["tests/packages/packages.bats"]),
    ("sys/windows/*.c", ["tests/packages/packages.bats"]),
    ("sys/*.c", ["tests/unit/sys/test_sys.c"]),
    # app: operations, through the commands that are their thinnest face
    ("app/act/*.c", ["tests/unit/app/act/test_act_parts.c", "tests/unit/app/act/test_action.c", "tests/unit/app/act/test_trace.c",
                     "tests/cli/confirm.bats"]),
    ("app/host/lifted.c", ["tests/cli/confirm.bats"]),
    ("app/host/interval.c", ["tests/unit/app/act/test_trace.c", "tests/cli/eval.bats"]),
    ("app/config/policy.c", ["tests/unit/app/config/test_config.c"]),
    ("app/host/canonical.c", ["tests/unit/app/act/test_act_parts.c"]),
    ("app/host/display.c", ["tests/unit/app/act/test_act_parts.c"]),
    ("app/host/crew.c", ["tests/unit/app/web/test_web.c"]),
    ("app/host/input.c", ["tests/unit/app/scan/test_scan.c", "tests/unit/app/repository/test_record.c"]),
    ("app/host/authority.c", ["tests/cli/gate.bats"]),
    ("app/records/exceptions.c", ["tests/cli/exceptions.bats", "tests/mcp/proxy.bats"]),
    ("app/host/host.c", ["tests/unit/app/mcp/test_screen.c", "tests/cli/contents.bats"]),
    ("app/host/times.c", ["tests/cli/sources.bats", "tests/cli/audit.bats"]),
    ("app/host/tool.c", ["tests/cli/page.bats", "tests/cli/repo.bats"]),
    ("app/mcp/clients*.c", ["tests/cli/wrap_client.bats", "tests/cli/setup.bats", "fuzz/app/fuzz_clients.c"]),
    ("app/records/log.c", ["tests/cli/log.bats"]),
    ("app/mcp/status.c", ["tests/cli/status.bats"]),
    ("face/hooks/probe.c", ["tests/cli/doctor.bats"]),
    ("app/records/learnings.c", ["tests/cli/store.bats"]),
    ("app/records/sessions.c", ["tests/cli/store.bats"]),
    ("app/records/sources.c", ["tests/cli/sources.bats"]),
    ("app/records/upkeep.c", ["tests/cli/store.bats"]),
    ("app/repository/*.c", ["tests/unit/app/repository/test_repository.c", "tests/unit/app/repository/test_record.c",
                            "tests/cli/repo.bats"]),
    ("app/scan/content.c", ["tests/cli/content.bats"]),
    ("app/scan/eval*.c", ["tests/cli/eval.bats"]),
    ("app/scan/judge.c", ["tests/cli/audit.bats"]),
    ("app/scan/rule*.c", ["tests/unit/rules/test_rules.c", "tests/cli/misc.bats"]),
    ("app/web/feed*.c", ["tests/cli/feed.bats"]),
    ("app/scan/pdf.c", ["tests/cli/page.bats", "tests/cli/containers.bats"]),
    ("app/web/search.c", ["tests/cli/search.bats"]),
    # face: an agent's own payloads in, its own answers out
    ("face/hooks/agents.c", ["tests/cli/hook.bats", "tests/unit/face/hooks/test_hook.c"]),
    # store: one contract for both backends, with crashes and failing calls
    ("store/tools.c", ["tests/store/test_tools.c"]),
    ("store/*.c", ["tests/store/test_contract.c", "tests/store/test_faults.c", "tests/store/test_crash.c"]),
    # net: one fetch against servers on loopback
    ("net/guard.c", ["tests/net/test_url.c"]),
    ("net/hostname.c", ["tests/net/test_url.c"]),
    ("net/charset.c", ["tests/net/test_sniff.c"]),
    ("net/visible.c", ["tests/net/test_search.c"]),
    ("net/site.c", ["tests/net/test_robots.c"]),
    ("net/*.c", ["tests/net/test_fetch.c", "tests/net/test_tls.c"]),
    # proto: state machines, driven by messages
    ("proto/proxy*.c", ["tests/mcp/test_proxy.c", "tests/mcp/test_proxy_oom.c"]),
    ("proto/*.c", ["tests/unit/proto/test_mcp.c", "tests/mcp/test_proxy.c"]),
    # face: programs are tested as programs
    ("face/http/*.c", ["tests/mcp/test_guard.c", "tests/mcp/http_test.py", "tests/mcp/http.bats"]),
    ("face/mcp_http/*.c", ["tests/mcp/http_test.py", "tests/mcp/http.bats"]),
    ("face/mcp/spent.c", ["tests/mcp/test_spent.c"]),
    ("face/mcp/*.c", ["tests/mcp/mcp.bats", "tests/mcp/http.bats", "tests/mcp/clients.sh"]),
    ("face/proxy/*.c", ["tests/mcp/proxy.bats", "tests/mcp/proxy_clients.sh"]),
    ("face/cli/*.c", ["tests/cli/scan.bats", "tests/cli/misc.bats"]),
]
# Tests of the unit tree that hold a folder or a behavior, not one file.
BROAD = {
    "tests/unit/app/act/test_act_parts.c": "app/act", "tests/unit/app/repository/test_record.c": "app/repository/report.c",
    "tests/unit/app/repository/test_record_oom.c": "app/repository/report.c",
    "tests/unit/app/repository/test_repository.c": "app/repository", "tests/unit/memory/test_memory.c": "lib/memory",
    "tests/unit/model/test_model.c": "lib/model", "tests/unit/rules/test_rules.c": "lib/rules",
    "tests/unit/base/test_words.c": "lib/base/str.h", "tests/unit/sys/test_sys.c": "sys",
    "tests/unit/scan/test_cost.c": "lib/scan", "tests/unit/scan/test_layers.c": "lib/scan", "tests/unit/scan/test_smuggled.c": "lib/scan", "tests/unit/scan/test_pieces.c": "lib/scan/pieces.h",
    "tests/unit/scan/test_decodings.c": "lib/scan", "tests/unit/scan/test_stream.c": "lib/scan/scanner.c",
    "tests/unit/container/test_formats.c": "lib/container", "tests/unit/wrap/test_upstream.c": "compat",
}


def tracked(*patterns):
    out = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z", *patterns], capture_output=True, check=True)
    return [n for n in out.stdout.decode().split("\0") if n and (ROOT / n).is_file()]


def home(source):
    """The folder in which the test of a source stands."""
    parts = pathlib.PurePath(source).parts
    return "/".join([HOMES[parts[0]], *parts[1:-1]])


def own_tests(source):
    """The tests that bear a source's name, or the first part of it."""
    stem = pathlib.PurePath(source).stem
    names = dict.fromkeys([stem, stem.rsplit("_", 1)[0], stem.split("_")[0]])
    found = [f"{home(source)}/test_{name}.c" for name in names]
    if source.startswith("face/cli/cmd_"):
        found.append(f"tests/cli/{stem[4:]}.bats")
    return [test for test in found if (ROOT / test).is_file()][:1]


def tests_of(source):
    own = own_tests(source)
    if own:
        return own
    return next((tests for pattern, tests in COVERED if fnmatch.fnmatch(source, pattern)), [])


def sources():
    return [n for n in tracked() if n.startswith(tuple(f"{layer}/" for layer in LAYERS)) and n.endswith(".c") and ".gen." not in n]


def lint():
    found, all_sources = [], sources()
    for source in all_sources:
        if not tests_of(source):
            found.append(f"{source}: no {home(source)}/test_{pathlib.PurePath(source).stem}.c, and COVERED in tools/tests.py names no other test")
    for pattern, tests in COVERED:
        if not any(fnmatch.fnmatch(source, pattern) for source in all_sources):
            found.append(f"tools/tests.py: COVERED: no source is called {pattern}")
        found += [f"tools/tests.py: COVERED: {pattern}: there is no {test}" for test in tests if not (ROOT / test).is_file()]
    for test, what in BROAD.items():
        found += [f"tools/tests.py: BROAD: there is no {name}" for name in (test, what) if not (ROOT / name).exists()]
    held = {test for source in all_sources for test in own_tests(source)}
    units = [n for n in tracked("tests/unit") if pathlib.PurePath(n).name.startswith("test_") and n.endswith(".c")]
    for test in units:
        plain = test.replace("_oom.c", ".c")
        if test not in held and plain not in held and test not in BROAD:
            found.append(f"{test}: no source bears its name, and BROAD in tools/tests.py does not say what it tests")
    print("\n".join(found + [f"{len(all_sources)} sources, {len(units)} unit tests, {len(found)} problems"]))
    return 1 if found else 0


def introspect(what):
    out = subprocess.run(["meson", "introspect", what, str(ROOT / "build/release")], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def programs():
    """The tests of meson by the sources of their programs, scripts included."""
    by_program = {}
    for target in introspect("--targets"):
        files = [s for part in target["target_sources"] for s in part.get("sources", [])]
        for program in target["filename"]:
            by_program[program] = files
    ret = {}
    for test in introspect("--tests"):
        for word in test["cmd"]:
            for file in by_program.get(word, [word]):
                if file.startswith(f"{ROOT}/"):
                    ret.setdefault(file[len(str(ROOT)) + 1:], []).append(test["name"])
    return ret


def show(names):
    for line in sorted(set(names)):
        print(line)


def lines_of(test, by_source):
    if test.endswith(".bats"):
        return [f"bats {test}"]
    return [f"meson {name}" for name in by_source.get(test, [])]


def find(words):
    names = {test["name"]: f"meson {test['name']}" for test in introspect("--tests")}
    names |= {name[len("tests/"):-len(".bats")]: f"bats {name}" for name in tracked("tests/*.bats")}
    found = []
    for word in words:
        bare = word.removeprefix("tests/").removesuffix(".bats")
        hits = [line for name, line in names.items() if bare in name]
        if not hits:
            last = {name.split("/")[-1]: name for name in names}
            near = difflib.get_close_matches(bare, list(names), 5, 0.5) + [last[n] for n in difflib.get_close_matches(bare, list(last), 5, 0.5)]
            hint = f"; near it: {', '.join(dict.fromkeys(near))}" if near else ""
            print(f"dev: no test is called '{word}'{hint}", file=sys.stderr)
            return 2
        found += hits
    show(found)
    return 0


def changed(files):
    """Bats files of whole folders are left out: they take minutes. A file's own are not."""
    by_source, found = programs(), []
    everything = sources()
    for file in files:
        if file in by_source or file.endswith(".bats"):
            found += lines_of(file, by_source)
        elif file in everything:
            tests = tests_of(file)
            few = [t for t in tests if t.endswith(".c")] or tests[:1]
            found += [line for test in few for line in lines_of(test, by_source)]
        elif file.endswith((".h", ".def", ".inc")) and file.split("/")[0] in LAYERS:
            folder = str(pathlib.PurePath(file).parent) + "/"
            found += [line for test, names in by_source.items() for line in lines_of(test, by_source)
                      if test.startswith(home(file) + "/") or (test in everything and test.startswith(folder))]
        elif file.startswith("data/rules/"):
            found += lines_of("tests/unit/rules/test_rules.c", by_source) + lines_of("tests/unit/scan/test_judge.c", by_source)
        elif file.startswith("tests/") and file.endswith((".h", ".c")):
            folder = str(pathlib.PurePath(file).parent) + "/"
            found += [line for test in by_source if test.startswith(folder) for line in lines_of(test, by_source)]
        elif file in ("dev", "tools/tests.py"):
            found.append("bats tests/cli/dev.bats")
    show(found)
    return 0


def main():
    verb, words = sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]
    if verb == "lint":
        return lint()
    if verb == "find" and words:
        return find(words)
    if verb == "changed":
        return changed(words)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
