#!/usr/bin/env bats
# What is installed is tried: what works is told from what is missing, broken, or lets an attack pass.
load helper

# home AGENT...: a home directory with these agents, set up.
home() {
    export HOME=$PWD/home
    unset TOADSTONE_STORE CODEX_HOME CLAUDE_CONFIG_DIR XDG_STATE_HOME
    local agent
    for agent; do mkdir -p "home/.$agent"; done
    expect 0 toadstone setup
}

# check WHAT: state and reason of a check.
check() { jq -r --arg what "$1" '.agents[].checks[] | select(.what == $what) | [.state, .why // empty] | join(": ")' <<<"$output"; }

settings=home/.claude/settings.json
# edit FILE FILTER
edit() { jq "$2" "$1" >new && mv new "$1"; }
hook() { printf '.hooks.%s[0].hooks[0].command' "$1"; }

@test "doctor sends a marked attack through every hook of every agent, and nothing of it stays" {
    home claude codex gemini qwen copilot cursor codeium/windsurf
    expect 0 toadstone doctor --json
    [ "$(jq '.open' <<<"$output")" = 0 ]
    [ "$(jq -c '[.agents[].agent]' <<<"$output")" = '["claude","codex","gemini","qwen","copilot","cursor","windsurf"]' ]
    [ "$(jq -r '.agents[].checks[] | select(.state != "covered") | .what' <<<"$output")" = post_mcp_tool_use ]
    [ "$(jq '[.agents[].checks[]] | length' <<<"$output")" = 32 ]
    expect 0 toadstone contents list --json
    [ "$(jq '.contents | length' <<<"$output")" = 0 ]
    expect 0 toadstone log
    lacks doctor
}

@test "doctor: a gap of an agent that its table tells is in the document, and no other" {
    home claude codex gemini qwen copilot cursor codeium/windsurf
    expect 0 toadstone doctor --json
    for agent in codex qwen copilot cursor windsurf; do
        jq -re --arg a $agent '.agents[] | select(.agent == $a) | .gap' <<<"$output"
        grep -q "^| $agent |.*\*\*" "$BATS_TEST_DIRNAME/../../docs/hooks.md"
    done
    for agent in claude gemini; do
        jq -e --arg a $agent '.agents[] | select(.agent == $a) | .gap == null' <<<"$output"
        [ "$(grep -c "^| $agent |.*\*\*" "$BATS_TEST_DIRNAME/../../docs/hooks.md")" = 0 ]
    done
}

@test "doctor: a hook that is missing, gone, another version, or lets pass" {
    home claude
    edit $settings 'del(.hooks.PreToolUse)'
    edit $settings "$(hook PostToolUse) = \"/nowhere/toadstone hook --agent claude --event PostToolUse\""
    edit $settings "$(hook PostToolBatch) |= . + \" >/dev/null; echo {}\""
    mkdir old
    printf '#!/bin/sh\n[ "$1" = version ] && echo "toadstone 0.0.9 (rules 0)" && exit\necho {}\n' >old/toadstone
    chmod +x old/toadstone
    edit $settings "$(hook SessionStart) = \"$PWD/old/toadstone hook --agent claude --event SessionStart\""
    expect 1 toadstone doctor --json
    [ "$(check PreToolUse)" = "not covered: there is no hook" ]
    [ "$(check PostToolUse)" = "broken: its program is not there, or cannot be started" ]
    [ "$(check PostToolBatch)" = "broken: it lets a marked attack pass" ]
    [ "$(check SessionStart)" = "broken: its program is another version" ]
    [ "$(check UserPromptSubmit)" = covered ]
    [ "$(jq .open <<<"$output")" = 4 ]
    expect 1 toadstone doctor
    has "-> toadstone setup --agent claude"
    expect 0 person toadstone setup
    expect 0 toadstone doctor
    lacks "->"
}

