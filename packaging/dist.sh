#!/bin/sh
# dist.sh WORK OUT: makes all that is given to users, from the sources that stand here, and leaves it in OUT.
#
#   toadstone-V-linux-{x86_64,arm64}.tar.gz  static programs
#   toadstone-V-windows-x86_64.zip           the program for Windows, by mingw, with libraries made from Debian's sources
#   toadstone_V_amd64.deb ...                Debian packages, linked against Debian's libraries: the only ones with fetch, search, HTTP
#   *.whl, npm/*.tgz                         the static programs and the library, for pip and npm
#   toadstone-V-oci.tar                      an OCI layout for both machines
#   toadstone.rb, *.cdx.json, SHA256SUMS     Homebrew's formula, what is linked in (CycloneDX), checksums by the names that files have in a release
#
# Nothing of the place or the time goes into them: archives are written by pack.py, sorted and with the time of the last commit. The second
# machine's static libraries are Debian's own, fetched as packages into WORK and unpacked there; this machine's dpkg is left alone.
# DIST_ONLY=program: only this machine's static program and the one for Windows (what a test builds a second time, with the libraries in
# WINDOWS_LIBRARIES).
# shellcheck disable=SC2086 # lists of words are meant to split
set -eu
work=$(mkdir -p "$1/parts" && cd "$1" && pwd) parts=$work/parts out=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
umask 022
pack() { python3 packaging/pack.py --version "$version" --out "$out" "$@"; }

# What a static program for another machine is linked with: a package, and those that its pkg-config file names.
SYSROOT_PACKAGES="libsqlite3-dev libpq-dev libssl-dev libzstd-dev libpsl-dev libidn2-dev libunistring-dev libcurl4-openssl-dev
 libmicrohttpd-dev zlib1g-dev libyaml-dev libgnutls28-dev nettle-dev libgmp-dev libp11-kit-dev libtasn1-6-dev"

