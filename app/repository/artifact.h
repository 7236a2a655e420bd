/* artifact.h - what a file of a repository is to an agent, told by its path.
 *
 * Files that agents load by name and obey (instructions, settings, MCP configurations) speak to the agent whatever they
 * look like; prose, code and messages are read; fixtures, data sets and detection rules hold attacks on purpose. Names
 * are compared without regard to case, since the file systems of many readers do so, too. Pure: the file is not opened.
 * Thread rule: any thread. */
#ifndef TOAD_APP_ARTIFACT_H
#define TOAD_APP_ARTIFACT_H

#include "toadstone/types.h"

/* X(id, name, title, kind of text, kind of source) */
#define TOAD__ARTIFACTS(X)                                                                          \
    X(OTHER, "other", "file", TOAD_KIND_ANY, "file")                                                \
    X(INSTRUCTIONS, "agent_instructions", "agent instructions", TOAD_KIND_INSTRUCTION_FILE, "file") \
    X(MEMORY, "agent_memory", "agent memory", TOAD_KIND_MEMORY, "memory")                           \
    X(SETTINGS, "agent_settings", "agent settings", TOAD_KIND_INSTRUCTION_FILE, "file")             \
    X(MCP, "mcp_config", "MCP configuration", TOAD_KIND_TOOL_DESCRIPTION, "mcp")                    \
    X(MESSAGE, "commit_message", "commit message", TOAD_KIND_ANY, "file")                           \
    X(README, "readme", "README", TOAD_KIND_ANY, "file")                                            \
    X(DOCUMENT, "document", "document", TOAD_KIND_ANY, "file")                                      \
    X(CODE, "code", "source code", TOAD_KIND_CODE, "file")                                          \
    X(DATA, "data", "data", TOAD_KIND_ANY, "file")                                                  \
    X(FIXTURE, "fixture", "test fixture", TOAD_KIND_ANY, "file")                                    \
    X(RULES, "detection_rules", "detection rules", TOAD_KIND_ANY, "file")

typedef enum toad__artifact {
#define X(id, name, title, kind, source) TOAD__ARTIFACT_##id,
    TOAD__ARTIFACTS(X)
#undef X
        TOAD__ARTIFACT_N
} toad__artifact;

/* `path` as seen from the root of the repository, '/' between names. */
toad__artifact toad__artifact_of(toad_str path);
const char *toad__artifact_name(toad__artifact a);  /* "agent_instructions" */
const char *toad__artifact_title(toad__artifact a); /* for a sentence: "agent instructions" */
toad_kind toad__artifact_kind(toad__artifact a);
const char *toad__artifact_source(toad__artifact a); /* kind of source, as the policy names it */
/* Does an agent load it by its name and act on it? Then it is scanned strict, whatever it looks like, and whatever
 * ignore files say. */
bool toad__artifact_is_agents(toad__artifact a);
/* A directory that an agent keeps for itself (.claude, .cursor, ...), or one below it. */
bool toad__artifact_is_agents_directory(toad_str path);
/* Agents' files, READMEs, prose and code: what a repository may not pass off as binary. */
bool toad__artifact_is_text(toad__artifact a);

#endif
