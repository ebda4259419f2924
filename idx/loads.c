// The reads of memory. A segment has them by instruction (idx/load_write.c), so they are decoded
// together when the first one is needed, in the order of events: one or two milliseconds, for some
// ten thousand. After that, the reads of an event are found at once, and those of an address by
// looking at all: the directories of memory say in which segments there are any.
#include "idx/caller.h"
#include "idx/index.h"
#include "idx/places.h"

#include "base/hash_index.h"
#include "idx/varint.h"

#include <stdlib.h>

#define NO_SEGMENT UINT64_MAX

void load_table_free(struct load_table *table)
{
    free(table->firsts);
    free(table->addresses);
    free(table->sizes);
    *table = (struct load_table){.segment = NO_SEGMENT};
}

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "reads of memory", err);
}

// --- Decoding ------------------------------------------------------------------------------------

struct group {
    uint64_t event;    // the first that reads
    uint64_t count;    // loads of each event; 0: in `counts`
    bool is_near;      // places are relative to the load before
    uint64_t previous; // place of the first load of the event before
    uint64_t first;    // zigzag difference of the first place from that of the load before it
    uint64_t pc, owner;
    uint64_t visits;                // events
    uint64_t visited;               // so far
    uint64_t loads;                 // so far
    uint64_t sizes, counts, places; // where its rows begin
};

struct decoding {
    struct trawl_index *index;
    struct segment_view *view;
    uint64_t event_count, load_count;
    struct group *groups;
    size_t group_count;
    struct hash_seed seed;
    uint32_t *slots, slot_mask; // groups + 1
    uint64_t filter[LOAD_FILTER_BITS / 64];
    uint64_t *sizes, *counts, *places, *words;
    uint64_t word_count;
    struct error *err;
};

static size_t probe(const struct decoding *decoding, uint64_t pc, uint64_t owner)
{
    size_t at = (size_t)hash_key(&decoding->seed, pc ^ owner << 40);
    for (;; at++) {
        const uint32_t slot = decoding->slots[at &= decoding->slot_mask];
        if (!slot ||
            (decoding->groups[slot - 1].pc == pc && decoding->groups[slot - 1].owner == owner))
            return at;
    }
}

// Reads one field of all groups.
static bool read_groups(const struct decoding *decoding, const struct column *column, size_t field)
{
    uint64_t values[COLUMN_BLOCK];
    for (uint64_t from = 0; from < decoding->group_count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(decoding->group_count - from, COLUMN_BLOCK);
        if (!column_read(column, from, here, values))
            return false;
        for (size_t i = 0; i < here; i++)
            memcpy((char *)&decoding->groups[from + i] + field, &values[i], sizeof values[i]);
    }
    return true;
}

// Opens the groups of the segment. STATUS_NOT_FOUND: it has no reads.
static enum status open_groups(struct decoding *decoding)
{
    static const size_t fields[] = {offsetof(struct group, event), offsetof(struct group, count),
                                    offsetof(struct group, first)};
    struct trawl_index *index = decoding->index;
    for (uint32_t i = 0; i < ARRAY_COUNT(fields); i++) {
        const struct column *column = segment_column(
            index, decoding->view, (enum segment_part)(PART_LOAD_EVENTS + i), decoding->err);
        if (!column)
            return i ? STATUS_DAMAGED : decoding->err->status;
        if (!i) {
            if (!column->count || column->count > decoding->event_count)
                return damaged(index, decoding->err);
            decoding->group_count = (size_t)column->count;
            decoding->groups = calloc(decoding->group_count, sizeof *decoding->groups);
            if (!decoding->groups)
                return index_no_memory(index, decoding->err);
        }
        if (column->count != decoding->group_count || !read_groups(decoding, column, fields[i]))
            return damaged(index, decoding->err);
    }
    for (size_t i = 0; i < decoding->group_count; i++) {
        decoding->groups[i].is_near = decoding->groups[i].count & 1;
        decoding->groups[i].count >>= 1;
    }
    return STATUS_OK;
}

