#!/usr/bin/env bats
load helper

# The one backup that there is.
backup() { echo "${HOME:?}"/.local/state/toadstone/clients/*.toadstone-backup; }

# A configuration as people write them: comments, trailing commas, odd spacing, members that nobody here knows.
cursor() {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME/.cursor"
    FILE=$HOME/.cursor/mcp.json
    cat >"$FILE" <<'END'
{
  // my servers
  "mcpServers": {
    "files" : { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"], "env": {"A_B": "1"} }, /* yes */
    "plain": {"command":"my-server","unknown":{"x":[1]}},
    "lines": {
      "args": [
        // first
        "-y",
        "thing", ],
      "command": "uvx",
    },
    "remote": { "type": "http", "headers": {"Authorization": "Bearer x", "X": "y"}, "url": "https://mcp.example.com/mcp" },
    "old": { "type": "sse", "url": "https://mcp.example.com/sse" },
    "self": {"command": "toadstone", "args": ["mcp"]},
    "weird": 7
  },
}
END
    cp "$FILE" before
}

@test "wrap-client rewrites entries to go through the proxy, and nothing else" {
    cursor
    expect 0 toadstone wrap-client --client cursor --all
    has "files: wrapped now"
    has "old: left alone"
    has "self: left alone"
    grep -qF '"files" : { "command": "'"$TOADSTONE"'", "args": ["proxy", "--name", "files", "--env", "A_B", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv"], "env": {"A_B": "1"} }, /* yes */' "$FILE"
    grep -qF '"plain": {"command":"'"$TOADSTONE"'", "args": ["proxy", "--name", "plain", "--", "my-server"],"unknown":{"x":[1]}},' "$FILE"
    grep -qF '"remote": { "type": "stdio", "command": "'"$TOADSTONE"'", "args": ["proxy", "--name", "remote", "--url", "https://mcp.example.com/mcp", "--header-env", "Authorization=TOADSTONE_HEADER_1", "--header-env", "X=TOADSTONE_HEADER_2"], "env": {"TOADSTONE_HEADER_1": "Bearer x", "TOADSTONE_HEADER_2": "y"} },' "$FILE"
    grep -qF '// my servers' "$FILE"
    diff <(grep -v 'files\|plain\|remote\|args\|command' before) <(grep -v 'files\|plain\|remote\|args\|command' "$FILE")
}

@test "wrap-client is idempotent, keeps a backup, and --undo restores every byte" {
    cursor
    chmod 640 "$FILE"
    toadstone wrap-client --client cursor --all
    cp "$FILE" once
    cmp "$(backup)" before
    [ "$(stat -c %a "$(backup)")" = 600 ]
    expect 0 toadstone wrap-client --client cursor --all
    has "nothing to change"
    cmp "$FILE" once
    [ "$(stat -c %a "$FILE")" = 640 ]
    expect 0 person toadstone wrap-client --client cursor --all --undo
    cmp "$FILE" before
    [ ! -e "$(backup)" ]
    [ "$(ls -A "$HOME/.cursor")" = mcp.json ]
}

@test "one server at a time, also back" {
    cursor
    toadstone wrap-client --client cursor --server files
    [ "$(grep -c '"proxy"' "$FILE")" = 1 ]
    toadstone wrap-client --client cursor --server lines
    [ "$(grep -c '"proxy"' "$FILE")" = 2 ]
    cmp "$(backup)" before
    person toadstone wrap-client --client cursor --server files --undo
    [ "$(grep -c '"proxy"' "$FILE")" = 1 ]
    [ -e "$(backup)" ]
    person toadstone wrap-client --client cursor --server lines --undo
    cmp "$FILE" before
    expect 2 toadstone wrap-client --client cursor --server nobody
    has "no server of this name"
}

@test "--undo restores entries after other edits, and without the backup" {
    cursor
    toadstone wrap-client --client cursor --all
    sed -i 's/"weird": 7/"weird": 8, "added": {"command": "new", "args": []}/' "$FILE"
    person toadstone wrap-client --client cursor --all --undo
    diff before "$FILE" | grep '^[<>]' | grep -vq weird && return 1
    cursor
    toadstone wrap-client --client cursor --all
    rm "$(backup)"
    person toadstone wrap-client --client cursor --all --undo
    grep -qF '"files" : { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"], "env": {"A_B": "1"} }, /* yes */' "$FILE"
    grep -qF '"remote": { "type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer x", "X": "y"} },' "$FILE"
    grep -qF '"command": "uvx"' "$FILE"
}

