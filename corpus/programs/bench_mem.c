// Benchmark program: memory. A hash table, a linked list, a transposed matrix, block copies and a
// sort, over some 5 MB in all. Runs until it is stopped.
#include "lib.h"

enum {
    TABLE_SLOTS = 1 << 16, // 1 MB
    NODES = 1 << 15,       // 1 MB
    SIDE = 256,            // 256 KB twice
    BLOCK = 1 << 20,       // 1 MB twice
    COPY_WORDS = 2048,
};

typedef struct {
    uint64_t key, value;
} slot_t;

typedef struct node {
    struct node *next;
    uint32_t weight, visits;
    uint64_t payload[2];
} node_t;

static slot_t table[TABLE_SLOTS];
static node_t nodes[NODES];
static node_t *list;
static uint32_t matrix[SIDE][SIDE], transposed[SIDE][SIDE];
static uint64_t block_a[BLOCK / 8], block_b[BLOCK / 8];
static uint64_t seed = 0x2545f4914f6cdd1d;
static volatile uint64_t sink;

static NOINLINE uint64_t hash(uint64_t key)
{
    key ^= key >> 33;
    key *= 0xff51afd7ed558ccd;
    return key ^ key >> 29;
}

static NOINLINE slot_t *find(uint64_t key)
{
    for (uint64_t i = hash(key);; i++) {
        slot_t *slot = &table[i % TABLE_SLOTS];
        if (slot->key == key || slot->key == 0) {
            return slot;
        }
    }
}

static NOINLINE void count_keys(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t key = random_next(&seed) % (TABLE_SLOTS / 2) + 1;
        slot_t *slot = find(key);
        slot->key = key;
        slot->value += i;
    }
}

static NOINLINE void link_nodes(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        node_t *node = &nodes[random_next(&seed) % NODES];
        if (node->visits++ == 0) {
            node->next = list;
            list = node;
        }
        node->weight = (uint32_t)seed;
        node->payload[seed & 1] = seed;
    }
}

static NOINLINE uint64_t walk_list(unsigned count)
{
    uint64_t sum = 0;
    for (node_t *node = list; node != NULL && count-- != 0; node = node->next) {
        sum += node->weight ^ node->payload[1];
    }
    return sum;
}

static NOINLINE void unlink_some(unsigned every)
{
    unsigned index = 0;
    for (node_t **link = &list; *link != NULL && index < 400; index++) {
        if (index % every == 0) {
            (*link)->visits = 0;
            *link = (*link)->next;
        } else {
            link = &(*link)->next;
        }
    }
}

static NOINLINE void fill_rows(unsigned first, unsigned count)
{
    for (unsigned row = first; row < first + count; row++) {
        for (unsigned column = 0; column < SIDE; column++) {
            matrix[row % SIDE][column] += (uint32_t)random_next(&seed);
        }
    }
}

static NOINLINE void transpose(unsigned first, unsigned count)
{
    for (unsigned row = first; row < first + count; row++) {
        for (unsigned column = 0; column < SIDE; column++) {
            transposed[column][row % SIDE] = matrix[row % SIDE][column];
        }
    }
}

// One of the pieces of a block.
static size_t place(unsigned index)
{
    return (size_t)index * COPY_WORDS % (BLOCK / 8);
}

static NOINLINE void copy_words(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i] + 1;
    }
}

static NOINLINE void shift_bytes(uint8_t *data, size_t size)
{
    for (size_t i = size - 1; i > 0; i--) {
        data[i] = data[i - 1];
    }
    data[0] = (uint8_t)random_next(&seed);
}

static NOINLINE void shell_sort(uint32_t *a, unsigned count)
{
    for (unsigned gap = count / 2; gap > 0; gap /= 2) {
        for (unsigned i = gap; i < count; i++) {
            uint32_t value = a[i];
            unsigned j = i;
            for (; j >= gap && a[j - gap] > value; j -= gap) {
                a[j] = a[j - gap];
            }
            a[j] = value;
        }
    }
}

int main(void)
{
    for (unsigned round = 0;; round++) {
        count_keys(300);
        link_nodes(300);
        sink += walk_list(200 + round % 100);
        unlink_some(3 + round % 7);
        fill_rows(round * 3, 3);
        transpose(round * 3, 3);
        copy_words(block_b + place(round), block_a + place(round * 7), COPY_WORDS);
        copy_words(block_a + place(round * 5 + 3), block_b + place(round), COPY_WORDS / 2);
        shift_bytes((uint8_t *)(block_a + place(round * 11)), 300);
        if (round % 8 == 0) {
            shell_sort(matrix[round % SIDE], SIDE);
        }
    }
}
