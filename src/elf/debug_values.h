// What a program's variables were where it stopped, by the DWARF of an image: arguments and local
// variables by name, and expressions over them, as text the way GDB prints it.
//
// The caller knows registers and memory as far as they are known; what is not is "<unavailable>".
// What the compiler did not keep is "<optimized out>", and so is what only the caller knows
// (DW_OP_entry_value). Whatever a file claims, an answer takes bounded work, memory and depth.
#ifndef TRAWL_ELF_DEBUG_VALUES_H
#define TRAWL_ELF_DEBUG_VALUES_H

#include "elf/debug_info.h"
#include "report/out.h"

// A value. Texts are valid during the call.
struct debug_value_text {
    const char *name, *type, *value;
    const uint64_t *address; // NULL: it is not in memory
    uint64_t size_bytes;
};

struct debug_sink {
    void *self;
    void (*take)(void *self, const struct debug_value_text *value);
};

enum debug_list { DEBUG_ARGUMENTS, DEBUG_LOCALS };

// The arguments of the function at the point, inlined ones included, or the local variables of all
// blocks around it, the innermost first. STATUS_NOT_FOUND: no DWARF describes a function there.
enum status debug_values_list(struct debug_info *info, const struct debug_point *point,
                              enum debug_list list, const struct debug_sink *sink,
                              struct error *err);

// An expression of C without side effects: names, $registers, members, elements, *, &, casts to
// plain types and pointers to them, @, + and - and *. STATUS_NOT_FOUND or STATUS_INPUT: why it has
// no value, a clause without place.
enum status debug_values_expression(struct debug_info *info, const struct debug_point *point,
                                    const char *text, const struct debug_sink *sink,
                                    struct error *err);

// Writes the function at a PC (as linked) as C declares it: "int main(int argc, char **argv)".
// False: nothing is known of it. Without memory `out` has failed (out_failed).
bool debug_signature(struct debug_info *info, uint64_t pc, struct out *out);

#endif
