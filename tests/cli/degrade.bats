#!/usr/bin/env bats
load helper

# on_store_error, each time with a store that really fails. Tests may run as root, so no permission stands in the way
# of anything here: a file where a directory is needed does.
SERVER=$BATS_TEST_DIRNAME/../net/server.py
NOT_KEPT='[This content was not kept, because the store failed: it has no ID and cannot be read again.]'

no_directory() { echo x >file && TOADSTONE_STORE=file/s.db; }
no_database() { seq 10000 >TOADSTONE.db && TOADSTONE_STORE=TOADSTONE.db; }
no_server() { TOADSTONE_STORE="postgresql:///x?host=$PWD/none"; }
damaged() {
    TOADSTONE_STORE=damaged.db
    toadstone contents store --store damaged.db --source https://example.com/first <<<"First." >ignored
    dd if=/dev/urandom of=damaged.db bs=4096 seek=1 count=20 conv=notrunc 2>ignored
}
full() { # the disk: no file may grow, and the signal is ignored as a file system would not send it
    TOADSTONE_STORE=full.db
    toadstone contents store --store full.db --source https://example.com/first <<<"First." >ignored
    printf 'trap "" XFSZ\nulimit -f 1\nexec "$@"\n' >on_full_disk
    ON="bash on_full_disk"
}
causes=(no_directory no_database no_server damaged full)

