// The instructions of every lane, lane by lane, of a trace in which lanes are interleaved: read
// once, because reading them lane after lane would take as many times as there are lanes. Stored in
// spools: 16 bytes an event, 24 with times.
#ifndef TRAWL_ANALYSIS_LANE_ROWS_H
#define TRAWL_ANALYSIS_LANE_ROWS_H

#include "analysis/index_view.h"
#include "base/spool.h"

struct lane_rows {
    struct spool keys, events, times; // uint64_t each; times only if requested
    uint64_t *starts;                 // where the rows of each lane begin
    uint64_t *counts;                 // how many rows each lane has
};

// Whether the lanes of a trace are interleaved.
bool lane_rows_are_mixed(const struct index_view *view);

// Reads all rows; the key of an instruction is its PC. Call lane_rows_close afterwards, also on
// failure.
enum status lane_rows_open(struct lane_rows *rows, const struct index_view *view, bool has_times,
                           struct error *err);
void lane_rows_close(struct lane_rows *rows);

static inline const uint64_t *lane_rows_keys(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->keys.base + rows->starts[lane];
}

static inline const uint64_t *lane_rows_events(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->events.base + rows->starts[lane];
}

static inline const uint64_t *lane_rows_times(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->times.base + rows->starts[lane];
}

#endif
