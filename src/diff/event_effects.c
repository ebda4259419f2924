#include "diff/lane_diff.h"

#include "base/characters.h"

#include <stdlib.h>
#include <strings.h>

enum { BLOCK = 1024, CELLS = TRAWL_REGISTER_SPACE_MAX / 8 };

// --- Names of registers --------------------------------------------------------------------------

// Cells that every trace has are identified by their places, the others by the name that comes
// first.
static void name_cell(struct event_effects *effects, uint64_t cell,
                      const struct trawl_register *about, bool is_fixed)
{
    uint64_t number = 0;
    for (const char *at = about->name; *at; at++)
        number = hash_keys(&effects->seed, number, (unsigned char)to_small(*at));
    number += 8 * cell - about->offset;
    effects->names[cell] = about->name;
    if (!is_fixed)
        effects->cells[cell] = number ? number : 1;
}

enum status event_effects_open(struct event_effects *effects, const struct index_view *view,
                               uint64_t lane, unsigned which, const struct hash_seed *seed,
                               struct error *err)
{
    uint64_t events = u64_min(view->info.segment_events, view->info.events) + 1;
    bool has_memory = true;
    *effects = (struct event_effects){.view = view, .lane = lane, .which = which, .seed = *seed};
    if (!which)
        return STATUS_OK;
    for (size_t i = 0; i < EFFECT_SEGMENTS; i++) {
        effects->segments[i].hashes = malloc(events * sizeof *effects->segments[i].hashes);
        has_memory &= effects->segments[i].hashes != NULL;
    }
    effects->cells = malloc(CELLS * sizeof *effects->cells);
    effects->event_count = events;
    effects->names = calloc(CELLS, sizeof *effects->names);
    if (!has_memory || !effects->cells || !effects->names)
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    for (uint64_t cell = 0; cell < CELLS; cell++)
        effects->cells[cell] = cell + 1;
    if (!(which & EFFECT_REGISTERS))
        return STATUS_OK;
    struct trawl_index *index = effects->view->index;
    bool is_fixed = !index_view_has_snapshots(effects->view);
    struct trawl_error from;
    for (uint64_t i = trawl_register_count(index); i-- > 0;) {
        struct trawl_register about;
        enum trawl_status found = trawl_register(index, i, &about, &from);
        if (found != TRAWL_OK)
            return index_status(found, &from, err);
        for (uint64_t at = about.offset; at < about.offset + about.size_bytes; at += 8) {
            if (at / 8 < CELLS)
                name_cell(effects, at / 8, &about, is_fixed && about.offset < TRAWL_REGISTER_BYTES);
        }
    }
    return STATUS_OK;
}

void event_effects_close(struct event_effects *effects)
{
    for (size_t i = 0; i < EFFECT_SEGMENTS; i++)
        free(effects->segments[i].hashes);
    free(effects->cells);
    free(effects->names);
}

bool event_effects_ignore(struct event_effects *effects, const char *name)
{
    struct trawl_index *index = effects->view->index;
    bool is_found = false;
    for (uint64_t i = 0; i < trawl_register_count(index) && effects->cells; i++) {
        struct trawl_register about;
        if (trawl_register(index, i, &about, NULL) != TRAWL_OK || strcasecmp(about.name, name) != 0)
            continue;
        is_found = true;
        for (uint64_t at = about.offset; at < about.offset + about.size_bytes; at += 8) {
            if (at / 8 < CELLS)
                effects->cells[at / 8] = 0;
        }
    }
    return is_found;
}

// --- Registers that both write -------------------------------------------------------------------

