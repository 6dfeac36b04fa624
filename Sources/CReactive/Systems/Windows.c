// Mutexes, the end of a thread and stacks on Windows. It compiles; the Swift sources do not support Windows yet.
#if defined(_WIN32)
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0602
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "../System.h"

_Static_assert(sizeof(reactive_mutex) == sizeof(SRWLOCK), "reactive_mutex must have the size of SRWLOCK");

void reactive_mutex_lock(reactive_mutex *mutex) { AcquireSRWLockExclusive((SRWLOCK *)mutex); }
void reactive_mutex_unlock(reactive_mutex *mutex) { ReleaseSRWLockExclusive((SRWLOCK *)mutex); }

void reactive_yield(void) { SwitchToThread(); }
void reactive_nap(void) { Sleep(1); }

uint64_t reactive_now(void) {
    LARGE_INTEGER count, frequency;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&frequency);
    return (uint64_t)(count.QuadPart / frequency.QuadPart) * 1000000000
        + (uint64_t)(count.QuadPart % frequency.QuadPart) * 1000000000 / (uint64_t)frequency.QuadPart;
}

static DWORD context_key = FLS_OUT_OF_INDEXES;
static INIT_ONCE context_key_once = INIT_ONCE_STATIC_INIT;

static void WINAPI context_ends(void *context) {
    if (context) reactive_context_ends();
}

static BOOL CALLBACK make_context_key(INIT_ONCE *once, void *parameter, void **context) {
    (void)once, (void)parameter, (void)context;
    context_key = FlsAlloc(context_ends);
    return TRUE;
}

void reactive_note_end_of_thread(void) {
    InitOnceExecuteOnce(&context_key_once, make_context_key, NULL, NULL);
    FlsSetValue(context_key, &reactive_thread);
}

bool reactive_find_stack(uintptr_t *lowest, size_t *size) {
    ULONG_PTR low = 0, high = 0;
    GetCurrentThreadStackLimits(&low, &high);
    *lowest = (uintptr_t)low;
    *size = (size_t)(high - low);
    return true;
}

#endif
