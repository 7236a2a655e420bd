/* rulefiles.h - the rule files of the command line, loaded into one set. */
#ifndef TOAD_FACE_CLI_RULEFILES_H
#define TOAD_FACE_CLI_RULEFILES_H

#include "app/scan/rulefile.h"
#include "face/cli/args.h"
#include "toadstone/scan.h"

/* Load the `n` files into *ret, which is left alone when n is 0. False after a message. Free with toad_rules_free. */
bool cli_load_rules(const char *name, const char *const *paths, size_t n, toad_rules **ret);
/* The same (n may be 0), with the definitions and examples as well. Free with toad__rulefile_free. */
bool cli_load_book(const char *name, const char *const *paths, size_t n, toad__rulefile **ret_book, toad_rules **ret);

/* The engine that --rules and --model ask for, and the rules in it (NULL: the catalogue alone). False after a message.
 * Free both. */
bool cli_new_engine(const args *a, toad_rules **ret_rules, toad_engine **ret);

#endif