@test "--undo keeps what was changed within a wrapped entry" {
    cursor
    toadstone wrap-client --client cursor --all
    sed -i 's/"A_B": "1"/"A_B": "2"/; s/"\/srv"/"\/srv2"/' "$FILE"
    person toadstone wrap-client --client cursor --all --undo
    grep -qF '{ "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv2"], "env": {"A_B": "2"} }' "$FILE"
}

@test "--dry-run shows what would change and writes nothing; without --server and --all it only looks" {
    cursor
    expect 0 toadstone wrap-client --client cursor --all --dry-run
    has '+ {"command":"'"$TOADSTONE"'", "args": ["proxy", "--name", "plain", "--", "my-server"]'
    has '- {"command":"my-server"'
    cmp "$FILE" before
    expect 0 toadstone wrap-client --client cursor
    has "files: plain"
    cmp "$FILE" before
    [ "$(ls -A "$HOME/.cursor")" = mcp.json ]
    expect 0 toadstone wrap-client --client cursor --json
    jq -e '.files[0].servers | length == 7' <<<"$output"
}

@test "servers whose names the proxy would write the same way keep names, and so pins, of their own" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME/.cursor"
    FILE=$HOME/.cursor/mcp.json
    echo '{"mcpServers":{"a b":{"command":"x"},"a-b":{"command":"y"},"a/b":{"command":"z"},"c d":{"command":"w"}}}' >"$FILE"
    cp "$FILE" before
    expect 0 toadstone wrap-client --client cursor --all
    [ "$(jq -r '.mcpServers[].args[2]' "$FILE" | sort -u | wc -l)" = 4 ]
    [ "$(jq -r '.mcpServers | .["a-b"].args[2] + " " + .["c d"].args[2]' "$FILE")" = "a-b c-d" ]
    expect 0 person toadstone wrap-client --client cursor --all --undo
    cmp "$FILE" before
}

@test "an entry's token never stands among arguments, which everybody on the machine can see" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME/.cursor"
    FILE=$HOME/.cursor/mcp.json
    echo '{"mcpServers":{"r":{"headers":{"Authorization":"Bearer \"s\u00e9cret"},"url":"http://127.0.0.1:9/"},"both":{"url":"http://127.0.0.1:9/","headers":{"A":"b"},"env":{"C":"d"}}}}' >"$FILE"
    cp "$FILE" before
    expect 0 toadstone wrap-client --client cursor --all
    has "both: left alone, since it has both headers and variables"
    jq -e '.mcpServers.r | (.args | tostring | contains("cret") | not) and .env == {"TOADSTONE_HEADER_1":"Bearer \"s\u00e9cret"}' "$FILE"
    rm "$(backup)"
    cp "$FILE" wrapped
    expect 0 person toadstone wrap-client --client cursor --all --undo
    diff <(jq -S . before) <(jq -S 'del(.mcpServers.r.type)' "$FILE")
    sed 's/"env": {/"env": {"MINE": "1", /' wrapped >"$FILE"
    expect 0 person toadstone wrap-client --client cursor --all --undo
    has "its variables are not those that wrapping gave it"
    echo '{"mcpServers":{"odd":{"url":"http://127.0.0.1:9/","headers":{"A=B":"c"}},"two":{"url":"http://127.0.0.1:9/","headers":{"A: x":"c"}}}}' >"$FILE"
    cp "$FILE" before
    expect 0 toadstone wrap-client --client cursor --all
    has "odd: left alone, since a header is not understood"
    has "two: left alone, since a header is not understood"
    cmp "$FILE" before
    expect 2 toadstone proxy --name r --store s.db --url http://127.0.0.1:9/ --header-env "$(printf 'A\r\nB')=HOME" </dev/null
    expect 2 toadstone proxy --name r --store s.db --url http://127.0.0.1:9/ --header-env Authorization=NOT_SET_ANYWHERE </dev/null
    has "the variable NOT_SET_ANYWHERE, which --header-env names, is not set"
}

