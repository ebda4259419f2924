// Benchmark program: integer work in many small functions. Runs until it is stopped; the seed
// goes on from round to round, so that no stretch of the trace repeats.
#include "lib.h"

enum { DIGITS = 24, SIEVE = 512, KEYS = 48 };

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint32_t results[16];

#define MIX(n, a, b, c)                                                                            \
    static NOINLINE uint32_t mix_##n(uint32_t x, uint32_t y)                                       \
    {                                                                                              \
        x ^= y >> (a);                                                                             \
        x *= 0x9e3779b1u + (n)*2;                                                                  \
        if (x & (1u << (b))) {                                                                     \
            x = (x << (c)) | (x >> (32 - (c)));                                                    \
        }                                                                                          \
        return x + y;                                                                              \
    }
MIX(0, 3, 1, 5)
MIX(1, 5, 2, 7)
MIX(2, 7, 3, 11)
MIX(3, 11, 4, 13)
MIX(4, 13, 5, 17)
MIX(5, 2, 6, 19)
MIX(6, 4, 7, 23)
MIX(7, 6, 8, 29)
MIX(8, 8, 9, 3)
MIX(9, 10, 10, 9)
MIX(10, 12, 11, 15)
MIX(11, 14, 12, 21)

typedef uint32_t (*mix_t)(uint32_t, uint32_t);
static const mix_t mixes[] = {mix_0, mix_1, mix_2, mix_3, mix_4,  mix_5,
                              mix_6, mix_7, mix_8, mix_9, mix_10, mix_11};

static NOINLINE uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static NOINLINE uint32_t collatz(uint64_t n)
{
    uint32_t steps = 0;
    while (n != 1 && steps < 200) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    return steps;
}

static NOINLINE uint32_t power_modulo(uint64_t base, uint32_t exponent, uint32_t modulus)
{
    uint64_t result = 1;
    for (base %= modulus; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            result = result * base % modulus;
        }
        base = base * base % modulus;
    }
    return (uint32_t)result;
}

static NOINLINE bool is_probable_prime(uint32_t n)
{
    static const uint32_t bases[] = {2, 3, 5, 7};
    if (n < 11 || n % 2 == 0) {
        return n == 2 || n == 3 || n == 5 || n == 7;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (power_modulo(bases[i], n - 1, n) != 1) {
            return false;
        }
    }
    return true;
}

static NOINLINE uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++) {
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return crc;
}

static NOINLINE uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t value = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        value = crc_byte(value, data[i]);
    }
    return ~value;
}

static NOINLINE uint32_t adler(const uint8_t *data, size_t size)
{
    uint32_t a = 1;
    uint32_t b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static NOINLINE size_t to_text(uint64_t value, char *text, unsigned base)
{
    char digits[66];
    size_t count = 0;
    do {
        unsigned digit = (unsigned)(value % base);
        digits[count++] = (char)(digit < 10 ? '0' + digit : 'a' + digit - 10);
        value /= base;
    } while (value != 0);
    for (size_t i = 0; i < count; i++) {
        text[i] = digits[count - 1 - i];
    }
    text[count] = '\0';
    return count;
}

static NOINLINE unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static NOINLINE uint64_t from_text(const char *text, unsigned base)
{
    uint64_t value = 0;
    for (; *text != '\0'; text++) {
        value = value * base + digit_value(*text);
    }
    return value;
}

static NOINLINE uint32_t sieve(uint32_t start)
{
    static uint8_t composite[SIEVE];
    memset(composite, 0, sizeof composite);
    uint32_t count = 0;
    for (uint32_t i = 2 + start % 5; i < SIEVE; i++) {
        if (composite[i]) {
            continue;
        }
        count++;
        for (uint32_t j = i * 2; j < SIEVE; j += i) {
            composite[j] = 1;
        }
    }
    return count;
}

static NOINLINE void big_multiply(uint32_t *digits, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < DIGITS; i++) {
        carry += (uint64_t)digits[i] * factor;
        digits[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static NOINLINE uint32_t big_factorial(uint32_t n)
{
    uint32_t digits[DIGITS] = {1};
    for (uint32_t i = 2; i <= n; i++) {
        big_multiply(digits, i);
    }
    uint32_t sum = 0;
    for (int i = 0; i < DIGITS; i++) {
        sum += digits[i];
    }
    return sum;
}

static NOINLINE void insertion_sort(uint16_t *a, int count)
{
    for (int i = 1; i < count; i++) {
        uint16_t value = a[i];
        int j = i;
        for (; j > 0 && a[j - 1] > value; j--) {
            a[j] = a[j - 1];
        }
        a[j] = value;
    }
}

static NOINLINE int binary_search(const uint16_t *a, int count, uint16_t key)
{
    int low = 0;
    int high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static NOINLINE uint32_t search_round(void)
{
    uint16_t keys[KEYS];
    uint32_t sum = 0;
    for (int i = 0; i < KEYS; i++) {
        keys[i] = (uint16_t)random_next(&seed);
    }
    insertion_sort(keys, KEYS);
    for (int i = 0; i < KEYS; i++) {
        sum += (uint32_t)binary_search(keys, KEYS, (uint16_t)random_next(&seed));
    }
    return sum;
}

static NOINLINE uint32_t text_round(uint64_t value, unsigned base)
{
    char text[68];
    size_t length = to_text(value, text, base);
    uint32_t check = crc((const uint8_t *)text, length) ^ adler((const uint8_t *)text, length);
    return check + (uint32_t)from_text(text, base);
}

static NOINLINE uint32_t mix_round(uint32_t x)
{
    for (unsigned i = 0; i < 40; i++) {
        x = mixes[(x >> 7) % 12](x, (uint32_t)random_next(&seed));
    }
    return x;
}

int main(void)
{
    for (uint32_t round = 0;; round++) {
        uint64_t r = random_next(&seed);
        results[0] += gcd((uint32_t)r | 1, (uint32_t)(r >> 32));
        results[1] += collatz((r >> 40) + 1);
        results[2] += is_probable_prime((uint32_t)r >> 8 | 1);
        results[3] ^= text_round(r, 2 + round % 35);
        results[4] += sieve((uint32_t)r);
        results[5] += big_factorial(10 + r % 20);
        results[6] += search_round();
        results[7] ^= mix_round((uint32_t)r);
    }
}
