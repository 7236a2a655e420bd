#!/usr/bin/env python3
"""Collect real benign text of this machine's Debian packages into bench corpora.

usage: corpus.py OUTDIR

Writes OUTDIR/{docs,html,source,multi,ascii,cyrillic,cjk,benign}.corpus: documents one after the other, each preceded by its length as a
little-endian 32-bit number. `benign` is the mix (at least 32 MB), the others are its parts. The choice is by seed, so two runs on one machine agree.
"""
import gzip
import os
import random
import re
import struct
import sys

MB = 1 << 20
DOC, MAN = '/usr/share/doc', '/usr/share/man'


def walk(root, endings):
    found = []
    for folder, _, names in os.walk(root):
        found += [os.path.join(folder, n) for n in names if n.endswith(endings)]
    found = [p for p in sorted(found) if os.path.isfile(p) and not os.path.islink(p)]
    random.Random(1).shuffle(found)
    return found


def read(path):
    try:
        data = open(path, 'rb').read()
        if path.endswith('.gz'):
            data = gzip.decompress(data)
        return data.decode('utf-8')
    except (OSError, UnicodeDecodeError, EOFError):
        return None


def plain_man(text):
    lines = [l for l in text.split('\n') if not l.startswith(('.\\"', "'", '.TH', '.sp', '.de', '.if', '.ie', '.el'))]
    text = re.sub(r'\\f[BIRP]|\\&', '', '\n'.join(lines))
    return re.sub(r'(?m)^\.[A-Za-z]{1,2} *', '', text).replace('\\-', '-')


def take(paths, limit, convert=lambda t: t):
    docs, total = [], 0
    for path in paths:
        text = read(path)
        if text is None or len(text) < 200:
            continue
        doc = convert(text)[:300000].encode()
        docs.append(doc)
        total += len(doc)
        if total > limit:
            break
    return docs


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    man = lambda langs: [p for l in langs for p in walk(f'{MAN}/{l}', '.gz')]
    book = lambda langs: [p for l in langs for p in walk(f'{DOC}/debian-handbook/html/{l}', '.html')]
    parts = {
        'docs': take(walk(MAN + '/man2', '.gz') + walk(MAN + '/man3', '.gz') + walk(MAN + '/man1', '.gz'), 8 * MB, plain_man)
        + take(walk(DOC, ('.md', '.txt', '.rst', 'README', 'README.gz', 'changelog.gz', 'copyright')), 6 * MB),
        'html': take(walk(DOC + '/postgresql-doc-15', '.html') + walk(DOC + '/python3.11', '.html') + book(['en-US']), 10 * MB),
        'source': take(walk('/usr/include', '.h') + walk('/usr/lib/python3', '.py') + walk('/usr/share', '.js'), 10 * MB),
        'cyrillic': take(man(['ru', 'uk']), 4 * MB, plain_man) + take(book(['ru-RU']), 1 * MB, lambda t: re.sub(r'<[^>]*>', '', t)),
        'cjk': take(man(['ja', 'zh_CN', 'zh_TW', 'ko']), 4 * MB, plain_man) + take(book(['ja-JP', 'zh-CN', 'ko-KR']), 1 * MB, lambda t: re.sub(r'<[^>]*>', '', t)),
    }
    latin = take(man(['de', 'fr', 'es', 'pl', 'tr', 'vi']), 5 * MB, plain_man) + take(book(['ar-MA', 'fa-IR', 'el-GR', 'vi-VN', 'de-DE']), 3 * MB)
    parts['multi'] = latin + parts['cyrillic'] + parts['cjk']
    benign = parts['docs'] + parts['html'] + parts['source'] + parts['multi']
    parts['ascii'] = [d for d in benign if d.isascii()]
    random.Random(2).shuffle(benign)
    parts['benign'] = benign
    for name, docs in parts.items():
        with open(f'{out}/{name}.corpus', 'wb') as f:
            for doc in docs:
                f.write(struct.pack('<I', len(doc)) + doc)
        print(f'{name:9} {len(docs):6} documents {sum(map(len, docs)) / MB:7.1f} MB')


if __name__ == '__main__':
    main()
