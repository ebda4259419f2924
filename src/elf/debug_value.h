// Values: bytes of a type, of which each is known, not known, or was not kept by the compiler.
// Where they are DWARF's location expressions say, which are run in bounded steps. For the files of
// this floor.
#ifndef TRAWL_ELF_DEBUG_VALUE_H
#define TRAWL_ELF_DEBUG_VALUE_H

#include "elf/debug_frame.h"

enum debug_state {
    DEBUG_KNOWN,
    DEBUG_UNAVAILABLE, // it was not collected
    DEBUG_OPTIMIZED,   // nowhere
};

// Bytes and states are those of the frame's arena.
struct debug_value {
    const struct debug_type *type;
    uint8_t *bytes, *states; // type->size_bytes of them
    uint64_t address;
    bool has_address;
    uint32_t bit_offset, bit_size; // bit_size is 0 where it is no bit-field; from bit 0 of bytes
    const char *fault;             // why there is none, NULL otherwise
};

// A value of the size of its type, whose bytes are all in one state.
struct debug_value debug_value_new(struct debug_frame *frame, const struct debug_type *type,
                                   enum debug_state state);

// What is at an address.
struct debug_value debug_value_at(struct debug_frame *frame, const struct debug_type *type,
                                  uint64_t address);

// A number as a value of a type.
struct debug_value debug_value_number(struct debug_frame *frame, const struct debug_type *type,
                                      uint64_t number);

// Integers, addresses and enumerators as a number with their sign. False: not all of it is known.
bool debug_value_integer(const struct debug_frame *frame, const struct debug_value *value,
                         int64_t *number);

// A member of a structure: *value becomes it. False: there is none of that name.
bool debug_value_member(struct debug_frame *frame, struct debug_value *value, const char *name);

// Takes *value to the member that an entry is.
void debug_value_enter(struct debug_frame *frame, struct debug_value *value, Dwarf_Die *member);

#endif
