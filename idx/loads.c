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
    free(table->rows.items);
    free(table->addresses.items);
    free(table->sizes.items);
    *table = (struct load_table){.segment = NO_SEGMENT};
}

static enum status damaged(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "reads of memory", err);
}

// --- Decoding ------------------------------------------------------------------------------------

// In one line of the cache.
struct group {
    uint64_t pc;
    uint64_t previous; // place of the first load of the event before
    uint64_t first;    // zigzag difference of the first place from that of the load before it
    uint32_t owner;
    uint32_t event;                 // the first that reads
    uint32_t count;                 // loads of each event; 0: in `counts`
    uint32_t visits;                // events
    uint32_t visited;               // so far
    uint32_t loads;                 // so far
    uint32_t sizes, counts, places; // where its rows begin
    bool is_near;                   // places are relative to the load before
};

// An event of a group.
struct visit {
    uint32_t row, group;
};

VEC(load_words, uint64_t);
VEC(load_numbers, uint32_t); // that are far below 2^32

// Kept from segment to segment: memory that is new each time costs more than what is put into it.
struct load_decoder {
    VEC(, struct group) groups;
    VEC(, struct visit) visits;
    struct load_numbers sizes, counts, places;
    struct load_words words;
    // Groups + 1, by load_filter_bit of the PC. Of several that share a bit, the number is
    // SHARED_BIT, and they are found in `by_owner`.
    uint32_t by_bit[LOAD_FILTER_BITS];
    VEC(, uint32_t) by_owner; // groups + 1, with open addressing
    struct hash_seed seed;
};

#define SHARED_BIT UINT32_MAX

void load_decoder_free(struct load_decoder *decoder)
{
    if (!decoder)
        return;
    free(decoder->groups.items);
    free(decoder->visits.items);
    free(decoder->sizes.items);
    free(decoder->counts.items);
    free(decoder->places.items);
    free(decoder->words.items);
    free(decoder->by_owner.items);
    free(decoder);
}

struct decoding {
    struct trawl_index *index;
    struct segment_view *view;
    struct load_decoder *decoder;
    uint64_t event_count, load_count;
    struct error *err;
};

static ALWAYS_INLINE bool is_group(const struct group *group, uint64_t pc, uint32_t owner)
{
    return group->pc == pc && group->owner == owner;
}

// The slot of a group, or the free slot where it would go.
static uint32_t *probe(const struct load_decoder *decoder, uint64_t pc, uint32_t owner)
{
    const size_t mask = decoder->by_owner.count - 1;
    size_t at = (size_t)hash_key(&decoder->seed, pc ^ (uint64_t)owner << 40);
    for (;; at++) {
        uint32_t *slot = &decoder->by_owner.items[at & mask];
        if (!*slot || is_group(&decoder->groups.items[*slot - 1], pc, owner))
            return slot;
    }
}

// Opens the groups of the segment. STATUS_NOT_FOUND: it has no reads.
static enum status open_groups(struct decoding *decoding)
{
    struct trawl_index *index = decoding->index;
    struct load_decoder *decoder = decoding->decoder;
    const struct column *columns[3];
    for (uint32_t i = 0; i < ARRAY_COUNT(columns); i++) {
        columns[i] = segment_column(index, decoding->view,
                                    (enum segment_part)(PART_LOAD_EVENTS + i), decoding->err);
        if (!columns[i])
            return i ? STATUS_DAMAGED : decoding->err->status;
        if (columns[i]->count != columns[0]->count)
            return damaged(index, decoding->err);
    }
    const uint64_t count = columns[0]->count;
    if (!count || count > decoding->event_count)
        return damaged(index, decoding->err);
    decoder->groups.count = 0;
    if (!VEC_ROOM(&decoder->groups, (size_t)count))
        return index_no_memory(index, decoding->err);
    for (uint64_t from = 0; from < count; from += COLUMN_BLOCK) {
        uint64_t events[COLUMN_BLOCK], counts[COLUMN_BLOCK], firsts[COLUMN_BLOCK];
        const size_t here = (size_t)u64_min(count - from, COLUMN_BLOCK);
        if (!column_read(columns[0], from, here, events) ||
            !column_read(columns[1], from, here, counts) ||
            !column_read(columns[2], from, here, firsts))
            return damaged(index, decoding->err);
        for (size_t i = 0; i < here; i++) {
            if (events[i] >= decoding->event_count || counts[i] >> 1 > LIMIT_SEGMENT_RECORDS ||
                (from + i && events[i] <= decoder->groups.items[from + i - 1].event))
                return damaged(index, decoding->err);
            decoder->groups.items[decoder->groups.count++] =
                (struct group){.event = (uint32_t)events[i],
                               .count = (uint32_t)(counts[i] >> 1),
                               .is_near = counts[i] & 1,
                               .first = firsts[i]};
        }
    }
    return STATUS_OK;
}

