#!/bin/sh
# program.sh ROOT INTO: the program that was released with the sources in ROOT, for this machine, checked and put into INTO; prints its path.
# RELEASES is where the releases lie (a URL), each in a folder v + version. Exit status 3: there is none for this machine or this version, build it; 2: what came is
# not what the release says, and nothing runs.
set -eu
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$1/meson.build")
case $(uname -s)-$(uname -m) in
Linux-x86_64) machine=linux-x86_64 ;;
Linux-aarch64) machine=linux-arm64 ;;
*) exit 3 ;;
esac
name=toadstone-$version-$machine
mkdir -p "$2"
cd "$2"
for file in SHA256SUMS "$name.tar.gz"; do
    curl -fsSL --proto '=https,file' --retry 2 --max-time 60 -o "$file" "$RELEASES/v$version/$file" || exit 3
done
if ! grep "  $name.tar.gz\$" SHA256SUMS | sha256sum --check --status --strict; then
    echo "toadstone: $name.tar.gz is not what the release's checksums say" >&2
    exit 2
fi
tar -xzf "$name.tar.gz"
printf '%s\n' "$PWD/$name/bin/toadstone"
