// Expressions as users type them: addresses, conditions for finding points of a trace, and values.
//
// A text is compiled once (expression_parse.c) into a program for a stack of numbers, with all
// names looked up and all types of C resolved to loads, offsets and factors, and evaluated at as
// many points as are asked for (expression.c). From high to low, all left associative:
//
//     NUMBER  NAME  reg::NAME  sym::NAME  ( ... )     a number is decimal or 0x hexadecimal
//     unary + and -
//     *
//     + -
//     << >>                                          64 and more shift everything out
//
// All arithmetic is of 64 bits, and wraps. A bare name is a register, or a symbol if no register
// has it. Names may begin with a dot and contain . @ #, as in the symbols counter.0 and
// init@0x8000. That is all under the tarmac-* names. If the names accept conditions, there are
// also, as in C and with its precedence:
//
//     ->  .  [ ]                                     u8(ADDR) u16 u32 u64 s8 s16 s32 s64: memory
//     !  ~  *  &  (TYPE)  sizeof()                   i8(E) i16 i32 i64: the low bits, with their
//     /  %                                           sign
//     < <= > >=  E in SYMBOL                         FILE::NAME: a static variable of a file
//     ==  !=  &  ^  |  &&  ||                        FUNCTION::NAME: a variable of a function
//
// `E in SYMBOL` holds for addresses from that of the symbol to its end: pc in memcpy. If the names
// accept events, a condition can also say what happened in one (query/find.h):
//
//     changed(E)                     E is known, and was another value before the event
//     written(REGISTER)              the event wrote it, even the same value;
//     written(u32(ADDR))             memory likewise,
//     written(jobs[2])               or any part of an object
//
// A comparison is signed if either side is signed: memory, bits or a variable with a sign, or a
// unary minus. A result is unknown if it depends on something unknown, or on a division by zero: 0
// && x is 0, and 1 || x is 1.
//
// The bare name of a variable means two things. As a value it is the variable's, as in C (of arrays
// and functions, and without DWARF, the address). Where an address is expected (WHAT, u32(ADDR),
// pc:ADDR) it is its address, counted in bytes, because that needs no DWARF and is what `table+8`
// has always been; what is made of it by -> . [ ] * and & is C in both.
#ifndef TRAWL_QUERY_EXPRESSION_H
#define TRAWL_QUERY_EXPRESSION_H

#include "base/error.h"
#include "base/limits.h"
#include "dwarf/c_names.h"
#include "idx/trawl.h"

struct expression_symbol {
    uint64_t address;
    uint64_t size_bytes; // 0: unknown
    bool is_code;        // known to be no variable
};

// Looks up names while an expression is parsed. A function that is NULL knows none.
struct expression_names {
    void *self;
    // Finds the register `name` (not NUL-terminated). False: there is none.
    bool (*find_register)(void *self, const char *name, size_t length,
                          struct trawl_register *found);
    // Finds the symbol `name` (not NUL-terminated). False: there is none.
    bool (*find_symbol)(void *self, const char *name, size_t length,
                        struct expression_symbol *symbol);
    bool takes_conditions;
    bool takes_events;
    bool takes_values; // a bare name of a variable is its value; otherwise its address
    bool takes_places; // the whole may be an object, which is its address: `is_place`
    // Types and variables of C. NULL: only its own types.
    struct image_lines *types;
    unsigned address_bytes;
    // The code whose variables are known by their bare names: the function at a PC or, with
    // `is_point`, the blocks there. Otherwise, in a condition, that of `pc in FUNCTION`.
    struct c_scope scope;
    // The register that alone has a variable of the function at the point. NULL: none is asked for.
    bool (*find_local)(void *self, const char *name, size_t length, struct trawl_register *found);
};

