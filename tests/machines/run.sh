#!/bin/sh
# The library on machines that this one is not: 64-bit ARM (NEON) under qemu, musl instead of glibc, and WebAssembly (32
# bits) in Node. Every corpus of the fuzzers is replayed there, and the verdicts on the vectors are the same bytes as here.
# usage: run.sh BUILD WORKDIR VECTORS    (BUILD: where the generated sources and the native library are)
# The last line is "N passed, N failed".
# shellcheck disable=SC2086,SC2048,SC2016 # lists of words are meant to split; the inner sh expands
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) vectors=$(readlink -f "$3")
mkdir -p "$2"
work=$(cd "$2" && pwd)
cd "$root"
good=0 bad=0
flags="-std=c17 -O2 -DNDEBUG -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -fvisibility=hidden -I. -Iinclude"
fuzzers="base/json text/sanitize disguise/disguise text/fold decode/smuggling decode/decode decode/transform
 html/html model/model scan/scan wrap/wrap wrap/memory_line wrap/upstream_exact"

# check NAME COMMAND...: passes when the command does.
check() {
    name=$1
    shift
    if "$@" >"$work/step.log" 2>&1; then good=$((good + 1)) && echo "ok    $name"; else bad=$((bad + 1)) && echo "FAIL  $name" && tail -20 "$work/step.log"; fi
}

# library DIR COMPILER...: all of lib/ and the tables made at build time, as objects
library() {
    dir=$work/$1
    shift
    mkdir -p "$dir"
    for c in lib/*/*.c lib/*/tables/*.c compat/*.c "$build"/catalogue.gen.c "$build"/weights.gen.c; do
        o=$dir/$(echo "${c#"$root"/}" | tr '/' '_').o
        echo "$o $c"
    done | xargs -r -P "$(nproc)" -n 2 sh -c 'cc=$1 && $cc -c -o "$2" "$3"' sh "$* $flags"
}

# machine NAME RUNNER COMPILER...
machine() {
    here=$1 runner=$2
    shift 2
    check "$here: the library builds" library "$here" "$@"
    for f in $fuzzers; do
        program=$work/$here/replay_$(basename "$f")
        $* $flags -o "$program" "fuzz/$(dirname "$f")/fuzz_$(basename "$f").c" fuzz/replay.c "$work/$here"/*.o
        check "$here: fuzz corpus $f" $runner "$program" "$root/fuzz/corpus/$(basename "$f")"
    done
    $* $flags -o "$work/$here/verdicts" tests/machines/verdicts.c "$work/$here"/*.o
    $runner "$work/$here/verdicts" "$vectors" >"$work/$here.txt"
    check "$here: the same verdicts and texts on $(wc -l <"$vectors") vectors" cmp "$work/$here.txt" "$work/native.txt"
}

gcc $flags -o "$work/verdicts" tests/machines/verdicts.c "$build/libtoadstone.a"
"$work/verdicts" "$vectors" >"$work/native.txt"
machine aarch64 qemu-aarch64 aarch64-linux-gnu-gcc -static
machine musl '' musl-gcc -static
machine wasm "node --no-warnings $root/tests/machines/wasi.mjs" clang --target=wasm32-wasi -msimd128 -Wl,-z,stack-size=1048576 -Wno-unused-command-line-argument
echo "$good passed, $bad failed"
[ "$bad" = 0 ]
