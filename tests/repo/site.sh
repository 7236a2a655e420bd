#!/bin/sh
# The papers as a site, in a browser and from the disk, and what ./dev docs says of one that is wrong.
# usage: site.sh TOADSTONE SITE WORKDIR    The last line is "N passed, N failed".
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
toadstone=$(readlink -f "$1") site=$(cd "$2" && pwd)
mkdir -p "$3"
work=$(cd "$3" && pwd)
good=0 bad=0

# check NAME COMMAND...: passes when the command does.
check() {
    name=$1
    shift
    if "$@" >"$work/step.log" 2>&1; then good=$((good + 1)); printf 'ok    %s\n' "$name"
    else bad=$((bad + 1)); printf 'FAIL  %s\n' "$name"; tail -20 "$work/step.log"; fi
}

# shown ADDRESS: the page as the browser has it once its scripts ran
shown() { chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" --dump-dom "file://$site/$1" 2>/dev/null; }
finds() { shown "$1" | grep -q "$2"; }
none() { ! grep -nE "$@"; }

again() { /usr/bin/python3 "$root/tools/site.py" "$toadstone" "$work/again" && diff -r "$site" "$work/again"; }
rm -rf "$work/again"
check "made twice, the same bytes" again
check "nothing is loaded from elsewhere" none '<(script|link|img|iframe)[^>]*(src|href)="?(https?:)?//' "$site"/*.html

check "a page is shown without a search" finds index.html '<ol id="found" hidden="">'
check "a heading is found, its place is linked" finds 'hooks.html?q=what+each+agent+allows' '<li><a href="hooks.html#what-each-agent-allows">'
check "a command is found" finds 'index.html?q=wrap-client+--undo' '<a href="commands.html#wrap-client">'
check "a function of a header is found" finds 'index.html?q=toad_guard_options' '<a href="headers.html#toad_guard'
check "a rule is found" finds 'index.html?q=ignore_previous_instructions+override' '<a href="catalogue.html#'
check "what stands nowhere is said to" finds 'index.html?q=zyzzyva' 'Nothing has all of these words.'
check "what is searched for is text" finds 'index.html?q=%3Cb%3Etext' 'Nothing has all of these words.'

# A copy with mistakes: each is named.
rm -rf "$work/copy"
mkdir -p "$work/copy/tools"
cp -r "$root"/*.md "$root/docs" "$root/include" "$root/action.yml" "$root/packaging" "$root/examples" "$root/.github" "$work/copy/"
cp -r "$root/tools/site.py" "$root/tools/site" "$work/copy/tools/"
printf '\n[a](gone.md) [b](hooks.md#gone) and docs/nowhere.md\n' >>"$work/copy/docs/mcp.md"
printf '# New\n' >"$work/copy/docs/new.md"
if /usr/bin/python3 "$work/copy/tools/site.py" "$toadstone" "$work/broken" 2>"$work/problems" >/dev/null; then check "mistakes are an error" false; else check "mistakes are an error" true; fi
for problem in 'docs/mcp.md: a link to gone.md' 'docs/mcp.md: a link to hooks.html#gone' 'docs/mcp.md: names docs/nowhere.md' 'docs/new.md: stands in no list'; do
    check "said: $problem" grep -q "$problem" "$work/problems"
done
check "and nothing else is" test "$(wc -l <"$work/problems")" = 4

echo "$good passed, $bad failed"
[ "$bad" = 0 ]
