// How users name a point of a trace (POS) and what to show of it (WHAT).
//
//     POS    line:N  time:N  event:N  byte:N  pc:ADDR  pc:ADDR#K  start  end
//     WHAT   REGISTER  ADDR  ADDR:SIZE
//
// ADDR is an expression (query/expression.h); N, K and SIZE are expressions of numbers only.
#ifndef TRAWL_QUERY_POSITION_H
#define TRAWL_QUERY_POSITION_H

#include "query/expression.h"

// A position is the state after the event that it names.
enum position_kind {
    POSITION_START, // before the first event
    POSITION_END,   // after the last one
    POSITION_LINE,  // the event that line N, from 1, belongs to
    POSITION_TIME,  // the last event of time N
    POSITION_EVENT, // event number N, from 0
    POSITION_BYTE,  // the event that the byte at offset N belongs to
    POSITION_PC,    // the K-th instruction, from 1, at an address
};

struct position {
    enum position_kind kind;
    uint64_t value; // the line, time, event, offset or address
    uint64_t visit; // of POSITION_PC
    // Of POSITION_TIME with a point: then `value` is in millionths, for traces whose times have a
    // point; `ns` are the nanoseconds since the first event, for traces whose times are shown so.
    // UINT64_MAX: it has too many digits for the one, or is too large for the other.
    bool is_fraction;
    uint64_t ns;
};

// Parses a POS. ADDR can only have symbols, because there is no point yet at which to read
// registers. For a symbol foo#1, K must be given, because K is what follows the last #. `err` has
// the offset of the fault in the text.
enum status position_parse(struct position *position, const char *text,
                           const struct expression_names *names, struct error *err);

enum location_kind {
    LOCATION_REGISTER,
    LOCATION_MEMORY,
};

struct location {
    enum location_kind kind;
    struct trawl_register which; // of LOCATION_REGISTER
    uint64_t size_bytes;         // at least 1
    struct expression address;   // of LOCATION_MEMORY; may change with registers
};

// Parses a WHAT. A register alone is that register; REGISTER:SIZE is the memory that it points to.
// Without SIZE, memory is one byte, but a symbol alone has the size in the image. `text` must
// outlive the location; `err` has the offset of the fault in it.
enum status location_parse(struct location *location, const char *text,
                           const struct expression_names *names, struct error *err);

// The address of a LOCATION_MEMORY with the registers of one point, which may be NULL if
// address.has_registers is false. STATUS_INPUT: its bytes exceed the address space.
enum status location_address(const struct location *location,
                             const struct expression_registers *registers, uint64_t *address,
                             struct error *err);

#endif
