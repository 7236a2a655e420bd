#!/usr/bin/env python3
"""The corpus of matched pairs: drafts to data/model/pairs, what is wrong with them, and what training never sees.

usage: pairs.py pack  [--drafts DIR] [--out DIR]                       drafts to LANG.jsonl.zst; refused while check finds an error
       pairs.py unpack [--drafts DIR]                                  what is packed to drafts again, to go on writing; numbers are given anew
       pairs.py check [--drafts DIR | --packed] [--against ROWS]... [LANG]...
       pairs.py split [--drafts DIR | --packed]                        how much is set aside, and by what

A draft is DIR/LANG/WRITER-NN.txt (default DIR: ../corpus/drafts), a pair in it is

    @@@ GOAL | CARRIER | REGISTER
    the attack, with {{the steering part}} marked, over as many lines as it needs
    ~~~
    the twin

and DIR/disputed.txt, where there is one, names the pairs that a second reader doubted, one a line: they are left out.
check: every pair is whole, its names are known, no near-duplicate anywhere nor of a row in --against (.jsonl or .jsonl.zst),
how long rows are, and which words give the label away. data/model/pairs/README.md says what a pair is."""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import corpus

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKED = ROOT / "data/model/pairs"
GOALS = ("leak exfil-link send shell config purchase persist promote hide misinform tool-shadowing delegate disable-safety "
         "read-other judge grant destroy deny ask speak book sign route record publish login").split()
CARRIERS = ("page hidden mail calendar chat issue readme code-comment agent-file tool-description tool-result snippet log csv pdf "
            "memory review cv paper commit package transcript listing form forum invoice wiki slide caption news post manual contract").split()
REGISTERS = "formal casual terse technical friendly marketing official".split()
# Set aside before anything was trained, about a fifth: whole goals, carriers and languages; and what these writers wrote later, without
# sight of the rest. A pair that is any of these is only ever measured on. Never add to training what stands here, never take a row
# out of here because it is hard.
LATER = ("x", "y", "f", "l", "nd", "nn", "nq", "nr", "ns", "nt", "xa", "xb")
ASIDE = {"goal": ("delegate", "hide"), "carrier": ("paper", "review"), "lang": ("hi", "tr", "sv", "vi", "nl", "fi")}
WIDE = ("ja", "zh", "th")  # written without blanks between words: counted by pairs of letters, two to a word


def is_later(row):
    return row["pair"].split("-")[1] in LATER


def is_aside(row):
    return is_later(row) or any(row[field] in names for field, names in ASIDE.items())


def training(rows):
    """The rows that training may see."""
    return [row for row in rows if not is_aside(row)]


# ---- drafts ----

def split_marks(attack):
    """An attack without the marks around its steering part, and that part; None where there is not exactly one."""
    marks = re.findall(r"\{\{(.*?)\}\}", attack, re.S)
    if len(marks) != 1 or not marks[0].strip():
        return None
    start = attack.index("{{")
    end = start + 2 + len(marks[0])
    return attack[:start] + marks[0] + attack[end + 2:], marks[0]


def read_pair(lang, name, part):
    """The two rows of a pair, or the sentence that says what is wrong with it."""
    head, _, body = part.partition("\n")
    names = [x.strip() for x in head.split("|")]
    if len(names) != 3 or names[0] not in GOALS or names[1] not in CARRIERS or names[2] not in REGISTERS:
        return "GOAL | CARRIER | REGISTER, of the known ones"
    halves = re.split(r"(?m)^~~~ *\n", body)
    if len(halves) != 2:
        return "one ~~~ line between attack and twin"
    attack, twin = (half.strip("\n").rstrip() for half in halves)
    marked = split_marks(attack)
    if not marked or "{{" in twin or not twin.strip():
        return "exactly one {{steering part}} in the attack, none in the twin"
    common = {"goal": names[0], "carrier": names[1], "lang": lang, "register": names[2]}
    return [{"id": name + "-a", "pair": name, "label": "attack", **common, "text": marked[0], "payload": marked[1]},
            {"id": name + "-b", "pair": name, "label": "benign", **common, "text": twin}]


