// Who wrote memory: the nearest events to a point, over a range of any size.
//
// Candidates are collected segment by segment, from the point outward, until there are as many
// events as requested. Within a segment, the nearest stores to each word are collected. From time
// to time, the candidates are sorted and cut off, and events beyond the farthest one that is needed
// are skipped.
#include "idx/caller.h"
#include "idx/memory_rows.h"
#include "idx/places.h"

#include <stdlib.h>

#define NONE UINT64_MAX

// The order of writes within an event.
enum rank { BEFORE_HOST_CALL, BY_HOST_CALL, AFTER_HOST_CALL };

struct candidate {
    uint64_t event;
    uint64_t first, last; // bytes
    enum trawl_write_kind kind;
    enum rank rank;
    uint64_t since; // of TRAWL_OUTSIDE
};

// Up to this many candidates need no allocation.
#define FEW_CANDIDATES 64

struct search {
    struct trawl_index *index;
    bool back;
    uint64_t event;       // the nearest that counts
    uint64_t first, last; // bytes
    size_t wanted;        // events
    uint64_t farthest;    // the farthest event that counts
    struct candidate *candidates;
    size_t count, capacity;
    struct error *err;
};

static uint64_t per_segment(const struct trawl_index *index)
{
    return index->identity[IDENTITY_SEGMENT_EVENTS];
}

// --- Candidates ----------------------------------------------------------------------------------

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// In the order of the trace; candidates of the same event and rank by address.
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    int order = compare_numbers(one->event, other->event);
    if (!order)
        order = compare_numbers(one->rank, other->rank);
    return order ? order : compare_numbers(one->first, other->first);
}

// The same in the reverse order of the trace.
static int compare_candidates_back(const void *a, const void *b)
{
    const struct candidate *one = a, *other = b;
    int order = compare_numbers(other->event, one->event);
    if (!order)
        order = compare_numbers(other->rank, one->rank);
    return order ? order : compare_numbers(one->first, other->first);
}

// Adds bytes that an event wrote to a candidate of the same event, which is nearer.
static void join(struct candidate *known, const struct candidate *more)
{
    known->first = u64_min(known->first, more->first);
    known->last = u64_max(known->last, more->last);
    if (more->kind == TRAWL_OUTSIDE && known->kind == TRAWL_OUTSIDE)
        known->since = u64_min(known->since, more->since);
}

// Sorts candidates, joins those of the same event, and drops those that are not needed.
static void settle(struct search *search)
{
    size_t kept = 0;
    if (search->count > 1) // often there is one
        qsort(search->candidates, search->count, sizeof *search->candidates,
              search->back ? compare_candidates_back : compare_candidates);
    for (size_t i = 0; i < search->count; i++) {
        struct candidate *last = kept ? &search->candidates[kept - 1] : NULL;
        if (last && last->event == search->candidates[i].event)
            join(last, &search->candidates[i]);
        else if (kept < search->wanted)
            search->candidates[kept++] = search->candidates[i];
        else
            break;
    }
    search->count = kept;
    if (kept == search->wanted)
        search->farthest = search->candidates[kept - 1].event;
}

static bool is_beyond(const struct search *search, uint64_t event)
{
    return search->back ? event < search->farthest : event > search->farthest;
}

static void add(struct search *search, const struct candidate *candidate)
{
    if (search->count == search->capacity)
        settle(search);
    if (!is_beyond(search, candidate->event))
        search->candidates[search->count++] = *candidate;
}

// --- Stores --------------------------------------------------------------------------------------

// The bytes of a word that are in the range.
static uint8_t mask_of_word(const struct search *search, uint64_t word)
{
    unsigned mask = 0xff;
    if (word == search->first / 8)
        mask &= 0xffu << search->first % 8;
    if (word == search->last / 8)
        mask &= 0xffu >> (7 - search->last % 8);
    return (uint8_t)mask;
}

static struct candidate store_of_row(const struct memory_row *row, uint64_t word, uint8_t mask)
{
    return (struct candidate){
        .event = row->event,
        .first = word * 8 + (unsigned)__builtin_ctz(mask),
        .last = word * 8 + 31 - (unsigned)__builtin_clz(mask),
        .kind = row->is_outside             ? TRAWL_OUTSIDE
                : row->kind == MEMORY_STORE ? TRAWL_STORE
                                            : TRAWL_STORE_UNKNOWN,
        .rank = row->is_before_host_call ? BEFORE_HOST_CALL : AFTER_HOST_CALL,
    };
}