// The PCs of a block of events, and the owners that their groups would have.
struct event_block {
    uint64_t pcs[COLUMN_BLOCK], owners[COLUMN_BLOCK];
};

static enum status read_block(const struct decoding *decoding, uint64_t from, size_t count,
                              struct event_block *block)
{
    uint64_t flags[COLUMN_BLOCK];
    struct trawl_index *index = decoding->index;
    const struct column *pc = segment_column(index, decoding->view, PART_PC, decoding->err);
    const struct column *flag =
        pc ? segment_column(index, decoding->view, PART_FLAGS, decoding->err) : NULL;
    if (!flag)
        return STATUS_DAMAGED;
    if (!column_read(pc, from, count, block->pcs) || !column_read(flag, from, count, flags))
        return damaged(index, decoding->err);
    const enum status status =
        index_read_lanes(index, decoding->view, from, count, block->owners, decoding->err);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        block->owners[i] = load_owner((unsigned)block->owners[i] & 0xffff, flags[i]);
    return status;
}

// Finds the PC and owner of each group, which are those of its first event.
static enum status name_groups(struct decoding *decoding)
{
    struct event_block block;
    uint64_t from = UINT64_MAX; // of the block
    for (size_t i = 0; i < decoding->group_count; i++) {
        struct group *group = &decoding->groups[i];
        const uint64_t wanted = group->event / COLUMN_BLOCK * COLUMN_BLOCK;
        if (group->event >= decoding->event_count || (i && group->event <= group[-1].event))
            return damaged(decoding->index, decoding->err);
        if (wanted != from) {
            from = wanted;
            const size_t count = (size_t)u64_min(decoding->event_count - from, COLUMN_BLOCK);
            const enum status status = read_block(decoding, from, count, &block);
            if (status != STATUS_OK)
                return status;
        }
        group->pc = block.pcs[group->event - from];
        group->owner = block.owners[group->event - from];
    }
    return STATUS_OK;
}