# sysroot ARCHITECTURE: fetched once.
sysroot() {
    tree=$parts/sysroot-$1 apt="-q -o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State=$parts/apt-$1 -o Dir::State::status=/dev/null
     -o Dir::Cache=$parts/apt-$1 -o APT::Sandbox::User=root"
    [ ! -e "$tree/complete" ] || return 0
    rm -rf "$tree"
    mkdir -p "$tree/packages" "$parts/apt-$1/lists/partial" "$parts/apt-$1/archives/partial"
    apt-get $apt update
    (cd "$tree/packages" && apt-get $apt download $SYSROOT_PACKAGES)
    for deb in "$tree"/packages/*.deb; do dpkg-deb -x "$deb" "$tree"; done
    : >"$tree/complete"
}

# cross_file ARCHITECTURE TRIPLET CPU: rulec, which makes a table of the machine's own, runs under qemu.
cross_file() {
    cat <<END
[binaries]
c = [$(command -v ccache >/dev/null && printf "'ccache', ")'$2-gcc']
ar = '$2-ar'
strip = '$2-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-$3', '-L', '/usr/$2']
[properties]
sys_root = '$parts/sysroot-$1'
pkg_config_libdir = '$parts/sysroot-$1/usr/lib/$2/pkgconfig:$parts/sysroot-$1/usr/share/pkgconfig'
[built-in options]
c_args = ['-I$parts/sysroot-$1/usr/include', '-I$parts/sysroot-$1/usr/include/$2']
c_link_args = ['-L$parts/sysroot-$1/usr/lib/$2']
[host_machine]
system = 'linux'
cpu_family = '$3'
cpu = '$3'
endian = 'little'
END
}

# static ARCHITECTURE [MESON OPTION]...: program, library, pages, and the list of what the linker read.
static() {
    build=$work/dist-$1 log=$parts/$1.log
    shift
    [ -f "$build/build.ninja" ] || meson setup "$build" -Dstatic=true -Dprefer_static=true -Dprefix=/usr -Dlibdir=lib "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
    ninja -C "$build" face/cli/toadstone "libtoadstone.so.$version" packaging/toadstone.1 packaging/toadstone packaging/_toadstone \
        packaging/toadstone.fish bindings/node/toadstone.node >>"$log" 2>&1 || { tail -40 "$log"; return 1; }
}

# stripped ARCHITECTURE STRIP: the two files of a static build that packages take.
stripped() {
    mkdir -p "$parts/$1"
    $2 --strip-all -o "$parts/$1/toadstone" "$work/dist-$1/face/cli/toadstone"
    $2 --strip-unneeded -o "$parts/$1/libtoadstone.so" "$work/dist-$1/libtoadstone.so.$version"
    $2 --strip-unneeded -o "$parts/$1/toadstone.node" "$work/dist-$1/bindings/node/toadstone.node"
}

debian() {
    build=$work/dist-shared tree=$parts/debian
    [ -f "$build/build.ninja" ] || meson setup "$build" -Dprefix=/usr -Dlibdir="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" >"$parts/shared.log" 2>&1 || { cat "$parts/shared.log"; return 1; }
    ninja -C "$build" >>"$parts/shared.log" 2>&1 || { tail -40 "$parts/shared.log"; return 1; }
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -R packaging/debian "$tree/"
    cp CHANGELOG.md "$tree/NEWS.md" # not by its own name: debhelper would take it for Debian's
    printf 'toadstone (%s) unstable; urgency=medium\n\n  * What changed: /usr/share/doc/toadstone/NEWS.md.gz.\n\n -- %s  %s\n' "$version" \
        "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$tree/debian/changelog"
    DESTDIR=$tree/installed meson install -C "$build" --no-rebuild --quiet
    (cd "$tree" && debian/rules binary) >"$parts/debian.log" 2>&1 || { tail -40 "$parts/debian.log"; return 1; }
    cp "$parts"/*_"${version}"_*.deb "$out/"
}

# The program for Windows. Its table of rules is made by the rulec of the build before: it is numbers, the same on both.
windows() {
    build=$work/dist-windows log=$parts/windows.log libraries=${WINDOWS_LIBRARIES:-$parts/windows}
    sh packaging/windows/libraries.sh "$libraries" >"$log" 2>&1 || { tail -40 "$log"; return 1; }
    cat >"$parts/windows.cross" <<END
[binaries]
c = [$(command -v ccache >/dev/null && printf "'ccache', ")'x86_64-w64-mingw32-gcc-posix']
ar = 'x86_64-w64-mingw32-ar'
windres = 'x86_64-w64-mingw32-windres'
pkgconfig = 'pkg-config'
rulec = '$work/dist-amd64/rulec'
[properties]
pkg_config_libdir = '$libraries/lib/pkgconfig'
[host_machine]
system = 'windows'
cpu_family = 'x86_64'
cpu = 'x86_64'
endian = 'little'
END
    [ -f "$build/build.ninja" ] || meson setup "$build" -Dstatic=true -Dprefer_static=true --cross-file "$parts/windows.cross" >"$log" 2>&1 || { cat "$log"; return 1; }
    ninja -C "$build" face/cli/toadstone.exe >>"$log" 2>&1 || { tail -40 "$log"; return 1; }
    mkdir -p "$parts/windows-program"
    x86_64-w64-mingw32-strip --strip-all -o "$parts/windows-program/toadstone.exe" "$build/face/cli/toadstone.exe"
}

static amd64
stripped amd64 strip
windows
[ "${DIST_ONLY:-}" != program ] || exit 0
sysroot arm64 >"$parts/sysroot.log" 2>&1 || { cat "$parts/sysroot.log"; exit 1; }
cross_file arm64 aarch64-linux-gnu aarch64 >"$parts/arm64.cross"
static arm64 --cross-file "$parts/arm64.cross"
stripped arm64 aarch64-linux-gnu-strip
rm -rf "$out"
mkdir -p "$out/npm"
rm -f "$parts"/*.deb
debian
sh bindings/wasm/build.sh "$work/dist-amd64" "$parts/toadstone.wasm" >"$parts/wasm.log" 2>&1 || { cat "$parts/wasm.log"; exit 1; }
node bindings/node/pack.mjs "$parts/npm" "$parts/toadstone.wasm"
for machine in amd64 arm64; do pack machine "$machine" "$work" "$parts"; done
pack windows "$work" "$parts"
pack common "$work" "$parts"
(cd "$out" && find . -type f -printf "%P\n" | sort | xargs sha256sum | sed 's, npm/, ,') >"$parts/sums"
mv "$parts/sums" "$out/SHA256SUMS"