// The numbers of the cells that instructions write, in order; the numbers of others become 0.
// Writes before the first instruction, such as registers at reset, do not count.
static enum status find_written(struct event_effects *effects, uint64_t *numbers, size_t *count,
                                struct error *err)
{
    uint64_t root = effects->view->lanes[effects->lane].root;
    *count = 0;
    for (uint64_t cell = 0; cell < CELLS; cell++) {
        uint64_t event;
        struct trawl_error from;
        enum trawl_status found =
            effects->names[cell]
                ? trawl_register_written(effects->view->index, effects->lane,
                                         root == TRAWL_NONE ? TRAWL_START : root - 1, TRAWL_FORWARD,
                                         8 * cell, 8, &event, &from)
                : TRAWL_NOT_FOUND;
        if (found != TRAWL_OK && found != TRAWL_NOT_FOUND) {
            effects->has_failed = true;
            return index_status(found, &from, err);
        }
        if (found == TRAWL_OK)
            numbers[(*count)++] = effects->cells[cell];
        else
            effects->cells[cell] = 0;
    }
    qsort(numbers, *count, sizeof *numbers, u64_compare);
    return STATUS_OK;
}

static void leave_out(struct event_effects *effects, const uint64_t *numbers, size_t count,
                      struct effect_names *left_out)
{
    for (uint64_t cell = 0; cell < CELLS; cell++) {
        const char *name = effects->names[cell];
        if (!effects->cells[cell] ||
            bsearch(&effects->cells[cell], numbers, count, sizeof *numbers, u64_compare))
            continue;
        effects->cells[cell] = 0;
        if (left_out->count && left_out->count <= EFFECT_NAMES &&
            strcmp(left_out->names[left_out->count - 1], name) == 0)
            continue; // the rest of a wide register
        if (left_out->count < EFFECT_NAMES)
            left_out->names[left_out->count] = name;
        left_out->count++;
    }
}

enum status event_effects_share(struct event_effects *const effects[2],
                                struct effect_names *left_out, struct error *err)
{
    size_t counts[2];
    enum status status = STATUS_OK;
    left_out->count = 0;
    if (!(effects[0]->which & EFFECT_REGISTERS))
        return STATUS_OK;
    uint64_t *numbers = malloc(2 * CELLS * sizeof *numbers);
    if (!numbers)
        return error_set(err, STATUS_MEMORY, "no memory for the comparison");
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        status = find_written(effects[side], numbers + side * CELLS, &counts[side], err);
    for (int side = 0; side < 2 && status == STATUS_OK; side++)
        leave_out(effects[side], numbers + !side * CELLS, counts[!side], left_out);
    free(numbers);
    return status;
}

// --- Hashes of a segment -------------------------------------------------------------------------

// Hashes the cell, not the register's name: writing X8 and W8 leaves the same in it.
static enum status add_registers(struct event_effects *effects, uint64_t segment, uint64_t *hashes,
                                 struct error *err)
{
    uint64_t events[BLOCK], lanes[BLOCK], offsets[BLOCK], masks[BLOCK], values[BLOCK], known[BLOCK];
    const struct trawl_register_write_columns columns = {.event = events,
                                                         .lane = lanes,
                                                         .offset = offsets,
                                                         .mask = masks,
                                                         .value = values,
                                                         .known = known};
    const bool has_banks = !index_view_has_snapshots(effects->view);
    const struct arch *arch = effects->view->arch;
    struct trawl_register_cursor place = {.segment = segment};
    uint64_t first = segment * effects->view->info.segment_events;
    struct trawl_error from;
    for (size_t count = BLOCK; count == BLOCK;) {
        enum trawl_status read = trawl_register_log(effects->view->index, &place, segment + 1,
                                                    BLOCK, &columns, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t i = 0; i < count; i++) {
            uint64_t value = known[i] ? values[i] << offsets[i] % 8 * 8 : ~UINT64_C(0xdead);
            uint64_t number = effects->cells[offsets[i] / 8];
            if (has_banks &&
                arch_is_bank_change(arch, offsets[i] / 8, (unsigned)(masks[i] << offsets[i] % 8)))
                continue; // the mode is another, which is no effect of the instruction
            if (number && lanes[i] == effects->lane)
                hashes[events[i] - first] += hash_keys(&effects->seed, number, value);
        }
    }
    return STATUS_OK;
}

