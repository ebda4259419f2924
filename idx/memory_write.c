// Each store is a record of the aligned word that it touches. Loads are recorded only for bytes
// that nothing in the segment had shown before: not known since the segment's start, an unknown
// store, or a host call that may have written anywhere. The query decides what such a load implies
// for the time before it.
#include "idx/segment_write.h"

#include "base/hash_seed.h"
#include "idx/segment_format.h"

#include <stdlib.h>

struct word {
    uint64_t number;     // address / 8
    uint32_t count;      // of records
    uint32_t host_calls; // made before it was last touched
    uint8_t known;
    bool is_stored, is_loaded;
    union {
        uint64_t value; // of the known bytes, while accesses are taken
        size_t next;    // afterwards: the place of its next record
    };
};

struct record {
    uint64_t value;
    uint32_t word, event;
    uint16_t kind; // enum memory_kind and the bytes
};

struct ordered_word {
    uint64_t number;
    uint32_t word;
};

struct memory_build {
    struct hash_seed seed;
    uint32_t *slots; // words by number, with open addressing; index + 1
    size_t slot_count;
    VEC(, struct word) words;
    VEC(, struct record) records; // in the order of the trace
    uint64_t record_max;
    bool has_too_many;
    uint64_t contradictions; // segment_build.h
    uint32_t contradiction_first, contradiction_last;
    VEC(, struct ordered_word) order;
    VEC(, struct ordered_word) spare;
    VEC(, uint64_t) starts;
    VEC(, uint64_t) events;
    VEC(, uint64_t) kinds;
    VEC(, uint64_t) values;
};

void memory_build_free(struct memory_build *build)
{
    if (!build)
        return;
    free(build->slots);
    free(build->words.items);
    free(build->records.items);
    free(build->order.items);
    free(build->spare.items);
    free(build->starts.items);
    free(build->events.items);
    free(build->kinds.items);
    free(build->values.items);
    free(build);
}

// --- Words and records ---------------------------------------------------------------------------

// The slot of the word, or the free slot where it would go.
static ALWAYS_INLINE size_t probe(const struct memory_build *build, uint64_t number)
{
    size_t at = (size_t)hash_key(&build->seed, number) & (build->slot_count - 1);
    while (build->slots[at] && build->words.items[build->slots[at] - 1].number != number)
        at = (at + 1) & (build->slot_count - 1);
    return at;
}

static NEVER_INLINE bool grow_slots(struct memory_build *build)
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
    for (size_t i = 0; i < build->words.count; i++)
        build->slots[probe(build, build->words.items[i].number)] = (uint32_t)i + 1;
    return true;
}

static struct word *word_of(struct memory_build *build, uint64_t number)
{
    if (2 * (build->words.count + 1) > build->slot_count && !grow_slots(build))
        return NULL;
    size_t at = probe(build, number);
    if (LIKELY(build->slots[at]))
        return &build->words.items[build->slots[at] - 1];
    if (!VEC_ROOM(&build->words, 1))
        return NULL;
    struct word *word = &build->words.items[build->words.count++];
    *word = (struct word){.number = number};
    build->slots[at] = (uint32_t)build->words.count;
    return word;
}

// Other masters, devices, and cores that are not traced change memory too.
static NEVER_INLINE void note_contradiction(struct memory_build *build, uint32_t event)
{
    if (!build->contradictions)
        build->contradiction_first = event;
    else if (build->contradiction_last == event)
        return;
    build->contradiction_last = event;
    build->contradictions++;
}

