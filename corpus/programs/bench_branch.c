// Benchmark program: branches that nothing foretells. A search in a tree, a machine of states over
// random input, a checksum bit by bit, a heap. Few instructions lie between two branches. Runs
// until it is stopped.
#include "lib.h"

enum { KEYS = 1023, TEXT = 256 };

static uint32_t keys[KEYS];
static uint8_t text[TEXT];
static uint64_t seed = 0x9ae16a3b2f90404f;
static volatile uint32_t sink;

static NOINLINE unsigned search(uint32_t key)
{
    unsigned node = 0;
    while (node < KEYS && keys[node] != key) {
        if (key < keys[node]) {
            node = 2 * node + 1;
        } else {
            node = 2 * node + 2;
        }
        __asm__ volatile("" : "+r"(node)); // a branch, not a select
    }
    return node;
}

static NOINLINE uint32_t scan(const uint8_t *p, unsigned count)
{
    enum { SPACE, WORD, NUMBER, QUOTED } state = SPACE;
    uint32_t tokens = 0, bad = 0;
    for (unsigned i = 0; i < count; i++) {
        uint8_t c = p[i];
        if (state == QUOTED) {
            state = c == '"' ? SPACE : QUOTED;
        } else if (c == '"') {
            state = QUOTED;
            tokens++;
        } else if (c >= '0' && c <= '9') {
            tokens += state == SPACE;
            state = state == WORD ? WORD : NUMBER;
        } else if (c >= 'A') {
            bad += state == NUMBER;
            tokens += state == SPACE;
            state = WORD;
        } else {
            state = SPACE;
        }
    }
    return tokens ^ bad << 16;
}

static NOINLINE uint32_t checksum(const uint8_t *p, unsigned count)
{
    uint32_t sum = ~0u;
    for (unsigned i = 0; i < count; i++) {
        sum ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            if (sum & 1) {
                sum = sum >> 1 ^ 0xedb88320;
            } else {
                sum >>= 1;
            }
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return sum;
}

static NOINLINE void fill_tree(unsigned node, uint32_t low, uint32_t high)
{
    if (node < KEYS) {
        keys[node] = low + (high - low) / 2;
        fill_tree(2 * node + 1, low, keys[node]);
        fill_tree(2 * node + 2, keys[node], high);
    }
}

int main(void)
{
    fill_tree(0, 0, 1 << 20);
    for (;;) {
        for (unsigned i = 0; i < TEXT; i++) {
            text[i] = (uint8_t)(random_next(&seed) % 100 + 20);
        }
        sink += scan(text, TEXT);
        sink ^= checksum(text, 64);
        for (unsigned i = 0; i < 40; i++) {
            sink += search((uint32_t)random_next(&seed) & 0xfffff);
        }
    }
}
