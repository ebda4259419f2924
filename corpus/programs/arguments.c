// One function for each way in which arguments are passed and results returned. Compiled without
// optimization, so that only the rules for calls say where an argument is when a function is
// entered. tests/truth/test_call_values.py has the values again.
#include "lib.h"

enum color { RED, GREEN, BLUE = 7 };

struct small {
    int16_t a;
    uint8_t b;
};

struct pair {
    uint32_t low;
    int64_t high;
};

struct large {
    uint64_t words[4];
};

struct point {
    float x, y;
};

struct box {
    struct point from, to;
};

struct mixed {
    float weight;
    int32_t count;
};

struct node {
    struct node *next;
    char tag[4];
};

static struct node last = {0, "end"}, first = {&last, "one"};

int add(int a, int b)
{
    return a + b;
}

uint64_t wide(uint32_t a, uint64_t b, uint8_t c)
{
    return b - a - c;
}

int64_t many(int a, int b, int c, int d, int e, int64_t f, int g, int16_t h, uint8_t i, int64_t j)
{
    return a + b + c + d + e + f + g + h + i + j;
}

float half(float value)
{
    return value / 2;
}

double blend(float a, double b, int n, float c, double d)
{
    return a + b * n + c + d;
}

struct small make_small(struct small from, int step)
{
    from.a = (int16_t)(from.a + step);
    from.b++;
    return from;
}

struct pair make_pair(uint8_t before, struct pair from)
{
    from.low += before;
    from.high = -from.high;
    return from;
}

struct large make_large(struct large from, uint64_t add_to)
{
    from.words[1] += add_to;
    return from;
}

struct point middle(struct box box)
{
    return (struct point){(box.from.x + box.to.x) / 2, (box.from.y + box.to.y) / 2};
}

struct mixed weigh(struct mixed from, float by)
{
    return (struct mixed){from.weight * by, from.count + 1};
}

enum color next_color(enum color from, bool wraps)
{
    return from == RED ? GREEN : from == GREEN ? BLUE : wraps ? RED : BLUE;
}

struct node *follow(struct node *from, const char *why)
{
    return why ? from->next : from;
}

bool is_even(unsigned char value)
{
    return value % 2 == 0;
}

void nothing(void) {}

double crowd(double a, double b, double c, double d, float e, double f, double g, double h,
             double i, float j)
{
    return a + b + c + d + e + f + g + h + i + j;
}

int main(void)
{
    volatile int sum = add(3, -5);
    sum += (int)wide(7, 0x123456789abcdef0, 200);
    sum += (int)many(1, -2, 3, -4, 5, 0x600000006, -7, -8, 9, -10);
    sum += (int)half(2.5f);
    sum += (int)blend(1.5f, 0.25, -3, 2.5f, 1000);
    sum += make_small((struct small){-300, 254}, 7).a;
    sum += (int)make_pair(9, (struct pair){0xfffffff0, -0x1122334455}).low;
    sum += (int)make_large((struct large){{1, 2, 3, 4}}, 40).words[1];
    sum += (int)middle((struct box){{0, 1}, {3, -4}}).x;
    sum += weigh((struct mixed){0.5f, 41}, 3).count;
    sum += next_color(GREEN, true);
    sum += follow(&first, "tag")->tag[0];
    sum += is_even(201);
    nothing();
    sum += (int)crowd(1, 2, 3, 4, 5.5f, 6, 7, 8, 9, 10.5f);
    print_number("sum ", (uint32_t)sum);
    return 0;
}
