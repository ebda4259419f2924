#include "compat/ttu/ttu_index.h"

#include "base/thread.h"
#include "compat/ttu/versions.h"
#include "flow/segment.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

// The length of the vectors of the Scalable Vector Extension in a trace is that of the longest
// write.

// The place of z and p registers in the register space, in cells, and the number of cells of each.
enum {
    VECTORS_FIRST = 0x100 / 8,
    VECTOR_CELLS = 256 / 8,
    PREDICATES_FIRST = 0x2100 / 8,
    PREDICATE_CELLS = 16 / 8,
    PREDICATES_END = 0x2300 / 8,
};

// The number of cells of the register that contains a cell; 0: another kind of register.
static uint32_t cells_of(uint16_t cell)
{
    if (cell < VECTORS_FIRST || cell >= PREDICATES_END)
        return 0;
    return cell < PREDICATES_FIRST ? VECTOR_CELLS : PREDICATE_CELLS;
}

// The longest run of written bytes that is in a cell or ends in it; *run: the run up to the cell
// before, and on return the one up to its end.
static uint32_t longest_run(uint8_t mask, uint32_t *run)
{
    uint32_t most = 0;
    if (mask == UINT8_MAX)
        return *run += 8;
    for (unsigned i = 0; i < 8; i++) {
        *run = mask >> i & 1 ? *run + 1 : 0;
        most = *run > most ? *run : most;
    }
    return most;
}

// The size in bits of the longest vector that is written, or to which a written predicate belongs:
// a multiple of 128, at least 128.
static uint32_t ttu_vector_bits(const struct segment *segment)
{
    const struct segment_register *items = segment->registers.items;
    uint32_t most = 128, run = 0;
    for (size_t i = 0; i < segment->registers.count; i++) {
        uint32_t cells = cells_of(items[i].cell);
        if (LIKELY(!cells))
            continue;
        // The value continues from the previous cell.
        bool goes_on = items[i].cell % cells && i && items[i - 1].event == items[i].event &&
                       items[i - 1].cell + 1 == items[i].cell;
        run = goes_on ? run : 0;
        uint32_t bytes = longest_run(items[i].mask, &run);
        uint32_t bits = cells == VECTOR_CELLS ? 8 * bytes : 64 * bytes;
        most = bits > most ? bits : most;
    }
    return (most + 127) / 128 * 128;
}

// Few enough that the output of a segment fits in the waiting blocks, which other threads write.
#define SEGMENT_EVENTS (32 * TTU_WINDOW_EVENTS)

// The parts of a segment that are made in parallel.
struct made {
    struct ttu_windows windows;
    struct ttu_packed_events packed;
    uint32_t vector_bits;
};

struct ttu_index {
    struct ttu_index_options options;
    struct ttu_file file;
    struct ttu_versions versions;
    struct ttu_event_log log;
    struct ttu_call_depths depths;
    struct ttu_events_end end;
    bool has_aarch64;
    uint32_t vector_bits;
    // At the end: trees of events and of visits.
    struct ttu_stream streams[2];
    uint64_t roots[2];
    uint64_t bytes;
};

enum tree { TREE_EVENTS, TREE_VISITS };

// --- Segments ------------------------------------------------------------------------------------

static bool build(void *self, struct segment *segment, struct error *err)
{
    struct ttu_index *index = self;
    struct made *made = segment->own;
    (void)err;
    ttu_file_write_waiting(&index->file);
    if (!made && !(made = segment->own = calloc(1, sizeof *made)))
        return false;
    made->vector_bits = ttu_vector_bits(segment);
    return ttu_windows_find(&made->windows, segment) && ttu_events_pack(&made->packed, segment);
}

static enum status check_lines(const struct ttu_index *index, uint64_t line_end, struct error *err)
{
    if (line_end - index->versions.header_lines <= TTU_LINES_END)
        return STATUS_OK;
    return error_set(err, STATUS_LIMIT,
                     "has more than %" PRIu32 " lines, and the index of the Tarmac Trace Utilities "
                     "counts them in 32 bits",
                     TTU_LINES_END - 1);
}

static void add_root(void *self, uint64_t root)
{
    ttu_event_log_add_root(self, root);
}

