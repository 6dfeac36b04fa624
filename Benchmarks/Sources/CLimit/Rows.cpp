// The C interface: finds a row by its name.
#include "Rows.hpp"

#include <cstdio>

#include "include/limit.h"

void failCheck(const char *condition, const char *file, int line) {
    std::fprintf(stderr, "limit: %s is false at %s:%d\n", condition, file, line);
    std::exit(1);
}

limit_row *limit_prepare(const char *name) {
    for (auto prepare :
         {prepareKairo, prepareCellx, prepareDynamic, prepareSbench, prepareOperation, prepareValues, prepareMemory,
          prepareScaling}) {
        if (limit_row *row = prepare(name)) return row;
    }
    return nullptr;
}

double limit_sample(limit_row *row) { return row->sample(); }

void limit_finish(limit_row *row) { delete row; }
