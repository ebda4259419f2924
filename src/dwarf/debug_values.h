// The variables of a stopped program, using the DWARF of an image: arguments and local variables by
// name, and expressions over them, as text like GDB's.
//
// The caller provides registers and memory; unknown ones are "<unavailable>". Values that the
// compiler did not keep are "<optimized out>", and so are those known only in the calling function
// (DW_OP_entry_value). For any file, an answer takes bounded work, memory and depth.
#ifndef TRAWL_DWARF_DEBUG_VALUES_H
#define TRAWL_DWARF_DEBUG_VALUES_H

#include "dwarf/debug_info.h"
#include "report/out.h"

// A value. Texts are valid during the call.
struct debug_value_text {
    const char *name, *type, *value;
    const uint64_t *address; // NULL: not in memory
    uint64_t size_bytes;
};

struct debug_sink {
    void *self;
    void (*take)(void *self, const struct debug_value_text *value);
};

enum debug_list { DEBUG_ARGUMENTS, DEBUG_LOCALS };

// The arguments of the function at the point, including inlined ones, or the local variables of all
// blocks around it, the innermost first. If the point has rules for calls, what a prologue has not
// stored yet is where these say, or unavailable; otherwise it is what its place holds, as in GDB.
// STATUS_NOT_FOUND: no DWARF describes a function there.
enum status debug_values_list(struct debug_info *info, const struct debug_point *point,
                              enum debug_list list, const struct debug_sink *sink,
                              struct error *err);

// An expression of C without side effects: names, $registers, members, elements, *, &, casts to
// plain types and pointers to them, @, + and - and *. STATUS_NOT_FOUND or STATUS_INPUT: it has no
// value; `err` has the reason as a clause, without a place.
enum status debug_values_expression(struct debug_info *info, const struct debug_point *point,
                                    const char *text, const struct debug_sink *sink,
                                    struct error *err);

// Writes the declaration in C of the function at a PC (as linked): "int main(int argc, char
// **argv)". False: unknown. Without memory, `out` fails (out_failed).
bool debug_signature(struct debug_info *info, uint64_t pc, struct out *out);

// Writes the arguments of the function that is entered at the point: "n=3, text=0x81000 "boot"".
// `result_address`: where its result will be, if that is in memory; otherwise UINT64_MAX. False: no
// DWARF describes it, or how its machine passes arguments is not known.
bool debug_call_arguments(struct debug_info *info, const struct debug_point *point, struct out *out,
                          uint64_t *result_address);

// Writes the result of the function entered at `function`, which has returned before the point;
// nothing for void. False: likewise.
bool debug_call_result(struct debug_info *info, const struct debug_point *point, uint64_t function,
                       uint64_t result_address, struct out *out);

#endif
