#include "elf/debug_variable.h"

#include "elf/debug_location.h"

#include <dwarf.h>

static struct debug_value constant_of(struct debug_frame *frame, Dwarf_Die *entry,
                                      const struct debug_type *type)
{
    Dwarf_Attribute found;
    Dwarf_Block block;
    int64_t number;
    if (debug_number(entry, DW_AT_const_value, &number))
        return debug_value_number(frame, type, (uint64_t)number);
    struct debug_value value = debug_value_new(frame, type, DEBUG_OPTIMIZED);
    if (!value.fault &&
        dwarf_formblock(dwarf_attr_integrate(entry, DW_AT_const_value, &found), &block) == 0) {
        size_t count = (size_t)u64_min(block.length, type->size_bytes);
        memcpy(value.bytes, block.data, count);
        memset(value.states, DEBUG_KNOWN, count);
    }
    return value;
}

static struct debug_value function_of(struct debug_frame *frame, Dwarf_Die *entry)
{
    const struct debug_type *type = debug_type_at(&frame->types, entry);
    Dwarf_Addr start;
    if (dwarf_lowpc(entry, &start) != 0)
        return debug_value_new(frame, type, DEBUG_OPTIMIZED);
    return debug_value_at(frame, type, start + frame->point->offset);
}

struct debug_value debug_variable(struct debug_frame *frame, Dwarf_Die *entry)
{
    Dwarf_Attribute found;
    int tag = dwarf_tag(entry);
    if (tag == DW_TAG_subprogram)
        return function_of(frame, entry);
    const struct debug_type *type = debug_type_of(&frame->types, entry);
    if (tag == DW_TAG_enumerator) {
        static const struct debug_type plain = {
            .kind = DEBUG_INTEGER, .is_signed = true, .name = "int", .size_bytes = 4};
        return constant_of(frame, entry, &plain);
    }
    if (dwarf_attr_integrate(entry, DW_AT_const_value, &found))
        return constant_of(frame, entry, type);
    return debug_location_value(frame, entry, type);
}