// Byte by byte, because traces may show a store as one access or as several.
static uint64_t hash_of_store(const struct hash_seed *seed, uint64_t address, uint64_t mask,
                              uint64_t value, bool is_unknown)
{
    uint64_t hash = 0;
    for (; mask; mask &= mask - 1) {
        unsigned byte = (unsigned)__builtin_ctzll(mask);
        uint64_t what = is_unknown ? 256 : value >> 8 * byte & 0xff;
        hash +=
            hash_keys(seed, hash_key(seed, ~(address + byte)), what); // a register has no such key
    }
    return hash;
}

static enum status add_memory(struct event_effects *effects, uint64_t segment, uint64_t *hashes,
                              struct error *err)
{
    uint64_t events[BLOCK], addresses[BLOCK], masks[BLOCK], values[BLOCK], kinds[BLOCK];
    const struct trawl_access_columns columns = {
        .event = events, .address = addresses, .mask = masks, .value = values, .kind = kinds};
    uint64_t first = segment * effects->view->info.segment_events;
    struct trawl_access_cursor place = {.event = first};
    struct trawl_error from;
    for (size_t count = BLOCK; count == BLOCK;) {
        enum trawl_status read =
            trawl_accesses(effects->view->index, &place, first + effects->view->info.segment_events,
                           BLOCK, &columns, &count, &from);
        if (read != TRAWL_OK)
            return index_status(read, &from, err);
        for (size_t i = 0; i < count; i++) {
            if (kinds[i] != TRAWL_ACCESS_LOAD)
                hashes[events[i] - first] +=
                    hash_of_store(&effects->seed, addresses[i], masks[i], values[i],
                                  kinds[i] == TRAWL_ACCESS_STORE_UNKNOWN);
        }
    }
    return STATUS_OK;
}

static enum status read_segment(struct event_effects *effects, uint64_t number,
                                struct effect_segment *segment, struct error *err)
{
    enum status status = STATUS_OK;
    segment->number = 0;
    memset(segment->hashes, 0, effects->event_count * sizeof *segment->hashes);
    if (effects->which & EFFECT_REGISTERS)
        status = add_registers(effects, number, segment->hashes, err);
    if (status == STATUS_OK && effects->which & EFFECT_MEMORY)
        status = add_memory(effects, number, segment->hashes, err);
    if (status == STATUS_OK)
        segment->number = number + 1;
    effects->has_failed |= status != STATUS_OK;
    return status;
}

enum status event_effects_read(struct event_effects *effects, const uint64_t *events, size_t count,
                               uint64_t *hashes, struct error *err)
{
    uint64_t per_segment = effects->view->info.segment_events;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = events[i] / per_segment;
        struct effect_segment *segment = &effects->segments[number % EFFECT_SEGMENTS];
        if (segment->number != number + 1) {
            enum status status = read_segment(effects, number, segment, err);
            if (status != STATUS_OK)
                return status;
        }
        hashes[i] = segment->hashes[events[i] % per_segment];
    }
    return STATUS_OK;
}

// --- Whether there is any ------------------------------------------------------------------------

enum status event_effects_has_any(const struct index_view *view, enum event_effect which, bool *has,
                                  struct error *err)
{
    uint64_t kinds[BLOCK], offsets[1];
    const struct trawl_register_write_columns writes = {.offset = offsets};
    const struct trawl_access_columns accesses = {.kind = kinds};
    struct trawl_register_cursor among_writes = {0};
    struct trawl_access_cursor among_accesses = {0};
    struct trawl_error from;
    size_t count = 0;
    enum trawl_status read = TRAWL_OK;
    *has = false;
    if (which == EFFECT_REGISTERS) {
        read =
            trawl_register_log(view->index, &among_writes, UINT64_MAX, 1, &writes, &count, &from);
        *has = count != 0;
        return index_status(read, &from, err);
    }
    do {
        read = trawl_accesses(view->index, &among_accesses, UINT64_MAX, BLOCK, &accesses, &count,
                              &from);
        for (size_t i = 0; i < count && read == TRAWL_OK; i++)
            *has |= kinds[i] != TRAWL_ACCESS_LOAD;
    } while (read == TRAWL_OK && count == BLOCK && !*has);
    return index_status(read, &from, err);
}
