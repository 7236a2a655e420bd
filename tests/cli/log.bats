#!/usr/bin/env bats
load helper

# What happened today, for a person: a line an event, repeats folded, nothing of a stranger's in a command.
S() { person toadstone "$@" --store "$BATS_TEST_TMPDIR/s.db"; }
block() { S contents store --json --source "${1:-https://example.com/page}" --session s1 <<<"$ATTACK${2:-}"; }

@test "log: blocked, asked, refused and set are told, newest last, with the command to look" {
    id=$(block | jq -r .id)
    S sources set example.com blocked >/dev/null
    S memory add "$ATTACK" || true
    S confirm check write_file '{"path":"a","content":"b"}' --session s1 >/dev/null || true
    S contents store --source https://clean.example/ok <<<"Kettles hold water." >/dev/null
    S contents read "$id" --as model --session s1 || true
    expect 0 S log
    [ "${#lines[@]}" = 6 ]
    [[ ${lines[0]} == *"blocked   https://example.com/page: "*"(ignore_previous_instructions)  toadstone contents show $id" ]]
    [[ ${lines[1]} == *"set       example.com: blocked  toadstone sources list" ]]
    [[ ${lines[2]} == *"refused   memory add_memory: "*"toadstone rules show ignore_previous_instructions" ]]
    has "asked     write_file: "
    has "toadstone confirm show conf_"
    [[ ${lines[4]} == *"an agent: it asked for a blocked content"* ]]
    has "1 blocked"
    lacks Kettles
}

@test "log: an answer says which tool it was about, a release which content" {
    id=$(block | jq -r .id)
    S confirm check write_file '{"path":"a","content":"b"}' --session s1 >/dev/null || true
    conf=$(S confirm list --json | jq -r '.confirmations[0].id')
    S confirm answer "$conf" skip --binding "$(S confirm show "$conf" --json | jq -r .binding)" >/dev/null
    S contents release "$id" --digest "$(S contents show "$id" --json | jq -r .digest)"
    expect 0 S log --json
    jq -e --arg conf "$conf" 'any(.entries[]; .what == "declined" and .from == "write_file" and .id == $conf)' <<<"$output"
    jq -e --arg id "$id" '.entries[-1] | .what == "released" and .id == $id' <<<"$output"
}

@test "log: the same again is one line with a count, and the counts count all" {
    for i in 1 2 3; do block https://example.com/page $i >/dev/null; done
    block https://other.example/ >/dev/null
    expect 0 S log
    [ "${#lines[@]}" = 3 ]
    has "(3 times)"
    has "4 blocked"
    jq -e '.entries | length == 2 and .[0].times == 3 and .[0].first_at < .[0].at' <<<"$(S log --json)"
    expect 0 S log --limit 1
    has "older ones are left out"
    [ "$(grep -c 'contents show' <<<"$output")" = 1 ]
}

@test "log --since: other days too; a time that is none is an error; a quiet day says so" {
    expect 0 S log
    [ "$output" = "nothing was blocked, asked or changed" ]
    block >/dev/null
    [ "$(S log --since 1h --json | jq '.entries | length')" = 1 ]
    [ "$(S log --since 2100-01-01 --json | jq '.entries | length')" = 0 ]
    expect 2 S log --since yesterday
    has "that is no time"
    expect 2 S log today
}

@test "log: what strangers wrote is escaped and in no command" {
    block $'https://example.com/\x1b[31m"`id`$(id)\xe2\x80\xae' >/dev/null
    expect 0 S log
    [ -z "$(LC_ALL=C grep $'[\x1b\x80-\xff]' <<<"$output")" ]
    expect 0 bash -c "toadstone log --store '$BATS_TEST_TMPDIR/s.db' --json | jq -r '.entries[].look'"
    [[ $output =~ ^toadstone\ contents\ show\ fetch_[0-9a-f]{12}$ ]]
}

@test "log: a model is told no id of what is blocked" {
    block >/dev/null
    expect 0 S log --as model
    lacks fetch_
    has blocked
    expect 0 env CLAUDECODE=1 toadstone log --json --store "$BATS_TEST_TMPDIR/s.db"
    lacks fetch_
}

@test "log --follow prints what comes, and stops at --limit" {
    block >/dev/null
    timeout 20 toadstone log --follow --limit 2 --json --store "$BATS_TEST_TMPDIR/s.db" >out.jsonl 3>&- &
    pid=$!
    sleep 1
    block https://example.com/second >/dev/null
    block https://example.com/third >/dev/null
    wait $pid
    [ "$(jq -r .from out.jsonl | tr '\n' ' ')" = "https://example.com/second https://example.com/third " ]
    expect 0 S log --follow --since 1h --limit 3
    [ "${#lines[@]}" = 3 ]
    has "https://example.com/page"
}

@test "log: on a terminal times are the clock's, and no line of ours is wider than it" {
    block https://example.com/a-very-long-name-of-a-page-that-does-not-fit-into-eighty-columns-by-itself >/dev/null
    TZ=Asia/Tokyo script -qec "stty cols 80; toadstone log --store '$BATS_TEST_TMPDIR/s.db'" /dev/null </dev/null >typed
    tr -d '\r' <typed >out
    [ -z "$(grep -E '^.{81}' out)" ]
    grep -qF "$(TZ=Asia/Tokyo date '+%b %d %H:')" out
    grep -q 'toadstone contents show fetch_[0-9a-f]\{12\}$' out
    S log | grep -qE '^[0-9]{4}-[0-9-]+T[0-9:.]+Z  blocked'
}

@test "audit query names the tool that an event is about; a search of memory shows no score of nothing" {
    block >/dev/null
    S confirm check write_file '{"path":"a","content":"b"}' --session s1 >/dev/null || true
    expect 0 S audit query --type action_check
    [[ ${lines[0]} == *" tool "* ]]
    has " write_file "
    S memory add "Likes tea" >/dev/null
    expect 0 S memory search tea
    lacks "0.00"
    S memory search tea --json | jq -e '.. | .score? // empty | numbers' >/dev/null
}

@test "log: a long log is read within bounds, newest first, and says that there is more" {
    python3 - "$BATS_TEST_TMPDIR" <<'END'
import os, subprocess, sqlite3, sys, time
path = sys.argv[1] + '/s.db'
subprocess.run(['toadstone', 'store', 'stats', '--store', path], stdout=subprocess.DEVNULL, check=True)
db = sqlite3.connect(path)
columns = [c[1] for c in db.execute('pragma table_info(events)')]
now = int(time.time() * 1e6)
rows = [[{'seq': i + 10, 'at': now, 'type': 'security_scan', 'action': 'block', 'url': f'https://e.example/{i % 3000}'}.get(c, '') for c in columns]
        for i in range(60000)]
db.executemany(f"insert into events ({','.join(columns)}) values ({','.join('?' * len(columns))})", rows)
db.commit()
END
    expect 0 timeout 20 toadstone log --store s.db --json --limit 5
    jq -e '.more and (.entries | length == 5) and .counts.blocked <= 52000 and .entries[-1].times > 1' <<<"$output"
}
