#!/usr/bin/env python3
"""Toadstone beside its peers, on the same labelled rows in one run: peers.py --data FILE [--toadstone BIN] [--every N] [--jobs N] [--details]

FILE is .jsonl or .jsonl.zst as `toadstone eval` reads it. Prints Markdown: recall, false alarms, MB/s. The
peers are npm's agent-threat-rules in its three lanes (installed into build/peers, versions pinned by package-lock.json) and the rule lists of
rule_sets.py in Python's `re`. All are fed alike: a call for each row within one process, one thread; speed is bytes of text by CPU time spent
in these calls, start and reading left out. A row on which a peer works for more than LIMIT_S seconds is given up and counts as not flagged. Where
bench_match is built, Toadstone's matcher is measured on the same rows beside Vectorscan, PCRE2, Python's `re` and memcpy. Nothing else of the
project needs this: it wants node, npm and a registry, and minutes."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import rule_sets  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT_S = 10
LANES = ["enforce", "alert", "hunt"]
# Ordinary content: what false alarms are averaged over.
ORDINARY = ["docs-md", "docs-tldr", "docs-lang", "html-pages", "ud-sentences", "code", "config-data", "email-enron", "email-spamassassin",
            "news-agnews", "logs", "git-log", "piarena-context"]
# Harder: texts about attacks, and texts that do give orders to a model.
HARD = {"security documents": "hn-security-docs", "instructions for models": "hn-llm-instructions"}
# Written to match the rules of agent-threat-rules: says nothing about it, and its misses nothing about the others.
LEFT_OUT = ["agent-rules-cases"]
LEAST_ROWS = 5


class Result:
    """Hits by dataset and label of one detector; bytes and seconds of its matching."""

    def __init__(self, name):
        self.name, self.hits, self.seconds, self.given_up, self.note = name, {}, 0.0, 0, ""

    def add(self, dataset, label, flagged):
        hits, of = self.hits.get((dataset, label), (0, 0))
        self.hits[dataset, label] = (hits + flagged, of + 1)

    def share(self, dataset, label):
        hits, of = self.hits.get((dataset, label), (0, 0))
        return hits / of if of else None


def read_rows(path, every, scratch):
    """The rows that are text, and a plain copy of them for the programs that read files themselves."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-d", "--long=27", "-c", path], check=True, stdout=subprocess.PIPE).stdout
    else:
        data = pathlib.Path(path).read_bytes()
    rows = [row for row in (json.loads(line) for line in data.split(b"\n") if line.strip()) if "text" in row][::every]
    copy = os.path.join(scratch, "rows.jsonl")
    with open(copy, "w", encoding="ascii") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return rows, copy


def run_rule_set(index, copy):
    """One list over all rows, in a process of its own."""

    def give_up(signum, frame):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    rules, seconds, out = rule_sets.rule_sets()[index], 0.0, []
    with open(copy, encoding="utf-8") as file:
        for line in file:
            text = json.loads(line)["text"]
            signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
            start = time.process_time()
            try:
                out.append("1" if rules.flags(text) else "0")
            except TimeoutError:
                out.append("t")
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            seconds += time.process_time() - start
    return {"rows": "".join(out), "seconds": seconds, "rules": len(rules.patterns)}


def run_atr(installed, lane, copy, shard, shards):
    command = ["node", str(HERE / "atr.mjs"), installed, lane, copy, str(LIMIT_S), str(shard), str(shards)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def tally(name, rows, parts):
    """parts: of every shard what it printed, in the order of the shards."""
    result = Result(name)
    for shard, part in enumerate(parts):
        for row, outcome in zip(rows[shard :: len(parts)], part["rows"]):
            result.add(row.get("dataset", "-"), row["label"], outcome == "1")
            result.given_up += outcome == "t"
        result.seconds += part["seconds"]
    result.note = f"{parts[0]['rules']} rules"
    return result


def run_toadstone(program, copy):
    """Both readings of one run: flagged (medium or high) and blocked (high)."""
    command = [program, "eval", "--json", "--worst", "0", "--jobs", "1", "--kind-of", "hn-llm-instructions=instruction_file", copy]
    run = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    results = []
    for name in ("flagged", "blocked"):
        result = Result(f"**Toadstone, {name}**")
        for group in run["groups"]:
            for label, key in (("attack", name), ("benign", "false_" + name)):
                if group[key]["of"]:
                    result.hits[group["name"], label] = (group[key]["hits"], group[key]["of"])
        result.seconds = run["scan_seconds"]
        results.append(result)
    return results


def install(folder):
    """npm's package where it is not yet; None, with a reason on stderr, where it can't be had."""
    if not shutil.which("npm") or not shutil.which("node"):
        print("peers: no node and npm here: agent-threat-rules is left out", file=sys.stderr)
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder / name)
    if not (folder / "node_modules/agent-threat-rules").is_dir():
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=False).returncode:
            print("peers: npm could not install agent-threat-rules: it is left out", file=sys.stderr)
            return None
    return str(folder)


