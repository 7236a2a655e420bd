"""The library, as the trainer calls it: views.c built into a shared object and read with ctypes."""
import collections
import ctypes as C
import glob
import os
import re

import numpy as np

UNIT = np.dtype([("cues", "<u8"), ("view", "<u4"), ("start", "<u4"), ("end", "<u4"), ("tokens", "<u4"), ("spelled", "<u4"),
                 ("words_n", "<u4"), ("grams_n", "<u4"), ("glosses_n", "<u4"), ("net_n", "<u4"), ("node", "<u4"),
                 ("words_at", "<u8"), ("grams_at", "<u8"), ("glosses_at", "<u8"), ("net_at", "<u8")], align=True)
TOKEN = np.dtype([("hash", "<u4"), ("stem", "<u4"), ("keys", "<u2", 4)])
LEXICON_BITS = 13
GLOSS_KEYS, GLOSS_SLOT_BITS, GLOSS_SIEVE_BITS, STEM_LEAST = 512, 16, 15, 4  # as in gloss.h
ENGLISH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/model/glosses/en.txt")
HEADS = 3  # planted in content, typed at the model, steering in ordinary words


class Library:
    def __init__(self, path):
        self.c = C.CDLL(path)
        for name, result, arguments in (
                ("tv_row", C.c_int, [C.c_char_p, C.c_size_t, C.c_int]), ("tv_views", C.c_size_t, []),
                ("tv_view", C.c_void_p, [C.c_size_t, C.POINTER(C.c_size_t)]),
                ("tv_units", C.c_size_t, [C.c_void_p, C.c_uint, C.c_void_p, C.c_char_p, C.c_size_t]),
                ("tv_unit_rows", C.c_void_p, []), ("tv_words", C.c_void_p, [C.POINTER(C.c_size_t)]),
                ("tv_grams", C.c_void_p, [C.POINTER(C.c_size_t)]), ("tv_glosses", C.c_void_p, [C.POINTER(C.c_size_t)]), ("tv_tokens", C.c_void_p, [C.POINTER(C.c_size_t)]), ("tv_fronts", C.c_void_p, [C.POINTER(C.c_size_t)]), ("tv_blocks", C.c_void_p, [C.POINTER(C.c_size_t)]), ("tv_hash", C.c_uint32, [C.c_char_p, C.c_size_t]),
                ("tv_stem_hash", C.c_uint32, [C.c_char_p, C.c_size_t]), ("tv_place", C.c_uint32, [C.c_uint32]),
                ("tv_first_hash", C.c_uint32, [C.c_char_p, C.c_size_t]), ("tv_bit", C.c_uint32, [C.c_uint32]),
                ("tv_model", C.c_int, [C.c_char_p, C.c_size_t, C.c_void_p]),
                ("tv_score", C.c_uint, [C.c_char_p, C.c_size_t, C.c_int, C.c_void_p, C.c_void_p]),
                ("tv_fold", C.c_size_t, [C.c_char_p, C.c_size_t, C.c_void_p, C.c_size_t])):
            f = getattr(self.c, name)
            f.restype, f.argtypes = result, arguments
        self.slots = self.glossary = None

    def fold(self, text):
        raw = text.encode("utf-8", "surrogatepass")
        room = C.create_string_buffer(len(raw) * 4 + 64)
        n = self.c.tv_fold(raw, len(raw), room, len(room))
        return room.raw[:n]

    def set_words(self, slots, glossary):
        """Classes of cues and the dictionary, as read_lexicon() and read_glossary() give them."""
        self.slots, self.glossary = slots, glossary

    def scan(self, text, kind):
        """Scan a row. Severity by the rules (0..3), and its folded views."""
        raw = text.encode("utf-8", "surrogatepass")
        severity = self.c.tv_row(raw, len(raw), min(kind, 8))
        views, n = [], C.c_size_t()
        for i in range(self.c.tv_views()):
            p = self.c.tv_view(i, C.byref(n))
            views.append(C.string_at(p, n.value))
        return severity, views

    def set_model(self, packed, gate=None):
        self.packed = packed
        if self.c.tv_model(packed, len(packed), None if gate is None else C.byref(C.c_int32(gate))):
            raise SystemExit("the weights file is not valid")

    def logits(self, views):
        """Highest logit of each head over the folded views of a row, in 1/65536."""
        best, out, sentence = np.full(HEADS, -(1 << 31), np.int64), np.zeros(HEADS, "<i4"), np.zeros(2, "<u4")
        for v in views:
            self.c.tv_score(v, len(v), 0, out.ctypes.data, sentence.ctypes.data)
            best = np.maximum(best, out)
        return best

    def units(self, text=None):
        """Units of the last row, or of one folded text: [UNIT array, word ids, gram ids, gloss ids, TOKEN array]."""
        count = self.c.tv_units(self.slots.ctypes.data, LEXICON_BITS, self.glossary.ctypes.data, text, len(text) if text is not None else 0)
        rows = np.frombuffer(C.string_at(self.c.tv_unit_rows(), count * UNIT.itemsize), UNIT) if count else np.empty(0, UNIT)
        return [rows] + [self.ids(f) for f in (self.c.tv_words, self.c.tv_grams, self.c.tv_glosses)] + [self.ids(self.c.tv_tokens, TOKEN)]

    def blocks(self):
        """Blocks of the last row as the front sees them: [of each its view and how many features], and the features."""
        return self.ids(self.c.tv_blocks).reshape(-1, 2), self.ids(self.c.tv_fronts)

    @staticmethod
    def ids(f, of=np.dtype("<u4")):
        n = C.c_size_t()
        p = f(C.byref(n))
        return np.frombuffer(C.string_at(p, n.value * of.itemsize), of) if n.value else np.empty(0, of)


