#include "report/arrow.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

// Large enough for readers to work by column, and small enough to keep in memory.
#define BATCH_ROWS ((uint64_t)1 << 16)
#define BATCH_TEXT_BYTES ((size_t)16 << 20)

static const char magic[8] = "ARROW1"; // with padding
#define MAGIC_BYTES 6
#define CONTINUES UINT64_C(0xffffffff)

enum { ALIGN_BYTES = 8, NODE_BYTES = 16, BUFFER_BYTES = 16, BLOCK_BYTES = 24 };

// Numbers of the schema: https://github.com/apache/arrow/tree/main/format
enum { VERSION_5 = 4 };
enum { HEADER_SCHEMA = 1, HEADER_BATCH = 3 };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_TEXT = 5 };
enum { PRECISION_DOUBLE = 2 };
enum { MESSAGE_VERSION, MESSAGE_TYPE, MESSAGE_HEADER, MESSAGE_BODY_BYTES, MESSAGE_FIELDS };
enum { SCHEMA_ENDIANNESS, SCHEMA_COLUMNS, SCHEMA_FIELDS };
enum {
    COLUMN_NAME,
    COLUMN_MAY_LACK,
    COLUMN_TYPE_TYPE,
    COLUMN_TYPE,
    COLUMN_DICTIONARY,
    COLUMN_CHILDREN,
    COLUMN_FIELDS
};
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS, BATCH_FIELDS };
enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES, FOOTER_FIELDS };

// --- Schema --------------------------------------------------------------------------------------

static void put_type(struct flatbuffer *message, size_t column, enum arrow_type type)
{
    static const uint8_t int_sizes[] = {4, 1}, float_sizes[] = {2};
    size_t from = flatbuffer_field(message, column, COLUMN_TYPE), table;
    switch (type) {
    case ARROW_U64: // the number of bits; the default is unsigned
        table = flatbuffer_table(message, from, int_sizes, ARRAY_COUNT(int_sizes));
        flatbuffer_put(message, flatbuffer_field(message, table, 0), 64, 4);
        break;
    case ARROW_F64:
        table = flatbuffer_table(message, from, float_sizes, ARRAY_COUNT(float_sizes));
        flatbuffer_put(message, flatbuffer_field(message, table, 0), PRECISION_DOUBLE, 2);
        break;
    case ARROW_TEXT:
        flatbuffer_table(message, from, NULL, 0);
    }
}

static void put_schema(const struct arrow *arrow, struct flatbuffer *message, size_t from,
                       const char *const *names)
{
    static const uint8_t sizes[SCHEMA_FIELDS] = {0, 4};
    static const uint8_t column_sizes[COLUMN_FIELDS] = {4, 1, 1, 4, 0, 4};
    static const uint8_t types[] = {TYPE_INT, TYPE_FLOAT, TYPE_TEXT};
    size_t schema = flatbuffer_table(message, from, sizes, SCHEMA_FIELDS);
    size_t columns = flatbuffer_vector(message, flatbuffer_field(message, schema, SCHEMA_COLUMNS),
                                       arrow->column_count, 4);
    for (size_t i = 0; i < arrow->column_count; i++) {
        enum arrow_type type = arrow->columns[i].type;
        size_t column = flatbuffer_table(message, columns + 4 * i, column_sizes, COLUMN_FIELDS);
        flatbuffer_put(message, flatbuffer_field(message, column, COLUMN_MAY_LACK), true, 1);
        flatbuffer_put(message, flatbuffer_field(message, column, COLUMN_TYPE_TYPE), types[type],
                       1);
        flatbuffer_string(message, flatbuffer_field(message, column, COLUMN_NAME), names[i]);
        put_type(message, column, type);
        flatbuffer_vector(message, flatbuffer_field(message, column, COLUMN_CHILDREN), 0, 4);
    }
}

// --- Messages ------------------------------------------------------------------------------------

static void put_u32(struct out *out, uint64_t value)
{
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    out_bytes(out, bytes, sizeof bytes);
}

