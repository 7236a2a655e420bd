#!/usr/bin/env bats
load helper

@test "no command, unknown command, unknown option" {
    expect 2 bezoar
    has "usage: bezoar COMMAND"
    expect 2 bezoar scna
    has "unknown command 'scna'"
    has "did you mean 'bezoar scan'?"
    expect 2 bezoar scan --fomat
    has "bezoar: scan: unknown option '--fomat'"
    has "bezoar help scan"
    expect 2 bezoar scan -Z
    has "unknown option '-Z'"
    expect 2 bezoar scan --format
    has "needs a value"
    expect 2 bezoar scan --fail-on maybe
    has "none of: low medium high none"
}

@test "help of every command, within 80 columns" {
    for c in scan sanitize wrap unwrap extract rules prompt version completion help; do
        expect 0 bezoar help $c
        expect 0 bezoar $c --help
    done
    expect 0 bezoar help scan
    ! grep -E '^.{81}' <<<"$output"
    ! grep ' $' <<<"$output"
}

@test "every option of every command is in its help, in the manual and in the completions" {
    for c in scan sanitize wrap unwrap extract rules prompt; do
        for o in $(bezoar help $c | grep -oE '^ .*--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
            bezoar help --man | grep -qF -- "$(sed 's/-/\\-/g' <<<"$o")"
            for s in bash zsh fish; do bezoar completion $s | grep -qF -- "${o#--}"; done
        done
    done
}

@test "the manual is sound" {
    bezoar help --man >bezoar.1
    ! mandoc -Tlint -Werror bezoar.1 | grep -E 'ERROR|UNSUPP'
    mandoc -Thtml bezoar.1 | grep -q 'id="bezoar_scan'
}

@test "completion in bash works" {
    bezoar completion bash >c
    bash -n c
    source c
    COMP_WORDS=(bezoar sc) COMP_CWORD=1
    _bezoar
    [ "${COMPREPLY[*]}" = scan ]
    COMP_WORDS=(bezoar scan --format s) COMP_CWORD=3
    _bezoar
    [ "${COMPREPLY[*]}" = sarif ]
    expect 2 bezoar completion tcsh
}

@test "version" {
    expect 0 bezoar version
    [[ $output =~ ^bezoar\ [0-9]+\.[0-9]+\.[0-9]+\ \(catalogue\ [0-9.]+\)$ ]]
    [ "$(bezoar --version)" = "$output" ]
}

@test "a full disk is an error" {
    printf 'x\n' >a.txt
    expect 2 bash -c 'bezoar scan a.txt >/dev/full'
    has "cannot write the output"
}

@test "rules list, show, check, test" {
    expect 0 bezoar rules list
    has ignore_previous_instructions
    [ "${#lines[@]}" -gt 100 ]
    expect 0 bezoar rules list --json
    jq -e 'length > 100 and (.[0] | has("id") and has("severity") and has("family") and has("why"))' <<<"$output"
    expect 0 bezoar rules show ignore_previous_instructions
    has "severity"
    expect 2 bezoar rules show no_such_rule
    has "no rule 'no_such_rule'"
    expect 2 bezoar rules
    expect 2 bezoar rules frobnicate
}

@test "rules check names file, line and field of a mistake" {
    printf 'family: custom\nrules:\n  - id: Bad Id\n    title: t\n    severity: high\n    why: w\n    patterns: [a]\n' >bad.yaml
    expect 2 bezoar rules check bad.yaml
    has "bad.yaml"
    expect 0 bezoar rules check
}