// Reads registers at a point of a trace while an expression is evaluated.
struct expression_registers {
    void *self;
    // The value of a register of at most 8 bytes. False: unknown.
    bool (*read)(void *self, const struct trawl_register *which, uint64_t *value);
    // The number in up to 8 bytes of memory. False: unknown. NULL: all memory is unknown.
    bool (*read_memory)(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value);
    // A variable of the function that runs at the point (dwarf/c_names.h), or its address. NULL:
    // all are unknown.
    bool (*read_local)(void *self, const struct c_local *local, const char *name, size_t length,
                       uint64_t *value);
    // A number that differs if any of `size_bytes` bytes does. NULL: unknown. Without `value`, only
    // notes that this memory is asked about.
    bool (*read_object)(void *self, uint64_t address, uint64_t size_bytes, uint64_t *value);
    // Of events: what operands of changed() were when the expression was evaluated last, all zero
    // at first; and whether the event wrote a register (otherwise NULL), or else memory.
    struct expression_operand *before; // LIMIT_EXPRESSION_TERMS
    bool (*was_written)(void *self, const struct trawl_register *which, uint64_t address,
                        uint64_t size_bytes);
};

// A number, on the stack of an evaluation.
struct expression_operand {
    uint64_t value;
    bool is_known;
};

enum expression_op {
    EXPRESSION_NUMBER,
    EXPRESSION_REGISTER,
    EXPRESSION_SYMBOL,
    EXPRESSION_LOCAL,
    EXPRESSION_NEGATE,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_REST,
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
    EXPRESSION_IN,     // its symbol
    EXPRESSION_OBJECT, // at an address, of term.number bytes, of which the value does not matter
    EXPRESSION_DIGEST, // the same, of which it does
    EXPRESSION_CHANGED,
    EXPRESSION_WRITTEN, // the register, or the memory, of the term before it
    EXPRESSION_MEMORY,  // + 0 to 3: unsigned, of 1 << n bytes; + 4 to 7: signed
    EXPRESSION_SIGNED = EXPRESSION_MEMORY + 8, // + n: the low 1 << n bytes
    EXPRESSION_END = EXPRESSION_SIGNED + 4,
    // Only while a text is parsed:
    EXPRESSION_DEREFERENCE = EXPRESSION_END,
    EXPRESSION_ADDRESS_OF,
    EXPRESSION_CAST,
    EXPRESSION_SIZE_OF,
};

struct expression_term {
    enum expression_op op;
    bool is_signed;                    // whether a comparison is signed
    uint32_t name_offset, name_length; // of a register, in the text
    union {
        uint64_t number;
        struct trawl_register which;
        struct expression_symbol symbol;
        struct c_local local;
    };
};

// A program for a stack: operands before their operator. Fields are for reading.
struct expression {
    const char *text; // borrowed
    size_t count;
    bool has_registers; // without registers and memory, it has the same value everywhere
    bool has_memory;
    bool has_events;      // changed() or written()
    bool has_changes;     // changed()
    bool has_locals;      // variables of functions
    bool is_place;        // it is the address of an object,
    uint64_t place_bytes; // of this size; 0: unknown
    bool is_text;         // it is the address of characters
    struct expression_term terms[LIMIT_EXPRESSION_TERMS];
};

// Parses `length` bytes of `text`, which must outlive the expression. On failure `err` has the
// offset of the fault in the text.
enum status expression_parse(struct expression *expression, const char *text, size_t length,
                             const struct expression_names *names, struct error *err);

// The value with the registers of one point. `registers` may be NULL for an expression without
// registers and memory. Fails, naming the register, if its value is unknown (STATUS_NOT_FOUND) or
// has more than 64 bits (STATUS_INPUT).
enum status expression_evaluate(const struct expression *expression,
                                const struct expression_registers *registers, uint64_t *value,
                                struct error *err);

enum expression_counted { EXPRESSION_COUNTED, EXPRESSION_BELOW_ZERO, EXPRESSION_TOO_LARGE };

// The value of an expression that has only numbers, as a count: unlike addresses, it does not wrap.
enum expression_counted expression_count(const struct expression *expression, uint64_t *value);

// The term with which the operand that ends with term `last` begins.
size_t expression_operand(const struct expression *expression, size_t last);

// Whether it is the pc of a trace in which that is not a register with bytes, but where the
// instruction is.
static inline bool expression_is_pc(const struct trawl_register *which)
{
    return !which->size_bytes && which->flags & TRAWL_REGISTER_PC;
}

// Whether an operator has one operand.
bool expression_is_unary(enum expression_op op);

// The register or symbol that is the whole expression apart from parentheses, otherwise NULL.
const struct trawl_register *expression_as_register(const struct expression *expression);
const struct expression_symbol *expression_as_symbol(const struct expression *expression);

#endif
