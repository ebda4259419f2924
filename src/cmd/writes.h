// The parts of `trawl writes`. Private to them.
#ifndef TRAWL_CMD_WRITES_H
#define TRAWL_CMD_WRITES_H

#include "analysis/register_set.h"
#include "analysis/writes.h"
#include "cmd/query.h"
#include "report/value.h"

// What is wanted of the writes around the point.
enum writes_mode {
    WRITES_PREVIOUS, // the last at or before it
    WRITES_NEXT,     // the first after it
    WRITES_ALL,      // of the whole trace
    WRITES_LAST,     // so many at or before it, the last first
};

struct writes {
    struct query query;
    const char *what;
    enum writes_mode mode;
    uint64_t last_count; // of WRITES_LAST
    struct location location;
    struct write_target target;
    struct write_walk walk;
    uint64_t first_event, last_event; // outside of them none is wanted
    bool is_of_snapshots;
    bool has_shown; // a write
    struct table *table;
};

// Memory as the core would load it where it could in one go, else the bytes in order of address.
void writes_format_memory(char text[VALUE_TEXT_MAX], uint8_t *values, uint8_t *known,
                          uint64_t size_bytes, bool is_big_endian);

// Of snapshots, which show no writes: in which of them it is another than the last time that it was
// collected.
extern const struct column writes_snapshot_columns[];
#define WRITES_SNAPSHOT_COLUMNS 8
enum status writes_show_changes(struct writes *writes, struct error *err);

#endif
