// The way from a program that asks for a snapshot of a graph to the code; see Recording.c.
#include "CReactive.h"

const void *reactive_code_of_snapshots(void);

const void *reactive_snapshot_code(void) { return reactive_code_of_snapshots(); }
