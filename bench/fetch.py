#!/usr/bin/env python3
"""Pages a second from fetch to store: nginx on loopback serves 1,000 pages of 100 KB, `toadstone fetch --jobs 8` takes them all.

usage: fetch.py CORPUSDIR TOADSTONE BENCH_FETCH [--jobs N] [--pages N]

The pages are made of the real HTML of bench/corpus.py, each another one. Best of three runs, each on a new SQLite store; then the share of
each stage in the processor time of one process (bench_fetch), on the same pages. The bar of issue 5: 300 pages a second on 4 cores.
"""
import argparse
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

SIZE, RUNS = 100_000, 3


def documents(path):
    with open(path, "rb") as corpus:
        while head := corpus.read(4):
            yield corpus.read(struct.unpack("<I", head)[0])


def bodies(path):
    """What stands between <body> and </body>, so that pages put together of several are pages still."""
    for document in documents(path):
        found = re.search(rb"<body[^>]*>(.*)</body>", document, re.S | re.I)
        if found:
            yield found.group(1)


def make_pages(corpus, folder, count):
    parts, at = list(bodies(corpus)), 0
    for i in range(count):
        page = b"<!doctype html><meta charset=utf-8><title>Page %d</title><h1>Page %d</h1>\n" % (i, i)
        while len(page) < SIZE:
            page += parts[at % len(parts)]
            at += 1
        cut = page.rfind(b">", 0, SIZE) + 1  # no tag is torn
        with open(os.path.join(folder, f"{i}.html"), "wb") as out:
            out.write(page[:cut])


def start_nginx(folder):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    conf = os.path.join(folder, "nginx.conf")
    with open(conf, "w") as out:
        out.write(f"""daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; user {'root' if not os.geteuid() else 'nobody'};
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; types {{ text/html html; }} sendfile on;
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }} }}
""")
    server = subprocess.Popen(["nginx", "-c", conf, "-p", folder, "-e", f"{folder}/error.log"])
    for _ in range(100):
        with socket.socket() as probe:
            if not probe.connect_ex(("127.0.0.1", port)):
                return server, port
        time.sleep(0.05)
    sys.exit("nginx does not start: " + open(f"{folder}/error.log").read())


def children_seconds():
    used = os.times()
    return used.children_user + used.children_system


def run(toadstone, urls, jobs, store):
    before, start = children_seconds(), time.monotonic()
    done = subprocess.run([toadstone, "fetch", "--json", "--jobs", str(jobs), "--store", store, "--allow-private", "127.0.0.1", *urls],
                          stdout=subprocess.PIPE, check=False)
    seconds, processor = time.monotonic() - start, children_seconds() - before
    lines = done.stdout.splitlines()
    stored = sum(b'"id":"fetch_' in line for line in lines)
    if stored != len(urls):
        sys.exit(f"{stored} of {len(urls)} pages were stored: {(lines or [b''])[0][:300]!r}")
    return seconds, processor


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("toadstone")
    parser.add_argument("stages")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--pages", type=int, default=1000)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="toadstone-bench-")
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/pages")
    server = None
    try:
        make_pages(os.path.join(options.corpus, "html.corpus"), f"{folder}/pages", options.pages)
        server, port = start_nginx(folder)
        urls = [f"http://127.0.0.1:{port}/{i}.html" for i in range(options.pages)]
        best = min(run(options.toadstone, urls, options.jobs, f"{folder}/{i}.db") for i in range(RUNS))
        print(f"{options.pages} pages of {SIZE // 1000} KB, {options.jobs} processes on {os.cpu_count()} cores: {options.pages / best[0]:.0f} pages/s; "
              f"{1000 * best[1] / options.pages:.2f} ms of processor time each, {best[1] / best[0]:.1f} cores busy (bar: 300 pages/s)", flush=True)
        subprocess.run([options.stages, f"http://127.0.0.1:{port}/", str(min(options.pages, 200)), f"{folder}/stages.db"], check=True)
    finally:
        if server:
            server.terminate()
            server.wait()
        shutil.rmtree(folder)


main()
