// A point of an indexed trace, and the meaning of names there.
//
// A point is an event, and means the state after it; TRAWL_START is the point before the first
// event. The state of a lane at a point is the state after the lane's last event up to there.
#ifndef TRAWL_QUERY_POINT_H
#define TRAWL_QUERY_POINT_H

#include "cli/suggest.h"
#include "dwarf/debug_values.h"
#include "names/names.h"
#include "query/position.h"
#include "report/out.h"
#include "trace/index_view.h"

// The time, in ticks, of a POSITION_TIME: seconds, in a log whose times are shown so, count from
// the first event of all lanes.
uint64_t point_time(const struct index_view *view, const struct position *position);

// The event of a position. For times and visits, only events of the lane count, or of any lane
// (TRAWL_ANY_LANE). STATUS_NOT_FOUND: the trace has none.
enum status point_of(const struct index_view *view, const struct position *position, uint64_t lane,
                     uint64_t *event, struct error *err);

// The last event of the lane at or before `event`. If there is none, about->event is TRAWL_START
// and the rest zero.
enum status point_in_lane(const struct index_view *view, uint64_t lane, uint64_t event,
                          struct trawl_event *about, struct error *err);

// The next instruction of the lane after a point. STATUS_NOT_FOUND: there is none.
enum status point_next_instruction(const struct index_view *view, uint64_t lane, uint64_t event,
                                   struct trawl_event *about, struct error *err);

// The instruction set (TRAWL_ISA) for names of registers after this event of a lane.
uint32_t point_isa(const struct index_view *view, const struct trawl_event *about);

// Finds registers, and symbols of the images; for `expression_names`.
struct point_names {
    struct names *names;
    const struct trawl_index *index; // with the registers; NULL: no registers, as there is no point
                                     // yet
    uint32_t isa;                    // for their names
    // Of point_c_names: where variables of functions are known. NULL: there is no point.
    const struct index_view *view;
    uint64_t lane, event;
};

struct expression_names point_names(struct point_names *names);

// The same with types and variables of C (query/expression.h). `takes_values`: bare names of
// variables are their values.
struct expression_names point_c_names(struct point_names *names, bool takes_values);

// The registers and symbols most similar to the name at `offset` of `text`, as the end of a message
// (suggest_text): nothing if none is near, or if it is known but cannot be used there.
void point_suggest(const struct point_names *names, const char *text, uint64_t offset,
                   char hint[SUGGEST_TEXT_BYTES]);

// The number in at most 8 bytes.
uint64_t point_number(const uint8_t *bytes, size_t size_bytes, bool is_big_endian);

// Reads registers of a lane, and memory, at a point. The pc is the address of the next instruction,
// as in the browser of Arm's tools.
struct point_registers {
    const struct index_view *view;
    uint64_t lane, event;
    struct names *names; // with the types of variables of functions; NULL: those are unknown
    struct error err;    // why a register could not be read, if the index is damaged
    bool has_failed;
};

struct expression_registers point_registers(struct point_registers *registers);

// The arguments of the function entered after the point, and the result of one that has returned
// before it, as text by the types of DWARF (dwarf/debug_values.h). False: DWARF does not describe
// it.
bool point_arguments(struct point_registers *registers, uint64_t function, struct out *out,
                     uint64_t *result_address);
bool point_result(struct point_registers *registers, uint64_t function, uint64_t result_address,
                  struct out *out);

// The arguments or local variables of the function at `pc`, which runs next, likewise. False: DWARF
// does not describe it.
bool point_variables(struct point_registers *registers, uint64_t pc, enum debug_list list,
                     const struct debug_sink *sink);

// The value of an expression, or the address of memory, at a point. Also reports failures of the
// index.
enum status point_value(const struct expression *expression, struct point_registers *registers,
                        uint64_t *value, struct error *err);
enum status point_address(const struct location *location, struct point_registers *registers,
                          uint64_t *address, struct error *err);

#endif
