// From tables to the array: functions are read in the order of their addresses, and their rows
// appended.
//
// Most rows repeat the info byte and words of a row seen before. These bytes form one number, for
// which a cache has the number of their rule. So nearly all rows are read by one short loop,
// read_plain_rows, which checks the end of the table once per function. New or unusual rows are
// read by read_row, with all checks.
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/vec.h"
#include "elf/address_index.h"
#include "elf/sframe_flat.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    ROWS_PER_BUCKET = 4,

    CACHE_BITS = 10,
    // An info byte and the words after it that fit into a key; the byte above them has the kind of
    // function.
    KEY_BYTES_MAX = 7,
};

struct rule_cache {
    uint64_t keys[1 << CACHE_BITS]; // 0: none yet
    uint16_t numbers[1 << CACHE_BITS];
    uint64_t masks[256];  // by info byte: the bytes of the key; 0 if there is no key
    uint8_t lengths[256]; // by info byte: the size of it and its words
};

// A set of rules, numbered in the order of their occurrence, so that rows can store 16-bit numbers.
struct sframe_rules {
    VEC(, struct sframe_rule) rules;
    struct hash_index by_content;
};

struct placed_function {
    struct sframe_function function;
    const struct sframe_table *table;
};

// A range of addresses for which one function counts.
struct range {
    uint64_t from, to;
    const struct placed_function *placed;
};

struct builder {
    const struct sframe_section *section;
    uint32_t code_section;
    const struct sframe_faults *faults;
    VEC(, struct placed_function) functions; // if they must be sorted
    VEC(, struct sframe_region) regions;
    struct sframe_rules rules;
    VEC(, struct sframe_pattern) patterns;
    VEC(, struct sframe_pattern_row) pattern_rows;
    VEC(, uint32_t) starts;
    VEC(, uint32_t) buckets;
    uint16_t *numbers; // with the same capacity as starts
    size_t number_capacity;
    uint64_t rows_left; // that may still be read, so that functions that share rows do not take
                        // more time
    uint32_t function_count, table_row_count;
    bool has_no_memory;
    const struct sframe_table *cached_table;
    struct rule_cache cache;
};

static void fault(struct builder *builder, const struct error *err)
{
    if (err->status == STATUS_MEMORY)
        builder->has_no_memory = true;
    else
        builder->faults->fault(builder->faults->self, err);
}

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_MEMORY, "no memory for rows of SFrame");
}

// --- The set of rules ----------------------------------------------------------------------------

static uint64_t hash_rule(const struct hash_seed *seed, const struct sframe_rule *rule)
{
    uint64_t words[sizeof *rule / 8], hash = 0;
    memcpy(words, rule, sizeof words);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        hash = hash_key(seed, hash ^ words[i]);
    return hash;
}

// The number of a rule, new or not. STATUS_LIMIT beyond LIMIT_SFRAME_RULES.
static enum status sframe_rules_number(struct sframe_rules *set, const struct sframe_rule *rule,
                                       uint32_t *number, struct error *err)
{
    const uint64_t hash = hash_rule(hash_index_seed(&set->by_content), rule);
    HASH_INDEX_FIND(*number, &set->by_content, hash,
                    memcmp(&set->rules.items[candidate], rule, sizeof *rule) == 0);
    if (*number != HASH_INDEX_NONE)
        return STATUS_OK;
    if (set->rules.count == LIMIT_SFRAME_RULES)
        return error_set(err, STATUS_LIMIT, "more than %u different rules", LIMIT_SFRAME_RULES);
    *number = (uint32_t)set->rules.count;
    if (!VEC_ROOM(&set->rules, 1) || !hash_index_add(&set->by_content, hash, *number))
        return error_set(err, STATUS_MEMORY, "no memory for rules of SFrame");
    set->rules.items[set->rules.count++] = *rule;
    return STATUS_OK;
}

// --- The cache of rules --------------------------------------------------------------------------

