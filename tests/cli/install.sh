#!/bin/sh
# Installs a build into a scratch root and uses it from there as another project would: pkg-config, headers, both libraries.
set -eu
build=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
DESTDIR=$root meson install -C "$build" --no-rebuild >/dev/null
prefix=$root$(meson introspect "$build" --buildoptions | jq -r '.[] | select(.name == "prefix").value')
for file in bin/bezoar share/man/man1/bezoar.1 include/bezoar/scan.h share/bash-completion/completions/bezoar \
    share/zsh/site-functions/_bezoar share/fish/vendor_completions.d/bezoar.fish; do
    [ -s "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
pc=$(find "$prefix" -name bezoar.pc)
lib=$(dirname "$(dirname "$pc")")
[ -L "$lib/libbezoar.so" ] && [ -f "$lib/libbezoar.a" ]
cat >"$root/use.c" <<'C'
#include <bezoar/bezoar.h>
#include <stdio.h>
int main(void) {
    puts(bzr_version());
    return 0;
}
C
flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs bezoar)
# shellcheck disable=SC2086 # flags are words
cc -std=c99 -Wall -Wextra -Werror "$root/use.c" $flags -o "$root/use"
LD_LIBRARY_PATH=$lib "$root/use"
# shellcheck disable=SC2086
cc -std=c99 "$root/use.c" ${flags%%-lbezoar*} "$lib/libbezoar.a" -o "$root/use-static"
"$root/use-static"
# Only libc behind the shared library.
! ldd "$lib/libbezoar.so" | grep -Ev 'libc\.|ld-linux|vdso'
