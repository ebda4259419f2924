// Expressions in the bytecode of GDB's agents, as it sends the conditions of breakpoints, so that
// these are decided here and not by a question for each hit (GDB's manual, "The Agent Expression
// Mechanism").
//
// They come from outside: a stack of LIMIT_GDB_AGENT_STACK values, at most LIMIT_GDB_AGENT_STEPS
// steps, jumps only within the code.
#ifndef TRAWL_GDB_AGENT_H
#define TRAWL_GDB_AGENT_H

#include "base/base.h"

struct gdb_agent {
    const uint8_t *code;
    size_t size_bytes;
};

// What an expression reads. False: the value is not known.
struct gdb_agent_reader {
    void *self;
    bool is_big_endian;
    bool (*read_register)(void *self, uint32_t number, uint64_t *value);
    bool (*read_memory)(void *self, uint64_t address, size_t size_bytes, uint8_t *bytes);
};

// The value on top of the stack at the end. False: it depends on what is not known, is ill-formed,
// or takes too many steps.
bool gdb_agent_value(const struct gdb_agent *agent, const struct gdb_agent_reader *reader,
                     uint64_t *value);

#endif
