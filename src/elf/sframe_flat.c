#include "elf/sframe_flat.h"

#include "report/out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const char flat_magic[8] = {'T', 'R', 'A', 'W', 'L', 'S', 'F', 'R'};

enum { FLAT_VERSION = 1, PART_ALIGNMENT = 64, GROUP = 16 };

// --- Finding -------------------------------------------------------------------------------------

// How many of SFRAME_WINDOW keys are at most `key`.
static ALWAYS_INLINE uint32_t count_up_to(const uint32_t *keys, uint32_t key)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < SFRAME_WINDOW; i++)
        count += keys[i] <= key;
    return count;
}

// The rows that a region's buckets leave for a PC `at` bytes from its base.
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
    uint32_t low = 0, high = pattern->count; // rows below `low` start at or before `at`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
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

// GROUP PCs, each step for all of them, so that no step waits for memory that the step before asked
// for.
static void find_group(const struct sframe_flat *flat, const uint64_t *pcs,
                       const struct sframe_rule **rules)
{
    const struct sframe_region *region = &flat->regions[0];
    struct candidates candidates[GROUP];
    uint32_t at[GROUP], rows[GROUP];
    for (unsigned i = 0; i < GROUP; i++) {
        // Where nothing is known, the last row says so.
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

// --- The block of memory -------------------------------------------------------------------------

// The offset of a part of `count` items behind `*end`, which moves behind it.
static uint64_t part(uint64_t *end, uint64_t count, uint64_t item_bytes)
{
    uint64_t start = (*end + PART_ALIGNMENT - 1) / PART_ALIGNMENT * PART_ALIGNMENT;
    *end = start + count * item_bytes; // counts have 32 bits
    return start;
}

bool sframe_flat_lay_out(struct sframe_flat *flat, const struct sframe_flat_head *head)
{
    const char *base = (const char *)head;
    uint64_t end = sizeof *head;
    *flat = (struct sframe_flat){.head = head, .map = {.fd = -1, .guard_slot = -1}};
#define PART(field, count)                                                                         \
    flat->field = (const void *)(base + part(&end, count, sizeof *flat->field))
    PART(regions, head->region_count);
    PART(rules, head->rule_count);
    PART(patterns, head->pattern_count);
    PART(pattern_rows, head->pattern_row_count);
    PART(starts, head->row_count);
    PART(buckets, head->bucket_count);
    PART(numbers, head->row_count);
#undef PART
    return end == head->size_bytes;
}

uint64_t sframe_flat_bytes(const struct sframe_flat_head *head)
{
    struct sframe_flat_head sized = *head;
    struct sframe_flat flat;
    sframe_flat_lay_out(&flat, &sized);
    return (uint64_t)((const char *)(flat.numbers + head->row_count) - (const char *)&sized);
}

uint64_t sframe_flat_checksum(const struct sframe_flat_head *head)
{
    size_t from = offsetof(struct sframe_flat_head, checksum) + sizeof head->checksum;
    return XXH3_64bits((const char *)head + from, head->size_bytes - from);
}

enum status sframe_flat_save(const struct sframe_flat *flat, const char *path, struct error *err)
{
    struct out out;
    struct sframe_flat_head head = *flat->head;
    memcpy(head.magic, flat_magic, sizeof head.magic);
    head.version = FLAT_VERSION;
    head.checksum = sframe_flat_checksum(flat->head);
    enum status status = out_open(&out, path, err);
    if (status != STATUS_OK)
        return status;
    out_bytes(&out, &head, sizeof head);
    out_bytes(&out, (const char *)flat->head + sizeof head, head.size_bytes - sizeof head);
    return out_close(&out, err);
}

bool sframe_flat_is_file(const char *path)
{
    char magic[sizeof flat_magic];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool is_one = pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                  memcmp(magic, flat_magic, sizeof magic) == 0;
    close(fd);
    return is_one;
}

// --- Checking a file -----------------------------------------------------------------------------

// What look_up_row relies on: it never leaves the region, and finds a row at or before the PC.
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

static bool is_sound_place(const struct sframe_place *place)
{
    return place->kind <= SFRAME_MEMORY;
}

static bool are_sound_rules(const struct sframe_flat *flat)
{
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
    return is_sound;
}

static bool is_sound_block(struct sframe_flat *flat, const struct map *map)
{
    const struct sframe_flat_head *head = (const void *)map->data;
    if (map->size_bytes < sizeof *head || memcmp(head->magic, flat_magic, sizeof flat_magic) != 0 ||
        head->version != FLAT_VERSION || head->size_bytes != map->size_bytes ||
        !sframe_abi_name(head->abi) || head->region_count == 0 || head->rule_count == 0 ||
        !sframe_flat_lay_out(flat, head) || head->checksum != sframe_flat_checksum(head) ||
        !are_sound_rules(flat))
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
    enum status status = map_open(&map, fd, path, err);
    if (status != STATUS_OK)
        return status;
    if (!is_sound_block(flat, &map)) {
        map_close(&map);
        *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
        return error_set(err, STATUS_INPUT,
                         "%s: is damaged, or of another version of trawl; make it anew", path);
    }
    flat->map = map;
    return STATUS_OK;
}

void sframe_flat_free(struct sframe_flat *flat)
{
    if (flat->map.fd >= 0)
        map_close(&flat->map);
    free(flat->owned);
    *flat = (struct sframe_flat){.map = {.fd = -1, .guard_slot = -1}};
}
