#include "export/ttu/host_call.h"

enum {
    OFFSET_0 = 0, // r0 and x0
    OFFSET_1 = 8,
};

bool ttu_register_value(const struct ttu_items *items, uint64_t offset, unsigned size_bytes,
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

void ttu_host_call_begin(struct ttu_host_call *call, const struct ttu_items *items, bool aarch64,
                         bool big_endian)
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

bool ttu_host_call_region(const struct ttu_host_call *call, const struct ttu_learned *learned,
                          uint64_t *start, uint64_t *length)
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
