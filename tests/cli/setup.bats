#!/usr/bin/env bats
# Hooks and proxy entries written into agents' configurations, and taken out again.
load helper

home() { export HOME=$PWD/home; mkdir -p home; }

# Configurations as people have them: what is to be the same again, to the byte.
configurations() {
    mkdir -p home/.claude home/.codex home/.gemini home/.qwen home/.cursor home/.copilot
    cat >home/.claude/settings.json <<'JSON'
{
  "permissions": { "allow": ["Bash(ls:*)"] },
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [{ "type": "command", "command": "prettier --write" }]
      }
    ],
    "PreToolUse": [],
    "Stop": [ ]
  }
}
JSON
    printf '{ // my settings\r\n\t"theme": "dark", /* x */\r\n\t"mcpServers": {"w": {"command": "node", "args": ["w.js"]}},\r\n}\r\n' >home/.gemini/settings.json
    printf '{"version":1,"hooks":{ }}' >home/.cursor/hooks.json
    printf '{}' >home/.qwen/settings.json
}

@test "setup protects what is here, once, and --undo gives every byte back" {
    home
    configurations
    cp -r home before
    expect 0 toadstone setup
    has "PostToolUse: hook now"
    has "w: wrapped now"
    diff -r home before >/dev/null && false
    for file in home/.claude/settings.json home/.codex/hooks.json home/.cursor/hooks.json home/.qwen/settings.json home/.copilot/hooks/toadstone.json; do
        jq -e '.hooks | length > 3' "$file" >/dev/null
        [ "$(grep -o 'hook --agent [a-z]* --event [A-Za-z]*' "$file" | sort | uniq -d)" = "" ]
    done
    [ "$(jq -r '.hooks.PostToolUse[0].hooks[0].command' home/.claude/settings.json)" = "prettier --write" ]
    command=$(jq -r '.hooks.PostToolUse[1].hooks[0].command' home/.claude/settings.json)
    [ "$command" = "$TOADSTONE hook --agent claude --event PostToolUse" ]
    grep -q '"--name", "w"' home/.gemini/settings.json

    cp -r home once
    expect 0 toadstone setup
    has "there is nothing to change"
    diff -r home once

    expect 0 person toadstone setup --undo
    rm -rf home/.local # the store
    find home before -type d -empty -delete
    diff -r home before
}

@test "what an installed hook is told to run answers" {
    home
    mkdir -p "home/.claude"
    cat >mine.yaml <<'YAML'
rules:
  - id: grue
    title: A grue
    severity: high
    scope: relaxed
    pattern: "beware of the grue"
    why: Grues are ours.
    match: ["beware of the grue"]
    pass: ["a grue"]
YAML
    expect 0 toadstone setup --agent claude --rules mine.yaml
    command=$(jq -r '.hooks.PreToolUse[0].hooks[0].command' home/.claude/settings.json)
    mkdir elsewhere && cd elsewhere
    expect 0 sh -c "printf '{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":{}}' | $command"
    [ "$output" = '{}' ]
    command=$(jq -r '.hooks.PostToolUse[0].hooks[0].command' ../home/.claude/settings.json)
    expect 0 sh -c "printf '{\"session_id\":\"s\",\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{},\"tool_response\":\"beware of the grue\"}' | $command"
    has "grue"
    has "[toadstone] Withheld"
}

@test "a dry run writes nothing; a configuration that cannot be read is left alone, and the others are set up" {
    home
    configurations
    cp -r home before
    expect 0 toadstone setup --dry-run
    diff -r home before
    printf '{"hooks": {"PreToolUse": "x"}}' >home/.claude/settings.json
    printf '{"hooks": ' >home/.qwen/settings.json
    cp home/.qwen/settings.json .
    expect 2 toadstone setup
    has "written in a way that is not understood"
    cmp home/.qwen/settings.json settings.json
    jq -e .hooks.SessionStart home/.codex/hooks.json >/dev/null
}

