#include "simd/bitpack.h"
#include "simd/kernels.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX512_BEGIN

static ALWAYS_INLINE __mmask64 first_of_64(size_t count)
{
    return _bzhi_u64(UINT64_MAX, count < 64 ? (unsigned)count : 64);
}

static ALWAYS_INLINE __mmask8 first_of_8(size_t count)
{
    return (__mmask8)_bzhi_u32(0xff, count < 8 ? (unsigned)count : 8);
}

// How the eight numbers of a group become words.
struct eight {
    __m512i shuffle, shift, mask, add;
};

static ALWAYS_INLINE struct eight make_eight(const struct unpack_group *group, unsigned width,
                                             uint64_t add)
{
    uint64_t shuffle[UNPACK_GROUP];
    for (size_t k = 0; k < UNPACK_GROUP; k++)
        shuffle[k] = unpack_eight_from(group->bytes[k]);
    return (struct eight){
        _mm512_loadu_si512(shuffle),
        _mm512_loadu_si512(group->shift),
        _mm512_set1_epi64((long long)bitpack_max(width)),
        _mm512_set1_epi64((long long)add),
    };
}

static ALWAYS_INLINE __m512i to_words(const struct eight *eight, __m512i bytes)
{
    __m512i words = _mm512_permutexvar_epi8(eight->shuffle, bytes);
    words = _mm512_and_si512(_mm512_srlv_epi64(words, eight->shift), eight->mask);
    return _mm512_add_epi64(words, eight->add);
}

// At the end of the memory, and of the numbers, masks leave out what does not exist.
static void unpack(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out)
{
    if (!unpack_by_groups(count, width)) {
        bitpack_unpack(packed, bit, count, width, last, add, out);
        return;
    }
    struct unpack_group group = unpack_group_at(packed, bit, width);
    const struct eight eight = make_eight(&group, width, add);
    const uint8_t *at = group.at, *end = last + 8;
    size_t i = 0;
    for (; i + UNPACK_GROUP <= count && end - at >= 64; i += UNPACK_GROUP, at += width)
        _mm512_storeu_si512(out + i, to_words(&eight, _mm512_loadu_si512(at)));
    for (; i < count; i += UNPACK_GROUP, at += width) {
        __m512i bytes = _mm512_maskz_loadu_epi8(first_of_64((size_t)(end - at)), at);
        _mm512_mask_storeu_epi64(out + i, first_of_8(count - i), to_words(&eight, bytes));
    }
}

static ALWAYS_INLINE __m512i sums_within(__m512i eight)
{
    const __m512i zero = _mm512_setzero_si512();
    eight = _mm512_add_epi64(eight, _mm512_alignr_epi64(eight, zero, 7));
    eight = _mm512_add_epi64(eight, _mm512_alignr_epi64(eight, zero, 6));
    return _mm512_add_epi64(eight, _mm512_alignr_epi64(eight, zero, 4));
}

// Eight at a time: sums within each eight are not part of the chain from eight to eight, which is
// one addition long.
static void add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    const __m512i last = _mm512_set1_epi64(7);
    __m512i sum = _mm512_set1_epi64((long long)before);
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        __m512i eight = sums_within(_mm512_loadu_si512(numbers + i));
        _mm512_storeu_si512(numbers + i, _mm512_add_epi64(eight, sum));
        sum = _mm512_add_epi64(sum, _mm512_permutexvar_epi64(last, eight));
    }
    __mmask8 mask = first_of_8(count - i);
    __m512i rest = sums_within(_mm512_maskz_loadu_epi64(mask, numbers + i));
    _mm512_mask_storeu_epi64(numbers + i, mask, _mm512_add_epi64(rest, sum));
}

// A bit for each of 64 places, set if it has both bytes.
static ALWAYS_INLINE uint64_t places_of(const char *at, const struct text_needle *needle)
{
    __m512i first = _mm512_loadu_si512(at + needle->first);
    __m512i second = _mm512_loadu_si512(at + needle->second);
    __mmask64 has_first =
        _mm512_cmpeq_epi8_mask(first, _mm512_set1_epi8(needle->text[needle->first]));
    return _mm512_mask_cmpeq_epi8_mask(has_first, second,
                                       _mm512_set1_epi8(needle->text[needle->second]));
}

static const char *find(const char *from, const char *end, const struct text_needle *needle)
{
    const char *at = from;
    const ptrdiff_t read_bytes = 63 + (ptrdiff_t)needle->length;
    size_t misses = 0;
    for (; end - at >= read_bytes && !needle_misses_much(misses, (size_t)(at - from)); at += 64) {
        for (uint64_t places = places_of(at, needle); places; places &= places - 1) {
            if (needle_is_at(needle, at + __builtin_ctzll(places)))
                return at + __builtin_ctzll(places);
            misses++;
        }
    }
    return needle_find(at, end, needle);
}

#define TEXT_AVX512
#include "simd/text.inc"

#define KERNELS kernels_avx512
#define UNPACK unpack
#define ADD_UP add_up
#define FIND find
#include "simd/kernels_body.inc"
SIMD_END
#endif
