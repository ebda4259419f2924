// Tables of the SFrame format, versions 1, 2 and 3: header, functions, rows, and the words of rows.
//
// A table is read in place. It is not trusted: every offset and count is checked against the end of
// its part before it is used, and a fault affects only its function.
#ifndef TRAWL_ELF_SFRAME_H
#define TRAWL_ELF_SFRAME_H

#include "base/error.h"

#define SFRAME_HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

enum {
    SFRAME_MAGIC = 0xdee2,
    SFRAME_HEADER_BYTES = 28,
    SFRAME_ATTRIBUTE_BYTES = 5, // of version 3, in front of a function's rows

    // Flags of a table.
    SFRAME_SORTED = 1,
    SFRAME_FRAME_POINTER = 2, // versions 1 and 2
    SFRAME_PC_RELATIVE = 4,   // starts are relative to their own field

    // The longest row: a start, the info byte and 15 words.
    SFRAME_ROW_BYTES_MAX = 4 + 1 + 15 * 4,
    // Bytes readable after any table, so that a row can be read before its length is known.
    SFRAME_PADDING_BYTES = 128,
    // The size of the blocks of a PLT, which version 1 does not store.
    SFRAME_V1_REPEAT_BYTES = 16,
};

enum sframe_abi {
    SFRAME_AARCH64_BIG = 1,
    SFRAME_AARCH64_LITTLE = 2,
    SFRAME_AMD64 = 3,
    SFRAME_S390X = 4,
};

// A number of 1, 2, 4 or 8 bytes in a table; fast if the size is a constant.
static ALWAYS_INLINE uint64_t sframe_load(const uint8_t *bytes, size_t size_bytes,
                                          bool is_big_endian)
{
    uint64_t value = 0;
    memcpy((uint8_t *)&value + (SFRAME_HOST_IS_BIG ? 8 - size_bytes : 0), bytes, size_bytes);
    return is_big_endian == SFRAME_HOST_IS_BIG ? value
                                               : __builtin_bswap64(value) >> (64 - 8 * size_bytes);
}

struct sframe_table {
    const uint8_t *bytes; // of the section, SFRAME_PADDING_BYTES more of them readable
    uint64_t offset;      // of the table in it: a linker may have put several one after the other
    uint64_t address;     // of the table when it is loaded
    uint64_t functions, rows, end; // offsets in the section: both parts, and what follows
    uint32_t function_count, row_count, row_bytes;
    uint64_t first_function; // number of functions in the tables before it in the section
    uint8_t version, flags, abi, auxiliary_bytes;
    int8_t fixed_fp, fixed_ra; // from the CFA; 0: in each row
    bool is_big_endian;
    // Starts are relative to their field although the flag is clear: in objects, and in images from
    // a linker that does not know the format.
    bool is_unlinked;
};

struct sframe_function {
    uint64_t address;
    uint32_t size_bytes;
    uint32_t row_count;
    uint64_t offset;      // of its entry in the section
    uint64_t rows;        // offset of its first row
    uint8_t row_shift;    // row starts have 1 << row_shift bytes
    uint8_t repeat_bytes; // of a block, if its rows are a pattern; otherwise 0
    bool is_signal, is_flexible, has_key_b;
};

struct sframe_row {
    uint64_t offset; // in the section
    uint64_t words;  // offset of the first
    uint32_t start;  // from the function's, or from the block's
    uint8_t info;
    uint8_t word_count, word_shift;
};

// Reads the header of the table at `offset` of a section that is loaded at `address`. The table
// need not fill the rest of the section.
enum status sframe_table_read(struct sframe_table *table, const uint8_t *bytes, uint64_t size_bytes,
                              uint64_t offset, uint64_t address, struct error *err);

// The size of an entry of the function index, and the place of entry `index` in the section.
unsigned sframe_entry_bytes(const struct sframe_table *table);
uint64_t sframe_entry_offset(const struct sframe_table *table, uint32_t index);

// The address meant by the start field of a function.
uint64_t sframe_start_address(const struct sframe_table *table, uint32_t index);

// Whether the functions of a table ascend from *end on without overlap. *end becomes their end.
bool sframe_functions_ascend(const struct sframe_table *table, uint64_t *end);

// Function `index` of the table; fails if the entry is invalid.
enum status sframe_function_read(const struct sframe_table *table, uint32_t index,
                                 struct sframe_function *function, struct error *err);

// The row at `offset` of the section; the next one begins at sframe_row_end of it.
enum status sframe_row_read(const struct sframe_table *table,
                            const struct sframe_function *function, uint64_t offset,
                            struct sframe_row *row, struct error *err);

// The start that a row begins with.
static ALWAYS_INLINE uint32_t sframe_row_start(const uint8_t *row, unsigned row_shift,
                                               bool is_big_endian)
{
    return (uint32_t)(row_shift == 0   ? sframe_load(row, 1, is_big_endian)
                      : row_shift == 1 ? sframe_load(row, 2, is_big_endian)
                                       : sframe_load(row, 4, is_big_endian));
}

static inline uint64_t sframe_row_end(const struct sframe_row *row)
{
    return row->words + ((uint64_t)row->word_count << row->word_shift);
}

// Fields of the info byte of a row.
static inline bool sframe_is_sp_based(uint8_t info)
{
    return info & 1;
}
static inline bool sframe_is_mangled(uint8_t info)
{
    return info & 0x80;
}

// Word `number` of a row as a signed number, and without its sign.
int64_t sframe_word(const struct sframe_table *table, const struct sframe_row *row,
                    unsigned number);
uint32_t sframe_word_unsigned(const struct sframe_table *table, const struct sframe_row *row,
                              unsigned number);

// The machine (EM_AARCH64, ...) of an ABI; EM_NONE if unwinding does not support it.
unsigned sframe_abi_machine(unsigned abi);

// "AMD64", ..., or NULL for one that does not exist.
const char *sframe_abi_name(unsigned abi);

#endif
