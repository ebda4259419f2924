// Tail calls: chains, a state machine of functions that only ever branch to each other, a tail
// call through a pointer, and one out of a function that was called deep down.
#include "lib.h"

#define TAIL __attribute__((musttail)) return

static volatile uint32_t trail;

static NOINLINE uint32_t last(uint32_t x)
{
    trail = trail * 3 + x;
    return trail;
}

static NOINLINE uint32_t third(uint32_t x)
{
    trail += 3;
    TAIL last(x * 2);
}

static NOINLINE uint32_t second(uint32_t x)
{
    trail += 2;
    TAIL third(x + 1);
}

static NOINLINE uint32_t first(uint32_t x)
{
    trail += 1;
    TAIL second(x ^ 5);
}

// Accepts texts of the form a*b+; the state is the function.
static NOINLINE uint32_t state_a(const char *text);

static NOINLINE uint32_t state_fail(const char *text)
{
    trail ^= (uint8_t)*text;
    return 0;
}

static NOINLINE uint32_t state_b(const char *text)
{
    if (*text == '\0') {
        return 1;
    }
    trail++;
    if (*text == 'b') {
        TAIL state_b(text + 1);
    }
    TAIL state_fail(text);
}

static NOINLINE uint32_t state_a(const char *text)
{
    trail++;
    if (*text == 'a') {
        TAIL state_a(text + 1);
    }
    if (*text == 'b') {
        TAIL state_b(text + 1);
    }
    TAIL state_fail(text);
}

typedef uint32_t (*function_t)(uint32_t);
static function_t volatile chosen;

static NOINLINE uint32_t through_pointer(uint32_t x)
{
    trail += 7;
    return chosen(x);
}

static NOINLINE uint32_t deep(uint32_t depth)
{
    if (depth == 0) {
        return through_pointer(depth + 9);
    }
    uint32_t below = deep(depth - 1);
    return below + first(depth);
}

int main(void)
{
    uint32_t sum = first(1);
    sum += state_a("aaabbb") + state_a("abab");
    chosen = last;
    sum += through_pointer(4);
    chosen = second;
    sum += deep(6);
    print_number("trail ", sum);
    return 0;
}
