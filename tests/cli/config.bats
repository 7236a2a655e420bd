#!/usr/bin/env bats
load helper

# No configuration of the machine; the user's own is user/toadstone/config.yaml.
bz() { env -u TOADSTONE_STORE XDG_CONFIG_HOME="$BATS_TEST_TMPDIR/user" toadstone "$@"; }
user() {
    mkdir -p user/toadstone
    cat >user/toadstone/config.yaml
}

@test "the keys of nanofolks' design work as written, true by default" {
    expect 0 bz config show
    has '  web_content_isolation: true'
    has '  require_confirmation: true'
    has '  auto_block_high_confidence: true'
    user <<<$'security:\n  web_content_isolation: true\n  require_confirmation: false\n  auto_block_high_confidence: true'
    expect 0 bz config show --origin
    has "  require_confirmation: false  # $BATS_TEST_TMPDIR/user/toadstone/config.yaml:3"
    has '  auto_block_high_confidence: true  # '
    has 'on_store_error: auto  # built-in'
}

@test "flags over environment over project over user" {
    user <<<$'scan: {fail_on: high}\nstore: {where: /user.db}\nsecurity: {confirm_on: overlap}'
    printf 'scan: {fail_on: medium}\nsecurity: {confirm_on: taint}\n' >.toadstone.yaml
    mkdir -p deep/down
    cd deep/down
    expect 0 bz config show --json
    jq -e '.keys[] | select(.key == "scan.fail_on") | .value == "medium" and (.origin | endswith(".toadstone.yaml:1"))' <<<"$output"
    jq -e '.keys[] | select(.key == "security.confirm_on") | .value == "taint"' <<<"$output"
    TOADSTONE_STORE=/env.db run env XDG_CONFIG_HOME="$BATS_TEST_TMPDIR/user" toadstone config show --json
    jq -e '.keys[] | select(.key == "store.where") | .value == "/env.db" and .origin == "TOADSTONE_STORE"' <<<"$output"
    expect 0 bz config show --json --store /flag.db
    jq -e '.keys[] | select(.key == "store.where") | .value == "/flag.db" and .origin == "--store"' <<<"$output"
}

@test "a project's file is looked for up to the root of its repository" {
    printf 'scan: {scope: strict}\n' >.toadstone.yaml
    mkdir -p repo/.git repo/src
    cd repo/src
    expect 0 bz config show
    has 'scope: relaxed'
    rmdir ../.git
    expect 0 bz config show
    has 'scope: strict'
}

@test "a project's file may only tighten, is no link and stops nobody's work" {
    printf 'security: {require_confirmation: false}\nstore: {where: /x}\nscan: {scope: strict}\n' >.toadstone.yaml
    expect 0 bz config show
    has '.toadstone.yaml:1: security.require_confirmation: this is looser than what holds (true); a project may only tighten'
    has '.toadstone.yaml:2: store.where: this is not for a project to set'
    has 'require_confirmation: true'
    has 'scope: strict'
    ln -sf /dev/zero .toadstone.yaml
    expect 0 bz config show
    has 'cannot be read'
    rm .toadstone.yaml
    mkfifo .toadstone.yaml
    expect 0 timeout 5 env XDG_CONFIG_HOME=/none "$TOADSTONE" config show
}

@test "check: every mistake with file, line and key" {
    cat >bad.yaml <<'EOF'
securty:
  x: 1
security:
  web_content_isolation: yes
  require_confirmtion: false
  confirmation_ttl: 5x
on_store_error: blok
scan:
  rules: a.yaml
policy:
  web: {high: warn, hihg: block}
EOF
    expect 2 bz config check bad.yaml
    has 'bad.yaml:1: securty: there is no such key; did you mean security?'
    has 'bad.yaml:4: security.web_content_isolation: "yes" is neither true nor false'
    has 'bad.yaml:5: security.require_confirmtion: there is no such key; did you mean security.require_confirmation?'
    has 'bad.yaml:6: security.confirmation_ttl: "5x" is no span of time'
    has 'bad.yaml:7: on_store_error: "blok" is none of: degrade auto block'
    has 'bad.yaml:9: scan.rules: a list is expected here'
    has 'bad.yaml:11: policy.web.hihg: there is no such key; did you mean policy.web.high?'
    [ "${#lines[@]}" = 7 ]
    expect 2 bz config check bad.yaml --json
    jq -e '.mistakes | length == 7 and .[0].line == 1 and .[0].key == "securty"' <<<"$output"
    printf 'a: [1\n' >syntax.yaml
    expect 2 bz config check syntax.yaml nosuch.yaml
    has 'not valid YAML'
    has 'nosuch.yaml: it cannot be read'
}

