// The reads of memory in a segment: which event read which bytes. What was read follows from memory
// at that event, so only places are stored, and as few of them as possible.
//
// Nearly every instruction that reads memory reads each time it is executed, the same number of
// times and as many bytes. So reads are stored by instruction (a *group*: a PC of a lane, of the
// events that executed it or of those that skipped it): the events follow from the column of PCs,
// the sizes are stored once, and a place is the difference from where the instruction read the last
// time, or from the read before it of the same event (LDP, LDM). Both are usually constant: the
// column takes a few bits for a group, and not for a read. Storing the events with the addresses
// took four times as much, and finding a read by its event did not become faster than decoding the
// segment once.
//
// In code that runs once, most of the bytes are those of the first place of each group. An address
// would take 40 bits. But the segment already lists the words that it touches, so a place is the
// rank of a word among them, times 8, plus the byte; and it is the difference from the read before
// it in the trace, which often was near. In a boot of Linux this halves the size.
//
// Groups whose events differ (an instruction that can fault, a gather with a mask, lines without an
// instruction) have the number of reads of each event and the size of each read in addition.
#include "idx/segment_write.h"

#include "base/hash_index.h"
#include "idx/segment_format.h"
#include "idx/varint.h"

#include <stdlib.h>

struct load_group {
    uint64_t pc;
    uint32_t owner;
    uint32_t visits; // events with this instruction, whether they read or not
    uint32_t events; // those that read
    uint32_t loads;  // of all of them
    uint32_t count;  // of the first of them
    uint32_t first;  // its first load
    uint32_t event;  // the first that reads
    bool varies;     // not all events have as many, of the same sizes
    // Differences of the first place of the last event, from that of the event before and from the
    // load before, and how often they changed. Those that change less are stored.
    uint64_t own, near;
    uint32_t own_changes, near_changes;
    uint64_t last; // place of the first load of the last event
    // While places are written.
    size_t start;    // in the column of places
    uint32_t placed; // events so far
};

// An event that reads memory.
struct load_visit {
    uint32_t event, group;
    uint32_t first, count; // its loads
};

struct load_build {
    struct hash_seed seed;
    uint32_t *slots; // groups, with open addressing; index + 1
    size_t slot_count;
    uint64_t filter[LOAD_FILTER_BITS / 64];
    VEC(, struct load_group) groups;
    bool any_varies; // a group
    VEC(, struct load_visit) visits;
    VEC(, uint64_t) strange; // words without ranks
    VEC(, uint64_t) column;
};

void load_build_free(struct load_build *build)
{
    if (!build)
        return;
    free(build->slots);
    free(build->groups.items);
    free(build->visits.items);
    free(build->strange.items);
    free(build->column.items);
    free(build);
}

static ALWAYS_INLINE uint32_t owner_of(const struct segment_events *events, uint32_t event)
{
    return load_owner(events->lane[event], events->flags[event]);
}

// --- Groups --------------------------------------------------------------------------------------

// The slot of the group, or the free slot where it would go.
static ALWAYS_INLINE size_t probe(const struct load_build *build, uint64_t pc, uint32_t owner)
{
    size_t at = (size_t)hash_key(&build->seed, pc ^ (uint64_t)owner << 40);
    for (;; at++) {
        const uint32_t slot = build->slots[at &= build->slot_count - 1];
        if (!slot || (build->groups.items[slot - 1].pc == pc &&
                      build->groups.items[slot - 1].owner == owner))
            return at;
    }
}

static NEVER_INLINE bool grow_slots(struct load_build *build)
{
    size_t count = build->slot_count ? build->slot_count * 4 : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    if (!build->slot_count)
        build->seed = hash_seed_new();
    free(build->slots);
    build->slots = slots;
    build->slot_count = count;
    for (size_t i = 0; i < build->groups.count; i++)
        build->slots[probe(build, build->groups.items[i].pc, build->groups.items[i].owner)] =
            (uint32_t)i + 1;
    return true;
}

static struct load_group *group_of(struct load_build *build, uint64_t pc, uint32_t owner)
{
    if (2 * (build->groups.count + 1) > build->slot_count && !grow_slots(build))
        return NULL;
    size_t at = probe(build, pc, owner);
    if (LIKELY(build->slots[at]))
        return &build->groups.items[build->slots[at] - 1];
    if (!VEC_ROOM(&build->groups, 1))
        return NULL;
    struct load_group *group = &build->groups.items[build->groups.count++];
    *group = (struct load_group){.pc = pc, .owner = owner};
    build->slots[at] = (uint32_t)build->groups.count;
    build->filter[load_filter_bit(pc) / 64] |= UINT64_C(1) << load_filter_bit(pc) % 64;
    return group;
}

static bool load_is_near(const struct load_group *group)
{
    return group->near_changes < group->own_changes;
}

