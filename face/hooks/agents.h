/* agents.h - the coding agents whose hooks we answer: what each calls an event, where in its JSON things stand, and
 * what it understands as an answer.
 *
 * One row an agent, one row an event; what is in no row gets the answer that means nothing. What an agent does with an
 * answer was seen, not read (docs/hooks.md): where it cannot replace an output, the output is blocked; where it cannot
 * do that, docs and `doctor` say so. Agents' schemas are strict (Codex refuses an unknown key and then lets the output
 * through), so each answer has the members named here and no others. Pure functions. */
#ifndef TOAD_FACE_HOOKS_AGENTS_H
#define TOAD_FACE_HOOKS_AGENTS_H

#include "lib/base/json.h"

/* The moments of a session at which an agent asks. */
typedef enum hook_moment {
    HOOK_OTHER,   /* nothing is to be decided */
    HOOK_SESSION, /* it begins */
    HOOK_PROMPT,  /* the user said something */
    HOOK_BEFORE,  /* a tool is about to be called */
    HOOK_AFTER,   /* a tool gave something */
    HOOK_FAILED,  /* a tool failed, in words */
    HOOK_BATCH,   /* all that the model is about to see of its calls, failures too */
    HOOK_FILE,    /* a file is about to be read; its text is there */
} hook_moment;

typedef enum hook_decision {
    HOOK_PASS,   /* as if there were no hook */
    HOOK_CHANGE, /* `value` or `text` is what the model may see in place of the output */
    HOOK_ASK,    /* the user must say yes first */
    HOOK_BLOCK,  /* the model sees `text` in place of the output, or why the call was not made */
} hook_decision;

/* What was decided, for who writes it down as the agent wants it. Slices are borrowed. */
typedef struct hook_ruling {
    hook_decision decision;
    hook_moment moment;
    const char *event; /* as the agent calls it */
    toad_str text;     /* for the model; after a tool: the whole output */
    toad_str value;    /* after a tool: the output as JSON, in the tool's own shape */
    toad_str note;     /* for the user, one line; empty: nothing to say */
    bool mcp;          /* the tool is one of an MCP server */
} hook_ruling;

/* Where in a payload things stand: members, "a.b" being b of the object a; NULL: nowhere. */
typedef struct hook_names {
    const char *session, *tool, *input, *output, *error, *prompt, *directory;
} hook_names;

typedef struct hook_event {
    const char *name; /* NULL ends the list */
    hook_moment moment;
    void (*print)(const hook_ruling *ruling, toad__buf *out); /* the answer, one line of JSON */
    const hook_names *names;                                  /* NULL: those of the agent */
    int refusal; /* exit status that blocks, with `text` on standard error, where JSON cannot; 0: JSON does it */
} hook_event;

typedef struct hook_agent {
    const char *name, *title;
    const char *event; /* the member that names the event; NULL: none, --event does */
    hook_names names;
    const hook_event *events;
    bool asks;       /* "ask" asks the user; else it is a refusal that says how the user approves */
    const char *gap; /* what no answer of ours keeps from its model, in words; NULL: nothing is known of */
} hook_agent;

#define HOOK_AGENTS "claude codex gemini qwen copilot vscode cursor windsurf opencode openclaw hermes generic"

/* NULL: there is none of this name. */
const hook_agent *hook_agent_find(const char *name);
/* NULL: nothing is decided at such an event. */
const hook_event *hook_event_find(const hook_agent *agent, toad_str name);
/* What a payload holds at a place of hook_names, or NULL. */
const toad__json *hook_at(const toad__json *payload, const char *place);

#endif