// The cache is valid for all tables in which the same words mean the same.
static void prepare_cache(struct builder *builder, const struct sframe_table *table)
{
    const struct sframe_table *last = builder->cached_table;
    if (last == table)
        return;
    builder->cached_table = table;
    if (last && (last->abi != table->abi || last->version != table->version ||
                 last->fixed_fp != table->fixed_fp || last->fixed_ra != table->fixed_ra))
        memset(builder->cache.keys, 0, sizeof builder->cache.keys);
}

// The highest byte of the keys of a function's rows; never 0.
static ALWAYS_INLINE uint64_t key_kind(const struct sframe_function *function)
{
    unsigned kind =
        1 | function->is_flexible << 1 | function->is_signal << 2 | function->has_key_b << 3;
    return (uint64_t)kind << 8 * KEY_BYTES_MAX;
}

// The key of a row whose info byte is at `info`; an impossible key if it has none.
static ALWAYS_INLINE uint64_t row_key(const struct rule_cache *cache, const uint8_t *info,
                                      uint64_t kind)
{
    return (sframe_load(info, 8, false) & cache->masks[*info]) | kind;
}

static ALWAYS_INLINE size_t slot_of(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS);
}

// --- Rows of the array ---------------------------------------------------------------------------

static bool has_room_for_rows(struct builder *builder, uint64_t extra)
{
    if (!VEC_ROOM(&builder->starts, extra))
        return false;
    if (builder->number_capacity == builder->starts.capacity)
        return true;
    uint16_t *numbers =
        realloc(builder->numbers, builder->starts.capacity * sizeof *builder->numbers);
    if (!numbers)
        return false;
    builder->numbers = numbers;
    builder->number_capacity = builder->starts.capacity;
    return true;
}

// Adds a row, for which there is room. A row at the same start as the previous one replaces it; a
// row with the same rule as the previous one is merged with it.
static void put_row(struct builder *builder, size_t first, uint32_t start, uint32_t number)
{
    size_t count = builder->starts.count;
    uint32_t *starts = builder->starts.items;
    if (count > first && starts[count - 1] == start)
        count--;
    starts[count] = start;
    builder->numbers[count] = (uint16_t)number;
    builder->starts.count = count + (count == first || builder->numbers[count - 1] != number);
}

// --- Rows of functions ---------------------------------------------------------------------------

// Where the rows of a range go: clipped to the range, or unchanged for a pattern.
struct target {
    uint64_t from, to; // of the range, from the function's start
    uint32_t to_base;  // what to add for the start in the region
    size_t first_row;  // of the region
    bool is_pattern;
};

// The state of reading a function's rows.
struct reading {
    uint64_t at;       // offset of the next row
    uint32_t row;      // its number
    uint32_t previous; // the start of the row before it
};

static bool put_rule(struct builder *builder, const struct target *target, uint32_t start,
                     uint32_t number)
{
    if (target->is_pattern) {
        if (!VEC_ROOM(&builder->pattern_rows, 1))
            return false;
        builder->pattern_rows.items[builder->pattern_rows.count++] =
            (struct sframe_pattern_row){start, number};
    } else if (start < target->to) {
        uint64_t at = u64_max(start, target->from);
        put_row(builder, target->first_row, (uint32_t)at + target->to_base, number);
    }
    return true;
}

// Finds the number of a row's rule, from the cache or by resolving it.
static enum status resolve_row(struct builder *builder, const struct placed_function *placed,
                               const struct sframe_row *row, uint32_t *number, struct error *err)
{
    struct rule_cache *cache = &builder->cache;
    struct sframe_rule rule;
    const uint8_t *info = placed->table->bytes + row->words - 1;
    uint64_t key = row_key(cache, info, key_kind(&placed->function));
    size_t slot = slot_of(key);
    *number = cache->numbers[slot];
    if (cache->keys[slot] == key)
        return STATUS_OK;
    enum status status = sframe_rule_resolve(placed->table, &placed->function, row, &rule, err);
    if (status == STATUS_OK)
        status = sframe_rules_number(&builder->rules, &rule, number, err);
    if (status == STATUS_OK && cache->masks[row->info]) {
        cache->keys[slot] = key;
        cache->numbers[slot] = (uint16_t)*number;
    }
    if (status != STATUS_OK && err->offset == ERROR_NO_OFFSET)
        err->offset = row->offset;
    return status;
}

