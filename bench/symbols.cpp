// Names of addresses: an item is one address looked up.
#include "bench/traces.hpp"

static void look_up(benchmark::State &state, const char *image)
{
    const size_t count = 1 << 16;
    struct stages_names *names = stages_names_open(image, count);
    if (!names) {
        state.SkipWithError("no such image");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(stages_look_up(names));
    state.SetItemsProcessed(int64_t(state.iterations() * count));
    state.counters["time_per_address"] = benchmark::Counter(
        double(count), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    stages_names_close(names);
}

// A small image and a large one.
BENCHMARK_CAPTURE(look_up, sort_a64, "corpus/elf/sort-a64.elf");
BENCHMARK_CAPTURE(look_up, trawl, "zig-out/bin/trawl");

int main(int argc, char **argv)
{
    return bench::run(argc, argv);
}
