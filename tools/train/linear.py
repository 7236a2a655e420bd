"""Windows for training, and linear heads over the hashed features, with clean windows mined between the rounds: averaged SGD for the heads that learn from rows, and,
since there are few of them and each must count, logistic regression to the end for the head that learns from pairs."""
import multiprocessing

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression, SGDClassifier

import windows

WORD = PART = 1 << 18
CUE_SCALE = np.float32(.15)
UPPER = np.triu_indices(64)
# Sets whose clean rows are long: more windows of each are taken.
LONG = {"html-pages", "docs-md", "code", "hn-security-docs", "hn-llm-instructions", "docs-lang", "config-data", "logs", "email-spamassassin", "git-log"}
NOT_READABLE = ("leet", "rot13", "reversed", "spaced")  # what the root view of such a row says is no attack yet
PAIRS = "pairs"
# Rows that we made are no measure of what is ordinary: the head that learns from pairs does not see them, but for papers of software, of which
# there are too few real ones (synth-papers).
MADE_SETS = ("sown", "encoded-benign", "synth-benign", "synth-benign-lang", "synth-benign-hard", "synth-short")
ORDINARY = .5  # what the clean rows that are no twins weigh, against all of pairs
# How that head is learned. A pair's sides share what is common, so what few texts say counts for more: words and glosses by the logarithm of how many texts there are for
# one that has it (inverse document frequency; Spaerck Jones 1972). Cues tell of topics, which say nothing there, and count for less (each measured, docs/model-card.md).
CUES = .3
STRICTNESS = 20.0  # C of the regression
MINED_FROM = -2.0
PICKED = [("first", int), ("last", int), ("row", int), ("scale", int), ("y", int), ("weight", float)]
NEVER = -30.0
# The head that learns from pairs, how many bytes a window of its has where the text does not end, and how many words at least, as in score.c.
STEERING, FULL, WORDS_LEAST = 2, 330, 9
PARTS = ("grams", "grams", "glosses")  # what a head has beside words
WHOLE = 24  # whole windows of a clean row


def root(n):
    return 1 / np.sqrt(np.maximum(n, 1))


def prose(table, starts):
    """Windows that hold words at all, as score.c asks."""
    u, e = table.units, np.arange(len(table.units)) + 1
    spelled = np.concatenate([[0], np.cumsum(u["spelled"].astype(int))])
    tokens = np.concatenate([[0], np.cumsum(u["tokens"].astype(int))])
    out = []
    for first in starts:
        s, t = spelled[e] - spelled[first], tokens[e] - tokens[first]
        out.append((s >= 2) & (s * 5 >= t))
    return out


def pick(table, known, payloads, seed):
    """Windows to train on. Of a composed row those that lie over the payload are attacks, those beside it are clean."""
    rng, u, starts, out = np.random.default_rng(seed), table.units, table.starts(), []

    def some(index, n):
        return index if len(index) <= n else rng.choice(index, n, replace=False)

    for r, (row, spans) in enumerate(zip(known, payloads)):
        a, b = table.first[r], table.first[r + 1]
        if a == b:
            continue
        index, view = np.arange(a, b), u["view"][a:b].astype(int)
        view -= view.min()
        if spans is None and row["dataset"] == "obfuscated":
            if row["subset"] in NOT_READABLE:
                continue
            index = index[view > 0] if view.max() else index
        for scale in range(3):
            first = starts[scale]
            if not row["attack"]:
                for x in some(index, ((16, 20, 24) if row["dataset"] in LONG else (4, 6, 8))[scale]):
                    out.append((first[x], x, r, scale, 0, 1.0))
            elif spans is None:
                chosen = some(index, 4)
                for x in chosen:
                    out.append((first[x], x, r, scale, 1, (.5 if scale == 0 else 1.0) / len(chosen) ** .5))
            else:
                for at, begin, end in spans[:3]:
                    ws, we = u["start"][first[a:b]].astype(int), u["end"][a:b].astype(int)
                    over = np.minimum(we, end) - np.maximum(ws, begin)
                    hit = (view == at) & (over > 0) & (over >= .6 * np.minimum(end - begin, we - ws))
                    chosen = some(index[hit], 5)
                    for x in chosen:
                        out.append((first[x], x, r, scale, 1, (.5 if scale == 0 else 1.0) / len(chosen) ** .5))
                    if len(spans) == 1:
                        for x in some(index[over <= 0], 3):
                            out.append((first[x], x, r, scale, 0, .5))
    picked = np.array(out, dtype=PICKED)
    ok = np.zeros(len(picked), bool)
    for scale, p in enumerate(prose(table, starts)):
        of = picked["scale"] == scale
        ok[of] = p[picked["last"][of]]
    picked = picked[ok]
    _, once = np.unique(np.stack([picked["first"], picked["last"]], 1), axis=0, return_index=True)
    return picked[np.sort(once)]


