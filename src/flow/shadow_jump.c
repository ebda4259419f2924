// What a branch means for the innermost frame: whether it stays in its function, or goes to the
// start of another. Private to shadow_*.c.
#include "flow/shadow_frames.h"

enum function_at shadow_function_at(const struct function_map *given, const struct frame *frame,
                                    uint64_t pc)
{
    uint64_t entry = frame->pc & ~UINT64_C(1);
    if (pc == entry || (pc > entry && pc <= frame->high))
        return FUNCTION_SAME;
    const struct function_piece *to = given ? function_map_find(given, pc) : NULL;
    const struct function_piece *from = to ? function_map_find(given, entry) : NULL;
    if (to && to->entry == FUNCTION_MAP_NONE)
        return FUNCTION_SAME;
    if (from && from->entry != FUNCTION_MAP_NONE)
        return from->entry == to->entry ? FUNCTION_SAME : FUNCTION_OTHER;
    if (pc > entry)
        return FUNCTION_BY_ENTRIES;
    bool is_in_front = given && !to && function_map_next(given, pc) == entry;
    return is_in_front ? FUNCTION_IN_FRONT : FUNCTION_OTHER;
}

bool shadow_enters_known(const struct function_map *given, const struct frame *frame,
                         const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), entry = frame->pc & ~UINT64_C(1);
    const struct function_piece *to = given ? function_map_find(given, pc) : NULL;
    if (!to || to->entry != pc)
        return false;
    const struct function_piece *from = function_map_find(given, entry);
    if (from ? from->entry == pc : entry == pc)
        return false;
    return is_at_entry(frame, transfer) || frame->how & CALL_EXCEPTION ||
           transfer->from.kind == BRANCH_JUMP;
}

bool shadow_enters_frame(const struct function_map *given, const struct frame *frame,
                         const struct transfer *transfer)
{
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1);
    const struct branch *from = &transfer->from;
    return transfer->opens_frame && from->kind == BRANCH_JUMP && !from->is_conditional &&
           !(frame->how & CALL_EXCEPTION) && pc != (frame->pc & ~UINT64_C(1)) &&
           !(given && function_map_find(given, pc));
}
