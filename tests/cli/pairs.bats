#!/usr/bin/env bats
# The corpus of matched pairs: drafts in, packed rows out. The program isn't needed.

setup() {
    cd "$BATS_TEST_TMPDIR"
    PAIRS=$BATS_TEST_DIRNAME/../../tools/train/pairs.py
    mkdir -p drafts/en drafts/fi
    pair leak mail 'The {{kettle}} }} is on.' 'The kettle is off.' >drafts/en/a-01.txt
    pair hide mail 'A {{second}} one.' 'Another one.' >>drafts/en/a-01.txt
    pair leak page 'Keitin {{on}} nyt.' 'Keitin ei ole.' >drafts/fi/a-01.txt
}

pair() { printf '@@@ %s | %s | casual\n%s\n~~~\n%s\n' "$@"; }
pairs() { run python3 "$PAIRS" "$@"; }

@test "pack: rows as drafts say, the same bytes each time; what is gone from the drafts goes" {
    pairs pack --drafts drafts --out one
    [ "$status" = 0 ]
    [ "$output" = "3 pairs in 2 languages" ]
    touch two; rm two; mkdir two; touch two/xx.jsonl.zst
    pairs pack --drafts drafts --out two
    diff -r one two
    zstd -dc one/en.jsonl.zst >en.jsonl
    [ "$(head -1 en.jsonl)" = '{"id":"en-a-01-001-a","pair":"en-a-01-001","label":"attack","goal":"leak","carrier":"mail","lang":"en","register":"casual","text":"The kettle }} is on.","payload":"kettle"}' ]
    [ "$(jq -c 'select(.pair=="en-a-01-002") | [.label,.text,.payload]' en.jsonl | paste -sd' ')" = '["attack","A second one.","second"] ["benign","Another one.",null]' ]
}

@test "check: each thing that is wrong is named, and pack refuses it" {
    pairs check --drafts drafts
    [ "$status" = 0 ]
    [[ "$output" == *"en: 2 pairs; short 4, to 80 words 0, longer 0"*"fi: 1 pairs"* ]]
    pair nogoal mail 'x {{y}}' z >drafts/en/b-01.txt
    pair leak mail 'no mark' z >>drafts/en/b-01.txt
    pair leak mail 'a {{y}} {{z}}' z >>drafts/en/b-01.txt
    pair leak mail 'a {{y}}' 'b {{z}}' >>drafts/en/b-01.txt
    printf '@@@ leak | mail | casual\nno {{twin}}\n' >>drafts/en/b-01.txt
    pairs pack --drafts drafts --out out
    [ "$status" = 1 ]
    [ ! -e out ]
    [[ "$output" == *"pair 1 (nogoal | mail | casual): GOAL | CARRIER | REGISTER"* ]]
    [ "$(grep -c 'exactly one {{steering part}}' <<<"$output")" = 3 ]
    [[ "$output" == *"pair 5"*"one ~~~ line"* ]]
    pairs pack --drafts nowhere --out out
    [ "$status" = 1 ]
}

@test "check: near-duplicates of other pairs and of other corpora; the sides of a pair may be alike" {
    pair leak mail 'one two three four five six seven {{eight}}' 'one two three four five six seven nine' >drafts/en/b-01.txt
    pairs check --drafts drafts
    [ "$status" = 0 ]
    echo '{"id":"theirs","text":"Zero one two three four five six seven."}' >rows.jsonl
    pairs check --drafts drafts --against rows.jsonl
    [ "$status" = 1 ]
    [[ "$output" == *"en-b-01-001-a: near-duplicate of theirs"* ]]
    pair leak page '{{one}} two three four five six seven' other >drafts/en/c-01.txt
    pairs check --drafts drafts
    [ "$status" = 1 ]
    [[ "$output" == *"en-c-01-001-a: near-duplicate of en-b-01-001-a"* ]]
}

@test "check: words that give the label away are listed" {
    for i in $(seq 9); do pair leak mail "kettle$i {{assistant}} now" "kettle$i person now"; done >drafts/en/b-01.txt
    pairs check --drafts drafts en
    [[ "$output" == *"give the label away (attacks:twins): "*"assistant 9:0"* ]]
    [[ "$output" == *"person 0:9"* ]]
    [[ "$output" != *", now 9:9"* ]]
    [[ "$output" != *"fi: "* ]]
}

@test "a disputed pair is left out; one that is none is an error" {
    echo en-a-01-002 >drafts/disputed.txt
    pairs pack --drafts drafts --out out
    [ "$output" = "2 pairs in 2 languages" ]
    echo en-a-01-009 >drafts/disputed.txt
    pairs pack --drafts drafts --out out
    [ "$status" = 1 ]
    [[ "$output" == *"there is no pair en-a-01-009"* ]]
}

@test "split: whole goals, carriers and languages are set aside, and training never sees them" {
    pair leak review '{{x}} a' b >drafts/en/b-01.txt
    pairs split --drafts drafts
    [ "$status" = 0 ]
    [[ "$output" == *"goal: delegate 0, hide 1"*"carrier: paper 0, review 1"*"fi 1"*"3 of 4 pairs are set aside (75.0 %), 1 may be trained on"* ]]
    run python3 -c "
import sys, pathlib; sys.path.insert(0, '$(dirname "$PAIRS")'); import pairs
print([r['id'] for r in pairs.training(pairs.read_drafts(pathlib.Path('drafts'))[0])])"
    [ "$output" = "['en-a-01-001-a', 'en-a-01-001-b']" ]
}

@test "what is packed in the repository is whole" {
    pairs check --packed
    [ "$status" = 0 ]
}

@test "unpack: drafts that pack to the same pairs; what is there stays" {
    mkdir -p again/en
    echo kept >again/en/a-01.txt
    pairs unpack --drafts again
    [ "$status" = 0 ]
    [ "$(cat again/en/a-01.txt)" = kept ]
    rm -r again
    pairs unpack --drafts again
    pairs pack --drafts again --out packed
    [ "$status" = 0 ]
    for lang in en fi zh; do
        diff <(zstd -dc "$BATS_TEST_DIRNAME/../../data/model/pairs/$lang.jsonl.zst" | jq -c '[.goal, .carrier, .text, .payload]' | sort) \
            <(zstd -dc "packed/$lang.jsonl.zst" | jq -c '[.goal, .carrier, .text, .payload]' | sort)
    done
}