// Begins a message. Returns the place of the reference to its header.
static size_t begin_message(struct arrow *arrow, uint8_t header_type, uint64_t body_bytes)
{
    static const uint8_t sizes[MESSAGE_FIELDS] = {2, 1, 4, 8};
    struct flatbuffer *message = &arrow->message;
    flatbuffer_begin(message);
    size_t table = flatbuffer_table(message, FLATBUFFER_ROOT, sizes, MESSAGE_FIELDS);
    flatbuffer_put(message, flatbuffer_field(message, table, MESSAGE_VERSION), VERSION_5, 2);
    flatbuffer_put(message, flatbuffer_field(message, table, MESSAGE_TYPE), header_type, 1);
    flatbuffer_put(message, flatbuffer_field(message, table, MESSAGE_BODY_BYTES), body_bytes, 8);
    return flatbuffer_field(message, table, MESSAGE_HEADER);
}

static void put_bytes(struct arrow *arrow)
{
    const struct flatbuffer *message = &arrow->message;
    if (message->lacks_memory)
        arrow->lacks_memory = true;
    else
        out_bytes(arrow->out, message->bytes.items, message->bytes.count);
}

// Returns the size of the message's head in bytes.
static uint32_t put_message(struct arrow *arrow)
{
    flatbuffer_end(&arrow->message);
    put_u32(arrow->out, CONTINUES);
    put_u32(arrow->out, arrow->message.bytes.count);
    put_bytes(arrow);
    return (uint32_t)(8 + arrow->message.bytes.count);
}

// --- Batches -------------------------------------------------------------------------------------

static uint64_t aligned(uint64_t size_bytes)
{
    return (size_bytes + ALIGN_BYTES - 1) & ~(uint64_t)(ALIGN_BYTES - 1);
}

// The buffers of a column: which cells have a value; then either numbers, or ends and text.
struct buffers {
    const void *bytes[3];
    uint64_t sizes[3];
    size_t count;
};

static struct buffers buffers_of(const struct arrow_column *column)
{
    struct buffers buffers = {.count = column->type == ARROW_TEXT ? 3 : 2};
    buffers.bytes[0] = column->has_value.items;
    buffers.sizes[0] =
        column->empty_count ? (column->count + 7) / 8 : 0; // none: all cells have a value
    if (column->type == ARROW_TEXT) {
        buffers.bytes[1] = column->ends.items;
        buffers.sizes[1] = column->ends.count * sizeof *column->ends.items;
        buffers.bytes[2] = column->text.items;
        buffers.sizes[2] = column->text.count;
    } else {
        buffers.bytes[1] = column->numbers.items;
        buffers.sizes[1] = column->numbers.count * sizeof *column->numbers.items;
    }
    return buffers;
}

static uint64_t body_size(const struct arrow *arrow, size_t *buffer_count)
{
    uint64_t size_bytes = 0;
    *buffer_count = 0;
    for (size_t i = 0; i < arrow->column_count; i++) {
        const struct buffers buffers = buffers_of(&arrow->columns[i]);
        *buffer_count += buffers.count;
        for (size_t j = 0; j < buffers.count; j++)
            size_bytes += aligned(buffers.sizes[j]);
    }
    return size_bytes;
}

