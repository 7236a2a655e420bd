#!/usr/bin/env bats
load helper

@test "two layers of 28 encodings: none passes silently, whatever the digits are" {
    expect 0 python3 "$BATS_TEST_DIRNAME/layers.py" "$TOADSTONE" --table
    has "784 pairs, 6 of each"
    has " 0 missed, 84 unwritten"
}