// With one lane, no event continues in a later segment (segment.late).
static enum status take_segment(struct ttu_index *index, const struct segment *segment,
                                struct error *err)
{
    const struct made *made = segment->own;
    const struct ttu_root_sink sink = {&index->log, add_root};
    uint64_t line = segment->events.line[0];
    if (segment->number == 0)
        index->versions.header_lines = line - 1;
    enum status status =
        check_lines(index, segment->events.line[segment->event_count - 1] + 1, err);
    if (status != STATUS_OK)
        return status;
    uint8_t flags = 0;
    for (uint32_t i = 0; i < segment->event_count; i++)
        flags |= segment->events.flags[i];
    index->has_aarch64 |= (flags & EVENT_ISA_A64) != 0;
    if (made->vector_bits > index->vector_bits)
        index->vector_bits = made->vector_bits;
    ttu_event_log_add(&index->log, segment, &made->packed);
    status = ttu_versions_take(&index->versions, segment, &made->windows, &sink, &line);
    if (status == STATUS_LIMIT)
        return error_set(err, status,
                         "line %" PRIu64 ": memory makes a tree of more than %d levels, too deep "
                         "for the Tarmac Trace Utilities",
                         line, LIMIT_TTU_TREE_DEPTH);
    if (status != STATUS_OK || index->log.lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory for the index");
    if (ttu_file_failed(&index->file)) // ttu_index_failure has the reason
        return error_set(err, STATUS_IO, "the index cannot be written");
    return STATUS_OK;
}

static bool write_out(void *self, struct segment *segment, struct error *err)
{
    return take_segment(self, segment, err) == STATUS_OK;
}

static void free_own(void *self, void *own)
{
    struct made *made = own;
    (void)self;
    ttu_windows_free(&made->windows);
    free(made->packed.bytes.items);
    free(made);
}

struct segment_consumer ttu_index_segments(struct ttu_index *index)
{
    return (struct segment_consumer){.self = index,
                                     .segment_events = SEGMENT_EVENTS,
                                     .build = build,
                                     .write = write_out,
                                     .free_own = free_own};
}

struct call_consumer ttu_index_calls(struct ttu_index *index)
{
    return ttu_call_depths_consumer(&index->depths);
}

// --- The whole -----------------------------------------------------------------------------------

enum status ttu_index_begin(struct ttu_index **index, const struct ttu_index_options *options,
                            struct error *err)
{
    struct ttu_index *begun = *index = calloc(1, sizeof *begun);
    if (!begun)
        return error_set(err, STATUS_MEMORY, "%s: no memory for the index", options->path);
    begun->options = *options;
    ttu_event_log_begin(&begun->log, SEGMENT_EVENTS);
    enum status status = ttu_file_open(&begun->file, options->path, options->like, err);
    if (status != STATUS_OK) {
        free(begun);
        *index = NULL;
        return status;
    }
    if (ttu_versions_begin(&begun->versions, &begun->file, TTU_HEADER_BYTES, options->big_endian))
        return STATUS_OK;
    ttu_index_free(begun);
    *index = NULL;
    return error_set(err, STATUS_MEMORY, "%s: no memory for the index", options->path);
}

void ttu_index_free(struct ttu_index *index)
{
    if (!index)
        return;
    ttu_file_free(&index->file);
    ttu_versions_free(&index->versions);
    ttu_event_log_free(&index->log);
    ttu_call_depths_free(&index->depths);
    for (size_t i = 0; i < ARRAY_COUNT(index->streams); i++)
        ttu_stream_free(&index->streams[i]);
    free(index);
}

static bool write_tree(void *self, unsigned worker, uint64_t tree)
{
    struct ttu_index *index = self;
    struct ttu_stream *stream = &index->streams[tree];
    (void)worker;
    return tree == TREE_VISITS ? ttu_visit_tree_write(stream, &index->log, &index->roots[tree])
                               : ttu_event_tree_write(stream, &index->log, &index->depths,
                                                      &index->end, &index->roots[tree]);
}

enum status ttu_index_end(struct ttu_index *index, const struct ttu_index_end *end,
                          struct error *err)
{
    const char *path = index->options.path;
    index->end = (struct ttu_events_end){end->lines + 1, end->bytes};
    enum status status = check_lines(index, index->end.line, err);
    if (status != STATUS_OK)
        return status;
    bool is_done = ttu_versions_end(&index->versions);
    // The trees of events and of visits are written in parallel, because the size of the visit tree
    // is known.
    uint64_t visits = ttu_stream_position(&index->versions.stream);
    uint64_t events = visits + TTU_VISIT_BYTES * index->log.visit_count;
    if (!is_done || !ttu_stream_begin(&index->streams[TREE_VISITS], &index->file, visits) ||
        !ttu_stream_begin(&index->streams[TREE_EVENTS], &index->file, events) ||
        !parallel_run(index->options.threads, ARRAY_COUNT(index->streams), index, write_tree))
        return error_set(err, STATUS_MEMORY, "%s: no memory for the index", path);
    uint8_t header[TTU_HEADER_BYTES];
    uint32_t flags = TTU_COMPLETE | (index->options.big_endian ? TTU_BIG_ENDIAN : 0) |
                     (index->has_aarch64 ? TTU_AARCH64 : 0) |
                     (index->options.implicit_thumb ? TTU_IMPLICIT_THUMB : 0) |
                     (index->vector_bits / 128 - 1) << TTU_VECTOR_SHIFT;
    memcpy(header, TTU_MAGIC, TTU_MAGIC_BYTES);
    uint8_t *out = put_u32(header + TTU_MAGIC_BYTES, flags);
    out = put_u64(out, index->roots[TREE_EVENTS]);
    out = put_u64(out, index->roots[TREE_VISITS]);
    put_u32(out, (uint32_t)index->versions.header_lines);
    ttu_file_patch(&index->file, 0, header, sizeof header);
    index->bytes = ttu_stream_position(&index->streams[TREE_EVENTS]);
    return ttu_file_publish(&index->file, path, index->options.like, index->options.sync, err);
}

enum status ttu_index_failure(struct ttu_index *index, struct error *err)
{
    errno = atomic_load(&index->file.failure);
    return errno ? error_set_errno(err, index->options.path, "write") : STATUS_OK;
}

void ttu_index_sum_up(const struct ttu_index *index, struct ttu_index_sums *sums)
{
    *sums = (struct ttu_index_sums){
        .events = index->log.count,
        .versions = index->versions.count,
        .nodes = index->versions.items.records,
        .bytes = index->bytes,
    };
}