// Makes the table of groups by PC and owner.
static enum status fill_slots(struct decoding *decoding)
{
    decoding->slot_mask = 1;
    while (decoding->slot_mask < 2 * decoding->group_count)
        decoding->slot_mask = 2 * decoding->slot_mask + 1;
    decoding->slots = calloc((size_t)decoding->slot_mask + 1, sizeof *decoding->slots);
    if (!decoding->slots)
        return index_no_memory(decoding->index, decoding->err);
    decoding->seed = hash_seed_new();
    for (size_t i = 0; i < decoding->group_count; i++) {
        const struct group *group = &decoding->groups[i];
        const size_t at = probe(decoding, group->pc, group->owner);
        if (decoding->slots[at]) // twice the same
            return damaged(decoding->index, decoding->err);
        decoding->slots[at] = (uint32_t)i + 1;
        const unsigned bit = load_filter_bit(group->pc);
        decoding->filter[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return STATUS_OK;
}

// Puts the group of each event, + 1, into table->firsts; 0: none.
static enum status visit_events(struct decoding *decoding, struct load_table *table)
{
    struct event_block block;
    for (uint64_t from = 0; from < decoding->event_count; from += COLUMN_BLOCK) {
        const size_t count = (size_t)u64_min(decoding->event_count - from, COLUMN_BLOCK);
        const enum status status = read_block(decoding, from, count, &block);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < count; i++) {
            const unsigned bit = load_filter_bit(block.pcs[i]);
            if (!(decoding->filter[bit / 64] >> bit % 64 & 1))
                continue;
            const uint32_t slot = decoding->slots[probe(decoding, block.pcs[i], block.owners[i])];
            table->firsts[from + i] = slot;
            if (slot)
                decoding->groups[slot - 1].visits++;
        }
    }
    return STATUS_OK;
}

// Reads a whole column of the segment that must have `count` rows.
static enum status read_all(struct decoding *decoding, enum segment_part part, uint64_t count,
                            uint64_t **values)
{
    struct trawl_index *index = decoding->index;
    const struct column *column = segment_column(index, decoding->view, part, decoding->err);
    if (!column)
        return decoding->err->status == STATUS_NOT_FOUND ? damaged(index, decoding->err)
                                                         : STATUS_DAMAGED;
    if (column->count != count)
        return damaged(index, decoding->err);
    *values = malloc(((size_t)count + 1) * sizeof **values);
    if (!*values)
        return index_no_memory(index, decoding->err);
    return !count || column_read(column, 0, (size_t)count, *values) ? STATUS_OK
                                                                    : damaged(index, decoding->err);
}

// The loads of all events of a group in which their number varies.
static bool count_loads(const struct decoding *decoding, const struct group *group, uint64_t *loads)
{
    *loads = 0;
    for (uint64_t i = 0; i < group->visits; i++) {
        const uint64_t count = decoding->counts[group->counts + i];
        if (count > LIMIT_SEGMENT_RECORDS - *loads)
            return false;
        *loads += count;
    }
    return true;
}

// Finds where the rows of each group are, and reads them.
static enum status lay_out(struct decoding *decoding)
{
    uint64_t counts = 0, sizes = 0;
    struct trawl_index *index = decoding->index;
    for (size_t i = 0; i < decoding->group_count; i++) {
        struct group *group = &decoding->groups[i];
        group->counts = counts;
        counts += group->count ? 0 : group->visits;
    }
    enum status status =
        counts ? read_all(decoding, PART_LOAD_VISITS, counts, &decoding->counts) : STATUS_OK;
    for (size_t i = 0; i < decoding->group_count && status == STATUS_OK; i++) {
        struct group *group = &decoding->groups[i];
        uint64_t loads = 0;
        if (group->count ? __builtin_mul_overflow(group->count, group->visits, &loads)
                         : !count_loads(decoding, group, &loads))
            return damaged(index, decoding->err);
        if (!loads || loads > LIMIT_SEGMENT_RECORDS - decoding->load_count)
            return damaged(index, decoding->err);
        group->sizes = sizes;
        group->places = decoding->load_count - i; // each group before has one row less
        sizes += group->count ? group->count : loads;
        decoding->load_count += loads;
    }
    if (status == STATUS_OK)
        status = read_all(decoding, PART_LOAD_SIZES, sizes, &decoding->sizes);
    if (status == STATUS_OK)
        status = read_all(decoding, PART_LOAD_PLACES, decoding->load_count - decoding->group_count,
                          &decoding->places);
    for (uint64_t i = 0; i < sizes && status == STATUS_OK; i++) {
        if (!decoding->sizes[i] || decoding->sizes[i] > UINT8_MAX)
            return damaged(index, decoding->err);
    }
    return status;
}

// Reads the words by rank: those that have records, and those of loads of unknown values.
static enum status read_words(struct decoding *decoding)
{
    struct trawl_index *index = decoding->index;
    const struct column *known =
        segment_column(index, decoding->view, PART_MEMORY_WORDS, decoding->err);
    if (!known)
        return STATUS_DAMAGED;
    const struct column *strange =
        segment_column(index, decoding->view, PART_LOAD_STRANGE, decoding->err);
    if (!strange && decoding->err->status != STATUS_NOT_FOUND)
        return STATUS_DAMAGED;
    const uint64_t others = strange ? strange->count : 0;
    if (known->count > LIMIT_SEGMENT_RECORDS || others > LIMIT_SEGMENT_RECORDS)
        return damaged(index, decoding->err);
    decoding->word_count = known->count + others;
    decoding->words = malloc((size_t)(decoding->word_count + 1) * sizeof *decoding->words);
    if (!decoding->words)
        return index_no_memory(index, decoding->err);
    return (!known->count || column_read(known, 0, (size_t)known->count, decoding->words)) &&
                   (!others ||
                    column_read(strange, 0, (size_t)others, decoding->words + known->count))
               ? STATUS_OK
               : damaged(index, decoding->err);
}

// Puts the loads of the next event of a group at `at` in the table. *before is the place of the
// load before. Returns their number; UINT64_MAX: damage.
static uint64_t put_event(const struct decoding *decoding, struct group *group,
                          const struct load_table *table, uint64_t at, uint64_t *before)
{
    const bool varies = !group->count;
    const uint64_t count = varies ? decoding->counts[group->counts + group->visited] : group->count;
    const uint64_t stride = varies ? 1 : group->visits;
    const uint64_t first = varies ? group->loads : group->visited;
    const uint64_t *rows = decoding->places + group->places; // of all loads but the first
    const uint64_t *sizes = decoding->sizes + group->sizes + (varies ? group->loads : 0);
    uint64_t place = group->loads && !group->is_near ? group->previous : *before;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t row = first + k * stride;
        place += unzigzag(row ? rows[row - 1] : group->first);
        group->previous = k ? group->previous : place;
        if (place / 8 >= decoding->word_count)
            return UINT64_MAX;
        table->addresses[at + k] = decoding->words[place / 8] * 8 + place % 8;
        table->sizes[at + k] = (uint8_t)sizes[k];
        *before = place;
    }
    group->visited++;
    group->loads += count;
    return count;
}

