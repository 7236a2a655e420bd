"""Time a loop of Python's `re` over the rules: python3 re_loop.py FILE, FILE being NUL-ended regular expressions, an empty one, then the text.

Prints the bytes a second, best of two passes of CPU time, as one number. bench/match.c calls it.
"""

import re
import sys
import time


def main() -> None:
    with open(sys.argv[1], "rb") as file:
        rules, _, text = file.read().partition(b"\0\0")
    compiled = [re.compile(rule, re.MULTILINE | re.DOTALL) for rule in rules.split(b"\0")]
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for rule in compiled:
            rule.search(text)
        best = min(best, time.process_time() - start)
    print(len(text) / best)


main()