def index_of(h, bits):
    h &= 0xffffffff
    return (((h ^ h >> 15) * 0x2c1b3c6d) & 0xffffffff) >> (32 - bits)


def plain(word):
    """A word as a file of ours writes it, with escapes for what is not seen."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), word)


def read_lexicon(path, library):
    """cues.txt as slots of (hash, mask): the names of the classes and the bytes."""
    names, table = [], {}
    for line in open(path, encoding="ascii"):
        if not line.strip() or line.startswith("#"):
            continue
        name, words = line.split(":", 1)
        for word in plain(words).split():
            folded = library.fold(word)
            h = library.c.tv_hash(folded, len(folded))
            table[h] = table.get(h, 0) | 1 << len(names)
        names.append(name.strip())
    if len(names) > 64:
        raise SystemExit("more than 64 classes of cues")
    slots = np.zeros((1 << LEXICON_BITS, 3), "<u4")
    for h, mask in sorted(table.items()):
        home = index_of(h, LEXICON_BITS)
        for k in range(8):
            slot = slots[(home + k) & (1 << LEXICON_BITS) - 1]
            if not slot[0]:
                slot[:] = h, mask & 0xffffffff, mask >> 32
                break
        else:
            raise SystemExit("the lexicon is too full")
    return names, slots


JOINED = ("ar", "he")  # small words are written in one with the next: whole words are found behind them, too


def gloss_entries(path, lang, numbers, library):
    """Of a dictionary: (hash, key, hash for the sieve of beginnings, for that of first words) of each word, two words, or beginning of words (with a star); 0: none."""
    for line in open(path, encoding="utf-8"):
        name, _, words = line.partition(":")
        for word in plain(words).lower().split():
            folded = library.fold(word.rstrip("*").replace("_", " ")).strip()
            whole = not word.endswith("*")
            if folded and whole:
                yield library.c.tv_hash(folded, len(folded)), numbers[name], 0, library.c.tv_first_hash(folded, len(folded))
            if len(folded) >= STEM_LEAST and (not whole or (lang in JOINED and len(folded.decode()) >= 3 and b" " not in folded)):
                yield library.c.tv_stem_hash(folded, len(folded)), numbers[name], library.c.tv_stem_hash(folded, STEM_LEAST), 0


def read_glossary(folder, library):
    """The dictionaries as slots: two keys at most of a word, English before all others."""
    numbers = {line.partition(":")[0]: n for n, line in enumerate(open(f"{folder}/en.txt", encoding="utf-8"), 1)}
    if len(numbers) >= GLOSS_KEYS:
        raise SystemExit("too many keys")
    keys, sieves = {}, np.zeros((2, 1 << GLOSS_SIEVE_BITS), np.uint8)
    for h, key, *_ in gloss_entries(f"{folder}/en.txt", "en", numbers, library):
        keys.setdefault(h, []).append(key) if key not in keys.get(h, []) else None
    english, others = set(keys), collections.defaultdict(collections.Counter)
    for path in sorted(glob.glob(f"{folder}/*.txt")):
        lang = os.path.basename(path)[:-4]
        for h, key, *of in sorted(set(gloss_entries(path, lang, numbers, library))):
            if h not in english:
                others[h][key] += 1
            for sieve, hashed in zip(sieves, of):
                sieve[library.c.tv_bit(hashed)] |= bool(hashed)
    for h, count in others.items():
        keys[h] = sorted(count, key=lambda k: (-count[k], k))
    slots = np.zeros(1 << GLOSS_SLOT_BITS, np.uint32)
    for h, of in sorted(keys.items()):
        place = library.c.tv_place(h)
        for k in range(128):
            slot = (place >> 16) + k & (1 << GLOSS_SLOT_BITS) - 1
            if not slots[slot]:
                slots[slot] = ((place & 0x3fff) * GLOSS_KEYS + (of + [0])[1]) * GLOSS_KEYS + of[0]
                break
        else:
            raise SystemExit("the glossary is too full")
    return np.concatenate([slots.astype("<u4").view(np.uint8), np.packbits(sieves, bitorder="little")])
