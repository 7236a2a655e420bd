"""Numbers on dev rows: what is flagged by the model, by the rules, and by either, and the curve of recall against false alarms."""
import numpy as np

import clib
import corpus


def score_rows(library, rows):
    """Logits [row][head] and the rules' severity of every row."""
    logits, severity = np.zeros((len(rows), clib.HEADS), np.int64), np.zeros(len(rows), int)
    for i, r in enumerate(rows):
        severity[i], views = library.scan(r["text"], corpus.kind_of(r))
        logits[i] = library.logits(views)
    return logits, severity


def percent(x):
    return f"{100 * np.mean(x):.1f}" if len(x) else "-"


def table(model, rows, logits, severity):
    kinds = np.array([corpus.kind_of(r) for r in rows])
    flagged = (logits >= model.threshold[kinds]).any(1)
    dataset, attack = np.array([r["dataset"] for r in rows]), np.array([r["label"] == "attack" for r in rows])
    out = ["| set | rows | model % | rules % | either % |", "|---|---|---|---|---|"]
    for label in (True, False):
        for d in sorted(set(dataset[attack == label])):
            of = (dataset == d) & (attack == label)
            out.append(f"| {d} ({'attack' if label else 'benign'}) | {of.sum()} | {percent(flagged[of])} | {percent(severity[of] >= 2)} | {percent(flagged[of] | (severity[of] >= 2))} |")
    macro = [np.mean(flagged[(dataset == d) & ~attack]) for d in corpus.ORDINARY if ((dataset == d) & ~attack).any()]
    out.append(f"\nOrdinary documents flagged by the model, mean over {len(macro)} sets: {percent(macro)} %, worst set {100 * max(macro):.1f} %.")
    return "\n".join(out) + "\n"


def curve(model, rows, logits, shares=(.001, .002, .005, .01, .02, .05)):
    """Mean recall over attack sets when all thresholds move together so that `share` of ordinary documents is flagged."""
    kinds = np.array([corpus.kind_of(r) for r in rows])
    over = (logits - model.threshold[kinds]).max(1) / 65536
    dataset, attack = np.array([r["dataset"] for r in rows]), np.array([r["label"] == "attack" for r in rows])
    groups = [over[(dataset == d) & ~attack] for d in corpus.ORDINARY if ((dataset == d) & ~attack).any()]
    sets = [over[(dataset == d) & attack] for d in sorted(set(dataset[attack]))]
    out = ["| ordinary documents flagged % | mean recall over attack sets % | NotInject flagged % | WildGuard flagged % |", "|---|---|---|---|"]
    for share in shares:
        move = min((t for t in np.arange(-6, 12, .02) if np.mean([np.mean(g >= t) for g in groups]) <= share), default=12)
        hard = [percent(over[(dataset == d) & ~attack] >= move) for d in ("notinject", "wildguard-benign")]
        out.append(f"| {100 * share:.1f} | {100 * np.mean([np.mean(s >= move) for s in sets]):.1f} | {hard[0]} | {hard[1]} |")
    return "\n".join(out) + "\n"
