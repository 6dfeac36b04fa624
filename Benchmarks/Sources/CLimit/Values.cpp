// Single operations on values that are no plain numbers, on parts of values, and in a batch; in nanoseconds.
#include <string>

#include "Rows.hpp"

using namespace limit;

static constexpr Int many = 1'000'000, length = 100'000;

struct Object {
    Int number;
};

limit_row *prepareValues(std::string_view name) {
    static const std::string texts[] = {
        "a text that takes an allocation of its own, number 0", "a text that takes an allocation of its own, number 1"};
    static Object objects[] = {{1}, {2}};
    if (name == "us untracked String read") {
        auto text = signal<std::string>(texts[0]);
        return repeat(many, [=] {
            for (Int i = 0; i < many; i++) measure_sink(text->read().size());
        });
    }
    if (name == "us untracked class read") {
        auto object = signal<Object *>(&objects[0]);
        return repeat(many, [=] {
            for (Int i = 0; i < many; i++) measure_sink(object->read()->number);
        });
    }
    if (name == "wr write String") {
        auto text = signal<std::string>(texts[0]);
        return repeat(many, [=] {
            for (Int i = 0; i < many / 2; i++) {
                text->write(texts[1]);
                text->write(texts[0]);
            }
        });
    }
    if (name == "wr write class") {
        auto object = signal<Object *>(&objects[0]);
        return repeat(many, [=] {
            for (Int i = 0; i < many / 2; i++) {
                object->write(&objects[1]);
                object->write(&objects[0]);
            }
        });
    }
    if (name == "wr increment") {
        auto number = signal<Int>(0);
        return repeat(many, [=] {
            for (Int i = 0; i < many; i++) number->write(number->read() + 1);
        });
    }
    if (name == "wr append to 100,000 elements") {
        auto elements = signal<std::vector<Int>>(std::vector<Int>(length));
        return repeat(length * 10, [=] {
            for (Int round = 0; round < 10; round++) {
                for (Int i = 0; i < length; i++) elements->mutate([i](auto &value) { value.push_back(i); });
                elements->mutate([](auto &value) { value.resize(length); });
            }
        });
    }
    if (name == "wr write in a transaction") {
        auto number = signal<Int>(0);
        auto next = std::make_shared<Int>(0);
        return repeat(many, [=] {
            Batch batch;
            for (Int i = 0; i < many; i++) number->write(++*next);
        });
    }
    return nullptr;
}
