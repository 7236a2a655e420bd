/* sandbox.h - what a process that reads hostile bytes gives up first. */
#ifndef TOAD_NET_SANDBOX_H
#define TOAD_NET_SANDBOX_H

#include "toadstone/types.h"

/* In a child after fork: no files but `keep` and standard error, no core, no file writes, at most `seconds` of
 * processor time and `bytes` of memory beside what there is; and by seccomp no new program, no new process, no opening
 * of files for writing, no listening, no looking into other processes. Reading files and connecting stay possible:
 * certificates and name servers need them. `keep` becomes descriptor 3. False: the kernel has no seccomp; the rest
 * holds. */
bool toad__sandbox_enter(int keep, unsigned seconds, size_t bytes);

/* In a child after fork that will become another program: no core, no file writes, at most `seconds` of processor time
 * and `bytes` of memory; and by seccomp no network, no opening of files for writing, no looking into other processes.
 * Its files are the caller's to close. False: as above. */
bool toad__sandbox_program(unsigned seconds, size_t bytes);

#endif
