// Each store is a record of the aligned word that it touches. Loads are recorded only for bytes
// that nothing in the segment had shown before: not known since the segment's start, an unknown
// store, or a host call that may have written anywhere. The query decides what such a load implies
// for the time before it.
//
// A load that shows another value than memory had is recorded like a store (MEMORY_OUTSIDE): a
// device, another master or a debugger has changed the bytes since they were last touched. In
// between they are unknown, which another record says, so a query needs to know nothing of this.
// For this, the event at which each byte was touched last is known: nearly always it is the same
// for all bytes that were touched in the word, otherwise the word has an item of `touches`.
#include "idx/segment_write.h"

#include "base/hash_index.h"
#include "idx/segment_format.h"

#include <stdlib.h>

enum word_flag {
    WORD_STORED = 1,
    WORD_LOADED = 2,
    WORD_READ = 4,
};

struct word {
    uint64_t number;     // address / 8
    uint32_t count;      // of records
    uint32_t host_calls; // made before it was last touched
    uint8_t known;
    uint8_t flags;   // enum word_flag
    uint8_t outside; // bytes that something outside of the trace changes
    uint8_t touched; // bytes that were touched last at event `touch`; 0: it is an index of touches
    uint32_t touch;
    union {
        uint64_t value; // of the known bytes, while accesses are taken
        size_t next;    // afterwards: the place of its next record
    };
};

_Static_assert(sizeof(struct word) == 32, "there may be many");

