// The sbench tests of milomg/js-reactivity-benchmark: making sources, making observers, updating; freeing included. A sample is the
// sum over a row's cases of the best of ten runs.
#include <algorithm>
#include <span>

#include "Rows.hpp"

using namespace limit;

namespace {

constexpr int count = 100000;
using Signals = std::vector<Signal<Int> *>;

/// The best of ten runs of `body` on `signalCount` fresh sources.
template <class Body> double best(int signalCount, Body body) {
    double best = 1e18;
    for (int run = 0; run < 10; run++) {
        Signals signals;
        for (int i = 0; i < signalCount; i++) signals.push_back(signal<Int>(i));
        for (auto signal : signals)
            for (int i = 0; i < 3; i++) signal->read();
        double start = measure_now();
        body(signals);
        freeGraph();
        best = std::min(best, measure_now() - start);
    }
    return best;
}

// Observers of one, two, four and 1000 sources.

void observe1(Signal<Int> *a) {
    effect([=] { measure_sink(a->read()); });
}
void observe2(Signal<Int> *a, Signal<Int> *b) {
    effect([=] { measure_sink(a->read() + b->read()); });
}
void observe4(Signal<Int> *a, Signal<Int> *b, Signal<Int> *c, Signal<Int> *d) {
    effect([=] { measure_sink(a->read() + b->read() + c->read() + d->read()); });
}
void observe1000(std::span<Signal<Int> *> signals) {
    effect([=] {
        Int sum = 0;
        for (auto signal : signals) sum += signal->read();
        measure_sink(sum);
    });
}

void update(Signal<Int> *signal, int times) {
    for (int i = 0; i < times; i++) {
        Batch batch;
        signal->write(i);
    }
}

double createSignals() {
    return best(count, [](Signals &signals) {
        for (int i = 0; i < count; i++) signals[i] = signal<Int>(i);
    });
}

double createComputations() {
    double total = 0;
    total += best(0, [](Signals &) {
        for (int i = 0; i < count; i++) effect([=] { measure_sink(i); });
    });
    total += best(count, [](Signals &s) {
        for (auto signal : s) observe1(signal);
    });
    total += best(count, [](Signals &s) {
        for (int i = 0; i < count; i += 2) observe2(s[i], s[i + 1]);
    });
    total += best(count, [](Signals &s) {
        for (int i = 0; i < count; i += 4) observe4(s[i], s[i + 1], s[i + 2], s[i + 3]);
    });
    total += best(count, [](Signals &s) {
        for (int i = 0; i < count; i += 1000) observe1000(std::span(s).subspan(i, 1000));
    });
    for (int observers : {2, 4, 8, 1000}) {
        total += best(count / observers, [=](Signals &s) {
            for (auto signal : s)
                for (int i = 0; i < observers; i++) observe1(signal);
        });
    }
    return total;
}

double updateSignals() {
    double total = 0;
    total += best(1, [](Signals &s) {
        observe1(s[0]);
        update(s[0], count * 4);
    });
    total += best(2, [](Signals &s) {
        observe2(s[0], s[1]);
        update(s[0], count * 2);
    });
    total += best(4, [](Signals &s) {
        observe4(s[0], s[1], s[2], s[3]);
        update(s[0], count);
    });
    total += best(1000, [](Signals &s) {
        observe1000(s);
        update(s[0], count / 250);
    });
    for (int observers : {2, 4, 1000}) {
        total += best(1, [=](Signals &s) {
            for (int i = 0; i < observers; i++) observe1(s[0]);
            update(s[0], observers == 1000 ? count / 10 : count);
        });
    }
    return total;
}

}  // namespace

limit_row *prepareSbench(std::string_view name) {
    if (name == "sbench createSignals") return new FunctionRow(createSignals);
    if (name == "sbench createComputations") return new FunctionRow(createComputations);
    if (name == "sbench updateSignals") return new FunctionRow(updateSignals);
    return nullptr;
}
