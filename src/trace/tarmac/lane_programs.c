#include "trace/tarmac/lane_programs.h"

static struct program_instruction instruction_of(const struct mark *mark,
                                                 const struct source_chunk *chunk)
{
    return (struct program_instruction){
        .address = pc_address(mark->value & ~UINT64_C(1)),
        .time = mark->time,
        .encoding = mark_encoding(mark, chunk),
        .size_bytes = mark->summary.size,
    };
}

static void set_pc(struct mark *mark, uint64_t pc)
{
    mark->value = pc | (mark->value & 1);
}

bool lane_programs_guess(struct chunk_programs *found, struct marks *marks,
                         const struct source_chunk *chunk, const struct image_programs *programs,
                         const char *lane)
{
    const struct lane_programs of_lane = image_programs_of_lane(programs, lane);
    const struct program_range *range = NULL;
    struct program_state *state = &found->end;
    *state = (struct program_state){0};
    found->marks.count = found->groups = 0;
    found->ends_elsewhere = found->has_instruction = false;
    for (size_t i = 0; i < marks->count; i++) {
        struct mark *mark = &marks->items[i];
        uint64_t address = mark->value & ~UINT64_C(1);
        if (mark->summary.kind != MARK_INSTRUCTION)
            continue;
        if (!range || address < range->first || address > range->last)
            range = image_programs_at(programs, address);
        if (!range) {
            state->next = 0;
            found->ends_elsewhere = found->has_instruction = true;
            continue;
        }
        if (!VEC_ROOM(&found->marks, 1))
            return false;
        found->marks.items[found->marks.count++] =
            (struct program_mark){(uint32_t)i, found->ends_elsewhere};
        const struct program_instruction instruction = instruction_of(mark, chunk);
        set_pc(mark, image_programs_step(programs, &of_lane, range, &instruction, state));
        found->groups |= UINT32_C(1) << image_programs_group(programs, range);
        found->ends_elsewhere = false;
        found->has_instruction = true;
    }
    return true;
}

// Whether nothing that the chunk still does depends on which of the states it is in.
static bool agree(const struct program_state *a, const struct program_state *b, uint32_t groups)
{
    bool is_same = a->next == b->next && a->current == b->current && a->missed == b->missed &&
                   a->waiting == b->waiting && a->waiting_count == b->waiting_count;
    for (uint32_t i = 0; i < PROGRAM_GROUPS && is_same; i++)
        is_same = !(groups >> i & 1) || a->chosen[i] == b->chosen[i];
    return is_same;
}

void lane_programs_settle(const struct chunk_programs *found, struct marks *marks,
                          const struct source_chunk *chunk, const struct image_programs *programs,
                          const char *lane, struct program_state *state)
{
    const struct lane_programs of_lane = image_programs_of_lane(programs, lane);
    const struct program_range *range = NULL;
    struct program_state guess = {0};
    if (!found->has_instruction)
        return;
    for (size_t i = 0; i < found->marks.count; i++) {
        struct mark *mark = &marks->items[found->marks.items[i].mark];
        const struct program_instruction instruction = instruction_of(mark, chunk);
        if (found->marks.items[i].is_arrival)
            state->next = guess.next = 0;
        if (agree(state, &guess, found->groups)) {
            for (uint32_t g = 0; g < PROGRAM_GROUPS; g++) {
                if (found->groups >> g & 1)
                    state->chosen[g] = found->end.chosen[g];
            }
            state->next = found->end.next;
            state->current = found->end.current;
            state->missed = found->end.missed;
            state->waiting = found->end.waiting;
            state->waiting_count = found->end.waiting_count;
            return;
        }
        if (!range || instruction.address < range->first || instruction.address > range->last)
            range = image_programs_at(programs, instruction.address);
        image_programs_step(programs, &of_lane, range, &instruction, &guess);
        set_pc(mark, image_programs_step(programs, &of_lane, range, &instruction, state));
    }
    if (found->ends_elsewhere)
        state->next = 0;
}
