"""Rows the trainer makes itself: from the fragments of grammar.txt, by planting attacks in clean texts, by sowing the words of attacks into clean
texts, and by encoding clean texts. Everything comes from a seed."""
import base64
import codecs
import re
import urllib.parse


def read_grammar(path):
    rules = {}
    for line in open(path, encoding="ascii"):
        if line.startswith("#") or "=" not in line:
            continue
        name, alternatives = line.split(" =", 1)
        rules[name.strip()] = [a.strip() for a in alternatives.strip("\n").split(" | ")]
    return rules


NAME = re.compile(r"\{([a-z_0-9]+)\}")


def expand(rules, rng, name):
    text = rng.choice(rules[name])
    for _ in range(400):  # a grammar that refers to itself is cut here
        m = NAME.search(text)
        if not m:
            break
        text = text[:m.start()] + (rng.choice(rules[m[1]]) if m[1] in rules else m[1]) + text[m.end():]
    text = re.sub(r"\\u([0-9a-f]{4})", lambda m: chr(int(m[1], 16)), text)
    return re.sub(r"  +", " ", text).strip()


def sentence_case(text, rng):
    if rng.random() < .6:
        text = re.sub(r"(^|[.!?] )([a-z])", lambda m: m[1] + m[2].upper(), text)
    return text


def carriers(attack, rng):
    """An attack as the value of a field, as a comment, as a line of its own."""
    q = attack.replace('"', "'")
    return rng.choice([
        "{'%s': '%s', 'id': '%d', 'date': '2024-0%d-11'}" % (rng.choice(["content", "body", "description", "review", "note", "title", "message", "name", "text", "subject"]), q, rng.randrange(9999), rng.randrange(1, 9)),
        '{"%s": [{"author": "%s", "%s": "%s", "likes": %d}]}' % (rng.choice(["comments", "results", "reviews", "emails", "files"]), rng.choice(["alice", "bob", "john.doe"]), rng.choice(["text", "body", "content"]), q, rng.randrange(99)),
        attack, "\n" + attack + "\n", "// " + attack, "# " + attack, "<!-- " + attack + " -->", "(" + attack + ")", "\n\n" + attack + "\n\n", " " + attack + " "])


def plant(clean, attack, rng):
    """The attack at the start, middle or end of up to 900 characters of a clean text. Returns the text and the attack as it stands in it."""
    if len(clean) > 900:
        at = rng.randrange(len(clean) - 900)
        clean = clean[at:at + 900]
    cut = rng.choice([0, len(clean), rng.randrange(len(clean) + 1)])
    if 0 < cut < len(clean):
        space = clean.find(" ", cut)
        cut = space if space >= 0 else len(clean)
    return clean[:cut] + " " + carriers(attack, rng) + " " + clean[cut:]


def sow(clean, words, rng):
    """One to three words of attacks at chance places of the first 300 characters of a clean text."""
    parts = clean[:300].split(" ")
    for _ in range(rng.choice((1, 1, 2, 3))):
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(words))
    return " ".join(parts)


LEET = str.maketrans("aeiost", "431057")


def encode(clean, rng):
    raw = clean[:300]
    b = raw.encode("utf-8", "replace")
    return rng.choice([
        lambda: base64.b64encode(b).decode(), lambda: b.hex(), lambda: codecs.encode(raw, "rot13"), lambda: raw[::-1],
        lambda: "".join("&#%d;" % ord(c) for c in raw), lambda: "".join("&#x%x;" % ord(c) for c in raw), lambda: "".join("%%%02x" % c for c in b),
        lambda: urllib.parse.quote(raw), lambda: raw.translate(LEET), lambda: "".join("\\u%04x" % ord(c) for c in raw[:120]),
        lambda: base64.b32encode(b).decode(), lambda: " ".join(raw), lambda: "".join("\\x%02x" % c for c in b),
        lambda: " ".join("%02x" % c for c in b), lambda: " ".join(format(c, "08b") for c in b[:60])])()