// Reads one row with all checks.
static NEVER_INLINE enum status read_row(struct builder *builder,
                                         const struct placed_function *placed,
                                         const struct target *target, struct reading *reading,
                                         struct error *err)
{
    struct sframe_row row;
    uint32_t number;
    enum status status = sframe_row_read(placed->table, &placed->function, reading->at, &row, err);
    if (status == STATUS_OK)
        status = resolve_row(builder, placed, &row, &number, err);
    if (status != STATUS_OK)
        return status;
    if (row.start < reading->previous)
        return error_set_at(err, STATUS_INPUT, reading->at,
                            "a row at 0x%" PRIx32 " after one at 0x%" PRIx32, row.start,
                            reading->previous);
    if (!put_rule(builder, target, row.start, number))
        return no_memory(err);
    *reading = (struct reading){sframe_row_end(&row), reading->row + 1, row.start};
    return STATUS_OK;
}

// Reads rows as long as they are not new or unusual: the first is at the function's start, they
// ascend, the cache has their rules, and none can exceed the end of the table.
static ALWAYS_INLINE void read_plain_rows(struct builder *builder,
                                          const struct placed_function *placed,
                                          const struct target *target, unsigned shift,
                                          bool is_big_endian, struct reading *reading)
{
    const struct rule_cache *cache = &builder->cache;
    const unsigned start_bytes = 1u << shift;
    const uint8_t *bytes = placed->table->bytes, *at = bytes + reading->at;
    uint64_t safe_count = (placed->table->end - reading->at) / (start_bytes + KEY_BYTES_MAX);
    const uint32_t wanted = placed->function.row_count - reading->row;
    const uint32_t most = (uint32_t)u64_min(wanted, safe_count);
    const uint64_t kind = key_kind(&placed->function);
    const uint32_t base = target->to_base;
    uint32_t *starts = builder->starts.items;
    uint16_t *numbers = builder->numbers;
    size_t count = builder->starts.count;
    uint64_t start_min = reading->previous + UINT64_C(1);
    if (reading->row == 0) {
        if (sframe_row_start(at, shift, is_big_endian) != 0)
            return;
        start_min = 0;
        count -= starts[count - 1] == base; // the first row replaces that one
    }
    const size_t first = count;
    uint32_t left = most, last = count > target->first_row ? numbers[count - 1] : UINT32_MAX;
    for (; left > 0; left--) {
        uint64_t start = sframe_row_start(at, shift, is_big_endian);
        uint64_t key = row_key(cache, at + start_bytes, kind);
        size_t slot = slot_of(key);
        if (UNLIKELY(cache->keys[slot] != key))
            break;
        if (UNLIKELY(start < start_min))
            break;
        uint32_t number = cache->numbers[slot];
        starts[count] = (uint32_t)start + base;
        numbers[count] = (uint16_t)number;
        count += number != last;
        last = number;
        start_min = start + 1;
        at += start_bytes + cache->lengths[at[start_bytes]];
    }
    if (left == most)
        return;
    if (UNLIKELY(start_min > target->to)) // those never match
        while (count > first && starts[count - 1] - base >= target->to)
            count--;
    builder->starts.count = count;
    *reading = (struct reading){(uint64_t)(at - bytes), reading->row + most - left,
                                (uint32_t)(start_min - 1)};
}