struct event_block {
    uint64_t pcs[COLUMN_BLOCK], flags[COLUMN_BLOCK], lanes[COLUMN_BLOCK];
};

static enum status read_pcs(const struct decoding *decoding, uint64_t from, size_t count,
                            struct event_block *block)
{
    const struct column *column =
        segment_column(decoding->index, decoding->view, PART_PC, decoding->err);
    if (!column)
        return STATUS_DAMAGED;
    return column_read(column, from, count, block->pcs) ? STATUS_OK
                                                        : damaged(decoding->index, decoding->err);
}

// What owner_of needs.
static enum status read_owners(const struct decoding *decoding, uint64_t from, size_t count,
                               struct event_block *block)
{
    struct trawl_index *index = decoding->index;
    const struct column *column = segment_column(index, decoding->view, PART_FLAGS, decoding->err);
    if (!column)
        return STATUS_DAMAGED;
    if (!column_read(column, from, count, block->flags))
        return damaged(index, decoding->err);
    return index_read_lanes(index, decoding->view, from, count, block->lanes, decoding->err);
}

// The owner that the group of an event would have.
static ALWAYS_INLINE uint32_t owner_of(const struct event_block *block, size_t i)
{
    return load_owner((unsigned)block->lanes[i] & 0xffff, block->flags[i]);
}

// Makes the tables of groups, without any.
static enum status make_tables(struct decoding *decoding)
{
    struct load_decoder *decoder = decoding->decoder;
    size_t slots = 2;
    while (slots < 2 * decoder->groups.count)
        slots *= 2;
    decoder->by_owner.count = 0;
    if (!VEC_EXTEND(&decoder->by_owner, slots))
        return index_no_memory(decoding->index, decoding->err);
    decoder->seed = hash_seed_new();
    memset(decoder->by_bit, 0, sizeof decoder->by_bit);
    return STATUS_OK;
}

// Adds a group to the tables. Its PC and owner are those of its first event, row `row` of a block.
static bool add_group(struct load_decoder *decoder, size_t number, const struct event_block *block,
                      size_t row)
{
    struct group *group = &decoder->groups.items[number];
    group->pc = block->pcs[row];
    group->owner = owner_of(block, row);
    uint32_t *slot = probe(decoder, group->pc, group->owner);
    uint32_t *bit = &decoder->by_bit[load_filter_bit(group->pc)];
    if (*slot) // twice the same
        return false;
    *slot = (uint32_t)number + 1;
    *bit = *bit ? SHARED_BIT : *slot;
    return true;
}

// Adds the groups of which some events do not read, as these may come before the first that does.
static enum status add_varying(struct decoding *decoding, struct event_block *block)
{
    struct load_decoder *decoder = decoding->decoder;
    uint64_t from = UINT64_MAX; // of the block
    for (size_t i = 0; i < decoder->groups.count; i++) {
        const struct group *group = &decoder->groups.items[i];
        const uint64_t wanted = group->event / COLUMN_BLOCK * COLUMN_BLOCK;
        if (group->count)
            continue;
        if (wanted != from) {
            from = wanted;
            const size_t count = (size_t)u64_min(decoding->event_count - from, COLUMN_BLOCK);
            enum status status = read_pcs(decoding, from, count, block);
            if (status == STATUS_OK)
                status = read_owners(decoding, from, count, block);
            if (status != STATUS_OK)
                return status;
        }
        if (!add_group(decoder, i, block, (size_t)(group->event - from)))
            return damaged(decoding->index, decoding->err);
    }
    return STATUS_OK;
}

