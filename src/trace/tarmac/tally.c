#include "trace/tarmac/tally.h"

#include "trace/tarmac/node_walk.h"

#include <stdlib.h>

struct walk {
    const struct tally_part *part;
    bool is_all; // counts, whatever the range
    struct node_walk nodes;
};

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

// The count of a PC if it is where it was lately; NULL: elsewhere, or nowhere yet. A count that is
// free has PC 0.
static ALWAYS_INLINE struct pc_count *find(struct tally *tally, const struct pc_counts *counts,
                                           uint64_t pc)
{
    size_t at = *recent_of(tally, pc);
    if (UNLIKELY(at >= counts->slot_count))
        return NULL;
    struct pc_count *found = &counts->slots[at];
    return LIKELY(found->pc == pc && pc) ? found : NULL;
}

// Counts one of a PC that is not recent, and makes it so. False: no memory.
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

// Counts an instruction that another follows: in some steps what goes on with the next one, of four
// bytes. False: no memory.
static ALWAYS_INLINE bool settle(struct tally *tally, struct pc_counts *counts,
                                 const struct last_instruction *last,
                                 const struct last_instruction *next)
{
    struct pc_count *count = find(tally, counts, last->pc & ~UINT64_C(1));
    bool goes_on = next->pc - last->pc == 4 && last->is_executed && !last->is_interrupted;
    if (UNLIKELY(!count || !next->is_counted))
        return add(tally, counts, last, next);
    uint64_t ticks = next->time - last->time; // of a lane that never falls, but after NO_TIME
    count->ticks += LIKELY(next->time >= last->time) ? ticks : 0;
    count->position = u64_min(count->position, last->position);
    if (LIKELY(goes_on)) {
        count->executed++;
        count->followed_by_4++;
        return true;
    }
    const struct pc_count one = instruction_followed(last, next);
    count->executed += one.executed;
    count->skipped += one.skipped;
    count->followed_by_2 += one.followed_by_2;
    count->followed_by_4 += one.followed_by_4;
    count->went += one.went;
    return true;
}

static ALWAYS_INLINE bool is_in_range(const struct walk *walk)
{
    return LIKELY(walk->is_all) ||
           call_range_has(walk->part->range, walk->nodes.time, walk->nodes.count - 1);
}

static ALWAYS_INLINE bool add_instruction(struct tally *tally, struct pc_counts *counts,
                                          struct walk *walk, const struct mark *mark,
                                          struct instruction_ends *ends)
{
    node_walk_cut(&walk->nodes, mark, true);
    if (UNLIKELY(!walk->nodes.has_node))
        return true;
    const struct last_instruction next = {
        .pc = mark->value,
        .time = walk->nodes.time,
        .position = walk->part->base->position + mark->position,
        .is_there = true,
        .is_executed = mark->gist.flags & MARK_EXECUTED,
        .is_counted = is_in_range(walk),
    };
    if (LIKELY(ends->last.is_there & ends->last.is_counted) &&
        UNLIKELY(!settle(tally, counts, &ends->last, &next)))
        return false;
    if (UNLIKELY(!ends->first.is_there))
        ends->first = next;
    ends->last = next;
    return true;
}

bool tally_marks(struct tally *tally, const struct tally_part *part, const struct marks *marks,
                 struct instruction_ends *ends)
{
    struct pc_counts *counts = counts_of(tally, part->lane);
    struct instruction_ends found = {.is_interrupted_before = false};
    struct walk walk = {
        .part = part,
        .is_all = call_range_is_all(part->range),
        .nodes = node_walk_from(part->before, part->nodes_before),
    };
    if (!counts)
        return false;
    for (size_t at = 0; at < marks->count; at++) {
        const struct mark *mark = &marks->items[at];
        if (LIKELY(mark->gist.kind == MARK_INSTRUCTION)) {
            if (!add_instruction(tally, counts, &walk, mark, &found))
                return false;
        } else if (mark->gist.kind < MARK_GAP) {
            node_walk_cut(&walk.nodes, mark, false);
            if (UNLIKELY(mark->gist.kind == MARK_EXCEPTION))
                instruction_ends_interrupt(&found);
        }
    }
    *ends = found;
    return true;
}
