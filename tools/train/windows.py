"""Windows over units, the same for training and judging: for every unit the unit itself, and what ends with it within 240 and 480 bytes."""
import numpy as np

SIZES = (0, 240, 480)  # scale 0: the unit by itself
GAP = 1 << 26           # between views, so that no window spans two
IDS = ("words", "grams", "glosses", "net")


class Table:
    """All units of many rows: where each row's units stand, and flat arrays of feature ids."""

    def __init__(self):
        self.units, self.first, self.nv = [], [0], 0
        self.ids = {name: [] for name in IDS}
        self.count = dict.fromkeys(IDS, 0)

    def add(self, views, units, *ids):
        u = units.copy()
        for name, values in zip(IDS, ids):
            u[name + "_at"] += self.count[name]
            self.count[name] += len(values)
            self.ids[name].append(values.copy())
        u["view"] += self.nv
        self.nv += views
        self.units.append(u)
        self.first.append(self.first[-1] + len(u))

    def close(self):
        self.units = np.concatenate(self.units)
        self.ids = {name: np.concatenate(parts) for name, parts in self.ids.items()}
        self.first = np.array(self.first)
        return self

    def span(self, name, first, last):
        """Where the ids of units first..last stand, and how many they are."""
        at = self.units[name + "_at"].astype(np.int64)
        return at[first], at[last] + self.units[name + "_n"][last] - at[first]

    def starts(self):
        """For each scale, the first unit of the window that ends with each unit."""
        u = self.units
        view = u["view"].astype(np.int64)
        base = view * GAP
        start, end = base + u["start"], base + u["end"]
        out, own = [], np.arange(len(u))
        # the first unit of the same view
        head = np.searchsorted(view, view, side="left")
        for scale, size in enumerate(SIZES):
            if not size:
                j = own
            else:
                j = np.searchsorted(start, end - size, side="left")
                j = np.minimum(own, np.maximum(j, head))
            out.append(j)
        return out


def cue_bits(masks):
    """masks -> matrix of 0/1, one column a class."""
    return ((masks[:, None] >> np.arange(64, dtype=np.uint64)[None, :]) & np.uint64(1)).astype(np.float32)


def window_masks(units, first):
    """OR of the cues of units first[i]..i."""
    cues = units["cues"]
    out = cues.copy()
    own = np.arange(len(units))
    back = 1
    while True:
        j = own - back
        live = j >= first
        if not live.any():
            return out
        out[live] |= cues[j[live]]
        back += 1
