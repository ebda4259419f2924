// SFrame: looking up random PCs in several forms of the same rules and in libsframe, and making the
// array. SFRAME_IMAGE names an image with many functions, SFRAME_LIBRARY a libsframe.so.
#include "bench/sframe.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

namespace
{

sframe_bench *the_bench()
{
    static std::unique_ptr<sframe_bench, void (*)(sframe_bench *)> bench(
        [] {
            const char *image = std::getenv("SFRAME_IMAGE");
            return sframe_bench_open(image ? image : "corpus/sframe/plt-x86_64-v3.elf",
                                     std::getenv("SFRAME_LIBRARY"));
        }(),
        sframe_bench_close);
    return bench.get();
}

void look_up(benchmark::State &state, sframe_search search)
{
    sframe_bench *bench = the_bench();
    if (!bench || !sframe_bench_has(bench, search)) {
        state.SkipWithError("not here");
        return;
    }
    uint64_t wanted = search == SEARCH_LIBRARY ? 0 : sframe_bench_search(bench, SEARCH_BINARY);
    if (sframe_bench_search(bench, search) != wanted)
        state.SkipWithError("finds something else");
    for (auto _ : state)
        benchmark::DoNotOptimize(sframe_bench_search(bench, search));
    state.counters["time_per_pc"] =
        benchmark::Counter(SFRAME_BENCH_PCS, benchmark::Counter::kIsIterationInvariantRate |
                                                 benchmark::Counter::kInvert);
}

void convert(benchmark::State &state)
{
    sframe_bench *bench = the_bench();
    for (auto _ : state)
        if (!bench || !sframe_bench_convert(bench))
            state.SkipWithError("no image");
    if (!bench)
        return;
    state.SetBytesProcessed(int64_t(state.iterations() * sframe_bench_section_bytes(bench)));
    state.counters["rows"] = double(sframe_bench_rows(bench));
    state.counters["bytes_per_row"] =
        double(sframe_bench_flat_bytes(bench)) / double(sframe_bench_rows(bench));
}

BENCHMARK_CAPTURE(look_up, array, SEARCH_ARRAY);
BENCHMARK_CAPTURE(look_up, array_in_groups, SEARCH_ARRAY_IN_GROUPS);
BENCHMARK_CAPTURE(look_up, array_avx512, SEARCH_ARRAY_AVX512);
BENCHMARK_CAPTURE(look_up, binary, SEARCH_BINARY);
BENCHMARK_CAPTURE(look_up, eytzinger, SEARCH_EYTZINGER);
BENCHMARK_CAPTURE(look_up, b_tree, SEARCH_B_TREE);
BENCHMARK_CAPTURE(look_up, b_tree_avx512, SEARCH_B_TREE_AVX512);
BENCHMARK_CAPTURE(look_up, libsframe, SEARCH_LIBRARY);
BENCHMARK(convert);

} // namespace

BENCHMARK_MAIN();
