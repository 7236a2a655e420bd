/* toadstone.h - the whole public interface of libtoadstone (compat.h belongs to a library of its own). */
#ifndef TOADSTONE_TOADSTONE_H
#define TOADSTONE_TOADSTONE_H

#define TOAD_VERSION_MAJOR 0
#define TOAD_VERSION_MINOR 1
#define TOAD_VERSION_PATCH 0

#include "guard.h"
#include "html.h"
#include "memory.h"
#include "prompt.h"
#include "rules.h"
#include "scan.h"
#include "text.h"
#include "types.h"
#include "wrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" as built, static; differs from the macros when a program runs with another library than it was compiled with.
 * docs/library.md says what may change from one version to the next. Thread rule: any thread. */
TOAD_API const char *toad_version(void);

#ifdef __cplusplus
}
#endif
#endif
