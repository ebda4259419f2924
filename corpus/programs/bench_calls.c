// Benchmark program: calls, deep and wide. Random expression trees, sixty-four small functions
// that call each other, queens on a board, tail calls, and long recursion. Runs until stopped.
#include "lib.h"

enum { ARENA = 4096, BOARD = 6 };

typedef struct expression expression_t;
typedef int64_t (*evaluate_t)(const expression_t *e);

struct expression {
    evaluate_t evaluate;
    const expression_t *left, *right;
    int64_t value;
};

static expression_t arena[ARENA];
static unsigned arena_used;
static uint64_t seed = 0xda942042e4dd58b5;
static volatile int64_t sink;

static NOINLINE int64_t evaluate(const expression_t *e)
{
    return e->evaluate(e);
}

static int64_t leaf(const expression_t *e)
{
    return e->value;
}

static int64_t add(const expression_t *e)
{
    return evaluate(e->left) + evaluate(e->right);
}

static int64_t subtract(const expression_t *e)
{
    return evaluate(e->left) - evaluate(e->right);
}

static int64_t multiply(const expression_t *e)
{
    return evaluate(e->left) * evaluate(e->right) % 1000003;
}

static int64_t choose(const expression_t *e)
{
    int64_t left = evaluate(e->left);
    return left > 0 ? left : evaluate(e->right);
}

static NOINLINE expression_t *grow(unsigned depth)
{
    static const evaluate_t operators[] = {add, subtract, multiply, choose};
    expression_t *e = &arena[arena_used++ % ARENA];
    uint64_t r = random_next(&seed);
    if (depth == 0 || r % 8 == 0) {
        e->evaluate = leaf;
        e->value = (int64_t)(r >> 50) - 4000;
        return e;
    }
    e->evaluate = operators[r >> 20 & 3];
    e->left = grow(depth - 1);
    e->right = grow(depth - 1);
    return e;
}

// A web: function i calls up to three others, chosen by the argument, until the budget is used.
static unsigned budget;
typedef uint32_t (*web_t)(uint32_t);
static const web_t web[64];

#define WEB(n)                                                                                     \
    static NOINLINE uint32_t web_##n(uint32_t x)                                                   \
    {                                                                                              \
        if (budget == 0) {                                                                         \
            return x ^ (n);                                                                        \
        }                                                                                          \
        budget--;                                                                                  \
        uint32_t y = web[(x + (n)*7) % 64](x * 5 + (n));                                           \
        if (y & (1u << ((n) % 9))) {                                                               \
            y += web[(y >> 8) % 64](y ^ x);                                                        \
        }                                                                                          \
        return y * 3 + web[(y ^ (n)) % 64](y >> 1);                                                \
    }
#define WEB8(m) WEB(m##0) WEB(m##1) WEB(m##2) WEB(m##3) WEB(m##4) WEB(m##5) WEB(m##6) WEB(m##7)
#define NAMES8(m)                                                                                  \
    web_##m##0, web_##m##1, web_##m##2, web_##m##3, web_##m##4, web_##m##5, web_##m##6, web_##m##7

WEB8(1)
WEB8(2)
WEB8(3)
WEB8(4)
WEB8(5)
WEB8(6)
WEB8(7)
WEB8(9)

static const web_t web[64] = {NAMES8(1), NAMES8(2), NAMES8(3), NAMES8(4),
                              NAMES8(5), NAMES8(6), NAMES8(7), NAMES8(9)};

static int columns[BOARD];

static NOINLINE bool is_safe(int row, int column)
{
    for (int i = 0; i < row; i++) {
        int distance = columns[i] - column;
        if (distance == 0 || distance == row - i || distance == i - row) {
            return false;
        }
    }
    return true;
}

static NOINLINE unsigned queens(int row, int first)
{
    if (row == BOARD) {
        return 1;
    }
    unsigned count = 0;
    for (int column = row == 0 ? first : 0; column < BOARD; column++) {
        if (is_safe(row, column)) {
            columns[row] = column;
            count += queens(row + 1, first);
        }
    }
    return count;
}

static NOINLINE uint32_t sink_down(uint32_t depth, uint32_t x)
{
    if (depth == 0) {
        return x;
    }
    uint32_t below = sink_down(depth - 1, x * 1664525 + 1013904223);
    return below ^ x >> 3;
}

static NOINLINE uint32_t pass_on_c(uint32_t x)
{
    return x ^ 0x55;
}

static NOINLINE uint32_t pass_on_b(uint32_t x)
{
    budget += x & 1;
    return pass_on_c(x + 1); // a tail call
}

static NOINLINE uint32_t pass_on_a(uint32_t x)
{
    budget ^= x & 3;
    return pass_on_b(x * 3); // a tail call
}

int main(void)
{
    for (uint32_t round = 0;; round++) {
        arena_used = 0;
        sink += evaluate(grow(4 + round % 5));
        budget = 60 + random_next(&seed) % 60;
        sink ^= web[round % 64]((uint32_t)seed);
        sink += queens(0, (int)(round % BOARD));
        sink += sink_down(50 + random_next(&seed) % 200, round);
        sink += pass_on_a((uint32_t)seed);
    }
}