@test "check without a file looks at what would be read; a mistake of one's own stops what depends on it" {
    expect 0 bz config check
    [ "$output" = "no mistakes" ]
    user <<<'on_store_error: maybe'
    expect 2 bz config check
    expect 2 bz config show
    has "toadstone config check"
    rm user/toadstone/config.yaml
    TOADSTONE_SCAN_SCOPE=loose expect 2 bz config check
    has 'TOADSTONE_SCAN_SCOPE: scan.scope: "loose" is none of: relaxed strict'
}

@test "show prints what a file may hold, and no password" {
    bz config show >all.yaml
    expect 0 bz config check all.yaml
    expect 0 bz config show --store 'postgresql://me:secret@db/x?password=secret' --origin
    lacks secret
    has 'postgresql://me:***@db/x'
    expect 0 bz config show --json
    jq -e '.keys | length > 50' <<<"$output"
}

@test "policy: table, cases and why" {
    expect 0 bz policy show
    [[ "$output" =~ web\ +allow\ +allow\ +warn\ +block\ +warn ]]
    [[ "$output" =~ memory\ +allow\ +block\ +block\ +block\ +block ]]
    expect 0 bz policy test --source web --severity high
    [[ "$output" == block* ]]
    expect 0 bz policy test --source web --severity none --completeness size_limit
    [[ "$output" == warn* ]]
    user <<<'policy: {mcp: {medium: ask, incomplete: block}}'
    expect 0 bz policy test --source mcp --severity medium --json
    jq -e '.action == "ask"' <<<"$output"
    expect 0 bz policy test --source mcp --severity low --completeness time_limit
    [[ "$output" == block* ]]
    expect 0 bz policy show --json
    jq -e '.policy | length == 8' <<<"$output"
}

@test "wrong calls" {
    expect 2 bz config
    expect 2 bz config shwo
    expect 2 bz config show extra
    expect 2 bz policy test
    expect 2 bz policy test --source web
    expect 2 bz policy test --source internet --severity low
    has "web search mcp"
    expect 2 bz policy test --source web --severity huge
}

@test "the configuration reaches what is kept: store, policy, automatic blocking" {
    mkdir -p cfg/toadstone
    export XDG_CONFIG_HOME=$PWD/cfg
    unset TOADSTONE_STORE
    local medium="The filter looks for phrases such as 'ignore all previous instructions' in mail."
    printf 'store:\n  where: %s\n' "$PWD/kept.db" >cfg/toadstone/config.yaml
    printf '%s' "$medium" | toadstone contents store - --source https://a.example/ --json >one.json
    [ -e kept.db ]
    [ "$(jq -r .scan one.json)" = warn ]
    printf 'policy:\n  web:\n    medium: block\n' >>cfg/toadstone/config.yaml
    printf '%s' "$medium" | toadstone contents store - --source https://b.example/ --json >two.json
    [ "$(jq -r .scan two.json)" = block ]
    printf 'security:\n  auto_block_high_confidence: false\n' >>cfg/toadstone/config.yaml
    printf '%s' "$ATTACK" | toadstone contents store - --source https://c.example/ --json >three.json
    [ "$(jq -r .scan three.json)" = warn ]
    [ "$(toadstone store stats --json | jq .learnings)" = 0 ] # nothing was blocked for what it says
    printf 'polcy: 1\n' >cfg/toadstone/config.yaml
    expect 2 toadstone contents list
}
