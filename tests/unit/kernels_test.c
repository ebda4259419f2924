#include "random.h"
#include "simd/kernels.h"
#include "test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// More than two groups of eight, and more than steps of eight words leave.
enum { COUNT_MAX = 75, PACKED_MAX = COUNT_MAX * 8 + 16 };

// Memory between inaccessible pages: a load or store outside of it crashes.
struct fenced {
    uint8_t *pages;
    size_t page;
};

static struct fenced fence(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && mprotect(pages, page, PROT_NONE) == 0 &&
          mprotect(pages + 2 * page, page, PROT_NONE) == 0);
    return (struct fenced){pages, page};
}

static void unfence(struct fenced fenced)
{
    munmap(fenced.pages, 3 * fenced.page);
}

// The last `bytes` bytes before the upper fence, or the first ones after the lower fence.
static uint8_t *before_fence(struct fenced fenced, size_t bytes)
{
    return fenced.pages + 2 * fenced.page - bytes;
}

static uint8_t *behind_fence(struct fenced fenced)
{
    return fenced.pages + fenced.page;
}

// Numbers of all sizes, including the extremes.
static uint64_t number(struct prng *prng, unsigned width)
{
    uint64_t any = prng_next(prng), max = bitpack_max(width);
    return any % 7 == 0 ? max : any % 7 == 1 ? 0 : prng_next(prng) & max;
}

static void fill(uint64_t *numbers, size_t count, unsigned width, struct prng *prng)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = number(prng, width);
}

// --- Packing -------------------------------------------------------------------------------------

struct dir_entry {
    struct fenced packed, out;
};

// From `from` on; the packed bytes end at the fence, after eight others.
static void check_unpack(const struct kernels *kernels, const struct dir_entry *place,
                         const uint8_t *bytes, size_t size_bytes, size_t from, size_t count,
                         unsigned width)
{
    uint64_t expected[COUNT_MAX + 1];
    uint8_t *packed = before_fence(place->packed, size_bytes);
    const uint8_t *last = packed + size_bytes - 8;
    memcpy(packed, bytes, size_bytes);
    kernels_scalar.unpack(packed + 8, from * width, count, width, last, 5, expected);
    uint8_t *out = before_fence(place->out, count * 8);
    kernels->unpack(packed + 8, from * width, count, width, last, 5, (uint64_t *)(void *)out);
    CHECK(memcmp(out, expected, count * 8) == 0);
    // After the lower fence, only the numbers change.
    uint64_t *words = (uint64_t *)(void *)behind_fence(place->out);
    words[count] = 0xabcdef;
    kernels->unpack(packed + 8, from * width, count, width, last, 5, words);
    CHECK(memcmp(words, expected, count * 8) == 0 && words[count] == 0xabcdef);
}

static void check_packing(const struct kernels *kernels, const struct dir_entry *place,
                          const uint64_t *numbers, size_t count, unsigned width)
{
    uint8_t expected[PACKED_MAX] = {0}, found[PACKED_MAX] = {0};
    size_t bytes = (size_t)(kernels_scalar.pack(expected + 8, numbers, count, width, 0) - expected);
    CHECK(kernels->pack(found + 8, numbers, count, width, 0) == found + bytes);
    CHECK(memcmp(found, expected, bytes) == 0);
    for (size_t from = 0; from <= count; from += 1 + from / 5)
        check_unpack(kernels, place, expected, bytes, from, count - from, width);
}

static void check_all_packing(const struct kernels *kernels)
{
    const struct dir_entry place = {fence(), fence()};
    struct prng prng = {1};
    for (unsigned width = 0; width <= 64; width += width == BITPACK_WIDTH_MAX ? 8 : 1) {
        for (size_t count = 0; count <= COUNT_MAX; count += 1 + count / 20) {
            uint64_t numbers[COUNT_MAX];
            fill(numbers, count, width, &prng);
            check_packing(kernels, &place, numbers, count, width);
        }
    }
    unfence(place.packed);
    unfence(place.out);
}

// --- Numbers -------------------------------------------------------------------------------------

// Whether numbers are in their range, and in ranges without one of its ends.
static void check_within(const struct kernels *kernels, const uint64_t *numbers, size_t count)
{
    if (!count)
        return;
    struct extremes extremes = kernels_scalar.extremes(numbers, count, 0);
    uint64_t range = extremes.max - extremes.min;
    CHECK(kernels->within(numbers, count, extremes.min, range));
    CHECK(kernels->within(numbers, count, 0, UINT64_MAX));
    CHECK(!range || !kernels->within(numbers, count, extremes.min, range - 1));
    CHECK(!range || !kernels->within(numbers, count, extremes.min + 1, range - 1));
}