void arrow_flush(struct arrow *arrow)
{
    size_t buffer_count;
    if (arrow->lacks_memory || !arrow->columns[0].count)
        return;
    struct arrow_block block = {.offset = out_position(arrow->out) - arrow->start,
                                .body_bytes = body_size(arrow, &buffer_count)};
    size_t from = begin_message(arrow, HEADER_BATCH, block.body_bytes);
    static const uint8_t sizes[BATCH_FIELDS] = {8, 4, 4};
    struct flatbuffer *message = &arrow->message;
    size_t batch = flatbuffer_table(message, from, sizes, BATCH_FIELDS);
    flatbuffer_put(message, flatbuffer_field(message, batch, BATCH_LENGTH), arrow->columns[0].count,
                   8);
    size_t node = flatbuffer_vector(message, flatbuffer_field(message, batch, BATCH_NODES),
                                    arrow->column_count, NODE_BYTES);
    for (size_t i = 0; i < arrow->column_count; i++, node += NODE_BYTES) {
        flatbuffer_put(message, node, arrow->columns[i].count, 8);
        flatbuffer_put(message, node + 8, arrow->columns[i].empty_count, 8);
    }
    size_t at = flatbuffer_vector(message, flatbuffer_field(message, batch, BATCH_BUFFERS),
                                  buffer_count, BUFFER_BYTES);
    uint64_t offset = 0;
    for (size_t i = 0; i < arrow->column_count; i++) {
        const struct buffers buffers = buffers_of(&arrow->columns[i]);
        for (size_t j = 0; j < buffers.count; j++, at += BUFFER_BYTES) {
            flatbuffer_put(message, at, offset, 8);
            flatbuffer_put(message, at + 8, buffers.sizes[j], 8);
            offset += aligned(buffers.sizes[j]);
        }
    }
    block.head_bytes = put_message(arrow);
    static const char zeros[ALIGN_BYTES];
    for (size_t i = 0; i < arrow->column_count; i++) {
        const struct buffers buffers = buffers_of(&arrow->columns[i]);
        for (size_t j = 0; j < buffers.count; j++) {
            uint64_t size_bytes = buffers.sizes[j];
            if (!size_bytes)
                continue;
            out_bytes(arrow->out, buffers.bytes[j], (size_t)size_bytes);
            out_bytes(arrow->out, zeros, (size_t)(aligned(size_bytes) - size_bytes));
        }
    }
    if (VEC_ROOM(&arrow->blocks, 1))
        arrow->blocks.items[arrow->blocks.count++] = block;
    else
        arrow->lacks_memory = true;
    for (size_t i = 0; i < arrow->column_count; i++) {
        struct arrow_column *column = &arrow->columns[i];
        column->numbers.count = column->has_value.count = column->ends.count = 0;
        column->text.count = column->count = column->empty_count = 0;
    }
}

void arrow_take(struct arrow *arrow, struct arrow *part)
{
    uint64_t base = out_position(arrow->out) - arrow->start;
    arrow->lacks_memory |= part->lacks_memory || !VEC_ROOM(&arrow->blocks, part->blocks.count);
    if (!arrow->lacks_memory) {
        out_bytes(arrow->out, part->out->buffer, part->out->used_bytes);
        for (size_t i = 0; i < part->blocks.count; i++) {
            struct arrow_block block = part->blocks.items[i];
            block.offset += base;
            arrow->blocks.items[arrow->blocks.count++] = block;
        }
    }
    part->blocks.count = 0;
    out_clear(part->out);
}

// --- Cells ---------------------------------------------------------------------------------------

// Makes room for a cell, and records whether it has a value. False: no memory.
static bool begin_cell(struct arrow *arrow, struct arrow_column *column, bool has_value)
{
    bool begins_byte = column->count % 8 == 0;
    if (begins_byte) {
        if (!VEC_ROOM(&column->has_value, 1)) {
            arrow->lacks_memory = true;
            return false;
        }
        column->has_value.items[column->has_value.count++] = 0;
    }
    column->has_value.items[column->count / 8] |= (uint8_t)(has_value << column->count % 8);
    column->count++;
    column->empty_count += !has_value;
    return true;
}

static void put_number(struct arrow *arrow, size_t number, bool has_value, uint64_t bits)
{
    struct arrow_column *column = &arrow->columns[number];
    if (arrow->lacks_memory || !begin_cell(arrow, column, has_value))
        return;
    if (VEC_ROOM(&column->numbers, 1))
        column->numbers.items[column->numbers.count++] = bits;
    else
        arrow->lacks_memory = true;
}

void arrow_text(struct arrow *arrow, size_t number, const char *text)
{
    struct arrow_column *column = &arrow->columns[number];
    size_t length = text ? strlen(text) : 0;
    if (arrow->lacks_memory || !begin_cell(arrow, column, text != NULL))
        return;
    bool is_first = column->ends.count == 0;
    if (!VEC_ROOM(&column->ends, 2) || length > INT32_MAX - column->text.count ||
        !VEC_ROOM(&column->text, length + 1)) {
        arrow->lacks_memory = true;
        return;
    }
    if (is_first)
        column->ends.items[column->ends.count++] = 0;
    char *at = column->text.items + column->text.count;
    if (length) {
        memcpy(at, text, length);
        utf8_make_inert(at, length);
    }
    column->text.count += length;
    column->ends.items[column->ends.count++] = (int32_t)column->text.count;
}

