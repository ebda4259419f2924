#include "compat/ttu/versions.h"

#include <stdlib.h>

// The memory that a semihosting call may have written, according to its operation and its block of
// parameters at the end of the previous event.

#define TTU_CALL_BYTES 24 // of the block that are read

// A byte of the block: known, or in a cell that may learn it before the call.
struct ttu_call_byte {
    bool is_known, has_cell;
    uint8_t value;
    uint32_t cell;
};

struct ttu_host_call {
    bool has_operation; // both registers are known
    unsigned word_bytes;
    bool big_endian;
    uint64_t operation, block;
    struct ttu_call_byte bytes[TTU_CALL_BYTES];
};

enum {
    OFFSET_0 = 0, // r0 and x0
    OFFSET_1 = 8,
};

// The value of `size_bytes` (at most 8) at `offset` of the register space. False: some are unknown.
static bool ttu_register_value(const struct ttu_items *items, uint64_t offset, unsigned size_bytes,
                               uint64_t *value)
{
    const struct ttu_item *item = ttu_items_first(items, TTU_REGISTERS, offset);
    *value = 0;
    for (unsigned at = 0; at < size_bytes; at++) {
        if (item && item->hi < offset + at)
            item = ttu_items_next(items, item);
        if (!item || item->lo > offset + at)
            return false;
        *value |= (item->value >> 8 * (offset + at - item->lo) & 0xff) << 8 * at;
    }
    return true;
}

static struct ttu_call_byte byte_at(const struct ttu_items *items, uint64_t address)
{
    struct ttu_call_byte byte = {0};
    const struct ttu_item *item = ttu_items_first(items, TTU_MEMORY, address);
    if (!item || item->lo > address)
        return byte;
    byte.is_known = item->is_known;
    byte.has_cell = !item->is_known;
    if (byte.is_known)
        byte.value = (uint8_t)(item->value >> 8 * (address - item->lo));
    else
        byte.cell = (uint32_t)item->value;
    return byte;
}

static uint64_t address_of(const struct ttu_host_call *call, unsigned at)
{
    uint64_t address = call->block + at;
    return call->word_bytes == 4 ? (uint32_t)address : address;
}

// Call it before any effect of the call's event.
static void ttu_host_call_begin(struct ttu_host_call *call, const struct ttu_items *items,
                                bool aarch64, bool big_endian)
{
    *call = (struct ttu_host_call){.word_bytes = aarch64 ? 8 : 4, .big_endian = big_endian};
    call->has_operation = ttu_register_value(items, OFFSET_0, call->word_bytes, &call->operation) &&
                          ttu_register_value(items, OFFSET_1, call->word_bytes, &call->block);
    for (unsigned i = 0; i < 3 * call->word_bytes && call->has_operation; i++)
        call->bytes[i] = byte_at(items, address_of(call, i));
}

// Word `number` of the block. False: unknown.
static bool word_of(const struct ttu_host_call *call, const struct ttu_learned *learned,
                    unsigned number, uint64_t *word)
{
    unsigned size = call->word_bytes;
    *word = 0;
    for (unsigned i = 0; i < size; i++) {
        unsigned at = number * size + (call->big_endian ? i : size - 1 - i);
        const struct ttu_call_byte *byte = &call->bytes[at];
        uint8_t value = byte->value;
        if (!byte->is_known && !(byte->has_cell && ttu_learned_byte(learned, byte->cell,
                                                                    address_of(call, at), &value)))
            return false;
        *word = *word << 8 | value;
    }
    return true;
}

// Call it at the call. False: it wrote nothing, or what it wrote is unknown.
static bool ttu_host_call_region(const struct ttu_host_call *call,
                                 const struct ttu_learned *learned, uint64_t *start,
                                 uint64_t *length)
{
    if (!call->has_operation)
        return false;
    switch (call->operation) {
    case 0x06: // READ: file, buffer, length
        return word_of(call, learned, 1, start) && word_of(call, learned, 2, length);
    case 0x0d: // TMPNAM: buffer, number, length
        return word_of(call, learned, 0, start) && word_of(call, learned, 2, length);
    case 0x15: // GET_CMDLINE: buffer, length
        return word_of(call, learned, 0, start) && word_of(call, learned, 1, length);
    case 0x16: // HEAPINFO: a buffer of four words
        *length = UINT64_C(4) * call->word_bytes;
        return word_of(call, learned, 0, start);
    case 0x30: // ELAPSED: into the block itself
        *start = call->block;
        *length = UINT64_C(2) * call->word_bytes;
        return true;
    }
    return false;
}

// The cell that contains the instruction-set state.
#define STATE_CELL (TTU_STATE_OFFSET / 8)
#define STATE_MASK 0xf0

// The position in the current segment.
struct taking {
    struct ttu_versions *versions;
    const struct segment *segment;
    size_t next_register, next_access;
    uint32_t event;
    uint32_t line; // of the event, in the index's numbering
};

