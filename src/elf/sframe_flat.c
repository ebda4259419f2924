#include "elf/sframe_flat.h"

#include "base/file_stamp.h"
#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char flat_magic[8] = {'T', 'R', 'A', 'W', 'L', 'S', 'F', 'R'};

enum {
    FLAT_VERSION = 1,
    PART_ALIGNMENT = 64,
    GROUP = 16,
    // Not covered by the checksum: itself and what is before it.
    HEAD_BYTES_UNCHECKED = offsetof(struct sframe_flat_head, checksum) + sizeof(uint64_t),
};

// --- Finding -------------------------------------------------------------------------------------

// How many of SFRAME_WINDOW keys are at most `key`.
static ALWAYS_INLINE uint32_t count_up_to(const uint32_t *keys, uint32_t key)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < SFRAME_WINDOW; i++)
        count += keys[i] <= key;
    return count;
}

// The rows that are possible, by a region's buckets, for a PC `at` bytes from its base.
struct candidates {
    uint32_t low, high; // the row is low or above, and high or below
};

static ALWAYS_INLINE struct candidates
look_up_bucket(const struct sframe_flat *flat, const struct sframe_region *region, uint32_t at)
{
    const uint32_t *bucket = flat->buckets + region->first_bucket + (at >> region->shift);
    return (struct candidates){bucket[0], bucket[1]};
}

static ALWAYS_INLINE uint32_t look_up_row(const struct sframe_flat *flat,
                                          struct candidates candidates, uint32_t at)
{
    uint32_t low = candidates.low, high = candidates.high;
    while (UNLIKELY(high - low >= SFRAME_WINDOW)) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->starts[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low + count_up_to(flat->starts + low, at) - 1;
}

static NEVER_INLINE const struct sframe_rule *
find_in_pattern(const struct sframe_flat *flat, const struct sframe_rule *rule, uint64_t pc)
{
    const struct sframe_pattern *pattern = &flat->patterns[rule->pattern];
    const struct sframe_pattern_row *rows = flat->pattern_rows + pattern->first;
    uint64_t at = (pc - pattern->start) % pattern->repeat_bytes;
    uint32_t low;
    PARTITION_POINT(low, pattern->count, rows[middle].start <= at);
    return &flat->rules[low == 0 ? 0 : rows[low - 1].rule];
}

static ALWAYS_INLINE const struct sframe_rule *rule_at(const struct sframe_flat *flat, uint32_t row,
                                                       uint64_t pc)
{
    const struct sframe_rule *rule = &flat->rules[flat->numbers[row]];
    return LIKELY(rule->kind != SFRAME_PATTERN) ? rule : find_in_pattern(flat, rule, pc);
}

// The last region that starts at or before a PC; the first if none does.
static ALWAYS_INLINE const struct sframe_region *region_of(const struct sframe_flat *flat,
                                                           uint64_t pc)
{
    uint32_t low = 0, high = flat->head->region_count;
    while (UNLIKELY(high - low > 1)) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->regions[middle].base <= pc)
            low = middle;
        else
            high = middle;
    }
    return &flat->regions[low];
}

const struct sframe_rule *sframe_flat_find(const struct sframe_flat *flat, uint64_t pc)
{
    const struct sframe_region *region = region_of(flat, pc);
    uint64_t at = pc - region->base;
    if (UNLIKELY(at > region->span))
        return &flat->rules[0];
    struct candidates candidates = look_up_bucket(flat, region, (uint32_t)at);
    return rule_at(flat, look_up_row(flat, candidates, (uint32_t)at), pc);
}