def measure(args, rows, copy):
    results = run_toadstone(args.toadstone, copy)
    installed = None if args.no_npm else install(ROOT / "build/peers")
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        lanes = {}
        for lane in reversed(LANES if installed else []):  # the slowest first
            lanes[lane] = [pool.submit(run_atr, installed, lane, copy, shard, args.jobs) for shard in range(args.jobs)]
        sets = [(s.name, pool.submit(run_rule_set, i, copy)) for i, s in enumerate(rule_sets.rule_sets())]
        for lane in LANES if installed else []:
            results.append(tally(f"agent-threat-rules, {lane}", rows, [f.result() for f in lanes[lane]]))
        results += [tally(name, rows, [f.result()]) for name, f in sets]
    return results


def percent(x, digits=1):
    return "-" if x is None else f"{100 * x:.{digits}f} %"


def mean(shares):
    known = [s for s in shares if s is not None]
    return sum(known) / len(known) if known else None


def attack_sets(rows):
    counts = {}
    for row in rows:
        if row["label"] == "attack" and row.get("dataset", "-") not in LEFT_OUT:
            counts[row.get("dataset", "-")] = counts.get(row.get("dataset", "-"), 0) + 1
    return sorted(name for name, n in counts.items() if n >= LEAST_ROWS) or sorted(counts)


def table(results, rows, text_bytes):
    sets, ordinary = attack_sets(rows), [d for d in ORDINARY if any(r.get("dataset") == d for r in rows)]
    if not ordinary:  # rows of the user's own
        ordinary = sorted({r.get("dataset", "-") for r in rows if r["label"] == "benign"})
    print(f"{len(rows)} rows, {text_bytes / 1e6:.1f} MB of text; attacks: mean over {len(sets)} sets; ordinary content: mean over {len(ordinary)} sets\n")
    heads = ["", "attacks found", "ordinary content flagged", "worst of them", *[f"{name} flagged" for name in HARD], "MB/s"]
    print("| " + " | ".join(heads) + " |\n|---" + "|--:" * (len(heads) - 1) + "|")
    for r in results:
        false = [r.share(d, "benign") for d in ordinary]
        worst = max((s for s in false if s is not None), default=None)
        name = r.name + (f" ({r.note})" if r.note else "")
        cells = [name, percent(mean(r.share(d, "attack") for d in sets)), percent(mean(false), 2), percent(worst)]
        cells += [percent(r.share(d, "benign")) for d in HARD.values()]
        speed = text_bytes / 1e6 / r.seconds if r.seconds else 0
        print("| " + " | ".join(cells + [f"{speed:.3g}"]) + " |")
    stuck = [f"{r.name} {r.given_up}" for r in results if r.given_up]
    if stuck:
        print(f"\nGiven up after {LIMIT_S} s a row, counted as not flagged: " + ", ".join(stuck) + ".")


def details(results, rows):
    labels = sorted({(r["label"], r.get("dataset", "-")) for r in rows})
    print("\n| rows | n | " + " | ".join(r.name.strip("*") for r in results) + " |\n|---|--:" + "|--:" * len(results) + "|")
    for label, dataset in labels:
        of = max(r.hits.get((dataset, label), (0, 0))[1] for r in results)
        print(f"| {label} {dataset} | {of} | " + " | ".join(percent(r.share(dataset, label)) for r in results) + " |")


def matcher(rows, scratch):
    """Toadstone's rules on the rows' text, in its own matcher and in others': what bench_match prints of them."""
    program = ROOT / "build/release/bench/bench_match"
    if not program.is_file():
        return print("\nThe matcher alone was not measured: ./dev bench builds bench_match.")
    with open(os.path.join(scratch, "benign.corpus"), "wb") as file:
        for text in (row["text"].encode() for row in rows):
            file.write(struct.pack("<I", len(text)) + text)
    rules = sorted((ROOT / "data/rules").glob("*.yaml"), key=lambda path: (path.name != "words.yaml", path.name))
    run = subprocess.run([program, "--brief", scratch, *rules], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    print("\nThe matcher alone, same rules, same rows:\n\n" + "\n".join("    " + line for line in run.stdout.splitlines()))


def main():
    parser = argparse.ArgumentParser(description="Toadstone beside its peers on labelled rows")
    parser.add_argument("--data", required=True, metavar="FILE", help="the labelled rows, .jsonl or .jsonl.zst")
    parser.add_argument("--toadstone", default=str(ROOT / "build/toadstone"), metavar="BIN", help="the program (default: build/toadstone)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth row, for a quick look")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (default: one per processor)")
    parser.add_argument("--no-npm", action="store_true", help="leave out what npm installs")
    parser.add_argument("--details", action="store_true", help="also the share of each dataset")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows, copy = read_rows(args.data, max(args.every, 1), scratch)
        results = measure(args, rows, copy)
        table(results, rows, sum(len(r["text"].encode()) for r in rows))
        if args.details:
            details(results, rows)
        matcher(rows, scratch)


main()
