// What one line of a trace shows by itself, for viewers: the meaning of its parts, which register
// or memory it is about, and where a branch in it goes.
#ifndef TRAWL_TRACE_LINE_LOOK_H
#define TRAWL_TRACE_LINE_LOOK_H

#include "base/limits.h"
#include "flow/line_fault.h"
#include "flow/node.h"
#include "flow/reading.h"

enum text_class {
    TEXT_PLAIN,
    TEXT_TIME,
    TEXT_EVENT, // the word that says what the line is about
    TEXT_ADDRESS,
    TEXT_ENCODING,
    TEXT_ISA,
    TEXT_MODE,
    TEXT_FAILED, // of an instruction that was not executed
    TEXT_DISASSEMBLY,
    TEXT_PUNCTUATION,
    TEXT_BAD, // what cannot be read
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
    uint64_t address; // of an instruction, without Thumb bit
    // What an instruction of so many bytes does to control; BRANCH_NONE where its encoding is not
    // shown.
    struct branch branch;
    uint8_t code_bytes;
    // Of a direct branch: the operand that is its target, and what that is, with Thumb bit.
    struct text_span operand; // NULL: it is none
    uint64_t target;
    // Of an instruction that was executed: words that name what it reads, if they name registers.
    size_t read_count;
    struct text_span reads[LIMIT_LINE_READS];
    size_t part_count; // what is in no part is plain
    struct text_part parts[LIMIT_LINE_PARTS];
};

// What lines hand on, so that those that continue another are seen as what they are.
struct line_look_context {
    uint32_t address_column; // UINT32_MAX: nothing to continue
    bool is_load;
};

#define LINE_LOOK_START ((struct line_look_context){UINT32_MAX, false})

#endif
