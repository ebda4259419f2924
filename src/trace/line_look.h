// What a single line of a trace shows, for viewers: the meaning of its parts, the register or
// memory that it is about, and the target of a branch in it.
#ifndef TRAWL_TRACE_LINE_LOOK_H
#define TRAWL_TRACE_LINE_LOOK_H

#include "base/limits.h"
#include "flow/line_fault.h"
#include "flow/node.h"
#include "flow/reading.h"

enum text_class {
    TEXT_PLAIN,
    TEXT_TIME,
    TEXT_EVENT, // the word that names the kind of event
    TEXT_ADDRESS,
    TEXT_ENCODING,
    TEXT_ISA,
    TEXT_MODE,
    TEXT_FAILED, // of an instruction that was not executed
    TEXT_DISASSEMBLY,
    TEXT_PUNCTUATION,
    TEXT_BAD, // cannot be read
};

struct text_part {
    const char *start, *end;
    enum text_class text_class;
};

enum line_subject {
    LINE_ABOUT_NOTHING,
    LINE_ABOUT_INSTRUCTION,
    LINE_ABOUT_REGISTER,
    LINE_ABOUT_MEMORY
};

struct line_look {
    enum line_subject subject;
    uint64_t place, size_bytes; // in the register space, or of the last access in memory
    bool is_load;
    uint64_t address; // of an instruction, without code bit
    // The effect on control of an instruction of this size; BRANCH_NONE if its encoding is not
    // shown.
    struct branch branch;
    uint8_t code_bytes;
    // For a direct branch: the operand that is its target, and its address, with code bit.
    struct text_span operand; // NULL: not a direct branch
    uint64_t target;
    // For an instruction that was executed: the words that name the registers that it reads.
    size_t read_count;
    struct text_span reads[LIMIT_LINE_READS];
    size_t part_count; // text outside of all parts is plain
    struct text_part parts[LIMIT_LINE_PARTS];
};

// The state that is passed from line to line, so that continuation lines are recognized.
struct line_look_context {
    uint32_t address_column; // UINT32_MAX: nothing to continue
    bool is_load;
    const char *text; // what can be read of the trace before the line; NULL: nothing
};

#define LINE_LOOK_START ((struct line_look_context){UINT32_MAX, false, NULL})

#endif
