#include "elf/debug_inlines.h"

#include "base/fragile.h"
#include "elf/debug_frame.h"

#include <dwarf.h>

// A number of the entry itself, not of its abstract origin.
static bool number_of(Dwarf_Die *die, unsigned which, uint64_t *number)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    bool has_it = dwarf_formudata(dwarf_attr(die, which, &found), &value) == 0;
    *number = has_it ? value : 0;
    return has_it;
}

static struct debug_inline describe(const struct debug_frame *frame, Dwarf_Die *function)
{
    struct debug_inline described = {.name = debug_name(function),
                                     .entry = (uint64_t)(uintptr_t)function->addr};
    uint64_t file, line;
    if (dwarf_tag(function) != DW_TAG_inlined_subroutine)
        return described;
    if (number_of(function, DW_AT_call_file, &file))
        described.file =
            debug_frame_file(frame, file, &described.call) ? described.call.file : NULL;
    if (number_of(function, DW_AT_call_line, &line) && line <= UINT32_MAX)
        described.line = (uint32_t)line;
    return described;
}

size_t debug_inlines(struct debug_info *info, uint64_t pc, struct debug_inline *chain,
                     size_t capacity)
{
    FRAGILE_BLOCK;
    struct debug_frame frame;
    size_t count = 0;
    debug_frame_begin(&frame, info, NULL, pc);
    for (size_t i = frame.scope_count; i-- > 0 && count < capacity;) {
        bool is_function = i == 0 || dwarf_tag(&frame.scopes[i]) == DW_TAG_inlined_subroutine;
        if (is_function)
            chain[count++] = describe(&frame, &frame.scopes[i]);
    }
    debug_frame_end(&frame);
    return count;
}
