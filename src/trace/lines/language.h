// The language of a kind of trace whose lines are read in this folder: everything that this room
// asks its kind.
//
// The room turns lines into events, nodes and calls, whoever wrote them: chunks that are read in
// parallel from a guess, templates of lines and their vector compares, the stitch, the scan, the
// match, segments of an index, shards and surveys. None of this knows a word of a line. A kind
// reads a line once (`study`); from then on, lines with other digits in the same columns are read
// from its columns, so calls through this table are rare.
//
// What the room knows of registers is where calls need them: the stack pointer and the link
// register of cores with 32 and with 64 bits have fixed places in the register space
// (enum tracked_register), by which a kind must place its own. Modes of a core (enum sp_bank)
// matter only where each has a stack pointer of its own; others have MODE_SHARED or SP_BANK_NONE.
//
// A record is an instruction, a register, or an access. A line may have several: `study` reads the
// first and says where the next begins (line_columns.goes_on), and is asked again from there, with
// the same number of the line, so that each record has templates of its own: together, they would
// be as many as there are combinations of registers. A line without a record that can be read is
// damaged from there to its end.
//
// Where lines have no times, they may count the instructions of their core (counts_instructions):
// the time of an instruction is the number of those before it. That number is not known while a
// chunk is parsed, so marks count from its beginning, and lane_state.counted has the rest.
#ifndef TRAWL_TRACE_LINES_LANGUAGE_H
#define TRAWL_TRACE_LINES_LANGUAGE_H

#include "flow/exceptions.h"
#include "flow/node.h"
#include "trace/lines/line.h"

struct lane_part;
struct parse_options;
struct segment;

// The place of a line in its chunk.
struct line_extent {
    const struct source_chunk *chunk;
    const char *start, *end; // without the line end
    uint32_t number;
};

// What an architecture passes from segment to segment, in order: how a register follows from others
// that lines name.
struct line_carry {
    size_t size_bytes; // of its state, which begins as zeros
    // Learns the name of a register, given its number, before a segment has writes to it.
    void (*name)(void *state, uint32_t number, const char *name);
    // Whether it can change anything. May be asked by any thread.
    bool (*is_needed)(void *state);
    // Corrects the next segment; of one without registers, only the modes count. False: no memory.
    bool (*carry)(void *state, struct segment *segment);
    void (*free)(void *state); // what the state refers to
};

struct line_language {
    const char *lane_prefix;  // of the names of lanes, before what stands in lines; NULL: none
    bool has_several_records; // a line may have
    bool counts_instructions; // lines have no times; only with several records
    char first_record_end; // of lines that are found as a whole (trace/lines/whole_line.h); 0: none
    // Reads [start, end), a line without its end, after lines that left *context, which it passes
    // on. False: it cannot be read, and `fault` has the reason. Sets `columns` if it was read.
    bool (*study)(const char *start, const char *end, const struct reading_options *how,
                  struct line_context *context, struct trace_line *line, struct text_fault *fault,
                  struct line_columns *columns);
    // Adds an access for which line_memory_is_doubtful to the records of its lane. False: no
    // memory.
    bool (*add_access)(struct lane_part *part, const struct line_memory *memory,
                       const struct line_extent *place, const struct parse_options *options);
    // What an executed instruction does to control, with the code bit in its PC; whether it is one
    // with which functions begin, and which is rare elsewhere.
    struct branch (*branch)(uint64_t pc, uint32_t encoding, uint32_t size_bytes,
                            enum isa_state isa);
    bool (*opens_frame)(uint32_t encoding, uint32_t size_bytes, enum isa_state isa);
    const struct exception_rules *exceptions;
    const char *const *exception_returns; // as in arch.h; NULL: none
    // Registers that say where exceptions go, if only their first two bits say more; NULL: none.
    const char *const *vector_bases;
    const struct line_carry *carry; // NULL: every register is what was written to it
};

#endif
