// Trace files of GDB: a plain walk over the mapped bytes, and the reader's additional work. TFILE
// names a file (tools/tfile_corpus.py --big makes a large one).
#include "bench/tfile.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>

namespace
{

tfile_bench *the_bench()
{
    static std::unique_ptr<tfile_bench, void (*)(tfile_bench *)> bench(
        [] {
            const char *path = std::getenv("TFILE");
            return tfile_bench_open(path ? path : "corpus/tfile/stacks.tf");
        }(),
        tfile_bench_close);
    return bench.get();
}

void read_all(benchmark::State &state, tfile_read read)
{
    tfile_bench *bench = the_bench();
    if (!bench) {
        state.SkipWithError("no trace file");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(
            tfile_bench_read(bench, read, static_cast<unsigned>(state.range(0))));
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * tfile_bench_bytes(bench)));
}

BENCHMARK_CAPTURE(read_all, plain_walk_of_sizes, READ_HEADS)->Arg(1);
BENCHMARK_CAPTURE(read_all, plain_walk_of_bytes, READ_BYTES)->Arg(1);
BENCHMARK_CAPTURE(read_all, open, READ_FRAMES)->Arg(1);
BENCHMARK_CAPTURE(read_all, open_and_check, READ_CHECKED)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK_CAPTURE(read_all, every_register, READ_REGISTERS)->Arg(1)->Arg(2)->UseRealTime();

} // namespace

BENCHMARK_MAIN();
