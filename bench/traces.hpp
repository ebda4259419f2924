// The traces that the microbenchmarks read: the large ones of `zig build corpus` if they exist,
// and small ones of the repository, repeated.
#ifndef TRAWL_BENCH_TRACES_HPP
#define TRAWL_BENCH_TRACES_HPP

#include "bench/stages.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

namespace bench
{

constexpr size_t trace_bytes = size_t{8} << 20;

struct Trace {
    std::string name;
    std::shared_ptr<struct stages> stages;
};

inline std::shared_ptr<struct stages> open(const std::string &path)
{
    return {stages_open(path.c_str(), trace_bytes), stages_close};
}

// One trace for each dialect and program.
inline std::vector<Trace> traces()
{
    std::vector<Trace> found;
    for (const std::string program : {"int", "mem", "fp", "calls", "interp"}) {
        for (const std::string style : {"it", "es"}) {
            const std::string name = "bench_" + program + "." + style;
            if (auto stages = open("zig-out/corpus/" + name + ".tarmac"))
                found.push_back({name, stages});
        }
    }
    for (const std::string name : {"sort-a64.it", "sort-a64.es", "sort-a64.gem5", "fp-a32.es"}) {
        if (auto stages = open("corpus/traces/" + name + ".tarmac"))
            found.push_back({name, stages});
    }
    return found;
}

using Stage = uint64_t (*)(struct stages *);

// Counts bytes; items are what the stage makes.
inline void add(const std::string &what, const Trace &trace, Stage stage)
{
    benchmark::RegisterBenchmark((what + "/" + trace.name).c_str(), [trace, stage](
                                                                        benchmark::State &state) {
        uint64_t items = 0;
        for (auto _ : state)
            benchmark::DoNotOptimize(items = stage(trace.stages.get()));
        state.SetBytesProcessed(int64_t(state.iterations() * stages_bytes(trace.stages.get())));
        state.SetItemsProcessed(int64_t(state.iterations() * items));
    })->Unit(benchmark::kMillisecond);
}

inline int run(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

} // namespace bench

#endif
