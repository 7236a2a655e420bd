"""The weights file: int8 tables and fixed-point numbers, as lib/model/read.c reads them, and the numbers chosen on dev rows."""
import struct

import numpy as np

import clib
import corpus
import front
import net
from clib import HEADS
from linear import CUE_SCALE, PART, STEERING, UPPER, WORD

ONE = 65536
UNUSED = 0x7fffffff
KINDS = 16
# The share of each set that may be flagged: hard negatives, any one ordinary set, the ordinary rows of a kind.
BARS = {"notinject": .04, "wildguard-benign": .05, "hn-roleplay-prompts": .014, "obfuscated": .01}
STEERING_BARS = {**BARS, "hn-security-docs": .05}  # what the third head may add to
ORDINARY_MOST = .016
OWN_SHARE = .011
TOOLS_SHARE = .0045  # of the ordinary rows, what may be flagged where nobody chats
DISGUISED = 3 * ONE // 4  # as in score.c
# What is asked more of kinds whose honest texts are full of orders: measured on some 13,000 files for agents and descriptions of tools that
# are in no set of rows (docs/model-card.md), a half of them to choose by.
MORE_OF = {corpus.INSTRUCTION_FILE: (2.8, 1.4, .7), corpus.TOOL_DESCRIPTION: (1.5, 0, .45), corpus.CODE: (.4, 0, 2)}
LEAST, TWINS_LEAST = 60, 100  # rows of a set that is measured by itself; twins of a kind that has its own threshold of the third head
# The third head: what of the twins that were held may be flagged, what of the ordinary rows in all (the mean of their sets), and what more of the clean rows of another set.
HELD_PAIRS, TWINS, ORDINARY_ALL, MORE = "pairs-held", .07, .0025, .013
# Of the weights of each head: levels, of which few judge no worse where much is learned from little; which quantile is the highest, since what is learned from little hangs on its few
# great weights; and the least of the highest that is not nothing. All of this makes a file that packs well.
LEVELS, TOP, LEAST_WEIGHT, FRONT_LEVELS = (20, 20, 36), (.9998, .9998, 1.0), .055, 40


def quantize(w, levels=127, top=.9998, least=0.0):
    """Whole numbers of at most `levels`, and the step of one; weights beyond the quantile `top` are cut, those below `least` of it are none."""
    used = np.abs(w[w != 0])
    most = np.quantile(used, top) if len(used) else 1.0
    w = np.where(np.abs(w) < least * most, 0, w)
    return np.round(w / most * levels).clip(-levels, levels).astype(np.int8), max(1, round(most / levels * ONE))


def checksum(data):
    h = 0x811c9dc5
    for byte in data:
        h = ((h ^ byte) * 0x01000193) & 0xffffffff
    return h


