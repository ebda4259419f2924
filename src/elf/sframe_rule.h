// The meaning of a row of an SFrame table for its ABI and kind of function: where CFA, return
// address and frame pointer of the caller are.
#ifndef TRAWL_ELF_SFRAME_RULE_H
#define TRAWL_ELF_SFRAME_RULE_H

#include "elf/sframe.h"

// Instead of a register number: the CFA of the rule itself.
#define SFRAME_CFA UINT32_MAX

enum sframe_location_kind {
    SFRAME_SAME,   // the caller's value is still in its register
    SFRAME_VALUE,  // base + offset
    SFRAME_MEMORY, // memory at base + offset
};

struct sframe_location {
    int64_t offset;
    uint32_t base; // a DWARF register number or SFRAME_CFA
    uint32_t kind;
};

enum sframe_rule_kind {
    SFRAME_MISS, // unknown code
    SFRAME_ROW,
    SFRAME_OUTERMOST,      // the return address is undefined: the stack ends here
    SFRAME_NO_ROWS,        // a function without rows
    SFRAME_NO_ROWS_SIGNAL, // likewise, and it is a signal frame
    SFRAME_PATTERN,        // of sframe_flat.h: rules repeat every few bytes
};

enum { SFRAME_MARK_SIGNAL = 1, SFRAME_MARK_MANGLED = 2, SFRAME_MARK_KEY_B = 4 };

struct sframe_rule {
    struct sframe_location cfa, ra, fp;
    uint32_t kind;
    uint32_t marks;   // only of SFRAME_ROW
    uint32_t pattern; // number of a SFRAME_PATTERN
    uint32_t padding; // 0
};

// The registers of an ABI.
struct sframe_registers {
    uint32_t sp, fp, ra, ra_column; // DWARF numbers; ra: where it is on entry, if in a register
    uint32_t count;                 // number of all registers
    int64_t sp_offset;              // the caller's SP from the CFA
};

// `abi` must be one of enum sframe_abi.
const struct sframe_registers *sframe_registers(unsigned abi);

// The rule of a function without rows.
struct sframe_rule sframe_rule_without_rows(const struct sframe_function *function);

// The rule of a row. Fails if its words are invalid.
enum status sframe_rule_resolve(const struct sframe_table *table,
                                const struct sframe_function *function,
                                const struct sframe_row *row, struct sframe_rule *rule,
                                struct error *err);

// "row", "miss", ...
const char *sframe_rule_kind_name(unsigned kind);

#define SFRAME_TEXT_MAX 64

// A place as text: "rsp+8", "[cfa-16]", "dw16", "same". A register with offset 0 is only the
// register's name, unless it `is_cfa`.
void sframe_location_text(char text[SFRAME_TEXT_MAX], unsigned abi,
                          const struct sframe_location *place, bool is_cfa);

// "signal mangled-ra bkey": those that are set.
void sframe_marks_text(char text[SFRAME_TEXT_MAX], unsigned marks);

#endif