// --- Registers -----------------------------------------------------------------------------------

static ALWAYS_INLINE void write_register(struct ttu_versions *versions, uint64_t offset,
                                         uint64_t value, unsigned size_bytes, uint32_t line)
{
    const struct ttu_write write = {
        .space = TTU_REGISTERS,
        .is_known = true,
        .lo = offset,
        .hi = offset + size_bytes - 1,
        .contents = ttu_contents_put(&versions->contents, &versions->stream, value, size_bytes),
        .value = value,
        .line = line,
    };
    ttu_items_write(&versions->items, &write);
}

// Writes an item for each run of bytes.
static void take_register(const struct taking *taking, const struct segment_register *reg)
{
    uint64_t offset = UINT64_C(8) * reg->cell;
    unsigned left = reg->mask;
    if (LIKELY(left == 0xff)) {
        write_register(taking->versions, offset, reg->value, 8, taking->line);
        return;
    }
    while (left) {
        unsigned from = (unsigned)__builtin_ctz(left);
        unsigned size = (unsigned)__builtin_ctz(~(left >> from));
        uint64_t value = reg->value >> 8 * from & UINT64_MAX >> (64 - 8 * size);
        write_register(taking->versions, offset + from, value, size, taking->line);
        left &= left + (1u << from); // without its lowest run
    }
}

// How far ahead to prefetch. Most writes of registers write all of their bytes.
#define PREFETCH_REGISTERS 12

static void take_registers(struct taking *taking)
{
    const struct segment *segment = taking->segment;
    struct ttu_versions *versions = taking->versions;
    for (; taking->next_register < segment->registers.count; taking->next_register++) {
        const struct segment_register *reg = &segment->registers.items[taking->next_register];
        if (reg->event != taking->event)
            return;
        size_t next = taking->next_register + PREFETCH_REGISTERS;
        if (LIKELY(next < segment->registers.count))
            ttu_contents_prefetch(&versions->contents, segment->registers.items[next].value, 8);
        take_register(taking, reg);
        if (UNLIKELY(reg->cell == STATE_CELL && (reg->mask & STATE_MASK)))
            versions->has_state = false; // only instructions should write it
    }
}

// Writes the instruction-set state after an instruction.
static ALWAYS_INLINE void take_state(struct taking *taking, uint8_t flags)
{
    struct ttu_versions *versions = taking->versions;
    uint64_t state = ((flags & EVENT_ISA) == EVENT_ISA_A64 ? TTU_STATE_AARCH64 : 0) |
                     (versions->big_endian ? TTU_STATE_BIG_ENDIAN : 0);
    if (UNLIKELY(!versions->has_state))
        versions->has_state = ttu_register_value(&versions->items, TTU_STATE_OFFSET,
                                                 TTU_STATE_BYTES, &versions->state);
    if (LIKELY(versions->has_state && versions->state == state))
        return;
    write_register(versions, TTU_STATE_OFFSET, state, TTU_STATE_BYTES, taking->line);
    versions->has_state = true;
    versions->state = state;
}

// --- Memory --------------------------------------------------------------------------------------

// Marks a range as unknown.
static void write_unknown(struct taking *taking, uint64_t lo, uint64_t hi)
{
    struct ttu_versions *versions = taking->versions;
    struct ttu_write write = {.space = TTU_MEMORY, .lo = lo, .hi = hi, .line = taking->line};
    write.value = ttu_learned_cell(&versions->learned, &versions->stream, &write.contents);
    ttu_items_write(&versions->items, &write);
    ttu_shown_forget(&versions->shown, lo, hi);
}

static void store(struct taking *taking, const struct segment_access *access, uint64_t hi)
{
    struct ttu_versions *versions = taking->versions;
    if (!access->is_known) {
        write_unknown(taking, access->address, hi);
        return;
    }
    uint64_t value =
        memory_bytes_of_number(access->value, access->size_bytes, versions->big_endian);
    const struct ttu_write write = {
        .space = TTU_MEMORY,
        .is_known = true,
        .lo = access->address,
        .hi = hi,
        .contents =
            ttu_contents_put(&versions->contents, &versions->stream, value, access->size_bytes),
        .value = value,
        .line = taking->line,
    };
    ttu_items_write(&versions->items, &write);
    ttu_shown_add(&versions->shown, write.lo, hi);
}