class Model:
    def __init__(self, heads, net_part, names, slots, glossary):
        self.classes, self.slots, self.glossary, self.net = len(names), slots, glossary, net_part
        self.bias = [round(b * ONE) for _, b in heads]
        words, parts = ([quantize(w[of], levels, top, LEAST_WEIGHT) for (w, _), levels, top in zip(heads, LEVELS, TOP)] for of in (slice(WORD), slice(WORD, WORD + PART)))
        cues = []
        for w, _ in heads:
            square = np.zeros((64, 64))
            square[UPPER] = w[WORD + PART:] * CUE_SCALE
            cues.append(quantize(square[:self.classes, :self.classes]))
        self.steps = [[s for _, s in part] for part in (words, parts, cues)]
        self.tables = [np.stack([t for t, _ in part], -1) for part in (cues, words, parts)]
        self.set_front(np.zeros(front.FEATURES))
        self.gate = -UNUSED
        self.threshold = np.zeros((KINDS, HEADS), np.int64)

    @classmethod
    def read(cls, data, names, slots, glossary):
        """What a weights file holds, but for its front."""
        m, at = cls.__new__(cls), 52
        m.classes, m.slots, m.glossary = len(names), slots, glossary
        gate_at = at + 16 * HEADS
        sum_at = gate_at + 8 + KINDS * 4 * HEADS
        slots_at = sum_at + 4
        words = slots.astype("<u4").tobytes() + glossary.tobytes()
        if data[:at] != m.sizes() or data[sum_at:slots_at] != struct.pack("<I", checksum(data[slots_at:])) or data[slots_at:slots_at + len(words)] != words:
            raise SystemExit("these weights are of another library, or of other cues")
        numbers = np.frombuffer(data, "<i4", 4 * HEADS, at).reshape(4, HEADS).tolist()
        m.bias, m.steps = numbers[0], numbers[1:]
        m.threshold = np.frombuffer(data, "<i4", KINDS * HEADS, gate_at + 8).reshape(KINDS, HEADS).astype(np.int64)

        def table(at, *shape):
            return np.frombuffer(data, np.int8, int(np.prod(shape)), at).reshape(shape)

        cues_at = slots_at + len(words)
        words_at = cues_at + m.classes ** 2 * HEADS + front.FEATURES
        grams_at = words_at + WORD * HEADS
        parts = np.concatenate([table(grams_at, PART, STEERING), table(grams_at + PART * STEERING, PART, 1)], 1)
        m.tables = [table(cues_at, m.classes, m.classes, HEADS), table(words_at, WORD, HEADS), parts]
        m.net = data[grams_at + PART * HEADS:]
        m.set_front(np.zeros(front.FEATURES))
        m.gate = -UNUSED
        return m

    def heads(self):
        """The heads as their weights are kept: [(weights, bias)]."""
        out = []
        for h in range(HEADS):
            cues, words, parts = (table[..., h] * (step[h] / ONE) for table, step in zip(self.tables, (self.steps[2], self.steps[0], self.steps[1])))
            square = np.zeros((64, 64))
            square[:self.classes, :self.classes] = cues
            out.append((np.concatenate([words, parts, square[UPPER] / CUE_SCALE]), self.bias[h] / ONE))
        return out

    def sizes(self):
        return b"TOADMDL6" + struct.pack("<11I", 16, 18, 18, self.classes, clib.LEXICON_BITS, HEADS, KINDS, *net.sizes())

    def pack(self):
        cues, words, parts = self.tables
        grams, glosses = parts[:, :STEERING], parts[:, STEERING]
        body = self.slots.astype("<u4").tobytes() + b"".join(t.tobytes() for t in (self.glossary, cues, self.front, words, grams, glosses)) + self.net
        head = self.sizes()
        for numbers in (self.bias, *self.steps):
            head += struct.pack(f"<{HEADS}i", *numbers)
        head += struct.pack("<2i", self.gate, self.gate_units(front.SLOPE))
        head += self.threshold.astype("<i4").tobytes()
        return head + struct.pack("<I", checksum(body)) + body

    def set_front(self, weights):
        self.front, self.front_step = quantize(weights, FRONT_LEVELS)

    def gate_units(self, logit):
        """A sum of the front as score.c counts it: 1/256 of the step of its weights."""
        return round(logit * ONE / self.front_step * 256)

    def set_thresholds(self, logits, known, ruled, share):
        """logits: [row][head]; ruled: rows that the rules flag. One pair of thresholds for content of no known kind; kinds with ordinary rows of their own may ask for more, and
        tool results, which are no chat, for less."""
        dataset, kind = np.array([k["dataset"] for k in known]), np.array([k["kind"] for k in known])
        attack = np.array([k["attack"] for k in known])
        logits = logits.copy()
        logits[dataset == "obfuscated", :STEERING] += DISGUISED
        self.threshold[:, :STEERING] = best_pair(logits, dataset, attack, share, BARS)
        for_tools = best_pair(logits, dataset, attack, TOOLS_SHARE, {})
        self.threshold[corpus.TOOL_RESULT, 0] = min(self.threshold[corpus.ANY, 0], for_tools[0]) + ONE // 2  # and acts are asked about for what is noted: NOTED in score.c
        ordinary = ~attack & np.isin(dataset, corpus.ORDINARY)
        for k, of in ((corpus.WEB, ordinary), (corpus.EMAIL, ordinary), (corpus.CODE, ordinary), (corpus.INSTRUCTION_FILE, dataset == "hn-llm-instructions")):
            own = of & ~attack & (kind == k)
            if own.sum() >= LEAST:
                self.raise_to(logits[own], k, OWN_SHARE)
        self.raise_to(logits[~attack & (dataset == "llmail")], corpus.EMAIL, 0)
        for k, more in MORE_OF.items():
            self.threshold[k, :STEERING] += np.round(np.array(more[:STEERING]) * ONE).astype(np.int64)
        flagged = ruled | (logits >= self.threshold[kind])[:, :STEERING].any(1)
        self.threshold[:, STEERING] = steering_thresholds(logits[:, STEERING], flagged, dataset, kind, attack)

    def raise_to(self, logits, k, share):
        """Raise the thresholds of a kind, but for the third head's, until no more than `share` of these rows are flagged: first the head that flags more of them."""
        both = logits[:, :STEERING]
        while len(both) and (both >= self.threshold[k, :STEERING]).any(1).mean() > share:
            self.threshold[k, np.argmax((both >= self.threshold[k, :STEERING]).mean(0))] += ONE // 20


