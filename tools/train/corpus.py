"""Rows of labelled text: reading, the licence filter, and the content kind under which a row is scanned."""
import io
import json
import os
import re
import subprocess

# Weights that ship rest on none of these (data/README.md of the corpora).
REFUSED_LICENCE = re.compile(r"\bNC\b|non-commercial|\bresearch\b|none-stated|^as source$|^unknown", re.I)
# Derived rows name their sources in the licence field; these sources have a refused licence themselves.
REFUSED_SOURCE = re.compile(r"loghub|CharCnn_Keras|tensor-trust|\bmpit\b|\bsep\b|hackat104|stanford_alpaca|codealpaca|qualifire")

# toad_kind by number (include/toadstone/types.h).
ANY, WEB, TOOL_RESULT, TOOL_DESCRIPTION, MEMORY, INSTRUCTION_FILE, EMAIL, CODE, SEARCH = range(9)
KIND_OF = {"html": WEB, "tool-output": TOOL_RESULT, "email": EMAIL, "code": CODE, "memory": MEMORY, "indirect": TOOL_RESULT}
# What a matched pair is read as, by its carrier; the rest is of no known kind.
KIND_OF_CARRIER = {"page": WEB, "hidden": WEB, "review": WEB, "listing": WEB, "forum": WEB, "news": WEB, "post": WEB, "caption": WEB, "mail": EMAIL, "tool-result": TOOL_RESULT, "log": TOOL_RESULT, "csv": TOOL_RESULT, "calendar": TOOL_RESULT,
                   "snippet": SEARCH, "tool-description": TOOL_DESCRIPTION, "memory": MEMORY, "agent-file": INSTRUCTION_FILE, "code-comment": CODE}
# Ordinary content: the sets over which false alarms are averaged.
ORDINARY = ["docs-md", "docs-tldr", "docs-lang", "html-pages", "ud-sentences", "code", "config-data", "email-enron",
            "email-spamassassin", "news-agnews", "logs", "git-log", "piarena-context"]
# Attacks typed by a person against the model, as against attacks planted in content.
DIRECT_SETS = {"jailbreaks", "neuralchemy", "deepset", "tensor-trust", "mpit", "hackaprompt-sample", "hackat104-multilingual", "pint-sample", "qualifire"}


def allowed(row):
    licence = row.get("licence") or "unknown"
    if REFUSED_LICENCE.search(licence):
        return False
    return not (licence.startswith("as source") and REFUSED_SOURCE.search(licence)) and row["dataset"] not in ("mpit", "tensor-trust", "sep")


def harmless(row):
    """Rows called attacks that say nothing an attack would: categories of mixed sets."""
    return row["label"] == "attack" and row.get("category") in ("CONTROL", "CRESCENDO", "MODEL_FINGERPRINTING")


def kind_of(row):
    if row["dataset"] == "hn-llm-instructions":
        return INSTRUCTION_FILE
    if "carrier" in row:
        return KIND_OF_CARRIER.get(row["carrier"], ANY)
    return KIND_OF.get(row.get("kind"), ANY)


def read_rows(path):
    """Rows of a .jsonl or .jsonl.zst file."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstd", "-d", "--long=27", "-c", path], check=True, stdout=subprocess.PIPE).stdout
        lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    else:
        lines = open(path, encoding="utf-8")
    with lines:
        return [json.loads(line) for line in lines if line.strip()]


def find(folder, name):
    for suffix in (".jsonl.zst", ".jsonl"):
        path = os.path.join(folder, name + suffix)
        if os.path.exists(path):
            return path
    raise SystemExit(f"{folder}: no {name}.jsonl or {name}.jsonl.zst")
