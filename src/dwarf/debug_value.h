// Values: bytes of a type, each of which is known, unknown, or not kept by the compiler. Location
// expressions of DWARF, which are run in bounded steps, say where they are. For the files of this
// layer.
#ifndef TRAWL_DWARF_DEBUG_VALUE_H
#define TRAWL_DWARF_DEBUG_VALUE_H

#include "dwarf/debug_frame.h"

enum debug_state {
    DEBUG_KNOWN,
    DEBUG_UNAVAILABLE, // not collected
    DEBUG_OPTIMIZED,   // nowhere
};

// Bytes and states are those of the frame's arena.
struct debug_value {
    const struct debug_type *type;
    uint8_t *bytes, *states; // type->size_bytes of them
    uint64_t address;
    bool has_address;
    uint32_t bit_offset, bit_size; // bit_size is 0 where it is no bit-field; from bit 0 of bytes
    const char *fault;             // why there is no value, NULL otherwise
};

// A value of the size of its type, whose bytes are all in one state.
struct debug_value debug_value_new(struct debug_frame *frame, const struct debug_type *type,
                                   enum debug_state state);

// The value at an address.
struct debug_value debug_value_at(struct debug_frame *frame, const struct debug_type *type,
                                  uint64_t address);

// A number as a value of a type.
struct debug_value debug_value_number(struct debug_frame *frame, const struct debug_type *type,
                                      uint64_t number);

// An integer, address or enumerator as a signed number. False: not all of it is known.
bool debug_value_integer(const struct debug_frame *frame, const struct debug_value *value,
                         int64_t *number);

// Replaces *value by a member of the structure. False: there is none with that name.
bool debug_value_member(struct debug_frame *frame, struct debug_value *value, const char *name);

// Replaces *value by the member that an entry describes.
void debug_value_enter(struct debug_frame *frame, struct debug_value *value, Dwarf_Die *member);

// The value of a variable, a parameter, a function or a constant.
struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry);

// The value of an expression of C (dwarf/debug_values.h lists what is supported). STATUS_NOT_FOUND
// or STATUS_INPUT: it has no value, for the reason in `err`.
enum status debug_expression(struct debug_frame *frame, const char *text, struct debug_value *value,
                             struct error *err);

// Writes a value. `is_whole`: it is the requested value itself, so a pointer is printed with its
// type.
void debug_print(struct debug_frame *frame, const struct debug_value *value, bool is_whole,
                 struct out *out);

#endif