static ALWAYS_INLINE enum status read_rows_as(struct builder *builder,
                                              const struct placed_function *placed,
                                              const struct target *target, unsigned shift,
                                              bool is_big_endian, struct error *err)
{
    struct reading reading = {.at = placed->function.rows};
    const uint32_t row_count = placed->function.row_count;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && reading.row < row_count) {
        if (target->from == 0)
            read_plain_rows(builder, placed, target, shift, is_big_endian, &reading);
        if (reading.row < row_count)
            status = read_row(builder, placed, target, &reading, err);
    }
    return status;
}

static ALWAYS_INLINE enum status read_rows(struct builder *builder,
                                           const struct placed_function *placed,
                                           const struct target *target, struct error *err)
{
    bool is_big_endian = placed->table->is_big_endian;
    switch (placed->function.row_shift) {
    case 0:
        return read_rows_as(builder, placed, target, 0, false, err);
    case 1:
        return is_big_endian ? read_rows_as(builder, placed, target, 1, true, err)
                             : read_rows_as(builder, placed, target, 1, false, err);
    default:
        return read_rows_as(builder, placed, target, 2, is_big_endian, err);
    }
}

// Checks the number of a function's rows, and makes room for them.
static enum status admit_rows(struct builder *builder, const struct placed_function *placed,
                              struct error *err)
{
    const struct sframe_function *function = &placed->function;
    uint64_t room = placed->table->end - function->rows;
    uint64_t row_bytes_min = (UINT64_C(1) << function->row_shift) + 1;
    if (function->row_count * row_bytes_min > room)
        return error_set_at(err, STATUS_INPUT, function->offset,
                            "%" PRIu32 " rows where there is room for %" PRIu64,
                            function->row_count, room / row_bytes_min);
    if (function->row_count > builder->rows_left)
        return error_set_at(err, STATUS_LIMIT, function->offset,
                            "functions share more rows than there is room for");
    builder->rows_left -= function->row_count;
    return has_room_for_rows(builder, (uint64_t)function->row_count + 2 + SFRAME_WINDOW)
               ? STATUS_OK
               : no_memory(err);
}

// The number of the rule that stands for a pattern.
static enum status add_pattern(struct builder *builder, const struct placed_function *placed,
                               uint32_t *number, struct error *err)
{
    struct sframe_pattern pattern = {
        .start = placed->function.address,
        .first = (uint32_t)builder->pattern_rows.count,
        .repeat_bytes = placed->function.repeat_bytes,
    };
    const struct sframe_rule rule = {.kind = SFRAME_PATTERN,
                                     .pattern = (uint32_t)builder->patterns.count};
    const struct target target = {.is_pattern = true};
    struct reading reading = {.at = placed->function.rows};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && reading.row < placed->function.row_count)
        status = read_row(builder, placed, &target, &reading, err);
    if (status == STATUS_OK && !VEC_ROOM(&builder->patterns, 1))
        status = no_memory(err);
    if (status == STATUS_OK)
        status = sframe_rules_number(&builder->rules, &rule, number, err);
    if (status != STATUS_OK) {
        builder->pattern_rows.count = pattern.first;
        return status;
    }
    pattern.count = (uint32_t)builder->pattern_rows.count - pattern.first;
    builder->patterns.items[builder->patterns.count++] = pattern;
    return STATUS_OK;
}

// The one row of a function that has none, or a pattern of them.
static NEVER_INLINE enum status add_one_row(struct builder *builder,
                                            const struct placed_function *placed,
                                            const struct target *target, struct error *err)
{
    const struct sframe_rule rule = sframe_rule_without_rows(&placed->function);
    uint32_t number;
    enum status status = placed->function.row_count
                             ? add_pattern(builder, placed, &number, err)
                             : sframe_rules_number(&builder->rules, &rule, &number, err);
    if (status == STATUS_OK)
        put_rule(builder, target, 0, number);
    return status;
}