const struct sframe_rule *sframe_flat_range(const struct sframe_flat *flat, uint64_t pc,
                                            uint64_t *end)
{
    const struct sframe_region *region = region_of(flat, pc);
    uint64_t at = pc - region->base;
    uint32_t low;
    if (at >= region->span) { // the last row has no rule
        PARTITION_POINT(low, flat->head->region_count, flat->regions[middle].base <= pc);
        *end = low < flat->head->region_count ? flat->regions[low].base : UINT64_MAX;
        return &flat->rules[0];
    }
    uint32_t row = look_up_row(flat, look_up_bucket(flat, region, (uint32_t)at), (uint32_t)at);
    const struct sframe_rule *rule = &flat->rules[flat->numbers[row]];
    *end = region->base + flat->starts[row + 1];
    if (rule->kind != SFRAME_PATTERN)
        return rule;
    const struct sframe_pattern *pattern = &flat->patterns[rule->pattern];
    const struct sframe_pattern_row *rows = flat->pattern_rows + pattern->first;
    uint64_t in_block = (pc - pattern->start) % pattern->repeat_bytes;
    PARTITION_POINT(low, pattern->count, rows[middle].start <= in_block);
    uint64_t next = low < pattern->count ? u64_min(rows[low].start, pattern->repeat_bytes)
                                         : pattern->repeat_bytes;
    *end = u64_min(*end, pc - in_block + next);
    return &flat->rules[low == 0 ? 0 : rows[low - 1].rule];
}

// Looks up GROUP PCs, each step for all of them, so that no step waits for memory that the previous
// step requested.
static void find_group(const struct sframe_flat *flat, const uint64_t *pcs,
                       const struct sframe_rule **rules)
{
    const struct sframe_region *region = &flat->regions[0];
    struct candidates candidates[GROUP];
    uint32_t at[GROUP], rows[GROUP];
    for (unsigned i = 0; i < GROUP; i++) {
        // The last row stands for unknown code.
        at[i] = (uint32_t)u64_min(pcs[i] - region->base, region->span);
        __builtin_prefetch(flat->buckets + region->first_bucket + (at[i] >> region->shift));
    }
    for (unsigned i = 0; i < GROUP; i++) {
        candidates[i] = look_up_bucket(flat, region, at[i]);
        __builtin_prefetch(flat->starts + candidates[i].low);
        __builtin_prefetch(flat->starts + candidates[i].low + SFRAME_WINDOW - 1);
        __builtin_prefetch(flat->numbers + candidates[i].low);
    }
    for (unsigned i = 0; i < GROUP; i++)
        rows[i] = look_up_row(flat, candidates[i], at[i]);
    for (unsigned i = 0; i < GROUP; i++)
        rules[i] = rule_at(flat, rows[i], pcs[i]);
}

void sframe_flat_find_many(const struct sframe_flat *flat, const uint64_t *pcs, size_t count,
                           const struct sframe_rule **rules)
{
    size_t i = 0;
    if (flat->head->region_count == 1) {
        for (; count - i >= GROUP; i += GROUP)
            find_group(flat, pcs + i, rules + i);
    }
    for (; i < count; i++)
        rules[i] = sframe_flat_find(flat, pcs[i]);
}

// --- The file ------------------------------------------------------------------------------------

enum { PART_COUNT = 7 };

struct part {
    uint64_t offset, size_bytes;
};

