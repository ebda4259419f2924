// The writes to registers and accesses to memory in a chunk, line by line, for the index and the
// VCD.
//
// A record has its line and not its node: nodes are cut later (scan.h), and a record belongs to the
// last one that begins at or before its line.
#ifndef TRAWL_TRACE_LINES_RECORDS_H
#define TRAWL_TRACE_LINES_RECORDS_H

#include "base/vec.h"
#include "flow/register_names.h"
#include "idx/segment_rows.h"
#include "trace/lines/line.h"

_Static_assert(REGISTER_CELLS == (REGISTER_OFFSET_VPR + 8) / 8, "the register space");

// The place of a d or s register depends on the instruction set state. It is unknown before a
// chunk's first instruction, so such a write makes records for both states.
enum record_state {
    RECORD_IN_ANY_STATE,
    RECORD_IN_AARCH32,
    RECORD_IN_AARCH64,
    RECORD_OF_Z, // in any state, under the name of z
    // Named with a bank before the chunk's first instruction, whose mode tells whether it is the
    // register in use: one for each bank.
    RECORD_OF_BANK,
};

// Bytes of one cell that a line writes.
struct register_record {
    uint64_t value; // byte i of the cell is value >> 8 * i; zero where not written
    uint32_t line;  // relative to the chunk
    uint16_t cell;  // with REGISTER_VALUE_UNKNOWN, if the value is not known
    uint8_t mask;   // bit i: byte i is written
    uint8_t state;
};

// Bytes of a word of a register with a name of its own. Its number in the trace is known only when
// the earlier chunks are.
struct named_record {
    uint64_t value; // as in register_record
    uint32_t line;
    uint32_t name; // index in the chunk's names
    uint8_t word;
    uint8_t mask;
    bool is_unknown; // the bytes are written with an unknown value
};

// The names that a chunk writes. If there are more than a trace may have, the earlier chunks
// determine which ones are kept: then the chunk is read again, with the names of these.
struct chunk_names {
    struct register_names names;
    const struct register_names *known; // of the trace before the chunk; NULL: not known
    size_t new_count;                   // names that are unknown
    uint32_t last;                      // index of the name used last, if any
    struct named_register first_refused;
    bool is_cut; // there are more
};

// One access to memory, as the reference counts them: up to eight bytes, or up to sixteen if
// unknown.
struct memory_record {
    uint64_t address;
    uint64_t value;    // the number in the line, not cut to the size; 0 if unknown
    uint64_t to_place; // from the address (line.h)
    uint32_t line;
    uint8_t size_bytes;
    bool is_read;
    bool is_known;
    uint8_t mode; // of the core, enum sp_bank; SP_BANK_NONE: that of the chunk before
};

_Static_assert(sizeof(struct memory_record) == 32, "a tenth of the lines of a trace make one");

// What an instruction line contains in addition to its mark.
struct instruction_record {
    uint64_t address; // as written: without Thumb bit unless that is written
    uint32_t line;
    uint32_t encoding;
    uint32_t position; // of the line in the chunk
    uint32_t text;     // of the disassembly
    uint32_t text_bytes;
    bool is_aarch64, is_executed;
};

struct records {
    VEC(, struct register_record) registers;
    VEC(, struct named_record) named;
    struct chunk_names *names; // of all lanes of the chunk; NULL: not kept
    VEC(, struct memory_record) accesses;
    VEC(, struct instruction_record) instructions; // if they are kept
    uint32_t vector_bytes;                         // the widest write to a z (records_vector_bytes)
    uint32_t seen_vector_bytes;                    // the same, also according to predicates
    // Some register has a different value in the other reading: certainly, or if the chunk begins
    // in AArch64 state.
    bool readings_differ, readings_differ_in_aarch64;
    // The cells that were written under names of each bank before the chunk's first instruction.
    bool has_unsettled;
    uint32_t unsettled[SP_BANK_NONE];
};

enum flow_state {
    FLOW_UNKNOWN, // no instruction of this lane yet in the chunk
    FLOW_AARCH32,
    FLOW_AARCH64,
};

struct record_options {
    enum reading reading;
    bool big_endian; // byte order of numbers in memory
};

// The first bytes of a vector, in multiples of 16, that include a cell of the register space.
static inline uint32_t records_vector_bytes(uint32_t cell)
{
    uint32_t end = (uint32_t)((8 * cell - REGISTER_OFFSET_VECTORS) % REGISTER_BYTES_Z) + 8;
    return (end + REGISTER_BYTES_V - 1) / REGISTER_BYTES_V * REGISTER_BYTES_V;
}

void records_reset(struct records *records);
void records_free(struct records *records);

// What the line writes independent of its digits and the state, if that is a part of one cell or
// two whole cells, as in nearly all lines; otherwise mask 0.
struct register_part records_part_of(const struct line_register *reg);

static ALWAYS_INLINE bool records_push_register(struct records *records,
                                                const struct register_record *record)
{
    if (UNLIKELY(!VEC_ROOM(&records->registers, 1)))
        return false;
    records->registers.items[records->registers.count++] = *record;
    return true;
}

// The record of a write to such a part.
static ALWAYS_INLINE struct register_record records_of_part(struct register_part part,
                                                            uint64_t value, uint32_t line)
{
    return (struct register_record){value << 8 * part.shift, line, part.cell, part.mask,
                                    RECORD_IN_ANY_STATE};
}

// Add the contents of a line. `flow` is the instruction set state at the line. False: no memory.
bool records_add_register(struct records *records, const struct line_register *reg,
                          uint32_t line_number, enum flow_state flow,
                          const struct record_options *options);

// The same for a register that is named with a bank: only if that bank is in use. `mode`: that of
// the latest instruction, if `flow` is known.
bool records_add_banked(struct records *records, const struct line_register *reg,
                        uint32_t line_number, enum flow_state flow, enum sp_bank mode,
                        const struct record_options *options);

// Whether some of the writes to registers with banks, before the chunk's first instruction, are not
// to the ones that are in use in a mode.
bool records_miss_bank(const struct records *records, enum sp_bank mode);

// The same for the name in the line. `position`: of the line in the chunk.
bool records_add_named(struct records *records, const struct line_register *reg,
                       uint32_t line_number, uint32_t position);

bool records_add_access(struct records *records, const struct line_memory *memory,
                        uint32_t line_number, enum sp_bank mode,
                        const struct record_options *options);
bool records_add_diagram(struct records *records, const struct line_diagram *diagram,
                         uint32_t line_number, const struct record_options *options);

// Adds an instruction line from `start` to `end` in the chunk. False: no memory.
bool records_add_instruction(struct records *records, const struct line_instruction *instruction,
                             uint32_t line_number, const char *chunk, const char *start,
                             const char *end);

#endif
