#include "simd/bitpack.h"
#include "simd/kernels.h"

#ifdef SIMD_ARM
#include <arm_neon.h>

// How two neighbouring numbers of a group become words: sixteen bytes contain both.
struct two {
    size_t from; // where the first begins
    uint8x16_t shuffle;
    int64x2_t shift; // to the left; negative ones are to the right
};

static ALWAYS_INLINE struct two make_two(const struct unpack_group *group, size_t k)
{
    size_t apart = group->bytes[k + 1] - group->bytes[k];
    const uint64_t shuffle[2] = {unpack_eight_from(0), unpack_eight_from(apart)};
    const int64_t shift[2] = {-(int64_t)group->shift[k], -(int64_t)group->shift[k + 1]};
    return (struct two){group->bytes[k], vreinterpretq_u8_u64(vld1q_u64(shuffle)),
                        vld1q_s64(shift)};
}

static ALWAYS_INLINE void unpack_two(const uint8_t *at, const struct two *two, uint64x2_t mask,
                                     uint64x2_t add, uint64_t *out)
{
    uint8x16_t bytes = vqtbl1q_u8(vld1q_u8(at + two->from), two->shuffle);
    uint64x2_t words = vshlq_u64(vreinterpretq_u64_u8(bytes), two->shift);
    vst1q_u64(out, vaddq_u64(vandq_u64(words, mask), add));
}

static void unpack(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out)
{
    size_t done = 0;
    if (unpack_by_groups(count, width)) {
        struct unpack_group group = unpack_group_at(packed, bit, width);
        const struct two twos[] = {make_two(&group, 0), make_two(&group, 2), make_two(&group, 4),
                                   make_two(&group, 6)};
        const uint64x2_t masks = vdupq_n_u64(bitpack_max(width)), adds = vdupq_n_u64(add);
        // Sixteen bytes are loaded where the last two begin; `last` only guarantees eight.
        for (; done + UNPACK_GROUP <= count && last - group.at >= (ptrdiff_t)twos[3].from + 8;
             done += UNPACK_GROUP, group.at += width) {
            for (size_t k = 0; k < ARRAY_COUNT(twos); k++)
                unpack_two(group.at, &twos[k], masks, adds, out + done + 2 * k);
        }
    }
    bitpack_unpack(packed, bit + done * width, count - done, width, last, add, out + done);
}

// Two at a time: the chain from two to two is one addition long.
static void add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    const uint64x2_t zero = vdupq_n_u64(0);
    uint64x2_t sum = vdupq_n_u64(before);
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        uint64x2_t two = vld1q_u64(numbers + i);
        two = vaddq_u64(two, vextq_u64(zero, two, 1));
        vst1q_u64(numbers + i, vaddq_u64(two, sum));
        sum = vaddq_u64(sum, vdupq_laneq_u64(two, 1));
    }
    numbers_add_up(numbers + i, count - i, vgetq_lane_u64(sum, 0));
}

// Four bits for each of 16 places, set if it has both bytes.
static ALWAYS_INLINE uint64_t places_of(const char *at, const struct text_needle *needle)
{
    uint8x16_t first = vld1q_u8((const uint8_t *)at + needle->first);
    uint8x16_t second = vld1q_u8((const uint8_t *)at + needle->second);
    first = vceqq_u8(first, vdupq_n_u8((uint8_t)needle->text[needle->first]));
    second = vceqq_u8(second, vdupq_n_u8((uint8_t)needle->text[needle->second]));
    uint16x8_t both = vreinterpretq_u16_u8(vandq_u8(first, second));
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(both, 4)), 0);
}

static const char *find(const char *from, const char *end, const struct text_needle *needle)
{
    const char *at = from;
    const ptrdiff_t read_bytes = 15 + (ptrdiff_t)needle->length;
    size_t misses = 0;
    for (; end - at >= read_bytes && !needle_misses_much(misses, (size_t)(at - from)); at += 16) {
        uint64_t places = places_of(at, needle);
        while (places) {
            unsigned place = (unsigned)__builtin_ctzll(places) / 4;
            if (needle_is_at(needle, at + place))
                return at + place;
            places &= ~(UINT64_C(15) << 4 * place);
            misses++;
        }
    }
    return needle_find(at, end, needle);
}

#define TEXT_NEON
#include "simd/text.inc"

#define KERNELS kernels_neon
#define UNPACK unpack
#define ADD_UP add_up
#define FIND find
#include "simd/kernels_body.inc"
#endif
