// The parts of `trawl state`. Private to them.
//
// What is shown is the same as text and as JSON (state->is_json), so that one walk over registers
// and memory serves both, and only what it writes of each differs.
#ifndef TRAWL_CMD_STATE_H
#define TRAWL_CMD_STATE_H

#include "cmd/command.h"
#include "cmd/query.h"
#include "query/register_set.h"
#include "report/json.h"

// Memory to show.
struct state_memory {
    const char *text; // as it was typed
    uint64_t address, size_bytes;
};

struct state {
    struct command common;
    const char *registers;      // as typed; NULL: the usual ones
    const char *diff;           // the other point as typed; NULL: none
    VEC(, const char *) wanted; // WHAT..., as typed; if there are some, nothing else is shown
    VEC(, char) named;          // the registers among them, as a list for `registers`
    bool shows_unknown;
    VEC(, struct state_memory) memory;
    uint64_t other; // event of `diff`
    struct source_lines lines;
    bool is_json;
    struct json json; // on the command's output
};

// The lanes to show are [state_first_lane, state_end_lane): none if no register is requested.
uint64_t state_first_lane(const struct state *state);
uint64_t state_end_lane(const struct state *state);

// Writes the event of a point: a line or two, or the value of member `key`.
enum status state_put_point(struct state *state, const char *key, uint64_t event,
                            struct error *err);

// The registers to show of a lane, by the names after its last event at the point.
enum status state_registers_of(struct state *state, uint64_t lane, uint64_t event,
                               struct register_set *set, struct error *err);

// Memory in ranges of at most STATE_RANGE_BYTES.
#define STATE_RANGE_BYTES 4096

struct state_range {
    uint64_t address;
    size_t size_bytes;
    uint8_t values[STATE_RANGE_BYTES], known[STATE_RANGE_BYTES];
};

enum status state_read_range(const struct state *state, const struct state_memory *memory,
                             uint64_t offset, uint64_t event, struct state_range *range,
                             struct error *err);

// Shows the differences between the two points (--diff).
enum status state_put_diff(struct state *state, struct error *err);

// Shows the state of a trace of snapshots (TRACE_SNAPSHOTS): what was collected at the point, with
// state->memory, or all collected memory if that is empty.
enum status state_put_snapshot(struct state *state, struct error *err);

#endif
