// The words that were stored to between two events.
#include "idx/index.h"
#include "idx/places.h"

#include <stdlib.h>

// The result: the lowest words so far, ascending.
struct collection {
    uint64_t *words;
    size_t count, capacity;
    uint64_t *spare; // of the same size
};

// The events of a segment that count.
struct rows_of_events {
    uint64_t first, last;
    bool is_all;        // all events of the segment count
    bool skips_outside; // changes from outside do not
};

static enum status damaged_memory(const struct trawl_index *index, struct error *err)
{
    return index_damaged(index, "memory of a segment", err);
}

// Whether one of the records [from, to) is a store in those events.
static bool has_store(const struct column *kinds, const struct column *events, uint64_t from,
                      uint64_t to, const struct rows_of_events *rows, bool *is_damaged)
{
    uint64_t kind;
    if (!rows->is_all &&
        ((rows->first && !column_search(events, from, to, rows->first - 1, &from)) ||
         !column_search(events, from, to, rows->last, &to)))
        return *is_damaged = true, false;
    while (from < to) {
        uint64_t least, greatest, block = from / COLUMN_BLOCK;
        if (!column_get(kinds, from, &kind) || !column_block_range(kinds, block, &least, &greatest))
            return *is_damaged = true, false;
        if ((kind & MEMORY_KIND) != MEMORY_LOAD && !(rows->skips_outside && kind & MEMORY_OUTSIDE))
            return true;
        from = least == greatest ? (block + 1) * COLUMN_BLOCK : from + 1; // equal: no bytes
    }
    return false;
}

// Merges ascending words into the collection, which keeps only the lowest.
static void join(struct collection *collection, const uint64_t *words, size_t count)
{
    size_t here = 0, there = 0, joined = 0;
    while (joined < collection->capacity && (here < collection->count || there < count)) {
        bool take_here =
            there == count || (here < collection->count && collection->words[here] <= words[there]);
        uint64_t word = take_here ? collection->words[here++] : words[there++];
        if (!joined || collection->spare[joined - 1] != word)
            collection->spare[joined++] = word;
    }
    uint64_t *joined_words = collection->spare;
    collection->spare = collection->words;
    collection->words = joined_words;
    collection->count = joined;
}

// The records of a word that would not be kept need not be read.
static bool is_too_high(const struct collection *collection, uint64_t word)
{
    return collection->count == collection->capacity &&
           word > collection->words[collection->count - 1];
}

static enum status collect_segment(struct trawl_index *index, uint64_t segment, uint64_t first_word,
                                   const struct rows_of_events *rows, struct collection *collection,
                                   struct error *err)
{
    uint64_t words[COLUMN_BLOCK], starts[COLUMN_BLOCK + 1], at = 0, least = first_word;
    struct segment_view *view = index_segment(index, segment, err);
    const struct column *word = view ? segment_column(index, view, PART_MEMORY_WORDS, err) : NULL;
    const struct column *start = word ? segment_column(index, view, PART_MEMORY_STARTS, err) : NULL;
    const struct column *kind = start ? segment_column(index, view, PART_MEMORY_KINDS, err) : NULL;
    const struct column *event = kind ? segment_column(index, view, PART_MEMORY_EVENTS, err) : NULL;
    size_t kept = 0;
    if (!event)
        return STATUS_DAMAGED;
    if (word->count != start->count || event->count != kind->count ||
        (first_word && !column_search(word, 0, word->count, first_word - 1, &at)))
        return damaged_memory(index, err);
    for (; at < word->count && kept < collection->capacity; kept = 0) {
        size_t here = (size_t)u64_min(word->count - at, COLUMN_BLOCK);
        bool is_last = at + here == word->count, is_damaged = false;
        if (!column_read(word, at, here, words) || !column_read(start, at, here + !is_last, starts))
            return damaged_memory(index, err);
        if (is_last)
            starts[here] = event->count;
        for (size_t i = 0; i < here && !is_too_high(collection, words[i]); i++) {
            if (words[i] < least || words[i] > UINT64_MAX / 8 || starts[i] > starts[i + 1] ||
                starts[i + 1] > event->count)
                return damaged_memory(index, err);
            least = words[i] + 1;
            if (has_store(kind, event, starts[i], starts[i + 1], rows, &is_damaged))
                words[kept++] = words[i];
            if (is_damaged)
                return damaged_memory(index, err);
        }
        bool is_through = is_too_high(collection, words[here - 1]);
        join(collection, words, kept);
        if (is_through)
            return STATUS_OK;
        at += here;
    }
    return STATUS_OK;
}