@test "hooks that are installed get other options from the user alone; the same again changes nothing, and asks nobody" {
    home
    mkdir -p home/.claude
    expect 0 toadstone setup --agent claude
    cp home/.claude/settings.json .
    for looser in "--fail open" "--store $PWD/elsewhere.db"; do
        expect 1 away toadstone setup --agent claude --yes $looser
        has "only the user may replace installed hooks"
        expect 1 person env CLAUDECODE=1 toadstone setup --agent claude --yes $looser
        cmp home/.claude/settings.json settings.json
    done
    expect 0 away toadstone setup --agent claude --yes
    cmp home/.claude/settings.json settings.json
    expect 0 person toadstone setup --agent claude --yes --fail open
    grep -q -- '--fail open' home/.claude/settings.json
    echo '{"mcpServers":{"ok":{"command":"sh"}}}' >home/.claude.json
    expect 0 toadstone wrap-client --client claude --all
    cp home/.claude.json .
    expect 0 away toadstone wrap-client --client claude --all --pin off --store "$PWD/elsewhere.db"
    cmp home/.claude.json .claude.json
}

@test "for a project, in the project's files" {
    home
    mkdir -p work/.git && cd work
    expect 0 toadstone setup --agent claude --agent cursor --project
    jq -e .hooks.PreToolUse .claude/settings.json >/dev/null
    jq -e '.version == 1 and .hooks.beforeReadFile[0].failClosed' .cursor/hooks.json >/dev/null
    [ ! -e ../home/.claude ]
    expect 0 person toadstone setup --agent claude --agent cursor --project --undo
    [ ! -e .claude/settings.json ] && [ ! -e .cursor/hooks.json ]
    expect 2 toadstone setup
    has "no coding agent is here"
}

@test "agents that load code: the file is ours, names this program, is tried by doctor, and is taken away as a whole" {
    home
    mkdir -p home/.config/opencode home/.openclaw home/.hermes
    expect 0 toadstone setup --store "$PWD/s.db"
    has "home/.openclaw/extensions/toadstone/openclaw.plugin.json"
    for file in .config/opencode/plugins/toadstone.js .openclaw/extensions/toadstone/index.js .hermes/plugins/toadstone/__init__.py; do
        [ "$(sed -n 's/.*COMMAND = \(\[.*\]\);*$/\1/p' "home/$file" | jq -r '.[0]')" = "$TOADSTONE" ]
        [ "$(sed -n 's/.*COMMAND = \(\[.*\]\);*$/\1/p' "home/$file" | jq -r '.[4:] | join(" ")')" = "--store $PWD/s.db" ]
    done
    jq -e '.id == "toadstone"' home/.openclaw/extensions/toadstone/openclaw.plugin.json
    expect 0 toadstone setup --store "$PWD/s.db"
    has "there is nothing to change"
    expect 0 toadstone doctor
    [ "$(grep -c ': covered' <<<"$output")" = 13 ]
    sed -i "s#$TOADSTONE#/nowhere/toadstone#" home/.config/opencode/plugins/toadstone.js
    expect 1 toadstone doctor --agent opencode
    has "its program is not there"
    expect 0 person toadstone setup --undo
    rm -rf home/.local
    [ -z "$(find home -type f)" ]
}

@test "a file of that name that is not ours is left alone" {
    home
    mkdir -p home/.config/opencode/plugins
    echo 'export const Mine = async () => ({});' >home/.config/opencode/plugins/toadstone.js
    cp -r home before
    expect 2 toadstone setup --agent opencode
    has "it is not ours"
    expect 2 person toadstone setup --agent opencode --undo
    diff -r home/.config before/.config
}

@test "hermes: the plugin that setup writes, driven as Hermes drives it" {
    home
    mkdir -p home/.hermes work
    expect 0 toadstone setup --agent hermes
    echo "$ATTACK" >work/AGENTS.md
    run bash -c "cd work && python3 -B '$BATS_TEST_DIRNAME/../hooks/hermes.py' '$HOME/.hermes'"
    [ "$status" = 0 ]
    lacks MARK
    jq -e '(.told | length == 1 and (.[0] | test("AGENTS.md"))) and .harmless and (.page | test("^\\[toadstone\\] Withheld")) and (.failure | test("Withheld"))' <<<"$output"
    jq -e '(.notes | test("Friday")) and (.act | fromjson.error | test("This call was not made"))' <<<"$output"
    sed -i "s#$TOADSTONE#/nowhere/toadstone#" home/.hermes/plugins/toadstone/__init__.py
    run bash -c "cd work && python3 -B '$BATS_TEST_DIRNAME/../hooks/hermes.py' '$HOME/.hermes'"
    lacks MARK
    jq -e '.page | fromjson.error | test("could not be asked")' <<<"$output"
}