def whole(table, starts):
    """Is the long window that ends with each unit whole, as score.c asks of it for the third head?"""
    u = table.units
    view, start, end = u["view"].astype(np.int64), u["start"].astype(np.int64), u["end"].astype(np.int64)
    spelled = np.concatenate([[0], np.cumsum(u["spelled"].astype(int))])
    enough = spelled[np.arange(len(u)) + 1] - spelled[starts[-1]] >= WORDS_LEAST
    return prose(table, starts)[-1] & enough & (np.append(view[1:] != view[:-1], True) | (end - start[starts[-1]] >= FULL))


def pick_whole(table, known, payloads, seed):
    """Windows that the third head is trained on: of an attack those that hold most of its steering part."""
    rng, u, starts, out = np.random.default_rng(seed), table.units, table.starts(), []
    ok, first = whole(table, starts), starts[-1]
    for r, (row, spans) in enumerate(zip(known, payloads)):
        a, b = table.first[r], table.first[r + 1]
        index = np.arange(a, b)[ok[a:b]]
        if row["attack"]:
            if row["dataset"] != PAIRS or not spans or not len(index):
                continue
            view = u["view"][index].astype(int) - int(u["view"][a])
            ws, we, hit = u["start"][first[index]].astype(int), u["end"][index].astype(int), np.zeros(len(index), bool)
            for at, begin, end in spans:
                over = np.minimum(we, end) - np.maximum(ws, begin)
                hit |= (view == at) & (over >= .6 * np.minimum(end - begin, we - ws))
            index = index[hit]
        few = index if len(index) <= (most := 4 if row["dataset"] == PAIRS else WHOLE) else rng.choice(index, most, replace=False)
        for x in few:
            out.append((first[x], x, r, 2, int(row["attack"]), 1 / len(few) ** .5 if row["dataset"] == PAIRS else 1.0))
    return np.array(out, dtype=PICKED)


def block(ids, at, n, width):
    """CSR rows of ids[at[i] : at[i] + n[i]], each row of unit length."""
    ends = np.concatenate([[0], np.cumsum(n)])
    index = np.arange(ends[-1]) - np.repeat(ends[:-1] - at, n)
    return sp.csr_matrix((np.repeat(root(n), n).astype(np.float32), ids[index].astype(np.int32), ends), shape=(len(n), width))


def matrix(table, picked, head):
    f, l = picked["first"], picked["last"]
    words, parts = (block(table.ids[name], *table.span(name, f, l), width) for name, width in (("words", WORD), (PARTS[head], PART)))
    masks, at = np.zeros(len(picked), np.uint64), f.copy()
    while (live := at <= l).any():
        masks[live] |= table.units["cues"][at[live]]
        at += 1
    cues = []
    for i in range(0, len(masks), 20000):
        bits = windows.cue_bits(masks[i:i + 20000])
        cues.append(sp.csr_matrix(bits[:, UPPER[0]] * bits[:, UPPER[1]] * CUE_SCALE))
    return sp.hstack([words, parts, sp.vstack(cues, format="csr")], format="csr", dtype=np.float32)


