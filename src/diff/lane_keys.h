// A lane of a trace as a sequence of keys: for each instruction its PC; for each frame of a trace
// file; for each record of an XRay log whether it is an entry or an exit, and its function. Read
// from an index in pieces, the latest of which are cached, or from rows that were read for all
// lanes.
#ifndef TRAWL_DIFF_LANE_KEYS_H
#define TRAWL_DIFF_LANE_KEYS_H

#include "base/spool.h"
#include "base/vec.h"
#include "diff/key_source.h"
#include "trace/index_view.h"

// --- Rows of lanes that are interleaved ----------------------------------------------------------

// The instructions of every lane, lane by lane, of a trace in which lanes are interleaved: read
// once, because reading them lane after lane would take as many times as there are lanes. Stored in
// spools: 16 bytes an event, 24 with times.

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

// --- Keys ----------------------------------------------------------------------------------------

#define LANE_PIECE_EVENTS 16384
#define LANE_PIECES 16 // a power of two

struct lane_piece {
    uint64_t number;  // + 1; 0: free
    size_t count;     // of keys
    uint64_t *keys;   // room for LANE_PIECE_EVENTS
    uint16_t *events; // of each, from the first of the piece
    uint64_t *times;  // of each; NULL: not requested
};

struct lane_keys {
    const struct index_view *view;
    const struct lane_rows *rows; // NULL: read from the index
    uint64_t lane;
    bool takes_all;         // also events without an instruction
    uint64_t first, end;    // the events of the trace among which those of the lane are
    VEC(, uint64_t) before; // number of keys before each known piece, and after the last of them
    struct lane_piece pieces[LANE_PIECES];
    bool has_failed;                       // the index is damaged, or there is no memory
    uint64_t *pcs, *flags, *lanes, *times; // of the piece being read
};

enum status lane_keys_open(struct lane_keys *keys, const struct index_view *view, uint64_t lane,
                           bool has_times, struct error *err);

// The same from rows, with or without times, which must outlive it.
void lane_keys_of_rows(struct lane_keys *keys, const struct lane_rows *rows, uint64_t lane);
void lane_keys_close(struct lane_keys *keys);

struct key_source lane_keys_source(struct lane_keys *keys);

// The event of key `number`. STATUS_NOT_FOUND: there is no such key. Cheap at the end of a run of
// keys that are requested in order.
enum status lane_keys_event(struct lane_keys *keys, uint64_t number, uint64_t *event,
                            struct error *err);

// The events of `count` keys from a number on, which must exist, and their times, if these were
// requested.
enum status lane_keys_events(struct lane_keys *keys, uint64_t number, size_t count,
                             uint64_t *events, uint64_t *times, struct error *err);

#endif
