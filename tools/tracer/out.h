// The trace file: one large buffer, flushed only between steps, so that a step that would pass
// the size bound can be taken back whole and the file always ends at the end of a line.
#ifndef TRACER_OUT_H
#define TRACER_OUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    OUT_BUFFER_BYTES = 4 << 20,
    OUT_STEP_BYTES_MAX = 64 << 10, // room that one step or header may use
};

typedef struct {
    int fd;
    bool failed;
    char *buffer;
    char *end;              // first free byte
    uint64_t flushed_bytes; // already written to fd
    uint64_t bytes_max;     // 0: no bound
    uint64_t line_count;    // kept only when count_lines is set
    bool count_lines;
} out_t;

bool out_open(out_t *out, const char *path, uint64_t bytes_max, bool count_lines);

// Takes what was formatted from out->end up to `end`; false if that would pass the bound (it is
// then dropped) or the write failed.
bool out_commit(out_t *out, char *end);

// cut_bytes of the last line are left off, newline included: a run that was truncated.
bool out_close(out_t *out, uint64_t cut_bytes);

static inline uint64_t out_position(const out_t *out)
{
    return out->flushed_bytes + (uint64_t)(out->end - out->buffer);
}

#endif
