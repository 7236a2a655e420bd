#!/usr/bin/env python3
"""Makes the papers a site that is read offline, from the disk: site.py TOADSTONE OUT

The Markdown of README, docs/ and the repository's other papers becomes one HTML page each; the reference pages are made of what they describe: the commands' own help, the comments of the
public headers, the catalogue of rules. Search runs in the page over an index that is a script, since a page from the disk may not fetch; nothing is loaded from elsewhere. Each page
stands in NAVIGATION, each link leads to a page, a heading or a file that is there, and each paper that the prose names by its path becomes a link: else it says what is wrong and ends with 1."""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import markdown_it
from markdown_it.token import Token

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASSETS = ROOT / "tools/site"
NAVIGATION = [
    ("For", [("docs/coding-agents.md", "Coding agents"), ("docs/python.md", "Python"), ("docs/typescript.md", "TypeScript"), ("docs/library.md", "C"),
             ("docs/gateways.md", "Gateways"), ("docs/data-pipelines.md", "Data pipelines")]),
    ("Start", [("README.md", "Overview"), ("docs/install.md", "Install"), ("docs/cli.md", "From the shell"), ("docs/blocked.md", "When something is blocked"),
               ("docs/verdict.md", "Verdicts"), ("docs/glossary.md", "Glossary")]),
    ("Agents", [("docs/hooks.md", "Hooks"), ("docs/packages.md", "Agents' packages"), ("docs/proxy.md", "Proxy"), ("docs/wrap-client.md", "MCP clients"), ("docs/mcp.md", "MCP server"),
                ("docs/pinning.md", "Pinned tools"), ("docs/confirm.md", "Confirmations"), ("docs/log.md", "Log"), ("docs/audit.md", "Audit")]),
    ("Text", [("docs/sanitize.md", "Sanitize"), ("docs/envelopes.md", "Envelopes"), ("docs/fetch.md", "Fetch and read"), ("docs/search.md", "Search"), ("docs/memory.md", "Memory"),
              ("docs/repositories.md", "Repositories")]),
    ("Programs", [("docs/adapters.md", "Adapters"), ("docs/postgresql.md", "PostgreSQL"), ("docs/store.md", "Store"), ("docs/config.md", "Configuration"), ("docs/rules.md", "Own rules")]),
    ("Reference", [("commands", "Commands"), ("headers", "C headers"), ("catalogue", "Rules")]),
    ("Measured", [("docs/model-card.md", "Model card"), ("docs/eval.md", "Evaluation"), ("THREAT-MODEL.md", "Threat model"), ("CHANGELOG.md", "Changes")]),
    ("Inside", [("ARCHITECTURE.md", "Architecture"), ("CONTRIBUTING.md", "Contributing"), ("docs/design/agents.md", "Agents' protocols"), ("docs/design/compatibility.md", "Compatibility"),
                ("docs/design/evasions.md", "Evasions"), ("docs/design/libraries.md", "Libraries")]),
]
PAPERS = {source: label for _, pages in NAVIGATION for source, label in pages if source.endswith(".md")}
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def page_name(source):
    return "index.html" if source == "README.md" else pathlib.PurePosixPath(source).stem.lower() + ".html"


def plain(text):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</?(?:code|a|em|strong)\b[^>]*>", "", text)))).strip()


class Page:
    """One page: its sections are (anchor, title, HTML), the first one without a title's anchor."""

    def __init__(self, source, label, body):
        self.source, self.label, self.name, self.body, self.links = source, label, page_name(source), body, []
        used, parts = {}, re.split(r"(<h[1-4]>.*?</h[1-4]>)", body, flags=re.S)
        self.sections = [["", label, parts[0]]]
        out = [parts[0]]
        for heading, rest in zip(parts[1::2], parts[2::2]):
            slug = re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")  # as GitHub makes them
            used[slug] = used.get(slug, 0) + 1
            anchor = slug if used[slug] == 1 else f"{slug}-{used[slug] - 1}"
            out += [heading.replace(">", f' id="{html.escape(anchor)}">', 1), rest]
            self.sections.append([anchor, plain(heading), rest])
        self.body = "".join(out)
        self.anchors = {section[0] for section in self.sections}


