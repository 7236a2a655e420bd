#!/usr/bin/env bats
load helper

# How things stand: clients and their servers, configuration, store, what waits, what happened today.
home() {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=$BATS_TEST_TMPDIR/state XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/config
    mkdir -p "$HOME/.cursor" "$XDG_CONFIG_HOME/toadstone"
    echo '{"mcpServers":{"ok":{"command":"sh","args":["-c","true"]},"gone":{"command":"/nonexistent/x"},"nope":{"command":"no-such-program-here"},"var":{"command":"${HOME}/x"}}}' >"$HOME/.cursor/mcp.json"
    unset TOADSTONE_STORE
}

@test "status: servers wrapped, plain and broken, with what to do; nothing is made" {
    home
    expect 1 toadstone status
    has "    ok: plain"
    has "    gone: broken, plain; there is no program /nonexistent/x"
    has "    nope: broken, plain; there is no program no-such-program-here"
    has "    var: plain"
    has "-> toadstone wrap-client --all --client cursor"
    has "state/toadstone/store.db: none yet"
    [ ! -e "$XDG_STATE_HOME" ]
    toadstone wrap-client --client cursor --all >/dev/null
    expect 1 toadstone status --json
    jq -e '[.clients[] | select(.client == "cursor").files[0].servers[] | [.server, .state, .broken]]
        == [["ok","wrapped",null],["gone","wrapped","/nonexistent/x"],["nope","wrapped","no-such-program-here"],["var","wrapped",null]]' <<<"$output"
    jq -e '.broken == 2 and .configuration.valid and (.store.there | not)' <<<"$output"
}

@test "status: which agents have our hooks, all, some, none or a file that cannot be read" {
    home
    mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.qwen" "$HOME/.gemini"
    toadstone setup --agent claude --agent codex >/dev/null
    jq 'del(.hooks.PreToolUse)' "$HOME/.codex/hooks.json" >some && mv some "$HOME/.codex/hooks.json"
    echo '{"hooks": ' >"$HOME/.qwen/settings.json"
    expect 1 toadstone status
    grep -q 'Claude Code .*settings.json: hooks installed' <<<"$output"
    grep -q 'Codex .*hooks.json: only some of the hooks' <<<"$output"
    grep -q 'Gemini CLI .*settings.json: no hooks' <<<"$output"
    grep -q 'Qwen Code .*settings.json: broken: ' <<<"$output"
    has "-> toadstone setup --agent codex"
    has "-> toadstone setup --agent gemini"
    lacks "setup --agent claude"
    expect 1 toadstone status --json
    jq -e '[.agents[] | select(.agent == "claude").files[0].hooks[].installed] | length > 3 and all' <<<"$output"
    [ ! -e "$HOME/.gemini/settings.json" ]
}

@test "status: a wrapped server whose toadstone is gone is broken; wrap-client says so as well" {
    home
    toadstone wrap-client --client cursor --server ok >/dev/null
    sed -i 's|"[^"]*/toadstone"|"/gone/toadstone"|' "$HOME/.cursor/mcp.json"
    expect 1 toadstone status
    has "    ok: broken, wrapped; there is no program /gone/toadstone"
    expect 0 toadstone wrap-client --client cursor
    has "ok: wrapped; broken: there is no program /gone/toadstone"
}

@test "status: a configuration that cannot be read is told, and the rest all the same" {
    home
    printf 'securty: {}\n' >"$XDG_CONFIG_HOME/toadstone/config.yaml"
    echo '{"mcpServers":{' >.mcp.json
    expect 1 toadstone status
    has "broken: no wrapped server starts with it"
    has "securty"
    has "-> toadstone config check"
    has "ok: plain"
    has "Claude Code"
    has "a member name in quotes was expected"
    expect 1 toadstone status --json
    jq -e '.configuration.valid == false and .configuration.mistakes[0].line == 1 and (.clients[0].files[0].error | length > 0)' <<<"$output"
}

@test "status: what waits for the user, and today's counts" {
    home
    echo '{"mcpServers":{}}' >"$HOME/.cursor/mcp.json"
    id=$(toadstone contents store --json --source https://example.com/page --session s1 <<<"$ATTACK" | jq -r .id)
    toadstone confirm check write_file '{"path":"a","content":"b"}' --session s1 >/dev/null || true
    expect 0 toadstone status
    has "may an agent do this? write_file"
    has "-> toadstone confirm show conf_"
    has "-> toadstone contents show $id"
    has "1 blocked"
    has "-> toadstone log"
    has ", schema "
    expect 0 toadstone status --json --as model
    lacks "$id"
    person toadstone contents release "$id" --digest "$(person toadstone contents show "$id" --json | jq -r .digest)"
    expect 0 toadstone status
    lacks "contents show"
}

@test "status: a store that cannot be made is broken" {
    home
    echo '{"mcpServers":{}}' >"$HOME/.cursor/mcp.json"
    : >file
    expect 1 toadstone status --store file/s.db
    has "it cannot be written"
}

@test "status: a store that is none is broken, and the clients are told all the same" {
    home
    echo '{"mcpServers":{}}' >"$HOME/.cursor/mcp.json"
    head -c 4096 /dev/zero | tr '\0' 'x' >bad.db
    expect 1 toadstone status --store bad.db
    has "Cursor"
    has "broken: "
    expect 1 toadstone status --store bad.db --json
    jq -e '.broken == 1 and (.store_error | length > 0)' <<<"$output"
}

@test "status takes less than 50 ms of a processor, with 5,000 events of today" {
    [[ $TOADSTONE != */asan/* ]] || skip "the sanitizer takes its own time"
    home
    toadstone store stats >/dev/null
    python3 - "$XDG_STATE_HOME/toadstone/store.db" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
now = int(__import__('time').time() * 1e6)
columns = [c[1] for c in db.execute("pragma table_info(events)")]
row = dict.fromkeys(columns, '')
rows = [[{'seq': i + 10, 'at': now, 'type': 'security_scan', 'action': 'block', 'content': 'injection_detected'}.get(c, '') for c in columns] for i in range(5000)]
db.executemany(f"insert into events ({','.join(columns)}) values ({','.join('?' * len(columns))})", rows)
db.commit()
END
    best=999
    TIMEFORMAT='%3U %3S'
    for i in 1 2 3 4 5; do
        took=$({ time toadstone status >out 2>/dev/null; } 2>&1 | awk '{ print int(1000 * ($1 + $2)) }')
        ((took < best)) && best=$took
    done
    grep -q "5000 blocked" out
    echo "$best ms"
    ((best < 50))
}
