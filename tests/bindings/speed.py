"""What a scan costs in Python, CPU time in microseconds: best of passes over one text. Usage: speed.py FILE"""
import pathlib
import sys
import time

import toadstone

text, best = pathlib.Path(sys.argv[1]).read_text(), 1e9
for _ in range(15):
    begun = time.process_time()
    for _ in range(4000):
        toadstone.scan(text)
    best = min(best, (time.process_time() - begun) / 4000 * 1e6)
print(f"{best:.2f}")