def read_draft(path):
    rows, errors = [], []
    first, *parts = re.split(r"(?m)^@@@ *", path.read_text(encoding="utf-8"))
    if first.strip():
        errors.append(f"{path}: text before the first pair")
    for i, part in enumerate(parts, 1):
        got = read_pair(path.parent.name, f"{path.parent.name}-{path.stem}-{i:03d}", part)
        if isinstance(got, str):
            errors.append(f"{path}: pair {i} ({part.partition(chr(10))[0].strip()}): {got}")
        else:
            rows += got
    return rows, errors


def read_drafts(folder):
    disputed = folder / "disputed.txt"
    doubted = set(disputed.read_text(encoding="utf-8").split()) if disputed.exists() else set()
    rows, errors = [], []
    for path in sorted(folder.glob("*/*.txt")):
        more, wrong = read_draft(path)
        rows += more
        errors += wrong
    if not rows:
        errors.append(f"{folder}: no drafts")
    errors += [f"{disputed}: there is no pair {name}" for name in sorted(doubted - {row["pair"] for row in rows})]
    return [row for row in rows if row["pair"] not in doubted], errors


def read_packed(folder=PACKED):
    return [row for path in sorted(folder.glob("*.jsonl.zst")) for row in corpus.read_rows(str(path))]


# ---- what is wrong with them ----

def words(text):
    flat = re.sub(r"\s+", " ", text.lower())
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]", flat):
        letters = re.sub(r"[\s\W]", "", flat)
        return [letters[i:i + 2] for i in range(len(letters) - 1)]
    return re.findall(r"\w+(?:['\u2019]\w+)?", flat)


def shingles(text):
    w = words(text)
    return {tuple(w[i:i + 6]) for i in range(len(w) - 5)}


def near_duplicates(rows, others):
    """Rows of which more than 0.3 of all six-word runs stand in one earlier row of another pair, or in one of `others`."""
    seen, errors = {}, []
    for i, row in enumerate(others):
        for gram in shingles(row["text"]):
            seen.setdefault(gram, ("", str(row.get("id", i))))
    for row in rows:
        grams = shingles(row["text"])
        near = collections.Counter(seen[g] for g in grams if g in seen and seen[g][0] != row["pair"])
        if near and near.most_common(1)[0][1] > .3 * len(grams):
            errors.append(f"{row['id']}: near-duplicate of {near.most_common(1)[0][0][1]}")
        for gram in grams:
            seen.setdefault(gram, (row["pair"], row["id"]))
    return errors


