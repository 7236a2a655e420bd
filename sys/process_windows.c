/* process_windows.c - see process.h. What Windows tells of the processes above can be forged by any of them: the number
 * of a parent is used again, and may be any that its maker liked. So nobody knows who started this program. */
#include "sys/process.h"

bool toad__process_of(long pid, toad__process *ret) { return (void)pid, (void)ret, false; }
bool toad__starter(char ret[TOAD__STARTER]) { return (void)ret, false; }
bool toad__starter_lives(const char *starter) { return (void)starter, false; }
bool toad__fed_by_starter(const char *starter) { return (void)starter, false; }