@test "TOML of Codex: tables, comments and strings stay" {
    export XDG_STATE_HOME=$BATS_TEST_TMPDIR/state CODEX_HOME=$BATS_TEST_TMPDIR/codex
    mkdir "$CODEX_HOME"
    cat >"$CODEX_HOME/config.toml" <<'END'
model = "o3" # the model
[mcp_servers.files]
command = "npx" # runs it
args = ['-y', "x",
  # more
  "y"]
env = { "K" = "v", B = "w" }

[mcp_servers."two words"]
args = []
command = 'C:\bin\srv.exe'
[mcp_servers."two words".env]
TOKEN = "a"
[mcp_servers.bare]
command = "srv"
[mcp_servers.remote]
url = "https://mcp.example.com/mcp"
[mcp_servers.auth]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "X"
[profiles.x]
model = 1979-05-27 07:32:00
a.b = [[1,2],["x",{y=2}]]
s = """multi
line""""
END
    cp "$CODEX_HOME/config.toml" before
    expect 0 toadstone wrap-client --client codex --all --remote --store s.db
    has "auth: left alone"
    python3 - "$CODEX_HOME/config.toml" "$TOADSTONE" <<'END'
import sys, tomllib
m = tomllib.load(open(sys.argv[1], 'rb'))['mcp_servers']
p = ['proxy', '--name']
me = sys.argv[2]
assert m['files']['args'] == p + ['files', '--store', 's.db', '--env', 'K', '--env', 'B', '--', 'npx', '-y', 'x', 'y'], m
assert m['two words']['args'] == p + ['two-words', '--store', 's.db', '--env', 'TOKEN', '--', 'C:\\bin\\srv.exe'], m
assert m['bare'] == {'command': me, 'args': p + ['bare', '--store', 's.db', '--', 'srv']}, m
assert m['remote'] == {'command': me, 'args': p + ['remote', '--store', 's.db', '--url', 'https://mcp.example.com/mcp']}, m
END
    grep -qF 'command = "'"$TOADSTONE"'" # runs it' "$CODEX_HOME/config.toml"
    person toadstone wrap-client --client codex --all --undo
    cmp "$CODEX_HOME/config.toml" before
}

@test "every client: its file, its shape, and back" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    while read -r client file text; do
        mkdir -p "$(dirname "$file")"
        printf '%s\n' "$text" >"$file"
        cp "$file" before
        expect 0 toadstone wrap-client --client "$client" --all
        has "s: wrapped now"
        [ "$(grep -o '"--", *"cmd", *"a"' "$file" | wc -l)" = 1 ]
        person toadstone wrap-client --client "$client" --all --undo
        cmp "$file" before
        rm "$file"
    done <<END
claude .mcp.json {"mcpServers":{"s":{"command":"cmd","args":["a"]}}}
claude $HOME/.claude.json {"mcpServers":{},"projects":{"/p":{"mcpServers":{"s":{"type":"stdio","command":"cmd","args":["a"],"env":{}}}}}}
cursor .cursor/mcp.json {"mcpServers":{"s":{"command":"cmd","args":["a"]}}}
vscode .vscode/mcp.json {"servers":{"s":{"type":"stdio","command":"cmd","args":["a"]}},"inputs":[]}
vscode $HOME/.config/Code/User/mcp.json {"servers":{"s":{"command":"cmd","args":["a"]}}}
gemini $HOME/.gemini/settings.json {"mcpServers":{"s":{"command":"cmd","args":["a"],"trust":true}}}
qwen .qwen/settings.json {"mcpServers":{"s":{"command":"cmd","args":["a"]}}}
opencode opencode.json {"mcp":{"s":{"type":"local","command":["cmd","a"],"enabled":true}}}
opencode $HOME/.config/opencode/opencode.jsonc {"mcp":{"s":{"type":"local","command":["cmd","a"],"environment":{}}}}
copilot $HOME/.copilot/mcp-config.json {"mcpServers":{"s":{"type":"local","command":"cmd","args":["a"],"tools":["*"]}}}
windsurf $HOME/.codeium/windsurf/mcp_config.json {"mcpServers":{"s":{"command":"cmd","args":["a"]}}}
END
}

