// The trace file: one large buffer that is flushed only between steps. So a step that would exceed
// the size limit can be removed completely, and the file always ends with a line.
#ifndef TRACER_OUT_H
#define TRACER_OUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OUT_BUFFER_BYTES = 4 << 20,
    OUT_STEP_BYTES_MAX = 64 << 10, // room for one step or header
};

typedef struct {
    int fd;
    bool failed;
    char *buffer;
    char *end;              // first free byte
    uint64_t flushed_bytes; // already written to fd
    uint64_t bytes_max;     // 0: no limit
    uint64_t line_count;    // valid only with count_lines
    bool count_lines;
} out_t;

bool out_open(out_t *out, const char *path, uint64_t bytes_max, bool count_lines);

// Accepts what was formatted from out->end up to `end`. False: it would exceed the limit, and was
// dropped, or the write failed.
bool out_commit(out_t *out, char *end);

// Cuts `cut_bytes` off the last line, including its newline: a truncated trace.
bool out_close(out_t *out, uint64_t cut_bytes);

static inline uint64_t out_position(const out_t *out)
{
    return out->flushed_bytes + (uint64_t)(out->end - out->buffer);
}

#endif
