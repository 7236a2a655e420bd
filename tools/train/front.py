"""The front's weights: what the heads say, learned from words and pairs of words alone, block by block (lib/model/front.h)."""
import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier

import linear

FEATURES = 1 << 16
BLOCK, WINDOW = 56, 3  # bytes of a block; blocks of a window, as in score.c
LENGTHS, UNIT_USUAL, SHORT_UNITS = (18000 / 65536, 18000 / 65536, 42600 / 65536), 115, 4  # as in score.c
SLOPE = .25  # of the gate: more of it for each doubling of a text beyond 1 KiB
NEAR_ENOUGH = -1.0  # below the threshold: what scores so much must open the gate
CLEAN, MINED, MADE = 600000, 120000, 20000  # windows of clean rows: at random, mined in a round; of rows that we made
PER_ROW, PER_SET = 3, 3000


class Blocks:
    """The blocks of all views of many rows."""

    def __init__(self):
        self.counts, self.views, self.ids, self.rows, self.nv = [], [], [], [], 0

    def add(self, views, blocks, ids):
        self.rows.append(len(blocks))
        self.views.append(blocks[:, 0].astype(np.int64) + self.nv)
        self.counts.append(blocks[:, 1].copy())
        self.ids.append(ids.copy())
        self.nv += views

    def close(self):
        counts = np.concatenate(self.counts).astype(np.int64)
        ends = np.concatenate([[0], np.cumsum(counts)])
        ids = np.concatenate(self.ids).astype(np.int32)
        self.n = len(counts)
        self.row = np.repeat(np.arange(len(self.rows)), self.rows)
        self.view = np.concatenate(self.views)
        self.first = np.searchsorted(self.view, self.view)  # of the same view
        self.matrix = sp.csr_matrix((np.ones(len(ids), np.float32), ids, ends), shape=(self.n, FEATURES))
        self.counts, self.ids = counts, None
        return self

    def length_of(self, views):
        """Bytes of views, but for the last block."""
        return BLOCK * (np.searchsorted(self.view, views, side="right") - np.searchsorted(self.view, views))

    def windows(self, last):
        """The windows that end with these blocks, each of unit length."""
        total = None
        for back in range(WINDOW):
            at = last - back
            part = sp.diags((at >= self.first[last]).astype(np.float32)) @ self.matrix[np.maximum(at, 0)]
            total = part if total is None else total + part
        n = np.asarray(total.sum(1)).ravel()
        return (sp.diags(linear.root(n).astype(np.float32)) @ total).tocsr()

    def sums(self, w):
        """For every block the sum of the window that ends with it, made unit length."""
        end, total = np.arange(self.n) + 1, np.concatenate([[0], np.cumsum(self.matrix @ w)])
        count = np.concatenate([[0], np.cumsum(self.counts)])
        first = np.maximum(end - WINDOW, self.first)
        return (total[end] - total[first]) * linear.root(count[end] - count[first])


def margins(table, known, heads, thresholds, blocks):
    """How far each unit's windows are above the threshold of either head."""
    starts, kinds = table.starts(), np.array([k["kind"] for k in known])
    row = np.repeat(np.arange(len(known)), np.diff(table.first))
    units = np.maximum(blocks.length_of(table.units["view"].astype(np.int64)) / UNIT_USUAL, SHORT_UNITS)
    best = np.full(len(row), -np.inf)
    for h, (w, b) in enumerate(heads):
        best = np.maximum(best, linear.places(table, h, w, b, starts) - thresholds[kinds[row], h] / 65536 - LENGTHS[h] * np.log2(units))
    return best


def attacks(table, known, margin, blocks, rng):
    """The blocks that end what the heads would flag, or nearly, in attacks; and their weights: every row counts alike, no set more than its share."""
    row = np.repeat(np.arange(len(known)), np.diff(table.first))
    attack, dataset = np.array([k["attack"] for k in known]), np.array([k["dataset"] for k in known])
    found = rng.permutation(np.nonzero(attack[row] & (margin >= NEAR_ENOUGH))[0])
    order = np.argsort(row[found], kind="stable")
    found = found[order]
    _, first, count = np.unique(row[found], return_index=True, return_counts=True)
    kept = np.arange(len(found)) - np.repeat(first, count) < PER_ROW
    weight = np.repeat(1 / np.minimum(count, PER_ROW), count)[kept]
    found = found[kept]
    for d in sorted(set(dataset[row[found]])):
        of = dataset[row[found]] == d
        weight[of] *= min(1, PER_SET / weight[of].sum())
    view, end = table.units["view"][found].astype(np.int64), table.units["end"][found].astype(np.int64)
    return np.searchsorted(blocks.view, view) + (end - 1) // BLOCK, weight


def fit(table, known, heads, thresholds, blocks, seed, rounds=4):
    """Weights of the front, and the bias that goes with them."""
    rng = np.random.default_rng(seed)
    positive, weight = attacks(table, known, margins(table, known, heads, thresholds, blocks), blocks, rng)
    dataset = np.array([k["dataset"] for k in known])[blocks.row]
    clean = np.nonzero(~np.array([k["attack"] for k in known])[blocks.row])[0]
    made = np.isin(dataset[clean], linear.MADE_SETS)
    some = [rng.choice(of, min(n, len(of)), replace=False) for of, n in ((clean[~made], CLEAN), (clean[made], MADE))]
    negative = np.concatenate(some)
    for _ in range(rounds):
        x = sp.vstack([blocks.windows(positive), blocks.windows(negative)], format="csr")
        y = np.repeat([1, 0], [len(positive), len(negative)])
        each = np.concatenate([weight * (.3 * len(negative) / weight.sum()), np.ones(len(negative))])
        sgd = SGDClassifier(loss="log_loss", alpha=2e-6, max_iter=6, tol=None, average=True, random_state=seed)
        sgd.fit(x, y, sample_weight=each / each.mean())
        high = np.argsort(-blocks.sums(sgd.coef_[0])[clean], kind="stable")[:MINED]
        negative = np.unique(np.concatenate([negative, clean[high]]))
    print(f"front: {len(positive)} windows of attacks, {len(negative)} clean", flush=True)
    return sgd.coef_[0]