// Records the effect of an access on one word: `mask` has the bytes, `value` their contents.
static ALWAYS_INLINE bool take_word(struct memory_build *build, const struct segment_access *access,
                                    uint64_t number, uint8_t mask, uint64_t value,
                                    uint32_t host_calls)
{
    struct word *word = word_of(build, number);
    if (!word)
        return false;
    if (word->host_calls != host_calls) {
        word->host_calls = host_calls;
        word->known = 0;
    }
    unsigned kind = MEMORY_STORE;
    if (access->is_read) {
        kind = MEMORY_LOAD;
        if (UNLIKELY((value ^ word->value) & bytes_of_mask((uint8_t)(mask & word->known))))
            note_contradiction(build, access->event);
        mask &= (uint8_t)~word->known;
    } else if (!access->is_known) {
        kind = MEMORY_STORE_UNKNOWN;
        word->known &= (uint8_t)~mask;
    }
    if (!mask)
        return true;
    if (UNLIKELY(build->records.count == build->record_max)) {
        build->has_too_many = true;
        return false;
    }
    if (access->is_known)
        word->known |= mask;
    uint64_t bytes = bytes_of_mask(mask);
    value &= bytes;
    word->value = (word->value & ~bytes) | value;
    *(access->is_read ? &word->is_loaded : &word->is_stored) = true;
    if (!VEC_ROOM(&build->records, 1))
        return false;
    word->count++;
    build->records.items[build->records.count++] = (struct record){
        .value = value >> mask_shift(mask),
        .word = (uint32_t)(word - build->words.items),
        .event = access->event,
        .kind =
            (uint16_t)(kind | mask | (access->is_before_host_call ? MEMORY_BEFORE_HOST_CALL : 0)),
    };
    return true;
}

static bool take_access(struct memory_build *build, const struct segment_access *access,
                        uint32_t host_calls, bool big_endian)
{
    unsigned left = access->size_bytes;
    if (access->is_read && !access->is_known)
        return true;
    uint64_t address = access->address, bytes = 0;
    if (access->is_known)
        bytes = memory_bytes_of_number(access->value, left, big_endian);
    while (left) {
        unsigned at = (unsigned)(address % 8), here = 8 - at < left ? 8 - at : left;
        uint8_t mask = (uint8_t)(((1u << here) - 1) << at);
        if (!take_word(build, access, address / 8, mask, bytes << (8 * at), host_calls))
            return false;
        bytes = here < 8 ? bytes >> (8 * here) : 0;
        address += here;
        left -= here;
    }
    return true;
}

static bool take_accesses(struct memory_build *build, const struct segment_writer *writer,
                          const struct segment_input *input)
{
    uint32_t host_calls = 0; // before the access
    for (size_t i = 0; i < input->access_count; i++) {
        const struct segment_access *access = &input->accesses[i];
        uint64_t end = access->event + !access->is_before_host_call;
        while (host_calls < writer->host_calls.count && writer->host_calls.items[host_calls] < end)
            host_calls++;
        if (!take_access(build, access, host_calls, input->big_endian))
            return false;
    }
    return true;
}

// --- Order ---------------------------------------------------------------------------------------

#define DIGIT_BITS 11

// Sorts by number, digit by digit from the lowest; digits in which all are equal are skipped.
static bool order_words(struct memory_build *build)
{
    size_t count = build->words.count;
    uint64_t differing = 0;
    if (!VEC_ROOM(&build->order, count) || !VEC_ROOM(&build->spare, count))
        return false;
    build->order.count = build->spare.count = count;
    for (size_t i = 0; i < count; i++) {
        build->order.items[i] = (struct ordered_word){build->words.items[i].number, (uint32_t)i};
        differing |= build->words.items[i].number ^ build->words.items[0].number;
    }
    for (unsigned shift = 0; shift < 64 && differing >> shift; shift += DIGIT_BITS) {
        size_t places[1 << DIGIT_BITS] = {0}, place = 0;
        const size_t mask = (1 << DIGIT_BITS) - 1;
        if (!(differing >> shift & mask))
            continue;
        for (size_t i = 0; i < count; i++)
            places[build->order.items[i].number >> shift & mask]++;
        for (size_t i = 0; i <= mask; i++) {
            size_t here = places[i];
            places[i] = place;
            place += here;
        }
        for (size_t i = 0; i < count; i++) {
            struct ordered_word word = build->order.items[i];
            build->spare.items[places[word.number >> shift & mask]++] = word;
        }
        struct ordered_word *sorted = build->spare.items;
        size_t capacity = build->spare.capacity;
        build->spare.items = build->order.items;
        build->spare.capacity = build->order.capacity;
        build->order.items = sorted;
        build->order.capacity = capacity;
    }
    return true;
}

