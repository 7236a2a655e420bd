/* artifact.c - tables of names, asked from the most telling to the least: agents' files first, wherever they stand,
 * since agents read those of a subdirectory when they work in it; then what holds attacks on purpose; then the ending.
 *
 * The lists follow what the agents document (research of November 2026); a directory of an agent that nobody has listed
 * yet is still found by the names in it. Words of a list are separated and surrounded by blanks. */
#include "app/repository/artifact.h"
#include "app/repository/standing.h"
#include "lib/base/str.h"

/* Spelled so they are obeyed in any directory; spelled otherwise only at the root, since docs/agents.md is a page of a
 * manual. */
static const char shouted_names[] = " AGENTS.md AGENT.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md "
                                    "QWEN.md SOUL.md IDENTITY.md SKILL.md WARP.md CRUSH.md ";
static const char instruction_names[] = " copilot-instructions.md .cursorrules .windsurfrules .clinerules .goosehints "
                                        ".roorules .kilocoderules .rules llms.txt llms-full.txt ";
static const char instruction_endings[] = " .mdc .instructions.md .prompt.md .chatmode.md .agent.md .prompty ";
static const char memory_names[] = " MEMORY.md ";
static const char mcp_names[] = " .mcp.json mcp.json mcp.jsonc mcp_config.json mcp-config.json mcp_settings.json "
                                "mcp_servers.json cline_mcp_settings.json claude_desktop_config.json"
                                " gemini-extension.json ";
static const char settings_names[] =
    " .claude.json opencode.json opencode.jsonc crush.json .crush.json .aider.conf.yml .aider.conf.yaml hooks.json ";
static const char vscode_names[] = " settings.json tasks.json launch.json ";
/* Directories that agents keep for themselves. */
static const char agent_directories[] =
    " .claude .claude-plugin .cursor .windsurf .clinerules .roo .kilocode .codex .gemini .qwen .continue .amazonq "
    ".kiro .augment .trae .junie .opencode"
    " .agents .agent .openhands .tabnine .factory .goose .hermes .openclaw .copilot .devin .crush .amp ";
static const char github_directories[] = " instructions prompts chatmodes agents skills ";
static const char settings_endings[] = " .json .jsonc .toml .yaml .yml ";
static const char fixture_directories[] =
    " test tests testing __tests__ spec specs testdata test-data test_data fixtures fixture __fixtures__ corpus "
    "corpora samples sample vectors fuzz fuzzing"
    " mocks __mocks__ snapshots __snapshots__ e2e cypress testsuite bats t ";
static const char fixture_names[] = " conftest.py ";
static const char rule_directories[] = " rules signatures detectors detections yara sigma semgrep patterns ";
static const char data_directories[] = " data dataset datasets training ";
static const char data_endings[] = " .json .jsonc .jsonl .ndjson .json5 .csv .tsv .yaml .yml .toml .xml .ini .cfg "
                                   ".conf .lock .po .properties .env .svg .yar .yara .bin .dat ";
static const char prose_endings[] = " .md .mdx .markdown .rst .txt .adoc .asciidoc .org .html .htm .xhtml .tex .rtf ";
static const char prose_names[] =
    " contributing changelog security install news authors license copying notice todo hacking code_of_conduct ";
static const char packed_endings[] = " .gz .bz2 .xz .zst .zip .7z .pdf .png .jpg .jpeg .gif .webp .ico ";
static const char message_names[] = " commit_editmsg merge_msg squash_msg tag_editmsg ";

static bool find(const char *list, toad_str word, bool exact) {
    for (size_t i = 1, end; list[i]; i = end + 1) {
        end = i;
        while (list[end] != ' ') end++;
        toad_str one = toad__str(list + i, end - i);
        if (exact ? toad__str_eq(one, word) : toad__str_ieq(one, word)) return true;
    }
    return false;
}

static bool in_list(const char *list, toad_str word) { return find(list, word, false); }

static bool ends_with(toad_str s, toad_str end) {
    return s.n >= end.n && toad__str_ieq(toad__str_part(s, s.n - end.n, s.n), end);
}

static bool has_ending(const char *list, toad_str name) {
    for (size_t i = 1, end; list[i]; i = end + 1) {
        end = i;
        while (list[end] != ' ') end++;
        if (ends_with(name, toad__str(list + i, end - i))) return true;
    }
    return false;
}

static toad_str name_of(toad_str path) {
    size_t at = path.n;
    while (at && path.p[at - 1] != '/') at--;
    return toad__str_part(path, at, path.n);
}

/* Is one of the directories of `path` in the list? *ret_next: the name that follows it. */
static bool is_below(const char *list, toad_str path, toad_str *ret_next) {
    for (size_t at = 0, end; (end = toad__str_find(path, TOAD__S("/"), at)) < path.n; at = end + 1) {
        if (!in_list(list, toad__str_part(path, at, end))) continue;
        size_t next = toad__str_find(path, TOAD__S("/"), end + 1);
        *ret_next = toad__str_part(path, end + 1, next);
        return true;
    }
    return false;
}

