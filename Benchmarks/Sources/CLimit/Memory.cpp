// What a node costs on the heap, in bytes: the growth of the heap by 100,000 of them, divided.
#include "Rows.hpp"

using namespace limit;

namespace {

constexpr int count = 100000;

template <class Body> double growth(Body body) {
    Int before = measure_heap();
    body();
    return double(measure_heap() - before) / count;
}

struct Nodes {
    std::vector<Signal<Int> *> signals;
    std::vector<Readable<Int> *> computeds;

    Nodes() {
        graph.edges.trim();
        graph.nodes.reserve(4 * count);
        signals.reserve(count);
        computeds.reserve(count);
    }
    ~Nodes() { freeGraph(); }

    void addSignals() {
        for (int i = 0; i < count; i++) signals.push_back(signal<Int>(i));
    }
    void addComputeds() {
        for (auto signal : signals) computeds.push_back(computed([=] { return signal->read(); }));
    }
    void link() {
        for (auto computed : computeds) computed->read();
    }
    void addEffects() {
        for (auto computed : computeds) effect([=] { computed->read(); });
    }
};

}  // namespace

limit_row *prepareMemory(std::string_view name) {
    if (name == "mem observable") {
        return new FunctionRow([] {
            Nodes nodes;
            return growth([&] { nodes.addSignals(); });
        });
    }
    if (name == "mem computed (unlinked)") {
        return new FunctionRow([] {
            Nodes nodes;
            nodes.addSignals();
            return growth([&] { nodes.addComputeds(); });
        });
    }
    if (name == "mem edge") {
        return new FunctionRow([] {
            Nodes nodes;
            nodes.addSignals();
            nodes.addComputeds();
            return growth([&] { nodes.link(); });
        });
    }
    if (name == "mem effect (1 edge)") {
        return new FunctionRow([] {
            Nodes nodes;
            nodes.addSignals();
            nodes.addComputeds();
            nodes.link();
            return growth([&] { nodes.addEffects(); });
        });
    }
    return nullptr;
}
