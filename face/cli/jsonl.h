/* jsonl.h - the commands scan, sanitize, wrap and confirm check on JSON lines: one object in, one object out, in order.
 */
#ifndef TOAD_FACE_CLI_JSONL_H
#define TOAD_FACE_CLI_JSONL_H

#include "app/scan/content.h"
#include "face/cli/args.h"
#include "toadstone/scan.h"
#include "toadstone/wrap.h"

/* The members of an answer about one content, without braces: "text" or "bytes_b64", and "removed". */
void jsonl_add_content(toad__buf *out, toad_str text, const toad__census *removed);
int jsonl_scan(const args *a, toad_engine *engine, const toad_scan_options *options);
int jsonl_sanitize(const args *a);
/* Acts with all that led to them (app/act/episode.h); the files follow the name of the act. */
int jsonl_acts(const args *a, toad_engine *engine);
int jsonl_wrap(const args *a, const toad_wrap_options *options);

#endif