broken() { ON= && "$1" && export TOADSTONE_STORE; }
store() { $ON toadstone contents store --source https://example.com/p "$@"; }
lost() { jq -es 'length == 1 and .[0].event_type == "content_not_kept" and .[0].details.cause != ""' err; }
both() { store "$@" 2>&1; }

@test "content that is not blocked is given inline, with a note, status 0 and one event on standard error" {
    for cause in "${causes[@]}"; do
        for choice in auto degrade; do
            echo "$cause $choice"
            broken $cause
            TOADSTONE_ON_STORE_ERROR=$choice store --as model --session s1 <<<"Kettles hold water." >out 2>err
            [ "$(head -1 out)" = "$NOT_KEPT" ]
            grep -q '^<<<EXTERNAL_UNTRUSTED_CONTENT id="' out
            grep -qx 'Kettles hold water.' out
            ! grep -q 'ID: fetch_' out || return 1
            lost
            jq -e --arg c $choice '.seq == 0 and .at > 0 and .url == "https://example.com/p" and .action == "allow" and .session_id == "s1"
                and .details.on_store_error == $c' err
        done
    done
}

@test "redacted content is given without what was flagged, and the event says what was found" {
    export XDG_CONFIG_HOME=$PWD/user && mkdir -p user/toadstone
    printf 'policy: {web: {high: redact}}\n' >user/toadstone/config.yaml
    broken no_directory
    printf "%s\n" "Kettles hold water." "$ATTACK" "Tea is drunk warm." | store --as model >out 2>err
    grep -q 'Kettles' out
    grep -q 'Tea is' out
    ! grep -q 'Ignore all' out || return 1
    jq -es 'length == 1 and .[0].action == "redact" and .[0].content == "injection_detected"' err
}

@test "auto: blocked content is an error, and nothing of it is shown" {
    for cause in "${causes[@]}"; do
        echo "$cause"
        broken $cause
        expect 2 both <<<"$ATTACK"
        lacks "Ignore all"
        lacks "Content from"
        has "nothing is shown: the content is blocked"
        [ "${#lines[@]}" = 1 ]
    done
}

@test "block: an error whatever the content, and nothing of it is shown" {
    export TOADSTONE_ON_STORE_ERROR=block
    for cause in "${causes[@]}"; do
        echo "$cause"
        broken $cause
        expect 2 both <<<"Kettles hold water."
        lacks "Kettles"
        has "nothing is shown: on_store_error is block"
        [ "${#lines[@]}" = 1 ]
    done
}

@test "degrade: blocked content is told of, and not shown" {
    export TOADSTONE_ON_STORE_ERROR=degrade
    for cause in "${causes[@]}"; do
        echo "$cause"
        broken $cause
        store <<<"$ATTACK" >out 2>err
        grep -qxF '[Content from https://example.com/p | Scan: block]' out
        ! grep -q -e 'Ignore all' -e fetch_ -e 'look at it' out err || return 1
        lost
        jq -e '.content == "injection_detected" and .action == "block" and .pattern_matched != ""' err
    done
}

@test "a disk that fills up while content is written; a source that the user blocked stays blocked" {
    broken full
    sed -i 's/-f 1$/-f 100/' on_full_disk
    expect 0 $ON toadstone sources list
    seq 100000 | store 2>err | cat >out
    jq -e '.details.cause | startswith("cannot change the store")' err
    grep -qx 4321 out
    person toadstone sources set example.com blocked >ignored
    seq 100000 >numbers
    expect 2 store numbers
    lacks 4321
    has "the content is blocked"
}

@test "the answer says that nothing is stored; the envelope is the configured one; no more is given than would be kept" {
    broken no_directory
    export TOADSTONE_ENVELOPE=external_content TOADSTONE_STORE_CONTENT_CHARACTERS=1000
    { head -c 999 /dev/zero | tr '\0' a; printf '\303\251zzz'; } >long
    store --json long >out 2>err
    jq -e '.stored == false and .id == null and .reference == null and .digest == null and .truncated and .bytes == 1004' out
    jq -r .text out >text
    grep -q '<external_content' text
    grep -q "a$(printf '\303\251')" text
    ! grep -q z text || return 1
    grep -q 'It is longer than what stands here' text
}

@test "text of strangers stays on its line of JSON" {
    broken no_directory
    toadstone contents store --source $'https://example.com/\n{"seq":1}\033[31m\342\200\256' <<<"Kettles." >out 2>err
    lost
    ! LC_ALL=C grep -q "$(printf '[\033\200-\377]')" err || return 1
}

@test "where not even the event can be written, nothing is shown" {
    broken no_directory
    status=0
    store <<<"Kettles hold water." >out 2>/dev/full || status=$?
    [ "$status" = 2 ]
    [ ! -s out ]
}

@test "what is stored again when the store is back is whole and verified" {
    broken full
    store <<<"Kettles hold water." >out 2>err
    ON=
    store <<<"Kettles hold water." | grep -q 'ID: fetch_'
    [ "$(toadstone contents list --json | jq '.contents | length')" = 2 ]
    toadstone store verify | grep -q '^store *ok'
}

@test "memory: what was not written is never said to be, whatever is chosen" {
    for choice in degrade auto block; do
        for cause in "${causes[@]}"; do
            echo "$choice $cause"
            broken $cause
            export TOADSTONE_ON_STORE_ERROR=$choice
            for act in "add tea" "update mem_000000000000 tea" "delete mem_000000000000"; do
                expect 2 $ON toadstone memory $act
                [[ $output == "toadstone: memory: "* ]]
                lacks '"event_type"'
            done
        done
    done
}

@test "other acts on the store fail as before" {
    broken no_directory
    for act in "contents list" "contents read fetch_000000000000" "audit query" "sources list"; do
        expect 2 toadstone $act
        has "cannot open the store"
    done
}

@test "fetch: a page is given inline, a blocked one is not; a refusal stays one" {
    broken no_directory
    mkfifo keep
    python3 "$SERVER" 127.0.0.1 <keep >port 3>&- &
    exec 9>keep
    while [ ! -s port ]; do sleep 0.05; done
    page() { printf 'http://127.0.0.1:%s/bytes?type=text/plain&hex=%s' "$(cat port)" "$(printf '%s' "$1" | od -An -tx1 | tr -d ' \n')"; }
    f() { toadstone fetch --allow-private 127.0.0.1 "$@"; }
    f "$(page 'Kettles hold water.')" >out 2>err
    grep -qxF "$NOT_KEPT" out
    grep -qx 'Kettles hold water.' out
    lost
    expect 2 f "$(page "$ATTACK")"
    lacks "Ignore all"
    TOADSTONE_ON_STORE_ERROR=block expect 2 f "$(page 'Kettles hold water.')"
    lacks Kettles
    expect 1 toadstone fetch --json http://127.0.0.1/
    has '"reason":"loopback"'
    has '"event_type":"fetch_refused"'
    exec 9>&-
    wait
}

@test "MCP: web_fetch goes on without the store; memory tools fail, and the server lives on" {
    broken no_directory
    call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"; }
    talk() {
        {
            echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
            echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
            call 1 web_fetch '{"url":"http://127.0.0.1/"}'
            call 2 add_memory '{"content":"Likes tea"}'
            call 3 web_fetch '{"url":"http://127.0.0.1/"}'
        } | toadstone mcp 2>err | sed 1d >out
        [ "$(wc -l <out)" = 3 ]
        sed -n 2p out | jq -e '.result.isError and (.result.content[0].text | startswith("cannot open the store"))'
    }
    talk
    sed -n '1p;3p' out | jq -es 'all(.[]; .result.isError and .result.structuredContent.reason == "loopback")'
    jq -es 'map(.event_type) == ["fetch_refused", "fetch_refused"] and all(.[]; .details.cause | startswith("cannot open the store"))' err
    TOADSTONE_ON_STORE_ERROR=block talk
    sed -n '1p;3p' out | jq -es 'all(.[]; .result.isError and (.result.content[0].text | endswith("nothing is shown: on_store_error is block")))'
    [ ! -s err ]
}
