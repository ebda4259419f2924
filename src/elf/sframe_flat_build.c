// From tables to the array. Most rows repeat the info byte and words of a row seen before, so a row
// costs a look into a small cache, and is resolved only where that misses.
#include "base/limits.h"
#include "elf/address_index.h"
#include "elf/sframe_flat.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    CACHE_BITS = 11,
    KINDS = 8, // of functions: flexible, signal, key B
    ROWS_PER_BUCKET = 4,
};

struct cached_rule {
    uint64_t key; // 0: none yet
    uint32_t number;
};

// Functions of all tables, in the order of the tables.
struct placed_function {
    struct sframe_function function;
    const struct sframe_table *table;
};

// A range of addresses that one function has the say in.
struct piece {
    uint64_t from, to;
    uint32_t function;
};

struct builder {
    const struct sframe_section *section;
    const struct sframe_faults *faults;
    VEC(, struct placed_function) functions;
    VEC(, struct sframe_region) regions;
    VEC(, struct sframe_rule) rules;
    VEC(, struct sframe_pattern) patterns;
    VEC(, struct sframe_pattern_row) pattern_rows;
    VEC(, uint32_t) starts;
    VEC(, uint32_t) buckets;
    uint16_t *numbers; // as many as there is room for starts
    size_t number_capacity;
    uint32_t *slots; // of a hash table of rules: number + 1, 0 for a free one
    size_t slot_count;
    uint64_t rows_left; // that may be read, so that functions that share rows cost no more
    uint32_t table_row_count;
    bool is_in_order; // functions ascend and do not overlap
    bool has_no_memory;
    uint8_t key_shifts[256];
    const struct sframe_table *cached_table;
    struct cached_rule cache[KINDS][1 << CACHE_BITS];
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

// --- Functions, and who has the say where --------------------------------------------------------

static void add_function(struct builder *builder, const struct sframe_table *table, uint32_t index)
{
    struct error err;
    if (!VEC_ROOM(&builder->functions, 1)) {
        builder->has_no_memory = true;
        return;
    }
    struct placed_function *placed = &builder->functions.items[builder->functions.count];
    if (sframe_function_read(table, index, &placed->function, &err) != STATUS_OK) {
        fault(builder, &err);
        return;
    }
    uint64_t address = placed->function.address;
    if (placed->function.size_bytes == 0 ||
        (!builder->section->is_object && !sframe_is_code(builder->section, address)))
        return;
    const struct placed_function *last = builder->functions.count ? placed - 1 : NULL;
    if (last && address < last->function.address + last->function.size_bytes)
        builder->is_in_order = false;
    placed->table = table;
    builder->functions.count++;
}

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

// Room for all that honest headers tell of, so that nothing grows step by step.
static bool reserve(struct builder *builder)
{
    const struct sframe_section *section = builder->section;
    uint64_t functions = sframe_function_total(section), rows = 0;
    for (size_t i = 0; i < section->tables.count; i++)
        rows += section->tables.items[i].row_count;
    rows = u64_min(rows, section->size_bytes / 2) + 2 * functions + 2 * SFRAME_WINDOW;
    return VEC_ROOM(&builder->functions, functions + 1) && has_room_for_rows(builder, rows);
}

static void gather_functions(struct builder *builder, uint32_t code_section)
{
    const struct sframe_section *section = builder->section;
    builder->is_in_order = true;
    for (size_t i = 0; i < section->tables.count; i++) {
        const struct sframe_table *table = &section->tables.items[i];
        for (uint32_t index = 0; index < table->function_count; index++) {
            if (!section->is_object ||
                section->code_sections[table->first_function + index] == code_section)
                add_function(builder, table, index);
        }
    }
}

// --- Rules ---------------------------------------------------------------------------------------

static uint64_t hash_rule(const struct sframe_rule *rule)
{
    uint64_t words[sizeof *rule / 8], hash = 0;
    memcpy(words, rule, sizeof words);
    for (size_t i = 0; i < ARRAY_COUNT(words); i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    return hash;
}

static void place_rule(struct builder *builder, uint32_t number)
{
    size_t mask = builder->slot_count - 1;
    size_t slot = hash_rule(&builder->rules.items[number]) & mask;
    while (builder->slots[slot])
        slot = (slot + 1) & mask;
    builder->slots[slot] = number + 1;
}

static bool grow_slots(struct builder *builder)
{
    size_t count = builder->slot_count ? 2 * builder->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(builder->slots);
    builder->slots = slots;
    builder->slot_count = count;
    for (uint32_t i = 0; i < builder->rules.count; i++)
        place_rule(builder, i);
    return true;
}

// The number of a rule, new or not.
static enum status number_of(struct builder *builder, const struct sframe_rule *rule,
                             uint32_t *number, struct error *err)
{
    if (2 * builder->rules.count >= builder->slot_count && !grow_slots(builder))
        return no_memory(err);
    size_t mask = builder->slot_count - 1;
    for (size_t slot = hash_rule(rule) & mask; builder->slots[slot]; slot = (slot + 1) & mask) {
        *number = builder->slots[slot] - 1;
        if (memcmp(&builder->rules.items[*number], rule, sizeof *rule) == 0)
            return STATUS_OK;
    }
    if (builder->rules.count == LIMIT_SFRAME_RULES)
        return error_set(err, STATUS_LIMIT, "more than %u different rules", LIMIT_SFRAME_RULES);
    if (!VEC_ROOM(&builder->rules, 1))
        return no_memory(err);
    *number = (uint32_t)builder->rules.count;
    builder->rules.items[builder->rules.count++] = *rule;
    place_rule(builder, *number);
    return STATUS_OK;
}

// --- Rows of the array ---------------------------------------------------------------------------

// What a function may change of the rows that are there, so that it can be taken back.
struct mark {
    size_t count;
    uint32_t start, number;
};

// Adds a row, for which there is room. A row at the start of the one before takes its place; one
// with the rule of the one before is none.
static ALWAYS_INLINE void put_row(struct builder *builder, size_t first, uint32_t start,
                                  uint32_t number)
{
    size_t count = builder->starts.count;
    uint32_t *starts = builder->starts.items;
    if (count > first && starts[count - 1] == start)
        count--;
    starts[count] = start;
    builder->numbers[count] = (uint16_t)number;
    builder->starts.count = count + (count == first || builder->numbers[count - 1] != number);
}

static struct mark mark_rows(const struct builder *builder)
{
    size_t count = builder->starts.count;
    return (struct mark){count, count ? builder->starts.items[count - 1] : 0,
                         count ? builder->numbers[count - 1] : 0};
}

static void take_back(struct builder *builder, const struct mark *mark)
{
    builder->starts.count = mark->count;
    if (mark->count) {
        builder->starts.items[mark->count - 1] = mark->start;
        builder->numbers[mark->count - 1] = (uint16_t)mark->number;
    }
}

// --- Rows of functions ---------------------------------------------------------------------------

// Where the rows of a piece go: clipped to the piece, or for a pattern as they are.
struct target {
    uint64_t address;  // of the function
    uint64_t from, to; // of the piece, from the function's start
    uint32_t to_base;  // what to add for the start in the region
    size_t first_row;  // of the region
    bool is_pattern;
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

// For an info byte, how far to shift the 8 bytes that begin with it so that nothing but it and its
// words are left. SHIFT_NONE for those with too many words, without words, or that make no sense.
enum { SHIFT_NONE = 64 };

static void fill_key_shifts(uint8_t shifts[256])
{
    for (unsigned info = 0; info < 256; info++) {
        unsigned word_bytes = (info >> 1 & 15) << (info >> 5 & 3);
        bool is_odd = word_bytes == 0 || word_bytes > 7 || (info & 0x60) == 0x60;
        shifts[info] = (uint8_t)(is_odd ? SHIFT_NONE : 8 * (7 - word_bytes));
    }
}

// The info byte and words of a row as one number, which is not 0, and its slot.
static ALWAYS_INLINE uint64_t row_key(const uint8_t *info, unsigned shift)
{
    return sframe_load(info, 8, false) << shift;
}

static ALWAYS_INLINE struct cached_rule *cached_rule(struct cached_rule *cache, uint64_t key)
{
    return &cache[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CACHE_BITS)];
}

// Reads the row at `offset` with all care, and finds the number of its rule.
static NEVER_INLINE enum status resolve_row(struct builder *builder,
                                            const struct placed_function *placed,
                                            struct cached_rule *cache, uint64_t offset,
                                            struct sframe_row *row, uint32_t *number,
                                            struct error *err)
{
    struct sframe_rule rule;
    enum status status = sframe_row_read(placed->table, &placed->function, offset, row, err);
    if (status != STATUS_OK)
        return status;
    unsigned shift = builder->key_shifts[row->info];
    uint64_t key = shift == SHIFT_NONE ? 0 : row_key(placed->table->bytes + row->words - 1, shift);
    struct cached_rule *cached = cached_rule(cache, key);
    *number = cached->number;
    if (key && cached->key == key)
        return STATUS_OK;
    status = sframe_rule_resolve(placed->table, &placed->function, row, &rule, err);
    if (status == STATUS_OK)
        status = number_of(builder, &rule, number, err);
    if (status == STATUS_OK && key)
        *cached = (struct cached_rule){key, *number};
    if (status != STATUS_OK && err->offset == ERROR_NO_OFFSET)
        err->offset = offset;
    return status;
}

// Where reading a function's rows stands.
struct reading {
    uint64_t at;        // offset of the next row
    uint32_t row;       // its number
    uint32_t start_min; // that it may have
};

// Reads rows as long as nothing about them is new or odd: the first stands at the function's start,
// they ascend within the piece, and the cache has their rules.
static ALWAYS_INLINE void read_plain_rows(struct builder *builder,
                                          const struct placed_function *placed,
                                          const struct target *target, unsigned shift,
                                          bool is_big_endian, struct cached_rule *cache,
                                          struct reading *reading)
{
    const uint8_t *bytes = placed->table->bytes;
    const unsigned start_bytes = 1u << shift;
    const uint32_t to = (uint32_t)target->to, base = target->to_base;
    const uint32_t row_count = placed->function.row_count;
    const uint64_t end = placed->table->end;
    uint32_t *starts = builder->starts.items;
    uint16_t *numbers = builder->numbers;
    size_t count = builder->starts.count;
    uint32_t last = numbers[count - 1], row = reading->row, start_min = reading->start_min;
    uint32_t start_end = to;
    uint64_t at = reading->at;
    if (row == 0)
        start_end = 1;
    if (row == 0 && starts[count - 1] == base) { // it takes the place of that row
        count--;
        last = count > target->first_row ? numbers[count - 1] : UINT32_MAX;
    }
    for (; row < row_count && at < end; row++) {
        uint32_t start = sframe_row_start(bytes + at, shift, is_big_endian);
        unsigned key_shift = builder->key_shifts[bytes[at + start_bytes]];
        uint64_t next = at + start_bytes + 8 - key_shift / 8;
        uint64_t key = row_key(bytes + at + start_bytes, key_shift & 63);
        const struct cached_rule *cached = cached_rule(cache, key);
        if (UNLIKELY(key_shift == SHIFT_NONE || cached->key != key || start < start_min ||
                     start >= start_end || next > end))
            break;
        starts[count] = start + base;
        numbers[count] = (uint16_t)cached->number;
        count += cached->number != last;
        last = cached->number;
        start_min = start + 1;
        start_end = to;
        at = next;
    }
    if (row == 0)
        return;
    builder->starts.count = count;
    *reading = (struct reading){at, row, start_min};
}

static ALWAYS_INLINE enum status read_rows_as(struct builder *builder,
                                              const struct placed_function *placed,
                                              const struct target *target, unsigned shift,
                                              bool is_big_endian, struct error *err)
{
    const struct sframe_function *function = &placed->function;
    struct cached_rule *cache =
        builder->cache[function->is_flexible | function->is_signal << 1 | function->has_key_b << 2];
    struct reading reading = {.at = function->rows};
    uint32_t previous = 0;
    bool is_plain = !target->is_pattern && target->from == 0;
    while (reading.row < function->row_count) {
        struct sframe_row row;
        uint32_t number;
        if (is_plain) {
            read_plain_rows(builder, placed, target, shift, is_big_endian, cache, &reading);
            if (reading.row == function->row_count)
                break;
            previous = reading.row ? reading.start_min - 1 : 0;
        }
        enum status status = resolve_row(builder, placed, cache, reading.at, &row, &number, err);
        if (status != STATUS_OK)
            return status;
        if (row.start < previous)
            return error_set_at(err, STATUS_INPUT, reading.at,
                                "a row at 0x%" PRIx32 " behind one at 0x%" PRIx32, row.start,
                                previous);
        if (!put_rule(builder, target, row.start, number))
            return no_memory(err);
        previous = row.start;
        reading = (struct reading){sframe_row_end(&row), reading.row + 1, row.start + 1};
    }
    return STATUS_OK;
}

// The cache is good for all tables in which the same words mean the same.
static void prepare_cache(struct builder *builder, const struct sframe_table *table)
{
    const struct sframe_table *last = builder->cached_table;
    builder->cached_table = table;
    if (!last || (last->abi == table->abi && last->version == table->version &&
                  last->fixed_fp == table->fixed_fp && last->fixed_ra == table->fixed_ra))
        return;
    memset(builder->cache, 0, sizeof builder->cache);
}

static enum status read_rows(struct builder *builder, const struct placed_function *placed,
                             const struct target *target, struct error *err)
{
    const struct sframe_function *function = &placed->function;
    unsigned row_bytes_min = (1u << function->row_shift) + 1;
    if (function->row_count > (placed->table->end - function->rows) / row_bytes_min)
        return error_set_at(err, STATUS_INPUT, function->offset,
                            "%" PRIu32 " rows where there is room for %" PRIu64,
                            function->row_count,
                            (placed->table->end - function->rows) / row_bytes_min);
    if (function->row_count > builder->rows_left)
        return error_set_at(err, STATUS_LIMIT, function->offset,
                            "functions share more rows than there is room for");
    builder->rows_left -= function->row_count;
    if (!has_room_for_rows(builder, (uint64_t)function->row_count + 2 + SFRAME_WINDOW))
        return no_memory(err);
    prepare_cache(builder, placed->table);
    bool is_big = placed->table->is_big_endian;
    switch (function->row_shift) {
    case 0:
        return read_rows_as(builder, placed, target, 0, false, err);
    case 1:
        return is_big ? read_rows_as(builder, placed, target, 1, true, err)
                      : read_rows_as(builder, placed, target, 1, false, err);
    default:
        return read_rows_as(builder, placed, target, 2, is_big, err);
    }
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
    struct sframe_rule rule = {.kind = SFRAME_PATTERN,
                               .pattern = (uint32_t)builder->patterns.count};
    enum status status = read_rows(builder, placed, &(struct target){.is_pattern = true}, err);
    if (status == STATUS_OK && !VEC_ROOM(&builder->patterns, 1))
        status = no_memory(err);
    if (status == STATUS_OK)
        status = number_of(builder, &rule, number, err);
    if (status != STATUS_OK) {
        builder->pattern_rows.count = pattern.first;
        return status;
    }
    pattern.count = (uint32_t)builder->pattern_rows.count - pattern.first;
    builder->patterns.items[builder->patterns.count++] = pattern;
    return STATUS_OK;
}

static enum status add_function_rows(struct builder *builder, const struct placed_function *placed,
                                     const struct target *target, struct error *err)
{
    const struct sframe_function *function = &placed->function;
    struct sframe_rule rule;
    uint32_t number = 0;
    enum status status = STATUS_OK;
    if (function->row_count && !function->repeat_bytes)
        return read_rows(builder, placed, target, err);
    if (!has_room_for_rows(builder, 2 + SFRAME_WINDOW))
        return no_memory(err);
    if (function->row_count) {
        status = add_pattern(builder, placed, &number, err);
    } else {
        rule = sframe_rule_without_rows(function);
        status = number_of(builder, &rule, &number, err);
    }
    if (status == STATUS_OK)
        put_rule(builder, target, 0, number);
    return status;
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
    return true;
}

// For each 2^shift bytes the row at their start; one more, so that the next is always there.
static bool add_buckets(struct builder *builder, struct sframe_region *region)
{
    while (region->shift < 31 &&
           region->span >> region->shift > region->row_count / ROWS_PER_BUCKET + 1)
        region->shift++;
    region->bucket_count = (region->span >> region->shift) + 2;
    if (!VEC_ROOM(&builder->buckets, region->bucket_count))
        return false;
    uint32_t row = region->first_row, last = region->first_row + region->row_count - 1;
    for (uint64_t i = 0; i < region->bucket_count; i++) {
        while (row < last && builder->starts.items[row + 1] <= i << region->shift)
            row++;
        builder->buckets.items[builder->buckets.count++] = row;
    }
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
    return add_buckets(builder, region);
}

// The rows of one piece, between rows that say that nothing is known.
static enum status add_piece(struct builder *builder, const struct piece *piece, struct error *err)
{
    const struct placed_function *placed = &builder->functions.items[piece->function];
    struct sframe_region *region =
        builder->regions.count ? &builder->regions.items[builder->regions.count - 1] : NULL;
    if (!region || piece->to - region->base > UINT32_MAX) {
        if ((region && !end_region(builder)) || !begin_region(builder, piece->from))
            return no_memory(err);
        region = &builder->regions.items[builder->regions.count - 1];
    }
    if (builder->starts.count > UINT32_MAX - placed->function.row_count - UINT64_C(64))
        return error_set_at(err, STATUS_LIMIT, placed->function.offset, "too many rows");
    if (!has_room_for_rows(builder, 2 + SFRAME_WINDOW))
        return no_memory(err);
    const struct target target = {
        .from = piece->from - placed->function.address,
        .to = piece->to - placed->function.address,
        .to_base = (uint32_t)(placed->function.address - region->base),
        .first_row = region->first_row,
    };
    put_row(builder, region->first_row, (uint32_t)(piece->from - region->base), 0);
    struct mark mark = mark_rows(builder);
    enum status status = add_function_rows(builder, placed, &target, err);
    if (status != STATUS_OK)
        take_back(builder, &mark);
    put_row(builder, region->first_row, (uint32_t)(piece->to - region->base), 0);
    builder->table_row_count += placed->function.row_count;
    return status;
}

// Damage costs the function that it is in.
static bool add_piece_or_fault(struct builder *builder, const struct piece *piece)
{
    struct error err;
    if (add_piece(builder, piece, &err) != STATUS_OK)
        fault(builder, &err);
    return !builder->has_no_memory;
}

// Functions that ascend and do not overlap are pieces as they are.
static bool add_functions_in_order(struct builder *builder)
{
    bool is_whole = true;
    for (uint32_t i = 0; is_whole && i < builder->functions.count; i++) {
        const struct sframe_function *function = &builder->functions.items[i].function;
        const struct piece piece = {function->address, function->address + function->size_bytes, i};
        is_whole = add_piece_or_fault(builder, &piece);
    }
    return is_whole;
}

// Else who has the say is found out first.
static bool add_functions_in_pieces(struct builder *builder)
{
    size_t count = builder->functions.count;
    struct address_index index;
    struct address_span *spans = calloc(count, sizeof *spans);
    if (!spans)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct sframe_function *function = &builder->functions.items[i].function;
        spans[i] = (struct address_span){function->address, function->size_bytes, i};
    }
    bool is_whole = address_index_build(&index, spans, count);
    free(spans);
    for (size_t i = 0; is_whole && i < index.count; i++) {
        const struct sframe_function *function = &builder->functions.items[index.ids[i]].function;
        uint64_t next = i + 1 < index.count ? index.starts[i + 1] : UINT64_MAX;
        const struct piece piece = {
            index.starts[i], u64_min(next, function->address + function->size_bytes), index.ids[i]};
        if (piece.from < piece.to)
            is_whole = add_piece_or_fault(builder, &piece);
    }
    if (count)
        address_index_free(&index);
    return is_whole;
}

// --- The block -----------------------------------------------------------------------------------

static bool finish(struct builder *builder, struct sframe_flat *flat)
{
    struct sframe_flat_head head = {
        .abi =
            builder->section->tables.count ? builder->section->tables.items[0].abi : SFRAME_AMD64,
        .region_count = (uint32_t)builder->regions.count,
        .rule_count = (uint32_t)builder->rules.count,
        .pattern_count = (uint32_t)builder->patterns.count,
        .pattern_row_count = (uint32_t)builder->pattern_rows.count,
        .row_count = (uint32_t)builder->starts.count,
        .bucket_count = (uint32_t)builder->buckets.count,
        .function_count = (uint32_t)builder->functions.count,
        .table_row_count = builder->table_row_count,
    };
    head.size_bytes = sframe_flat_bytes(&head);
    struct sframe_flat_head *block = calloc(1, head.size_bytes);
    if (!block)
        return false;
    *block = head;
    sframe_flat_lay_out(flat, block);
    flat->owned = block;
#define COPY(field, items, count)                                                                  \
    if (count)                                                                                     \
    memcpy((void *)(uintptr_t)flat->field, items, (count) * sizeof *flat->field)
    COPY(regions, builder->regions.items, builder->regions.count);
    COPY(rules, builder->rules.items, builder->rules.count);
    COPY(patterns, builder->patterns.items, builder->patterns.count);
    COPY(pattern_rows, builder->pattern_rows.items, builder->pattern_rows.count);
    COPY(starts, builder->starts.items, builder->starts.count);
    COPY(buckets, builder->buckets.items, builder->buckets.count);
    COPY(numbers, builder->numbers, builder->starts.count);
#undef COPY
    return true;
}

static bool build(struct builder *builder, uint32_t code_section)
{
    static const struct sframe_rule miss = {.kind = SFRAME_MISS};
    uint32_t number;
    struct error err;
    fill_key_shifts(builder->key_shifts);
    builder->rows_left = LIMIT_SFRAME_ROWS_PER_BYTE * builder->section->size_bytes;
    if (number_of(builder, &miss, &number, &err) != STATUS_OK)
        return false;
    if (!reserve(builder))
        return false;
    gather_functions(builder, code_section);
    if (builder->has_no_memory || !(builder->is_in_order ? add_functions_in_order(builder)
                                                         : add_functions_in_pieces(builder)))
        return false;
    if (builder->regions.count == 0) {
        if (!begin_region(builder, 0))
            return false;
        put_row(builder, 0, 0, 0);
    }
    return end_region(builder);
}

static void builder_free(struct builder *builder)
{
    free(builder->functions.items);
    free(builder->regions.items);
    free(builder->rules.items);
    free(builder->patterns.items);
    free(builder->pattern_rows.items);
    free(builder->starts.items);
    free(builder->buckets.items);
    free(builder->numbers);
    free(builder->slots);
    free(builder);
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
    builder->faults = faults;
    bool is_built = build(builder, code_section) && finish(builder, flat);
    builder_free(builder);
    return is_built ? STATUS_OK : no_memory(err);
}
