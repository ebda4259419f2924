// Tables of a trace event by event: the events themselves, writes to registers, and accesses to
// memory. Rows are made in parallel, a segment at a time, and not kept after they are written.
//
// A row for each instruction is what these tables cost: 2 to 13 times the time of a flame graph,
// depending on the format (bench/RESULTS.md, Formats of exports). Parquet takes an eighth to two
// thirds more than CSV, and a tenth to a thirtieth of its space.
#ifndef TRAWL_EXPORT_EVENT_TABLE_H
#define TRAWL_EXPORT_EVENT_TABLE_H

#include "base/base.h"
#include "base/stable_table.h"
#include "export/image_places.h"
#include "flow/clip.h"
#include "flow/segment.h"
#include "names/names.h"
#include "report/table.h"

#include <pthread.h>
#include <stdatomic.h>

// Independent of chunks and threads, because an event may continue in lines of a later segment.
#define EVENT_TABLE_SEGMENT_EVENTS (1 << 16)

// Writes are those to registers and to memory, in one table.
enum event_table_kind {
    EVENT_TABLE_EVENTS,
    EVENT_TABLE_REGISTERS,
    EVENT_TABLE_MEMORY,
    EVENT_TABLE_WRITES,
};

// Which rows and columns to write.
struct event_table_options {
    enum event_table_kind kind;
    struct call_range range;
    const char *lane;                       // its name; NULL: all
    const struct register_table *registers; // of the kind of trace
    const struct arch *arch;                // likewise
    struct names *names;
    // Not NULL: further columns have the function, the image and the address in it of a PC.
    const struct image_places *images;
};

struct event_table_lane {
    char name[LIMIT_LANE_NAME_BYTES + 1];
    bool is_wanted;
};

// The state of a lane before an event.
struct event_table_point {
    uint64_t events;
    uint8_t isa; // of its last instruction
    bool has_pc; // it had an instruction
    uint64_t pc; // of the last one
};

// Fields are private, except for `has_rows` and `late_count`.
struct event_table {
    struct event_table_options options;
    struct table *table;
    bool has_rows;
    uint64_t late_count;            // instructions of events whose rows were already written
    struct stable_table lane_room;  // lanes are added while rows are made
    struct event_table_lane *lanes; // in it
    atomic_size_t lane_count;
    VEC(, struct event_table_point) points; // by lane; of the carrying role
    struct register_places *places;         // of registers; then those that the trace names:
    struct register_names named;
    char *named_texts[LIMIT_NAMED_REGISTERS];
    atomic_bool lacks_memory;   // no memory for a name
    pthread_mutex_t names_lock; // of options.names
};

const struct table_column *event_table_columns(enum event_table_kind kind, bool with_images,
                                               size_t *count);

// Rows go to `table`, which has these columns. NULL: no memory.
struct event_table *event_table_new(const struct event_table_options *options, struct table *table);
void event_table_free(struct event_table *rows);

// For a pass.
struct segment_consumer event_table_consumer(struct event_table *rows);

#endif
