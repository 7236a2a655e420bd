#!/usr/bin/env bats
load helper

@test "no command, unknown command, unknown option" {
    expect 2 toadstone
    has "usage: toadstone COMMAND"
    expect 2 toadstone scna
    has "unknown command 'scna'"
    has "did you mean 'toadstone scan'?"
    expect 2 toadstone scan --fomat
    has "toadstone: scan: unknown option '--fomat'"
    has "toadstone help scan"
    expect 2 toadstone scan -Z
    has "unknown option '-Z'"
    expect 2 toadstone scan --format
    has "needs a value"
    expect 2 toadstone scan --fail-on maybe
    has "none of: low medium high none"
}

@test "names count in full: no option, word or command is abbreviated, and the nearest is told" {
    expect 2 toadstone scan --form json
    has "unknown option '--form'"
    has "did you mean '--format'?"
    expect 2 toadstone sanitize --json
    has "did you mean '--jsonl'?"
    expect 2 toadstone scan --fail-on hihg
    has "did you mean 'high'?"
    expect 2 toadstone memory serch x
    has "did you mean 'search'?"
    expect 2 toadstone rules lst
    has "did you mean 'list'?"
    expect 2 toadstone config chek
    has "did you mean 'check'?"
    expect 2 toadstone help confrim
    has "did you mean 'toadstone confirm'?"
    expect 2 toadstone scan --zzzzzzzz
    lacks "did you mean"
}

@test "options stand where they like: before and after operands, with = and without, in clusters, until --" {
    printf 'plain text\n' >a
    printf 'plain text\n' >./-j
    expect 0 toadstone scan a --format=json
    has '"path":"a"'
    expect 0 toadstone scan --format json a
    has '"path":"a"'
    expect 0 toadstone scan -ojson -qj2 a
    expect 0 toadstone scan -o json -- -j
    has '"path":"-j"'
    expect 2 toadstone scan -r=1
    has "unknown option '-='"
    expect 2 toadstone scan --quiet=1 a
    has "takes no value"
    expect 2 toadstone scan a -j
    has "needs a value: '-j'"
}

@test "help of every command, within 80 columns" {
    for c in scan sanitize wrap unwrap extract rules prompt version completion help; do
        expect 0 toadstone help $c
        expect 0 toadstone $c --help
    done
    expect 0 toadstone help scan
    ! grep -E '^.{81}' <<<"$output"
    ! grep ' $' <<<"$output"
}

@test "every option of every command is in its help, in the manual and in the completions" {
    for c in scan sanitize wrap unwrap extract rules prompt; do
        for o in $(toadstone help $c | grep -oE '^ .*--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
            toadstone help --man | grep -qF -- "$(sed 's/-/\\-/g' <<<"$o")"
            for s in bash zsh fish; do toadstone completion $s | grep -qF -- "${o#--}"; done
        done
    done
}

@test "the manual is sound" {
    toadstone help --man >toadstone.1
    ! mandoc -Tlint -Werror toadstone.1 | grep -E 'ERROR|UNSUPP'
    mandoc -Thtml toadstone.1 | grep -q 'id="toadstone_scan'
}

@test "completion in bash works" {
    toadstone completion bash >c
    bash -n c
    source c
    COMP_WORDS=(toadstone sc) COMP_CWORD=1
    _toadstone
    [ "${COMPREPLY[*]}" = scan ]
    COMP_WORDS=(toadstone scan --format s) COMP_CWORD=3
    _toadstone
    [ "${COMPREPLY[*]}" = sarif ]
    expect 2 toadstone completion tcsh
}

@test "version" {
    expect 0 toadstone version
    [[ $output =~ ^toadstone\ [0-9]+\.[0-9]+\.[0-9]+\ \(catalogue\ [0-9.]+\)$ ]]
    [ "$(toadstone --version)" = "$output" ]
}

@test "a full disk is an error" {
    printf 'x\n' >a.txt
    expect 2 bash -c 'toadstone scan a.txt >/dev/full'
    has "cannot write the output"
}

@test "rules list, show, check, test" {
    expect 0 toadstone rules list
    has ignore_previous_instructions
    [ "${#lines[@]}" -gt 100 ]
    expect 0 toadstone rules list --json
    jq -e 'length > 100 and (.[0] | has("id") and has("severity") and has("family") and has("why"))' <<<"$output"
    expect 0 toadstone rules show ignore_previous_instructions
    has "severity"
    expect 2 toadstone rules show no_such_rule
    has "no rule 'no_such_rule'"
    expect 2 toadstone rules
    expect 2 toadstone rules frobnicate
}

@test "rules check names file, line and field of a mistake" {
    printf 'family: custom\nrules:\n  - id: Bad Id\n    title: t\n    severity: high\n    why: w\n    patterns: [a]\n' >bad.yaml
    expect 2 toadstone rules check bad.yaml
    has "bad.yaml"
    expect 0 toadstone rules check
}