// Where the parts are, according to a header. Returns the end of the last one.
static uint64_t lay_out(const struct sframe_flat_head *head, struct part parts[PART_COUNT])
{
    const struct {
        uint64_t count, item_bytes;
    } sizes[PART_COUNT] = {
        {head->region_count, sizeof(struct sframe_region)},
        {head->rule_count, sizeof(struct sframe_rule)},
        {head->pattern_count, sizeof(struct sframe_pattern)},
        {head->pattern_row_count, sizeof(struct sframe_pattern_row)},
        {head->row_count, sizeof(uint32_t)},
        {head->bucket_count, sizeof(uint32_t)},
        {head->row_count, sizeof(uint16_t)},
    };
    uint64_t end = sizeof *head;
    for (size_t i = 0; i < PART_COUNT; i++) {
        parts[i].offset = (end + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
        parts[i].size_bytes = sizes[i].count * sizes[i].item_bytes; // counts have 32 bits
        end = parts[i].offset + parts[i].size_bytes;
    }
    return end;
}

uint64_t sframe_flat_file_bytes(const struct sframe_flat_head *head)
{
    struct part parts[PART_COUNT];
    return lay_out(head, parts);
}

// Passes on all bytes of the file after the checksum.
static void each_bytes(const struct sframe_flat *flat, void *self,
                       void (*take)(void *self, const void *bytes, size_t size_bytes))
{
    static const char zeros[PART_ALIGNMENT];
    const void *const items[PART_COUNT] = {flat->regions,      flat->rules,  flat->patterns,
                                           flat->pattern_rows, flat->starts, flat->buckets,
                                           flat->numbers};
    struct part parts[PART_COUNT];
    uint64_t end = sizeof *flat->head;
    lay_out(flat->head, parts);
    take(self, (const char *)flat->head + HEAD_BYTES_UNCHECKED, end - HEAD_BYTES_UNCHECKED);
    for (size_t i = 0; i < PART_COUNT; i++) {
        take(self, zeros, parts[i].offset - end);
        if (parts[i].size_bytes)
            take(self, items[i], parts[i].size_bytes);
        end = parts[i].offset + parts[i].size_bytes;
    }
}

static void take_hash(void *self, const void *bytes, size_t size_bytes)
{
    XXH3_64bits_update(self, bytes, size_bytes);
}

static void take_out(void *self, const void *bytes, size_t size_bytes)
{
    out_bytes(self, bytes, size_bytes);
}

enum status sframe_flat_save(const struct sframe_flat *flat, const char *path, struct error *err)
{
    struct out out;
    XXH3_state_t hash;
    struct sframe_flat_head head = {
        .version = FLAT_VERSION, .abi = flat->head->abi, .size_bytes = flat->head->size_bytes};
    memcpy(head.magic, flat_magic, sizeof head.magic);
    XXH3_64bits_reset(&hash);
    each_bytes(flat, &hash, take_hash);
    head.checksum = XXH3_64bits_digest(&hash);
    enum status status = out_open(&out, path, err);
    if (status != STATUS_OK)
        return status;
    out_bytes(&out, &head, HEAD_BYTES_UNCHECKED);
    each_bytes(flat, &out, take_out);
    return out_close(&out, err);
}

bool sframe_flat_is_file(const char *path)
{
    return file_starts_with(path, flat_magic, sizeof flat_magic);
}

// --- Checking a file -----------------------------------------------------------------------------

// Checks what look_up_row relies on: it never leaves the region, and finds a row at or before the
// PC.
static bool is_sound_region(const struct sframe_flat *flat, const struct sframe_region *region)
{
    uint64_t rows_end = (uint64_t)region->first_row + region->row_count;
    uint64_t buckets_end = (uint64_t)region->first_bucket + region->bucket_count;
    if (region->row_count == 0 || rows_end + SFRAME_WINDOW > flat->head->row_count ||
        buckets_end > flat->head->bucket_count || region->shift > 31 ||
        region->bucket_count < (region->span >> region->shift) + UINT64_C(2))
        return false;
    const uint32_t *starts = flat->starts;
    uint32_t last = (uint32_t)rows_end - 1;
    bool is_sound =
        starts[region->first_row] == 0 && starts[last] == region->span && flat->numbers[last] == 0;
    for (uint64_t i = region->first_row + UINT64_C(1); i < rows_end; i++)
        is_sound &= starts[i - 1] < starts[i];
    for (uint64_t i = rows_end; i < rows_end + SFRAME_WINDOW; i++)
        is_sound &= starts[i] == UINT32_MAX;
    uint64_t start = 0;
    uint32_t above = region->first_row;
    for (uint64_t i = region->first_bucket; is_sound && i < buckets_end; i++) {
        uint32_t row = flat->buckets[i];
        is_sound = row >= above && row <= last && starts[row] <= start &&
                   (row == last || starts[row + 1] > start);
        above = row;
        start += UINT64_C(1) << region->shift;
    }
    return is_sound;
}

static bool is_sound_place(const struct sframe_location *place)
{
    return place->kind <= SFRAME_MEMORY;
}

static bool is_sound_block(struct sframe_flat *flat, const struct map *map)
{
    const struct sframe_flat_head *head = (const void *)map->data;
    struct part parts[PART_COUNT];
    if (map->size_bytes < sizeof *head || memcmp(head->magic, flat_magic, sizeof flat_magic) != 0 ||
        head->version != FLAT_VERSION || head->size_bytes != map->size_bytes ||
        sframe_flat_file_bytes(head) != map->size_bytes ||
        head->checksum !=
            XXH3_64bits(map->data + HEAD_BYTES_UNCHECKED, map->size_bytes - HEAD_BYTES_UNCHECKED) ||
        !sframe_abi_name(head->abi) || head->region_count <= 0 || head->rule_count <= 0)
        return false;
    lay_out(head, parts);
    *flat = (struct sframe_flat){
        .head = head,
        .regions = (const void *)(map->data + parts[0].offset),
        .rules = (const void *)(map->data + parts[1].offset),
        .patterns = (const void *)(map->data + parts[2].offset),
        .pattern_rows = (const void *)(map->data + parts[3].offset),
        .starts = (const void *)(map->data + parts[4].offset),
        .buckets = (const void *)(map->data + parts[5].offset),
        .numbers = (const void *)(map->data + parts[6].offset),
    };
    bool is_sound = flat->rules[0].kind == SFRAME_MISS;
    for (uint32_t i = 0; i < flat->head->rule_count; i++) {
        const struct sframe_rule *rule = &flat->rules[i];
        is_sound &= rule->kind <= SFRAME_PATTERN && is_sound_place(&rule->cfa) &&
                    is_sound_place(&rule->ra) && is_sound_place(&rule->fp) &&
                    (rule->kind != SFRAME_PATTERN || rule->pattern < flat->head->pattern_count);
    }
    for (uint32_t i = 0; i < flat->head->pattern_count; i++) {
        const struct sframe_pattern *pattern = &flat->patterns[i];
        is_sound &= pattern->repeat_bytes > 0 &&
                    (uint64_t)pattern->first + pattern->count <= flat->head->pattern_row_count;
    }
    for (uint32_t i = 0; i < flat->head->pattern_row_count; i++) {
        uint32_t rule = flat->pattern_rows[i].rule;
        is_sound &= rule < flat->head->rule_count && flat->rules[rule].kind != SFRAME_PATTERN;
    }
    for (uint32_t i = 0; i < flat->head->row_count; i++)
        is_sound &= flat->numbers[i] < flat->head->rule_count;
    if (!is_sound)
        return false;
    for (uint32_t i = 0; i < head->region_count; i++) {
        if (!is_sound_region(flat, &flat->regions[i]) ||
            (i > 0 && flat->regions[i - 1].base >= flat->regions[i].base))
            return false;
    }
    return true;
}

enum status sframe_flat_open(struct sframe_flat *flat, const char *path, struct error *err)
{
    struct map map;
    *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set_errno(err, path, "cannot open");
    enum status status = map_open_copy(&map, fd, path, err);
    if (status != STATUS_OK)
        return status;
    if (!is_sound_block(flat, &map)) {
        map_close(&map);
        *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
        return error_set(err, STATUS_INPUT,
                         "%s: is damaged, or of another version of trawl: make it again with "
                         "'trawl sframe convert'",
                         path);
    }
    flat->map = map;
    return STATUS_OK;
}

void sframe_flat_free(struct sframe_flat *flat)
{
    const void *const parts[] = {flat->head,         flat->regions, flat->rules,   flat->patterns,
                                 flat->pattern_rows, flat->starts,  flat->buckets, flat->numbers};
    if (flat->map.fd >= 0)
        map_close(&flat->map);
    for (size_t i = 0; flat->is_owned && i < ARRAY_COUNT(parts); i++)
        free((void *)(uintptr_t)parts[i]);
    *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
}