def render_paper(source, problems):
    """The HTML of a paper; its links to papers lead to their pages, those to other files of the repository are text."""
    md = markdown_it.MarkdownIt("commonmark", {"html": False}).enable("table")
    here = pathlib.PurePosixPath(source).parent
    tokens = md.parse((ROOT / source).read_text())

    def target(href):
        path, _, anchor = href.partition("#")
        found = os.path.normpath(here / path) if path else source
        if found in PAPERS:
            return page_name(found) + ("#" + anchor if anchor else "")
        if not (ROOT / found).exists():
            problems.append(f"{source}: a link to {href}, which is not there")
        return None

    for inline in (t for t in tokens if t.type == "inline"):
        children, hidden, depth = [], [], 0
        for child in inline.children:
            if child.type == "link_open":
                depth += 1
                href = child.attrs["href"]
                if not EXTERNAL.match(href):
                    made = target(href)
                    hidden.append(made is None)
                    if made is None:
                        continue
                    child.attrs["href"] = made
                else:
                    hidden.append(False)
            elif child.type == "link_close":
                depth -= 1
                if hidden.pop():
                    continue
            elif child.type == "text" and not depth:
                children += linked(child, source, problems)
                continue
            children.append(child)
        inline.children = children
    return md.renderer.render(tokens, md.options, {})


def linked(token, source, problems):
    """The text with each "docs/NAME.md" in it made a link, by the label that the page bears."""
    out, at = [], 0
    for found in re.finditer(r"\b(?:docs/(?:design/)?[a-z-]+|ARCHITECTURE|THREAT-MODEL|CONTRIBUTING|CHANGELOG|README)\.md\b", token.content):
        if found[0] not in PAPERS:
            problems.append(f"{source}: names {found[0]}, which is no page")
            continue
        for kind, content in (("text", token.content[at:found.start()]), ("link_open", page_name(found[0])), ("text", PAPERS[found[0]]), ("link_close", "")):
            made = Token(kind, "a" if "link" in kind else "", {"link_open": 1, "link_close": -1}.get(kind, 0))
            if kind == "link_open":
                made.attrs["href"] = content
            made.content = content if kind == "text" else ""
            out.append(made)
        at = found.end()
    rest = Token("text", "", 0)
    rest.content = token.content[at:]
    return out + [rest]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commands(program):
    """Each command's own help, in the order and under the headings of toadstone --help."""
    out = ["<h1>Commands</h1><p>What each command says of itself: <code>toadstone help COMMAND</code>.</p>"]
    for line in run(program, "--help").split("\n"):
        if re.fullmatch(r"[a-z].*:", line):
            out.append(f"<h2>{html.escape(line[:-1].capitalize())}</h2>")
        elif (name := re.match(r"  ([a-z][a-z-]*) +[a-z]", line)) and name[1] not in ("help", "version"):
            out.append(f"<h3>{name[1]}</h3><p>{html.escape(line.strip()[len(name[1]):].strip().capitalize())}.</p><pre>{html.escape(run(program, 'help', name[1]))}</pre>")
    return "".join(out)


def comment_html(lines):
    """Prose of a comment: paragraphs; what is indented stays as it stands."""
    out = []
    for block in re.split(r"\n\s*\n", "\n".join(lines)):
        form = any(re.match(r" {2,}\S|\S+ {2,}\S|- ", line) for line in block.split("\n"))
        out.append(f"<pre class=prose>{html.escape(block)}</pre>" if form else f"<p>{html.escape(block)}</p>")
    return "".join(out)


