#!/bin/sh
# libraries.sh WORK: what the program for Windows is linked with, made by mingw from Debian's own sources: include, lib, and in `sources` and
# `copyright` what came from where.
#
# Each is compiled with the few flags that the program's use of it needs; only libidn2 has a configure that must run.
# shellcheck disable=SC2086,SC2016 # lists of words are meant to split; apt-get and the inner sh expand
set -eu
export LC_ALL=C
mkdir -p "$1"
work=$(cd "$1" && pwd)
host=x86_64-w64-mingw32 cc="$(command -v ccache || :) x86_64-w64-mingw32-gcc-posix"
[ ! -e "$work/complete" ] || exit 0
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/include" "$work/lib/pkgconfig" "$work/copyright"
cd "$work"

# fetched PACKAGE...: the sources of the release that this machine runs, each in a folder of its name.
fetched() {
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT) # $(LABEL)' 'Created-By: Packages' | grep '# Debian' | sort -u >apt/sources.list
    apt="-q -o Dir::State=$work/apt -o Dir::State::status=/dev/null -o Dir::Cache=$work/apt -o APT::Sandbox::User=root
     -o Dir::Etc::SourceList=$work/apt/sources.list -o Dir::Etc::SourceParts=-"
    apt-get $apt update
    apt-get $apt source --download-only "$@"
    for name in "$@"; do
        dpkg-source --no-check -x "$name"_*.dsc "$name"
        cp "$name/debian/copyright" "copyright/$name"
        echo "$name $(sed -n 's/^Version: //p' "$name"_*.dsc | head -1)" >>sources
    done
}

# library NAME PC-VERSION FILES FLAGS
library() {
    mkdir -p "objects/$1"
    for c in $3; do echo "objects/$1/$(echo "$c" | tr / _).o $c"; done |
        xargs -P "$(nproc)" -n 2 sh -c '$0 -c -o "$1" "$2"' "$cc -O2 -fno-ident -DNDEBUG -ffile-prefix-map=$work=. $4"
    rm -f "lib/lib$1.a"
    $host-ar crsD "lib/lib$1.a" "objects/$1"/*.o
    described "$1" "$2" "-L$work/lib -l$1"
}

# described NAME VERSION LIBS [CFLAGS]: what pkg-config says of it
described() {
    case $1 in yaml) pc=yaml-0.1 ;; sqlite3) pc=sqlite3 ;; pq) pc=libpq ;; crypto) pc=libcrypto ;; *) pc=lib$1 ;; esac
    printf 'Name: %s\nDescription: for Windows\nVersion: %s\nCflags: -I%s/include %s\nLibs: %s\n' "$1" "$2" "$work" "${4:-}" "$3" >"lib/pkgconfig/$pc.pc"
}

fetched libyaml sqlite3 libzstd libidn2 libpsl

cp libyaml/include/yaml.h include/
library yaml 0.2.5 "$(echo libyaml/src/*.c)" "-Ilibyaml/include -DYAML_DECLARE_STATIC -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING=\"0.2.5\""
described yaml 0.2.5 "-L$work/lib -lyaml" -DYAML_DECLARE_STATIC

(cd sqlite3 && make -s -f main.mk "TOP=$PWD" BCC=gcc TCC=gcc NAWK=awk sqlite3.c)
cp sqlite3/sqlite3.h include/
library sqlite3 3.40 sqlite3/sqlite3.c "-DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_SECURE_DELETE -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION"

cp libzstd/lib/zstd.h libzstd/lib/zstd_errors.h include/
library zstd 1.5 "$(echo libzstd/lib/common/*.c libzstd/lib/compress/*.c libzstd/lib/decompress/*.c)" "-DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_"

mkdir idn2
(cd idn2 && ../libidn2/configure --host=$host --disable-shared --disable-nls --disable-doc --disable-gtk-doc --disable-gcc-warnings --with-included-libunistring CC="$cc" CFLAGS="-O2 -fno-ident -ffile-prefix-map=$work=." &&
    make -C gl && make -C unistring && make -C lib libidn2.la)
cp libidn2/lib/idn2.h include/
mkdir objects/idn2
(cd objects/idn2 && for part in lib/.libs/libidn2.a unistring/.libs/libunistring.a gl/.libs/libgnu.a; do [ ! -e "$work/idn2/$part" ] || $host-ar x "$work/idn2/$part"; done)
$host-ar crsD lib/libidn2.a objects/idn2/*.o
described idn2 2.3.3 "-L$work/lib -lidn2" -DIDN2_STATIC

sed -e 's/@LIBPSL_VERSION@/0.21.2/; s/@LIBPSL_VERSION_MAJOR@/0/; s/@LIBPSL_VERSION_MINOR@/21/; s/@LIBPSL_VERSION_PATCH@/2/; s/@LIBPSL_VERSION_NUMBER@/0x001502/' \
    libpsl/include/libpsl.h.in >include/libpsl.h
python3 libpsl/src/psl-make-dafsa --output-format=cxx+ /usr/share/publicsuffix/public_suffix_list.dat libpsl/src/suffixes_dafsa.h
library psl 0.21.2 "libpsl/src/psl.c libpsl/src/lookup_string_in_fixed_set.c" \
    "-Iinclude -DPSL_STATIC -DBUILDING_PSL -DENABLE_BUILTIN -DBUILTIN_GENERATOR_LIBIDN2 -DHAVE_STDINT_H -DPACKAGE_VERSION=\"0.21.2\" -DPSL_DISTFILE=\"\" -D_PSL_FILE=\"\""
described psl 0.21.2 "-L$work/lib -lpsl -lws2_32" -DPSL_STATIC

# Its headers alone: what they belong to is loaded where it can be, and this program loads nothing.
for header in libpq-fe.h postgres_ext.h pg_config_ext.h; do cp "$(pkg-config --variable=includedir libpq)/$header" include/; done
described pq "$(pkg-config --modversion libpq)" ""
: >complete
