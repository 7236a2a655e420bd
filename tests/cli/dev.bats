#!/usr/bin/env bats
# The front door: what it says of itself, and which tests it finds. Nothing is built here.

setup() { cd "$BATS_TEST_DIRNAME/../.."; }

@test "help names every verb that there is, and no other" {
    run ./dev --help
    [ "$status" = 0 ]
    verbs=$(sed -n 's/^VERBS="\(.*\)"/\1/p' dev)
    for verb in $verbs; do grep -q "^  $verb  " <<<"$output"; done
    [ "$(grep -c '^  [a-z]' <<<"$output")" = "$(wc -w <<<"$verbs")" ]
}

@test "help of a verb: its lines alone, whichever way it is asked for" {
    run ./dev help fuzz
    [ "$status" = 0 ]
    [ "$output" = "  fuzz           run the fuzzers: [--seconds N] [NAME]..." ]
    run ./dev fuzz --help
    [ "$output" = "  fuzz           run the fuzzers: [--seconds N] [NAME]..." ]
    run ./dev help test
    [ "${#lines[@]}" = 3 ]
}

@test "an unknown verb is an error, and says which there are" {
    run ./dev chekc
    [ "$status" = 2 ]
    [[ "$output" == *"unknown verb 'chekc'"*"quick test check"* ]]
    run ./dev help chekc
    [ "$status" = 2 ]
}

@test "a test is found by a part of its name; of what is none, what is near is named" {
    run python3 tools/tests.py find text/fold
    [ "$status" = 0 ]
    [[ "$output" == *"meson text/fold"* ]]
    run python3 tools/tests.py find tests/cli/fetch.bats
    [ "$output" = "bats tests/cli/fetch.bats" ]
    run python3 tools/tests.py find text/fodl
    [ "$status" = 2 ]
    [[ "$output" == *"no test is called 'text/fodl'"*"text/fold"* ]]
}

@test "a source leads to its test, a test to itself, a header to those of its folder" {
    run python3 tools/tests.py changed lib/text/fold_fast.c
    [ "$output" = "meson text/fold" ]
    run python3 tools/tests.py changed face/cli/cmd_feed.c tests/unit/base/test_buf.c
    [ "$output" = "bats tests/cli/feed.bats
meson base/buf" ]
    run python3 tools/tests.py changed lib/base/buf.h
    [[ "$output" == *"meson base/buf"* && "$output" == *"meson base/json"* ]]
    run python3 tools/tests.py changed README.md
    [ -z "$output" ]
}
