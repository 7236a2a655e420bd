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
    expect 2 toadstone sanitize --jsnol
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
    [[ $output =~ ^toadstone\ [0-9]+\.[0-9]+\.[0-9]+\ \(rules\ [0-9.]+\)$ ]]
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

@test "--json is JSON in every command that prints something, and never an abbreviation" {
    printf 'a page\n' >a.txt
    printf 'a page' | toadstone wrap --envelope ptc >w
    for c in "version" "help" "help scan" "prompt --list" "prompt content_safety" "rules list" "rules check" "policy show" "config show" "config check" \
        "scan a.txt" "sanitize a.txt" "wrap --envelope ptc a.txt" "unwrap w" "extract a.txt" "log --store s.db" "status --store s.db" "contents list --store s.db" \
        "sources list --store s.db" "sessions list --store s.db" "learnings --store s.db" "confirm list --store s.db" "memory list --store s.db" "store stats --store s.db" \
        "audit query --store s.db" "proxy tools --store s.db" "proxy status --store s.db"; do
        toadstone $c --json >out 2>err || true
        jq -e . out >/dev/null || { echo "$c: $(cat out err)"; false; }
    done
    for c in $(toadstone help --json | jq -r '.commands[].name'); do
        case $c in mcp | hook | completion) continue ;; esac # they speak a protocol, or a shell's language
        toadstone help "$c" | grep -qx ' *--json' || { echo "$c has no --json"; false; }
    done
    [ "$(toadstone unwrap w --json | jq -r '.text + " " + .envelope')" = "a page ptc" ]
    [ "$(printf 'in\342\200\213visible' | toadstone sanitize --json | jq -c '[.text, .removed[0].count]')" = '["invisible",1]' ]
    toadstone help scan --json | jq -e '.commands | length == 1 and (.[0].options | any(.name == "fail-on" and .values == "low medium high none"))'
}

@test "words are told in any case; a value that is none is told what one is" {
    printf 'plain\n' >a
    expect 0 toadstone scan --fail-on=HIGH -oJSON a
    has '"path":"a"'
    expect 2 toadstone scan --jobs abc a
    has "'abc' is no whole number from 1 to 256"
    expect 2 toadstone scan --max-bytes much a
    has "no whole number from 1 on; 4K, 10M and 1G are such"
    expect 2 toadstone eval --min-recall lots a
    has "'lots' is no number from 0 to 1"
    expect 2 toadstone proxy --name 'a b'
    has "letters, digits and ._-"
}

@test "help alone: commands in groups, first what a newcomer needs" {
    expect 2 toadstone
    [[ ${lines[2]} == "protect your agent, and see what happens:" ]]
    [ "$(sed -n '/^protect/,/^$/p' <<<"$output" | grep -cE '^  (setup|status|log|contents|scan) ')" = 5 ]
    for c in $(toadstone help --json | jq -r '.commands[].name'); do [ "$(grep -cE "^  $c " <<<"$output")" = 1 ]; done
    [ -z "$(grep -E '^.{81}' <<<"$output")" ]
}

@test "no words of ours in help and messages" {
    toadstone help --man >man
    [ -z "$(grep -niE 'seed 00|zeno|cato\b|nanofolks|outheis|catalogue' man)" ]
    for s in bash zsh fish; do [ -z "$(toadstone completion $s | grep -iE 'nanofolks|outheis')" ]; done
}

@test "tables: whole cells into a pipe; on a terminal they fit and times are relative" {
    url=https://example.com/$(printf 'long%.0s' {1..40})
    toadstone contents store --store s.db --source "$url" <<<"Kettles hold water." >/dev/null
    expect 0 toadstone contents list --store s.db
    has "$url"
    grep -qE '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z' <<<"$output"
    script -qec 'stty cols 80; toadstone contents list --store s.db' /dev/null </dev/null | tr -d '\r' >out
    [ -z "$(grep -E '^.{81}' out)" ]
    grep -q 'fetch_[0-9a-f]\{12\}' out
    grep -q 'just now' out
    id=$(toadstone contents list --store s.db --json | jq -r '.contents[0].id')
    script -qec "toadstone contents show $id --store s.db" /dev/null </dev/null | grep -q 'just now'
}
