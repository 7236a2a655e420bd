"""The weights file: int8 tables and fixed-point numbers, as lib/model/read.c reads them, and the numbers chosen on dev rows."""
import struct

import numpy as np

import clib
import corpus
from linear import CUE_SCALE, GRAM, UPPER, WORD

ONE = 65536
UNUSED = 0x7fffffff
KINDS = 16
# Hard negatives and the share of each that may be flagged where the kind is not known.
BARS = {"notinject": .05, "wildguard-benign": .04, "hn-security-docs": .05, "hn-roleplay-prompts": .015, "llmail": .1}


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
    def __init__(self, heads, gate_weights, names, slots):
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
        self.tables.insert(1, quantize(gate_weights)[0])
        self.gate = -UNUSED
        self.threshold = np.full((KINDS, 2), -1 << 28, np.int64)  # everything is told until thresholds are set

    def pack(self):
        body = self.slots.astype("<u4").tobytes() + b"".join(t.tobytes() for t in self.tables)
        head = b"BZRMODL1" + struct.pack("<7I", 17, 18, 18, self.classes, clib.LEXICON_BITS, 2, KINDS)
        for pair in (self.bias, *self.steps):
            head += struct.pack("<2i", *pair)
        head += struct.pack("<i", self.gate)
        head += self.threshold.astype("<i4").tobytes()
        return head + struct.pack("<I", checksum(body)) + body

    def set_thresholds(self, logits, known, share):
        """logits: [row][head]. Every kind has a share of its ordinary documents to flag, half of it for each head."""
        dataset = np.array([k["dataset"] for k in known])
        clean, kind = np.array([not k["attack"] for k in known]), np.array([k["kind"] for k in known])
        ordinary = clean & np.isin(dataset, corpus.ORDINARY)
        for h in range(2):
            z = logits[:, h]
            everywhere = tail(z[ordinary], share / 2)
            self.threshold[:, h] = everywhere
            for k in (corpus.ANY, corpus.TOOL_RESULT, corpus.WEB, corpus.EMAIL, corpus.CODE):
                own = z[ordinary & (kind == k)]
                if len(own) >= 60:
                    self.threshold[k, h] = (tail(own, share / 2) + everywhere) // 2
            own = z[clean & (dataset == "hn-llm-instructions")]
            if len(own) >= 60:
                self.threshold[corpus.INSTRUCTION_FILE, h] = max(everywhere, tail(own, .03))
        for name, bar in BARS.items():
            of = clean & (dataset == name)
            k = corpus.EMAIL if name == "llmail" else corpus.ANY
            if of.sum() >= 10:
                self.raise_to(logits[of], k, bar)
        own = clean & (kind == corpus.CHAT)
        if own.sum() >= 60:
            self.threshold[corpus.CHAT] = [tail(logits[own, h], .04 if h else .005) for h in range(2)]

    def raise_to(self, logits, k, bar):
        """Raise the thresholds of a kind until no more than `bar` of these rows are flagged: first the head that flags more of them."""
        while (logits >= self.threshold[k]).any(1).mean() > bar:
            self.threshold[k, np.argmax((logits >= self.threshold[k]).mean(0))] += ONE // 20


def tail(z, share):
    """The value that `share` of such rows exceed, from an exponential fitted to the top twentieth: one odd row moves it little."""
    z = np.sort(np.maximum(z, -20 * ONE))[::-1]
    n = max(8, len(z) // 20)
    if len(z) <= n:
        return int(z[0]) + 1
    base, rate = z[n], max(1.0, (z[:n] - z[n]).mean())
    return int(base + rate * np.log(max(1.0, n / len(z) / share)))
