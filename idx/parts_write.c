#include "idx/column.h"
#include "idx/parts.h"
#include "idx/varint.h"

#include <endian.h>
#include <stdlib.h>

bool bytes_append(struct bytes *bytes, const void *data, size_t size_bytes)
{
    if (!VEC_ROOM(bytes, size_bytes))
        return false;
    if (size_bytes)
        memcpy(bytes->items + bytes->count, data, size_bytes);
    bytes->count += size_bytes;
    return true;
}

void parts_writer_reset(struct parts_writer *writer)
{
    writer->body.count = writer->count = writer->done_bytes = 0;
}

void parts_writer_free(struct parts_writer *writer)
{
    free(writer->body.items);
    *writer = (struct parts_writer){0};
}

void parts_add(struct parts_writer *writer, uint32_t number)
{
    ASSERT(writer->count < PARTS_MAX);
    ASSERT(!writer->count || writer->items[writer->count - 1].number < number);
    writer->items[writer->count++] =
        (struct part){number, writer->body.count - writer->done_bytes, NULL};
    writer->done_bytes = writer->body.count;
}

bool parts_add_column(struct parts_writer *writer, uint32_t number, const uint64_t *values,
                      size_t count)
{
    if (!column_write(&writer->body, writer->simd, values, count))
        return false;
    parts_add(writer, number);
    return true;
}

bool parts_add_column_from(struct parts_writer *writer, uint32_t number,
                           const struct column_source *source, size_t count)
{
    if (!column_write_from(&writer->body, writer->simd, source, count))
        return false;
    parts_add(writer, number);
    return true;
}

bool parts_add_text(struct parts_writer *writer, uint32_t number, const void *text,
                    size_t size_bytes)
{
    uint32_t check = htole32(column_check(text, size_bytes));
    if (!bytes_append(&writer->body, &check, sizeof check) ||
        !bytes_append(&writer->body, text, size_bytes))
        return false;
    parts_add(writer, number);
    return true;
}

bool parts_finish(const struct parts_writer *writer, struct bytes *out)
{
    uint8_t table[(2 * PARTS_MAX + 1) * VARINT_BYTES_MAX], *end = table;
    end = varint_write(end, writer->count);
    for (size_t i = 0; i < writer->count; i++) {
        end = varint_write(end, writer->items[i].number);
        end = varint_write(end, writer->items[i].size_bytes);
    }
    size_t table_bytes = (size_t)(end - table);
    uint32_t check = htole32(column_check(table, table_bytes));
    return VEC_ROOM(out, sizeof check + table_bytes + writer->body.count) &&
           bytes_append(out, &check, sizeof check) && bytes_append(out, table, table_bytes) &&
           bytes_append(out, writer->body.items, writer->body.count);
}
