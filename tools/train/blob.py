"""The weights file: int8 tables and fixed-point numbers, as lib/model/read.c reads them, and the numbers chosen on dev rows."""
import struct

import numpy as np

import clib
import corpus
import front
from linear import CUE_SCALE, GRAM, UPPER, WORD

ONE = 65536
UNUSED = 0x7fffffff
KINDS = 16
# The share of each set that may be flagged: hard negatives, any one ordinary set, the ordinary rows of a kind.
BARS = {"pairs-held": .08, "notinject": .075, "wildguard-benign": .05, "hn-roleplay-prompts": .014, "obfuscated": .01}
ORDINARY_MOST = .016
OWN_SHARE = .011
DISGUISED = 3 * ONE // 4  # as in score.c
LEAST = 60  # rows of a set that is measured by itself


def quantize(w):
    """int8 and the step of one; weights beyond the 99.98th percentile are cut."""
    used = np.abs(w[w != 0])
    most = np.quantile(used, .9998) if len(used) else 1.0
    return np.round(w / most * 127).clip(-127, 127).astype(np.int8), max(1, round(most / 127 * ONE))


def checksum(data):
    h = 0x811c9dc5
    for byte in data:
        h = ((h ^ byte) * 0x01000193) & 0xffffffff
    return h


class Model:
    def __init__(self, heads, names, slots):
        self.classes, self.slots = len(names), slots
        self.bias = [round(b * ONE) for _, b in heads]
        words = [quantize(w[:WORD]) for w, _ in heads]
        grams = [quantize(w[WORD:WORD + GRAM]) for w, _ in heads]
        cues = []
        for w, _ in heads:
            square = np.zeros((64, 64))
            square[UPPER] = w[WORD + GRAM:] * CUE_SCALE
            cues.append(quantize(square[:self.classes, :self.classes]))
        self.steps = [[s for _, s in part] for part in (words, grams, cues)]
        self.tables = [np.stack([t for t, _ in part], -1) for part in (cues, words, grams)]
        self.set_front(np.zeros(front.FEATURES))
        self.gate = -UNUSED
        self.threshold = np.full((KINDS, 2), -1 << 28, np.int64)  # everything is told until thresholds are set

    @classmethod
    def read(cls, data, names, slots):
        """What a weights file holds, but for its front."""
        m, at = cls.__new__(cls), 36
        m.classes, m.slots = len(names), slots
        if data[:at] != m.sizes() or data[204:208] != struct.pack("<I", checksum(data[208:])) or data[208:208 + slots.nbytes] != slots.astype("<u4").tobytes():
            raise SystemExit("these weights are of another library, or of other cues")
        numbers = struct.unpack("<8i", data[at:at + 32])
        m.bias, m.steps = list(numbers[:2]), [list(numbers[i:i + 2]) for i in (2, 4, 6)]
        m.threshold = np.frombuffer(data, "<i4", KINDS * 2, at + 40).reshape(KINDS, 2).astype(np.int64)
        cues_at = at + 40 + KINDS * 8 + 4 + slots.nbytes
        words_at = cues_at + m.classes ** 2 * 2 + front.FEATURES
        m.tables = [np.frombuffer(data, np.int8, m.classes ** 2 * 2, cues_at).reshape(m.classes, m.classes, 2),
                    np.frombuffer(data, np.int8, WORD * 2, words_at).reshape(WORD, 2), np.frombuffer(data, np.int8, GRAM * 2, words_at + WORD * 2).reshape(GRAM, 2)]
        m.set_front(np.zeros(front.FEATURES))
        m.gate = -UNUSED
        return m

    def heads(self):
        """The heads as their weights are kept: [(weights, bias)]."""
        out = []
        for h in range(2):
            cues, words, grams = (table[..., h] * (step[h] / ONE) for table, step in zip(self.tables, (self.steps[2], self.steps[0], self.steps[1])))
            square = np.zeros((64, 64))
            square[:self.classes, :self.classes] = cues
            out.append((np.concatenate([words, grams, square[UPPER] / CUE_SCALE]), self.bias[h] / ONE))
        return out

    def sizes(self):
        return b"TOADMDL2" + struct.pack("<7I", 16, 18, 18, self.classes, clib.LEXICON_BITS, 2, KINDS)

    def pack(self):
        cues, words, grams = (t.tobytes() for t in self.tables)
        body = self.slots.astype("<u4").tobytes() + cues + self.front.tobytes() + words + grams
        head = self.sizes()
        for pair in (self.bias, *self.steps):
            head += struct.pack("<2i", *pair)
        head += struct.pack("<2i", self.gate, self.gate_units(front.SLOPE))
        head += self.threshold.astype("<i4").tobytes()
        return head + struct.pack("<I", checksum(body)) + body

    def set_front(self, weights):
        self.front, self.front_step = quantize(weights)

    def gate_units(self, logit):
        """A sum of the front as score.c counts it: 1/256 of the step of its weights."""
        return round(logit * ONE / self.front_step * 256)

    def set_thresholds(self, logits, known, share):
        """logits: [row][head]. One pair of thresholds for content of no known kind; kinds with ordinary rows of their own may ask for more, and
        tool results, which are no chat, for less."""
        dataset, kind = np.array([k["dataset"] for k in known]), np.array([k["kind"] for k in known])
        attack = np.array([k["attack"] for k in known])
        logits = logits + DISGUISED * (dataset == "obfuscated")[:, None]
        self.threshold[:] = best_pair(logits, dataset, attack, share, BARS)
        for_tools = best_pair(logits, dataset, attack, share * 1.3, {})
        self.threshold[corpus.TOOL_RESULT, 0] = min(self.threshold[corpus.ANY, 0], for_tools[0])
        ordinary = ~attack & np.isin(dataset, corpus.ORDINARY)
        for k, of in ((corpus.WEB, ordinary), (corpus.EMAIL, ordinary), (corpus.CODE, ordinary), (corpus.INSTRUCTION_FILE, dataset == "hn-llm-instructions")):
            own = of & ~attack & (kind == k)
            if own.sum() >= LEAST:
                self.raise_to(logits[own], k, OWN_SHARE)
        self.raise_to(logits[~attack & (dataset == "llmail")], corpus.EMAIL, 0)

    def raise_to(self, logits, k, share):
        """Raise the thresholds of a kind until no more than `share` of these rows are flagged: first the head that flags more of them."""
        while len(logits) and (logits >= self.threshold[k]).any(1).mean() > share:
            self.threshold[k, np.argmax((logits >= self.threshold[k]).mean(0))] += ONE // 20


