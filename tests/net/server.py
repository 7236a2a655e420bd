#!/usr/bin/env python3
"""A web server that misbehaves on request: server.py [ADDRESS[=CERTIFICATE.pem]]... prints its port and serves until standard input ends.

Raw sockets, because a server library would not let us be wrong. The path says what to do; the request is counted and can be asked back."""
import gzip
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

LOCK = threading.Lock()
COUNTS = {}
ROBOTS = {"status": "404"}
PAGE = b"<!doctype html><title>Hello</title><p>Hello, reader.</p>"
STEP = 0.05  # seconds between the pieces of a slow answer


# 64 MiB of 'a': what brotli makes of them, and a zstd frame of blocks that each repeat one byte 128 KiB times.
BROTLI_BOMB = bytes.fromhex("cbffff3ff825c2e2b14020f7fe8fffff7ff04b00c4611180eefd1fffffffe0970088c30200ddfb3ffeffffc12f0110870500baf77ffcffff835f0220"
                            "0e0b0074effff8ffff07bf04401c1600e8defff1ffff0f7e0980382c00d0bdffcbffff3ffc1200715800a07bff07")
ZSTD_BOMB = b"\x28\xb5\x2f\xfd\x00\x38" + b"".join((131072 << 3 | 2 | (i == 511)).to_bytes(3, "little") + b"a" for i in range(512))


def answer(body, head=(), status="200 OK", length=None):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", "Connection: close", *head]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def html(body=PAGE, *head, **more):
    return answer(body, ("Content-Type: text/html; charset=utf-8", *head), **more)


def forever(conn, piece, pause=0.0):
    while True:
        conn.sendall(piece)
        time.sleep(pause)


def chunked(*chunks, head="Content-Type: text/html"):
    return f"HTTP/1.1 200 OK\r\n{head}\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + b"".join(chunks)


def bomb(layers, size):
    data = b"<p>" + b"a" * size
    for _ in range(layers):
        data = gzip.compress(data, 9)
    return data


def robots(conn, hop):
    if int(ROBOTS.get("hops", 0)) > hop:
        conn.sendall(html(b"moved", f"Location: /robots.txt?hop={hop + 1}", status="302 Found"))
    elif "status" in ROBOTS:
        conn.sendall(html(status=f"{ROBOTS['status']} Because", body=b"User-agent: *\nDisallow: /"))
    else:
        head = ["Content-Type: text/plain"] + [f"Cache-Control: max-age={v}" for k, v in ROBOTS.items() if k == "age"]
        conn.sendall(answer(b"#" * int(ROBOTS.get("pad", 0)) + b"\n" + ROBOTS["text"].encode(), head))


