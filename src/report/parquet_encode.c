// Deltas are stored in blocks of four times 32. The smallest delta of the block is subtracted from
// all. Each of the four parts then has the width of its largest value. Differences wrap around, so
// that any 64-bit numbers can be stored.

#include "report/parquet.h"

#define BLOCK 128
#define PARTS 4
#define PART (BLOCK / PARTS)
#define NUMBER_BYTES_MAX 10
#define GROUP 8 // packed indexes come in groups of eight

static size_t put_number(uint8_t *at, uint64_t value)
{
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        at[count++] = (uint8_t)(value | 0x80);
    at[count++] = (uint8_t)value;
    return count;
}

static size_t put_signed(uint8_t *at, uint64_t value)
{
    return put_number(at, value << 1 ^ (0 - (value >> 63)));
}

// --- Levels --------------------------------------------------------------------------------------

static void put_u32(uint8_t *at, size_t value)
{
    const uint32_t number = (uint32_t)value;
    memcpy(at, &number, sizeof number);
}

bool parquet_put_levels(struct byte_vec *bytes, const uint8_t *has, size_t count)
{
    size_t groups = (count + 7) / 8;
    if (!VEC_ROOM(bytes, 4 + NUMBER_BYTES_MAX + 1 + groups))
        return false;
    uint8_t *start = bytes->items + bytes->count, *at = start + 4;
    if (!has) {
        at += put_number(at, (uint64_t)count << 1);
        *at++ = 1;
    } else {
        at += put_number(at, (uint64_t)groups << 1 | 1);
        memset(at, 0, groups);
        for (size_t i = 0; i < count; i++)
            at[i / 8] |= (uint8_t)(has[i] << i % 8);
        at += groups;
    }
    put_u32(start, (size_t)(at - start) - 4);
    bytes->count += (size_t)(at - start);
    return true;
}

// --- Numbers -------------------------------------------------------------------------------------

// Packs PART numbers of `width` bits. Returns the number of bytes.
static size_t pack_part(uint8_t *at, const uint64_t *values, unsigned width)
{
    const uint8_t *start = at;
    unsigned __int128 pending = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < PART && width; i++) {
        pending |= (unsigned __int128)values[i] << bits;
        bits += width;
        if (bits >= 64) {
            const uint64_t whole = (uint64_t)pending;
            memcpy(at, &whole, sizeof whole);
            at += sizeof whole;
            pending >>= 64;
            bits -= 64;
        }
    }
    for (; bits; bits -= bits < 8 ? bits : 8, pending >>= 8)
        *at++ = (uint8_t)pending;
    return (size_t)(at - start);
}

// Writes at most BLOCK deltas. Parts without deltas only have a width.
static size_t put_block(uint8_t *at, uint64_t deltas[BLOCK], size_t count)
{
    uint8_t *start = at;
    int64_t least = (int64_t)deltas[0];
    for (size_t i = 1; i < count; i++)
        least = (int64_t)deltas[i] < least ? (int64_t)deltas[i] : least;
    for (size_t i = 0; i < count; i++)
        deltas[i] -= (uint64_t)least;
    memset(deltas + count, 0, (BLOCK - count) * sizeof *deltas);
    at += put_signed(at, (uint64_t)least);
    uint8_t *widths = at;
    at += PARTS;
    for (size_t part = 0; part < PARTS; part++) {
        uint64_t any = 0;
        for (size_t i = 0; i < PART; i++)
            any |= deltas[part * PART + i];
        widths[part] = (uint8_t)(any ? 64 - __builtin_clzll(any) : 0);
        at += pack_part(at, deltas + part * PART, widths[part]);
    }
    return (size_t)(at - start);
}

