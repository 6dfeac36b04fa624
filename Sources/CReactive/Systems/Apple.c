// Stacks on Apple's platforms. There is no further piece of stack: none has been tried there.
#if defined(__APPLE__)
#include "../System.h"

bool reactive_find_stack(uintptr_t *lowest, size_t *size) {
    *size = pthread_get_stacksize_np(pthread_self());
    *lowest = (uintptr_t)pthread_get_stackaddr_np(pthread_self()) - *size;
    return true;
}

#endif
