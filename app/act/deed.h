/* deed.h - what sort of deed a tool call is, from the tool's name and the names of its arguments.
 *
 * Tools are named by strangers, so a name can only make a call graver: what is not known to be reading is not taken for
 * it. Pure functions, linear. */
#ifndef TOAD_APP_DEED_H
#define TOAD_APP_DEED_H

#include "lib/base/json.h"

typedef enum toad__deed {
    TOAD__DEED_READING, /* questions, summaries, reading: never asked about */
    TOAD__DEED_OTHER,   /* not known */
    TOAD__DEED_FILE_CHANGE,
    TOAD__DEED_DISCLOSURE,
    TOAD__DEED_OUTSIDE_MESSAGE,
    TOAD__DEED_COMMAND,
    TOAD__DEED_PURCHASE,
} toad__deed;

enum { TOAD__TOOL_WORDS = 24, TOAD__TOOL_WORD = 24 };

/* The words of a tool's name (snake_case, camelCase, server__tool), in lower case, a blank before and behind each;
 * those from `tool` on are the tool's own, those before its server's. */
typedef struct toad__tool_words {
    char word[TOAD__TOOL_WORDS][TOAD__TOOL_WORD + 3];
    size_t n, tool;
} toad__tool_words;
void toad__tool_words_of(toad_str name, toad__tool_words *ret);
/* Without its blanks. */
toad_str toad__tool_word(const toad__tool_words *words, size_t i);
/* Does a word of the name say that it looks something up, whatever else the name says? */
bool toad__tool_looks_up(toad_str name);

/* `arguments` may be NULL. */
toad__deed toad__deed_of(toad_str tool, const toad__json *arguments);
/* The file that the arguments name: a path, a file_path and the like; p NULL: none. */
toad_str toad__deed_path(const toad__json *arguments);
/* "reading", "other", "file_change", "disclosure", "outside_message", "command", "purchase"; static storage. */
const char *toad__deed_name(toad__deed deed);
/* How many bytes one URL in this text can carry out: its query, or one segment of its path or label of its host, in
 * which words between hyphens count half. */
size_t toad__deed_url_payload(toad_str text);

#endif