static enum status decode(struct decoding *decoding, struct load_table *table)
{
    table->firsts = calloc((size_t)decoding->event_count + 1, sizeof *table->firsts);
    if (!table->firsts)
        return index_no_memory(decoding->index, decoding->err);
    enum status status = open_groups(decoding);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status == STATUS_OK)
        status = name_groups(decoding);
    if (status == STATUS_OK)
        status = fill_slots(decoding);
    if (status == STATUS_OK)
        status = visit_events(decoding, table);
    if (status == STATUS_OK)
        status = lay_out(decoding);
    if (status == STATUS_OK)
        status = read_words(decoding);
    if (status != STATUS_OK)
        return status;
    // table->firsts has the group of each event, and gets the place of its first load.
    const size_t events = (size_t)decoding->event_count, loads = (size_t)decoding->load_count;
    uint64_t at = 0, before = 0;
    table->addresses = malloc((loads + 1) * sizeof *table->addresses);
    table->sizes = malloc(loads + 1);
    if (!table->addresses || !table->sizes)
        return index_no_memory(decoding->index, decoding->err);
    for (size_t event = 0; event < events; event++) {
        const uint32_t slot = table->firsts[event];
        table->firsts[event] = (uint32_t)at;
        if (!slot)
            continue;
        const uint64_t count = put_event(decoding, &decoding->groups[slot - 1], table, at, &before);
        if (count == UINT64_MAX)
            return damaged(decoding->index, decoding->err);
        at += count;
    }
    table->firsts[events] = (uint32_t)at;
    return STATUS_OK;
}

// The reads of a segment. Valid until those of some others were requested. NULL: `err` has the
// reason.
static const struct load_table *loads_of(struct trawl_index *index, uint64_t segment,
                                         struct error *err)
{
    struct load_table *table = &index->loads[segment % LOAD_TABLES];
    if (table->firsts && table->segment == segment)
        return table;
    load_table_free(table);
    struct decoding decoding = {.index = index,
                                .view = index_segment(index, segment, err),
                                .event_count = index_segment_events(index, segment),
                                .err = err};
    if (!decoding.view)
        return NULL;
    const enum status status = decode(&decoding, table);
    free(decoding.groups);
    free(decoding.slots);
    free(decoding.sizes);
    free(decoding.counts);
    free(decoding.places);
    free(decoding.words);
    if (status == STATUS_OK)
        table->segment = segment;
    else
        load_table_free(table);
    return status == STATUS_OK ? table : NULL;
}

// --- By event ------------------------------------------------------------------------------------

// Fails unless the index lists reads.
static enum status need_loads(const struct trawl_index *index, struct error *err)
{
    return index->identity[IDENTITY_OPTIONS] & TRAWL_TELLS_LOADS
               ? STATUS_OK
               : error_set(err, STATUS_NOT_FOUND, "%s: does not list reads of memory", index->path);
}

static enum status no_such_event(const struct trawl_index *index, struct error *err)
{
    return error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path);
}