def weigh(known, picked, sets, cap_clean=9000, cap_attack=6000):
    """Which windows this head is trained on, and their weight: no set may weigh more than its cap, attacks half as much as clean text in all."""
    dataset = np.array([k["dataset"] for k in known])[picked["row"]]
    attack = np.array([k["attack"] for k in known])[picked["row"]]
    keep = ~attack & (dataset != PAIRS) | np.isin(dataset, sets)
    weight = picked["weight"].copy()
    for d in sorted(set(dataset)):
        for y, cap in ((0, cap_clean), (1, cap_attack)):
            of = (dataset == d) & (picked["y"] == y) & keep
            if (n := weight[of].sum()) > cap:
                weight[of] *= cap / n
    y, weight = picked["y"][keep], weight[keep]
    weight[y == 1] *= weight[y == 0].sum() / weight[y == 1].sum() * .5
    return keep, y, weight * len(weight) / weight.sum()


def balanced(picked):
    """What windows of pairs weigh: one on average, attacks as much as twins."""
    weight = picked["weight"].copy()
    for y in (0, 1):
        of = picked["y"] == y
        weight[of] *= len(weight) / 2 / weight[of].sum()
    return weight


def weigh_pairs(picked, pair):
    """What windows weigh for the head that learns from pairs."""
    weight = np.full(len(picked), ORDINARY * pair.sum() / (~pair).sum())
    weight[pair] = balanced(picked[pair])
    return weight


def scales(x):
    """What each feature counts for, from the windows of pairs."""
    seen = np.asarray((x > 0).sum(0)).ravel()
    rare = np.log((1 + x.shape[0]) / (1 + seen)) + 1
    out = np.full(x.shape[1], CUES)
    for of in (slice(0, WORD), slice(WORD, WORD + PART)):
        out[of] = rare[of] / np.sqrt(np.mean(rare[of][seen[of] > 0] ** 2))
    return out


def unit_sums(table, name, w, first):
    """Sum of the weights of the ids of each window that ends with each unit, made unit length."""
    at, n = table.span(name, first, np.arange(len(first)))
    total = np.concatenate([[0], np.cumsum(w[table.ids[name]])])
    return (total[at + n] - total[at]) * root(n)


def logits(table, head, w, b, starts):
    """Score of the three windows that end with each unit."""
    out, pairs = [], np.zeros((64, 64), np.float32)
    pairs[UPPER] = w[WORD + PART:] * CUE_SCALE
    for first, ok in zip(starts, prose(table, starts)):
        z = b + unit_sums(table, "words", w[:WORD], first) + unit_sums(table, PARTS[head], w[WORD:WORD + PART], first)
        masks = windows.window_masks(table.units, first)
        for i in range(0, len(masks), 50000):
            bits = windows.cue_bits(masks[i:i + 50000])
            z[i:i + 50000] += np.einsum("ij,ij->i", bits @ pairs, bits)
        z[~ok] = NEVER
        out.append(z)
    return out


def mine(table, known, picked, head, w, b, starts, per=8, floor=-4.0):
    """The highest windows of every clean row that are not picked yet; of a page, whose attributes and scripts are many short texts, more."""
    scored, have, new = logits(table, head, w, b, starts), set(zip(picked["first"].tolist(), picked["last"].tolist())), []
    if head == STEERING:
        scored[-1][~whole(table, starts)] = NEVER
    for scale, z in enumerate(scored):
        if head == STEERING and scale < 2:
            continue
        for r, row in enumerate(known):
            a, e = table.first[r], table.first[r + 1]
            if row["attack"] or a == e or row["dataset"] in (MADE_SETS if head == STEERING else (PAIRS,)):
                continue
            top = np.argsort(-z[a:e], kind="stable")[:3 * per if row["dataset"] == "html-pages" else per]
            for x in top[z[a:e][top] > floor] + a:
                key = (int(starts[scale][x]), int(x))
                if key not in have:
                    have.add(key)
                    new.append((*key, r, scale, 0, 1.0))
    return np.array(new, dtype=picked.dtype)


