#!/bin/sh
# The packages of packaging/agents, each loaded by the real agent from npm, with a model on loopback; needs what agents.sh needs.
# usage: packages.sh TOADSTONE WORKDIR [schemas|AGENT...]    The last line is "N passed, N failed".
AGENTS_TEST=packages.mjs exec sh "$(dirname "$0")/agents.sh" "$@"