enum trawl_status trawl_loads_of_(struct trawl_index *index, uint64_t event,
                                  struct trawl_load *loads, size_t load_bytes, size_t capacity,
                                  size_t *count, struct trawl_error *error)
{
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    struct error why;
    enum status status = need_loads(index, &why);
    *count = 0;
    if (status == STATUS_OK && event >= index->identity[IDENTITY_EVENTS])
        status = no_such_event(index, &why);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    const struct load_table *table = loads_of(index, event / per_segment, &why);
    if (!table)
        return errors_give(error, &why, why.status);
    const uint32_t *first = &table->firsts[event % per_segment];
    *count = first[1] - first[0];
    for (size_t i = 0; i < *count && i < capacity; i++) {
        struct trawl_load load = {event, 0, table->sizes[first[0] + i]};
        status = index_address(index, event, table->addresses[first[0] + i], &load.address, &why);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        caller_give((char *)loads + i * load_bytes, load_bytes, &load, sizeof load);
    }
    return TRAWL_OK;
}

// Replaces the bytes of a range that the event itself loads, as far as its records show them, or
// stores, by what was there before.
static enum trawl_status take_before(struct trawl_index *index, uint64_t event, uint64_t address,
                                     size_t size_bytes, uint8_t *values, uint8_t *known,
                                     struct trawl_error *err)
{
    enum { AT_ONCE = 32 };
    uint64_t addresses[AT_ONCE], masks[AT_ONCE], shown[AT_ONCE], kinds[AT_ONCE];
    const struct trawl_access_columns columns = {
        .address = addresses, .mask = masks, .value = shown, .kind = kinds};
    for (unsigned loads = 0; loads < 2; loads++) { // what loads show counts more
        struct trawl_access_cursor place = {event, 0};
        size_t count = AT_ONCE;
        while (count == AT_ONCE) {
            const enum trawl_status status =
                trawl_accesses(index, &place, event + 1, AT_ONCE, &columns, &count, err);
            if (status != TRAWL_OK)
                return status;
            for (size_t i = 0; i < 8 * count; i++) {
                const uint64_t at = addresses[i / 8] + i % 8 - address;
                if ((kinds[i / 8] == TRAWL_ACCESS_LOAD) != loads || !(masks[i / 8] >> i % 8 & 1) ||
                    at >= size_bytes)
                    continue;
                const uint8_t byte = (uint8_t)(shown[i / 8] >> 8 * (i % 8));
                enum trawl_status before = TRAWL_OK;
                if (loads) {
                    values[at] = byte;
                    known[at] = 1;
                } else {
                    before = trawl_memory(index, event - 1, address + at, 1, values + at,
                                          known + at, err); // before event 0 is TRAWL_START
                }
                if (before != TRAWL_OK)
                    return before;
            }
        }
    }
    return TRAWL_OK;
}

enum trawl_status trawl_loaded(struct trawl_index *index, uint64_t event, uint64_t address,
                               size_t size_bytes, uint8_t *values, uint8_t *known,
                               struct trawl_error *err)
{
    struct trawl_write write;
    enum trawl_status status = trawl_memory(index, event, address, size_bytes, values, known, err);
    if (status != TRAWL_OK || event == TRAWL_START)
        return status;
    status = trawl_memory_written(index, event, TRAWL_BACKWARD, address, size_bytes, &write, NULL);
    return status == TRAWL_OK && write.event == event
               ? take_before(index, event, address, size_bytes, values, known, err)
               : TRAWL_OK;
}

