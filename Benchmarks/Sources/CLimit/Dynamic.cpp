// The dynamic tests of milomg/js-reactivity-benchmark: layers of computeds, some of which choose by a value what else they read.
// A name says: sources of a node - width x layers - share of nodes that choose - share of the last layer that is not read.
#include <algorithm>
#include <cmath>

#include "Rows.hpp"

using namespace limit;

namespace {

/// The pseudo-random numbers of the suite (xmur3 seeds sfc32), so that graphs and checks are its own.
class Random {
    uint32_t a, b, c, d;

public:
    Random() {
        const std::string_view seed = "seed";
        uint32_t hash = 2166136261u;
        for (unsigned char character : seed) {
            uint32_t k = character * 3432918353u;
            hash ^= rotate(k, 15) * 461845907u;
            hash = rotate(hash, 13) * 5 + 3864292196u;
        }
        hash ^= uint32_t(seed.size());
        auto next = [&hash] {
            hash = (hash ^ (hash >> 16)) * 2246822507u;
            hash = (hash ^ (hash >> 13)) * 3266489909u;
            return hash ^= hash >> 16;
        };
        a = next();
        b = next();
        c = next();
        d = next();
    }

    /// The next number in 0 ..< 1.
    double operator()() {
        uint32_t sum = a + b + ++d;
        a = b ^ (b >> 9);
        b = c + (c << 3);
        c = rotate(c, 21) + sum;
        return sum / 4294967296.0;
    }

private:
    static uint32_t rotate(uint32_t x, int bits) { return (x << bits) | (x >> (32 - bits)); }
};

struct Configuration {
    std::string_view name;
    int width, layers;
    double staticShare;
    int sourcesPerNode;
    double readShare;
    int iterations;
    double expectedSum;
    Int expectedCount;
};

const Configuration configurations[] = {
    {"dyn 2-10x5-lazy80", 10, 5, 1, 2, 0.2, 600000, 19199968, 3480000},
    {"dyn 6-10x10-dyn25-lazy80", 10, 10, 0.75, 6, 0.2, 15000, 302310782860, 1155000},
    {"dyn 4-1000x12-dyn5", 1000, 12, 0.95, 4, 1, 7000, 29355933696000, 1463000},
    {"dyn 25-1000x5", 1000, 5, 1, 25, 1, 3000, 1171484375000, 732000},
    {"dyn 3-5x500", 5, 500, 1, 3, 1, 500, 3.0239642676898464e241, 1246500},
    {"dyn 6-100x15-dyn50", 100, 15, 0.5, 6, 1, 2000, 15664996402790400, 1078000},
};

struct DynamicRow final : limit_row {
    using Value = Readable<double>;

    const Configuration &configuration;
    std::vector<Signal<double> *> sources;
    std::vector<Value *> leaves;
    Int evaluations = 0;

    explicit DynamicRow(const Configuration &configuration) : configuration(configuration) {
        for (int i = 0; i < configuration.width; i++) sources.push_back(signal<double>(i));
        leaves.assign(sources.begin(), sources.end());
        Random random;
        for (int i = 1; i < configuration.layers; i++) leaves = layer(leaves, random);
        leaveSomeOut();
        effect([leaves = leaves] {
            for (auto leaf : leaves) leaf->read();
        });
        run();
    }

    double sample() override {
        evaluations = 0;
        double start = measure_now();
        double sum = run();
        double time = measure_now() - start;
        CHECK(sum == configuration.expectedSum);
        if (configuration.readShare == 1) CHECK(evaluations == configuration.expectedCount);
        return time;
    }

private:
    std::vector<Value *> layer(const std::vector<Value *> &previous, Random &random) {
        std::vector<Value *> layer;
        for (int i = 0; i < configuration.width; i++) {
            std::vector<Value *> mine;
            for (int k = 0; k < configuration.sourcesPerNode; k++)
                mine.push_back(previous[(i + k) % configuration.width]);
            layer.push_back(random() < configuration.staticShare ? summing(mine) : choosing(mine));
        }
        return layer;
    }

    Value *summing(std::vector<Value *> sources) {
        return computed([sources = std::move(sources), count = &evaluations] {
            ++*count;
            double sum = 0;
            for (auto source : sources) sum += source->read();
            return sum;
        });
    }

    /// Leaves one source out if the first is odd; which one depends on it too.
    Value *choosing(const std::vector<Value *> &sources) {
        auto first = sources[0];
        std::vector<Value *> tail(sources.begin() + 1, sources.end());
        return computed([first, tail = std::move(tail), count = &evaluations] {
            ++*count;
            double sum = first->read();
            Int choice = Int(sum);
            bool drops = choice & 1;
            Int dropped = choice % Int(tail.size());
            for (Int i = 0; i < Int(tail.size()); i++) {
                if (drops && i == dropped) continue;
                sum += tail[i]->read();
            }
            return sum;
        });
    }

    void leaveSomeOut() {
        Random random;
        int unread = int(std::floor(leaves.size() * (1 - configuration.readShare) + 0.5));
        for (int i = 0; i < unread; i++) leaves.erase(leaves.begin() + int(std::floor(random() * leaves.size())));
    }

    double run() {
        for (int i = 0; i < configuration.iterations; i++) {
            {
                Batch batch;
                int index = i % configuration.width;
                sources[index]->write(i + index);
            }
            for (auto leaf : leaves) leaf->read();
        }
        double sum = 0;
        for (auto leaf : leaves) sum += leaf->read();
        return sum;
    }
};

}  // namespace

limit_row *prepareDynamic(std::string_view name) {
    for (auto &configuration : configurations)
        if (configuration.name == name) return new DynamicRow(configuration);
    return nullptr;
}
