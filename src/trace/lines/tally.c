// Counts the instructions of chunks by their PCs. Counts can be added in any order, so every worker
// has a tally of its own for all its chunks, and all are added up at the end.
#include "trace/lines/running_pass.h"

#include <stdlib.h>

struct tally *tally_new(void)
{
    return calloc(1, sizeof(struct tally));
}

void tally_free(struct tally *tally)
{
    if (!tally)
        return;
    for (size_t i = 0; i < tally->lanes.count; i++)
        pc_counts_free(&tally->lanes.items[i]);
    free(tally->lanes.items);
    free(tally);
}

// The counts of a lane. NULL: no memory.
static struct pc_counts *counts_of(struct tally *tally, size_t lane)
{
    size_t missing = lane >= tally->lanes.count ? lane + 1 - tally->lanes.count : 0;
    if (!VEC_ROOM(&tally->lanes, missing))
        return NULL;
    for (; missing; missing--)
        tally->lanes.items[tally->lanes.count++] = (struct pc_counts){0};
    return &tally->lanes.items[lane];
}

static ALWAYS_INLINE uint32_t *recent_of(struct tally *tally, uint64_t pc)
{
    return &tally->recent[pc / 2 % TALLY_RECENT];
}

// The count of a PC if it is in its recent place; NULL: it is elsewhere, or does not exist yet. A
// free count has PC 0.
static ALWAYS_INLINE struct pc_count *find(struct tally *tally, const struct pc_counts *counts,
                                           uint64_t pc)
{
    size_t at = *recent_of(tally, pc);
    if (UNLIKELY(at >= counts->slot_count))
        return NULL;
    struct pc_count *found = &counts->slots[at];
    return LIKELY(found->pc == pc && pc) ? found : NULL;
}

// Counts an instruction whose PC is not recent, and makes it recent. False: no memory.
static NEVER_INLINE bool add(struct tally *tally, struct pc_counts *counts,
                             const struct last_instruction *last,
                             const struct last_instruction *next)
{
    const struct pc_count one = instruction_followed(last, next);
    if (!pc_counts_add(counts, &one))
        return false;
    uint64_t at = (uint64_t)(pc_counts_find(counts, one.pc) - counts->slots);
    *recent_of(tally, one.pc) = (uint32_t)u64_min(at, UINT32_MAX);
    return true;
}

// Counts an instruction that is followed by another one. False: no memory.
static NEVER_INLINE bool settle(struct tally *tally, struct pc_counts *counts,
                                const struct last_instruction *last,
                                const struct last_instruction *next)
{
    struct pc_count *count = find(tally, counts, last->pc & ~UINT64_C(1));
    if (!count)
        return add(tally, counts, last, next);
    const struct pc_count one = instruction_followed(last, next);
    count->ticks += one.ticks;
    count->position = u64_min(count->position, one.position);
    count->executed += one.executed;
    count->skipped += one.skipped;
    count->followed_by_2 += one.followed_by_2;
    count->followed_by_4 += one.followed_by_4;
    count->went += one.went;
    return true;
}

// The same in a few steps, for an instruction of four bytes that is followed by the next one in
// memory. NULL: not counted.
static ALWAYS_INLINE struct pc_count *settle_straight(struct tally *tally,
                                                      const struct pc_counts *counts,
                                                      const struct last_instruction *last,
                                                      uint64_t time)
{
    struct pc_count *count = find(tally, counts, last->pc & ~UINT64_C(1));
    if (UNLIKELY(!count))
        return NULL;
    uint64_t ticks = time - last->time; // times of a lane never decrease, except after NO_TIME
    count->ticks += LIKELY(time >= last->time) ? ticks : 0;
    count->position = u64_min(count->position, last->position);
    count->executed++;
    count->followed_by_4++;
    return count;
}

// Counts the instruction before `next`, if there is one. False: no memory.
static ALWAYS_INLINE bool take_next(struct tally *tally, struct pc_counts *counts,
                                    const struct last_instruction *last,
                                    const struct last_instruction *next)
{
    bool is_straight = next->pc - last->pc == 4 && last->is_there && last->is_counted &&
                       last->is_executed && !last->is_interrupted && next->is_counted;
    if (LIKELY(is_straight) && LIKELY(settle_straight(tally, counts, last, next->time) != NULL))
        return true;
    if (!last->is_there || !last->is_counted)
        return true;
    // Copies, so that the walk can keep its own in registers.
    const struct last_instruction left = *last, right = *next;
    return settle(tally, counts, &left, &right);
}

static ALWAYS_INLINE bool walk_marks(struct tally *tally, struct pc_counts *counts,
                                     const struct tally_part *part, const struct marks *marks,
                                     bool is_all, struct instruction_ends *ends,
                                     struct tally_end *end)
{
    struct node_walk nodes = node_walk_from(part->before, part->nodes_before);
    struct last_instruction last = {.is_there = false};
    const struct mark *begun = NULL; // the first mark of the node
    uint64_t node_pc = part->before->node.pc;
    for (size_t at = 0; at < marks->count; at++) {
        const struct mark *mark = &marks->items[at];
        uint64_t count = nodes.count;
        bool is_instruction = mark->summary.kind == MARK_INSTRUCTION;
        if (UNLIKELY(mark->summary.kind >= MARK_GAP))
            continue;
        node_walk_cut(&nodes, mark, is_instruction);
        begun = nodes.count != count ? mark : begun;
        node_pc = is_instruction ? mark->value : nodes.count != count ? NODE_WITHOUT_PC : node_pc;
        if (UNLIKELY(!is_instruction)) {
            if (mark->summary.kind == MARK_EXCEPTION) {
                last.is_interrupted = last.is_there;
                ends->is_interrupted_before |= !last.is_there;
            }
            continue;
        }
        if (UNLIKELY(!nodes.has_node))
            continue;
        const struct last_instruction next = {
            .pc = mark->value,
            .time = nodes.time,
            .position = part->base->position + mark->position,
            .is_there = true,
            .is_executed = mark->summary.flags & MARK_EXECUTED,
            .is_counted = is_all || call_range_has(part->range, nodes.time, nodes.count - 1),
        };
        if (UNLIKELY(!take_next(tally, counts, &last, &next)))
            return false;
        if (UNLIKELY(!last.is_there))
            ends->first = next;
        last = next;
    }
    ends->last = last;
    const struct node_ref *carried = &part->before->node;
    end->node_count = nodes.count - part->nodes_before;
    end->node = (struct node_ref){
        .event = end->node_count - 1,
        .time = begun ? nodes.time : carried->time,
        .line = begun ? part->base->line + begun->line + 1 : carried->line,
        .position = begun ? part->base->position + begun->position : carried->position,
        .pc = node_pc,
    };
    return true;
}

bool tally_marks(struct tally *tally, const struct tally_part *part, const struct marks *marks,
                 struct instruction_ends *ends, struct tally_end *end)
{
    struct pc_counts *counts = counts_of(tally, part->lane);
    *ends = (struct instruction_ends){.is_interrupted_before = false};
    if (!counts)
        return false;
    return call_range_is_all(part->range)
               ? walk_marks(tally, counts, part, marks, true, ends, end)
               : walk_marks(tally, counts, part, marks, false, ends, end);
}
