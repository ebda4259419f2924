// A point of an indexed trace, and the meaning of names there.
//
// A point is an event, and stands for the state after it; TRAWL_START is the point before the first
// event. The state of a lane at a point is that after the last of its own events up to there.
#ifndef TRAWL_ANALYSIS_POINT_H
#define TRAWL_ANALYSIS_POINT_H

#include "analysis/index_view.h"
#include "analysis/names.h"
#include "analysis/position.h"

// The event that a position names, among those of the lane or of any (TRAWL_ANY_LANE) where that
// makes a difference: times and visits. STATUS_NOT_FOUND for what the trace does not have.
enum status point_of(const struct index_view *view, const struct position *position, uint64_t lane,
                     uint64_t *event, struct error *err);

// The last event of the lane at or before `event`; about->event is TRAWL_START if there is none,
// and the rest of it zero.
enum status point_in_lane(const struct index_view *view, uint64_t lane, uint64_t event,
                          struct trawl_event *about, struct error *err);

// The next instruction of the lane after a point. STATUS_NOT_FOUND: there is none.
enum status point_next_instruction(const struct index_view *view, uint64_t lane, uint64_t event,
                                   struct trawl_event *about, struct error *err);

// The instruction set (TRAWL_ISA) that registers are to be named by after this event of a lane.
uint32_t point_isa(const struct index_view *view, const struct trawl_event *about);
bool point_is_aarch64(const struct index_view *view, const struct trawl_event *about);

// Registers, and symbols of the images: fill `expression_names` with these.
struct point_names {
    struct names *names;
    const struct trawl_index *index; // whose registers there are; NULL: none, there is no point yet
    uint32_t isa;                    // that names them
};

struct expression_names point_names(struct point_names *names);

// The symbol nearest to the name at `offset` of `text`, NULL when nothing is near.
const char *point_suggestion(const struct names *names, const char *text, uint64_t offset);

// The number in at most 8 bytes.
uint64_t point_number(const uint8_t *bytes, size_t size_bytes, bool is_big_endian);

// Reads registers of a lane, and memory, at a point. The pc is the address of the instruction that
// comes next there, as in the browser of Arm's tools.
struct point_registers {
    const struct index_view *view;
    uint64_t lane, event;
    struct error err; // why a register could not be read, where the index is to blame
    bool has_failed;
};

struct expression_registers point_registers(struct point_registers *registers);

// The value of an expression, and the address of memory, at a point; with the index's own failures.
enum status point_value(const struct expression *expression, struct point_registers *registers,
                        uint64_t *value, struct error *err);
enum status point_address(const struct location *location, struct point_registers *registers,
                          uint64_t *address, struct error *err);

#endif
