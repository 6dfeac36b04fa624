// The kairo tests of milomg/js-reactivity-benchmark: small graphs of typical shapes, 500 iterations a sample.
#include "Rows.hpp"

using namespace limit;

/// A chain that stops at a constant: what is below need not run.
static std::function<void()> avoidable() {
    auto head = signal<Int>(0);
    auto c1 = computed([=] { return head->read(); });
    auto c2 = computed([=] {
        c1->read();
        return Int(0);
    });
    auto c3 = computed([=] {
        measure_busy();
        return c2->read() + 1;
    });
    auto c4 = computed([=] { return c3->read() + 2; });
    auto c5 = computed([=] { return c4->read() + 3; });
    effect([=] {
        c5->read();
        measure_busy();
    });
    auto set = [=](Int value) {
        { Batch batch; head->write(value); }
        CHECK(c5->read() == 6);
    };
    return [=] {
        set(1);
        for (Int i = 0; i < 1000; i++) set(i);
    };
}

/// 50 chains of two below one source.
static std::function<void()> broad() {
    auto head = signal<Int>(0);
    Readable<Int> *last = head;
    auto runs = std::make_shared<Int>(0);
    for (Int i = 0; i < 50; i++) {
        auto first = computed([=] { return head->read() + i; });
        auto second = computed([=] { return first->read() + 1; });
        effect([=, runs = runs.get()] {
            second->read();
            ++*runs;
        });
        last = second;
    }
    return [=] {
        { Batch batch; head->write(1); }
        *runs = 0;
        for (Int i = 0; i < 50; i++) {
            { Batch batch; head->write(i); }
            CHECK(last->read() == i + 50);
        }
        CHECK(*runs == 2500);
    };
}

/// A chain of 50.
static std::function<void()> deep() {
    auto head = signal<Int>(0);
    Readable<Int> *last = head;
    for (int i = 0; i < 50; i++) last = computed([previous = last] { return previous->read() + 1; });
    auto runs = std::make_shared<Int>(0);
    effect([=, runs = runs.get()] {
        last->read();
        ++*runs;
    });
    return [=] {
        { Batch batch; head->write(1); }
        *runs = 0;
        for (Int i = 0; i < 50; i++) {
            { Batch batch; head->write(i); }
            CHECK(last->read() == 50 + i);
        }
        CHECK(*runs == 50);
    };
}

/// Five computeds that meet in a sum.
static std::function<void()> diamond() {
    auto head = signal<Int>(0);
    std::vector<Readable<Int> *> branches;
    for (int i = 0; i < 5; i++) branches.push_back(computed([=] { return head->read() + 1; }));
    auto sum = computed([=] {
        Int sum = 0;
        for (auto branch : branches) sum += branch->read();
        return sum;
    });
    auto runs = std::make_shared<Int>(0);
    effect([=, runs = runs.get()] {
        sum->read();
        ++*runs;
    });
    return [=] {
        { Batch batch; head->write(1); }
        CHECK(sum->read() == 10);
        *runs = 0;
        for (Int i = 0; i < 500; i++) {
            { Batch batch; head->write(i); }
            CHECK(sum->read() == (i + 1) * 5);
        }
        CHECK(*runs == 500);
    };
}

/// 100 sources gathered into an array, and 100 chains that each take one element out of it.
static std::function<void()> mux() {
    std::vector<Signal<Int> *> heads;
    for (int i = 0; i < 100; i++) heads.push_back(signal<Int>(0));
    auto gathered = computed([=] {
        std::vector<Int> values;
        values.reserve(heads.size());
        for (auto head : heads) values.push_back(head->read());
        return values;
    });
    std::vector<Readable<Int> *> split;
    for (int i = 0; i < 100; i++) {
        auto element = computed([=] { return gathered->read()[i]; });
        split.push_back(computed([=] { return element->read() + 1; }));
    }
    for (auto value : split) effect([=] { value->read(); });
    auto set = [=](Int index, Int value) {
        { Batch batch; heads[index]->write(value); }
        CHECK(split[index]->read() == value + 1);
    };
    return [=] {
        for (Int i = 0; i < 10; i++) set(i, i);
        for (Int i = 0; i < 10; i++) set(i, i * 2);
    };
}

/// One source read 30 times by one computed.
static std::function<void()> repeated() {
    auto head = signal<Int>(0);
    auto sum = computed([=] {
        Int sum = 0;
        for (int i = 0; i < 30; i++) sum += head->read();
        return sum;
    });
    auto runs = std::make_shared<Int>(0);
    effect([=, runs = runs.get()] {
        sum->read();
        ++*runs;
    });
    return [=] {
        { Batch batch; head->write(1); }
        CHECK(sum->read() == 30);
        *runs = 0;
        for (Int i = 0; i < 100; i++) {
            { Batch batch; head->write(i); }
            CHECK(sum->read() == i * 30);
        }
        CHECK(*runs == 100);
    };
}

/// A chain of ten of which every member is also read by one sum.
static std::function<void()> triangle() {
    auto head = signal<Int>(0);
    Readable<Int> *last = head;
    std::vector<Readable<Int> *> chain;
    for (int i = 0; i < 10; i++) {
        chain.push_back(last);
        last = computed([previous = last] { return previous->read() + 1; });
    }
    auto sum = computed([=] {
        Int sum = 0;
        for (auto member : chain) sum += member->read();
        return sum;
    });
    auto runs = std::make_shared<Int>(0);
    effect([=, runs = runs.get()] {
        sum->read();
        ++*runs;
    });
    return [=] {
        { Batch batch; head->write(1); }
        CHECK(sum->read() == 55);
        *runs = 0;
        for (Int i = 0; i < 100; i++) {
            { Batch batch; head->write(i); }
            CHECK(sum->read() == 45 + i * 10);
        }
        CHECK(*runs == 100);
    };
}

/// A computed that reads one of two others, by turns.
static std::function<void()> unstable() {
    auto head = signal<Int>(0);
    auto doubled = computed([=] { return head->read() * 2; });
    auto inverse = computed([=] { return -head->read(); });
    auto current = computed([=] {
        Int sum = 0;
        for (int i = 0; i < 20; i++) sum += head->read() % 2 ? doubled->read() : inverse->read();
        return sum;
    });
    auto runs = std::make_shared<Int>(0);
    effect([=, runs = runs.get()] {
        current->read();
        ++*runs;
    });
    return [=] {
        { Batch batch; head->write(1); }
        CHECK(current->read() == 40);
        *runs = 0;
        for (Int i = 0; i < 100; i++) {
            { Batch batch; head->write(i); }
        }
        CHECK(*runs == 100);
    };
}

limit_row *prepareKairo(std::string_view name) {
    static const std::pair<std::string_view, std::function<void()> (*)()> tests[] = {
        {"avoidablePropagation", avoidable}, {"broadPropagation", broad},     {"deepPropagation", deep},
        {"diamond", diamond},                {"mux", mux},                    {"repeatedObservers", repeated},
        {"triangle", triangle},              {"unstable", unstable},
    };
    for (auto &[testName, make] : tests) {
        if (testName != name) continue;
        auto iteration = make();
        for (int i = 0; i < 3; i++) iteration();
        return new FunctionRow([=] {
            double start = measure_now();
            for (int i = 0; i < 500; i++) iteration();
            return measure_now() - start;
        });
    }
    return nullptr;
}