static void check_steps(const struct kernels *kernels, const uint64_t *numbers, size_t count)
{
    uint64_t steps[COUNT_MAX];
    if (count < 2)
        return;
    struct extremes extremes = kernels->steps(numbers, count, steps);
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (size_t i = 0; i + 1 < count; i++) {
        int64_t step = (int64_t)(numbers[i + 1] - numbers[i]);
        CHECK((int64_t)steps[i] == step);
        min = step < min ? step : min;
        max = step > max ? step : max;
    }
    CHECK((int64_t)extremes.min == min && (int64_t)extremes.max == max);
}

static void check_numbers(const struct kernels *kernels, struct fenced fenced,
                          const uint64_t *numbers, size_t count)
{
    uint64_t expected[COUNT_MAX];
    uint64_t *found = (uint64_t *)(void *)before_fence(fenced, count * 8);
    memcpy(found, numbers, count * 8);
    for (uint64_t order = 0; count && order != 1; order = order ? 1 : EXTREMES_SIGNED) {
        struct extremes wanted = kernels_scalar.extremes(numbers, count, order);
        struct extremes extremes = kernels->extremes(found, count, order);
        CHECK(extremes.min == wanted.min && extremes.max == wanted.max);
    }
    for (size_t i = 0; i < count; i++)
        CHECK(kernels->contain(found, count, ~UINT64_C(1), numbers[i] & ~UINT64_C(1)));
    CHECK(kernels->contain(found, count, UINT64_MAX, 0x1234567) ==
          kernels_scalar.contain(numbers, count, UINT64_MAX, 0x1234567));
    check_within(kernels, found, count);
    check_steps(kernels, found, count);
    memcpy(expected, numbers, count * 8);
    kernels_scalar.add_up(expected, count, UINT64_MAX - 9);
    kernels->add_up(found, count, UINT64_MAX - 9);
    CHECK(memcmp(found, expected, count * 8) == 0);
}

static void check_all_numbers(const struct kernels *kernels)
{
    struct fenced fenced = fence();
    struct prng prng = {2};
    for (size_t count = 0; count <= COUNT_MAX; count++) {
        for (unsigned width = 0; width <= 64; width += 8) {
            uint64_t numbers[COUNT_MAX];
            fill(numbers, count, width, &prng);
            check_numbers(kernels, fenced, numbers, count);
        }
    }
    unfence(fenced);
}

// --- Text ----------------------------------------------------------------------------------------

// `count` digits of `digits`, followed by arbitrary bytes up to the fence: sixteen bytes in total.
static const char *random_digits(struct fenced fenced, struct prng *prng, const char *digits,
                                 size_t count)
{
    char *text = (char *)before_fence(fenced, 16);
    for (size_t i = 0; i < 16; i++)
        text[i] = (char)prng_next(prng);
    for (size_t i = 0; i < count; i++)
        text[i] = digits[prng_below(prng, (uint32_t)strlen(digits))];
    return text;
}

static void check_all_digits(const struct kernels *kernels, struct fenced fenced)
{
    struct prng prng = {3};
    for (size_t round = 0; round < 4000; round++) {
        size_t count = 1 + round % 16;
        bool is_extreme = round / 16 % 8 == 0;
        const char *text =
            random_digits(fenced, &prng, is_extreme ? "fF" : "0123456789abcdefABCDEF", count);
        char copy[17] = {0};
        memcpy(copy, text, count);
        CHECK(kernels->hex(text, count) == strtoull(copy, NULL, 16));
        text = random_digits(fenced, &prng, is_extreme ? "9" : "0123456789", count);
        memcpy(copy, text, count);
        CHECK(kernels->decimal(text, count) == strtoull(copy, NULL, 10));
    }
}

// A newline anywhere or nowhere, from any start; there are newlines after the end.
static void check_all_newlines(const struct kernels *kernels, struct fenced fenced)
{
    for (size_t length = 0; length <= 200; length++) {
        char *text = (char *)before_fence(fenced, length);
        memset(text, 'x', length);
        CHECK(kernels->newline(text, text + length) == NULL);
        for (size_t at = 0; at < length; at++) {
            text[at] = '\n';
            CHECK(kernels->newline(text, text + length) == text + at);
            CHECK(kernels->newline(text, text + at) == NULL);
            text[length - 1] = '\n'; // a later one has no effect
            CHECK(kernels->newline(text, text + length) == text + at);
            text[length - 1] = 'x';
            text[at] = 'x';
        }
    }
}

// Text of two letters, where nearly every position has the compared bytes; of all lengths, up to
// the fences on both sides.
static void check_all_needles(const struct kernels *kernels, struct fenced fenced)
{
    struct prng prng = {5};
    for (size_t round = 0; round < 20000; round++) {
        size_t length = prng_below(&prng, round % 50 ? 300 : 4000);
        char needle_text[128], *text = (char *)before_fence(fenced, length);
        struct text_needle needle = {needle_text, 1 + prng_below(&prng, 1 + (round % 128)), 0, 0};
        needle.first = prng_below(&prng, (uint32_t)needle.length);
        needle.second = prng_below(&prng, (uint32_t)needle.length);
        for (size_t i = 0; i < length; i++)
            text[i] = prng_below(&prng, 2 + round % 17) ? 'a' : 'b';
        for (size_t i = 0; i < needle.length; i++)
            needle_text[i] = prng_below(&prng, 8) ? 'a' : 'b';
        if (round % 3 && length >= needle.length)
            memcpy(needle_text, text + prng_below(&prng, (uint32_t)(length - needle.length + 1)),
                   needle.length);
        CHECK(kernels->find(text, text + length, &needle) ==
              needle_find(text, text + length, &needle));
        memmove(behind_fence(fenced), text, length);
        text = (char *)behind_fence(fenced);
        CHECK(kernels->find(text, text + length, &needle) ==
              needle_find(text, text + length, &needle));
    }
}

