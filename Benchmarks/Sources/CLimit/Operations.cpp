// Single operations, in nanoseconds: untracked reads (us), tracked reads (tr), writes (wr), creating and freeing (cr).
#include "Rows.hpp"

using namespace limit;

template <class Value> static limit_row *repeatRead(Int count, Value *value) {
    return repeat(count, [=] {
        Int sum = 0;
        for (Int i = 0; i < count; i++) {
            sum += value->read();
            measure_sink(sum);
        }
    });
}

static limit_row *repeatWrite(Int count, Signal<Int> *signal) {
    auto next = std::make_shared<Int>(0);
    return repeat(count, [=] {
        Int value = *next;
        for (Int i = 0; i < count; i++) signal->write(++value);
        *next = value;
    });
}

limit_row *prepareOperation(std::string_view name) {
    constexpr Int many = 10'000'000;
    if (name == "us untracked read") return repeatRead(many, signal<Int>(1));
    if (name == "us untracked computed read") {
        auto source = signal<Int>(1);
        auto value = computed([=] { return source->read(); });
        effect([=] { value->read(); });
        return repeatRead(many, value);
    }
    if (name == "tr tracked read same") {
        auto source = signal<Int>(1), trigger = signal<Int>(0);
        effect([=] {
            trigger->read();
            for (Int i = 0; i < many; i++) measure_sink(source->read());
        });
        return repeat(many, [=] { trigger->write(trigger->read() + 1); });
    }
    if (name == "tr tracked read 1000 deps") {
        std::vector<Signal<Int> *> sources;
        for (int i = 0; i < 1000; i++) sources.push_back(signal<Int>(1));
        auto trigger = signal<Int>(0);
        effect([=] {
            trigger->read();
            Int sum = 0;
            for (auto source : sources) sum += source->read();
            measure_sink(sum);
        });
        return repeat(10'000 * 1000, [=] {
            for (int i = 0; i < 10'000; i++) trigger->write(trigger->read() + 1);
        });
    }
    if (name == "wr write no observers") return repeatWrite(many, signal<Int>(1));
    if (name == "wr write 1 effect") {
        auto source = signal<Int>(1);
        effect([=] { measure_sink(source->read()); });
        return repeatWrite(many / 10, source);
    }
    if (name == "wr write 1 computed 1 effect") {
        auto source = signal<Int>(1);
        auto next = computed([=] { return source->read() + 1; });
        effect([=] { measure_sink(next->read()); });
        return repeatWrite(many / 10, source);
    }
    if (name == "cr create+free observable") {
        return repeat(1'000'000, [] {
            for (int i = 0; i < 1'000'000; i++) signal<Int>(i);
            freeGraph();
        });
    }
    if (name == "cr create+free computed(1 dep)") {
        return repeat(200'000, [] {
            auto source = signal<Int>(0);
            for (int i = 0; i < 200'000; i++) computed([=] { return source->read() + 1; })->read();
            freeGraph();
        });
    }
    if (name == "cr create+free effect(1 dep)") {
        return repeat(200'000, [] {
            auto source = signal<Int>(0);
            for (int i = 0; i < 200'000; i++) effect([=] { measure_sink(source->read()); });
            freeGraph();
        });
    }
    return nullptr;
}
