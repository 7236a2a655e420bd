#!/bin/sh
# install.sh BUILD: installs a build into a prefix of its own and uses it from there as another project would: the examples compile and run with
# the flags that pkg-config gives, and with nothing else.
set -eu
build=$1
root=$(mktemp -d)
option() { meson introspect "$build" --buildoptions | jq -r ".[] | select(.name == \"$1\").value"; }
prefix=$(option prefix) libdir=$(option libdir)
# The build is given back as it was.
restore() {
    rm -rf "$root"
    meson configure "$build" -Dprefix="$prefix" -Dlibdir="$libdir" >/dev/null && ninja -C "$build" build.ninja >/dev/null
}
trap restore EXIT
meson configure "$build" -Dprefix="$root" -Dlibdir=lib >/dev/null
ninja -C "$build" >/dev/null
meson install -C "$build" --no-rebuild >/dev/null
for file in bin/toadstone share/man/man1/toadstone.1 include/toadstone/scan.h include/toadstone/compat.h \
    share/bash-completion/completions/toadstone share/zsh/site-functions/_toadstone share/fish/vendor_completions.d/toadstone.fish \
    lib/libtoadstone.so lib/libtoadstone.a lib/libtoadstone-compat.so lib/libtoadstone-compat.a; do
    [ -s "$root/$file" ] || { echo "not installed: $file"; exit 1; }
done
export PKG_CONFIG_PATH="$root/lib/pkgconfig"
[ "$(pkg-config --modversion toadstone)" = "$("$root/bin/toadstone" version | awk '{print $2; exit}')" ]
ran=0
for source in examples/*.c; do
    package=toadstone
    ! grep -q 'toadstone/compat.h' "$source" || package=toadstone-compat
    # shellcheck disable=SC2046 # flags are words
    cc -std=c99 -Wall -Wextra -Werror "$source" $(pkg-config --cflags --libs $package) -o "$root/use"
    "$root/use" >"$root/out" || { echo "$source failed"; cat "$root/out"; exit 1; }
    ran=$((ran + 1))
done
echo "$ran examples ran"
# Static, by the archives' names.
# shellcheck disable=SC2046
cc -std=c99 examples/scan_ids.c $(pkg-config --cflags toadstone) "$root/lib/libtoadstone-compat.a" "$root/lib/libtoadstone.a" -o "$root/use-static"
"$root/use-static" >/dev/null
# Only libc behind the shared library, and nothing in the flags but where it is.
if ldd "$root/lib/libtoadstone.so" | grep -Ev 'libc\.|ld-linux|vdso'; then exit 1; fi
flags=$(pkg-config --libs toadstone | tr -s ' ' '\n' | LC_ALL=C sort | xargs)
[ "$flags" = "-L$root/lib -Wl,-rpath,$root/lib -ltoadstone" ] || { echo "unexpected flags: $flags"; exit 1; }
