// The input of a segment of the index: rows of events, register writes and memory accesses, in the
// order of the trace.
#ifndef TRAWL_IDX_SEGMENT_ROWS_H
#define TRAWL_IDX_SEGMENT_ROWS_H

#include "base/base.h"

// The PC of an event without an instruction, as in the reference tools.
#define EVENT_WITHOUT_PC UINT64_C(2)

// Registers are in a space of bytes, here divided into aligned cells of eight (FORMAT.md,
// Registers): first those that all traces of a kind have, then any others that a trace names.
#define REGISTER_CELLS 0x463
#define REGISTER_CELLS_MAX 0x8000

// A flag of a cell's number: bytes of the cell are written, but it is not known with what.
#define REGISTER_VALUE_UNKNOWN 0x8000

static inline uint32_t register_cell(uint32_t cell)
{
    return cell & ~(uint32_t)REGISTER_VALUE_UNKNOWN;
}

// What is known of an event. The lowest two bits are the instruction set state: 0 A32, 1 T32, 2
// A64.
enum event_flag {
    EVENT_ISA = 3,
    EVENT_ISA_A64 = 2, // one value of EVENT_ISA; no other value has this bit
    EVENT_HAS_INSTRUCTION = 1 << 2,
    EVENT_EXECUTED = 1 << 3,  // it passed its condition and was fetched
    EVENT_HOST_CALL = 1 << 4, // it is a semihosting call
    EVENT_EXCEPTION = 1 << 5,
    EVENT_XRAY_KIND = 3 << 6,       // of an XRay log: what the record is (FORMAT.md, XRay logs)
    EVENT_FRAME_RECOVERED = 1 << 6, // of a trace file: found after a break in the file
    EVENT_FRAME_DAMAGED = 1 << 7,   // some of its blocks cannot be read
};

#define EVENT_XRAY_KIND_SHIFT 6

// Columns, a row for each event.
struct segment_events {
    uint64_t *time;
    uint64_t *line;                 // of the first line, from 1
    uint64_t *position;             // of its first byte
    uint64_t *pc;                   // with Thumb bit; or EVENT_WITHOUT_PC
    uint64_t *instruction_position; // of the first byte of the instruction's line; not indexed
    uint8_t *flags;                 // enum event_flag
    uint16_t *lane;
    size_t capacity;
};

struct segment_register {
    uint64_t value;      // byte i of the cell is value >> 8 * i; zero where not written
    uint32_t event : 24; // in the segment, which has at most INDEX_SEGMENT_EVENTS_MAX
    uint32_t mask : 8;   // bit i: byte i is written
    uint16_t cell;       // with REGISTER_VALUE_UNKNOWN, if the value is not known, which then is 0
    uint16_t lane;
};

_Static_assert(sizeof(struct segment_register) == 16, "half of the lines of a trace make one");

// The translation of addresses that a core uses, which depends on its exception level.
enum address_regime {
    REGIME_UNKNOWN,
    REGIME_EL1, // and EL0; of AArch32, all modes but the next two
    REGIME_EL2, // and Hyp
    REGIME_EL3, // and Monitor
};

struct segment_access {
    uint64_t address;
    uint64_t value; // as a number, not truncated to the size; 0 if unknown
    uint32_t event;
    uint8_t size_bytes; // more than 8 only if the value is unknown
    bool is_read;
    bool is_known;
    bool is_before_host_call; // the host call of its event is on a later line
    uint16_t lane;
    uint8_t regime; // enum address_regime of the core
    // What is added to the address for the number of its place in memory, which keys the index
    // (FORMAT.md, Places): 0 where the trace shows no physical address, or the virtual one.
    uint64_t to_place;
};

// From an event on, a lane uses another regime.
struct segment_regime {
    uint32_t event; // in the segment
    uint16_t lane;
    uint8_t regime; // enum address_regime
};

// The most registers that tell address spaces apart.
#define SPACE_REGISTER_ROOM 16

// The instruction that an event without one belongs to, as its line names it.
struct segment_origin {
    uint64_t pc;
    uint32_t event; // in the segment
};

// An event after which not one call more, for an entry, or one less, for an exit, is open than
// before it; and the first event of each lane but the first.
struct segment_exception {
    uint32_t event; // in the segment
    uint32_t depth; // the number of calls that are open after it
};

// How the calls of an index nest that does not list them (idx/nesting.h). Entries are the events
// with an instruction.
struct segment_nesting {
    uint64_t depth; // the number of calls that are open before the segment
    const struct segment_exception *exceptions; // ascending
    size_t exception_count;
};

// An instruction or exception that belongs to an event of an earlier segment.
struct segment_late {
    uint64_t event; // of the whole trace
    uint64_t pc, instruction_position;
    uint8_t flags; // to be added to those of the event
};

// Sorts by event; items of the same event stay in the order of their lines.
void segment_late_sort(struct segment_late *late, size_t count);

// The bytes of a number in the order in which they are in memory, the lowest address in the lowest
// byte; also converts back. At most eight bytes; higher bytes of the number are cut off.
static inline uint64_t memory_bytes_of_number(uint64_t number, unsigned size_bytes, bool big_endian)
{
    if (size_bytes == 0)
        return 0;
    if (size_bytes < 8)
        number &= (UINT64_C(1) << (8 * size_bytes)) - 1;
    return big_endian ? __builtin_bswap64(number) >> (64 - 8 * size_bytes) : number;
}

// 0xff for each bit that is set.
static inline uint64_t bytes_of_mask(uint8_t mask)
{
    uint64_t bits = mask * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);
    return ((bits + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

#endif
