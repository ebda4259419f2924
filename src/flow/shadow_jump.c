// What a branch means for the innermost frame: whether it stays in its function, or goes to the
// start of another. Private to shadow_*.c.
#include "flow/shadow_frames.h"

enum image_says shadow_image_says(struct shadow_stack *shadow, const struct frame *frame,
                                  uint64_t pc)
{
    const struct function_range *from = shadow_range_of(shadow, frame);
    if (!from)
        return IMAGE_NOTHING;
    if (pc >= from->first && pc <= from->last)
        return IMAGE_SAME;
    const struct function_range *to = function_map_find(shadow->entries.given, pc);
    if (!to || from->entry == FUNCTION_MAP_NONE)
        return IMAGE_NOTHING;
    return to->entry == FUNCTION_MAP_NONE || to->entry == from->entry ? IMAGE_SAME : IMAGE_OTHER;
}

uint64_t shadow_entry_by_image(const struct shadow_stack *shadow, uint64_t pc)
{
    const struct function_map *given = shadow->entries.given;
    const struct function_range *chunk = given ? function_map_find(given, pc & ~UINT64_C(1)) : NULL;
    return chunk && chunk->entry != FUNCTION_MAP_NONE ? chunk->entry | (pc & 1) : pc;
}

bool shadow_is_inside(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc)
{
    uint64_t entry = frame->pc & ~UINT64_C(1);
    enum image_says says = shadow_image_says(shadow, frame, pc);
    if (says != IMAGE_NOTHING)
        return says == IMAGE_SAME;
    return pc >= entry && entry && pc < entry_set_next(&shadow->entries, entry);
}

bool shadow_was_inside(struct shadow_stack *shadow, const struct frame *frame, uint64_t pc)
{
    enum image_says says = shadow_image_says(shadow, frame, pc);
    if (says != IMAGE_NOTHING)
        return says == IMAGE_SAME;
    return (shadow->had_gap || pc <= shadow_high_of(shadow, frame) + SHADOW_CALL_BYTES) &&
           shadow_is_inside(shadow, frame, pc);
}

enum function_at shadow_function_at(struct shadow_stack *shadow, const struct frame *frame,
                                    uint64_t pc)
{
    const struct function_map *given = shadow->entries.given;
    uint64_t entry = frame->pc & ~UINT64_C(1);
    const struct function_range *from = shadow_range_of(shadow, frame);
    if (pc == entry ||
        (from ? pc >= from->first && pc <= from->last : pc > entry && pc <= frame->high))
        return FUNCTION_SAME;
    const struct function_range *to = given ? function_map_find(given, pc) : NULL;
    if (to && to->entry == FUNCTION_MAP_NONE)
        return FUNCTION_SAME;
    if (to && from && from->entry != FUNCTION_MAP_NONE)
        return from->entry == to->entry ? FUNCTION_SAME : FUNCTION_OTHER;
    if (pc > entry)
        return FUNCTION_BY_ENTRIES;
    bool is_in_front = given && !to && function_map_next(given, pc) == entry;
    return is_in_front ? FUNCTION_IN_FRONT : FUNCTION_OTHER;
}

bool shadow_enters_known(struct shadow_stack *shadow, const struct frame *frame,
                         const struct transfer *transfer)
{
    const struct function_map *given = shadow->entries.given;
    uint64_t pc = transfer_pc(transfer) & ~UINT64_C(1), entry = frame->pc & ~UINT64_C(1);
    const struct function_range *to = given ? function_map_find(given, pc) : NULL;
    if (!to || to->entry != pc)
        return false;
    const struct function_range *from = shadow_range_of(shadow, frame);
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