enum trawl_status trawl_loads_(struct trawl_index *index, struct trawl_access_cursor *place,
                               uint64_t until, size_t capacity,
                               const struct trawl_load_columns *theirs, size_t columns_bytes,
                               size_t *count, struct trawl_error *error)
{
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    struct trawl_load_columns columns;
    struct error why;
    enum status status = need_loads(index, &why);
    *count = 0;
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    caller_take(&columns, sizeof columns, theirs, columns_bytes);
    until = u64_min(until, index->identity[IDENTITY_EVENTS]);
    while (place->event < until && *count < capacity) {
        const struct load_table *table = loads_of(index, place->event / per_segment, &why);
        if (!table)
            return errors_give(error, &why, why.status);
        const uint64_t from = place->event - place->event % per_segment;
        const uint64_t last = u64_min(per_segment, until - from) - 1;
        uint64_t row = place->event - from;
        while (row < last && table->firsts[row] == table->firsts[row + 1])
            row++; // most events have none
        if (from + row != place->event)
            *place = (struct trawl_access_cursor){from + row, 0};
        const uint32_t *first = &table->firsts[row];
        const uint64_t loads = first[1] - first[0];
        for (; place->number < loads && *count < capacity; place->number++, ++*count) {
            const uint64_t at = first[0] + place->number;
            if (columns.event)
                columns.event[*count] = place->event;
            if (columns.address &&
                (status = index_address(index, place->event, table->addresses[at],
                                        &columns.address[*count], &why)) != STATUS_OK)
                return errors_give(error, &why, status);
            if (columns.size_bytes)
                columns.size_bytes[*count] = table->sizes[at];
        }
        if (place->number >= loads)
            *place = (struct trawl_access_cursor){place->event + 1, 0};
    }
    return TRAWL_OK;
}

// --- By address ----------------------------------------------------------------------------------

struct read_search {
    struct trawl_index *index;
    bool back;
    uint64_t event;       // the nearest one that counts
    uint64_t first, last; // bytes
    struct error *err;
};

static ALWAYS_INLINE bool touches(const struct read_search *search, uint64_t address, uint8_t size)
{
    // The last byte read is less than the sum of both sizes behind the first byte wanted.
    const uint64_t span = u64_min(search->last - search->first, UINT64_MAX - UINT8_MAX);
    return address + size - 1 - search->first < span + size;
}

// The nearest load in a segment at or after load `at` (with `back`, before it) that touches the
// bytes. False: none.
static bool find_load(const struct read_search *search, const struct load_table *table,
                      uint32_t count, uint32_t *at)
{
    if (search->back) {
        while (*at && !touches(search, table->addresses[*at - 1], table->sizes[*at - 1]))
            --*at;
        return (*at)-- != 0;
    }
    while (*at < count && !touches(search, table->addresses[*at], table->sizes[*at]))
        ++*at;
    return *at < count;
}

// The nearest segment from `segment` on that may have reads of the bytes. False: damage.
static bool find_segment(const struct read_search *search, uint64_t *segment)
{
    const struct word_set words = word_set_of_range(search->first / 8, search->last / 8);
    uint64_t loaded, reread;
    if (!index_find_touched(search->index, TOUCHED_LOADED, &words, *segment, search->back,
                            &loaded) ||
        !index_find_touched(search->index, TOUCHED_REREAD, &words, *segment, search->back, &reread))
        return false;
    *segment = loaded == NO_SEGMENT   ? reread
               : reread == NO_SEGMENT ? loaded
               : search->back         ? u64_max(loaded, reread)
                                      : u64_min(loaded, reread);
    return true;
}

// Lists the reads of one segment, the nearest first.
static enum status reads_of_segment(const struct read_search *search, uint64_t segment,
                                    struct trawl_read *reads, size_t read_bytes, size_t capacity,
                                    size_t *count)
{
    struct trawl_index *index = search->index;
    const uint64_t per_segment = index->identity[IDENTITY_SEGMENT_EVENTS];
    const uint64_t events = index_segment_events(index, segment);
    const struct load_table *table = loads_of(index, segment, search->err);
    if (!table)
        return search->err->status;
    const bool is_inside = search->event / per_segment == segment;
    const uint64_t row = search->event % per_segment;
    uint32_t at = search->back ? table->firsts[is_inside ? row + 1 : events]
                               : table->firsts[is_inside ? row : 0];
    while (*count < capacity && find_load(search, table, table->firsts[events], &at)) {
        // The row of a load: the last whose loads do not begin after it.
        uint64_t found = 0, high = events;
        while (high - found > 1) {
            const uint64_t middle = found + (high - found) / 2;
            *(table->firsts[middle] <= at ? &found : &high) = middle;
        }
        // The bytes that an event read, from the first to the last of those that are wanted.
        uint64_t event = segment * per_segment + found;
        uint64_t first = UINT64_MAX, last = 0;
        for (uint32_t i = table->firsts[found]; i < table->firsts[found + 1]; i++) {
            const uint64_t address = table->addresses[i], size = table->sizes[i];
            if (!touches(search, address, table->sizes[i]))
                continue;
            const uint64_t begin = address - search->first <= search->last - search->first
                                       ? address
                                       : search->first; // it begins before
            const uint64_t end = address + size - 1 - search->first <= search->last - search->first
                                     ? address + size - 1
                                     : search->last;
            first = u64_min(first, begin);
            last = u64_max(last, end);
        }
        const struct trawl_read read = {event, first, last - first + 1};
        caller_give((char *)reads + *count * read_bytes, read_bytes, &read, sizeof read);
        ++*count;
        at = search->back ? table->firsts[found] : table->firsts[found + 1];
    }
    return STATUS_OK;
}

