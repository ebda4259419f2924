#include "bench/sframe.h"

#include "elf/sframe_flat.h"
#include "simd/simd.h"

#include <dlfcn.h>
#include <stdlib.h>

#ifdef SIMD_X86
#include <immintrin.h>
#endif

enum { NODE = 16, LEVELS_MAX = 12, LIBRARY_ROW_BYTES = 256 };

struct sframe_bench {
    struct image *image;
    struct sframe_section section;
    struct sframe_flat flat;
    uint64_t pcs[SFRAME_BENCH_PCS];
    const struct sframe_rule *rules[SFRAME_BENCH_PCS];
    uint32_t row_count;
    uint32_t *eytzinger, *ranks; // from 1; the row of each
    uint32_t *levels[LEVELS_MAX];
    unsigned level_count;
    void *library, *decoder;
    int (*find_fre)(const void *decoder, int64_t pc, void *row);
};

static void on_fault(void *self, const struct error *err)
{
    (void)self;
    (void)err;
}

// --- Forms ---------------------------------------------------------------------------------------

static uint32_t fill_eytzinger(struct sframe_bench *bench, uint32_t next, uint32_t at)
{
    if (at > bench->row_count)
        return next;
    next = fill_eytzinger(bench, next, 2 * at);
    bench->eytzinger[at] = bench->flat.starts[next];
    bench->ranks[at] = next++;
    return fill_eytzinger(bench, next, 2 * at + 1);
}

// Level 0 is all starts; each level above has the first of every NODE of the one below.
static void fill_levels(struct sframe_bench *bench)
{
    uint32_t count = bench->row_count;
    const uint32_t *below = bench->flat.starts;
    for (;;) {
        uint32_t padded = (count + NODE - 1) / NODE * NODE;
        uint32_t *level = aligned_alloc(64, padded * sizeof *level);
        ASSERT(level && bench->level_count < LEVELS_MAX);
        for (uint32_t i = 0; i < padded; i++)
            level[i] = i >= count                ? UINT32_MAX
                       : bench->level_count == 0 ? below[i]
                                                 : below[i * NODE];
        bench->levels[bench->level_count++] = level;
        if (count <= NODE)
            return;
        below = level;
        count = padded / NODE;
    }
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

// PCs that have a rule, each byte of code as likely as any other.
static void choose_pcs(struct sframe_bench *bench)
{
    const struct sframe_region *region = &bench->flat.regions[0];
    uint64_t state = 1;
    for (size_t i = 0; i < SFRAME_BENCH_PCS;) {
        uint64_t pc = region->base + random_next(&state) % region->span;
        if (sframe_flat_find(&bench->flat, pc)->kind == SFRAME_ROW)
            bench->pcs[i++] = pc;
    }
}

static void open_library(struct sframe_bench *bench, const char *path)
{
    int error;
    void *(*decode)(const char *bytes, size_t size_bytes, int *error);
    if (!path || !(bench->library = dlopen(path, RTLD_NOW)))
        return;
    *(void **)&decode = dlsym(bench->library, "sframe_decode");
    *(void **)&bench->find_fre = dlsym(bench->library, "sframe_find_fre");
    if (decode && bench->find_fre)
        bench->decoder =
            decode((const char *)bench->section.bytes, bench->section.size_bytes, &error);
}

struct sframe_bench *sframe_bench_open(const char *image, const char *library)
{
    const struct sframe_faults faults = {NULL, on_fault};
    struct sframe_bench *bench = calloc(1, sizeof *bench);
    struct error err;
    if (!bench || image_open(&bench->image, image, &err) != STATUS_OK ||
        sframe_section_read(&bench->section, bench->image, &faults, &err) != STATUS_OK ||
        sframe_flat_build(&bench->flat, &bench->section, 0, &faults, &err) != STATUS_OK) {
        free(bench);
        return NULL;
    }
    bench->row_count = bench->flat.regions[0].row_count;
    bench->eytzinger = aligned_alloc(64, (bench->row_count + 16) / 16 * 64 + 64);
    bench->ranks = calloc(bench->row_count + 1, sizeof *bench->ranks);
    ASSERT(bench->eytzinger && bench->ranks);
    fill_eytzinger(bench, 0, 1);
    fill_levels(bench);
    choose_pcs(bench);
    open_library(bench, library);
    return bench;
}

void sframe_bench_close(struct sframe_bench *bench)
{
    for (unsigned i = 0; i < bench->level_count; i++)
        free(bench->levels[i]);
    free(bench->eytzinger);
    free(bench->ranks);
    sframe_flat_free(&bench->flat);
    sframe_section_free(&bench->section);
    image_close(bench->image);
    free(bench);
}

bool sframe_bench_has(const struct sframe_bench *bench, enum sframe_search search)
{
    if (search == SEARCH_LIBRARY)
        return bench->decoder != NULL;
    bool needs_avx512 = search == SEARCH_ARRAY_AVX512 || search == SEARCH_B_TREE_AVX512;
    return !needs_avx512 || simd_is_here(SIMD_AVX512);
}

// --- Searching -----------------------------------------------------------------------------------

static ALWAYS_INLINE uint32_t count_up_to(const uint32_t *keys, uint32_t key)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < NODE; i++)
        count += keys[i] <= key;
    return count;
}

static uint32_t search_binary(const struct sframe_bench *bench, uint32_t key)
{
    const uint32_t *low = bench->flat.starts;
    for (uint32_t left = bench->row_count; left > 1;) {
        uint32_t half = left / 2;
        low = low[half] <= key ? low + half : low;
        left -= half;
    }
    return (uint32_t)(low - bench->flat.starts);
}

