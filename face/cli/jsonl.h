/* jsonl.h - the commands scan, sanitize and wrap on JSON lines: one object in, one object out, in order. */
#ifndef BZR_FACE_CLI_JSONL_H
#define BZR_FACE_CLI_JSONL_H

#include "bezoar/scan.h"
#include "bezoar/wrap.h"
#include "face/cli/args.h"

int jsonl_scan(const args *a, bzr_engine *engine, const bzr_scan_options *options);
int jsonl_sanitize(const args *a);
int jsonl_wrap(const args *a, const bzr_wrap_options *options);

#endif
