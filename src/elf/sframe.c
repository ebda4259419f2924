#include "elf/sframe.h"

#include <elf.h>
#include <inttypes.h>

static ALWAYS_INLINE uint64_t load(const struct sframe_table *table, uint64_t offset,
                                   size_t size_bytes)
{
    return sframe_load(table->bytes + offset, size_bytes, table->is_big_endian);
}

const char *sframe_abi_name(unsigned abi)
{
    static const char *const names[] = {
        [SFRAME_AARCH64_BIG] = "AArch64 big-endian",
        [SFRAME_AARCH64_LITTLE] = "AArch64",
        [SFRAME_AMD64] = "AMD64",
        [SFRAME_S390X] = "s390x",
    };
    return abi < ARRAY_COUNT(names) ? names[abi] : NULL;
}

unsigned sframe_abi_machine(unsigned abi)
{
    switch (abi) {
    case SFRAME_AARCH64_BIG:
    case SFRAME_AARCH64_LITTLE:
        return EM_AARCH64;
    case SFRAME_AMD64:
        return EM_X86_64;
    default:
        return EM_NONE;
    }
}

// --- Tables --------------------------------------------------------------------------------------

// Reads the fixed part of the header, before it is checked.
static void load_header(struct sframe_table *table, uint64_t at)
{
    const uint8_t *bytes = table->bytes + at;
    table->version = bytes[2];
    table->flags = bytes[3];
    table->abi = bytes[4];
    table->fixed_fp = (int8_t)bytes[5];
    table->fixed_ra = (int8_t)bytes[6];
    table->auxiliary_bytes = bytes[7];
    table->function_count = (uint32_t)load(table, at + 8, 4);
    table->row_count = (uint32_t)load(table, at + 12, 4);
    table->row_bytes = (uint32_t)load(table, at + 16, 4);
    uint64_t header_end = at + SFRAME_HEADER_BYTES + table->auxiliary_bytes;
    table->functions = header_end + load(table, at + 20, 4);
    table->rows = header_end + load(table, at + 24, 4);
    table->end = table->rows + table->row_bytes;
}

static enum status check_header(const struct sframe_table *table, uint64_t size_bytes,
                                struct error *err)
{
    uint64_t at = table->offset;
    bool is_big_abi = table->abi == SFRAME_AARCH64_BIG || table->abi == SFRAME_S390X;
    if (table->version < 1 || table->version > 3)
        return error_set_at(err, STATUS_INPUT, at + 2, "SFrame version %u, known are 1 to 3",
                            table->version);
    if (!sframe_abi_name(table->abi))
        return error_set_at(err, STATUS_INPUT, at + 4, "unknown ABI %u", table->abi);
    if (is_big_abi != table->is_big_endian)
        return error_set_at(err, STATUS_INPUT, at + 4, "a table of %s in %s-endian order",
                            sframe_abi_name(table->abi), table->is_big_endian ? "big" : "little");
    if (at + SFRAME_HEADER_BYTES + table->auxiliary_bytes > size_bytes)
        return error_set_at(err, STATUS_INPUT, at + 7,
                            "auxiliary header of %u bytes passes the end of the section",
                            table->auxiliary_bytes);
    uint64_t index_bytes = (uint64_t)table->function_count * sframe_entry_bytes(table);
    if (table->functions > size_bytes || index_bytes > size_bytes - table->functions)
        return error_set_at(err, STATUS_INPUT, at + 8,
                            "%" PRIu32 " functions at byte %" PRIu64 " pass the end of the section",
                            table->function_count, table->functions);
    if (table->end > size_bytes)
        return error_set_at(err, STATUS_INPUT, at + 16,
                            "rows of %" PRIu32 " bytes at byte %" PRIu64
                            " pass the end of the section",
                            table->row_bytes, table->rows);
    return STATUS_OK;
}

