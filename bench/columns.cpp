// Columns of the index: an item is one value. Sequences like those of traces, made here.
#include "bench/columns.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace
{

constexpr size_t value_count = 1 << 16;

using Values = std::vector<uint64_t>;
using Random = std::mt19937_64;

Values make(const std::function<uint64_t(Random &, uint64_t)> &next)
{
    Random random(1);
    Values values(value_count);
    uint64_t value = 0;
    for (uint64_t &place : values)
        place = value = next(random, value);
    return values;
}

struct Sequence {
    std::string name;
    bool is_rising;
    Values values;
};

std::vector<Sequence> sequences()
{
    static const uint64_t lengths[] = {62, 95, 62, 100, 119, 156, 62, 95};
    return {
        {"random", false, make([](Random &r, uint64_t) { return r(); })},
        {"ten_bits", false, make([](Random &r, uint64_t) { return r() % 1000; })},
        {"few_kinds", false, make([](Random &r, uint64_t) { return r() % 9 << 40; })},
        {"outliers", false, make([](Random &r, uint64_t) { return r() % 50 ? r() % 16 : r(); })},
        {"addresses", false, make([](Random &r, uint64_t before) {
             return r() % 7 && before ? before + 4 : 0x80000 + r() % 300 * 4;
         })},
        {"counter", true, make([](Random &, uint64_t before) { return before + 1; })},
        {"steps", true, make([](Random &r, uint64_t before) { return before + r() % 90; })},
        {"positions", true, make([](Random &r, uint64_t before) {
             return before + (r() % 40 ? lengths[r() % 8] : r() % 4000);
         })},
    };
}

using Column = std::shared_ptr<struct bench_column>;

void report(benchmark::State &state, const Column &column, size_t items)
{
    state.SetItemsProcessed(int64_t(state.iterations() * items));
    state.counters["time_per_item"] = benchmark::Counter(
        double(items), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["bytes_per_value"] = double(bench_column_bytes(column.get())) / value_count;
}

void add(const std::string &what, const Sequence &sequence, const Column &column,
         const std::function<uint64_t()> &work)
{
    benchmark::RegisterBenchmark((what + "/" + sequence.name).c_str(),
                                 [column, work](benchmark::State &state) {
                                     for (auto _ : state)
                                         benchmark::DoNotOptimize(work());
                                     report(state, column, value_count);
                                 });
}

void add_all(const Sequence &sequence)
{
    struct bench_column *c = bench_column_open(sequence.values.data(), value_count);
    const Column column(c, bench_column_close);
    add("write", sequence, column, [c] { return bench_column_write(c); });
    add("read", sequence, column, [c] { return bench_column_read(c); });
    add("get", sequence, column, [c] { return bench_column_get(c); });
    if (sequence.is_rising)
        add("search", sequence, column, [c] { return bench_column_search(c); });
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<Sequence> all = sequences(); // the columns keep pointers to the values
    for (const Sequence &sequence : all)
        add_all(sequence);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
