// How an instruction transfers control, from its encoding: A64, A32 and T32.
#ifndef TRAWL_TRACE_TARMAC_CONTROL_H
#define TRAWL_TRACE_TARMAC_CONTROL_H

#include "flow/node.h"
#include "trace/tarmac/line.h"

// Decodes an instruction that was executed. `pc` has the Thumb bit.
struct branch control_decode(uint64_t pc, uint32_t encoding, uint32_t size_bytes,
                             enum isa_state isa);

// Whether an instruction is one with which functions begin, and which is rare elsewhere: it
// reserves stack, stores or signs LR, or is a landing pad for calls.
bool control_opens_frame(uint32_t encoding, uint32_t size_bytes, enum isa_state isa);

#endif