static enum status collect(struct trawl_index *index, uint64_t from, uint64_t until,
                           uint64_t first_word, struct collection *collection, struct error *err)
{
    uint64_t size = index->identity[IDENTITY_SEGMENT_EVENTS];
    for (uint64_t segment = from / size; segment <= until / size; segment++) {
        uint64_t events = index_segment_events(index, segment);
        struct rows_of_events rows = {
            .first = segment == from / size ? from % size : 0,
            .last = segment == until / size ? until % size : events - 1,
        };
        rows.is_all = rows.first == 0 && rows.last == events - 1;
        rows.skips_outside = index->only_stores_count;
        enum status status = collect_segment(index, segment, first_word, &rows, collection, err);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

// The words of pages that were stored to, at their virtual addresses at `until`, from an address
// on.
static enum status collect_virtual(struct trawl_index *index, uint64_t from, uint64_t until,
                                   uint64_t address, struct collection *collection,
                                   uint64_t *addresses, size_t *count, struct error *err)
{
    const uint64_t page_bytes = UINT64_C(1) << PLACE_PAGE_BITS;
    const size_t capacity = collection->capacity;
    const uint64_t *pages;
    size_t page_count, at;
    enum status status = index_all_pages(index, &pages, &page_count, err);
    if (status != STATUS_OK)
        return status;
    PARTITION_POINT(at, page_count, pages[middle] < address / page_bytes);
    for (; at < page_count && *count < capacity; at++) {
        struct index_place found;
        const uint64_t first = u64_max(pages[at] * page_bytes, (address + 7) & ~UINT64_C(7));
        if (first / page_bytes != pages[at])
            continue;
        status = index_place(index, until, first, &found, err);
        collection->count = 0;
        if (status == STATUS_OK)
            status = collect(index, from, until, found.place / 8, collection, err);
        if (status != STATUS_OK)
            return status;
        for (size_t i = 0; i < collection->count && *count < capacity; i++) {
            const uint64_t word = collection->words[i] * 8;
            if (word - found.place < found.size_bytes)
                addresses[(*count)++] = first + (word - found.place);
        }
    }
    return STATUS_OK;
}

enum trawl_status trawl_stored_words(struct trawl_index *index, uint64_t after, uint64_t until,
                                     uint64_t address, uint64_t *addresses, size_t capacity,
                                     size_t *count, struct trawl_error *error)
{
    struct error why, *err = &why;
    uint64_t from = after + 1; // TRAWL_START + 1 is 0
    *count = 0;
    address = index_pc_address(index, address);
    if (until == TRAWL_START || from > until || !capacity)
        return TRAWL_OK;
    if (until >= index->identity[IDENTITY_EVENTS])
        return errors_give(error, &why,
                           error_set(err, STATUS_NOT_FOUND, "%s: no such event", index->path));
    struct collection collection = {
        .words = malloc(capacity * sizeof(uint64_t)),
        .spare = malloc(capacity * sizeof(uint64_t)),
        .capacity = capacity,
    };
    enum status status = STATUS_MEMORY;
    if (!collection.words || !collection.spare)
        error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
    else if (index->has_places && !index->memory_view.is_physical)
        status = collect_virtual(index, from, until, address, &collection, addresses, count, err);
    else if ((status = collect(index, from, until, address / 8 + (address % 8 != 0), &collection,
                               err)) == STATUS_OK) {
        for (size_t i = 0; i < collection.count; i++)
            addresses[i] = collection.words[i] * 8;
        *count = collection.count;
    }
    *count = status == STATUS_OK ? *count : 0;
    free(collection.words);
    free(collection.spare);
    return errors_give(error, &why, status);
}
