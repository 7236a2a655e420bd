"""What tests/machines/verdicts.c prints, from Python: the same bytes. Usage: verdicts.py FILE"""
import json
import sys

import toadstone

for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    text = row.get("text", "")
    seen = toadstone.guard(text, kind="web", wrap={"id": "0"})
    print(row["id"], "verdict", toadstone.scan(text).json, "sanitized", toadstone.sanitize(text).text, seen.action, seen.text)
