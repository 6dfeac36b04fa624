// The way from a program that records to the code that records; see RecordingCode.swift. In a file of its own, so
// that a linker leaves it out of other programs.
#include "CReactive.h"

const void *reactive_code_of_recordings(void);

const void *reactive_recording_functions(void) { return reactive_code_of_recordings(); }
