// The parts of `trawl writes`. Private to them.
#ifndef TRAWL_CMD_WRITES_H
#define TRAWL_CMD_WRITES_H

#include "cmd/query.h"
#include "query/register_set.h"
#include "query/writes.h"
#include "report/value.h"

// Which writes around the point to show.
enum writes_mode {
    WRITES_PREVIOUS, // the last at or before it
    WRITES_NEXT,     // the first after it
    WRITES_ALL,      // of the whole trace
    WRITES_LAST,     // a number of them at or before it, the last first
};

struct writes {
    struct query query;
    const char *what;
    enum writes_mode mode;
    uint64_t last_count; // of WRITES_LAST
    struct location location;
    struct write_target target;
    struct write_walk walk;
    uint64_t first_event, last_event; // range of the wanted ones
    bool is_of_snapshots;
    bool has_shown; // a write
    struct table *table;
};

// Formats memory like a value loaded by the core, if that is possible in one load, otherwise as
// bytes in order of address.
void writes_format_memory(char text[VALUE_TEXT_MAX], uint8_t *values, uint8_t *known,
                          uint64_t size_bytes, bool is_big_endian);

// For snapshots, which show no writes: those in which the value differs from the last collected
// one.
extern const struct column writes_snapshot_columns[];
#define WRITES_SNAPSHOT_COLUMNS 8
enum status writes_show_changes(struct writes *writes, struct error *err);

#endif