def fit_mining(table, known, picked, head, sets, seed, rounds=2, alpha=4e-6):
    """A head: (weights, bias). Also returns what was picked, mined windows included."""
    starts = table.starts()
    for k in range(rounds + 1):
        keep, y, weight = weigh(known, picked, sets)
        sgd = SGDClassifier(loss="log_loss", alpha=alpha, max_iter=8 if k == rounds else 4, tol=None, average=True, random_state=seed, learning_rate="optimal")
        sgd.fit(matrix(table, picked[keep], head), y, sample_weight=weight)
        w, b = sgd.coef_[0], float(sgd.intercept_[0])
        if k < rounds:
            new = mine(table, known, picked, head, w, b, starts)
            picked = np.concatenate([picked, new])
            print(f"round {k + 1}: {len(new)} clean windows mined", flush=True)
    return (w, b), picked


def fit_pairs(table, known, picked, rounds=1):
    """The head that learns from pairs, and what was picked."""
    dataset = np.array([k["dataset"] for k in known])
    picked = picked[~np.isin(dataset[picked["row"]], MADE_SETS)]
    x, starts, scale = matrix(table, picked, STEERING), table.starts(), None
    for k in range(rounds + 1):
        pair = dataset[picked["row"]] == PAIRS
        scale = scales(x[pair]) if scale is None else scale
        fitted = LogisticRegression(C=STRICTNESS, solver="liblinear", tol=1e-3).fit((x @ sp.diags(scale)).tocsr(), picked["y"], sample_weight=weigh_pairs(picked, pair))
        w, b = (fitted.coef_[0] * scale).astype(np.float32), float(fitted.intercept_[0])
        if k < rounds:
            new = mine(table, known, picked, STEERING, w, b, starts, floor=MINED_FROM)
            picked, x = np.concatenate([picked, new]), sp.vstack([x, matrix(table, new, STEERING)], format="csr")
            print(f"pairs, round {k + 1}: {len(new)} clean windows mined", flush=True)
    return (w, b), picked


def places(table, head, w, b, starts):
    """What a head says of the windows that end with each unit, as score.c sums it up."""
    unit, near, far = logits(table, head, w, b, starts)
    top, own, back = unit.copy(), np.arange(len(unit)), 1
    while (live := own - back >= starts[1]).any():
        top[live] = np.maximum(top[live], unit[own[live] - back])
        back += 1
    return (top + (far if head == STEERING else near) + far) / 3


def best_places(table, scores):
    """For each row the unit with which its best window ends, of what places() says; -1: there is none."""
    out = np.full(len(table.first) - 1, -1)
    for r, (a, e) in enumerate(zip(table.first[:-1], table.first[1:])):
        if a < e and scores[a:e].max() > NEVER:
            out[r] = a + np.argmax(scores[a:e])
    return out


def fit_heads(table, known, payloads, sets, seed):
    """One head for each of `sets`, side by side; and the windows that the third learned from."""
    picked = [(pick_whole if PAIRS in of else pick)(table, known, payloads, seed) for of in sets]
    with multiprocessing.get_context("fork").Pool(len(sets), initializer=hold, initargs=((table, known, picked, sets, seed),)) as pool:
        fitted = pool.map(fit_held, range(len(sets)), chunksize=1)
    return [head for head, _ in fitted], fitted[STEERING][1]


def hold(job):
    global held  # what a forked process works on: too large to be sent
    held = job


def fit_held(h):
    table, known, picked, sets, seed = held
    return fit_pairs(table, known, picked[h]) if h == STEERING else fit_mining(table, known, picked[h], h, sets[h], seed)