static ALWAYS_INLINE enum status add_function_rows(struct builder *builder,
                                                   const struct placed_function *placed,
                                                   const struct target *target, struct error *err)
{
    const struct sframe_function *function = &placed->function;
    enum status status = admit_rows(builder, placed, err);
    if (status != STATUS_OK)
        return status;
    prepare_cache(builder, placed->table);
    return LIKELY(function->row_count && !function->repeat_bytes)
               ? read_rows(builder, placed, target, err)
               : add_one_row(builder, placed, target, err);
}

// --- Regions -------------------------------------------------------------------------------------

static bool begin_region(struct builder *builder, uint64_t base)
{
    if (!VEC_ROOM(&builder->regions, 1) || !has_room_for_rows(builder, 2 + SFRAME_WINDOW))
        return false;
    builder->regions.items[builder->regions.count++] = (struct sframe_region){
        .base = base,
        .first_row = (uint32_t)builder->starts.count,
        .first_bucket = (uint32_t)builder->buckets.count,
    };
    put_row(builder, builder->starts.count, 0, 0);
    return true;
}

static bool end_region(struct builder *builder)
{
    struct sframe_region *region = &builder->regions.items[builder->regions.count - 1];
    region->row_count = (uint32_t)builder->starts.count - region->first_row;
    region->span = builder->starts.items[builder->starts.count - 1];
    for (unsigned i = 0; i < SFRAME_WINDOW; i++) {
        builder->starts.items[builder->starts.count] = UINT32_MAX;
        builder->numbers[builder->starts.count++] = 0;
    }
    // For each 2^shift bytes the row at their start, plus one, so that there is always a next one.
    while (region->shift < 31 &&
           region->span >> region->shift > region->row_count / ROWS_PER_BUCKET + 1)
        region->shift++;
    region->bucket_count = (region->span >> region->shift) + 2;
    if (!VEC_ROOM(&builder->buckets, region->bucket_count))
        return false;
    uint32_t *buckets = builder->buckets.items + region->first_bucket;
    const uint32_t *starts = builder->starts.items;
    const uint64_t up = (UINT64_C(1) << region->shift) - 1;
    // Each row goes to its first bucket, where the last one stays, and is copied up to the next.
    memset(buckets, 0, region->bucket_count * sizeof *buckets);
    for (uint32_t i = 0, row = region->first_row; i < region->row_count; i++, row++)
        buckets[(starts[row] + up) >> region->shift] = row;
    for (uint32_t i = 1; i < region->bucket_count; i++)
        buckets[i] = buckets[i] > buckets[i - 1] ? buckets[i] : buckets[i - 1];
    builder->buckets.count += region->bucket_count;
    return true;
}

// The region for a range: the last one if it extends far enough, otherwise a new one.
static struct sframe_region *region_for(struct builder *builder, const struct range *range)
{
    size_t count = builder->regions.count;
    if (count && range->to - builder->regions.items[count - 1].base <= UINT32_MAX)
        return &builder->regions.items[count - 1];
    if ((count && !end_region(builder)) || !begin_region(builder, range->from))
        return NULL;
    return &builder->regions.items[count];
}

// Adds the rows of one range, then one for unknown code, so the last row always stands for unknown
// code.
static enum status add_range(struct builder *builder, const struct range *range, struct error *err)
{
    const struct sframe_function *function = &range->placed->function;
    const struct sframe_region *region = region_for(builder, range);
    if (!region)
        return no_memory(err);
    size_t count = builder->starts.count;
    uint32_t last_start = builder->starts.items[count - 1];
    if (count > UINT32_MAX - function->row_count - UINT64_C(64))
        return error_set_at(err, STATUS_LIMIT, function->offset, "too many rows");
    const struct target target = {
        .from = range->from - function->address,
        .to = range->to - function->address,
        .to_base = (uint32_t)(function->address - region->base),
        .first_row = region->first_row,
    };
    enum status status = add_function_rows(builder, range->placed, &target, err);
    if (status != STATUS_OK) { // removes the incomplete range
        builder->starts.items[count - 1] = last_start;
        builder->numbers[count - 1] = 0;
        builder->starts.count = count;
    }
    builder->starts.items[builder->starts.count] = (uint32_t)(range->to - region->base);
    builder->numbers[builder->starts.count] = 0;
    builder->starts.count += builder->numbers[builder->starts.count - 1] != 0;
    builder->table_row_count += function->row_count;
    return status;
}

