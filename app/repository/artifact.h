/* artifact.h - what a file of a repository is to an agent, told by its path.
 *
 * Files that agents load by name and obey (instructions, settings, MCP configurations) speak to the agent whatever they
 * look like; prose, code and messages are read; fixtures, data sets and detection rules hold attacks on purpose. Names
 * are compared without regard to case, since the file systems of many readers do so, too. Pure: the file is not opened.
 * Thread rule: any thread. */
#ifndef BZR_APP_ARTIFACT_H
#define BZR_APP_ARTIFACT_H

#include "bezoar/types.h"

/* X(id, name, title, kind of text, kind of source) */
#define BZR__ARTIFACTS(X)                                                                          \
    X(OTHER, "other", "file", BZR_KIND_ANY, "file")                                                \
    X(INSTRUCTIONS, "agent_instructions", "agent instructions", BZR_KIND_INSTRUCTION_FILE, "file") \
    X(MEMORY, "agent_memory", "agent memory", BZR_KIND_MEMORY, "memory")                           \
    X(SETTINGS, "agent_settings", "agent settings", BZR_KIND_INSTRUCTION_FILE, "file")             \
    X(MCP, "mcp_config", "MCP configuration", BZR_KIND_TOOL_DESCRIPTION, "mcp")                    \
    X(MESSAGE, "commit_message", "commit message", BZR_KIND_ANY, "file")                           \
    X(README, "readme", "README", BZR_KIND_ANY, "file")                                            \
    X(DOCUMENT, "document", "document", BZR_KIND_ANY, "file")                                      \
    X(CODE, "code", "source code", BZR_KIND_CODE, "file")                                          \
    X(DATA, "data", "data", BZR_KIND_ANY, "file")                                                  \
    X(FIXTURE, "fixture", "test fixture", BZR_KIND_ANY, "file")                                    \
    X(RULES, "detection_rules", "detection rules", BZR_KIND_ANY, "file")

typedef enum bzr__artifact {
#define X(id, name, title, kind, source) BZR__ARTIFACT_##id,
    BZR__ARTIFACTS(X)
#undef X
        BZR__ARTIFACT_N
} bzr__artifact;

/* `path` as seen from the root of the repository, '/' between names. */
bzr__artifact bzr__artifact_of(bzr_str path);
const char *bzr__artifact_name(bzr__artifact a);  /* "agent_instructions" */
const char *bzr__artifact_title(bzr__artifact a); /* for a sentence: "agent instructions" */
bzr_kind bzr__artifact_kind(bzr__artifact a);
const char *bzr__artifact_source(bzr__artifact a); /* kind of source, as the policy names it */
/* Does an agent load it by its name and act on it? Then it is scanned strict, whatever it looks like, and whatever
 * ignore files say. */
bool bzr__artifact_is_agents(bzr__artifact a);
/* A directory that an agent keeps for itself (.claude, .cursor, ...), or one below it. */
bool bzr__artifact_is_agents_directory(bzr_str path);
/* Agents' files, READMEs, prose and code: what a repository may not pass off as binary. */
bool bzr__artifact_is_text(bzr__artifact a);

#endif
