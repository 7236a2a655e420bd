#!/bin/sh
# The library as WebAssembly: toadstone.wasm, which exports the public interface as it is, and imports only random bytes.
# usage: build.sh BUILD OUT    (BUILD: where the generated sources are). Needs clang, lld, wasi-libc, libclang-rt-14-dev-wasm32.
# shellcheck disable=SC2016 # the inner sh expands
set -eu
cd "$(dirname "$0")/../.."
build=$1 out=$2 objects=$2.objects
flags="--target=wasm32-wasi -std=c17 -msimd128 -mbulk-memory -DNDEBUG -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -I. -Iinclude -Wno-unused-command-line-argument"
mkdir -p "$objects"
# What is not run over every byte of a scan is made small: browsers fetch the whole.
for c in lib/*/*.c lib/*/tables/*.c "$build"/catalogue.gen.c "$build"/weights.gen.c; do
    o=$objects/$(echo "${c#"$PWD"/}" | tr '/' '_').o
    case $c in lib/container/* | lib/memory/* | lib/verdict/* | lib/wrap/*) echo "$o $c -Os" ;; *) echo "$o $c -O2" ;; esac
done | xargs -r -P "$(nproc)" -n 3 sh -c '$(command -v ccache) clang $1 $4 -c -o "$2" "$3"' sh "$flags"
exports=$(sed -nE '/^libtoadstone-compat/q; s/^(toad_\w+)$/-Wl,--export=\1/p' tests/abi/symbols.txt)
# shellcheck disable=SC2086 # lists of words are meant to split
clang --target=wasm32-wasi -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--gc-sections -Wl,--strip-all -Wl,--export=malloc -Wl,--export=free \
    $exports -o "$out" "$objects"/*.o
