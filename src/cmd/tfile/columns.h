// What to show of every frame of a GDB trace file, one column for each.
//
//     REGISTER  $VARIABLE  VARIABLE  ADDR:TYPE  registers  all-registers
//
// A name is a register, and a variable of trace state if no register has it. ADDR is an expression
// (query/expression.h) of the registers of each frame and of symbols. TYPE is u8 to u64, i8 to
// i64, f32, f64, x8 to x64 (hexadecimal), or bytes[N].
#ifndef TRAWL_CMD_TFILE_COLUMNS_H
#define TRAWL_CMD_TFILE_COLUMNS_H

#include "base/limits.h"
#include "cmd/tfile/names.h"

enum tfile_series_kind {
    TFILE_SERIES_REGISTER,
    TFILE_SERIES_VARIABLE,
    TFILE_SERIES_MEMORY,
};

enum tfile_series_form {
    TFILE_SERIES_HEX,
    TFILE_SERIES_UNSIGNED,
    TFILE_SERIES_SIGNED,
    TFILE_SERIES_FLOAT,
    TFILE_SERIES_BYTES, // in their order
};

struct tfile_series {
    const char *name; // as typed, or the register's
    enum tfile_series_kind kind;
    enum tfile_series_form form;
    uint32_t size_bytes;
    uint32_t register_number;   // of TFILE_SERIES_REGISTER
    int32_t variable;           // of TFILE_SERIES_VARIABLE
    struct expression *address; // of TFILE_SERIES_MEMORY
};

// Frees them with tfile_series_free.
struct tfile_series_list {
    VEC(, struct tfile_series) items;
};

// Adds the columns for `text`, which must outlive the list. `err` has the offset of a fault in it.
enum status tfile_series_add(struct tfile_series_list *list, struct tfile_names *names,
                             const char *text, struct error *err);

void tfile_series_free(struct tfile_series_list *list);

// A value of up to 8 bytes as an unsigned number. False: not collected. `registers` are those of
// the frame; NULL: none.
bool tfile_series_value(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint64_t *value);

// The bytes of a larger register or of bytes[N], in the order of the block. False: not all were
// collected.
bool tfile_series_bytes(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint8_t bytes[LIMIT_SERIES_BYTES]);

#endif
