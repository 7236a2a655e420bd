/* rulefiles.h - the rule files of the command line, loaded into one set. */
#ifndef BZR_FACE_CLI_RULEFILES_H
#define BZR_FACE_CLI_RULEFILES_H

#include "app/rulefile.h"

/* Load the `n` files into *ret, which is left alone when n is 0. False after a message. Free with bzr_rules_free. */
bool cli_load_rules(const char *name, const char *const *paths, size_t n, bzr_rules **ret);
/* The same (n may be 0), with the definitions and examples as well. Free with bzr__rulefile_free. */
bool cli_load_book(const char *name, const char *const *paths, size_t n, bzr__rulefile **ret_book, bzr_rules **ret);

#endif