static bool place_records(struct memory_build *build)
{
    size_t count = build->records.count, words = build->words.count, start = 0;
    if (!VEC_ROOM(&build->events, count) || !VEC_ROOM(&build->kinds, count) ||
        !VEC_ROOM(&build->values, count) || !VEC_ROOM(&build->starts, words))
        return false;
    for (size_t i = 0; i < words; i++) {
        struct word *word = &build->words.items[build->order.items[i].word];
        build->starts.items[i] = word->next = start;
        start += word->count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &build->records.items[i];
        size_t row = build->words.items[record->word].next++;
        build->events.items[row] = record->event;
        build->kinds.items[row] = record->kind;
        build->values.items[row] = record->value;
    }
    return true;
}

// --- Parts ---------------------------------------------------------------------------------------

static bool list_words(struct segment_writer *writer, const struct memory_build *build)
{
    size_t count = build->words.count;
    writer->column.count = writer->stored.count = writer->loaded.count = 0;
    if (!VEC_ROOM(&writer->column, count) || !VEC_ROOM(&writer->stored, count) ||
        !VEC_ROOM(&writer->loaded, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct word *word = &build->words.items[build->order.items[i].word];
        writer->column.items[i] = word->number;
        if (word->is_stored)
            writer->stored.items[writer->stored.count++] = word->number;
        if (word->is_loaded)
            writer->loaded.items[writer->loaded.count++] = word->number;
    }
    return parts_add_column(&writer->parts, PART_MEMORY_WORDS, writer->column.items, count);
}

static bool add_touched(struct segment_writer *writer, const struct memory_build *build)
{
    size_t count = build->records.count, rows = 0;
    if (!VEC_ROOM(&writer->column, count / MEMORY_TOUCHED_RECORDS + 1))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i % MEMORY_TOUCHED_RECORDS == 0)
            writer->column.items[rows++] = 0;
        writer->column.items[rows - 1] |= build->kinds.items[i] & 0xff;
    }
    return parts_add_column(&writer->parts, PART_MEMORY_TOUCHED, writer->column.items, rows);
}

static bool add_parts(struct segment_writer *writer, const struct memory_build *build)
{
    struct parts_writer *parts = &writer->parts;
    size_t words = build->words.count, records = build->records.count;
    return list_words(writer, build) &&
           parts_add_column(parts, PART_MEMORY_STARTS, build->starts.items, words) &&
           parts_add_column(parts, PART_MEMORY_EVENTS, build->events.items, records) &&
           parts_add_column(parts, PART_MEMORY_KINDS, build->kinds.items, records) &&
           parts_add_column(parts, PART_MEMORY_VALUES, build->values.items, records) &&
           add_touched(writer, build);
}

enum status memory_write(struct segment_writer *writer, const struct segment_input *input)
{
    if (!writer->memory && !(writer->memory = calloc(1, sizeof *writer->memory)))
        return STATUS_MEMORY;
    struct memory_build *build = writer->memory;
    if (build->slot_count)
        memset(build->slots, 0, build->slot_count * sizeof *build->slots);
    build->words.count = build->records.count = 0;
    build->record_max = memory_record_max(writer);
    build->has_too_many = false;
    build->contradictions = 0;
    bool is_done = take_accesses(build, writer, input) && order_words(build) &&
                   place_records(build) && add_parts(writer, build);
    writer->contradictions = build->contradictions;
    writer->contradiction_line =
        build->contradictions ? input->events->line[build->contradiction_first] : 0;
    return is_done ? STATUS_OK : build->has_too_many ? STATUS_LIMIT : STATUS_MEMORY;
}
