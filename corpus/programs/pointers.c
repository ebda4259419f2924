// Function pointers: objects with tables of methods, callbacks, a function that returns one, and
// a switch by jump table.
#include "lib.h"

typedef struct shape shape_t;

typedef struct {
    uint32_t (*area)(const shape_t *s);
    void (*grow)(shape_t *s, uint32_t by);
    const char *name;
} methods_t;

struct shape {
    const methods_t *methods;
    uint32_t a, b;
};

static uint32_t square_area(const shape_t *s)
{
    return s->a * s->a;
}

static uint32_t rectangle_area(const shape_t *s)
{
    return s->a * s->b;
}

static uint32_t triangle_area(const shape_t *s)
{
    return rectangle_area(s) / 2;
}

static void grow_one(shape_t *s, uint32_t by)
{
    s->a += by;
}

static void grow_both(shape_t *s, uint32_t by)
{
    grow_one(s, by);
    s->b += by;
}

static const methods_t square = {square_area, grow_one, "square"};
static const methods_t rectangle = {rectangle_area, grow_both, "rectangle"};
static const methods_t triangle = {triangle_area, grow_both, "triangle"};

static shape_t shapes[] = {{&square, 3, 0}, {&rectangle, 4, 5}, {&triangle, 6, 7}, {&square, 8, 0}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static NOINLINE void for_each(void (*visit)(shape_t *s, uint32_t *total), uint32_t *total)
{
    for (unsigned i = 0; i < SHAPES; i++) {
        visit(&shapes[i], total);
    }
}

static void add_area(shape_t *s, uint32_t *total)
{
    *total += s->methods->area(s);
}

static void grow_by_total(shape_t *s, uint32_t *total)
{
    s->methods->grow(s, *total & 3);
}

typedef uint32_t (*operation_t)(uint32_t a, uint32_t b);

static uint32_t op_add(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t op_xor(uint32_t a, uint32_t b)
{
    return a ^ b;
}

static uint32_t op_shift(uint32_t a, uint32_t b)
{
    return a << (b & 7);
}

static NOINLINE operation_t pick(uint32_t which)
{
    static const operation_t operations[] = {op_add, op_xor, op_shift};
    return operations[which % 3];
}

static NOINLINE uint32_t dispatch(uint32_t code, volatile uint32_t *x)
{
    switch (code) {
    case 0:
        return *x += 1;
    case 1:
        return *x *= 3;
    case 2:
        return *x ^= 0xff;
    case 3:
        return *x >>= 1;
    case 4:
        return *x -= 7;
    case 5:
        return *x |= 0x10;
    case 6:
        return *x = ~*x;
    default:
        return *x;
    }
}

int main(void)
{
    uint32_t total = 0;
    volatile uint32_t x = 1;
    for (uint32_t round = 0; round < 6; round++) {
        for_each(add_area, &total);
        for_each(grow_by_total, &total);
        total = pick(round)(total, round);
        total += dispatch(round, &x);
    }
    print_number("total ", total);
    return 0;
}