enum status sframe_table_read(struct sframe_table *table, const uint8_t *bytes, uint64_t size_bytes,
                              uint64_t offset, uint64_t address, struct error *err)
{
    *table = (struct sframe_table){.bytes = bytes, .offset = offset, .address = address + offset};
    if (size_bytes < offset || size_bytes - offset < SFRAME_HEADER_BYTES)
        return error_set_at(err, STATUS_INPUT, offset, "ends within the header of an SFrame table");
    uint64_t magic = load(table, offset, 2);
    table->is_big_endian = magic == (SFRAME_MAGIC >> 8 | (SFRAME_MAGIC & 0xff) << 8);
    if (magic != SFRAME_MAGIC && !table->is_big_endian)
        return error_set_at(err, STATUS_INPUT, offset, "no SFrame table: begins with 0x%04x",
                            (unsigned)magic);
    load_header(table, offset);
    return check_header(table, size_bytes, err);
}

// --- Functions -----------------------------------------------------------------------------------

unsigned sframe_entry_bytes(const struct sframe_table *table)
{
    static const uint8_t sizes[] = {0, 17, 20, 16};
    return sizes[table->version];
}

uint64_t sframe_entry_offset(const struct sframe_table *table, uint32_t index)
{
    return table->functions + (uint64_t)index * sframe_entry_bytes(table);
}

// Images have many functions: the code that reads them exists for each byte order.

static ALWAYS_INLINE uint64_t start_address(const struct sframe_table *table, uint32_t index,
                                            bool is_big_endian)
{
    bool from_field =
        table->is_unlinked || (table->version > 1 && table->flags & SFRAME_PC_RELATIVE);
    uint64_t offset = sframe_entry_offset(table, index);
    const uint8_t *entry = table->bytes + offset;
    int64_t start = table->version == 3 ? (int64_t)sframe_load(entry, 8, is_big_endian)
                                        : (int32_t)sframe_load(entry, 4, is_big_endian);
    return table->address + (from_field ? offset - table->offset : 0) + (uint64_t)start;
}

uint64_t sframe_start_address(const struct sframe_table *table, uint32_t index)
{
    return start_address(table, index, table->is_big_endian);
}

static ALWAYS_INLINE bool do_ascend(const struct sframe_table *table, uint64_t *end,
                                    bool is_big_endian)
{
    unsigned size_at = table->version == 3 ? 8 : 4;
    uint64_t last_end = *end;
    for (uint32_t i = 0; i < table->function_count; i++) {
        const uint8_t *entry = table->bytes + sframe_entry_offset(table, i);
        uint64_t start = start_address(table, i, is_big_endian);
        uint64_t next = start + sframe_load(entry + size_at, 4, is_big_endian);
        if (start < last_end || next < start)
            return false;
        last_end = next;
    }
    *end = last_end;
    return true;
}

bool sframe_functions_ascend(const struct sframe_table *table, uint64_t *end)
{
    return table->is_big_endian ? do_ascend(table, end, true) : do_ascend(table, end, false);
}

// Reads an entry of versions 1 and 2, where everything about a function is in the index.
static ALWAYS_INLINE void load_entry(const struct sframe_table *table,
                                     struct sframe_function *function, uint8_t *info,
                                     bool is_big_endian)
{
    const uint8_t *entry = table->bytes + function->offset;
    function->size_bytes = (uint32_t)sframe_load(entry + 4, 4, is_big_endian);
    function->rows = sframe_load(entry + 8, 4, is_big_endian);
    function->row_count = (uint32_t)sframe_load(entry + 12, 4, is_big_endian);
    *info = entry[16];
    function->repeat_bytes = table->version == 1 ? SFRAME_V1_REPEAT_BYTES : entry[17];
}

// Reads an entry of version 3, where most of it is in front of the rows.
static ALWAYS_INLINE enum status load_entry_v3(const struct sframe_table *table,
                                               struct sframe_function *function, uint8_t *info,
                                               bool is_big_endian, struct error *err)
{
    const uint8_t *entry = table->bytes + function->offset;
    function->size_bytes = (uint32_t)sframe_load(entry + 8, 4, is_big_endian);
    uint64_t at = sframe_load(entry + 12, 4, is_big_endian);
    if (at > table->row_bytes || table->row_bytes - at < SFRAME_ATTRIBUTE_BYTES)
        return error_set_at(err, STATUS_INPUT, function->offset + 12,
                            "attribute at byte %" PRIu64 " of %" PRIu32 " bytes of rows", at,
                            table->row_bytes);
    const uint8_t *attribute = table->bytes + table->rows + at;
    function->row_count = (uint32_t)sframe_load(attribute, 2, is_big_endian);
    *info = attribute[2];
    unsigned type = attribute[3] & 0x1f;
    if (type > 1)
        return error_set_at(err, STATUS_INPUT, table->rows + at + 3, "unknown type %u of function",
                            type);
    function->is_signal = *info & 0x80;
    function->is_flexible = type == 1;
    function->repeat_bytes = attribute[4];
    function->rows = at + SFRAME_ATTRIBUTE_BYTES;
    return STATUS_OK;
}

