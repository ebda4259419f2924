// A lane of a trace as a sequence of keys: for each instruction its PC; for each frame of a trace
// file; for each record of an XRay log whether it is an entry or an exit, and its function. Read
// from an index in pieces, the latest of which are cached, or from rows that were read for all
// lanes.
#ifndef TRAWL_ANALYSIS_LANE_KEYS_H
#define TRAWL_ANALYSIS_LANE_KEYS_H

#include "analysis/index_view.h"
#include "analysis/key_source.h"
#include "analysis/lane_rows.h"
#include "base/vec.h"

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
