// Values of every kind of type, at every kind of place, for what a debugger makes of a trace file.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum colour { RED, GREEN = 5, BLUE = -2 };
enum access { READ = 1, WRITE = 2, RUN = 4 };
typedef uint16_t small;
typedef int (*operation)(int, const char *);

struct point {
    int x, y;
};

struct packed {
    unsigned low : 3;
    int middle : 5;
    unsigned long long high : 40;
    enum colour colour : 4;
    bool is_set : 1;
};

union number {
    uint32_t bits;
    float single;
    unsigned char bytes[4];
};

struct node {
    struct node *next;
    const char *name;
    operation apply;
    struct point corners[2];
    union {
        long count;
        void *data;
    };
    struct {
        char tag;
        signed char level;
    } inner;
    union number number;
    small sizes[3];
    int rest[];
};

static int add(int left, const char *text)
{
    return left + *text;
}

struct point origin = {3, -4};
int table[3][4] = {{1, 2, 3, 4}, {5, 5, 5, 5}, {-1, 0, 1, 2}};
static int zeros[300], counter = 7;
void *used[] = {zeros, &counter};
int counted[250];
char word[16] = "trace", full[4] = {'a', 'b', 'c', 'd'}, quoted[] = "a\tb\"c\\d\033e\377f1\0001";
char padded[64] = "pad", many[260], lines[2][8] = {"one", "two"};
const char *const message = "a constant text";
bool yes = true, both[2] = {true, false};
unsigned char byte = 200, letters[3] = {65, 66, 67};
wchar_t wide = L'w', text_wide[4] = L"abc";
float ratio = 0.1f;
double halves[3] = {0.5, -2, 1e300};
long double third = 1.0L / 3;
double not_a_number, infinite;
enum colour colour = GREEN, odd = (enum colour)77;
enum access access_none, access_two = READ | RUN, access_odd = READ | 8;
struct packed fields = {5, -3, 0x123456789aULL, BLUE, true};
operation chosen = add, none;
int *into_table = &table[1][2], **indirect = &into_table;
void *anything = &origin;
int (*row)[4] = &table[1];
int (*operations[2])(int, const char *) = {add, 0};
struct node last = {0, "last", 0, {{1, 2}, {3, 4}}, {9}, {'t', -1}, {0x3f800000}, {1, 2, 3}};
struct node first = {&last, message,   add,          {{5, 6}, {5, 6}},
                     {-1},  {'\n', 5}, {0x41424344}, {7, 7, 7}};
struct node nodes[2];
__int128 wider = 5;
__thread int of_thread = 6;
volatile int sink;
double _Complex complex_one = 1.5 + 2.5i;

static inline __attribute__((always_inline)) int twice(int given)
{
    int doubled = given * 2;
    sink += doubled; // inlined
    return doubled;
}

__attribute__((noinline)) int marked(void)
{
    return sink++;
}

__attribute__((noinline)) int values(int number, const struct node *node, struct point by_value,
                                     double real, const char *text, ...)
{
    int local = number + 1, squares[5] = {0, 1, 4, 9, 16};
    char buffer[12] = "stack";
    struct point *at = &by_value;
    static int calls;
    calls++;
    {
        int local = 1000 + number; // hides the outer one
        struct point shadow = {local, number};
        sink = local + shadow.y; // nested
    }
    sink += twice(local);
    sink += marked() + squares[number % 5] + buffer[1] + at->x + (int)real + node->corners[0].x +
            text[0];
    return sink + local; // end
}

__attribute__((noinline)) unsigned long optimized(unsigned long start, unsigned steps)
{
    unsigned long sum = start;
    struct point pair = {(int)start, 2};
    for (unsigned step = 0; step < steps; step++) {
        sum = sum * 31 + step;
        sink += (int)sum; // loop
    }
    pair.y += (int)sum;
    return sum + (unsigned)pair.y;
}

__attribute__((noinline)) void finish(void)
{
    sink = -1;
}

int main(void)
{
    union {
        unsigned long long bits;
        double value;
    } not_a = {0x7ff8000000001234ULL}, endless = {0xfff0000000000000ULL};
    not_a_number = not_a.value;
    infinite = endless.value;
    for (int i = 0; i < 260; i++)
        many[i] = (char)('a' + i / 30);
    for (int i = 0; i < 250; i++)
        counted[i] = i;
    nodes[0] = first;
    nodes[1] = last;
    for (int i = 0; i < 3; i++) {
        values(i, i ? &first : &last, (struct point){i, -i}, i / 4.0, "given");
        optimized((unsigned long)i + 10, 2);
    }
    finish();
    return 0;
}
