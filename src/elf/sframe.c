#include "elf/sframe.h"

#include <inttypes.h>

static ALWAYS_INLINE uint64_t load(const struct sframe_table *table, uint64_t offset,
                                   size_t size_bytes)
{
    return sframe_load(table->bytes + offset, size_bytes, table->is_big_endian);
}

static int64_t sign_extend(uint64_t value, unsigned size_bytes)
{
    unsigned shift = 64 - 8 * size_bytes;
    return (int64_t)(value << shift) >> shift;
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

// --- Tables --------------------------------------------------------------------------------------

// What stands in the fixed part of the header, before it is known to make sense.
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

int64_t sframe_start_field(const struct sframe_table *table, uint32_t index)
{
    uint64_t at = sframe_entry_offset(table, index);
    return table->version == 3 ? (int64_t)load(table, at, 8) : (int32_t)load(table, at, 4);
}

uint64_t sframe_start_address(const struct sframe_table *table, uint32_t index)
{
    bool from_field =
        table->is_unlinked || (table->version > 1 && table->flags & SFRAME_PC_RELATIVE);
    uint64_t field = from_field ? sframe_entry_offset(table, index) - table->offset : 0;
    return table->address + field + (uint64_t)sframe_start_field(table, index);
}

// The parts of versions 1 and 2, where all that there is about a function stands in the index.
static void load_entry(const struct sframe_table *table, struct sframe_function *function,
                       uint8_t *info)
{
    uint64_t at = function->offset;
    function->size_bytes = (uint32_t)load(table, at + 4, 4);
    function->rows = load(table, at + 8, 4);
    function->row_count = (uint32_t)load(table, at + 12, 4);
    *info = table->bytes[at + 16];
    function->repeat_bytes = table->version == 1 ? SFRAME_V1_REPEAT_BYTES : table->bytes[at + 17];
}

// Those of version 3: most of it stands in front of the rows.
static enum status load_entry_v3(const struct sframe_table *table, struct sframe_function *function,
                                 uint8_t *info, struct error *err)
{
    uint64_t at = function->offset;
    function->size_bytes = (uint32_t)load(table, at + 8, 4);
    uint64_t attribute = load(table, at + 12, 4);
    if (attribute > table->row_bytes || table->row_bytes - attribute < SFRAME_ATTRIBUTE_BYTES)
        return error_set_at(err, STATUS_INPUT, at + 12,
                            "attribute at byte %" PRIu64 " of %" PRIu32 " bytes of rows", attribute,
                            table->row_bytes);
    const uint8_t *bytes = table->bytes + table->rows + attribute;
    function->row_count = (uint32_t)load(table, table->rows + attribute, 2);
    *info = bytes[2];
    unsigned type = bytes[3] & 0x1f;
    if (type > 1)
        return error_set_at(err, STATUS_INPUT, table->rows + attribute + 3,
                            "unknown type %u of function", type);
    function->is_signal = *info & 0x80;
    function->is_flexible = type == 1;
    function->repeat_bytes = bytes[4];
    function->rows = attribute + SFRAME_ATTRIBUTE_BYTES;
    return STATUS_OK;
}

enum status sframe_function_read(const struct sframe_table *table, uint32_t index,
                                 struct sframe_function *function, struct error *err)
{
    *function = (struct sframe_function){.offset = sframe_entry_offset(table, index)};
    uint8_t info;
    if (table->version == 3) {
        enum status status = load_entry_v3(table, function, &info, err);
        if (status != STATUS_OK)
            return status;
    } else {
        load_entry(table, function, &info);
    }
    bool is_mask = info & 0x10;
    function->address = sframe_start_address(table, index);
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
    return sign_extend(sframe_word_unsigned(table, row, number), 1u << row->word_shift);
}
