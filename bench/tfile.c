#include "bench/tfile.h"

#include "base/source.h"
#include "base/thread.h"
#include "trace/tfile/file.h"
#include "trace/tfile/frame.h"

#include <stdlib.h>

enum { FRAMES_AT_ONCE = 512 };

struct tfile_bench {
    struct source *source;
    const uint8_t *data;
    uint64_t size_bytes, frames_offset;
};

struct tfile_bench *tfile_bench_open(const char *path)
{
    struct error err;
    struct tfile file = {0};
    struct tfile_bench *bench = calloc(1, sizeof *bench);
    if (!bench || source_open(&bench->source, path, SOURCE_RAW, &err) != STATUS_OK) {
        free(bench);
        return NULL;
    }
    bench->data = (const uint8_t *)source_bytes(bench->source);
    bench->size_bytes = source_size_bytes(bench->source);
    const struct tfile_options options = {0};
    bool is_open = bench->data &&
                   tfile_open(&file, bench->data, bench->size_bytes, &options, &err) == STATUS_OK;
    bench->frames_offset = file.frames_offset;
    tfile_close(&file);
    if (is_open)
        return bench;
    tfile_bench_close(bench);
    return NULL;
}

void tfile_bench_close(struct tfile_bench *bench)
{
    if (!bench)
        return;
    source_close(bench->source);
    free(bench);
}

uint64_t tfile_bench_bytes(const struct tfile_bench *bench)
{
    return bench->size_bytes;
}

static uint64_t words_of(const uint8_t *at, uint64_t size_bytes)
{
    uint64_t sum = 0;
    for (; size_bytes >= 8; at += 8, size_bytes -= 8)
        sum += load_u64(at, false);
    return sum;
}

static uint64_t walk(const struct tfile_bench *bench, bool reads_bytes)
{
    const uint8_t *at = bench->data + bench->frames_offset, *end = bench->data + bench->size_bytes;
    uint64_t sum = 0;
    while (end - at >= TFILE_FRAME_HEADER_BYTES && load_u16(at, false)) {
        uint32_t size = load_u32(at + 2, false);
        at += TFILE_FRAME_HEADER_BYTES;
        sum += reads_bytes ? words_of(at, size) : size;
        at += size;
    }
    return sum;
}

struct frame_reading {
    const struct tfile *file;
    uint64_t sums[256]; // of each worker
};

static bool read_some(void *self, unsigned worker, uint64_t item)
{
    struct frame_reading *reading = self;
    const struct tfile *file = reading->file;
    uint64_t end = u64_min((item + 1) * FRAMES_AT_ONCE, file->frames.count);
    uint64_t sum = 0;
    for (uint64_t i = item * FRAMES_AT_ONCE; i < end; i++) {
        const uint8_t *registers = tfile_frame_registers(file, &file->frames.items[i]);
        for (uint32_t number = 0; registers && number < file->registers.items.count; number++)
            sum += tfile_register_value(file, registers, number);
    }
    reading->sums[worker] += sum;
    return true;
}

static uint64_t read_registers(const struct tfile *file, unsigned threads)
{
    struct frame_reading reading = {.file = file};
    uint64_t sum = 0;
    parallel_run(threads, (file->frames.count + FRAMES_AT_ONCE - 1) / FRAMES_AT_ONCE, &reading,
                 read_some);
    for (unsigned i = 0; i < threads; i++)
        sum += reading.sums[i];
    return sum;
}

uint64_t tfile_bench_read(struct tfile_bench *bench, enum tfile_read read, unsigned threads)
{
    const struct tfile_options options = {0};
    struct tfile file = {0};
    struct trace_damage damage = {0};
    struct error err;
    if (read == READ_HEADS || read == READ_BYTES)
        return walk(bench, read == READ_BYTES);
    uint64_t sum = 0;
    if (tfile_open(&file, bench->data, bench->size_bytes, &options, &err) == STATUS_OK)
        sum = file.frames.count;
    if (read == READ_CHECKED)
        tfile_check_frames(&file, threads, &damage);
    if (read == READ_REGISTERS)
        sum = read_registers(&file, threads);
    tfile_close(&file);
    return sum;
}
