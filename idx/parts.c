#include "idx/parts.h"

#include "idx/column.h"
#include "idx/varint.h"

#include <endian.h>

static bool read_table(struct parts *parts, const uint8_t **at, const uint8_t *end)
{
    uint64_t count, number, size_bytes;
    if (!varint_read(at, end, &count) || count > PARTS_MAX)
        return false;
    parts->count = (size_t)count;
    for (size_t i = 0; i < parts->count; i++) {
        if (!varint_read(at, end, &number) || !varint_read(at, end, &size_bytes) ||
            number > UINT32_MAX || (i && number <= parts->items[i - 1].number))
            return false;
        parts->items[i] = (struct part){(uint32_t)number, size_bytes, NULL};
    }
    return true;
}

static bool place_parts(struct parts *parts, const uint8_t *at, const uint8_t *end)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].size_bytes > (uint64_t)(end - at))
            return false;
        parts->items[i].bytes = at;
        at += parts->items[i].size_bytes;
    }
    return true;
}

enum status parts_open(struct parts *parts, enum simd simd, const uint8_t *bytes,
                       uint64_t available, struct error *err)
{
    const uint8_t *table = bytes + COLUMN_CHECK_BYTES, *at = table, *end = bytes + available;
    if (available < COLUMN_CHECK_BYTES || !read_table(parts, &at, end))
        return error_set(err, STATUS_DAMAGED, "damaged table of parts");
    if (!column_check_fits(bytes, table, (size_t)(at - table)) || !place_parts(parts, at, end))
        return error_set(err, STATUS_DAMAGED, "damaged table of parts");
    parts->simd = simd;
    const struct part *last = parts->count ? &parts->items[parts->count - 1] : NULL;
    parts->size_bytes = (uint64_t)((last ? last->bytes + last->size_bytes : at) - bytes);
    return STATUS_OK;
}

const struct part *parts_find(const struct parts *parts, uint32_t number)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->items[i].number == number)
            return &parts->items[i];
    }
    return NULL;
}

enum status parts_column(const struct parts *parts, uint32_t number, struct column *column,
                         struct error *err)
{
    const struct part *part = parts_find(parts, number);
    if (!part)
        return error_set(err, STATUS_DAMAGED, "part %u is missing", number);
    enum status status = column_open(column, parts->simd, part->bytes, part->size_bytes, err);
    if (status == STATUS_OK && column->size_bytes != part->size_bytes)
        return error_set(err, STATUS_DAMAGED, "part %u holds more than its column", number);
    return status;
}

enum status parts_text(const struct parts *parts, uint32_t number, const char **text,
                       size_t *size_bytes, struct error *err)
{
    const struct part *part = parts_find(parts, number);
    if (!part || part->size_bytes < COLUMN_CHECK_BYTES)
        return error_set(err, STATUS_DAMAGED, "part %u is missing", number);
    const uint8_t *checked = part->bytes + COLUMN_CHECK_BYTES;
    *text = (const char *)checked;
    *size_bytes = (size_t)part->size_bytes - COLUMN_CHECK_BYTES;
    if (!column_check_fits(part->bytes, checked, *size_bytes))
        return error_set(err, STATUS_DAMAGED, "part %u is damaged", number);
    return STATUS_OK;
}
