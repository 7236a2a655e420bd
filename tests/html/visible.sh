#!/bin/sh
# What the program sees of pages against an oracle on parse5 (oracle.mjs). POSIX sh; needs node 20, npm and the npm registry.
# usage: visible.sh TOADSTONE WORKDIR [DATA.jsonl.zst]    (the packages of package.json are installed into WORKDIR once)
# Without the data set, which may not be in the repository, the pages of pages.jsonl are read. The last line is "N passed, N failed".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
toadstone=$(readlink -f "$1")
pages=${3:-}
[ -f "$pages" ] || pages=$here/pages.jsonl
pages=$(readlink -f "$pages")
mkdir -p "$2"
cd "$2"
cp "$here/package.json" "$here/package-lock.json" "$here/oracle.mjs" "$here/compare.mjs" .
[ -d node_modules/parse5 ] || npm ci --no-audit --no-fund --ignore-scripts >npm.log 2>&1 || { tail -20 npm.log; exit 1; }
code=0
node compare.mjs "$toadstone" "$pages" differences.txt >result.txt || code=1
[ "$code" = 0 ] || cat differences.txt
cat result.txt
exit "$code"
