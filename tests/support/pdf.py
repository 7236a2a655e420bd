"""Write a small PDF by hand: pdf.py OUT TEXT..., each TEXT "kind:words".

Kinds: seen, tiny (1 pt), white, off (left of the page), mode3 (drawn invisibly), covered (black on a black box over it),
dark (white words on a black box, which are seen). `title:` and `subject:` go into the document's information.
"""
import sys

ORDER = ["seen", "tiny", "white", "off", "mode3", "covered", "dark"]


def text(x, y, size, words, before="0 g"):
    words = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"q {before} BT /F1 {size} Tf 1 0 0 1 {x} {y} Tm ({words}) Tj ET Q"


def draw(kind, words, y):
    if kind == "tiny":
        return text(72, y, 1, words)
    if kind == "white":
        return text(72, y, 12, words, "1 g")
    if kind == "off":
        return text(-500, y, 12, words)
    if kind == "mode3":
        return text(72, y, 12, words, "3 Tr")
    if kind == "covered":
        return text(72, y, 12, words) + f"\nq 1 g 60 {y - 6} 480 24 re f Q"
    if kind == "dark":
        return f"q 0 g 60 {y - 6} 480 24 re f Q\n" + text(72, y, 12, words, "1 g")
    return text(72, y, 12, words)


def document(items):
    info = {}
    lines = []
    for item in items:
        kind, _, words = item.partition(":")
        if kind in ("title", "subject"):
            info[kind.capitalize()] = words
        else:
            lines.append(draw(kind, words, 740 - 40 * len(lines)))
    content = "\n".join(lines)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< " + " ".join(f"/{k} ({v})" for k, v in info.items()) + " >>",
    ]
    out, offsets = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", []  # bytes that are no UTF-8, as every real one has
    for i, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{i} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{o:010d} 00000 n \n" for o in offsets)
    return (f"{out}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{len(out)}\n%%EOF\n")


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="latin-1", newline="\n") as f:
        f.write(document(sys.argv[2:]))
