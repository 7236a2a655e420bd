/* toadstone.h - the whole public interface of libtoadstone. */
#ifndef TOADSTONE_TOADSTONE_H
#define TOADSTONE_TOADSTONE_H

#define TOAD_VERSION_MAJOR 0
#define TOAD_VERSION_MINOR 1
#define TOAD_VERSION_PATCH 0

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

/* "0.1.0" as built; differs from the macros when a program runs with another library than it was compiled with. */
TOAD_API const char *toad_version(void);

#ifdef __cplusplus
}
#endif
#endif