@test "a file that cannot be read safely is left alone, with its name and the reason" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    local n=0
    mkdir -p .cursor
    while read -r text; do
        n=$((n + 1))
        printf '%b' "$text" >.cursor/mcp.json
        cp .cursor/mcp.json before
        expect 2 toadstone wrap-client --client cursor --all
        has '".cursor/mcp.json": '
        cmp .cursor/mcp.json before
    done <<'END'
{"mcpServers": {"a": {"command": "x"}
{"mcpServers": {"a": {"command": "x"}}} trailing
{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}
{"mcpServers": {"a": {"command": "\\xff"}}}
{"mcpServers": {"a": {"command": "x"}}} /* no end
END
    [ $n = 5 ]
    rm .cursor/mcp.json
    mkdir .cursor/mcp.json
    expect 2 toadstone wrap-client --client cursor --all
    has "no regular file"
    expect 2 toadstone wrap-client --client gemini --all
    has "no configuration"
    expect 2 toadstone wrap-client --all
}

@test "a symbolic link stays one, and the file behind it is changed" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME/.cursor" dotfiles
    printf '{"mcpServers":{"s":{"command":"cmd"}}}' >dotfiles/mcp.json
    ln -s "$PWD/dotfiles/mcp.json" "$HOME/.cursor/mcp.json"
    toadstone wrap-client --client cursor --all
    [ -L "$HOME/.cursor/mcp.json" ]
    grep -q proxy dotfiles/mcp.json
    [ -e "$(backup)" ]
    [ "$(ls -A dotfiles)" = mcp.json ]
    person toadstone wrap-client --client cursor --all --undo
    [ "$(cat dotfiles/mcp.json)" = '{"mcpServers":{"s":{"command":"cmd"}}}' ]
}

@test "an entry names the program by its whole path, and one that cannot be named is refused" {
    cursor
    mkdir bin
    ln -s "$TOADSTONE" bin/toadstone
    expect 0 env PATH=/usr/bin:/bin bin/toadstone wrap-client --client cursor --server plain
    [ "$(jq -r .command <<<"$(grep '"plain"' "$FILE" | sed 's/[^{]*//; s/,$//')")" = "$TOADSTONE" ]
    cp before "$FILE"
    cp "$TOADSTONE" other-name
    expect 2 ./other-name wrap-client --client cursor --all
    has "it is not called toadstone"
    expect 2 ./other-name mcp config --client claude
    expect 2 bash -c 'mkdir -p x && cp "$1" x/toadstone && exec 3<x/toadstone && rm x/toadstone && exec /proc/self/fd/3 wrap-client --client cursor --all' _ "$TOADSTONE"
    has "cannot be written for the client: No such file"
    cmp "$FILE" before
    expect 0 ./other-name wrap-client --client cursor
}

@test "a server over HTTP that may log in by itself is left alone until --remote, which says what it costs" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME/.cursor"
    FILE=$HOME/.cursor/mcp.json
    echo '{"mcpServers":{"login":{"url":"https://mcp.example.com/mcp"},"token":{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer x"}}}}' >"$FILE"
    cp "$FILE" before
    expect 0 toadstone wrap-client --client cursor --all
    has "login: left alone, since it is sent no token, so it may log in with OAuth"
    has "token: wrapped now"
    [ "$(jq -c .mcpServers.login "$FILE")" = '{"url":"https://mcp.example.com/mcp"}' ]
    expect 0 toadstone wrap-client --client cursor --server login
    has "left alone"
    has "nothing to change"
    expect 0 toadstone wrap-client --client cursor --all --remote
    has "login: wrapped now"
    has "a server that then wants a login is unwrapped with --undo"
    expect 0 toadstone wrap-client --client cursor --server login
    has "login: wrapped"
    expect 0 person toadstone wrap-client --client cursor --all --undo
    has "login: unwrapped"
    cmp "$FILE" before
}

@test "the store of the environment goes into the entry, whole, and never with a password" {
    cursor
    expect 0 env TOADSTONE_STORE=s.db toadstone wrap-client --client cursor --server plain
    grep -qF '"proxy", "--name", "plain", "--store", "'"$PWD"'/s.db", "--", "my-server"' "$FILE"
    person toadstone wrap-client --client cursor --all --undo
    cmp "$FILE" before
    expect 0 env TOADSTONE_STORE=postgresql://me:secret@db/x toadstone wrap-client --client cursor --server plain
    has "TOADSTONE_STORE is a URL and is not written down"
    grep -qF '"proxy", "--name", "plain", "--", "my-server"' "$FILE"
    ! grep -q secret "$FILE"
}

@test "the backup stands in no project, is private and named in the answer; an old one beside the file still serves" {
    export HOME=$BATS_TEST_TMPDIR/home XDG_STATE_HOME=
    mkdir -p "$HOME" project
    cd project
    printf '{"mcpServers":{"s":{"command":"cmd" /* mine */}}}' >.mcp.json
    cp .mcp.json ../before
    expect 0 toadstone wrap-client --client claude --all
    has "kept for --undo: $(backup)"
    [ "$(ls -A)" = .mcp.json ]
    [ "$(stat -c %a "$(backup)")" = 600 ]
    [ "$(stat -c %a "$HOME/.local/state/toadstone/clients")" = 700 ]
    mv "$(backup)" .mcp.json.toadstone-backup
    expect 0 person toadstone wrap-client --client claude --all --undo
    cmp .mcp.json ../before
    [ "$(ls -A)" = .mcp.json ]
}
