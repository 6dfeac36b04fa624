// What a changed node costs, by the size of the graph: nanoseconds of a write, divided by the nodes that change with it.
#include "Rows.hpp"

#include <string>

using namespace limit;

namespace {

std::function<void(Int)> chain(int size) {
    auto source = signal<Int>(0);
    Readable<Int> *last = source;
    for (int i = 0; i < size; i++) {
        last = computed([previous = last] { return previous->read() + 1; });
        // From the top, so that no first read goes through the whole chain.
        last->read();
    }
    effect([=] { measure_sink(last->read()); });
    return [=](Int value) {
        source->write(value);
        CHECK(last->read() == value + size);
    };
}

std::function<void(Int)> fanOut(int size) {
    auto source = signal<Int>(0);
    for (int i = 0; i < size; i++) effect([=] { measure_sink(source->read()); });
    return [=](Int value) { source->write(value); };
}

std::function<void(Int)> fanIn(int size) {
    std::vector<Signal<Int> *> sources;
    for (int i = 0; i < size; i++) sources.push_back(signal<Int>(0));
    auto sum = computed([=] {
        Int sum = 0;
        for (auto source : sources) sum += source->read();
        return sum;
    });
    effect([=] { measure_sink(sum->read()); });
    return [=](Int value) {
        {
            Batch batch;
            for (auto source : sources) source->write(value);
        }
        CHECK(sum->read() == value * size);
    };
}

}  // namespace

limit_row *prepareScaling(std::string_view name) {
    static const std::pair<std::string_view, std::function<void(Int)> (*)(int)> shapes[] = {
        {"chain ", chain},
        {"fan-out ", fanOut},
        {"fan-in ", fanIn},
    };
    for (auto &[shape, make] : shapes) {
        if (!name.starts_with(shape)) continue;
        int size = std::stoi(std::string(name.substr(shape.size())));
        int writes = 1'000'000 / size;
        auto write = make(size);
        auto last = std::make_shared<Int>(0);
        auto run = [=] {
            for (int i = 0; i < writes; i++) write(++*last);
        };
        run();
        return new FunctionRow([=] {
            double start = measure_now();
            run();
            return (measure_now() - start) * 1e6 / (Int(writes) * size);
        });
    }
    return nullptr;
}
