#include "trace/lines/lane_programs.h"

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

// Applies the writes of the chunk from `*next` on that are before a mark. Whether there are any.
static bool take_writes(const struct marks *marks, size_t mark, size_t *next,
                        struct lane_running *running)
{
    const size_t from = *next;
    for (; *next < marks->spaces.count && marks->spaces.items[*next].marks_before <= mark;
         ++*next) {
        const struct space_write *write = &marks->spaces.items[*next];
        running->inverted[write->which] = ~write->value;
        running->has_spaces = true;
    }
    return *next != from;
}

// Marks all of the chunk again, by the address spaces of its instructions.
static void settle_by_space(const struct chunk_programs *found, struct marks *marks,
                            const struct source_chunk *chunk, const struct image_programs *programs,
                            const struct lane_programs *of_lane, struct lane_running *running,
                            uint64_t *spaces)
{
    const struct program_range *range = NULL;
    struct lane_programs may = *of_lane;
    struct index_space space = {0};
    uint64_t key = 0;
    size_t next = 0;
    bool is_known = false; // `space`
    for (size_t i = 0; i < found->marks.count; i++) {
        struct mark *mark = &marks->items[found->marks.items[i].mark];
        struct program_instruction instruction = instruction_of(mark, chunk);
        const uint8_t regime = (uint8_t)bank_regime(mark_bank(mark));
        const bool is_upper = instruction.address >> 55 & 1;
        is_known &= !take_writes(marks, found->marks.items[i].mark, &next, running) &&
                    space.regime == regime && space.is_upper == is_upper;
        if (!is_known) {
            uint64_t values[SPACE_REGISTER_ROOM];
            for (size_t k = 0; k < SPACE_REGISTER_ROOM; k++)
                values[k] = ~running->inverted[k];
            space = index_space_of(values, regime, is_upper);
            key = index_space_key(&space);
            may = *of_lane;
            if (programs->has_spaces)
                image_programs_of_space(programs, &may, &space);
            for (size_t k = 0; k < ARRAY_COUNT(may.may) && programs->has_spaces; k++)
                spaces[k] |= may.may[k];
            is_known = true;
        }
        instruction.space = key;
        if (found->marks.items[i].is_arrival)
            running->state.next = 0;
        if (!range || instruction.address < range->first || instruction.address > range->last)
            range = image_programs_at(programs, instruction.address);
        set_pc(mark, image_programs_step(programs, &may, range, &instruction, &running->state));
    }
    take_writes(marks, marks->count, &next, running);
}

void lane_programs_settle(const struct chunk_programs *found, struct marks *marks,
                          const struct source_chunk *chunk, const struct image_programs *programs,
                          const char *lane, struct lane_running *running, uint64_t *spaces)
{
    struct program_state *state = &running->state;
    const struct lane_programs of_lane = image_programs_of_lane(programs, lane);
    const struct program_range *range = NULL;
    struct program_state guess = {0};
    if (running->has_spaces || marks->spaces.count || programs->has_spaces) {
        settle_by_space(found, marks, chunk, programs, &of_lane, running, spaces);
        if (found->ends_elsewhere)
            state->next = 0;
        return;
    }
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
