// Which segments access which memory: the nodes of the tree are compared with all words of their
// segments.
#include "base/map.h"
#include "idx/column.h"
#include "idx/index_write.h"
#include "random.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define SEGMENTS 40
#define WORDS_MAX 20000

struct made {
    uint64_t words[SEGMENTS][WORDS_MAX]; // of each segment, ascending
    size_t counts[SEGMENTS];
    uint64_t all[SEGMENTS * WORDS_MAX], read[SEGMENTS * WORDS_MAX];
};

static size_t sort_and_unite(uint64_t *words, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(words, count, sizeof *words, u64_compare);
    for (size_t i = 0; i < count; i++) {
        if (!kept || words[kept - 1] != words[i])
            words[kept++] = words[i];
    }
    return kept;
}

// Single words and runs of words.
static void make_words(struct made *made, struct prng *prng, size_t segment, size_t most)
{
    size_t count = 0, wanted = prng_below(prng, 10) ? most - prng_below(prng, 10) : 0;
    uint64_t spread_mask = (UINT64_C(1) << (8 + 8 * prng_below(prng, 5))) - 1;
    while (count < wanted) {
        uint64_t word = prng_next(prng) & spread_mask;
        uint32_t stretch = prng_percent(prng, 10) ? 1 + prng_below(prng, 200) : 1;
        for (; stretch && count < wanted; stretch--)
            made->words[segment][count++] = word++;
    }
    made->counts[segment] = sort_and_unite(made->words[segment], count);
}

// All words of some segments, in blocks of 2^shift bytes.
static size_t unite(struct made *made, size_t first, size_t end, unsigned shift)
{
    size_t count = 0;
    for (size_t segment = first; segment < end; segment++) {
        for (size_t i = 0; i < made->counts[segment]; i++)
            made->all[count++] = made->words[segment][i] >> (shift - MEMORY_WORD_SHIFT);
    }
    return sort_and_unite(made->all, count);
}

// Whether a node has the entries of its segments, in blocks as small as possible.
static bool is_right(struct made *made, const struct memory_node *node, size_t number,
                     const struct map *map)
{
    struct column column;
    struct error err;
    size_t covered = 1;
    for (uint64_t level = 0; level < node->level; level++)
        covered *= MEMORY_NODE_CHILDREN;
    size_t first = number * covered, end = (size_t)u64_min(SEGMENTS, first + covered);
    unsigned shift = (unsigned)node->shift;
    bool is_least =
        shift == MEMORY_WORD_SHIFT || unite(made, first, end, shift - 4) > MEMORY_NODE_ENTRIES_MAX;
    size_t count = unite(made, first, end, shift);
    return is_least && count <= MEMORY_NODE_ENTRIES_MAX &&
           column_open(&column, SIMD_SCALAR, (const uint8_t *)map->data + node->offset,
                       (size_t)node->size_bytes, &err) == STATUS_OK &&
           column.count == count && column_read(&column, 0, count, made->read) &&
           memcmp(made->read, made->all, count * sizeof *made->all) == 0;
}

static void check_tree(struct made *made, size_t words_most, uint64_t seed, bool *has_coarse)
{
    char path[] = "/tmp/trawl-directory-XXXXXX";
    struct prng prng = {seed};
    struct memory_directory directory = {.simd = SIMD_SCALAR};
    struct file_writer *file;
    struct error err;
    struct map map;
    int fd = mkstemp(path), wrong = 0;
    const struct file_writer_target target = {path, -1, fd};
    CHECK(fd >= 0 && file_writer_open(&file, &target, FILE_WRITER_PWRITE, &err) == STATUS_OK);
    for (size_t i = 0; i < SEGMENTS; i++) {
        make_words(made, &prng, i, words_most);
        CHECK(memory_directory_add(&directory, made->words[i], made->counts[i], file));
    }
    CHECK(memory_directory_end(&directory, file));
    memory_directory_order(&directory);
    CHECK(file_writer_read_back(file, &map, &err) == STATUS_OK);
    size_t number = 0;
    for (size_t i = 0; i < directory.nodes.count; i++) {
        const struct memory_node *node = &directory.nodes.items[i];
        number = i && node->level == node[-1].level ? number + 1 : 0;
        wrong += !is_right(made, node, number, &map);
        *has_coarse |= node->shift > MEMORY_WORD_SHIFT;
    }
    CHECK(directory.nodes.count == 4 && wrong == 0); // three of level 1, and one above them
    map_close(&map);
    file_writer_abandon(file);
    memory_directory_free(&directory);
    close(fd);
    unlink(path);
}

static void nodes_have_the_words_of_their_segments(void)
{
    struct made *made = malloc(sizeof *made);
    bool has_coarse = false;
    CHECK(made != NULL);
    for (uint64_t seed = 1; seed <= 10; seed++)
        check_tree(made, 300, seed, &has_coarse);
    CHECK(!has_coarse);
    check_tree(made, WORDS_MAX, 11, &has_coarse);
    CHECK(has_coarse);
    free(made);
}

const struct test_case directory_tests[] = {
    {"nodes_have_the_words_of_their_segments", nodes_have_the_words_of_their_segments},
    {NULL, NULL},
};