// Ignores accesses without a size, and those across the end of the address space.
static void take_access(struct taking *taking, const struct segment_access *access)
{
    uint64_t hi = access->address + access->size_bytes - 1;
    if (!access->size_bytes || hi < access->address)
        return;
    if (access->is_read) {
        struct ttu_versions *versions = taking->versions;
        uint64_t lo = access->address;
        if (access->is_known && !ttu_shown_has(&versions->shown, lo, hi)) {
            uint64_t value =
                memory_bytes_of_number(access->value, access->size_bytes, versions->big_endian);
            const struct ttu_item *item = ttu_items_first(&versions->items, TTU_MEMORY, lo);
            for (; item && item->lo <= hi; item = ttu_items_next(&versions->items, item)) {
                uint64_t from = u64_max(item->lo, lo), to = u64_min(item->hi, hi);
                if (!item->is_known)
                    ttu_learned_add(&versions->learned, &versions->contents, &versions->stream,
                                    (uint32_t)item->value, from, to, value >> 8 * (from - lo));
            }
            ttu_shown_add(&versions->shown, lo, hi);
        }
    } else
        store(taking, access, hi);
}

#define PREFETCH_ACCESSES 8

// Accesses of the event; with `before_call`, those before its host call.
static ALWAYS_INLINE void take_accesses(struct taking *taking, bool before_call)
{
    const struct segment *segment = taking->segment;
    for (; taking->next_access < segment->accesses.count; taking->next_access++) {
        const struct segment_access *access = &segment->accesses.items[taking->next_access];
        if (access->event != taking->event || (before_call && !access->is_before_host_call))
            return;
        size_t next = taking->next_access + PREFETCH_ACCESSES;
        if (LIKELY(next < segment->accesses.count))
            ttu_shown_prefetch(&taking->versions->shown, segment->accesses.items[next].address);
        take_access(taking, access);
    }
}

static NEVER_INLINE void take_host_call(struct taking *taking, bool aarch64)
{
    struct ttu_versions *versions = taking->versions;
    struct ttu_host_call call;
    uint64_t start, length;
    ttu_host_call_begin(&call, &versions->items, aarch64, versions->big_endian);
    take_accesses(taking, true);
    if (ttu_host_call_region(&call, &versions->learned, &start, &length) && length &&
        start + (length - 1) >= start)
        write_unknown(taking, start, start + (length - 1));
}

// --- Events --------------------------------------------------------------------------------------

static void take_event(struct taking *taking)
{
    struct ttu_versions *versions = taking->versions;
    const struct segment_events *events = &taking->segment->events;
    uint8_t flags = events->flags[taking->event];
    taking->line = (uint32_t)(events->line[taking->event] - versions->header_lines);
    if (UNLIKELY(flags & EVENT_HOST_CALL))
        take_host_call(taking, (flags & EVENT_ISA) == EVENT_ISA_A64);
    if (LIKELY(flags & EVENT_HAS_INSTRUCTION))
        take_state(taking, flags);
    take_registers(taking);
    take_accesses(taking, false);
    uint64_t root = ttu_items_record(&versions->items, &versions->stream);
    versions->count += root != versions->root;
    versions->root = root;
}

enum status ttu_versions_take(struct ttu_versions *versions, const struct segment *segment,
                              const struct ttu_windows *windows, const struct ttu_root_sink *sink,
                              uint64_t *line)
{
    struct taking taking = {.versions = versions, .segment = segment};
    enum status status = STATUS_OK;
    size_t first_key = 0;
    for (size_t i = 0; i < windows->ends.count && status == STATUS_OK; i++) {
        size_t end_key = windows->ends.items[i];
        uint32_t end = (uint32_t)u64_min((i + 1) * TTU_WINDOW_EVENTS, segment->event_count);
        size_t key_count = end_key - first_key;
        const struct ttu_hot_key *keys = key_count ? &windows->keys.items[first_key] : NULL;
        ttu_items_begin_window(&versions->items, keys, key_count);
        first_key = end_key;
        *line = segment->events.line[taking.event];
        for (; taking.event < end; taking.event++) {
            take_event(&taking);
            sink->add(sink->self, versions->root);
        }
        if (versions->items.is_too_deep)
            status = STATUS_LIMIT;
        else if (versions->items.lacks_memory || versions->learned.lacks_memory)
            status = STATUS_MEMORY;
    }
    return status;
}

bool ttu_versions_begin(struct ttu_versions *versions, struct ttu_file *file, uint64_t offset,
                        bool big_endian)
{
    uint64_t cell = 0;
    memset(versions, 0, sizeof *versions);
    versions->big_endian = big_endian;
    ttu_learned_begin(&versions->learned);
    if (!ttu_contents_begin(&versions->contents) ||
        !ttu_stream_begin(&versions->stream, file, offset))
        return false;
    versions->stream.defers = true;
    ttu_learned_cell(&versions->learned, &versions->stream, &cell);
    return !versions->learned.lacks_memory && ttu_items_begin(&versions->items, cell);
}

void ttu_versions_free(struct ttu_versions *versions)
{
    ttu_items_free(&versions->items);
    ttu_contents_free(&versions->contents);
    ttu_learned_free(&versions->learned);
    ttu_stream_free(&versions->stream);
}

bool ttu_versions_end(struct ttu_versions *versions)
{
    ttu_learned_end(&versions->learned, &versions->stream);
    return !versions->learned.lacks_memory;
}