static uint32_t search_eytzinger(const struct sframe_bench *bench, uint32_t key)
{
    uint32_t at = 1;
    while (at <= bench->row_count) {
        __builtin_prefetch(bench->eytzinger + (size_t)at * 16);
        at = 2 * at + (bench->eytzinger[at] <= key);
    }
    at >>= __builtin_ctz(at) + 1; // the last step to the right
    return bench->ranks[at];
}

static uint32_t search_b_tree(const struct sframe_bench *bench, uint32_t key)
{
    uint32_t at = 0;
    for (unsigned level = bench->level_count; level-- > 0;)
        at = at * NODE + count_up_to(bench->levels[level] + (size_t)at * NODE, key) - 1;
    return at;
}

#ifdef SIMD_X86
// 512-bit registers, which the regions of simd/simd.h do not enable.
#define AVX512 __attribute__((target("avx512f,evex512,popcnt")))

AVX512 static uint32_t search_b_tree_avx512(const struct sframe_bench *bench, uint32_t key)
{
    uint32_t at = 0;
    for (unsigned level = bench->level_count; level-- > 0;) {
        const uint32_t *node = bench->levels[level] + (size_t)at * NODE;
        uint32_t mask =
            _mm512_cmple_epu32_mask(_mm512_loadu_si512(node), _mm512_set1_epi32((int)key));
        at = at * NODE + (uint32_t)__builtin_popcount(mask) - 1;
    }
    return at;
}

AVX512 static uint32_t search_array_avx512(const struct sframe_bench *bench, uint32_t key)
{
    const struct sframe_flat *flat = &bench->flat;
    const uint32_t *bucket = flat->buckets + (key >> flat->regions[0].shift);
    uint32_t low = bucket[0], high = bucket[1];
    while (UNLIKELY(high - low >= NODE)) {
        uint32_t middle = low + (high - low) / 2;
        if (flat->starts[middle] <= key)
            low = middle;
        else
            high = middle - 1;
    }
    uint32_t mask = _mm512_cmple_epu32_mask(_mm512_loadu_si512(flat->starts + low),
                                            _mm512_set1_epi32((int)key));
    return low + (uint32_t)__builtin_popcount(mask) - 1;
}
#else
#define search_b_tree_avx512 search_b_tree
#define search_array_avx512 search_b_tree
#endif

// Also fetches the rule of every row, like the array's own search.
static ALWAYS_INLINE uint64_t search_all(const struct sframe_bench *bench,
                                         uint32_t (*search)(const struct sframe_bench *, uint32_t))
{
    const struct sframe_flat *flat = &bench->flat;
    uint64_t sum = 0;
    for (size_t i = 0; i < SFRAME_BENCH_PCS; i++) {
        uint32_t row = search(bench, (uint32_t)(bench->pcs[i] - flat->regions[0].base));
        sum += (uint64_t)flat->rules[flat->numbers[row]].cfa.offset;
    }
    return sum;
}

static uint64_t sum_rules(const struct sframe_bench *bench)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < SFRAME_BENCH_PCS; i++)
        sum += (uint64_t)bench->rules[i]->cfa.offset;
    return sum;
}

static uint64_t search_library(const struct sframe_bench *bench)
{
    char row[LIBRARY_ROW_BYTES];
    uint64_t found = 0;
    for (size_t i = 0; i < SFRAME_BENCH_PCS; i++)
        found += bench->find_fre(bench->decoder, (int64_t)(bench->pcs[i] - bench->section.address),
                                 row) == 0;
    return found == SFRAME_BENCH_PCS ? 0 : 1;
}

uint64_t sframe_bench_search(struct sframe_bench *bench, enum sframe_search search)
{
    switch (search) {
    case SEARCH_ARRAY:
        for (size_t i = 0; i < SFRAME_BENCH_PCS; i++)
            bench->rules[i] = sframe_flat_find(&bench->flat, bench->pcs[i]);
        return sum_rules(bench);
    case SEARCH_ARRAY_IN_GROUPS:
        sframe_flat_find_many(&bench->flat, bench->pcs, SFRAME_BENCH_PCS, bench->rules);
        return sum_rules(bench);
    case SEARCH_ARRAY_AVX512:
        return search_all(bench, search_array_avx512);
    case SEARCH_BINARY:
        return search_all(bench, search_binary);
    case SEARCH_EYTZINGER:
        return search_all(bench, search_eytzinger);
    case SEARCH_B_TREE:
        return search_all(bench, search_b_tree);
    case SEARCH_B_TREE_AVX512:
        return search_all(bench, search_b_tree_avx512);
    default:
        return search_library(bench);
    }
}

bool sframe_bench_convert(struct sframe_bench *bench)
{
    const struct sframe_faults faults = {NULL, on_fault};
    struct sframe_flat flat;
    struct error err;
    if (sframe_flat_build(&flat, &bench->section, 0, &faults, &err) != STATUS_OK)
        return false;
    sframe_flat_free(&flat);
    return true;
}

uint64_t sframe_bench_section_bytes(const struct sframe_bench *bench)
{
    return bench->section.size_bytes;
}

uint64_t sframe_bench_flat_bytes(const struct sframe_bench *bench)
{
    return bench->flat.head->size_bytes;
}

uint64_t sframe_bench_rows(const struct sframe_bench *bench)
{
    return bench->row_count;
}