def best_pair(logits, dataset, attack, share, hard):
    """The two thresholds that flag most attacks, every set counting alike, of those that keep to the shares of clean rows that may be flagged."""
    sets = [m for d in sorted(set(dataset[attack])) if (m := attack & (dataset == d)).sum() >= 14]
    clean = {d: ~attack & (dataset == d) for d in sorted(set(dataset[~attack]))}
    every = [clean[d] for d in corpus.ORDINARY if d in clean and d != "html-pages"]  # the library knows a page when it sees one
    ordinary = [m for m in every if m.sum() >= LEAST]
    few = [m for m in every if m.sum() < LEAST]
    ordinary += [np.any(few, 0)] if few else []  # one row of a small set is no measure of it
    bars = [(m, ORDINARY_MOST) for m in ordinary] + [(clean[d], bar) for d, bar in hard.items() if d in clean]
    grid = [np.unique(np.quantile(logits[~attack, h], np.linspace(.93, .9998, 160))) for h in range(2)]
    best = (-1.0, [int(g[-1]) for g in grid])
    for first in grid[0]:
        for second in grid[1]:
            flagged = (logits >= (first, second)).any(1)
            if np.mean([flagged[m].mean() for m in ordinary]) > share or any(flagged[m].mean() > bar for m, bar in bars):
                continue
            best = max(best, (float(np.mean([flagged[m].mean() for m in sets])), [int(first), int(second)]))
    return best[1]