def giveaways(rows):
    """Words and pairs of words in more than twice as many rows of one label as of the other: (word, attacks, twins)."""
    sides = {"attack": collections.Counter(), "benign": collections.Counter()}
    for row in rows:
        w = words(row["text"])
        sides[row["label"]].update(set(w) | {" ".join(pair) for pair in zip(w, w[1:])})
    a, b = sides["attack"], sides["benign"]
    least = max(8, len(rows) // 60)
    told = [(x, a[x], b[x]) for x in set(a) | set(b) if max(a[x], b[x]) >= least and max(a[x], b[x]) > 2 * min(a[x], b[x])]
    return sorted(told, key=lambda t: (-max(t[1:]), t[0]))


def report(lang, rows):
    unit = 2 if lang in WIDE else 1
    lengths = [len(words(row["text"])) for row in rows]
    short, middle = sum(n <= 28 * unit for n in lengths), sum(28 * unit < n <= 90 * unit for n in lengths)
    attacks = [row for row in rows if row["label"] == "attack"]
    size = sum(len(row["text"]) for row in attacks), sum(len(row["text"]) for row in rows if row["label"] == "benign")
    print(f"{lang}: {len(attacks)} pairs; short {short}, to 80 words {middle}, longer {len(rows) - short - middle}; "
          f"attacks/twins in characters {size[0] / max(1, size[1]):.2f}")
    for field in ("goal", "carrier"):
        count = collections.Counter(row[field] for row in attacks)
        print(f"   {field}s: " + ", ".join(f"{name} {n}" for name, n in sorted(count.items(), key=lambda t: (-t[1], t[0]))))
    print("   give the label away (attacks:twins): " + (", ".join(f"{x} {p}:{q}" for x, p, q in giveaways(rows)[:40]) or "none"))


# ---- commands ----

def load(a):
    return (read_packed(), []) if a.packed else read_drafts(a.drafts)


def fail(errors):
    for error in errors[:40]:
        print(error, file=sys.stderr)
    if len(errors) > 40:
        print(f"and {len(errors) - 40} more", file=sys.stderr)
    return 1 if errors else 0


def check(a):
    rows, errors = load(a)
    errors += near_duplicates(rows, [row for path in a.against for row in corpus.read_rows(path) if "text" in row])
    for lang in sorted({row["lang"] for row in rows}):
        if not a.lang or lang in a.lang:
            report(lang, [row for row in rows if row["lang"] == lang])
    return fail(errors)


def pack(a):
    rows, errors = read_drafts(a.drafts)
    errors += near_duplicates(rows, [])
    if errors:
        return fail(errors)
    a.out.mkdir(parents=True, exist_ok=True)
    for old in a.out.glob("*.jsonl.zst"):
        old.unlink()
    for lang in sorted({row["lang"] for row in rows}):
        lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in rows if row["lang"] == lang]
        packed = subprocess.run(["zstd", "-q", "-19", "-c"], input="".join(lines).encode(), stdout=subprocess.PIPE, check=True).stdout
        (a.out / f"{lang}.jsonl.zst").write_bytes(packed)
    print(f"{len(rows) // 2} pairs in {len({row['lang'] for row in rows})} languages")
    return 0


def unpack(a):
    """The drafts that would be packed to what is packed, for whoever goes on writing; a file that is there is left alone."""
    files = collections.defaultdict(list)
    rows = read_packed()
    for attack, twin in zip(rows[::2], rows[1::2]):
        marked = attack["text"].replace(attack["payload"], "{{" + attack["payload"] + "}}", 1)
        lang, rest = attack["pair"].split("-", 1)
        files[lang, rest.rsplit("-", 1)[0]].append(
            f"@@@ {attack['goal']} | {attack['carrier']} | {attack['register']}\n{marked}\n~~~\n{twin['text']}\n")
    for (lang, name), parts in files.items():
        path = a.drafts / lang / (name + ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text("\n".join(parts), encoding="utf-8")
    print(f"{len(rows) // 2} pairs in {len(files)} files")
    return 0


def split(a):
    rows, errors = load(a)
    pairs = [row for row in rows if row["label"] == "attack"]
    aside = sum(map(is_aside, pairs))
    for field, names in ASIDE.items():
        print(f"{field}: " + ", ".join(f"{name} {sum(row[field] == name for row in pairs)}" for name in names))
    print(f"written later: {sum(map(is_later, pairs))}")
    print(f"{aside} of {len(pairs)} pairs are set aside ({100 * aside / max(1, len(pairs)):.1f} %), {len(pairs) - aside} may be trained on")
    return fail(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in (("pack", pack), ("unpack", unpack), ("check", check), ("split", split)):
        p = commands.add_parser(name)
        p.set_defaults(run=run)
        p.add_argument("--drafts", type=pathlib.Path, default=ROOT.parent / "corpus/drafts")
        if name == "pack":
            p.add_argument("--out", type=pathlib.Path, default=PACKED)
        elif name != "unpack":
            p.add_argument("--packed", action="store_true", help="read data/model/pairs instead of drafts")
        if name == "check":
            p.add_argument("--against", action="append", default=[], help="rows that none may be a near-duplicate of")
            p.add_argument("lang", nargs="*")
    a = parser.parse_args()
    return a.run(a)


if __name__ == "__main__":
    sys.exit(main())