// The nearest reads of bytes at a place. `search` has the point.
static enum status find_reads(struct read_search *search, uint64_t first, uint64_t last,
                              struct trawl_read *reads, size_t read_bytes, size_t capacity,
                              size_t *count)
{
    uint64_t segment = search->event / search->index->identity[IDENTITY_SEGMENT_EVENTS];
    search->first = first;
    search->last = last;
    *count = 0;
    while (*count < capacity) {
        if (!find_segment(search, &segment))
            return index_damaged(search->index, "directory of memory", search->err);
        if (segment == NO_SEGMENT)
            return STATUS_OK;
        enum status status = reads_of_segment(search, segment, reads, read_bytes, capacity, count);
        if (status != STATUS_OK || (search->back && !segment--))
            return status;
        segment += !search->back;
    }
    return STATUS_OK;
}

ORDER_BY(compare_reads, struct trawl_read, event)

// The same for virtual addresses, as they are at `point`: of each run of places as many as wanted,
// of which the nearest are kept.
static enum status find_virtual(struct read_search *search, uint64_t point, uint64_t first,
                                uint64_t last, struct trawl_read *reads, size_t read_bytes,
                                size_t capacity, size_t *count)
{
    struct place_runs runs = {0};
    VEC(, struct trawl_read) found = {0};
    size_t kept = 0;
    *count = 0;
    enum status status = index_place_runs(search->index, point, first, last, &runs, search->err);
    for (size_t i = 0; i < runs.count && status == STATUS_OK; i++) {
        const struct place_run *run = &runs.items[i];
        size_t here = 0;
        if (!VEC_ROOM(&found, capacity)) {
            status = index_no_memory(search->index, search->err);
            break;
        }
        struct trawl_read *to = &found.items[found.count];
        status = find_reads(search, run->place, run->place + run->size_bytes - 1, to, sizeof *to,
                            capacity, &here);
        for (size_t k = 0; k < here; k++)
            to[k].address += run->address - run->place;
        found.count += here;
    }
    if (found.count && runs.count > 1)
        qsort(found.items, found.count, sizeof *found.items, compare_reads);
    for (size_t i = 0; i < found.count && status == STATUS_OK; i++) {
        const bool is_reversed = search->back && runs.count > 1;
        struct trawl_read *read = &found.items[is_reversed ? found.count - 1 - i : i];
        struct trawl_read *last_kept =
            kept ? &found.items[is_reversed ? found.count - kept : kept - 1] : NULL;
        if (last_kept && last_kept->event == read->event) {
            const uint64_t end = u64_max(last_kept->address + last_kept->size_bytes,
                                         read->address + read->size_bytes);
            last_kept->address = u64_min(last_kept->address, read->address);
            last_kept->size_bytes = end - last_kept->address;
        } else if (kept < capacity) {
            found.items[is_reversed ? found.count - 1 - kept : kept] = *read;
            kept++;
        }
    }
    for (size_t i = 0; i < kept && status == STATUS_OK; i++) {
        const bool is_reversed = search->back && runs.count > 1;
        caller_give((char *)reads + i * read_bytes, read_bytes,
                    &found.items[is_reversed ? found.count - 1 - i : i], sizeof *found.items);
    }
    *count = status == STATUS_OK ? kept : 0;
    free(runs.items);
    free(found.items);
    return status;
}