// Finds the last event before a change from outside at which all its bytes had the earlier value.
static enum status find_since(const struct search *search, struct memory_rows *rows, size_t i,
                              const struct memory_row *change, uint64_t *since)
{
    struct memory_row before = {.at = change->at};
    enum status status = STATUS_OK;
    *since = change->event - (change->event > 0);
    for (uint8_t left = change->mask; left && status == STATUS_OK; left &= (uint8_t)~before.mask) {
        status = memory_rows_seek(rows, i, before.at, left, false, true, &before, search->err);
        if (status != STATUS_OK || before.at == NONE)
            break;
        if (before.is_outside && before.kind == MEMORY_STORE_UNKNOWN && before.event)
            *since = u64_min(*since, before.event - 1);
    }
    return status;
}

// Adds the nearest stores to current word `i`, of no more events than requested.
static enum status stores_of_word(struct search *search, struct memory_rows *rows, size_t i)
{
    struct memory_row row;
    struct candidate store = {.event = NONE};
    uint64_t word = rows->numbers[i], at = search->back ? rows->from[i + 1] : rows->from[i];
    uint8_t mask = mask_of_word(search, word);
    size_t events = 0;
    enum status status = STATUS_OK;
    bool is_home = memory_rows_hold(rows, search->event);
    if (is_home && (search->back || search->event))
        status = memory_rows_until(rows, i, search->event - !search->back, &at, search->err);
    while (status == STATUS_OK) {
        status = memory_rows_seek(rows, i, at, mask, true, search->back, &row, search->err);
        if (status != STATUS_OK || row.at == NONE || is_beyond(search, row.event))
            break;
        at = memory_rows_past(rows, &row, search->back);
        const bool is_doubt = row.is_outside && row.kind == MEMORY_STORE_UNKNOWN;
        if (row.kind == MEMORY_LOAD || is_doubt ||
            (row.is_outside && search->index->only_stores_count))
            continue;
        struct candidate next = store_of_row(&row, word, row.mask & mask);
        if (row.is_outside)
            status = find_since(search, rows, i, &row, &next.since);
        if (next.event == store.event) {
            join(&store, &next);
            continue;
        }
        if (store.event != NONE)
            add(search, &store);
        store.event = NONE;
        if (events++ == search->wanted)
            break;
        store = next;
    }
    if (status == STATUS_OK && store.event != NONE)
        add(search, &store);
    return status;
}

static enum status stores_in_segment(struct search *search, uint64_t segment)
{
    struct memory_rows rows;
    enum status status = memory_rows_find(search->index, segment, search->first / 8,
                                          search->last / 8, &rows, search->err);
    if (status == STATUS_OK)
        status = memory_rows_next(&rows, search->err);
    while (status == STATUS_OK && rows.count) {
        for (size_t i = 0; status == STATUS_OK && i < rows.count; i++)
            status = stores_of_word(search, &rows, i);
        if (status == STATUS_OK)
            status = memory_rows_next(&rows, search->err);
    }
    return status;
}

// Whether all events of a segment are beyond the farthest one.
static bool is_segment_beyond(const struct search *search, uint64_t segment)
{
    uint64_t first = segment * per_segment(search->index);
    return is_beyond(search, search->back ? first + per_segment(search->index) - 1 : first);
}

static enum status find_stores(struct search *search)
{
    const struct word_set words = word_set_of_range(search->first / 8, search->last / 8);
    uint64_t home = search->event / per_segment(search->index), segment = home;
    while (!is_segment_beyond(search, segment)) {
        // The point's own segment is the most likely one, and searching it takes no longer than
        // searching the directory.
        if (segment != home &&
            !index_find_touched(search->index, 0, &words, segment, search->back, &segment))
            return index_damaged(search->index, "directory of memory", search->err);
        if (segment == NONE || is_segment_beyond(search, segment))
            break;
        enum status status = stores_in_segment(search, segment);
        if (status != STATUS_OK)
            return status;
        settle(search);
        if (search->back && segment == 0)
            break;
        segment += search->back ? UINT64_MAX : 1;
    }
    return STATUS_OK;
}

