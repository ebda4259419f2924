// Expressions over numbers, registers and symbols, as users write addresses; and conditions, as
// they look for points of a trace.
//
// All arithmetic is unsigned, of 64 bits, and wraps. From high to low, all left associative:
//
//     NUMBER  NAME  reg::NAME  sym::NAME  ( ... )     a number is decimal or 0x hexadecimal
//     unary + and -
//     *
//     + -
//     << >>                                          64 and more shift everything out
//
// Where the names take conditions, there are as well, as in C and with its precedence:
//
//     !  ~  unary                                    u8(ADDR) u16 u32 u64 s8 s16 s32 s64: memory
//     < <= > >=  == !=                               i8(E) i16 i32 i64: the low bits, with their
//     sign &  ^  |  &&  ||
//
// What is compared is signed where either side has memory or bits with a sign, or a unary minus.
// What is unknown makes all unknown that depends on it: 0 && x is 0, and 1 || x is 1.
//
// A bare name is a register, and a symbol if no register has it. Names go beyond the specification
// in that a dot may begin them and . @ # may follow, as in the symbols counter.0 and init@0x8000.
// A number of more than 64 bits is an error.
#ifndef TRAWL_ANALYSIS_EXPRESSION_H
#define TRAWL_ANALYSIS_EXPRESSION_H

#include "base/error.h"
#include "base/limits.h"
#include "idx/trawl.h"

struct expression_symbol {
    uint64_t address;
    uint64_t size_bytes; // 0 when it is unknown
};

// Who knows the names; asked while an expression is parsed. A function that is NULL knows none.
struct expression_names {
    void *self;
    // True with the register `name` (not NUL-terminated), or false.
    bool (*find_register)(void *self, const char *name, size_t length,
                          struct trawl_register *found);
    // True with the symbol `name` (not NUL-terminated), or false.
    bool (*find_symbol)(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol);
    bool takes_conditions;
};

// Who knows the registers at some point of a trace; asked while an expression is evaluated.
struct expression_registers {
    void *self;
    // The value of a register of at most 8 bytes; false when it is unknown.
    bool (*read)(void *self, const struct trawl_register *which, uint64_t *value);
    // The number in so many bytes of memory, 8 at most; false when it is unknown. NULL: none is.
    bool (*read_memory)(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value);
};

enum expression_op {
    EXPRESSION_NUMBER,
    EXPRESSION_REGISTER,
    EXPRESSION_SYMBOL,
    EXPRESSION_NEGATE,
    EXPRESSION_MULTIPLY,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_SHIFT_LEFT,
    EXPRESSION_SHIFT_RIGHT,
    // Of conditions:
    EXPRESSION_NOT,
    EXPRESSION_COMPLEMENT,
    EXPRESSION_AND,
    EXPRESSION_XOR,
    EXPRESSION_OR,
    EXPRESSION_EQUAL,
    EXPRESSION_UNEQUAL,
    EXPRESSION_LESS,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_BOTH,
    EXPRESSION_EITHER,
    EXPRESSION_MEMORY, // and so on: + 0 to 3 unsigned of 1 << n bytes, + 4 to 7 signed
    EXPRESSION_SIGNED = EXPRESSION_MEMORY + 8, // + n: the low 1 << n bytes
    EXPRESSION_END = EXPRESSION_SIGNED + 4,
};

struct expression_term {
    enum expression_op op;
    bool is_signed;                    // what is compared
    uint32_t name_offset, name_length; // of a register, in the text
    union {
        uint64_t number;
        struct trawl_register which;
        struct expression_symbol symbol;
    };
};

// A program for a stack: operands before their operator. Fields are for reading.
struct expression {
    const char *text; // borrowed
    size_t count;
    bool has_registers; // without, and without memory, it has the same value everywhere
    bool has_memory;
    struct expression_term terms[LIMIT_EXPRESSION_TERMS];
};

// Parses `length` bytes of `text`, which must outlive the expression. On failure `err` has the
// offset in the text where the fault is.
enum status expression_parse(struct expression *expression, const char *text, size_t length,
                             const struct expression_names *names, struct error *err);

// The value with the registers of one point. `registers` may be NULL for an expression without
// registers and memory. Fails, naming the register, when the value of one is unknown
// (STATUS_NOT_FOUND) or has more than 64 bits (STATUS_INPUT).
enum status expression_evaluate(const struct expression *expression,
                                const struct expression_registers *registers, uint64_t *value,
                                struct error *err);

enum expression_counted { EXPRESSION_COUNTED, EXPRESSION_BELOW_ZERO, EXPRESSION_TOO_LARGE };

// The value of an expression of numbers alone, as a count: it does not wrap round as addresses do.
enum expression_counted expression_count(const struct expression *expression, uint64_t *value);

// The register or symbol that is the whole expression (parentheses do not count), else NULL.
const struct trawl_register *expression_as_register(const struct expression *expression);
const struct expression_symbol *expression_as_symbol(const struct expression *expression);

#endif
