// The rows that the limit can run.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "Engine.hpp"
#include "include/measure.h"

using Int = int64_t;

/// A test with its graph set up.
struct limit_row {
    virtual ~limit_row() { limit::freeGraph(); }
    virtual double sample() = 0;
};

/// A row that is one function.
struct FunctionRow final : limit_row {
    std::function<double()> take;
    explicit FunctionRow(std::function<double()> take) : take(std::move(take)) {}
    double sample() override { return take(); }
};

/// A row that repeats `body`, which does `count` operations.
template <class Body> limit_row *repeat(Int count, Body body) {
    body();
    return new FunctionRow([=] {
        double start = measure_now();
        body();
        return (measure_now() - start) * 1e6 / count;
    });
}

limit_row *prepareKairo(std::string_view name);
limit_row *prepareCellx(std::string_view name);
limit_row *prepareDynamic(std::string_view name);
limit_row *prepareSbench(std::string_view name);
limit_row *prepareOperation(std::string_view name);
limit_row *prepareValues(std::string_view name);
limit_row *prepareMemory(std::string_view name);
limit_row *prepareScaling(std::string_view name);

/// Ends the program: a test computed something else than it should.
[[noreturn]] void failCheck(const char *condition, const char *file, int line);

#define CHECK(condition) \
    do { \
        if (!(condition)) failCheck(#condition, __FILE__, __LINE__); \
    } while (0)
