#include "cmd/tfile/commands.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORD_BYTES = 8, GROUP_BYTES_MAX = LIMIT_VALUE_BYTES };

void tfile_value_hex(const struct tfile *file, const uint8_t *registers, uint32_t number,
                     char text[VALUE_TEXT_MAX])
{
    const struct tfile_register *item = &file->registers.items.items[number];
    uint8_t values[GROUP_BYTES_MAX], known[GROUP_BYTES_MAX];
    size_t count = (size_t)u64_min(item->size_bytes, sizeof values);
    if (item->size_bytes <= WORD_BYTES) {
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, tfile_register_value(file, registers, number));
        return;
    }
    memset(known, 1, count);
    for (size_t i = 0; i < count; i++)
        values[i] = registers[item->offset + (file->is_big_endian ? count - 1 - i : i)];
    value_number(text, values, known, count);
}

int64_t tfile_value_signed(uint64_t value, uint32_t size_bytes)
{
    unsigned unused_bits = 64 - 8 * size_bytes;
    return (int64_t)(value << unused_bits) >> unused_bits;
}

double tfile_value_float(uint64_t value, uint32_t size_bytes)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)value;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    return size_bytes == sizeof narrow ? (double)narrow : wide;
}

void tfile_value_natural(const struct tfile *file, const uint8_t *registers, uint32_t number,
                         char text[VALUE_TEXT_MAX])
{
    const struct tfile_register *item = &file->registers.items.items[number];
    uint64_t value = tfile_register_value(file, registers, number);
    text[0] = 0;
    if (item->size_bytes > WORD_BYTES)
        return;
    if (item->type == TFILE_INTEGER)
        snprintf(text, VALUE_TEXT_MAX, "%" PRId64, tfile_value_signed(value, item->size_bytes));
    else if (item->type == TFILE_CODE || item->type == TFILE_DATA)
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, value);
    else if (item->type == TFILE_FLOAT && item->size_bytes >= sizeof(float))
        snprintf(text, VALUE_TEXT_MAX, "%.17g", tfile_value_float(value, item->size_bytes));
}
