#!/usr/bin/env python3
"""A person at a terminal: person.py COMMAND [ARG]...

Runs the command with a terminal of its own (its /dev/tty; standard input, output and error stay what they are), reads there, and types back the word
that is asked for, as a person does who means it. With PERSON=no the answer is "no"; with PERSON_SAW=FILE what stood on the terminal is written there;
with PERSON_SITS=WORD,... input, output and error are the terminal, too, and the words are what is answered to "apply, show, skip or always?", in turn.
Whoever runs the tests is no agent: the command becomes a child of init, so that nothing above it speaks for or against it."""
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import fcntl


SITS = os.environ.get("PERSON_SITS")


def attend(master, child):
    """Answer what is asked until the child has ended; its wait status, and what was seen."""
    seen, done, answers = b"", 0, (SITS or "").split(",")
    while True:
        ready, _, _ = select.select([master], [], [], 0.02)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            piece = b""
        seen += piece
        asked = re.search(rb"type ([a-z]+): $", seen[done:])
        choose = SITS and re.search(rb"(?:(?:apply|skip|always)\? |-- Enter: more[^\n]*)$", seen[done:])
        if choose:
            done = len(seen)
            os.write(master, (answers.pop(0) if answers else "skip").encode() + b"\n")
        if asked:
            done = len(seen)
            os.write(master, (b"no" if os.environ.get("PERSON") == "no" else asked.group(1)) + b"\n")
        if not piece:
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid:
                return status, seen


def run(argv):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", int(os.environ.get("PERSON_ROWS", "40")), 80, 0, 0))
    child = os.fork()
    if not child:
        os.close(master)
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        if SITS:
            for fd in range(3):
                os.dup2(slave, fd)
        os.close(slave)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # what it leaves running outlives the terminal
        try:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores, and its children would
            os.execvp(argv[0], argv)
        except OSError as error:
            print(f"person.py: {argv[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    status, seen = attend(master, child)
    os.close(slave)
    if SITS:
        os.write(1, seen.replace(b"\r", b""))
    if os.environ.get("PERSON_SAW"):
        with open(os.environ["PERSON_SAW"], "wb") as out:
            out.write(seen)
    return os.waitstatus_to_exitcode(status)


def main():
    reader, writer = os.pipe()
    if not os.fork():
        os.close(reader)
        if os.fork():
            os._exit(0)
        os.setsid()
        code = run(sys.argv[1:])
        os.write(writer, struct.pack("i", code if code >= 0 else 128 - code))
        os._exit(0)
    os.close(writer)
    os.wait()
    told = os.read(reader, 4)
    sys.exit(struct.unpack("i", told)[0] if len(told) == 4 else 125)


main()