void arrow_u64(struct arrow *arrow, size_t column, uint64_t value)
{
    put_number(arrow, column, true, value);
}

void arrow_f64(struct arrow *arrow, size_t column, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(arrow, column, true, bits);
}

void arrow_none(struct arrow *arrow, size_t column)
{
    if (arrow->columns[column].type == ARROW_TEXT)
        arrow_text(arrow, column, NULL);
    else
        put_number(arrow, column, false, 0);
}

void arrow_end_row(struct arrow *arrow)
{
    size_t text_bytes = 0;
    for (size_t i = 0; i < arrow->column_count; i++)
        text_bytes += arrow->columns[i].text.count;
    if (arrow->columns[0].count >= BATCH_ROWS || text_bytes >= BATCH_TEXT_BYTES)
        arrow_flush(arrow);
}

// --- Beginning and end ---------------------------------------------------------------------------

void arrow_begin_part(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                      size_t column_count)
{
    ASSERT(column_count > 0 && column_count <= ARROW_COLUMNS_MAX);
    *arrow = (struct arrow){.out = out, .column_count = column_count, .start = out_position(out)};
    for (size_t i = 0; i < column_count; i++)
        arrow->columns[i].type = types[i];
}

void arrow_begin(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                 const char *const *names, size_t column_count)
{
    arrow_begin_part(arrow, out, types, column_count);
    out_bytes(out, magic, sizeof magic);
    put_schema(arrow, &arrow->message, begin_message(arrow, HEADER_SCHEMA, 0), names);
    put_message(arrow);
}

static void put_footer(struct arrow *arrow, const char *const *names)
{
    static const uint8_t sizes[FOOTER_FIELDS] = {2, 4, 4, 4};
    struct flatbuffer *footer = &arrow->message;
    flatbuffer_begin(footer);
    size_t table = flatbuffer_table(footer, FLATBUFFER_ROOT, sizes, FOOTER_FIELDS);
    flatbuffer_put(footer, flatbuffer_field(footer, table, FOOTER_VERSION), VERSION_5, 2);
    put_schema(arrow, footer, flatbuffer_field(footer, table, FOOTER_SCHEMA), names);
    flatbuffer_vector(footer, flatbuffer_field(footer, table, FOOTER_DICTIONARIES), 0, BLOCK_BYTES);
    size_t at = flatbuffer_vector(footer, flatbuffer_field(footer, table, FOOTER_BATCHES),
                                  arrow->blocks.count, BLOCK_BYTES);
    for (size_t i = 0; i < arrow->blocks.count; i++, at += BLOCK_BYTES) {
        flatbuffer_put(footer, at, arrow->blocks.items[i].offset, 8);
        flatbuffer_put(footer, at + 8, arrow->blocks.items[i].head_bytes, 4);
        flatbuffer_put(footer, at + 16, arrow->blocks.items[i].body_bytes, 8);
    }
    flatbuffer_end(footer);
}

void arrow_end(struct arrow *arrow, const char *const *names)
{
    arrow_flush(arrow);
    put_u32(arrow->out, CONTINUES);
    put_u32(arrow->out, 0);
    put_footer(arrow, names);
    put_bytes(arrow);
    put_u32(arrow->out, arrow->message.bytes.count);
    out_bytes(arrow->out, magic, MAGIC_BYTES);
    arrow_free(arrow);
}

void arrow_free(struct arrow *arrow)
{
    if (arrow->lacks_memory && !arrow->out->error_number)
        arrow->out->error_number = ENOMEM;
    for (size_t i = 0; i < arrow->column_count; i++) {
        free(arrow->columns[i].numbers.items);
        free(arrow->columns[i].has_value.items);
        free(arrow->columns[i].ends.items);
        free(arrow->columns[i].text.items);
    }
    free(arrow->blocks.items);
    free(arrow->message.bytes.items);
    *arrow = (struct arrow){.out = arrow->out};
}