// --- Host calls ----------------------------------------------------------------------------------

// Adds the nearest host calls that may have written a block, of no more events than requested.
static void regions_of_block(struct search *search, unsigned shift, uint64_t block)
{
    const struct trawl_index *index = search->index;
    size_t at = index_region_find(index, shift, block, search->event + search->back);
    for (size_t events = 0; events < search->wanted; events++) {
        if (search->back ? at-- == 0 : at == index->regions.count)
            return;
        const struct region *region = &index->regions.items[at];
        if (region->shift != shift || region->block != block || is_beyond(search, region->event))
            return;
        uint64_t first = block << shift, last = first + (UINT64_C(1) << shift) - 1;
        const struct candidate host_write = {
            .event = region->event,
            .first = u64_max(first, search->first),
            .last = u64_min(last, search->last),
            .kind = TRAWL_HOST_WRITE,
            .rank = BY_HOST_CALL,
        };
        add(search, &host_write);
        at += !search->back;
    }
}

// --- Questions -----------------------------------------------------------------------------------

static enum status find_all(struct search *search)
{
    enum status status;
    const struct trawl_index *index = search->index;
    for (uint64_t shifts = index->region_shifts; shifts; shifts &= shifts - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(shifts);
        uint64_t block = search->first >> shift, last = search->last >> shift;
        for (; block <= last; block++) {
            size_t at = index_region_find(index, shift, block, 0);
            if (at == index->regions.count || index->regions.items[at].shift != shift ||
                index->regions.items[at].block > last)
                break;
            block = index->regions.items[at].block;
            regions_of_block(search, shift, block);
            if (block == last) // it may be the highest number
                break;
        }
    }
    if (search->count)
        settle(search);
    status = find_stores(search);
    if (search->count)
        settle(search);
    return status;
}

// Rows supplied by the caller, whose version of the structure may have more or fewer fields.
struct write_rows {
    char *rows;
    size_t row_bytes;
};

// `event` is the nearest event that counts.
static enum status find_writes(struct trawl_index *index, uint64_t event, bool back,
                               uint64_t address, uint64_t size_bytes,
                               const struct write_rows *writes, size_t wanted, size_t *count,
                               struct error *err)
{
    struct candidate few[FEW_CANDIDATES], *many = NULL;
    size_t bytes;
    *count = 0;
    if (!size_bytes || !wanted)
        return STATUS_OK;
    struct search search = {
        .index = index,
        .back = back,
        .event = event,
        .first = address,
        .last = address + u64_min(size_bytes - 1, UINT64_MAX - address),
        .wanted = wanted,
        .farthest = back ? 0 : UINT64_MAX,
        .candidates = few,
        .capacity = FEW_CANDIDATES,
        .err = err,
    };
    if (wanted > FEW_CANDIDATES / 2) { // twice as many, so that sorting takes little time for each
        if (__builtin_mul_overflow(wanted, 2 * sizeof *many, &bytes) || !(many = malloc(bytes)))
            return error_set(err, STATUS_MEMORY, "%s: no memory", index->path);
        search.candidates = many;
        search.capacity = 2 * wanted;
    }
    enum status status = find_all(&search);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < search.count; i++) {
            const struct candidate *found = &search.candidates[i];
            const struct trawl_write write = {found->event, found->kind, found->first,
                                              found->last - found->first + 1, found->since};
            caller_give(writes->rows + i * writes->row_bytes, writes->row_bytes, &write,
                        sizeof write);
        }
        *count = search.count;
    }
    free(many);
    return status;
}

// --- Virtual addresses ---------------------------------------------------------------------------

static int compare_writes(const void *a, const void *b)
{
    const struct trawl_write *one = a, *other = b;
    int order = compare_numbers(one->event, other->event);
    return order ? order : compare_numbers(one->address, other->address);
}

static int compare_writes_back(const void *a, const void *b)
{
    const struct trawl_write *one = a, *other = b;
    int order = compare_numbers(other->event, one->event);
    return order ? order : compare_numbers(one->address, other->address);
}