static ALWAYS_INLINE enum status read_function(const struct sframe_table *table, uint32_t index,
                                               struct sframe_function *function, bool is_big_endian,
                                               struct error *err)
{
    *function = (struct sframe_function){.offset = sframe_entry_offset(table, index)};
    uint8_t info;
    if (table->version == 3) {
        enum status status = load_entry_v3(table, function, &info, is_big_endian, err);
        if (status != STATUS_OK)
            return status;
    } else {
        load_entry(table, function, &info, is_big_endian);
    }
    bool is_mask = info & 0x10;
    function->address = start_address(table, index, is_big_endian);
    function->row_shift = info & 0xf;
    function->has_key_b = info & 0x20 && table->abi <= SFRAME_AARCH64_LITTLE;
    if (function->row_shift > 2)
        return error_set_at(err, STATUS_INPUT, function->offset, "unknown type %u of rows",
                            function->row_shift);
    if (is_mask && function->repeat_bytes == 0)
        return error_set_at(err, STATUS_INPUT, function->offset, "repeated blocks of 0 bytes");
    if (!is_mask)
        function->repeat_bytes = 0;
    if (function->rows > table->row_bytes)
        return error_set_at(err, STATUS_INPUT, function->offset,
                            "rows at byte %" PRIu64 " of %" PRIu32, function->rows,
                            table->row_bytes);
    if (function->address + function->size_bytes < function->address)
        return error_set_at(err, STATUS_INPUT, function->offset,
                            "%" PRIu32 " bytes from 0x%" PRIx64 " pass the end of memory",
                            function->size_bytes, function->address);
    function->rows += table->rows;
    return STATUS_OK;
}

enum status sframe_function_read(const struct sframe_table *table, uint32_t index,
                                 struct sframe_function *function, struct error *err)
{
    return table->is_big_endian ? read_function(table, index, function, true, err)
                                : read_function(table, index, function, false, err);
}

// --- Rows ----------------------------------------------------------------------------------------

enum status sframe_row_read(const struct sframe_table *table,
                            const struct sframe_function *function, uint64_t offset,
                            struct sframe_row *row, struct error *err)
{
    unsigned start_bytes = 1u << function->row_shift;
    if (offset > table->end || table->end - offset < start_bytes + 1)
        return error_set_at(err, STATUS_INPUT, offset, "the last row passes the end of the rows");
    uint8_t info = table->bytes[offset + start_bytes];
    *row = (struct sframe_row){
        .offset = offset,
        .words = offset + start_bytes + 1,
        .start = sframe_row_start(table->bytes + offset, function->row_shift, table->is_big_endian),
        .info = info,
        .word_count = info >> 1 & 0xf,
        .word_shift = info >> 5 & 3,
    };
    if (row->word_shift > 2)
        return error_set_at(err, STATUS_INPUT, offset + start_bytes, "unknown size of words");
    if (sframe_row_end(row) > table->end)
        return error_set_at(err, STATUS_INPUT, offset, "%u words pass the end of the rows",
                            row->word_count);
    return STATUS_OK;
}

uint32_t sframe_word_unsigned(const struct sframe_table *table, const struct sframe_row *row,
                              unsigned number)
{
    uint64_t at = row->words + ((uint64_t)number << row->word_shift);
    return (uint32_t)(row->word_shift == 0   ? load(table, at, 1)
                      : row->word_shift == 1 ? load(table, at, 2)
                                             : load(table, at, 4));
}

int64_t sframe_word(const struct sframe_table *table, const struct sframe_row *row, unsigned number)
{
    unsigned shift = 64 - (8u << row->word_shift);
    return (int64_t)((uint64_t)sframe_word_unsigned(table, row, number) << shift) >> shift;
}
