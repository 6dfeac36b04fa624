// The cellx tests of milomg/js-reactivity-benchmark: layers of four computeds; a sample is ten graphs, each written once.
#include "Rows.hpp"

using namespace limit;

static double runOnce(int layers) {
    Signal<Int> *sources[4];
    for (int i = 0; i < 4; i++) sources[i] = signal<Int>(i + 1);
    Readable<Int> *last[4] = {sources[0], sources[1], sources[2], sources[3]};
    for (int i = 0; i < layers; i++) {
        auto [a, b, c, d] = last;
        Readable<Int> *layer[4] = {
            computed([b = b] { return b->read(); }),
            computed([a = a, c = c] { return a->read() - c->read(); }),
            computed([b = b, d = d] { return b->read() + d->read(); }),
            computed([c = c] { return c->read(); }),
        };
        for (int k = 0; k < 4; k++) {
            last[k] = layer[k];
            effect([value = layer[k]] { value->read(); });
        }
    }

    double start = measure_now();
    Int before[4], after[4];
    for (int i = 0; i < 4; i++) before[i] = last[i]->read();
    {
        Batch batch;
        for (int i = 0; i < 4; i++) sources[i]->write(4 - i);
    }
    for (int i = 0; i < 4; i++) after[i] = last[i]->read();
    double time = measure_now() - start;

    const Int expectedBefore[4] = {-3, -6, -2, 2}, expectedAfter[4] = {-2, -4, 2, 3};
    for (int i = 0; i < 4; i++) CHECK(before[i] == expectedBefore[i] && after[i] == expectedAfter[i]);
    freeGraph();
    return time;
}

limit_row *prepareCellx(std::string_view name) {
    int layers = name == "cellx1000" ? 1000 : name == "cellx2500" ? 2500 : 0;
    if (!layers) return nullptr;
    runOnce(layers);
    return new FunctionRow([=] {
        double total = 0;
        for (int i = 0; i < 10; i++) total += runOnce(layers);
        return total;
    });
}
