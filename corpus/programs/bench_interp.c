// Benchmark program: an interpreter of 512 operations, each a function of its own made by a macro,
// with more than 5,000 distinct instruction addresses in all. It runs random programs, a new one
// each time, until it is stopped.
#include "lib.h"

enum { OPERATIONS = 512, CODE = 256, REGISTERS = 16, MEMORY = 1024 };

typedef struct {
    uint64_t registers[REGISTERS];
    uint32_t memory[MEMORY];
    uint32_t position;
    uint32_t flags;
} machine_t;

typedef struct {
    uint16_t operation;
    uint8_t a, b, c;
    uint8_t constant;
} code_t;

typedef void (*handler_t)(machine_t *m, const code_t *code);

static machine_t machine;
static code_t program[CODE];
static uint64_t seed = 0xd1342543de82ef95;

#define A (m->registers[code->a % REGISTERS])
#define B (m->registers[code->b % REGISTERS])
#define C (m->registers[code->c % REGISTERS])

// Eight shapes of operation; the number goes into shifts and constants, so that no two are alike.
#define OP_0(n)                                                                                    \
    A = (B + C * ((n) | 1)) ^ (B >> ((n) % 31 + 1));                                               \
    m->flags = A == 0;
#define OP_1(n)                                                                                    \
    m->memory[(A + (n)) % MEMORY] = (uint32_t)(B + (n));                                           \
    m->flags ^= (uint32_t)C & (n);
#define OP_2(n)                                                                                    \
    A = m->memory[(B ^ (n)) % MEMORY] + (C << ((n) % 13));                                         \
    m->flags += A & 1;
#define OP_3(n)                                                                                    \
    if ((B & 0xff) < (n) % 256) {                                                                  \
        m->position += 1 + (n) % 3;                                                                \
        A++;                                                                                       \
    } else {                                                                                       \
        A = C;                                                                                     \
    }
#define OP_4(n)                                                                                    \
    {                                                                                              \
        uint64_t t = B;                                                                            \
        for (unsigned i = 0; i < 1 + (n) % 3; i++) {                                               \
            t = t * 0x5851f42d4c957f2d + (n);                                                      \
        }                                                                                          \
        A = t >> 7;                                                                                \
        m->flags |= (uint32_t)t;                                                                   \
    }
#define OP_5(n)                                                                                    \
    {                                                                                              \
        uint32_t *p = &m->memory[(C * 4 + (n)) % (MEMORY - 4)];                                    \
        p[0] += (uint32_t)A;                                                                       \
        p[1] ^= p[2];                                                                              \
        p[3] = (uint32_t)(n) + code->constant;                                                     \
    }
#define OP_6(n)                                                                                    \
    A = B > C ? B - C + (n) : C - B - (n);                                                         \
    B = (A << ((n) % 29 + 1)) | (A >> (64 - ((n) % 29 + 1)));
#define OP_7(n)                                                                                    \
    A = B / ((C & 0xffff) + (n) + 1);                                                              \
    C = m->flags + code->constant * (uint64_t)(n);

#define HANDLER(n, shape)                                                                          \
    static void op_##n##_##shape(machine_t *m, const code_t *code)                                 \
    {                                                                                              \
        OP_##shape(0x##n##shape##u)                                                                \
    }
// clang-format finds no fixed form for these.
// clang-format off
#define HANDLERS8(n)                                                                               \
    HANDLER(n, 0) HANDLER(n, 1) HANDLER(n, 2) HANDLER(n, 3)                                        \
    HANDLER(n, 4) HANDLER(n, 5) HANDLER(n, 6) HANDLER(n, 7)
#define HANDLERS128(n)                                                                             \
    HANDLERS8(n##0) HANDLERS8(n##1) HANDLERS8(n##2) HANDLERS8(n##3)                                \
    HANDLERS8(n##4) HANDLERS8(n##5) HANDLERS8(n##6) HANDLERS8(n##7)                                \
    HANDLERS8(n##8) HANDLERS8(n##9) HANDLERS8(n##a) HANDLERS8(n##b)                                \
    HANDLERS8(n##c) HANDLERS8(n##d) HANDLERS8(n##e) HANDLERS8(n##f)
// clang-format on

#define NAMES8(n)                                                                                  \
    op_##n##_0, op_##n##_1, op_##n##_2, op_##n##_3, op_##n##_4, op_##n##_5, op_##n##_6, op_##n##_7
#define NAMES128(n)                                                                                \
    NAMES8(n##0), NAMES8(n##1), NAMES8(n##2), NAMES8(n##3), NAMES8(n##4), NAMES8(n##5),            \
        NAMES8(n##6), NAMES8(n##7), NAMES8(n##8), NAMES8(n##9), NAMES8(n##a), NAMES8(n##b),        \
        NAMES8(n##c), NAMES8(n##d), NAMES8(n##e), NAMES8(n##f)

HANDLERS128(1)
HANDLERS128(2)
HANDLERS128(5)
HANDLERS128(7)

static const handler_t handlers[OPERATIONS] = {NAMES128(1), NAMES128(2), NAMES128(5), NAMES128(7)};

static NOINLINE void generate(void)
{
    for (unsigned i = 0; i < CODE; i++) {
        uint64_t r = random_next(&seed);
        program[i] = (code_t){
            .operation = (uint16_t)(r % OPERATIONS),
            .a = (uint8_t)(r >> 10),
            .b = (uint8_t)(r >> 18),
            .c = (uint8_t)(r >> 26),
            .constant = (uint8_t)(r >> 34),
        };
    }
}

static NOINLINE void interpret(machine_t *m, unsigned steps)
{
    for (; steps != 0; steps--) {
        const code_t *code = &program[m->position++ % CODE];
        handlers[code->operation](m, code);
    }
}

int main(void)
{
    for (unsigned i = 0; i < REGISTERS; i++) {
        machine.registers[i] = random_next(&seed);
    }
    for (;;) {
        generate();
        interpret(&machine, 4 * CODE);
    }
}
