#!/bin/sh
# certificates.sh DIR - a certificate authority of our own and what it signed, for tests/net/test_tls.c: ca.pem, and for each case
# NAME.pem, certificate and key.
set -eu
cd "$1"
with_new_key() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "$@"; }

# sign FILE DAYS HOST...
sign() {
    file=$1 days=$2
    shift 2
    with_new_key -keyout "$file.key" -out "$file.csr" -subj "/CN=$1"
    printf 'subjectAltName=' >"$file.ext"
    for name in "$@"; do printf 'DNS:%s,' "$name"; done | sed 's/,$//' >>"$file.ext"
    openssl x509 -req -in "$file.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days "$days" -extfile "$file.ext" -out "$file.crt"
    cat "$file.crt" "$file.key" >"$file.pem"
}

with_new_key -x509 -keyout ca.key -out ca.crt -days 30 -subj '/CN=Test authority'
sign good 30 good.com www.good.com
sign wildcard 30 '*.wild.com'
sign expired -1 expired.com
with_new_key -x509 -keyout self.key -out self.crt -days 30 -subj /CN=self.com -addext subjectAltName=DNS:self.com
cat self.crt self.key >self.pem
cp ca.crt ca.pem