/* OTHER: not an agent's. */
static toad__artifact agents_file(toad_str path, toad_str name) {
    toad_str next = { NULL, 0 };
    if (in_list(mcp_names, name) || ends_with(name, TOAD__S(".mcp.json"))) return TOAD__ARTIFACT_MCP;
    if (find(memory_names, name, path.n != name.n)) return TOAD__ARTIFACT_MEMORY;
    if (find(shouted_names, name, path.n != name.n) || in_list(instruction_names, name) ||
        has_ending(instruction_endings, name))
        return TOAD__ARTIFACT_INSTRUCTIONS;
    if (in_list(settings_names, name)) return TOAD__ARTIFACT_SETTINGS;
    if (is_below(" .vscode ", path, &next) && in_list(vscode_names, name)) return TOAD__ARTIFACT_SETTINGS;
    if (is_below(" .github ", path, &next) && in_list(github_directories, next)) return TOAD__ARTIFACT_INSTRUCTIONS;
    if (is_below(" .github ", path, &next) && toad__str_ieq(next, TOAD__S("hooks"))) return TOAD__ARTIFACT_SETTINGS;
    if (!is_below(agent_directories, path, &next)) return TOAD__ARTIFACT_OTHER;
    if (has_ending(settings_endings, name)) return TOAD__ARTIFACT_SETTINGS;
    bool bare = toad__str_find(name, TOAD__S("."), 0) == name.n, program = is_below(" bin ", path, &next);
    bool prose = has_ending(prose_endings, name) || (bare && !program);
    return prose ? TOAD__ARTIFACT_INSTRUCTIONS : TOAD__ARTIFACT_OTHER;
}

bool toad__artifact_is_agents_directory(toad_str path) {
    toad_str next;
    return in_list(agent_directories, name_of(path)) || is_below(agent_directories, path, &next);
}

static bool is_test_name(toad_str name) {
    static const char *const parts[] = { "_test.", ".test.", ".spec.", "_spec.", "-test." };
    if (in_list(fixture_names, name) || ends_with(name, TOAD__S(".bats"))) return true;
    if (name.n > 5 && toad__str_ieq(toad__str_part(name, 0, 5), TOAD__S("test_"))) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (toad__str_find(name, toad__str_z(parts[i]), 1) < name.n) return true;
    return false;
}

static bool is_prose_name(toad_str name) {
    size_t dot = toad__str_find(name, TOAD__S("."), 1);
    return has_ending(prose_endings, name) || (dot == name.n && in_list(prose_names, name));
}

toad__artifact toad__artifact_of(toad_str path) {
    toad_str name = name_of(path), next = { NULL, 0 };
    while (toad__str_starts(path, TOAD__S("./"))) path = toad__str_part(path, 2, path.n);
    toad__artifact agents = agents_file(path, name);
    bool fixture = is_below(fixture_directories, path, &next) || is_test_name(name);
    /* In a fixture only the names that are obeyed in every directory are. */
    if (agents == TOAD__ARTIFACT_INSTRUCTIONS && fixture && !find(shouted_names, name, true))
        agents = TOAD__ARTIFACT_FIXTURE;
    if (agents != TOAD__ARTIFACT_OTHER && fixture && agents != TOAD__ARTIFACT_INSTRUCTIONS)
        return TOAD__ARTIFACT_FIXTURE;
    if (agents != TOAD__ARTIFACT_OTHER) return agents;
    if (is_below(" .git ", path, &next) && in_list(message_names, name)) return TOAD__ARTIFACT_MESSAGE;
    if (has_ending(packed_endings, name)) return TOAD__ARTIFACT_OTHER;
    bool data = has_ending(data_endings, name), prose = is_prose_name(name);
    if (fixture) return TOAD__ARTIFACT_FIXTURE;
    if (data && is_below(rule_directories, path, &next)) return TOAD__ARTIFACT_RULES;
    if ((data || ends_with(name, TOAD__S(".txt"))) && is_below(data_directories, path, &next))
        return TOAD__ARTIFACT_FIXTURE;
    if (name.n >= 6 && toad__str_ieq(toad__str_part(name, 0, 6), TOAD__S("readme"))) return TOAD__ARTIFACT_README;
    if (prose) return TOAD__ARTIFACT_DOCUMENT;
    if (data) return TOAD__ARTIFACT_DATA;
    return toad__language_of(name) == TOAD__LANGUAGE_NONE ? TOAD__ARTIFACT_OTHER : TOAD__ARTIFACT_CODE;
}

static const struct {
    const char *name, *title, *source;
    toad_kind kind;
} rows[] = {
#define X(id, name, title, kind, source) { name, title, source, kind },
    TOAD__ARTIFACTS(X)
#undef X
};

const char *toad__artifact_name(toad__artifact a) { return rows[a < TOAD__ARTIFACT_N ? a : 0].name; }
const char *toad__artifact_title(toad__artifact a) { return rows[a < TOAD__ARTIFACT_N ? a : 0].title; }
const char *toad__artifact_source(toad__artifact a) { return rows[a < TOAD__ARTIFACT_N ? a : 0].source; }
toad_kind toad__artifact_kind(toad__artifact a) { return rows[a < TOAD__ARTIFACT_N ? a : 0].kind; }
bool toad__artifact_is_agents(toad__artifact a) { return a >= TOAD__ARTIFACT_INSTRUCTIONS && a <= TOAD__ARTIFACT_MCP; }
bool toad__artifact_is_text(toad__artifact a) { return a >= TOAD__ARTIFACT_INSTRUCTIONS && a <= TOAD__ARTIFACT_CODE; }