// Lists the events of all groups, in order. Most events have no group, so a block is first reduced
// to those that may have one, without a branch for each.
static enum status find_visits(struct decoding *decoding)
{
    struct event_block block;
    uint16_t maybe[COLUMN_BLOCK];
    struct load_decoder *decoder = decoding->decoder;
    size_t next = 0; // group of which no event has come yet
    decoder->visits.count = 0;
    enum status status = add_varying(decoding, &block);
    for (uint64_t from = 0; from < decoding->event_count && status == STATUS_OK;
         from += COLUMN_BLOCK) {
        const size_t count = (size_t)u64_min(decoding->event_count - from, COLUMN_BLOCK);
        size_t maybes = 0;
        status = read_pcs(decoding, from, count, &block);
        const bool begins =
            next < decoder->groups.count && decoder->groups.items[next].event < from + COLUMN_BLOCK;
        if (begins && status == STATUS_OK)
            status = read_owners(decoding, from, count, &block);
        for (; status == STATUS_OK && next < decoder->groups.count; next++) {
            const struct group *group = &decoder->groups.items[next];
            if (group->event >= from + COLUMN_BLOCK)
                break;
            if (group->count && !add_group(decoder, next, &block, (size_t)(group->event - from)))
                return damaged(decoding->index, decoding->err);
        }
        for (size_t i = 0; i < count && status == STATUS_OK; i++) {
            maybe[maybes] = (uint16_t)i;
            maybes += decoder->by_bit[load_filter_bit(block.pcs[i])] != 0;
        }
        if (maybes && !begins && status == STATUS_OK)
            status = read_owners(decoding, from, count, &block);
        if (status != STATUS_OK)
            return status;
        if (!VEC_ROOM(&decoder->visits, maybes))
            return index_no_memory(decoding->index, decoding->err);
        for (size_t k = 0; k < maybes; k++) {
            const uint64_t pc = block.pcs[maybe[k]];
            const uint32_t owner = owner_of(&block, maybe[k]);
            uint32_t number = decoder->by_bit[load_filter_bit(pc)];
            if (UNLIKELY(number == SHARED_BIT))
                number = *probe(decoder, pc, owner);
            if (!number || !is_group(&decoder->groups.items[number - 1], pc, owner))
                continue;
            decoder->groups.items[number - 1].visits++;
            decoder->visits.items[decoder->visits.count++] =
                (struct visit){(uint32_t)(from + maybe[k]), number - 1};
        }
    }
    return status;
}

// Reads a whole column of the segment that must have `count` rows.
static enum status read_all(struct decoding *decoding, enum segment_part part, uint64_t count,
                            struct load_numbers *numbers)
{
    struct trawl_index *index = decoding->index;
    uint64_t values[COLUMN_BLOCK], all = 0;
    const struct column *column = segment_column(index, decoding->view, part, decoding->err);
    if (!column)
        return decoding->err->status == STATUS_NOT_FOUND ? damaged(index, decoding->err)
                                                         : STATUS_DAMAGED;
    if (column->count != count)
        return damaged(index, decoding->err);
    numbers->count = 0;
    if (!VEC_ROOM(numbers, (size_t)count))
        return index_no_memory(index, decoding->err);
    for (uint64_t from = 0; from < count; from += COLUMN_BLOCK) {
        const size_t here = (size_t)u64_min(count - from, COLUMN_BLOCK);
        if (!column_read(column, from, here, values))
            return damaged(index, decoding->err);
        for (size_t i = 0; i < here; i++) {
            numbers->items[from + i] = (uint32_t)values[i];
            all |= values[i];
        }
    }
    return all <= UINT32_MAX ? STATUS_OK : damaged(index, decoding->err);
}