// Adds an event whose loads are `count` ones from `reads` on. False: no memory.
static bool add_visit(struct load_build *build, const struct segment_writer *writer,
                      const struct segment_input *input, uint32_t first, uint32_t count)
{
    const struct segment_read *reads = writer->reads.items + first;
    const uint32_t event = reads->event;
    struct load_group *group =
        group_of(build, input->events->pc[event], owner_of(input->events, event));
    if (!group)
        return false;
    build->visits.items[build->visits.count++] =
        (struct load_visit){event, (uint32_t)(group - build->groups.items), first, count};
    if (!group->events) {
        group->count = count;
        group->first = first;
        group->event = event;
    } else {
        const uint64_t own = reads->place - group->last, near = reads->place - reads[-1].place;
        group->own_changes += own != group->own;
        group->near_changes += near != group->near;
        group->own = own;
        group->near = near;
    }
    group->last = reads->place;
    group->events++;
    group->loads += count;
    const struct segment_read *first_reads = writer->reads.items + group->first;
    group->varies |= count != group->count || reads->size_bytes != first_reads->size_bytes;
    for (uint32_t i = 1; i < count && !group->varies; i++)
        group->varies |= reads[i].size_bytes != first_reads[i].size_bytes;
    return true;
}

// Gives places to loads of unknown values, whose words may have no records. False: no memory.
static NEVER_INLINE bool place_strange(struct load_build *build, struct segment_writer *writer)
{
    size_t count = 0;
    for (size_t i = 0; i < writer->reads.count; i++) {
        if (writer->reads.items[i].is_known)
            continue;
        if (!VEC_ROOM(&build->strange, 1))
            return false;
        build->strange.items[build->strange.count++] = writer->reads.items[i].place / 8;
    }
    uint64_t *words = build->strange.items;
    qsort(words, build->strange.count, sizeof *words, u64_compare);
    for (size_t i = 0; i < build->strange.count; i++) {
        if (!i || words[i] != words[i - 1])
            words[count++] = words[i];
    }
    build->strange.count = count;
    for (size_t i = 0; i < writer->reads.count; i++) {
        struct segment_read *read = &writer->reads.items[i];
        const uint64_t word = read->place / 8;
        if (read->is_known)
            continue;
        const uint64_t *found = bsearch(&word, words, count, sizeof word, u64_compare);
        ASSERT(found);
        read->place = 8 * (writer->word_count + (uint64_t)(found - words)) + read->place % 8;
    }
    return true;
}

// Takes the loads of all events. False: no memory.
static bool take_loads(struct load_build *build, const struct segment_writer *writer,
                       const struct segment_input *input)
{
    const struct segment_read *reads = writer->reads.items;
    if (!VEC_ROOM(&build->visits, writer->reads.count))
        return false;
    for (size_t i = 0, end; i < writer->reads.count; i = end) {
        for (end = i + 1; end < writer->reads.count && reads[end].event == reads[i].event;)
            end++;
        if (!add_visit(build, writer, input, (uint32_t)i, (uint32_t)(end - i)))
            return false;
    }
    return true;
}

// The group of an event; NULL: none.
static ALWAYS_INLINE struct load_group *
find_group(const struct load_build *build, const struct segment_events *events, uint32_t event)
{
    const uint64_t pc = events->pc[event];
    if (!(build->filter[load_filter_bit(pc) / 64] >> load_filter_bit(pc) % 64 & 1))
        return NULL;
    const uint32_t slot = build->slots[probe(build, pc, owner_of(events, event))];
    return slot ? &build->groups.items[slot - 1] : NULL;
}

// --- Parts ---------------------------------------------------------------------------------------

static bool add_groups(struct load_build *build, const struct segment_writer *writer,
                       struct parts_writer *parts)
{
    const size_t count = build->groups.count;
    const struct segment_read *reads = writer->reads.items;
    uint64_t *column = build->column.items;
    for (uint32_t part = PART_LOAD_EVENTS; part <= PART_LOAD_FIRSTS; part++) {
        for (size_t i = 0; i < count; i++) {
            const struct load_group *group = &build->groups.items[i];
            const uint64_t before = group->first ? reads[group->first - 1].place : 0;
            column[i] =
                part == PART_LOAD_EVENTS ? group->event
                : part == PART_LOAD_COUNTS
                    ? (uint64_t)(group->varies ? 0 : group->count) << 1 | load_is_near(group)
                    : zigzag(reads[group->first].place - before);
        }
        if (!parts_add_column(parts, part, column, count))
            return false;
    }
    return true;
}

