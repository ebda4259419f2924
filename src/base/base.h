// What every file of trawl includes: fixed-width types and the few macros that the language lacks.
#ifndef TRAWL_BASE_BASE_H
#define TRAWL_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// A macro's value as text, such as a number in a help text.
#define TEXT_OF(macro) TEXT_OF_TOKENS(macro)
#define TEXT_OF_TOKENS(tokens) #tokens

#define NS_PER_S UINT64_C(1000000000)

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

// For our own mistakes only, never for bad input. Stays on in every build: the checks are few and
// none is in an inner loop.
#define ASSERT(condition)                                                                          \
    do {                                                                                           \
        if (UNLIKELY(!(condition)))                                                                \
            __builtin_trap();                                                                      \
    } while (0)

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t u64_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// The number of bits that are set. Plain arithmetic, because the baseline has no instruction for
// it.
static ALWAYS_INLINE unsigned u64_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
}

// The value of a hexadecimal digit; -1: it is none.
static inline int hex_digit(int byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'f' ? (byte | 0x20) - 'a' + 10 : -1;
}

// Compares two uint64_t, for qsort and bsearch.
static inline int u64_compare(const void *a_item, const void *b_item)
{
    const uint64_t *a = a_item, *b = b_item;
    return (*a > *b) - (*a < *b);
}

// Functions for qsort and bsearch that order items by a member, or by two or three of them, the
// most important first.
#define ORDER_BY(name, type, first) ORDER_BY_KEYS(name, type, , first)
#define ORDER_BY_2(name, type, first, second) ORDER_BY_KEYS(name, type, ORDER_KEY(first), second)
#define ORDER_BY_3(name, type, first, second, third)                                               \
    ORDER_BY_KEYS(name, type, ORDER_KEY(first) ORDER_KEY(second), third)
#define ORDER_KEY(key)                                                                             \
    if (a->key != b->key)                                                                          \
        return a->key < b->key ? -1 : 1;
#define ORDER_BY_KEYS(name, type, before, last)                                                    \
    static int name(const void *a_item, const void *b_item)                                        \
    {                                                                                              \
        const type *a = a_item, *b = b_item;                                                       \
        before return (a->last > b->last) - (a->last < b->last);                                   \
    }

// The number of the first of [0, count) for which a condition no longer holds, or `count`. The
// condition is an expression of `middle`, the number of an item, and must hold for all items up to
// some place and for none after it.
#define PARTITION_POINT(result, count, ...)                                                        \
    do {                                                                                           \
        size_t holds_below = 0, holds_not_from = (count);                                          \
        while (holds_below < holds_not_from) {                                                     \
            size_t middle = holds_below + (holds_not_from - holds_below) / 2;                      \
            if (__VA_ARGS__)                                                                       \
                holds_below = middle + 1;                                                          \
            else                                                                                   \
                holds_not_from = middle;                                                           \
        }                                                                                          \
        (result) = (__typeof__(result))holds_below;                                                \
    } while (0)

// The number of items of an ascending array that are not above `value`.
static inline size_t u64_count_up_to(const uint64_t *sorted, size_t count, uint64_t value)
{
    size_t low;
    PARTITION_POINT(low, count, sorted[middle] <= value);
    return low;
}

// The plural ending of a counted noun.
static inline const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// Numbers in binary data, unaligned and in the byte order of the machine that wrote them.
static ALWAYS_INLINE uint16_t load_u16(const uint8_t *at, bool is_big_endian)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap16(value) : value;
}

static ALWAYS_INLINE uint32_t load_u32(const uint8_t *at, bool is_big_endian)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap32(value) : value;
}

static ALWAYS_INLINE uint64_t load_u64(const uint8_t *at, bool is_big_endian)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return is_big_endian ? __builtin_bswap64(value) : value;
}

// The same for any size of at most eight bytes.
static inline uint64_t load_uint(const uint8_t *bytes, size_t size_bytes, bool is_big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        value = value << 8 | bytes[is_big_endian ? i : size_bytes - 1 - i];
    return value;
}

// Writes the lower bytes of a number, little-endian.
static inline void store_little(uint8_t *at, uint64_t value, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

// Nanoseconds since some point in the past; never less than before. For measurements: elapsed time,
// not the time of day.
static inline uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
