#!/bin/sh
# A million short rows scanned where they lie: one worker of PostgreSQL, two, and the program over the same rows.
# usage: postgres.sh BUILD PROGRAM [ROWS]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) program=$(realpath "$2") rows=${3:-1000000}
. "$root/tests/bindings/cluster.sh"
many "$rows"
# seconds FILE COMMAND...: what it takes; what it prints goes into FILE
seconds() {
    file=$1 begun=$(date +%s.%N)
    shift
    "$@" >"$file"
    awk -v a="$begun" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}'
}
one=$(seconds "$work/one" sql -d judged -c "$(workers 1) $count")
two=$(seconds "$work/two" sql -d judged -c "$(workers 2) $count")
sql -d judged -c "COPY (SELECT json_build_object('id', i, 'text', content)::text FROM many) TO STDOUT" >"$work/rows.jsonl"
alone=$(seconds "$work/verdicts.jsonl" "$program" scan --jsonl --fail-on none "$work/rows.jsonl")
found=$(grep -c '"severity":"high","confidence"' "$work/verdicts.jsonl")
echo "$rows rows: one worker $one s, two $two s ($(awk -v a="$one" -v b="$two" 'BEGIN {printf "%.2f", a / b}') times as fast), scan --jsonl $alone s"
echo "attacks found: $(cat "$work/one"), $(cat "$work/two"), $found"
[ "$(cat "$work/one")" = "$found" ] && [ "$(cat "$work/two")" = "$found" ]
