/* sandbox.h - what a process that reads hostile bytes gives up first. */
#ifndef TOAD_NET_SANDBOX_H
#define TOAD_NET_SANDBOX_H

#include "toadstone/types.h"

/* In a child after fork: a session of its own without a terminal, no descriptor but `keep`, which becomes 3 (0, 1 and 2
 * lead to /dev/null), no core, no file writes, at most `seconds` of processor time and `bytes` of memory beside what
 * there is; and by seccomp no new program, no new process, no writing or changing of files, no sockets but TCP and UDP
 * over IPv4 and IPv6, no listening, no signals to others, no looking into other processes, no typing into terminals.
 * Reading files and connecting stay possible: certificates and name servers need them. False: the kernel has no
 * seccomp; the rest holds. */
bool toad__sandbox_enter(int keep, unsigned seconds, size_t bytes);

/* In a child after fork that will become another program: a session of its own, no descriptor but 0, 1 and 2, which are
 * the caller's to set, no core, no file writes, at most `seconds` of processor time and `bytes` of memory; and by
 * seccomp all that is refused above but for new programs and processes, and no sockets at all. False: as above. */
bool toad__sandbox_program(unsigned seconds, size_t bytes);

#endif
