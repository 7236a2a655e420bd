#!/usr/bin/env bats
load helper

rows() {
    printf '%s\n' \
        "{\"id\":\"a1\",\"dataset\":\"mail\",\"label\":\"attack\",\"text\":\"$ATTACK\"}" \
        '{"id":"a2","dataset":"mail","label":"attack","text":"The kettle is blue."}' \
        '{"id":"b1","dataset":"mail","label":"benign","kind":"email","text":"Lunch at noon?"}' \
        '{"id":"b2","dataset":"notes","label":"benign","bytes_b64":"TGF0ZXI="}' \
        "{\"id\":\"b3\",\"dataset\":\"notes\",\"label\":\"benign\",\"text\":\"$ATTACK\"}" >rows.jsonl
}

@test "a table: recall, false alarms, intervals, area under the curve" {
    rows
    expect 0 bezoar eval rows.jsonl
    [[ "$output" =~ mail\ +2\ +50.00%\ +50.00%\ \(\ +9-\ 91\)\ +1\ +0.00% ]]
    [[ "$output" =~ notes\ +0\ +-\ +-\ +2\ +50.00% ]]
    [[ "$output" =~ all\ +2.*0.583 ]]
    has "missed attacks"
    has "mail a2 none []"
    has "false alarms"
    has "notes b3 high ["
}

@test "--json has groups, rules, misses and false alarms" {
    rows
    expect 0 bezoar eval --json rows.jsonl
    [ "$(jq -r '.rows, (.groups | length), .all.flagged.hits, .all.flagged.of, .all.false_flagged.hits, .all.false_flagged.of, .all.benign_windows' <<<"$output" | paste -sd' ')" = "5 2 1 2 1 3 3" ]
    jq -e '.missed[0].id == "a2" and .false_alarms[0].id == "b3" and .false_alarms[0].severity == "high"' <<<"$output"
    jq -e '.rules[] | select(.id == "ignore_previous_instructions") | .attacks == 1 and .benign == 1 and .flagged == 1' <<<"$output"
    jq -e '.all.auc > 0.58 and .all.auc < 0.59 and .groups[1].auc == null' <<<"$output"
}

@test "--by subset, kind and rule; --worst 0" {
    rows
    expect 0 bezoar eval --by kind --worst 0 rows.jsonl
    has "email"
    [[ "$output" != *"missed attacks"* ]]
    expect 0 bezoar eval --by rule rows.jsonl
    [[ "$output" =~ ignore_previous_instructions\ +1\ +1\ +1 ]]
}

@test "two runs are compared" {
    rows
    bezoar eval --json rows.jsonl >old.json
    sed -i "s/The kettle is blue./$ATTACK/" rows.jsonl
    expect 0 bezoar eval --worst 0 --compare old.json rows.jsonl
    [[ "$output" =~ flagged\ +50.00%\ -\>\ 100.00%\ +\+50.00 ]]
    echo nonsense >old.json
    expect 2 bezoar eval --compare old.json rows.jsonl
    has "'old.json' is not what bezoar eval --json printed"
}

@test "a bad line is named, the rest goes on, status 2" {
    rows
    printf '%s\n' '{"label":"maybe","text":"x"}' 'nonsense' '{"label":"benign"}' >>rows.jsonl
    expect 2 bezoar eval --worst 0 rows.jsonl
    has 'rows.jsonl:6: "label" is not "attack" or "benign"'
    has 'rows.jsonl:7: not valid JSON at byte 0'
    has 'rows.jsonl:8: one of "text" and "bytes_b64" is needed'
    has "5 rows"
}

@test "text and names of rows are printed escaped" {
    printf '{"id":"\\u001b[31m","dataset":"\\u202e","label":"attack","text":"\\u001b]0;x\\u0007 fine"}\n' >rows.jsonl
    expect 0 bezoar eval rows.jsonl
    [[ "$output" != *$'\e'* ]]
    has '\u202e'
}

@test "the order of threads does not show" {
    for i in $(seq 200); do rows && cat rows.jsonl; done >many.jsonl
    bezoar eval --jobs 1 --worst 5 many.jsonl | sed '/ rows, /d' >one.txt
    bezoar eval --jobs 8 --worst 5 many.jsonl | sed '/ rows, /d' >eight.txt
    cmp one.txt eight.txt
}
