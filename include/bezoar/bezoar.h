/* bezoar.h - the whole public interface of libbezoar. */
#ifndef BEZOAR_BEZOAR_H
#define BEZOAR_BEZOAR_H

#define BZR_VERSION_MAJOR 0
#define BZR_VERSION_MINOR 1
#define BZR_VERSION_PATCH 0

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
BZR_API const char *bzr_version(void);

#ifdef __cplusplus
}
#endif
#endif