// The loads of all events of a group in which their number varies.
static bool count_loads(const struct load_decoder *decoder, const struct group *group,
                        uint64_t *loads)
{
    *loads = 0;
    for (uint64_t i = 0; i < group->visits; i++) {
        const uint64_t count = decoder->counts.items[group->counts + i];
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
    struct load_decoder *decoder = decoding->decoder;
    for (size_t i = 0; i < decoder->groups.count; i++) {
        struct group *group = &decoder->groups.items[i];
        group->counts = (uint32_t)counts;
        counts += group->count ? 0 : group->visits;
    }
    enum status status =
        counts ? read_all(decoding, PART_LOAD_VISITS, counts, &decoder->counts) : STATUS_OK;
    for (size_t i = 0; i < decoder->groups.count && status == STATUS_OK; i++) {
        struct group *group = &decoder->groups.items[i];
        uint64_t loads = (uint64_t)group->count * group->visits;
        if (!group->count && !count_loads(decoder, group, &loads))
            return damaged(index, decoding->err);
        if (!loads || loads > LIMIT_SEGMENT_RECORDS - decoding->load_count)
            return damaged(index, decoding->err);
        group->sizes = (uint32_t)sizes;
        group->places = (uint32_t)(decoding->load_count - i); // each before has one row less
        sizes += group->count ? group->count : loads;
        decoding->load_count += loads;
    }
    if (status == STATUS_OK)
        status = read_all(decoding, PART_LOAD_SIZES, sizes, &decoder->sizes);
    if (status == STATUS_OK)
        status = read_all(decoding, PART_LOAD_PLACES, decoding->load_count - decoder->groups.count,
                          &decoder->places);
    for (uint64_t i = 0; i < sizes && status == STATUS_OK; i++) {
        if (!decoder->sizes.items[i] || decoder->sizes.items[i] > UINT8_MAX)
            return damaged(index, decoding->err);
    }
    return status;
}

// Reads the words by rank: those that have records, and those of loads of unknown values.
static enum status read_words(struct decoding *decoding)
{
    struct trawl_index *index = decoding->index;
    struct load_words *words = &decoding->decoder->words;
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
    words->count = 0;
    if (!VEC_ROOM(words, (size_t)(known->count + others)))
        return index_no_memory(index, decoding->err);
    words->count = (size_t)(known->count + others);
    return column_read(known, 0, (size_t)known->count, words->items) &&
                   (!others || column_read(strange, 0, (size_t)others, words->items + known->count))
               ? STATUS_OK
               : damaged(index, decoding->err);
}

// Puts the loads of the events of all groups in order. There is room for `capacity`. False: damage.
static bool put_visits(struct load_decoder *decoder, struct load_table *table, size_t capacity)
{
    const uint64_t *words = decoder->words.items, word_count = decoder->words.count;
    uint32_t *to_rows = table->rows.items;
    uint64_t *to_addresses = table->addresses.items, before = 0; // the place of the load before
    uint8_t *to_sizes = table->sizes.items;
    size_t at = 0;
    for (size_t i = 0; i < decoder->visits.count; i++) {
        const struct visit visit = decoder->visits.items[i];
        struct group *group = &decoder->groups.items[visit.group];
        const bool varies = !group->count;
        const uint64_t count =
            varies ? decoder->counts.items[group->counts + group->visited] : group->count;
        const size_t stride = varies ? 1 : group->visits;
        const uint32_t *sizes =
            VEC_FROM(&decoder->sizes, group->sizes + (varies ? group->loads : 0));
        const uint32_t *rows =
            VEC_FROM(&decoder->places, group->places); // of all loads but the first
        size_t row = varies ? group->loads : group->visited;
        uint64_t place = group->loads && !group->is_near ? group->previous : before;
        if (count > capacity - at)
            return false;
        for (uint64_t k = 0; k < count; k++, row += stride, at++) {
            place += unzigzag(row ? rows[row - 1] : group->first);
            if (!k)
                group->previous = place;
            if (place / 8 >= word_count)
                return false;
            to_rows[at] = visit.row;
            to_addresses[at] = words[place / 8] * 8 + place % 8;
            to_sizes[at] = (uint8_t)sizes[k];
        }
        before = count ? place : before;
        group->visited++;
        group->loads += (uint32_t)count;
    }
    table->count = at;
    return true;
}

static enum status decode(struct decoding *decoding, struct load_table *table)
{
    table->count = 0;
    enum status status = open_groups(decoding);
    if (status == STATUS_NOT_FOUND)
        return STATUS_OK;
    if (status == STATUS_OK)
        status = make_tables(decoding);
    if (status == STATUS_OK)
        status = find_visits(decoding);
    if (status == STATUS_OK)
        status = lay_out(decoding);
    if (status == STATUS_OK)
        status = read_words(decoding);
    if (status != STATUS_OK)
        return status;
    const size_t loads = (size_t)decoding->load_count;
    if (!VEC_ROOM(&table->rows, loads) || !VEC_ROOM(&table->addresses, loads) ||
        !VEC_ROOM(&table->sizes, loads))
        return index_no_memory(decoding->index, decoding->err);
    return put_visits(decoding->decoder, table, loads) ? STATUS_OK
                                                       : damaged(decoding->index, decoding->err);
}

// The reads of a segment. Valid until those of some others were requested. NULL: `err` has the
// reason.
static const struct load_table *loads_of(struct trawl_index *index, uint64_t segment,
                                         struct error *err)
{
    struct load_table *table = &index->loads[segment % LOAD_TABLES];
    if (table->segment == segment)
        return table;
    table->segment = NO_SEGMENT;
    if (!index->load_decoder && !(index->load_decoder = calloc(1, sizeof *index->load_decoder))) {
        index_no_memory(index, err);
        return NULL;
    }
    struct decoding decoding = {.index = index,
                                .view = index_segment(index, segment, err),
                                .decoder = index->load_decoder,
                                .event_count = index_segment_events(index, segment),
                                .err = err};
    if (!decoding.view || decode(&decoding, table) != STATUS_OK)
        return NULL;
    table->segment = segment;
    return table;
}

// Who goes through the segments one after the other needs one table: that of the segment before,
// whose memory is in the caches.
static void take_over_table(struct trawl_index *index, uint64_t segment)
{
    struct load_table *table = &index->loads[segment % LOAD_TABLES];
    struct load_table *before = &index->loads[(segment + LOAD_TABLES - 1) % LOAD_TABLES];
    if (table->segment == segment || !segment || before->segment != segment - 1)
        return;
    const struct load_table old = *table;
    *table = *before;
    *before = old;
    table->segment = NO_SEGMENT;
}

// The first read of a segment at or after a row, all of which have fewer than 2^32 events.
static size_t first_at(const struct load_table *table, uint64_t row)
{
    size_t at;
    PARTITION_POINT(at, table->count, table->rows.items[middle] < row);
    return at;
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
    const size_t first = first_at(table, event % per_segment);
    *count = first_at(table, event % per_segment + 1) - first;
    for (size_t i = 0; i < *count && i < capacity; i++) {
        struct trawl_load load = {event, 0, table->sizes.items[first + i]};
        status =
            index_address(index, event, table->addresses.items[first + i], &load.address, &why);
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

// Puts `count` reads of a segment, whose first event is `from`, at row `to` of the columns.
static enum status put_loads(struct trawl_index *index, const struct load_table *table,
                             uint64_t from, size_t at, size_t count,
                             const struct trawl_load_columns *columns, size_t to, struct error *err)
{
    const uint32_t *rows = VEC_FROM(&table->rows, at);
    const uint64_t *addresses = VEC_FROM(&table->addresses, at);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && columns->event; i++)
        columns->event[to + i] = from + rows[i];
    for (size_t i = 0; i < count && columns->size_bytes; i++)
        columns->size_bytes[to + i] = table->sizes.items[at + i];
    if (!columns->address || !count)
        return STATUS_OK;
    if (!index->has_places || index->memory_view.is_physical)
        memcpy(columns->address + to, addresses, count * sizeof *addresses);
    else
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            status =
                index_address(index, from + rows[i], addresses[i], &columns->address[to + i], err);
    return status;
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
        const uint64_t segment = place->event / per_segment, from = segment * per_segment;
        if (place->event == from)
            take_over_table(index, segment);
        const struct load_table *table = loads_of(index, segment, &why);
        if (!table)
            return errors_give(error, &why, why.status);
        const size_t end =
            until - from < per_segment ? first_at(table, until - from) : table->count;
        const size_t first = first_at(table, place->event - from);
        const size_t next = first_at(table, place->event - from + 1);
        const size_t at = first + (size_t)u64_min(place->number, next - first);
        const size_t here = (size_t)u64_min(end - at, capacity - *count);
        status = put_loads(index, table, from, at, here, &columns, *count, &why);
        if (status != STATUS_OK)
            return errors_give(error, &why, status);
        *count += here;
        *place = (struct trawl_access_cursor){u64_min(from + per_segment, until), 0};
        if (at + here < end) {
            const uint32_t row = table->rows.items[at + here];
            *place = (struct trawl_access_cursor){from + row, at + here - first_at(table, row)};
        }
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
static bool find_load(const struct read_search *search, const struct load_table *table, size_t *at)
{
    const uint64_t *addresses = table->addresses.items;
    const uint8_t *sizes = table->sizes.items;
    if (search->back) {
        while (*at && !touches(search, addresses[*at - 1], sizes[*at - 1]))
            --*at;
        return (*at)-- != 0;
    }
    while (*at < table->count && !touches(search, addresses[*at], sizes[*at]))
        ++*at;
    return *at < table->count;
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
    const struct load_table *table = loads_of(index, segment, search->err);
    if (!table)
        return search->err->status;
    const bool is_inside = search->event / per_segment == segment;
    const uint64_t row = search->event % per_segment + search->back;
    size_t at = is_inside ? first_at(table, row) : search->back ? table->count : 0;
    while (*count < capacity && find_load(search, table, &at)) {
        // The bytes that an event read, from the first to the last of those that are wanted.
        const uint32_t found = table->rows.items[at];
        const uint64_t event = segment * per_segment + found;
        const size_t begins = first_at(table, found), ends = first_at(table, found + 1);
        uint64_t first = UINT64_MAX, last = 0;
        for (size_t i = begins; i < ends; i++) {
            const uint64_t address = table->addresses.items[i], size = table->sizes.items[i];
            if (!touches(search, address, table->sizes.items[i]))
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
        at = search->back ? begins : ends;
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