// Damage affects only its function. False: no memory.
static bool add_range_or_fault(struct builder *builder, const struct range *range)
{
    struct error err;
    if (add_range(builder, range, &err) != STATUS_OK)
        fault(builder, &err);
    return !builder->has_no_memory;
}

// --- Functions, and where each of them counts ----------------------------------------------------

// Calls `take` for each function that describes code. False: it returned false.
static ALWAYS_INLINE bool each_function(struct builder *builder,
                                        bool (*take)(struct builder *builder,
                                                     const struct placed_function *placed))
{
    const struct sframe_section *section = builder->section;
    bool is_whole = true;
    builder->function_count = 0;
    for (size_t i = 0; i < section->tables.count; i++) {
        struct placed_function placed = {.table = &section->tables.items[i]};
        for (uint32_t index = 0; is_whole && index < placed.table->function_count; index++) {
            struct error err;
            if (section->is_object &&
                section->code_sections[placed.table->first_function + index] !=
                    builder->code_section)
                continue;
            if (sframe_function_read(placed.table, index, &placed.function, &err) != STATUS_OK) {
                fault(builder, &err);
                continue;
            }
            if (placed.function.size_bytes == 0 ||
                (!section->is_object && !sframe_is_code(section, placed.function.address)))
                continue;
            builder->function_count++;
            is_whole = take(builder, &placed);
        }
    }
    return is_whole;
}

// A function that shares no address with another is a range.
static bool add_whole(struct builder *builder, const struct placed_function *placed)
{
    uint64_t address = placed->function.address;
    const struct range range = {address, address + placed->function.size_bytes, placed};
    return add_range_or_fault(builder, &range);
}

static bool keep_function(struct builder *builder, const struct placed_function *placed)
{
    if (!VEC_ROOM(&builder->functions, 1))
        return false;
    builder->functions.items[builder->functions.count++] = *placed;
    return true;
}

// Otherwise, first determines which function counts where.
static bool add_in_ranges(struct builder *builder)
{
    struct address_index index;
    if (!each_function(builder, keep_function))
        return false;
    size_t count = builder->functions.count;
    const struct placed_function *functions = builder->functions.items;
    struct address_span *spans = calloc(count + 1, sizeof *spans);
    if (!spans)
        return false;
    for (uint32_t i = 0; i < count; i++)
        spans[i] = (struct address_span){functions[i].function.address,
                                         functions[i].function.size_bytes, i};
    bool is_whole = address_index_build(&index, spans, count, ADDRESS_GAPS_TO_NEAREST);
    free(spans);
    for (size_t i = 0; is_whole && i < index.count; i++) {
        const struct placed_function *placed = &functions[index.ids[i]];
        uint64_t next = i + 1 < index.count ? index.starts[i + 1] : UINT64_MAX;
        uint64_t end = placed->function.address + placed->function.size_bytes;
        const struct range range = {index.starts[i], u64_min(next, end), placed};
        if (range.from < range.to)
            is_whole = add_range_or_fault(builder, &range);
    }
    address_index_free(&index);
    return is_whole;
}

// --- The whole -----------------------------------------------------------------------------------

