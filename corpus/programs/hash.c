// Hashing: FNV-1a, CRC-32 by table, SHA-256, and a table with chains.
#include "lib.h"

enum { BUCKETS = 8, ENTRIES = 16, ROUNDS = 18 };

static const char message[] = "the quick brown fox jumps over the lazy dog";

static NOINLINE uint32_t fnv1a(const char *s, size_t size)
{
    uint32_t hash = 0x811c9dc5;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)s[i]) * 0x01000193;
    }
    return hash;
}

static uint32_t crc_table[16];

static NOINLINE void make_crc_table(void)
{
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 4; bit++) {
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        }
        crc_table[i] = c;
    }
}

static NOINLINE uint32_t crc32(const char *s, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= (uint8_t)s[i];
        crc = crc >> 4 ^ crc_table[crc & 15];
        crc = crc >> 4 ^ crc_table[crc & 15];
    }
    return ~crc;
}

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

// Fewer rounds than the standard's, and constants from a generator, to be short: the shape of the
// computation is what counts.
static NOINLINE void compress(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[ROUNDS];
    uint32_t s[8];
    for (int i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15];
        uint32_t b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t t = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + w[i] + (uint32_t)i * 0x9e3779b1;
        uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t u = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) {
            s[j] = s[j - 1];
        }
        s[4] += t;
        s[0] = t + u;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

typedef struct entry {
    struct entry *next;
    const char *key;
    size_t size;
    uint32_t count;
} entry_t;

static entry_t entries[ENTRIES];
static entry_t *buckets[BUCKETS];
static unsigned entry_count;

static NOINLINE bool equal(const char *a, const char *b, size_t size)
{
    while (size != 0 && *a == *b) {
        a++;
        b++;
        size--;
    }
    return size == 0;
}

static NOINLINE entry_t *lookup(const char *key, size_t size)
{
    entry_t **bucket = &buckets[fnv1a(key, size) % BUCKETS];
    for (entry_t *e = *bucket; e != NULL; e = e->next) {
        if (e->size == size && equal(e->key, key, size)) {
            return e;
        }
    }
    entry_t *e = &entries[entry_count++ % ENTRIES];
    *e = (entry_t){.next = *bucket, .key = key, .size = size};
    *bucket = e;
    return e;
}

static NOINLINE unsigned count_words(const char *text)
{
    for (const char *p = text; *p != '\0';) {
        const char *start = p;
        while (*p != '\0' && *p != ' ') {
            p++;
        }
        lookup(start, (size_t)(p - start))->count++;
        while (*p == ' ') {
            p++;
        }
    }
    return entry_count;
}

int main(void)
{
    static uint8_t block[64];
    uint32_t state[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(block, message, sizeof message);
    print_number("fnv ", fnv1a(message, sizeof message));
    make_crc_table();
    print_number("crc ", crc32(message, sizeof message));
    compress(state, block);
    print_number("sha ", state[0]);
    print_number("words ", count_words(message));
    return 0;
}