enum trawl_status trawl_memory_reads_(struct trawl_index *index, uint64_t event,
                                      enum trawl_direction direction, uint64_t address,
                                      uint64_t size_bytes, struct trawl_read *reads,
                                      size_t read_bytes, size_t capacity, size_t *count,
                                      struct trawl_error *error)
{
    struct error why;
    const uint64_t events = index->identity[IDENTITY_EVENTS];
    struct read_search search = {.index = index, .back = direction == TRAWL_BACKWARD, .err = &why};
    enum status status = need_loads(index, &why);
    *count = 0;
    if (status == STATUS_OK && event != TRAWL_START && event >= events)
        status = no_such_event(index, &why);
    if (status != STATUS_OK)
        return errors_give(error, &why, status);
    search.event = event + !search.back; // TRAWL_START + 1 is 0
    if (search.event >= events || !size_bytes)
        return TRAWL_OK;
    const uint64_t last = address + u64_min(size_bytes - 1, UINT64_MAX - address);
    status = index->has_places && !index->memory_view.is_physical
                 ? find_virtual(&search, event, address, last, reads, read_bytes, capacity, count)
                 : find_reads(&search, address, last, reads, read_bytes, capacity, count);
    return errors_give(error, &why, status);
}

enum trawl_status trawl_memory_read_(struct trawl_index *index, uint64_t event,
                                     enum trawl_direction direction, uint64_t address,
                                     uint64_t size_bytes, struct trawl_read *read,
                                     size_t read_bytes, struct trawl_error *err)
{
    struct error why;
    size_t count;
    enum trawl_status status = trawl_memory_reads_(index, event, direction, address, size_bytes,
                                                   read, read_bytes, 1, &count, err);
    if (status != TRAWL_OK || count)
        return status;
    return errors_give(err, &why, error_set(&why, STATUS_NOT_FOUND, "%s: not read", index->path));
}

// --- Reads and writes ----------------------------------------------------------------------------

enum trawl_status trawl_memory_accessed_(struct trawl_index *index, uint64_t event,
                                         enum trawl_direction direction, uint64_t address,
                                         uint64_t size_bytes, struct trawl_memory_access *access,
                                         size_t access_bytes, struct trawl_error *err)
{
    struct trawl_read read = {.event = TRAWL_NONE};
    struct trawl_write write = {.event = TRAWL_NONE};
    struct error why;
    enum trawl_status read_status =
        trawl_memory_read(index, event, direction, address, size_bytes, &read, err);
    if (read_status != TRAWL_OK && read_status != TRAWL_NOT_FOUND)
        return read_status;
    if (need_loads(index, &why) != STATUS_OK)
        return errors_give(err, &why, STATUS_NOT_FOUND);
    enum trawl_status status =
        trawl_memory_written(index, event, direction, address, size_bytes, &write, err);
    if (status != TRAWL_OK && (status != TRAWL_NOT_FOUND || read_status != TRAWL_OK))
        return status;
    const bool is_read = read_status == TRAWL_OK, is_written = status == TRAWL_OK;
    const bool is_back = direction == TRAWL_BACKWARD;
    struct trawl_memory_access found = {
        .is_read = is_read && (!is_written || read.event == write.event ||
                               (read.event > write.event) == is_back),
        .is_written = is_written && (!is_read || read.event == write.event ||
                                     (write.event > read.event) == is_back),
    };
    found.event = found.is_read ? read.event : write.event;
    const uint64_t first = !found.is_written ? read.address
                           : !found.is_read  ? write.address
                                             : u64_min(read.address, write.address);
    const uint64_t read_last = found.is_read ? read.address + read.size_bytes - 1 : 0;
    const uint64_t write_last = found.is_written ? write.address + write.size_bytes - 1 : 0;
    found.address = first;
    found.size_bytes = u64_max(read_last, write_last) - first + 1;
    caller_give(access, access_bytes, &found, sizeof found);
    return TRAWL_OK;
}
