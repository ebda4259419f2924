// Code that the lines of the trace show, as memory: where no image has it, as in a boot ROM, GDB
// could not disassemble, and on RISC-V not even step.
//
// An index has no encodings. They are read from the line of the instruction that runs next at an
// address, or ran last, so code that changes itself is as it is then. That an address is never
// executed takes a search over the whole index, and is remembered.
#ifndef TRAWL_GDB_CODE_H
#define TRAWL_GDB_CODE_H

#include "dataflow/dataflow.h"
#include "trace/index_view.h"

enum { GDB_CODE_BYTES = 4, GDB_NO_CODE = 256 };

// All zero is a trace that was not asked yet.
struct gdb_code {
    struct dataflow flow;
    bool is_open, has_none; // the text is read; it shows no code
    // Addresses that are not executed, + 1, by a hash.
    uint64_t none[GDB_NO_CODE];
};

void gdb_code_free(struct gdb_code *code);

// The bytes from an address on of the instruction that covers it, before event `position` or after
// it. *count is 0 if the trace shows none.
enum status gdb_code_at(struct gdb_code *code, const struct index_view *view,
                        const struct trace *trace, uint64_t position, uint64_t address,
                        uint8_t bytes[GDB_CODE_BYTES], size_t *count, struct error *err);

#endif
