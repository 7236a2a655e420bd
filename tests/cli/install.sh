#!/bin/sh
# Installs a build into a scratch root and uses it from there as another project would: pkg-config, headers, both libraries.
set -eu
build=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
DESTDIR=$root meson install -C "$build" --no-rebuild >/dev/null
prefix=$root$(meson introspect "$build" --buildoptions | jq -r '.[] | select(.name == "prefix").value')
for file in bin/toadstone share/man/man1/toadstone.1 include/toadstone/scan.h share/bash-completion/completions/toadstone \
    share/zsh/site-functions/_toadstone share/fish/vendor_completions.d/toadstone.fish; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
pc=$(find "$prefix" -name toadstone.pc)
lib=$(dirname "$(dirname "$pc")")
[ -L "$lib/libtoadstone.so" ] && [ -f "$lib/libtoadstone.a" ]
cat >"$root/use.c" <<'C'
#include <toadstone/toadstone.h>
#include <stdio.h>
int main(void) {
    puts(toad_version());
    return 0;
}
C
flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs toadstone)
# shellcheck disable=SC2086 # flags are words
cc -std=c99 -Wall -Wextra -Werror "$root/use.c" $flags -o "$root/use"
LD_LIBRARY_PATH=$lib "$root/use"
# shellcheck disable=SC2086
cc -std=c99 "$root/use.c" ${flags%%-ltoadstone*} "$lib/libtoadstone.a" -o "$root/use-static"
"$root/use-static"
# Only libc behind the shared library.
! ldd "$lib/libtoadstone.so" | grep -Ev 'libc\.|ld-linux|vdso'
