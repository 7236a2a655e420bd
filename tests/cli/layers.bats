#!/usr/bin/env bats
load helper

@test "two layers of 28 encodings: no pair whose layers a model reads passes silently" {
    expect 0 python3 "$BATS_TEST_DIRNAME/layers.py" "$TOADSTONE" --table
    has "784 pairs"
    has " 14 unwritten"
}
