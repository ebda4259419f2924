// The kernels of simd/, by instruction set: an item is one number, or one line.
#include "bench/kernels.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace
{

using Work = uint64_t (*)(struct bench_kernels *);

void add(const std::string &name, int simd, unsigned width, Work work)
{
    std::shared_ptr<struct bench_kernels> kernels(bench_kernels_open(simd, width),
                                                  bench_kernels_close);
    if (!kernels)
        return;
    const std::string full = name + "/" + bench_kernels_simd_name(simd);
    benchmark::RegisterBenchmark(full.c_str(), [kernels, work](benchmark::State &state) {
        for (auto _ : state)
            benchmark::DoNotOptimize(work(kernels.get()));
        state.SetItemsProcessed(int64_t(state.iterations() * BENCH_KERNELS_COUNT));
        state.counters["time_per_item"] =
            benchmark::Counter(BENCH_KERNELS_COUNT, benchmark::Counter::kIsIterationInvariantRate |
                                                        benchmark::Counter::kInvert);
    });
}

} // namespace

int main(int argc, char **argv)
{
    for (int simd = 0; bench_kernels_simd_name(simd); simd++) {
        for (unsigned width : {3, 10, 17, 33, 56}) {
            add("pack/" + std::to_string(width), simd, width, bench_kernels_pack);
            add("unpack/" + std::to_string(width), simd, width, bench_kernels_unpack);
        }
        add("add_up", simd, 10, bench_kernels_add_up);
        add("extremes", simd, 64, bench_kernels_extremes);
        add("contain", simd, 64, bench_kernels_contain);
        add("hex", simd, 64, bench_kernels_hex);
        add("decimal", simd, 64, bench_kernels_decimal);
        add("fits", simd, 64, bench_kernels_fits);
        add("newline", simd, 64, bench_kernels_newline);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
