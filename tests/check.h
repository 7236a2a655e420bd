/* check.h - cmocka, behind the headers that it wants to have been included before it. */
#ifndef TOAD_TESTS_CHECK_H
#define TOAD_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
