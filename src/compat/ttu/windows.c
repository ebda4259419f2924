#include "compat/ttu/versions.h"

#include "compat/ttu/file.h"

#include <stdlib.h>

// Keys of one window that are counted; further ones are not hot.
#define KEYS_COUNTED 1024
#define SLOT_BITS 12

struct counting {
    struct ttu_windows *windows;
    const struct segment *segment;
    size_t first; // of the window's keys
    size_t next_register, next_access;
};

// False: no memory.
static bool add_write(struct counting *counting, enum ttu_space space, uint64_t lo)
{
    struct ttu_windows *windows = counting->windows;
    size_t slot = hash_key(&windows->seed, lo + space) >> (64 - SLOT_BITS);
    for (; windows->slots[slot]; slot = (slot + 1) % (1 << SLOT_BITS)) {
        struct ttu_hot_key *key = &windows->keys.items[windows->slots[slot] - 1];
        if (key->lo == lo && key->space == space) {
            key->writes++;
            return true;
        }
    }
    if (windows->keys.count - counting->first == KEYS_COUNTED)
        return true;
    if (!VEC_ROOM(&windows->keys, 1))
        return false;
    windows->keys.items[windows->keys.count++] =
        (struct ttu_hot_key){.lo = lo, .space = (uint8_t)space, .writes = 1};
    windows->slots[slot] = (uint32_t)windows->keys.count;
    return true;
}

// Counts the writes of events before `end`. False: no memory.
static bool count_window(struct counting *counting, uint32_t end)
{
    const struct segment *segment = counting->segment;
    const struct segment_register *registers = segment->registers.items;
    const struct segment_access *accesses = segment->accesses.items;
    memset(counting->windows->slots, 0, sizeof *counting->windows->slots << SLOT_BITS);
    for (; counting->next_register < segment->registers.count &&
           registers[counting->next_register].event < end;
         counting->next_register++) {
        const struct segment_register *reg = &registers[counting->next_register];
        uint64_t lo = UINT64_C(8) * reg->cell + (unsigned)__builtin_ctz(reg->mask);
        if (!add_write(counting, TTU_REGISTERS, lo))
            return false;
    }
    for (; counting->next_access < segment->accesses.count &&
           accesses[counting->next_access].event < end;
         counting->next_access++) {
        const struct segment_access *access = &accesses[counting->next_access];
        if (!access->is_read && !add_write(counting, TTU_MEMORY, access->address))
            return false;
    }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const struct ttu_hot_key *first = a, *second = b;
    if (ttu_key_is_before(first->space, first->lo, second->space, second->lo))
        return -1;
    return ttu_key_is_before(second->space, second->lo, first->space, first->lo);
}

// Gives the key in the middle of all writes to [from, to) this depth, and recursively those on
// either side the next depths. `before`: the number of writes to keys before each.
static void rank(struct ttu_hot_key *keys, const uint32_t *before, size_t from, size_t to,
                 uint32_t depth)
{
    for (; from < to; depth++) {
        uint32_t half = before[from] + (before[to] - before[from]) / 2;
        size_t low = from, high = to - 1;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (before[middle + 1] <= half)
                low = middle + 1;
            else
                high = middle;
        }
        keys[low].priority = UINT32_MAX - depth;
        rank(keys, before, from, low, depth + 1);
        from = low + 1;
    }
}

bool ttu_windows_find(struct ttu_windows *windows, const struct segment *segment)
{
    struct counting counting = {windows, segment, 0, 0, 0};
    windows->keys.count = windows->ends.count = 0;
    if (!windows->slots) {
        windows->seed = hash_seed_new();
        windows->slots = malloc(sizeof *windows->slots << SLOT_BITS);
        if (!windows->slots)
            return false;
    }
    for (uint32_t from = 0; from < segment->event_count; from += TTU_WINDOW_EVENTS) {
        counting.first = windows->keys.count;
        if (!count_window(&counting, from + TTU_WINDOW_EVENTS) || !VEC_ROOM(&windows->ends, 1))
            return false;
        size_t count = windows->keys.count - counting.first;
        if (count) {
            struct ttu_hot_key *keys = windows->keys.items + counting.first;
            uint32_t before[KEYS_COUNTED + 1];
            qsort(keys, count, sizeof *keys, compare_keys);
            before[0] = 0;
            for (size_t i = 0; i < count; i++)
                before[i + 1] = before[i] + keys[i].writes;
            rank(keys, before, 0, count, 0);
        }
        windows->ends.items[windows->ends.count++] = (uint32_t)windows->keys.count;
    }
    return true;
}

void ttu_windows_free(struct ttu_windows *windows)
{
    free(windows->keys.items);
    free(windows->ends.items);
    free(windows->slots);
    *windows = (struct ttu_windows){0};
}