def steering_thresholds(logits, flagged, dataset, kind, attack):
    """For each kind the lowest that keeps to the share of its twins, and to what more may be flagged of any one clean set; and all together to what
    may be flagged of ordinary rows. Kinds of which more is asked get what any text gets, and that."""
    twin, clean = ~attack & (dataset == HELD_PAIRS), ~attack & ~flagged & ~np.isin(dataset, (HELD_PAIRS, "tensor-trust"))
    own = [k for k in range(1, KINDS) if k not in MORE_OF and (twin & (kind == k)).sum() >= TWINS_LEAST]
    out = np.zeros(KINDS, np.int64)
    for k in (corpus.ANY, *own):
        of = kind == k if k in own else ~np.isin(kind, own) & ~np.isin(kind, list(MORE_OF))
        bars = [np.quantile(logits[twin & of], 1 - TWINS)]
        for d in sorted(set(dataset[clean & of])):
            all_of = ~attack & (dataset == d)
            most = int(STEERING_BARS[d] * all_of.sum()) - flagged[all_of].sum() if d in STEERING_BARS else max(1, int(MORE * all_of.sum()))
            bars += np.sort(logits[clean & of & (dataset == d)])[::-1][max(0, most):][:1].tolist()
        out[k] = int(max(bars)) + 1
    for k in set(range(KINDS)) - set(own):
        out[k] = out[corpus.ANY] + round(MORE_OF[k][STEERING] * ONE if k in MORE_OF else 0)
    sets = [of for d in corpus.ORDINARY if (of := ~attack & (dataset == d)).any()]
    while np.mean([(flagged | (logits >= out[kind]))[of].mean() for of in sets]) > ORDINARY_ALL:
        over = np.where(clean & np.any(sets, 0) & (logits >= out[kind]), logits - out[kind], np.iinfo(np.int64).max)
        nearest = np.argmin(over)
        out[kind[nearest]] = logits[nearest] + 1
    return out


def best_pair(logits, dataset, attack, share, hard):
    """The two thresholds that flag most attacks, every set counting alike, of those that keep to the shares of clean rows that may be flagged."""
    sets = [m for d in sorted(set(dataset[attack]) - {HELD_PAIRS}) if (m := attack & (dataset == d)).sum() >= 14]
    clean = {d: ~attack & (dataset == d) for d in sorted(set(dataset[~attack]))}
    every = [clean[d] for d in corpus.ORDINARY if d in clean and d != "html-pages"]  # the library knows a page when it sees one
    ordinary = [m for m in every if m.sum() >= LEAST]
    few = [m for m in every if m.sum() < LEAST]
    ordinary += [np.any(few, 0)] if few else []  # one row of a small set is no measure of it
    bars = [(m, ORDINARY_MOST) for m in ordinary] + [(clean[d], bar) for d, bar in hard.items() if d in clean]
    grid = [np.unique(np.quantile(logits[~attack, h], np.linspace(.93, .9998, 160))) for h in range(STEERING)]
    best = (-1.0, [int(g[-1]) for g in grid])
    for first in grid[0]:
        for second in grid[1]:
            flagged = (logits[:, :STEERING] >= (first, second)).any(1)
            if np.mean([flagged[m].mean() for m in ordinary]) > share or any(flagged[m].mean() > bar for m, bar in bars):
                continue
            best = max(best, (float(np.mean([flagged[m].mean() for m in sets])), [int(first), int(second)]))
    return best[1]
