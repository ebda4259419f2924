// A trace cut into segments of a fixed number of events, whatever the chunks were: what the index
// and the VCD are made from.
//
// An event is a node (specs/tarmac.md, 2). Events of all lanes are numbered in the order of their
// first lines. What a line says belongs to the last event of its lane; only where a core's event is
// continued behind a segment's end, by lines among those of other cores, it counts for the latest
// event of all. An instruction that joins its event that late is told of in `late`.
#ifndef TRAWL_PIPELINE_SEGMENT_H
#define TRAWL_PIPELINE_SEGMENT_H

#include "base/error.h"
#include "base/vec.h"
#include "pipeline/records.h"

// What is known of an event; the lowest two bits are the instruction's enum isa_state.
enum event_flag {
    EVENT_ISA = 3,
    EVENT_HAS_INSTRUCTION = 1 << 2,
    EVENT_EXECUTED = 1 << 3,    // it did not fail its condition and was fetched
    EVENT_SEMIHOSTING = 1 << 4, // it is a call of the debug host
    EVENT_EXCEPTION = 1 << 5,
};

// Columns, a row an event.
struct segment_events {
    uint64_t *time;
    uint64_t *line;                 // of the first line, from 1
    uint64_t *position;             // of its first byte
    uint64_t *pc;                   // with Thumb bit; NODE_WITHOUT_PC
    uint64_t *instruction_position; // of the first byte of the instruction's line
    uint8_t *flags;                 // enum event_flag
    uint8_t *lane;
    size_t capacity;
};

struct segment_register {
    uint64_t value; // byte i of the cell is value >> 8 * i; zero where not written
    uint32_t event; // in the segment
    uint16_t cell;
    uint8_t mask; // bit i: byte i is written
    uint8_t lane;
};

struct segment_access {
    uint64_t address;
    uint64_t value; // as a number, not cut to the size; 0 if unknown
    uint32_t event;
    uint8_t size_bytes;
    bool is_read;
    bool is_known;
    uint8_t lane;
};

// An instruction or exception that joins an event of an earlier segment.
struct segment_late {
    uint64_t event; // of the whole trace
    uint64_t pc, instruction_position;
    uint8_t flags; // to be added
};

struct segment {
    uint64_t number;
    uint64_t first_event;
    uint32_t event_count;
    struct segment_events events;
    VEC(, struct segment_register) registers; // in the order of their lines
    VEC(, struct segment_access) accesses;
    VEC(, struct segment_late) late;
    void *own; // the consumer's; NULL at first, and then as the consumer left it
};

// Who takes the segments. Any function but `write` may be NULL; false: `err` says why, the pass
// ends.
struct segment_consumer {
    void *self;
    uint32_t segment_events; // that a segment holds; 0: no segments are made
    // In order, one at a time: hands on what one segment leaves to the next.
    bool (*carry)(void *self, struct segment *segment, struct error *err);
    // In parallel.
    bool (*build)(void *self, struct segment *segment, struct error *err);
    // In order, one at a time.
    bool (*write)(void *self, struct segment *segment, struct error *err);
    // Gives `own` back, when the pass ends.
    void (*free_own)(void *self, void *own);
};

#endif