bool parquet_put_deltas(struct byte_vec *bytes, const uint64_t *values, size_t count)
{
    uint64_t deltas[BLOCK];
    size_t blocks = count / BLOCK + 1;
    size_t most = 4 * NUMBER_BYTES_MAX + blocks * (NUMBER_BYTES_MAX + PARTS + BLOCK * 8);
    if (!VEC_ROOM(bytes, most))
        return false;
    uint8_t *start = bytes->items + bytes->count, *at = start;
    at += put_number(at, BLOCK);
    at += put_number(at, PARTS);
    at += put_number(at, count);
    at += put_signed(at, values[0]);
    for (size_t done = 1; done < count;) {
        size_t now = count - done < BLOCK ? count - done : BLOCK;
        for (size_t i = 0; i < now; i++)
            deltas[i] = values[done + i] - values[done + i - 1];
        at += put_block(at, deltas, now);
        done += now;
    }
    bytes->count += (size_t)(at - start);
    return true;
}

bool parquet_put_plain(struct byte_vec *bytes, const uint64_t *values, size_t count)
{
    size_t size_bytes = count * sizeof *values;
    if (!VEC_ROOM(bytes, size_bytes))
        return false;
    if (size_bytes)
        memcpy(bytes->items + bytes->count, values, size_bytes);
    bytes->count += size_bytes;
    return true;
}

// --- Dictionaries --------------------------------------------------------------------------------

// Indexes to be packed together. They are written when their run ends, because its head states its
// length.
struct packing {
    struct byte_vec *bytes;
    const uint32_t *first; // of those not written yet
    size_t group_count;    // of GROUP indexes each
    size_t count;          // all indexes from `first` on
    unsigned width;
};

static void end_packing(struct packing *packing)
{
    struct byte_vec *bytes = packing->bytes;
    uint8_t *at = bytes->items + bytes->count;
    uint64_t pending = 0;
    unsigned bits = 0;
    if (!packing->group_count)
        return;
    at += put_number(at, (uint64_t)packing->group_count << 1 | 1);
    for (size_t i = 0; i < packing->group_count * GROUP; i++) {
        pending |= (uint64_t)(i < packing->count ? packing->first[i] : 0) << bits;
        for (bits += packing->width; bits >= 8; bits -= 8, pending >>= 8)
            *at++ = (uint8_t)pending;
    }
    bytes->count = (size_t)(at - bytes->items);
    packing->group_count = 0;
}

// A run takes at most as many bytes as its groups would take packed, and two heads.
bool parquet_put_places(struct byte_vec *bytes, const uint32_t *places, size_t count,
                        unsigned width)
{
    size_t groups = count / GROUP + 1;
    ASSERT(width >= 1 && width <= 32);
    if (!VEC_ROOM(bytes, 1 + groups * (width + 2 * NUMBER_BYTES_MAX + 4)))
        return false;
    bytes->items[bytes->count++] = (uint8_t)width;
    struct packing packing = {.bytes = bytes, .width = width};
    for (size_t i = 0; i < count;) {
        size_t length = 1;
        while (i + length < count && places[i + length] == places[i])
            length++;
        if (length >= GROUP) {
            end_packing(&packing);
            uint8_t *at = bytes->items + bytes->count;
            at += put_number(at, (uint64_t)length << 1);
            for (unsigned bits = 0; bits < width; bits += 8)
                *at++ = (uint8_t)(places[i] >> bits);
            bytes->count = (size_t)(at - bytes->items);
            i += length;
            continue;
        }
        if (!packing.group_count) {
            packing.first = places + i;
            packing.count = count - i;
        }
        packing.group_count++;
        i += count - i < GROUP ? count - i : GROUP;
    }
    end_packing(&packing);
    return true;
}

bool parquet_put_entry(struct byte_vec *bytes, const char *text, uint32_t length)
{
    if (!VEC_ROOM(bytes, 4 + (size_t)length))
        return false;
    put_u32(bytes->items + bytes->count, length);
    memcpy(bytes->items + bytes->count + 4, text, length);
    bytes->count += 4 + (size_t)length;
    return true;
}
