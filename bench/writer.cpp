// Writing a file of 256 MB in pieces of 1 MB, by io_uring and by pwrite: where TMPDIR is, warm, not
// synced. Bytes a second; the time of the processors is that of the kernel's helpers too.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "idx/file_writer.h"
}

static void write_file(benchmark::State &state, enum file_writer_io io)
{
    const size_t pieces = 256;
    const std::vector<char> piece(size_t{1} << 20, 'x');
    const char *directory = getenv("TMPDIR");
    const std::string path = std::string(directory ? directory : "/tmp") + "/trawl-bench.out";
    for (auto _ : state) {
        struct file_writer *writer;
        struct error err;
        const struct file_writer_target target = {path.c_str(), -1, -1};
        if (file_writer_open(&writer, &target, io, &err) != STATUS_OK) {
            state.SkipWithError(err.text);
            return;
        }
        for (size_t i = 0; i < pieces; i++)
            file_writer_append(writer, piece.data(), piece.size());
        if (file_writer_publish(writer, false, &err) != STATUS_OK)
            state.SkipWithError(err.text);
        // The file's pages are freed outside of the measurement.
        state.PauseTiming();
        unlink(path.c_str());
        state.ResumeTiming();
    }
    state.SetBytesProcessed(int64_t(state.iterations() * pieces * piece.size()));
}

BENCHMARK_CAPTURE(write_file, uring, FILE_WRITER_URING)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK_CAPTURE(write_file, pwrite, FILE_WRITER_PWRITE)->MeasureProcessCPUTime()->UseRealTime();
BENCHMARK_MAIN();
