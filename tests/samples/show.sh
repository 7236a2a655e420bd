#!/bin/sh
# Screens every sample with the program given and shows one envelope: what ./dev run prints.
# Samples are written in ASCII; \u{HEX} is expanded here to UTF-8, by awk, so that no raw character stands in the tree.
set -eu
toadstone=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

expand() {
    LC_ALL=C awk '
        function utf8(c) {
            if (c < 128) return sprintf("%c", c)
            if (c < 2048) return sprintf("%c%c", 192 + int(c / 64), 128 + c % 64)
            if (c < 65536) return sprintf("%c%c%c", 224 + int(c / 4096), 128 + int(c / 64) % 64, 128 + c % 64)
            return sprintf("%c%c%c%c", 240 + int(c / 262144), 128 + int(c / 4096) % 64, 128 + int(c / 64) % 64, 128 + c % 64)
        }
        function hex(s,  i, v) {
            for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789ABCDEF", toupper(substr(s, i, 1))) - 1
            return v
        }
        NR > 1 {
            out = ""
            while (match($0, /\\u\{[0-9A-Fa-f]+\}/)) {
                out = out substr($0, 1, RSTART - 1) utf8(hex(substr($0, RSTART + 3, RLENGTH - 4)))
                $0 = substr($0, RSTART + RLENGTH)
            }
            print out $0
        }' "$1"
}

for sample in "$here"/*.sample; do
    name=$(basename "$sample" .sample)
    head=$(sed -n '1s/^#: //p' "$sample")
    expand "$sample" >"$dir/$name"
    printf '\n-- %s\n   %s\n' "$name" "${head#* | }"
    (cd "$dir" && "$toadstone" scan --kind "${head%% | *}" "$name") || [ $? = 1 ]
done

printf '\n-- 05-forged-marker, in an envelope: nothing in it can close it\n\n'
"$toadstone" wrap --envelope openclaw --source web_fetch "$dir/05-forged-marker"