@test "doctor: a hook that can judge nothing is broken, whether it blocks or passes" {
    home claude
    echo garbage >broken.db
    chmod 600 broken.db
    edit $settings "$(hook PreToolUse) |= . + \" --store $PWD/broken.db\""
    edit $settings "$(hook PostToolUse) |= . + \" --rules $PWD/none.yaml\""
    edit $settings "$(hook PostToolBatch) |= . + \" --rules $PWD/none.yaml --fail open\""
    expect 1 toadstone doctor --json
    [ "$(check PreToolUse)" = "broken: it cannot judge, and blocks everything" ]
    [ "$(check PostToolUse)" = "broken: it cannot judge, and blocks everything" ]
    [ "$(check PostToolBatch)" = "broken: it cannot judge, and lets everything pass" ]
}

@test "doctor: a hook that hangs is given up" {
    home claude
    edit $settings "$(hook PostToolUse) |= \"sleep 600; \" + ."
    expect 1 timeout 60 toadstone doctor --agent claude --json
    [[ $(check PostToolUse) == broken:* ]]
}

@test "doctor: servers behind the proxy, beside it, and behind one that is gone" {
    mkdir home
    echo '{"mcpServers":{"w":{"command":"cat","args":["w s.js"]},"gone":{"command":"cat"},"held":{"command":"cat"}}}' >home/.claude.json
    home claude
    edit home/.claude.json '.mcpServers.gone.command = "/nowhere/toadstone" | .mcpServers.held.args |= ["proxy", "--pin", "strict", "--wrap-all"] + .[1:]'
    edit home/.claude.json '.mcpServers.p = {"command":"cat"} | .mcpServers.r = {"url":"https://x.example/mcp"}'
    expect 1 toadstone doctor --json
    [ "$(check w)" = covered ]
    [ "$(check held)" = covered ]
    [ "$(check gone)" = "broken: its program is not there, or cannot be started" ]
    [ "$(check p)" = "not covered: it does not go through the proxy" ]
    [[ $(check r) == "left alone: "* ]]
    # one that hands everything on is found out
    mkdir pass
    printf '#!/bin/sh\n[ "$1" = version ] && exec %s version\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' "$TOADSTONE" >pass/toadstone
    chmod +x pass/toadstone
    edit home/.claude.json ".mcpServers.w.command = \"$PWD/pass/toadstone\""
    expect 1 toadstone doctor --json
    [ "$(check w)" = "broken: it lets a marked attack pass" ]
}

@test "doctor: nothing that a project's files say is run, unless the user says so" {
    home claude
    mkdir -p project/.claude
    printf '{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"touch %s/ran; toadstone hook --agent claude --event PostToolUse"}]}]}}' "$PWD" >project/.claude/settings.json
    printf '{"mcpServers":{"w":{"command":"%s/evil/toadstone","args":["proxy","--","cat"]}}}' "$PWD" >project/.mcp.json
    mkdir evil
    printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >evil/toadstone
    chmod +x evil/toadstone
    (cd project && expect 0 toadstone doctor)
    [ ! -e ran ]
    cd project
    expect 1 toadstone doctor --agent claude --project --json
    [ -e ../ran ]
    [ "$(check PreToolUse)" = "not covered: there is no hook" ]
    [ "$(check w)" = "broken: its program is another version" ]
}

@test "doctor: configurations that cannot be read, stores that cannot be written" {
    home claude
    echo '{' >home/.claude.json
    expect 1 toadstone doctor --json
    [[ $(check servers) == "broken: "*".claude.json"* ]]
    rm home/.claude.json
    mkdir -p home/.config/toadstone
    echo 'no yaml: [' >home/.config/toadstone/config.yaml
    expect 1 toadstone doctor
    has "hook PostToolUse: broken: it cannot judge, and blocks everything"
    has "broken: no wrapped server starts with it"
    rm home/.config/toadstone/config.yaml
    echo garbage >garbage.db
    expect 1 toadstone doctor --store garbage.db
    has "    broken: "
    lacks "hook PostToolUse: broken"
}

@test "doctor: where no agent is, that is said" {
    export HOME=$PWD/empty
    mkdir empty
    expect 0 toadstone doctor
    has "no coding agent is here"
    expect 2 toadstone doctor extra
}
