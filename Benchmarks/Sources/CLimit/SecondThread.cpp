// A thread that only exists.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "include/measure.h"

void measure_start_second_thread(void) {
    std::thread([] {
        std::mutex mutex;
        std::condition_variable never;
        std::unique_lock lock(mutex);
        never.wait(lock, [] { return false; });
    }).detach();
}