static bool add_sizes(struct load_build *build, const struct segment_writer *writer,
                      struct parts_writer *parts)
{
    size_t count = 0;
    for (size_t i = 0; i < build->groups.count; i++) {
        struct load_group *group = &build->groups.items[i];
        group->placed = (uint32_t)count; // of those that vary, where their sizes begin
        const uint32_t sizes = group->varies ? group->loads : group->count;
        for (uint32_t k = 0; k < sizes && !group->varies; k++)
            build->column.items[count + k] = writer->reads.items[group->first + k].size_bytes;
        count += sizes;
    }
    for (size_t i = 0; i < build->visits.count && build->any_varies; i++) {
        const struct load_visit *visit = &build->visits.items[i];
        struct load_group *group = &build->groups.items[visit->group];
        for (uint32_t k = 0; k < visit->count && group->varies; k++)
            build->column.items[group->placed++] = writer->reads.items[visit->first + k].size_bytes;
    }
    return parts_add_column(parts, PART_LOAD_SIZES, build->column.items, count);
}

// How many loads each event has, of groups in which that varies; absent if there is none.
static bool add_visits(struct load_build *build, const struct segment_input *input,
                       struct parts_writer *parts)
{
    size_t count = 0, next = 0;
    for (size_t i = 0; i < build->groups.count; i++) {
        struct load_group *group = &build->groups.items[i];
        group->placed = (uint32_t)count;
        count += group->varies ? group->visits : 0;
    }
    if (!count)
        return true;
    if (!VEC_ROOM(&build->column, count))
        return false;
    for (uint32_t event = 0; event < input->event_count; event++) {
        struct load_group *group = find_group(build, input->events, event);
        const struct load_visit *visit =
            next < build->visits.count && build->visits.items[next].event == event
                ? &build->visits.items[next++]
                : NULL;
        if (group && group->varies)
            build->column.items[group->placed++] = visit ? visit->count : 0;
    }
    return parts_add_column(parts, PART_LOAD_VISITS, build->column.items, count);
}

static bool add_places(struct load_build *build, const struct segment_writer *writer,
                       struct parts_writer *parts)
{
    const size_t count = writer->reads.count - build->groups.count;
    for (size_t i = 0; i < build->groups.count; i++)
        build->groups.items[i].placed = 0;
    for (size_t i = 0; i < build->visits.count; i++) {
        const struct load_visit *visit = &build->visits.items[i];
        struct load_group *group = &build->groups.items[visit->group];
        const struct segment_read *reads = writer->reads.items + visit->first;
        const size_t stride = group->varies ? 1 : group->visits;
        // The first place of the group is elsewhere, so all others move up by one.
        const size_t at = group->start + group->placed;
        if (group->placed)
            build->column.items[at - 1] =
                zigzag(reads->place - (load_is_near(group) ? reads[-1].place : group->last));
        for (uint32_t k = 1; k < visit->count; k++)
            build->column.items[at - 1 + k * stride] = zigzag(reads[k].place - reads[k - 1].place);
        group->last = reads->place;
        group->placed += group->varies ? visit->count : 1;
    }
    return parts_add_column(parts, PART_LOAD_PLACES, build->column.items, count) &&
           (!build->strange.count ||
            parts_add_column(parts, PART_LOAD_STRANGE, build->strange.items, build->strange.count));
}

enum status load_write(struct segment_writer *writer, const struct segment_input *input)
{
    if (!writer->loads && !(writer->loads = calloc(1, sizeof *writer->loads)))
        return STATUS_MEMORY;
    struct load_build *build = writer->loads;
    if (build->slot_count)
        memset(build->slots, 0, build->slot_count * sizeof *build->slots);
    if (build->groups.count)
        memset(build->filter, 0, sizeof build->filter);
    build->groups.count = build->visits.count = build->strange.count = 0;
    if (!writer->reads.count)
        return STATUS_OK;
    if (writer->reads.count > memory_record_max(writer))
        return STATUS_LIMIT;
    if ((writer->has_unknown_reads && !place_strange(build, writer)) ||
        !take_loads(build, writer, input))
        return STATUS_MEMORY;
    // Counts the events of groups that do not read: nearly always, there are none.
    uint32_t event = 0;
    build->any_varies = false;
    for (size_t i = 0; i <= build->visits.count; i++) {
        const uint32_t end =
            i < build->visits.count ? build->visits.items[i].event : input->event_count;
        for (; event < end; event++) {
            struct load_group *group = find_group(build, input->events, event);
            if (UNLIKELY(group))
                group->visits++;
        }
        event = end + 1;
    }
    for (size_t i = 0; i < build->groups.count; i++) {
        struct load_group *group = &build->groups.items[i];
        group->varies |= group->visits != 0;
        group->visits += group->events;
        build->any_varies |= group->varies;
    }
    // Lays out the places of the groups.
    size_t start = 0;
    for (size_t i = 0; i < build->groups.count; i++) {
        build->groups.items[i].start = start;
        start += build->groups.items[i].loads - 1;
    }
    struct parts_writer *parts = &writer->parts;
    const bool is_done = VEC_ROOM(&build->column, writer->reads.count) &&
                         add_groups(build, writer, parts) && add_sizes(build, writer, parts) &&
                         add_visits(build, input, parts) && add_places(build, writer, parts);
    return is_done ? STATUS_OK : STATUS_MEMORY;
}