// Sorts the writes to several runs, and joins those of the same event.
static size_t merge_writes(struct trawl_write *writes, size_t count, bool back)
{
    size_t kept = 0;
    if (count)
        qsort(writes, count, sizeof *writes, back ? compare_writes_back : compare_writes);
    for (size_t i = 0; i < count; i++) {
        struct trawl_write *last = kept ? &writes[kept - 1] : NULL;
        if (last && last->event == writes[i].event)
            last->size_bytes = writes[i].address + writes[i].size_bytes - last->address;
        else
            writes[kept++] = writes[i];
    }
    return kept;
}

// The nearest writes to virtual addresses, as they are at `point`: to each run of places, as many
// as are wanted.
static enum status find_virtual(struct trawl_index *index, uint64_t point, uint64_t event,
                                bool back, uint64_t address, uint64_t size_bytes,
                                const struct write_rows *rows, size_t wanted, size_t *count,
                                struct error *err)
{
    struct place_runs runs = {0};
    VEC(, struct trawl_write) found = {0};
    const uint64_t last = address + u64_min(size_bytes - 1, UINT64_MAX - address);
    *count = 0;
    if (!size_bytes || !wanted)
        return STATUS_OK;
    enum status status = index_place_runs(index, point, address, last, &runs, err);
    for (size_t i = 0; i < runs.count && status == STATUS_OK; i++) {
        const struct place_run *run = &runs.items[i];
        size_t here;
        if (!VEC_ROOM(&found, wanted)) {
            status = index_no_memory(index, err);
            break;
        }
        struct trawl_write *to = &found.items[found.count];
        const struct write_rows into = {(char *)to, sizeof *to};
        status =
            find_writes(index, event, back, run->place, run->size_bytes, &into, wanted, &here, err);
        for (size_t k = 0; k < here; k++)
            to[k].address += run->address - run->place;
        if (here)
            index_note_doubt(index, run->address,
                             &(struct index_place){run->place, run->size_bytes, run->kind});
        found.count += here;
        if (found.count > wanted && runs.count > 1)
            found.count = (size_t)u64_min(merge_writes(found.items, found.count, back), wanted);
    }
    if (status == STATUS_OK) {
        *count = (size_t)u64_min(
            runs.count > 1 ? merge_writes(found.items, found.count, back) : found.count, wanted);
        for (size_t i = 0; i < *count; i++)
            caller_give(rows->rows + i * rows->row_bytes, rows->row_bytes, &found.items[i],
                        sizeof found.items[i]);
    }
    free(runs.items);
    free(found.items);
    return status;
}

enum trawl_status trawl_memory_writes_(struct trawl_index *index, uint64_t event,
                                       enum trawl_direction direction, uint64_t address,
                                       uint64_t size_bytes, struct trawl_write *writes,
                                       size_t write_bytes, size_t capacity, size_t *count,
                                       struct trawl_error *err)
{
    struct error why;
    const struct write_rows rows = {(char *)writes, write_bytes};
    uint64_t events = index->identity[IDENTITY_EVENTS];
    bool back = direction == TRAWL_BACKWARD;
    *count = 0;
    address = index_pc_address(index, address);
    if (event != TRAWL_START && event >= events)
        return errors_give(err, &why,
                           error_set(&why, STATUS_NOT_FOUND, "%s: no such event", index->path));
    const uint64_t point = event;
    if (!back)
        event++;         // TRAWL_START + 1 is 0
    if (event >= events) // before the start, or after the last event
        return TRAWL_OK;
    return errors_give(
        err, &why,
        index->has_places && !index->memory_view.is_physical
            ? find_virtual(index, point, event, back, address, size_bytes, &rows, capacity, count,
                           &why)
            : find_writes(index, event, back, address, size_bytes, &rows, capacity, count, &why));
}

enum trawl_status trawl_memory_written_(struct trawl_index *index, uint64_t event,
                                        enum trawl_direction direction, uint64_t address,
                                        uint64_t size_bytes, struct trawl_write *write,
                                        size_t write_bytes, struct trawl_error *err)
{
    struct error why;
    size_t count;
    enum trawl_status status = trawl_memory_writes_(index, event, direction, address, size_bytes,
                                                    write, write_bytes, 1, &count, err);
    if (status != TRAWL_OK || count)
        return status;
    return errors_give(err, &why,
                       error_set(&why, STATUS_NOT_FOUND, "%s: not written", index->path));
}