def serve(conn, path, query, request):
    global ROBOTS
    hop = {k: v[0] for k, v in urllib.parse.parse_qs(query, encoding="latin-1").items()}
    if path == "/ok":
        conn.sendall(html())
    elif path == "/robots.txt":
        robots(conn, int(hop.get("hop", 0)))
    elif path == "/set-robots":
        ROBOTS = hop
        conn.sendall(html())
    elif path == "/validators":  # a page with validators: 304 when they come back, and the number of the request
        date = "Sun, 06 Nov 1994 08:49:37 GMT"
        head = [f'ETag: "{hop["etag"]}"', f"Last-Modified: {date}"] + [f"Cache-Control: {v}" for k, v in hop.items() if k == "cc"]
        if f'If-None-Match: "{hop["etag"]}"\r\n'.encode() in request and f"If-Modified-Since: {date}\r\n".encode() in request:
            conn.sendall(answer(b"", head, status="304 Not Modified"))
        else:
            conn.sendall(html(PAGE + hop.get("text", "").encode(), *head))
    elif path == "/cached":  # a page that says how long it lasts, and which request this is
        conn.sendall(html(PAGE + b"<p>%d</p>" % COUNTS[path], *[f"{k}: {v}" for k, v in hop.items()]))
    elif path == "/busy":
        conn.sendall(html(PAGE, f"Retry-After: {hop['after']}", status=f"{hop['status']} Later"))
    elif path == "/large":
        conn.sendall(html(b"a" * int(hop["bytes"])))
    elif path == "/empty":
        conn.sendall(html(b""))
    elif path == "/echo":
        conn.sendall(answer(request, ("Content-Type: text/plain",)))
    elif path == "/count":
        conn.sendall(answer(str(COUNTS.get(hop["of"], 0)).encode(), ("Content-Type: text/plain",)))
    elif path == "/bytes":  # hex body under a given type
        conn.sendall(answer(bytes.fromhex(hop.get("hex", "")), [f"Content-Type: {hop['type']}"] if "type" in hop else []))
    elif path == "/gzip":
        conn.sendall(html(gzip.compress(PAGE), "Content-Encoding: gzip"))
    elif path == "/redirect":
        conn.sendall(html(b"moved", *[f"Location: {to}" for to in urllib.parse.parse_qs(query, encoding="latin-1").get("to", [])],
                          status=hop.get("status", "302 Found")))
    elif path.startswith("/chain/"):
        n = int(path[7:])
        conn.sendall(html(b"moved", f"Location: /chain/{n - 1}", status="301 Moved") if n else html())
    elif path == "/loop":
        conn.sendall(html(b"moved", "Location: /loop2", status="301 Moved"))
    elif path == "/loop2":
        conn.sendall(html(b"moved", "Location: /loop", status="301 Moved"))
    elif path == "/refresh":
        conn.sendall(html(PAGE, "Refresh: 0; url=http://127.0.0.2/"))
    elif path.startswith("/status/"):
        conn.sendall(html(PAGE, status=path[8:] + " Because"))
    elif path == "/slow-headers":
        conn.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        forever(conn, b"a", STEP)
    elif path == "/slow-header-lines":
        conn.sendall(b"HTTP/1.1 200 OK\r\n")
        forever(conn, b"X: y\r\n", STEP)
    elif path == "/slow-body":
        conn.sendall(html(b"", length=1000))
        forever(conn, b"a", STEP)
    elif path == "/endless":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        forever(conn, b"a" * 65536)
    elif path == "/endless-chunks":
        conn.sendall(chunked())
        forever(conn, b"1000\r\n" + b"a" * 4096 + b"\r\n")
    elif path == "/endless-1xx":
        forever(conn, b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    elif path == "/declared-large":
        conn.sendall(html(b"a", length=1 << 40))
    elif path == "/short":
        conn.sendall(html(PAGE, length=len(PAGE) + 10))
    elif path == "/long":
        conn.sendall(html(PAGE + b"more", length=len(PAGE)))
    elif path == "/two-lengths":
        conn.sendall(html(PAGE, "Content-Length: 5"))
    elif path == "/huge-chunk":
        conn.sendall(chunked(b"FFFFFFFFFFFFFFFFF\r\naaaa"))
    elif path == "/until-close":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)
    elif path == "/negative-chunk":
        conn.sendall(chunked(b"-1\r\naaaa"))
    elif path == "/cut-chunk":
        conn.sendall(chunked(b"1000\r\naaaa"))
    elif path == "/bomb":
        conn.sendall(html(bomb(1, 64 << 20), "Content-Encoding: gzip"))
    elif path == "/bomb-in-limit":  # below the limit of bytes: the ratio stops it
        conn.sendall(html(bomb(1, 8 << 20), "Content-Encoding: gzip"))
    elif path == "/bomb-deflate":
        conn.sendall(html(zlib.compress(b"a" * (64 << 20), 9), "Content-Encoding: deflate"))
    elif path == "/bomb-brotli":  # 64 MiB of 'a' in 79 bytes; nobody asked for brotli
        conn.sendall(html(BROTLI_BOMB, "Content-Encoding: br"))
    elif path == "/bomb-zstd":  # frames that say they hold 64 MiB each
        conn.sendall(html(ZSTD_BOMB, "Content-Encoding: zstd"))
    elif path == "/bomb-twice":
        conn.sendall(html(bomb(2, 64 << 20), "Content-Encoding: gzip, gzip"))
    elif path == "/codings":
        conn.sendall(html(PAGE, "Content-Encoding: " + ", ".join(["gzip"] * 20)))
    elif path == "/bad-gzip":
        conn.sendall(html(gzip.compress(PAGE)[:-8] + b"garbage!", "Content-Encoding: gzip"))
    elif path == "/cut-gzip":
        conn.sendall(html(gzip.compress(PAGE)[:30], "Content-Encoding: gzip"))
    elif path == "/gzip-members":
        conn.sendall(html(gzip.compress(PAGE) * 2, "Content-Encoding: x-gzip"))
    elif path == "/deflate":
        conn.sendall(html(zlib.compress(PAGE), "Content-Encoding: deflate"))
    elif path == "/raw-deflate":
        conn.sendall(html(zlib.compress(PAGE)[2:-4], "Content-Encoding: deflate"))
    elif path == "/coding":
        conn.sendall(html(PAGE, "Content-Encoding: " + hop["name"]))
    elif path == "/large-header":
        conn.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        for _ in range(160):
            conn.sendall(b"a" * 65536)
        conn.sendall(b"\r\n\r\n" + PAGE)
    elif path == "/many-headers":
        conn.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-Header: something that takes some room\r\n" * 100000 + b"\r\n" + PAGE)
    elif path == "/http09":
        conn.sendall(PAGE)
    elif path == "/garbage":
        conn.sendall(bytes(range(256)) * 16)
    elif path == "/two-types":
        conn.sendall(answer(PAGE, ("Content-Type: image/png", "Content-Type: text/html")))
    elif path == "/cookie":
        conn.sendall(html(b"moved", "Set-Cookie: a=b", "Location: /echo", status="302 Found"))
    elif path != "/nothing":
        conn.sendall(html(status="404 Not Found"))


def tls_of(pem):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


def handle(conn, tls=None):
    try:
        if tls:
            conn = tls.wrap_socket(conn, server_side=True)
        request = b""
        while b"\r\n\r\n" not in request and len(request) < 1 << 20:
            more = conn.recv(65536)
            if not more:
                return
            request += more
            if request[0] == 0x16:  # TLS, which we do not speak
                conn.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                return
        path, _, query = request.split(b" ")[1].decode("latin-1").partition("?")
        with LOCK:
            COUNTS[path] = COUNTS.get(path, 0) + 1
        serve(conn, path, query, request)
        if tls:
            conn = conn.unwrap()
        conn.shutdown(socket.SHUT_WR)
        conn.settimeout(1)
        while conn.recv(65536):
            pass
    except (OSError, ValueError, IndexError, KeyError):
        pass
    finally:
        conn.close()


def listen(sock, tls):
    while True:
        conn, _ = sock.accept()
        threading.Thread(target=handle, args=(conn, tls), daemon=True).start()


def main():
    port = 0
    for argument in sys.argv[1:] or ["127.0.0.1"]:
        address, _, pem = argument.partition("=")
        sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(64)
        port = sock.getsockname()[1]
        threading.Thread(target=listen, args=(sock, tls_of(pem) if pem else None), daemon=True).start()
    print(port, flush=True)
    sys.stdin.read()


main()
