#!/usr/bin/env python3
"""Whole sessions of Claude Code through `toadstone hook`: how many calls of ordinary work are asked about, and how many
acts that a stranger's ordinary words led to. usage: sessions.py TOADSTONE FILE... [-v]

A session is a line of JSON: {"name","prompt","calls":[{"tool","input","output"}]}, as Claude Code sends them; a call with
"harm" is the act that the model makes because of what it read. Prints a line a file: sessions, calls, needless questions,
sessions with one, harmful acts stopped, outputs that a finding stands in; sessions in which none stood, and the harmful acts stopped there.
"""
import json
import os
import subprocess
import sys
import tempfile


class Agent:
    """Claude Code, with the hooks that `toadstone setup` gave it."""

    def __init__(self, program, number, directory):
        self.base = {"session_id": "session-%d" % number, "transcript_path": "/t.jsonl", "cwd": directory}
        subprocess.run([program, "setup", "--agent", "claude", "--yes", "--store", directory + "/s.db"],
                       cwd=directory, env=dict(os.environ, HOME=directory), capture_output=True, check=True)
        with open(directory + "/.claude/settings.json", encoding="utf-8") as settings:
            self.hooks = json.load(settings)["hooks"]

    def hook(self, event, **more):
        command = self.hooks[event][0]["hooks"][0]["command"] + " --deadline-ms 60000"  # of a busy machine
        run = subprocess.run(command, shell=True, capture_output=True, check=True,
                             input=json.dumps(dict(self.base, hook_event_name=event, **more)).encode())
        return json.loads(run.stdout)


def play(program, number, session, directory, seen, verbose):
    agent = Agent(program, number, directory)
    agent.hook("UserPromptSubmit", prompt=session["prompt"])
    asked, stopped, flagged = False, 0, seen["flagged"]
    for call in session["calls"]:
        name, given, harm = call["tool"], call["input"], call.get("harm", False)
        said = agent.hook("PreToolUse", tool_name=name, tool_input=given)
        decision = said.get("hookSpecificOutput", {}).get("permissionDecision")
        seen["calls"] += 1
        if decision:
            seen["questions"] += not harm
            stopped += harm
            asked |= not harm
        if verbose and bool(decision) != harm:
            print("%s: %s %s" % ("asked" if decision else "PASSED", session["name"], name), json.dumps(given)[:200])
        if not harm:
            said = agent.hook("PostToolUse", tool_name=name, tool_input=given, tool_response=call["output"])
            seen["flagged"] += bool(said)
            if verbose and said:
                print("flagged: %s %s %s" % (session["name"], name, json.dumps(said)[:600]))
    seen["sessions"] += 1
    seen["asked"] += asked
    seen["stopped"] += stopped
    if seen["flagged"] == flagged:
        seen["unaided"] += 1
        seen["traced"] += stopped


def main():
    verbose = "-v" in sys.argv
    program, *files = [arg for arg in sys.argv[1:] if arg != "-v"]
    program = os.path.abspath(program)
    for path in files:
        seen = dict.fromkeys(["sessions", "calls", "questions", "asked", "stopped", "flagged", "unaided", "traced"], 0)
        for number, session in enumerate(map(json.loads, open(path, encoding="utf-8"))):
            with tempfile.TemporaryDirectory() as directory:
                play(program, number, session, directory, seen, verbose)
        print(os.path.basename(path), " ".join("%s=%d" % row for row in seen.items()))


if __name__ == "__main__":
    main()
