#include "simd/bitpack.h"
#include "simd/kernels.h"

#ifdef SIMD_X86
#include <immintrin.h>

SIMD_AVX2_BEGIN

// Loads sixteen bytes from each of two places, which contain two numbers each.
static ALWAYS_INLINE __m256i load_pairs(const uint8_t *low, const uint8_t *high)
{
    __m128i first = _mm_loadu_si128((const __m128i *)(const void *)low);
    __m128i second = _mm_loadu_si128((const __m128i *)(const void *)high);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

// How four numbers of a group become words.
struct four {
    size_t low, high; // where each pair begins
    __m256i shuffle, shift;
};

static ALWAYS_INLINE struct four make_four(const struct unpack_group *group, size_t k)
{
    const size_t *bytes = group->bytes + k;
    const uint64_t *shift = group->shift + k;
    return (struct four){
        bytes[0],
        bytes[2],
        _mm256_setr_epi64x(
            (long long)unpack_eight_from(0), (long long)unpack_eight_from(bytes[1] - bytes[0]),
            (long long)unpack_eight_from(0), (long long)unpack_eight_from(bytes[3] - bytes[2])),
        _mm256_setr_epi64x((long long)shift[0], (long long)shift[1], (long long)shift[2],
                           (long long)shift[3]),
    };
}

static ALWAYS_INLINE void unpack_four(const uint8_t *at, const struct four *four, __m256i mask,
                                      __m256i add, uint64_t *out)
{
    __m256i bytes = load_pairs(at + four->low, at + four->high);
    __m256i words = _mm256_srlv_epi64(_mm256_shuffle_epi8(bytes, four->shuffle), four->shift);
    words = _mm256_add_epi64(_mm256_and_si256(words, mask), add);
    _mm256_storeu_si256((__m256i *)(void *)out, words);
}

static void unpack(const uint8_t *packed, size_t bit, size_t count, unsigned width,
                   const uint8_t *last, uint64_t add, uint64_t *out)
{
    size_t done = 0;
    if (unpack_by_groups(count, width)) {
        struct unpack_group group = unpack_group_at(packed, bit, width);
        const struct four low = make_four(&group, 0), high = make_four(&group, 4);
        const __m256i masks = _mm256_set1_epi64x((long long)bitpack_max(width));
        const __m256i adds = _mm256_set1_epi64x((long long)add);
        // Sixteen bytes are loaded where the last pair begins; `last` only guarantees eight.
        for (; done + UNPACK_GROUP <= count && last - group.at >= (ptrdiff_t)high.high + 8;
             done += UNPACK_GROUP, group.at += width) {
            unpack_four(group.at, &low, masks, adds, out + done);
            unpack_four(group.at, &high, masks, adds, out + done + 4);
        }
    }
    bitpack_unpack(packed, bit + done * width, count - done, width, last, add, out + done);
}

// Four at a time: sums within each four are not part of the chain from four to four, which is one
// addition long.
static void add_up(uint64_t *numbers, size_t count, uint64_t before)
{
    __m256i sum = _mm256_set1_epi64x((long long)before);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i *at = (__m256i *)(void *)(numbers + i);
        __m256i four = _mm256_loadu_si256(at);
        four = _mm256_add_epi64(four, _mm256_slli_si256(four, 8));
        __m256i low = _mm256_permute2x128_si256(four, four, 0x08); // to the high half, over zeros
        four = _mm256_add_epi64(four, _mm256_unpackhi_epi64(low, low));
        _mm256_storeu_si256(at, _mm256_add_epi64(four, sum));
        sum = _mm256_add_epi64(sum, _mm256_permute4x64_epi64(four, 0xff));
    }
    numbers_add_up(numbers + i, count - i, (uint64_t)_mm256_extract_epi64(sum, 0));
}

// A bit for each of 32 places, set if it has both bytes.
static ALWAYS_INLINE uint32_t places_of(const char *at, const struct text_needle *needle)
{
    __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)(at + needle->first));
    __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(at + needle->second));
    first = _mm256_cmpeq_epi8(first, _mm256_set1_epi8(needle->text[needle->first]));
    second = _mm256_cmpeq_epi8(second, _mm256_set1_epi8(needle->text[needle->second]));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(first, second));
}

static const char *find(const char *from, const char *end, const struct text_needle *needle)
{
    const char *at = from;
    const ptrdiff_t read_bytes = 31 + (ptrdiff_t)needle->length;
    size_t misses = 0;
    for (; end - at >= read_bytes && !needle_misses_much(misses, (size_t)(at - from)); at += 32) {
        for (uint32_t places = places_of(at, needle); places; places &= places - 1) {
            if (needle_is_at(needle, at + __builtin_ctz(places)))
                return at + __builtin_ctz(places);
            misses++;
        }
    }
    return needle_find(at, end, needle);
}

#define TEXT_AVX2
#include "simd/text.inc"

#define KERNELS kernels_avx2
#define UNPACK unpack
#define ADD_UP add_up
#define FIND find
#include "simd/kernels_body.inc"
SIMD_END
#endif