// Moves what was built to the result.
static bool finish(struct builder *builder, struct sframe_flat *flat)
{
    struct sframe_flat_head *head = malloc(sizeof *head);
    if (!head)
        return false;
    *head = (struct sframe_flat_head){
        .abi =
            builder->section->tables.count ? builder->section->tables.items[0].abi : SFRAME_AMD64,
        .region_count = (uint32_t)builder->regions.count,
        .rule_count = (uint32_t)builder->rules.rules.count,
        .pattern_count = (uint32_t)builder->patterns.count,
        .pattern_row_count = (uint32_t)builder->pattern_rows.count,
        .row_count = (uint32_t)builder->starts.count,
        .bucket_count = (uint32_t)builder->buckets.count,
        .function_count = builder->function_count,
        .table_row_count = builder->table_row_count,
    };
    head->size_bytes = sframe_flat_file_bytes(head);
    *flat = (struct sframe_flat){
        .head = head,
        .regions = builder->regions.items,
        .rules = builder->rules.rules.items,
        .patterns = builder->patterns.items,
        .pattern_rows = builder->pattern_rows.items,
        .starts = builder->starts.items,
        .buckets = builder->buckets.items,
        .numbers = builder->numbers,
        .is_owned = true,
        .map = {.fd = -1, .guard_slot = -1},
    };
    builder->regions.items = NULL;
    builder->rules.rules.items = NULL;
    builder->patterns.items = NULL;
    builder->pattern_rows.items = NULL;
    builder->starts.items = NULL;
    builder->buckets.items = NULL;
    builder->numbers = NULL;
    return true;
}

static bool build(struct builder *builder)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    const struct sframe_section *section = builder->section;
    uint32_t number;
    uint64_t end = 0;
    bool is_in_order = true; // all functions ascend without overlap, as in linked images
    struct error err;
    struct rule_cache *cache = &builder->cache;
    for (unsigned info = 0; info < 256; info++) {
        unsigned bytes = 1 + ((info >> 1 & 15) << (info >> 5 & 3));
        bool has_key = bytes > 1 && bytes <= KEY_BYTES_MAX && (info & 0x60) != 0x60;
        cache->masks[info] = has_key ? (UINT64_C(1) << 8 * bytes) - 1 : 0;
        cache->lengths[info] = (uint8_t)bytes;
    }
    builder->rows_left = LIMIT_SFRAME_ROWS_PER_BYTE * section->size_bytes;
    if (sframe_rules_number(&builder->rules, &miss, &number, &err) != STATUS_OK)
        return false;
    // Reserves room according to the headers, if they are correct, so that nothing grows step by
    // step.
    uint64_t rows = 0;
    for (size_t i = 0; i < section->tables.count; i++)
        rows += section->tables.items[i].row_count;
    if (!has_room_for_rows(builder, u64_min(rows, section->size_bytes / 2) +
                                        2 * sframe_function_total(section) + 2 * SFRAME_WINDOW))
        return false;
    for (size_t i = 0; is_in_order && i < section->tables.count; i++)
        is_in_order = sframe_functions_ascend(&section->tables.items[i], &end);
    if (is_in_order ? !each_function(builder, add_whole) : !add_in_ranges(builder))
        return false;
    return (builder->regions.count || begin_region(builder, 0)) && end_region(builder);
}

enum status sframe_flat_build(struct sframe_flat *flat, const struct sframe_section *section,
                              uint32_t code_section, const struct sframe_faults *faults,
                              struct error *err)
{
    struct builder *builder = calloc(1, sizeof *builder);
    *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
    if (!builder)
        return no_memory(err);
    builder->section = section;
    builder->code_section = code_section;
    builder->faults = faults;
    bool is_built = build(builder) && finish(builder, flat);
    free(builder->functions.items);
    free(builder->regions.items);
    free(builder->rules.rules.items);
    hash_index_free(&builder->rules.by_content);
    free(builder->patterns.items);
    free(builder->pattern_rows.items);
    free(builder->starts.items);
    free(builder->buckets.items);
    free(builder->numbers);
    free(builder);
    return is_built ? STATUS_OK : no_memory(err);
}
