#include "trace/tarmac/tarmac.h"

#include "trace/tarmac/line_read.h"

#include <stdlib.h>
#include <string.h>

// In a file, places of 4 KiB, with some 40 lines each; in a pipe, the same amount.
enum { PLACE_BYTES = 4096, PLACE_INSTRUCTIONS = 64 };

struct sampler {
    const struct reading_options *how;
    struct trace_instruction *instructions;
    size_t count, capacity;
    uint16_t place;
};

static void take_line(struct sampler *sampler, const char *start, const char *end)
{
    struct line_context context = LINE_CONTEXT_START;
    struct trace_line line;
    struct text_fault fault;
    if (!tarmac_line_read(start, line_trim(start, end), sampler->how, &context, &line, &fault) ||
        line.kind != LINE_INSTRUCTION)
        return;
    const struct line_instruction *read = &line.instruction;
    bool is_shown = read->size_bytes && read->encoding; // zeros represent unknown encodings
    if (!is_shown || !read->fetched || sampler->count == sampler->capacity)
        return;
    struct trace_instruction *taken = &sampler->instructions[sampler->count++];
    *taken = (struct trace_instruction){.address = read->address,
                                        .encoding = read->encoding,
                                        .size_bytes = (uint8_t)u64_min(read->size_bytes, 4),
                                        .place = sampler->place};
    if (line.cpu)
        memcpy(taken->lane, line.cpu, u64_min(line.cpu_length, LIMIT_LANE_NAME_BYTES));
}

// Processes the lines that begin and end in the text. Unless `is_start`, the text begins inside a
// line.
static void take_text(struct sampler *sampler, const char *text, size_t size_bytes, bool is_start)
{
    const char *end = text + size_bytes;
    const uint16_t first_place = sampler->place;
    const char *at = is_start ? text : memchr(text, '\n', size_bytes);
    for (at = at && !is_start ? at + 1 : at; at && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return;
        sampler->place = (uint16_t)(first_place + (at - text) / PLACE_BYTES);
        take_line(sampler, at, newline);
        at = newline + 1;
    }
}

size_t tarmac_sample(struct source *source, const struct reading_options *how,
                     struct trace_instruction *instructions, size_t capacity)
{
    struct sampler sampler = {how, instructions, 0, capacity, 0};
    const size_t places = capacity / PLACE_INSTRUCTIONS;
    const char *bytes = source_bytes(source);
    if (bytes) {
        uint64_t size_bytes = source_size_bytes(source);
        uint64_t step = u64_max(size_bytes / places, PLACE_BYTES);
        for (uint64_t at = 0; at < size_bytes; at += step, sampler.place++)
            take_text(&sampler, bytes + at, (size_t)u64_min(PLACE_BYTES, size_bytes - at), at == 0);
    } else { // of a pipe, its beginning
        char *text = malloc(places * PLACE_BYTES);
        size_t have;
        if (text && source_peek(source, text, places * PLACE_BYTES, &have, NULL) == STATUS_OK)
            take_text(&sampler, text, have, true);
        free(text);
    }
    return sampler.count;
}
