#!/usr/bin/env bats
# Skills, plugins and extensions of the user: scanned when they are first seen, and again when a file has changed.
load helper

home() { export HOME=$PWD/home; mkdir -p home p; }
begin() { run bash -c 'printf "{\"session_id\":\"s\",\"session\":\"s\",\"cwd\":\"%s/p\"}" "$PWD" | toadstone hook --agent "$0" --event "$1"' "${1:-claude}" "${2:-SessionStart}"; }
at() { jq -r "$1" <<<"$output"; }
skill() { mkdir -p "$1" && printf '%s\n' "$2" >"$1/SKILL.md"; }
load_skill() { run bash -c 'printf "{\"session_id\":\"s\",\"cwd\":\"%s/p\",\"tool_name\":\"Skill\",\"tool_input\":{\"skill\":\"%s\"}}" "$PWD" "$0" | toadstone hook --agent claude --event PreToolUse' "$1"; }

@test "a skill that steers is told of at each start, in our words, until it is gone" {
    home
    skill home/.claude/skills/tables 'Make tables in Markdown.'
    begin
    [ "$output" = '{}' ]
    skill home/.claude/skills/mail "$ATTACK MARKER"
    for _ in 1 2; do
        begin
        [[ $(at .hookSpecificOutput.additionalContext) == "[toadstone] ~/.claude/skills/mail/SKILL.md, installed for this agent, holds"* ]]
        has "severity high). Look: toadstone scan ~/.claude/skills/mail/SKILL.md"
        lacks MARKER
    done
    rm -r home/.claude/skills/mail
    begin
    [ "$output" = '{}' ]
}

@test "what changed is looked at again: in its bytes, in its time given back, by a link" {
    home
    skill home/.claude/skills/tables 'Make tables in Markdown.                                              '
    mkdir -p elsewhere home/.claude/commands
    begin
    [ "$output" = '{}' ]
    touch -r home/.claude/skills/tables/SKILL.md time
    size=$(stat -c %s home/.claude/skills/tables/SKILL.md)
    printf '%-*s\n' $((size - 1)) "$ATTACK" >home/.claude/skills/tables/SKILL.md
    [ "$(stat -c %s home/.claude/skills/tables/SKILL.md)" = "$size" ]
    touch -r time home/.claude/skills/tables/SKILL.md
    begin
    has "~/.claude/skills/tables/SKILL.md"
    rm -r home/.claude/skills/tables
    skill elsewhere/linked "$ATTACK"
    ln -s "$PWD/elsewhere/linked" home/.claude/skills/linked
    begin
    has "$PWD/elsewhere/linked/SKILL.md"
    rm home/.claude/skills/linked
    echo "$ATTACK" >home/.claude/commands/run.md
    begin
    has "~/.claude/commands/run.md"
}

@test "every agent has its places; what one agent loads is no matter of another" {
    home
    while read -r agent event place; do
        mkdir -p "$(dirname "home/$place")"
        echo "$ATTACK" >"home/$place"
        begin "$agent" "$event"
        has "installed for this agent" || { echo "$agent $place"; false; }
        rm "home/$place"
        begin "$agent" "$event"
        lacks "installed for this agent"
    done <<'LIST'
claude SessionStart .claude/plugins/cache/market/plugin/1.0/commands/x.md
codex SessionStart .codex/plugins/cache/market/plugin/1.0/skills/x/SKILL.md
codex SessionStart .agents/skills/x/SKILL.md
gemini SessionStart .gemini/extensions/x/GEMINI.md
qwen SessionStart .qwen/extensions/x/QWEN.md
copilot sessionStart .copilot/installed-plugins/market/x/agents/y.md
opencode session .config/opencode/command/x.md
openclaw session .openclaw/extensions/x/skills/y/SKILL.md
hermes on_session_start .hermes/skills/group/x/SKILL.md
LIST
    skill home/.gemini/extensions/x "$ATTACK"
    begin claude
    [ "$output" = '{}' ]
}

@test "archives and documents are opened; what stays closed is told, once" {
    home
    mkdir -p home/.claude/skills/tables
    cd home/.claude/skills/tables
    python3 -c 'import sys, zipfile; z = zipfile.ZipFile("more.skill", "w"); z.writestr("SKILL.md", sys.argv[1]); z.close()' "$ATTACK"
    cd "$BATS_TEST_TMPDIR"
    begin
    has "~/.claude/skills/tables/more.skill"
    rm home/.claude/skills/tables/more.skill
    echo "Make tables." >home/.claude/skills/tables/SKILL.md
    head -c 3000 /dev/urandom >home/.claude/skills/tables/tool.bin
    ln -s /etc/passwd home/.claude/skills/tables/link.md
    mkdir -p home/.claude/skills/tables/bin
    cp "$TOADSTONE" home/.claude/skills/tables/bin/tables # a program, with all our rules in it
    { yes 'A table has rows.' | head -c 2000000; echo "$ATTACK"; } >home/.claude/skills/tables/long.md
    begin
    [ "$output" = '{"systemMessage":"toadstone: not looked into: 4 of the files newly installed for this agent"}' ]
    begin
    [ "$output" = '{}' ]
}

@test "a skill that steers is not loaded, by its name; the others are" {
    home
    skill home/.claude/skills/tables 'Make tables in Markdown.'
    skill home/.claude/skills/mail "$ATTACK MARKER"
    skill p/.claude/skills/local "$ATTACK MARKER"
    mkdir -p home/.claude/plugins/cache/market/post/1.0/commands
    echo "$ATTACK MARKER" >home/.claude/plugins/cache/market/post/1.0/commands/send.md
    load_skill tables
    [ "$output" = '{}' ]
    for name in mail local post:send; do
        load_skill "$name"
        [ "$(at .hookSpecificOutput.permissionDecision)" = deny ]
        has "This skill was not loaded"
        lacks MARKER
    done
    load_skill '../../../*'
    [ "$output" = '{}' ]
}

@test "by the policy: what it allows is not told of" {
    home
    skill home/.claude/skills/mail "$ATTACK"
    mkdir -p home/.config/toadstone
    printf 'policy:\n  file: {high: allow, medium: allow}\n' >home/.config/toadstone/config.yaml
    begin
    [ "$output" = '{}' ]
    load_skill mail
    [ "$output" = '{}' ]
}

@test "three hundred skills of 40 KB: a start that finds nothing new takes no time for them" {
    home
    text=$(yes 'A table has a header, rows, and cells that are divided by bars.' | head -640)
    for i in $(seq 300); do skill "home/.claude/skills/s$i" "Make table $i. $text"; done
    # milliseconds of CPU: others are at work on this machine
    took() { local TIMEFORMAT='%U %S'; { time begin >/dev/null; } 2>time; awk '{printf "%d\n", ($1 + $2) * 1000}' time >"$1"; }
    took first
    while [ "$output" != '{}' ]; do begin; done
    took known
    echo "first $(cat first) ms, known $(cat known) ms" >&3
    [ $(($(cat known) * 2)) -lt "$(cat first)" ] # half of the rest is the shell's
}

@test "our own packages do not steer" {
    home
    mkdir -p home/.openclaw/extensions
    cp -r "$BATS_TEST_DIRNAME"/../../packaging/agents/. home/.openclaw/extensions/
    begin openclaw session
    [ "$output" = '{"decision":"allow"}' ]
}