def headers():
    """The public headers: what a comment says, and below it what it says that of."""
    out = ["<h1>C headers</h1><p>As <code>&lt;toadstone/toadstone.h&gt;</code> includes them; compat.h is a library of its own.</p>"]
    for path in sorted((ROOT / "include/toadstone").glob("*.h")):
        text = re.sub(r"#ifdef __cplusplus.*?#endif\n", "", path.read_text(), flags=re.S)
        text = re.sub(r"^#(?:ifndef|define) TOADSTONE_\w+_H\n|^#endif.*\n|^#include.*\n", "", text, flags=re.M)
        out.append(f"<h2>{path.name}</h2>")
        for comment, code in re.findall(r"/\* ?((?:(?!\*/).)*)\*/\n((?:(?!/\*)[^\n]+\n(?:[^\n/]+[^\n]*\n)*)?)", text, flags=re.S):
            if (name := re.search(r"\b(toad_\w+)\(|^typedef (?:struct|enum) (\w+)", code, flags=re.M)) is not None:
                out.append(f"<h3>{name[1] or name[2]}</h3>")
            out.append(comment_html([re.sub(r"^ \*(?: |$)", "", line) for line in comment.split("\n")]))
            if code:
                out.append(f"<pre>{html.escape(code.rstrip())}</pre>")
    return "".join(out)


def rules(program):
    """The catalogue, by family."""
    out = ["<h1>Rules</h1><p>The built-in catalogue; <code>toadstone rules show ID</code> tells more of one, and <a href=\"rules.html\">own rules</a> stand beside them.</p>"]
    families = {}
    for rule in json.loads(run(program, "rules", "list", "--json")):
        families.setdefault(rule["family"], []).append(rule)
    for family, members in sorted(families.items()):
        out.append(f"<h2>{html.escape(family)}</h2><table><tr><th>rule<th>severity<th>languages<th>what it sees</tr>")
        for rule in members:
            out.append(f"<tr><td><code>{rule['id']}</code><td>{rule['severity']}<td>{html.escape(rule['lang'])}<td>{html.escape(rule['title'])}. {html.escape(rule['why'])}<br>"
                       f"<small>{html.escape(rule['mapping'])}</small></tr>")
        out.append("</table>")
    return "".join(out)


def check_links(pages, problems):
    names = {page.name: page for page in pages}
    for page in pages:
        for href in re.findall(r'<a href="([^"]*)"', page.body):
            href = html.unescape(href)
            if EXTERNAL.match(href):
                continue
            name, _, anchor = href.partition("#")
            other = names.get(name or page.name)
            if other is None or anchor and anchor not in other.anchors:
                problems.append(f"{page.source}: a link to {href}, which is not there")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, out, problems = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    problems += [f"{path.relative_to(ROOT)}: stands in no list of NAVIGATION" for path in sorted((ROOT / "docs").rglob("*.md")) if str(path.relative_to(ROOT)) not in PAPERS]
    pages = [Page(source, label, render_paper(source, problems)) for source, label in PAPERS.items()]
    for source, label, body in (("commands", "Commands", commands(program)), ("headers", "C headers", headers()), ("catalogue", "Rules", rules(program))):
        pages.append(Page(source, label, body))
    check_links(pages, problems)
    for problem in problems:
        print(f"site: {problem}", file=sys.stderr)

    out.mkdir(parents=True, exist_ok=True)
    for page in pages:
        navigation = "".join(
            f"<h2>{head}</h2><ul>" + "".join(f'<li><a href="{page_name(s)}"{" aria-current=page" if s == page.source else ""}>{html.escape(label)}</a>' for s, label in entries) + "</ul>"
            for head, entries in NAVIGATION)
        (out / page.name).write_text(
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<title>{html.escape(page.label)} - Toadstone</title><link rel="stylesheet" href="site.css">\n'
            f'<nav><a href="index.html" class="name">Toadstone</a><input id="query" type="search" placeholder="Search" aria-label="Search">{navigation}</nav>\n'
            f'<main><ol id="found" hidden></ol><article>{page.body}</article></main>\n<script src="index.js"></script><script src="search.js"></script>\n')
    index = [[page.name + ("#" + anchor if anchor else ""), page.label, title, plain(body)] for page in pages for anchor, title, body in page.sections if title != page.label or body.strip()]
    (out / "index.js").write_text("var INDEX = " + json.dumps(index, ensure_ascii=True).replace("</", "<\\/") + ";\n")
    for asset in ASSETS.iterdir():
        shutil.copy(asset, out)
    print(f"{len(pages)} pages, {sum(len(re.findall('<a href', page.body)) for page in pages)} links, {len(index)} sections to search: {out / 'index.html'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