// Kinds of columns, as in templates of lines, with characters that fit each.
static const struct {
    uint8_t low, range;
    bool has_letters;
    const char *fitting;
} column_kinds[] = {
    {0, 255, false, "\xff\x80 aZ\n"},
    {'0', 9, false, "0599"},
    {'0', 9, true, "09afAFcD"},
    {'.', 11, true, "./09aF"},
    {'a', 25, false, "amz"},
    {'_', 0, false, "_"},
    {'a', 0, false, "a"},
    {0xfe, 1, false, "\xfe\xff"},
};

static void check_patterns(const struct kernels *kernels, struct fenced fenced, struct prng *prng,
                           size_t columns)
{
    struct text_pattern pattern;
    char *text = (char *)before_fence(fenced, TEXT_COLUMNS);
    text_pattern_init(&pattern, columns);
    for (size_t i = 0; i < TEXT_COLUMNS; i++) {
        size_t kind = i < columns ? prng_below(prng, ARRAY_COUNT(column_kinds)) : 0;
        const char *fitting = column_kinds[kind].fitting;
        if (i < columns)
            text_pattern_set(&pattern, i, column_kinds[kind].low, column_kinds[kind].range,
                             column_kinds[kind].has_letters);
        text[i] = fitting[prng_below(prng, (uint32_t)strlen(fitting))];
    }
    CHECK(kernels->fits(&pattern, text));
    for (size_t i = 0; i < TEXT_COLUMNS; i++) {
        char was = text[i];
        for (unsigned c = 0; c < 256; c += 1 + prng_below(prng, 9)) {
            text[i] = (char)c;
            CHECK(kernels->fits(&pattern, text) == text_fits_pattern(&pattern, text));
        }
        text[i] = was;
    }
}

static void check_places(const struct kernels *kernels, struct fenced fenced, struct prng *prng)
{
    static const char near[] = "\n\x0b\x09\x8a)\xa9(*";
    char *text = (char *)before_fence(fenced, 64);
    for (size_t round = 0; round < 1000; round++) {
        uint64_t expected = 0;
        for (size_t i = 0; i < 64; i++) {
            text[i] = near[prng_below(prng, sizeof near - 1)];
            expected |= (uint64_t)(text[i] == '\n') << i;
        }
        CHECK(kernels->places(text, '\n') == expected);
        CHECK(kernels->places(text, 'x') == 0);
    }
}

static void check_all_text(const struct kernels *kernels)
{
    struct fenced fenced = fence();
    struct prng prng = {4};
    check_all_digits(kernels, fenced);
    check_all_newlines(kernels, fenced);
    check_all_needles(kernels, fenced);
    check_places(kernels, fenced, &prng);
    for (size_t columns = 0; columns <= TEXT_COLUMNS; columns++)
        check_patterns(kernels, fenced, &prng, columns);
    unfence(fenced);
}

// --- Each instruction set ------------------------------------------------------------------------

static void check(enum simd simd, const char *why_not)
{
    if (!simd_is_here(simd)) {
        test_skip(why_not);
        return;
    }
    CHECK(simd == SIMD_SCALAR || kernels_of(simd) != &kernels_scalar);
    check_all_packing(kernels_of(simd));
    check_all_numbers(kernels_of(simd));
    check_all_text(kernels_of(simd));
}

static void avx2_agrees_with_the_scalar_reference(void)
{
    check(SIMD_AVX2, "this machine has no avx2");
}

static void avx512_agrees_with_the_scalar_reference(void)
{
    check(SIMD_AVX512, "this machine has no avx512");
}

static void neon_agrees_with_the_scalar_reference(void)
{
    check(SIMD_NEON, "this machine has no neon");
}

static void the_scalar_reference_keeps_within_its_memory(void)
{
    check(SIMD_SCALAR, "");
}

const struct test_case kernels_tests[] = {
    {"the_scalar_reference_keeps_within_its_memory", the_scalar_reference_keeps_within_its_memory},
    {"avx2_agrees_with_the_scalar_reference", avx2_agrees_with_the_scalar_reference},
    {"avx512_agrees_with_the_scalar_reference", avx512_agrees_with_the_scalar_reference},
    {"neon_agrees_with_the_scalar_reference", neon_agrees_with_the_scalar_reference},
    {NULL, NULL},
};
