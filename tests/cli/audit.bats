#!/usr/bin/env bats
load helper

# Every security event is kept, in a chain that shows what was changed.
S() { person toadstone "$@" --store "$BATS_TEST_TMPDIR/s.db"; }
sql() { python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(sys.argv[2]); db.commit()' "$BATS_TEST_TMPDIR/s.db" "$1"; }
block() { S contents store --json --source "${1:-https://example.com/page}" --session session_123 <<<"$ATTACK"; }
clean() { S contents store --json --source "${1:-https://example.com/ok}" <<<"Kettles hold water."; }

@test "audit event: event_type, direction, channel, content and metadata" {
    id=$(block | jq -r .id)
    expect 0 S audit query --json --type security_scan
    jq -e --arg id "$id" '.events[0] | .event_type == "security_scan" and .direction == "inbound" and .channel == "internal"
        and .content == "injection_detected" and .metadata.url == "https://example.com/page" and .metadata.confidence == "high"
        and .metadata.action == "block" and .metadata.content_id == $id and .metadata.session_id == "session_123"
        and (.metadata.pattern_matched | length) > 0' <<<"$output"
}

@test "audit trail: scan, read, refused read, release, setting, delete are all there" {
    id=$(block | jq -r .id)
    S contents read "$id" --as model --session session_123 || true
    S contents release "$id" --as model --digest x || true
    S contents release "$id" --digest "$(S contents show "$id" --json | jq -r .digest)"
    S contents read "$id" --as model --session session_123 >/dev/null
    S contents delete "$id"
    expect 0 bash -c "toadstone audit export --store '$BATS_TEST_TMPDIR/s.db' | jq -r .event_type | sort -u | tr '\n' ' '"
    for type in content_delete content_read content_refused content_release learning refused security_scan; do has "$type "; done
}

@test "query filters by type, action, session and time" {
    block >/dev/null
    clean >/dev/null
    [ "$(S audit query --json --action block --type security_scan | jq '.events | length')" = 1 ]
    [ "$(S audit query --json --type security_scan | jq '.events | length')" = 2 ]
    [ "$(S audit query --json --session session_123 --type security_scan | jq '.events | length')" = 1 ]
    [ "$(S audit query --json --since 1h --type security_scan | jq '.events | length')" = 2 ]
    [ "$(S audit query --json --until 1h | jq '.events | length')" = 0 ]
    [ "$(S audit query --json --limit 1 | jq '.events | length')" = 1 ]
    expect 2 S audit query --since yesterday
    has "that is no time"
    expect 0 S audit query
    has "injection_detected"
}

@test "a model is not shown the ids of blocked content, and exports nothing" {
    block >/dev/null
    expect 0 S audit query --json --as model
    lacks fetch_
    expect 2 S audit export --as model
    has "only the user may export"
}

@test "verify: an untouched log holds, and a later one still holds its anchor" {
    block >/dev/null
    expect 0 S audit verify --json
    anchor=$(jq -r .anchor <<<"$output")
    clean >/dev/null
    expect 0 S audit verify --anchor "$anchor"
    expect 2 S audit verify --anchor 1:xyz
    has "SEQ:HASH"
}

@test "verify: a changed, removed or rewritten log shows" {
    block >/dev/null
    clean >/dev/null
    anchor=$(S audit verify --json | jq -r .anchor)
    cp s.db keep.db
    sql "UPDATE events SET content = 'clean' WHERE seq = 1"
    expect 1 S audit verify
    has "broken at event 1: changed"
    cp keep.db s.db
    rm -f s.db-wal s.db-shm
    sql "DELETE FROM events WHERE seq = 2"
    expect 1 S audit verify
    has "broken at event 2"
    rm -f s.db s.db-wal s.db-shm
    block >/dev/null
    clean >/dev/null
    expect 0 S audit verify
    expect 1 S audit verify --anchor "$anchor"
    has "anchor"
}

@test "the exported lines are the bytes under the chain: sha256sum verifies them" {
    block >/dev/null
    clean >/dev/null
    S audit export --out log.jsonl
    prev=$(printf '%064d' 0)
    while IFS= read -r line; do
        body=$(sed 's/,"hash":"[0-9a-f]*"}$/}/' <<<"$line")
        prev=$(printf '%s%s' "$prev" "$body" | sha256sum | cut -d' ' -f1)
        [ "$(jq -r .hash <<<"$line")" = "$prev" ]
    done <log.jsonl
    expect 2 S audit export --out log.jsonl
    has "cannot make"
}

@test "export in OCSF, ECS and CEF: what a stranger wrote stays in its field" {
    block $'https://evil.example/a|b=c\\d?x="\n2: CEF:0|forged' >/dev/null
    for format in jsonl ocsf ecs; do
        [ "$(S audit export --format $format --type security_scan | wc -l)" = 1 ]
        S audit export --format $format --type security_scan | jq -e . >/dev/null
    done
    S audit export --format ocsf --type security_scan | jq -e '.class_uid == 2004 and .type_uid == 200401 and .severity_id == 4 and .disposition == "Blocked"'
    S audit export --format ecs --type security_scan | jq -e '.event.kind == "alert" and .threat.framework == "MITRE ATLAS"'
    expect 0 S audit export --format cef --type security_scan
    [ "${#lines[@]}" = 1 ]
    [[ $output =~ ^"CEF:0|toadstone|toadstone|" ]]
    has 'request=https://evil.example/a%7Cb\=c/d?x\=%22'
    S contents store --source $'tool|a=b\\c\nd' <<<x >/dev/null
    expect 0 S audit export --format cef --type security_scan
    [ "${#lines[@]}" = 2 ]
    has 'request=tool|a\=b\\c\nd '
}

@test "follow prints what comes, and stops at --limit" {
    block >/dev/null
    timeout 20 toadstone audit follow --limit 2 --type security_scan --store "$BATS_TEST_TMPDIR/s.db" >out.jsonl 3>&- &
    pid=$!
    sleep 1
    clean https://example.com/1 >/dev/null
    clean https://example.com/2 >/dev/null
    wait $pid
    [ "$(jq -r .url out.jsonl | tr '\n' ' ')" = "https://example.com/1 https://example.com/2 " ]
    [ "$(S audit follow --since 1h --limit 1 | jq .seq)" = 1 ]
}