// The event at which each byte of a word was touched last.
struct touches {
    uint32_t events[8];
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
    VEC(, struct record) records; // in the order of the trace, but see MEMORY_OUTSIDE
    VEC(, struct touches) touches;
    VEC(, struct record) sorted; // of a word with MEMORY_OUTSIDE
    VEC(, uint64_t) unknown;     // words of loads of unknown values
    uint32_t word;               // that was touched last
    VEC(, uint32_t) ranks;       // of words, among the ordered ones
    size_t row_count;            // of records, after some were divided
    uint64_t record_max;
    bool has_too_many;
    uint64_t contradictions; // of the segment (segment_write.h)
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
    free(build->touches.items);
    free(build->sorted.items);
    free(build->unknown.items);
    free(build->ranks.items);
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

// Notes that bytes are touched at an event, if not all that were touched last are among them.
// False: no memory.
static NEVER_INLINE bool touch_some(struct memory_build *build, struct word *word, uint8_t mask,
                                    uint32_t event)
{
    if (word->touched) {
        if (!VEC_ROOM(&build->touches, 1))
            return false;
        struct touches *touches = &build->touches.items[build->touches.count];
        for (unsigned k = 0; k < 8; k++)
            touches->events[k] = word->touch;
        word->touched = 0;
        word->touch = (uint32_t)build->touches.count++;
    }
    uint32_t *events = build->touches.items[word->touch].events;
    for (unsigned k = 0; k < 8; k++) // all at once
        events[k] = mask & 1u << k ? event : events[k];
    return true;
}

static ALWAYS_INLINE bool touch(struct memory_build *build, struct word *word, uint8_t mask,
                                uint32_t event)
{
    if (UNLIKELY((word->touched | mask) != mask || (!word->touched && word->count)))
        return touch_some(build, word, mask, event);
    word->touched = mask;
    word->touch = event;
    return true;
}

static uint32_t last_touch(const struct memory_build *build, const struct word *word, unsigned byte)
{
    return word->touched ? word->touch : build->touches.items[word->touch].events[byte];
}

// `value` has zeros where `mask` has no bytes. False: no memory, or too many records.
static ALWAYS_INLINE bool push_record(struct memory_build *build, struct word *word, uint8_t mask,
                                      uint64_t value, uint32_t event, unsigned kind)
{
    if (UNLIKELY(build->records.count == build->record_max)) {
        build->has_too_many = true;
        return false;
    }
    if (!VEC_ROOM(&build->records, 1))
        return false;
    word->count++;
    build->records.items[build->records.count++] = (struct record){
        .value = value >> mask_shift(mask),
        .word = (uint32_t)(word - build->words.items),
        .event = event,
        .kind = (uint16_t)(kind | mask),
    };
    return true;
}

// The bytes in which two values differ.
static uint8_t differing_bytes(uint64_t a, uint64_t b)
{
    uint8_t mask = 0;
    for (unsigned k = 0; k < 8; k++)
        mask |= (uint8_t)(((a ^ b) >> 8 * k & 0xff) != 0) << k;
    return mask;
}

// A load shows other values for the known bytes of `mask`: other masters, devices, and cores that
// are not traced change memory too. After the event at which such a byte was touched last, it is
// unknown. False: no memory, or too many records.
static NEVER_INLINE bool take_change(struct memory_build *build, struct word *word,
                                     const struct segment_access *access, uint8_t mask,
                                     uint64_t value)
{
    const unsigned flags =
        MEMORY_OUTSIDE | (access->is_before_host_call ? (unsigned)MEMORY_BEFORE_HOST_CALL : 0);
    note_contradiction(build, access->event);
    word->flags |= WORD_STORED;
    word->outside |= mask;
    for (uint8_t left = mask; left;) {
        const uint32_t since = last_touch(build, word, (unsigned)__builtin_ctz(left));
        uint8_t same = 0;
        for (uint8_t rest = left; rest; rest &= (uint8_t)(rest - 1)) {
            unsigned k = (unsigned)__builtin_ctz(rest);
            same |= (uint8_t)((last_touch(build, word, k) == since) << k);
        }
        left &= (uint8_t)~same;
        if (since + 1 < access->event &&
            !push_record(build, word, same, 0, since + 1, MEMORY_STORE_UNKNOWN | MEMORY_OUTSIDE))
            return false;
    }
    const uint64_t bytes = bytes_of_mask(mask);
    word->value = (word->value & ~bytes) | (value & bytes);
    return push_record(build, word, mask, value & bytes, access->event, MEMORY_STORE | flags);
}

// Records the effect of an access on one word: `mask` has the bytes, `value` their contents.
static ALWAYS_INLINE bool take_word(struct memory_build *build, const struct segment_access *access,
                                    uint64_t number, uint8_t mask, uint64_t value,
                                    uint32_t host_calls)
{
    const uint8_t all = mask;
    struct word *word = word_of(build, number);
    if (!word)
        return false;
    if (word->host_calls != host_calls) {
        word->host_calls = host_calls;
        word->known = 0;
    }
    unsigned kind = MEMORY_STORE;
    if (access->is_read) {
        const uint8_t known = mask & word->known;
        kind = MEMORY_LOAD;
        word->flags |= WORD_READ;
        build->word = (uint32_t)(word - build->words.items);
        if (UNLIKELY((value ^ word->value) & bytes_of_mask(known)) &&
            !take_change(build, word, access, known & differing_bytes(value, word->value), value))
            return false;
        mask &= (uint8_t)~known;
    } else if (!access->is_known) {
        kind = MEMORY_STORE_UNKNOWN;
        word->known &= (uint8_t)~mask;
    }
    if (!touch(build, word, all, access->event))
        return false;
    if (!mask)
        return true;
    if (access->is_known)
        word->known |= mask;
    uint64_t bytes = bytes_of_mask(mask);
    value &= bytes;
    word->value = (word->value & ~bytes) | value;
    word->flags |= access->is_read ? WORD_LOADED : WORD_STORED;
    kind |= access->is_before_host_call ? (unsigned)MEMORY_BEFORE_HOST_CALL : 0;
    return push_record(build, word, mask, value, access->event, kind);
}

// A load of an unknown value has no record, but is a read of its words.
static NEVER_INLINE bool take_unknown_load(struct memory_build *build, uint64_t address,
                                           unsigned size_bytes)
{
    const uint64_t first = address / 8, last = (address + size_bytes - 1) / 8;
    const size_t count = (size_t)(last - first) % 64 + 1; // addresses may wrap
    if (!VEC_ROOM(&build->unknown, count))
        return false;
    for (size_t i = 0; i < count; i++)
        build->unknown.items[build->unknown.count++] = (first + i) % (UINT64_MAX / 8 + 1);
    return true;
}

// `next_page`: where an access that crosses a page goes on, if it is not at its address;
// PLACE_UNKNOWN: nowhere.
static bool take_access(struct memory_build *build, struct segment_writer *writer,
                        const struct segment_access *access, uint32_t host_calls, bool big_endian,
                        const uint64_t *next_page)
{
    unsigned left = access->size_bytes;
    uint64_t address = access->address + access->to_place, bytes = 0;
    bool begins = true; // the read, or its part in the next page
    if (access->is_read) {
        struct segment_read *read = &writer->reads.items[writer->reads.count];
        *read = (struct segment_read){address, access->event, access->size_bytes, access->is_known};
        writer->reads.count += left != 0;
        writer->has_unknown_reads |= left && !access->is_known;
        if (!access->is_known)
            return !left || take_unknown_load(build, address, left);
    }
    if (access->is_known)
        bytes = memory_bytes_of_number(access->value, left, big_endian);
    while (left) {
        unsigned at = (unsigned)(address % 8), here = 8 - at < left ? 8 - at : left;
        uint8_t mask = (uint8_t)(((1u << here) - 1) << at);
        if (!take_word(build, access, address / 8, mask, bytes << (8 * at), host_calls))
            return false;
        if (access->is_read && begins)
            writer->reads.items[writer->reads.count - 1].place = (uint64_t)build->word * 8 + at;
        begins = false;
        bytes = here < 8 ? bytes >> (8 * here) : 0;
        address += here;
        left -= here;
        if (UNLIKELY(next_page) && address % (UINT64_C(1) << PLACE_PAGE_BITS) == 0) {
            if (access->is_read) // is divided
                writer->reads.items[writer->reads.count - 1].size_bytes -= (uint8_t)left;
            if (*next_page == PLACE_UNKNOWN || !left)
                return true;
            address = *next_page << PLACE_PAGE_BITS;
            begins = true;
            if (access->is_read)
                writer->reads.items[writer->reads.count++] =
                    (struct segment_read){address, access->event, (uint8_t)left, true};
        }
    }
    return true;
}

static bool take_accesses(struct memory_build *build, struct segment_writer *writer,
                          const struct segment_input *input)
{
    writer->reads.count = 0;
    writer->has_unknown_reads = false;
    if (!VEC_ROOM(&writer->reads, input->access_count + writer->crossing_count + 1))
        return false;
    uint32_t host_calls = 0; // before the access
    size_t crossings = 0;
    for (size_t i = 0; i < input->access_count; i++) {
        const struct segment_access *access = &input->accesses[i];
        uint64_t end = access->event + !access->is_before_host_call;
        while (host_calls < writer->host_calls.count && writer->host_calls.items[host_calls] < end)
            host_calls++;
        const struct place_crossing *crossing = NULL;
        if (UNLIKELY(crossings < writer->crossing_count) &&
            writer->crossings[crossings].access == i)
            crossing = &writer->crossings[crossings++];
        if (!take_access(build, writer, access, host_calls, input->big_endian,
                         crossing ? &crossing->place : NULL))
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

// Counts the words of reads in the order of their numbers. False: no memory.
static bool rank_reads(struct memory_build *build, struct segment_writer *writer)
{
    if (!VEC_ROOM(&build->ranks, build->words.count))
        return false;
    for (size_t i = 0; i < build->words.count; i++)
        build->ranks.items[build->order.items[i].word] = (uint32_t)i;
    for (size_t i = 0; i < writer->reads.count; i++) {
        struct segment_read *read = &writer->reads.items[i];
        if (LIKELY(read->is_known))
            read->place = (uint64_t)build->ranks.items[read->place / 8] * 8 + read->place % 8;
    }
    return true;
}

// In the order of the trace.
ORDER_BY_2(compare_records, struct record, event, word)

// Whether a record is a load that also shows bytes that nothing outside of the trace changes.
static bool is_divided(const struct word *word, unsigned kind)
{
    const uint8_t mask = (uint8_t)kind;
    return (kind & MEMORY_KIND) == MEMORY_LOAD && mask & word->outside && mask & ~word->outside;
}

// Adds a row of a word to those that are sorted, with what it shows of the bytes of `mask`.
static void take_row(struct memory_build *build, size_t row, uint8_t mask, unsigned flag)
{
    const unsigned kind = (unsigned)build->kinds.items[row];
    const uint64_t value = build->values.items[row] << mask_shift((uint8_t)kind);
    build->sorted.items[build->sorted.count] =
        (struct record){.value = (value & bytes_of_mask(mask)) >> mask_shift(mask),
                        .word = (uint32_t)build->sorted.count, // their order
                        .event = (uint32_t)build->events.items[row],
                        .kind = (uint16_t)((kind & ~0xffu) | flag | mask)};
    build->sorted.count++;
}

// Puts the rows [first, end) of a word that something outside of the trace changes into order: what
// says that it becomes unknown was found later. Loads of such bytes are marked, because they say
// nothing about the time before them. False: no memory.
static bool sort_changed(struct memory_build *build, const struct word *word, size_t first,
                         size_t end)
{
    build->sorted.count = 0;
    if (!VEC_ROOM(&build->sorted, word->count))
        return false;
    for (size_t row = first; row < end; row++) {
        const unsigned kind = (unsigned)build->kinds.items[row];
        const uint8_t mask = (uint8_t)kind, changed = mask & word->outside;
        const bool is_load = (kind & MEMORY_KIND) == MEMORY_LOAD && changed;
        take_row(build, row, is_load ? changed : mask, is_load ? MEMORY_OUTSIDE : 0);
        if (is_divided(word, kind))
            take_row(build, row, mask & (uint8_t)~changed, 0);
    }
    qsort(build->sorted.items, build->sorted.count, sizeof *build->sorted.items, compare_records);
    for (size_t i = 0; i < build->sorted.count; i++) {
        const struct record *record = &build->sorted.items[i];
        build->events.items[first + i] = record->event;
        build->kinds.items[first + i] = record->kind;
        build->values.items[first + i] = record->value;
    }
    return true;
}

static bool place_records(struct memory_build *build)
{
    // Room for the parts of loads that will be divided.
    build->row_count = build->records.count;
    for (size_t i = 0; i < build->records.count && build->contradictions; i++) {
        struct word *word = &build->words.items[build->records.items[i].word];
        if (!word->outside || !is_divided(word, build->records.items[i].kind))
            continue;
        word->count++;
        build->row_count++;
    }
    build->has_too_many = build->row_count > build->record_max;
    if (build->has_too_many)
        return false;
    size_t count = build->row_count, words = build->words.count, start = 0;
    if (!VEC_ROOM(&build->events, count) || !VEC_ROOM(&build->kinds, count) ||
        !VEC_ROOM(&build->values, count) || !VEC_ROOM(&build->starts, words))
        return false;
    for (size_t i = 0; i < words; i++) {
        struct word *word = &build->words.items[build->order.items[i].word];
        build->starts.items[i] = word->next = start;
        start += word->count;
    }
    for (size_t i = 0; i < build->records.count; i++) {
        const struct record *record = &build->records.items[i];
        size_t row = build->words.items[record->word].next++;
        build->events.items[row] = record->event;
        build->kinds.items[row] = record->kind;
        build->values.items[row] = record->value;
    }
    for (size_t i = 0; i < words && build->contradictions; i++) {
        const struct word *word = &build->words.items[build->order.items[i].word];
        if (word->outside && !sort_changed(build, word, (size_t)build->starts.items[i], word->next))
            return false;
    }
    return true;
}

// --- Parts ---------------------------------------------------------------------------------------

// Adds words of which only unknown values were read. False: no memory.
static bool add_unknown(struct segment_writer *writer, const struct memory_build *build)
{
    if (!VEC_ROOM(&writer->reread, build->unknown.count))
        return false;
    uint64_t *words = writer->reread.items;
    memcpy(words + writer->reread.count, build->unknown.items,
           build->unknown.count * sizeof *words);
    const size_t count = writer->reread.count + build->unknown.count;
    qsort(words, count, sizeof *words, u64_compare);
    writer->reread.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!i || words[i] != words[i - 1])
            words[writer->reread.count++] = words[i];
    }
    return true;
}

static bool list_words(struct segment_writer *writer, const struct memory_build *build)
{
    size_t count = build->words.count;
    writer->column.count = writer->stored.count = writer->loaded.count = writer->reread.count = 0;
    if (!VEC_ROOM(&writer->column, count) || !VEC_ROOM(&writer->stored, count) ||
        !VEC_ROOM(&writer->loaded, count) || !VEC_ROOM(&writer->reread, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct word *word = &build->words.items[build->order.items[i].word];
        writer->column.items[i] = word->number;
        if (word->flags & WORD_STORED)
            writer->stored.items[writer->stored.count++] = word->number;
        if (word->flags & WORD_LOADED)
            writer->loaded.items[writer->loaded.count++] = word->number;
        else if (word->flags & WORD_READ)
            writer->reread.items[writer->reread.count++] = word->number;
    }
    return (!build->unknown.count || add_unknown(writer, build)) &&
           parts_add_column(&writer->parts, PART_MEMORY_WORDS, writer->column.items, count);
}

static bool add_touched(struct segment_writer *writer, const struct memory_build *build)
{
    size_t count = build->row_count, rows = 0;
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
    size_t words = build->words.count, records = build->row_count;
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
    build->words.count = build->records.count = build->touches.count = 0;
    build->unknown.count = 0;
    build->record_max = memory_record_max(writer);
    build->has_too_many = false;
    build->contradictions = 0;
    bool is_done = take_accesses(build, writer, input) && order_words(build) &&
                   rank_reads(build, writer) && place_records(build) && add_parts(writer, build);
    writer->word_count = build->words.count;
    writer->contradictions = build->contradictions;
    writer->contradiction_line =
        build->contradictions ? input->events->line[build->contradiction_first] : 0;
    return is_done ? STATUS_OK : build->has_too_many ? STATUS_LIMIT : STATUS_MEMORY;
}
