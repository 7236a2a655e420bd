"""Readers of the Unicode Character Database as Debian's unicode-data installs it, and of ICU's confusables.

Every table generator of this folder goes through here, so that they agree on versions and on what a property means.
Standard library only; ICU (libicu-dev or libicu72) is reached through ctypes because unicode-data has no confusables.txt.
"""
import ctypes
import glob
import re

UCD = "/usr/share/unicode/"
HANGUL = range(0xAC00, 0xD7A4)


class Char:
    """One line of UnicodeData.txt."""

    __slots__ = ("name", "category", "ccc", "compat", "decomposition", "numeric")

    def __init__(self, fields):
        self.name, self.category, self.ccc = fields[1], fields[2], int(fields[3])
        words = re.sub(r"<[^>]*>", "", fields[5]).split()
        self.compat = fields[5].startswith("<")
        self.decomposition = [int(w, 16) for w in words]
        self.numeric = fields[8]


def characters():
    """code point -> Char, ranges expanded."""
    table, first = {}, None
    with open(UCD + "UnicodeData.txt", encoding="ascii") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(";")
            c = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = c
            elif fields[1].endswith(", Last>"):
                for x in range(first, c + 1):
                    table[x] = Char(fields)
            else:
                table[c] = Char(fields)
    return table


def property_ranges(name):
    """[(first, last, value)] of a file of `code ; value # comment` lines."""
    found = []
    with open(name if name.startswith("/") else UCD + name, encoding="utf-8") as lines:
        for line in lines:
            fields = [f.strip() for f in line.split("#")[0].split(";")]
            if len(fields) < 2 or not fields[0]:
                continue
            ends = [int(x, 16) for x in fields[0].split("..")]
            found.append((ends[0], ends[-1], *fields[1:]))
    return found


def property_set(name, value):
    """The code points of one value of a property file."""
    return {c for first, last, v, *_ in property_ranges(name) if v == value for c in range(first, last + 1)}


def scripts():
    """code point -> script name."""
    return {c: v for first, last, v, *_ in property_ranges("Scripts.txt") for c in range(first, last + 1)}


def case_folding():
    """code point -> full case folding (statuses C and F)."""
    return {first: [int(x, 16) for x in to.split()] for first, _, status, to, *_ in property_ranges("CaseFolding.txt") if status in "CF"}


def version():
    """Of the Unicode data, as CaseFolding.txt states it."""
    with open(UCD + "CaseFolding.txt", encoding="utf-8") as f:
        return re.search(r"-([\d.]+)\.txt", f.readline()).group(1)


class Skeletons:
    """UTS #39 skeletons as ICU computes them."""

    def __init__(self):
        path = sorted(glob.glob("/usr/lib/*/libicui18n.so.*"))[0]
        self.major = re.search(r"\.so\.(\d+)", path).group(1)
        self.icu = ctypes.CDLL(path)
        error = ctypes.c_int(0)
        opener = self._function("uspoof_open", ctypes.c_void_p)
        self.checker = ctypes.c_void_p(opener(ctypes.byref(error)))
        self.get = self._function("uspoof_getSkeletonUTF8", ctypes.c_int32)
        if error.value > 0:
            raise OSError("ICU: uspoof_open failed")

    def _function(self, name, restype):
        function = getattr(self.icu, f"{name}_{self.major}")
        function.restype = restype
        return function

    def of(self, c):
        """The skeleton of one code point, as a list of code points."""
        text, out, error = chr(c).encode(), ctypes.create_string_buffer(256), ctypes.c_int(0)
        n = self.get(self.checker, 0, text, len(text), out, 256, ctypes.byref(error))
        return [ord(x) for x in out.raw[:n].decode()] if error.value <= 0 else [c]
