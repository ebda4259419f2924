#include "compat/ttu/ttu_index.h"

#include "idx/varint.h"

#include <stdlib.h>

// The first byte of a row.
enum {
    ROW_INSTRUCTION = 1, // the PC follows
    ROW_EXCEPTION = 2,
    ROW_SAME_TIME = 4,
    ROW_LINES_SHIFT = 3, // since the previous event; 0: the number follows
    ROW_LINES_END = 1 << (8 - ROW_LINES_SHIFT),
};

#define ROW_BYTES (1 + 4 * VARINT_BYTES_MAX)

// How much each of the two spools keeps in memory; they are written and read sequentially.
#define LOG_MEMORY_BYTES (UINT64_C(16) << 20)

void ttu_event_log_begin(struct ttu_event_log *log, uint32_t segment_events)
{
    *log = (struct ttu_event_log){.segment_events = segment_events};
    log->rows.memory_bytes = log->roots.memory_bytes =
        u64_min(LOG_MEMORY_BYTES, spool_memory_bytes());
}

// Each segment starts from this.
static const struct ttu_event before_first;

bool ttu_events_pack(struct ttu_packed_events *packed, const struct segment *segment)
{
    const struct segment_events *events = &segment->events;
    uint64_t time = 0, position = 0, line = 0, pc = 0;
    packed->bytes.count = 0;
    if (!VEC_ROOM(&packed->bytes, segment->event_count * (size_t)ROW_BYTES))
        return false;
    uint8_t *out = packed->bytes.items;
    for (uint32_t i = 0; i < segment->event_count; i++) {
        uint8_t *head = out++;
        uint64_t lines = events->line[i] - line;
        bool has_instruction = events->flags[i] & EVENT_HAS_INSTRUCTION;
        bool has_few_lines = lines < ROW_LINES_END;
        *head = (uint8_t)((has_instruction ? ROW_INSTRUCTION : 0) |
                          (events->flags[i] & EVENT_EXCEPTION ? ROW_EXCEPTION : 0) |
                          (events->time[i] == time ? ROW_SAME_TIME : 0) |
                          (has_few_lines ? lines << ROW_LINES_SHIFT : 0));
        if (!has_few_lines)
            out = varint_write(out, lines);
        out = varint_write(out, events->position[i] - position);
        if (events->time[i] != time)
            out = varint_write(out, zigzag(events->time[i] - time));
        if (has_instruction) {
            out = varint_write(out, zigzag(events->pc[i] - pc));
            pc = events->pc[i];
        }
        time = events->time[i];
        position = events->position[i];
        line = events->line[i];
    }
    packed->bytes.count = (size_t)(out - packed->bytes.items);
    return true;
}

void ttu_event_log_add(struct ttu_event_log *log, const struct segment *segment,
                       const struct ttu_packed_events *packed)
{
    char *room = spool_reserve(&log->rows, packed->bytes.count);
    char *roots = spool_reserve(&log->roots, segment->event_count * (uint64_t)VARINT_BYTES_MAX);
    if (!room || !roots) {
        log->lacks_memory = true;
        return;
    }
    memcpy(room, packed->bytes.items, packed->bytes.count);
    log->rows.used_bytes += packed->bytes.count;
    log->count += segment->event_count;
    for (uint32_t i = 0; i < segment->event_count; i++) {
        uint8_t flags = segment->events.flags[i];
        log->visit_count += !!(flags & EVENT_HAS_INSTRUCTION) + !!(flags & EVENT_EXCEPTION);
    }
}

void ttu_event_log_add_root(struct ttu_event_log *log, uint64_t root)
{
    if (log->lacks_memory)
        return;
    uint8_t *at = (uint8_t *)log->roots.base + log->roots.used_bytes;
    log->roots.used_bytes += (uint64_t)(varint_write(at, root - log->last_root) - at);
    log->last_root = root;
}

void ttu_event_log_free(struct ttu_event_log *log)
{
    spool_free(&log->rows);
    spool_free(&log->roots);
}

// --- Reading -------------------------------------------------------------------------------------

void ttu_event_reader_begin(struct ttu_event_reader *reader, const struct ttu_event_log *log,
                            bool wants_roots)
{
    *reader = (struct ttu_event_reader){
        .log = log,
        .row = (const uint8_t *)log->rows.base,
        .root = wants_roots ? (const uint8_t *)log->roots.base : NULL,
    };
}

static ALWAYS_INLINE uint64_t read_number(const uint8_t **at)
{
    uint64_t value = *(*at)++;
    if (LIKELY(value < 0x80))
        return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint64_t byte = *(*at)++;
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

bool ttu_event_reader_next(struct ttu_event_reader *reader)
{
    struct ttu_event *event = &reader->event;
    if (reader->number == reader->log->count)
        return false;
    if (UNLIKELY(reader->number++ % reader->log->segment_events == 0)) {
        uint64_t root = event->root;
        *event = before_first;
        event->root = root;
        reader->instruction_pc = 0;
    }
    const uint8_t *row = reader->row;
    uint8_t head = *row++;
    uint64_t lines = head >> ROW_LINES_SHIFT;
    event->line += lines ? lines : read_number(&row);
    event->position += read_number(&row);
    if (!(head & ROW_SAME_TIME))
        event->time += unzigzag(read_number(&row));
    event->has_instruction = head & ROW_INSTRUCTION;
    event->has_exception = head & ROW_EXCEPTION;
    event->pc = EVENT_WITHOUT_PC;
    if (event->has_instruction)
        event->pc = reader->instruction_pc += unzigzag(read_number(&row));
    reader->row = row;
    if (reader->root)
        event->root += read_number(&reader->root);
    return true;
}
