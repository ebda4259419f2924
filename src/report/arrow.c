#include "report/arrow.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>

// Large enough for readers to work by column, and small enough to keep in memory.
#define BATCH_ROWS ((uint64_t)1 << 16)

static const char magic[8] = "ARROW1"; // with padding
#define MAGIC_BYTES 6
#define CONTINUES UINT64_C(0xffffffff)

enum { ALIGN_BYTES = 8, NODE_BYTES = 16, BUFFER_BYTES = 16, BLOCK_BYTES = 24 };

// Numbers of the schema: https://github.com/apache/arrow/tree/main/format
enum { VERSION_5 = 4 };
enum { HEADER_SCHEMA = 1, HEADER_TEXTS = 2, HEADER_BATCH = 3 };
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
enum { DICTIONARY_ID, DICTIONARY_INDEX, DICTIONARY_FIELDS };
enum { TEXTS_ID, TEXTS_DATA, TEXTS_FIELDS };
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
    static const uint8_t text_sizes[COLUMN_FIELDS] = {4, 1, 1, 4, 4, 4};
    static const uint8_t types[] = {TYPE_INT, TYPE_FLOAT, TYPE_TEXT};
    size_t schema = flatbuffer_table(message, from, sizes, SCHEMA_FIELDS);
    size_t columns = flatbuffer_vector(message, flatbuffer_field(message, schema, SCHEMA_COLUMNS),
                                       arrow->column_count, 4);
    for (size_t i = 0; i < arrow->column_count; i++) {
        enum arrow_type type = arrow->columns[i].type;
        size_t column =
            flatbuffer_table(message, columns + 4 * i,
                             type == ARROW_TEXT ? text_sizes : column_sizes, COLUMN_FIELDS);
        flatbuffer_put(message, flatbuffer_field(message, column, COLUMN_MAY_LACK), true, 1);
        flatbuffer_put(message, flatbuffer_field(message, column, COLUMN_TYPE_TYPE), types[type],
                       1);
        flatbuffer_string(message, flatbuffer_field(message, column, COLUMN_NAME), names[i]);
        put_type(message, column, type);
        if (type == ARROW_TEXT) { // with numbers that are signed, of 32 bits
            static const uint8_t encoding_sizes[DICTIONARY_FIELDS] = {8, 4}, int_sizes[] = {4, 1};
            size_t encoding =
                flatbuffer_table(message, flatbuffer_field(message, column, COLUMN_DICTIONARY),
                                 encoding_sizes, DICTIONARY_FIELDS);
            flatbuffer_put(message, flatbuffer_field(message, encoding, DICTIONARY_ID), i, 8);
            size_t index = flatbuffer_table(
                message, flatbuffer_field(message, encoding, DICTIONARY_INDEX), int_sizes, 2);
            flatbuffer_put(message, flatbuffer_field(message, index, 0), 32, 4);
            flatbuffer_put(message, flatbuffer_field(message, index, 1), true, 1);
        }
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

// A column of a batch: which cells have a value, and the numbers of these; or of texts, where each
// ends, and all of them.
struct buffers {
    const void *bytes[3];
    uint64_t sizes[3];
    size_t count;
    uint64_t cells, empty_cells;
};

static struct buffers buffers_of(const struct arrow_column *column)
{
    struct buffers buffers = {
        .count = 2, .cells = column->count, .empty_cells = column->empty_count};
    buffers.bytes[0] = column->has_value.items;
    buffers.sizes[0] =
        column->empty_count ? (column->count + 7) / 8 : 0; // none: all cells have a value
    if (column->type == ARROW_TEXT) {
        buffers.bytes[1] = column->ids.items;
        buffers.sizes[1] = column->ids.count * sizeof *column->ids.items;
    } else {
        buffers.bytes[1] = column->numbers.items;
        buffers.sizes[1] = column->numbers.count * sizeof *column->numbers.items;
    }
    return buffers;
}

static uint64_t body_size(const struct buffers *columns, size_t count)
{
    uint64_t size_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < columns[i].count; j++)
            size_bytes += aligned(columns[i].sizes[j]);
    }
    return size_bytes;
}

// Writes the description of a batch, to which the field at `from` refers.
static void put_batch(struct flatbuffer *message, size_t from, const struct buffers *columns,
                      size_t count)
{
    static const uint8_t sizes[BATCH_FIELDS] = {8, 4, 4};
    size_t buffer_count = 0;
    for (size_t i = 0; i < count; i++)
        buffer_count += columns[i].count;
    size_t batch = flatbuffer_table(message, from, sizes, BATCH_FIELDS);
    flatbuffer_put(message, flatbuffer_field(message, batch, BATCH_LENGTH), columns[0].cells, 8);
    size_t node = flatbuffer_vector(message, flatbuffer_field(message, batch, BATCH_NODES), count,
                                    NODE_BYTES);
    for (size_t i = 0; i < count; i++, node += NODE_BYTES) {
        flatbuffer_put(message, node, columns[i].cells, 8);
        flatbuffer_put(message, node + 8, columns[i].empty_cells, 8);
    }
    size_t at = flatbuffer_vector(message, flatbuffer_field(message, batch, BATCH_BUFFERS),
                                  buffer_count, BUFFER_BYTES);
    uint64_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < columns[i].count; j++, at += BUFFER_BYTES) {
            flatbuffer_put(message, at, offset, 8);
            flatbuffer_put(message, at + 8, columns[i].sizes[j], 8);
            offset += aligned(columns[i].sizes[j]);
        }
    }
}

static void put_body(struct out *out, const struct buffers *columns, size_t count)
{
    static const char zeros[ALIGN_BYTES];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < columns[i].count; j++) {
            uint64_t size_bytes = columns[i].sizes[j];
            if (!size_bytes)
                continue;
            out_bytes(out, columns[i].bytes[j], (size_t)size_bytes);
            out_bytes(out, zeros, (size_t)(aligned(size_bytes) - size_bytes));
        }
    }
}

// Writes the rows of `from`, whose texts have the numbers of the file, as a batch.
static void write_rows(struct arrow *arrow, struct arrow *from)
{
    struct buffers columns[ARROW_COLUMNS_MAX];
    const size_t count = arrow->column_count;
    if (arrow->lacks_memory || !from->columns[0].count)
        return;
    for (size_t i = 0; i < count; i++)
        columns[i] = buffers_of(&from->columns[i]);
    struct arrow_block block = {.offset = out_position(arrow->out) - arrow->start,
                                .body_bytes = body_size(columns, count)};
    put_batch(&arrow->message, begin_message(arrow, HEADER_BATCH, block.body_bytes), columns,
              count);
    block.head_bytes = put_message(arrow);
    put_body(arrow->out, columns, count);
    if (VEC_ROOM(&arrow->blocks, 1))
        arrow->blocks.items[arrow->blocks.count++] = block;
    else
        arrow->lacks_memory = true;
    for (size_t i = 0; i < count; i++) {
        struct arrow_column *column = &from->columns[i];
        column->numbers.count = column->has_value.count = column->ids.count = 0;
        column->count = column->empty_count = 0;
    }
}

// Writes all texts of a column.
static void write_texts(struct arrow *arrow, size_t number)
{
    static const uint8_t sizes[TEXTS_FIELDS] = {8, 4};
    static const int32_t none = 0;
    struct arrow_texts *texts = &arrow->columns[number].texts;
    const size_t count = texts->ends.count;
    if (arrow->lacks_memory)
        return;
    const struct buffers column = {
        .bytes = {NULL, count ? texts->ends.items : &none, texts->text.items},
        .sizes = {0, (count ? count : 1) * sizeof *texts->ends.items, texts->text.count},
        .count = 3,
        .cells = count ? count - 1 : 0};
    struct arrow_block block = {.offset = out_position(arrow->out) - arrow->start,
                                .body_bytes = body_size(&column, 1)};
    struct flatbuffer *message = &arrow->message;
    size_t table = flatbuffer_table(message, begin_message(arrow, HEADER_TEXTS, block.body_bytes),
                                    sizes, TEXTS_FIELDS);
    flatbuffer_put(message, flatbuffer_field(message, table, TEXTS_ID), number, 8);
    put_batch(message, flatbuffer_field(message, table, TEXTS_DATA), &column, 1);
    block.head_bytes = put_message(arrow);
    put_body(arrow->out, &column, 1);
    if (VEC_ROOM(&arrow->text_blocks, 1))
        arrow->text_blocks.items[arrow->text_blocks.count++] = block;
    else
        arrow->lacks_memory = true;
}

// --- Texts ---------------------------------------------------------------------------------------

static uint64_t hash_bytes(const struct hash_seed *seed, const char *text, size_t length)
{
    uint64_t hash = length, word;
    for (; length > sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = hash_keys(seed, hash, word);
    }
    word = 0;
    memcpy(&word, text, length);
    return hash_keys(seed, hash, word);
}

static bool is_text(const struct arrow_texts *texts, uint32_t number, const char *text,
                    size_t length)
{
    const int32_t start = texts->ends.items[number];
    return (size_t)(texts->ends.items[number + 1] - start) == length &&
           memcmp(texts->text.items + start, text, length) == 0;
}

// The number of a text. Negative: no memory, or there are too many.
static int32_t text_number(struct arrow_texts *texts, const char *text, size_t length)
{
    const size_t used = texts->text.count;
    uint32_t found;
    if (length > INT32_MAX - used || !VEC_ROOM(&texts->text, length + 1) ||
        !VEC_ROOM(&texts->ends, 2))
        return -1;
    char *copy = texts->text.items + used;
    memcpy(copy, text, length);
    utf8_make_inert(copy, length);
    if (!texts->ends.count)
        texts->ends.items[texts->ends.count++] = 0;
    else if (texts->ends.count > 1 && is_text(texts, texts->recent, copy, length))
        return (int32_t)texts->recent;
    const uint64_t hash = hash_bytes(hash_index_seed(&texts->by_text), copy, length);
    HASH_INDEX_FIND(found, &texts->by_text, hash, is_text(texts, candidate, copy, length));
    if (found == HASH_INDEX_NONE) {
        found = (uint32_t)texts->ends.count - 1;
        if (found >= INT32_MAX || !hash_index_add(&texts->by_text, hash, found))
            return -1;
        texts->text.count += length;
        texts->ends.items[texts->ends.count++] = (int32_t)texts->text.count;
    }
    texts->recent = found;
    return (int32_t)found;
}

// Gives the cells of a part the numbers that their texts have in the file.
static bool renumber(struct arrow_texts *texts, struct arrow_column *part)
{
    const struct arrow_texts *own = &part->texts;
    const size_t count = own->ends.count ? own->ends.count - 1 : 0;
    int32_t *numbers = malloc((count + 1) * sizeof *numbers);
    bool has_memory = numbers != NULL;
    if (has_memory)
        numbers[0] = 0; // of an empty cell, if there is no text
    for (size_t i = 0; i < count && has_memory; i++) {
        const int32_t start = own->ends.items[i];
        numbers[i] =
            text_number(texts, own->text.items + start, (size_t)(own->ends.items[i + 1] - start));
        has_memory = numbers[i] >= 0;
    }
    for (size_t i = 0; i < part->ids.count && has_memory; i++)
        part->ids.items[i] = numbers[part->ids.items[i]];
    free(numbers);
    return has_memory;
}

static void free_texts(struct arrow_texts *texts)
{
    hash_index_free(&texts->by_text);
    free(texts->ends.items);
    free(texts->text.items);
    *texts = (struct arrow_texts){0};
}

void arrow_take(struct arrow *arrow, struct arrow *part)
{
    ASSERT(!arrow->columns[0].count);
    arrow->lacks_memory |= part->lacks_memory;
    for (size_t i = 0; i < arrow->column_count && !arrow->lacks_memory; i++) {
        if (arrow->columns[i].type == ARROW_TEXT)
            arrow->lacks_memory = !renumber(&arrow->columns[i].texts, &part->columns[i]);
        free_texts(&part->columns[i].texts);
    }
    write_rows(arrow, part);
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
    if (arrow->lacks_memory || !begin_cell(arrow, column, text != NULL))
        return;
    const int32_t id = text ? text_number(&column->texts, text, strlen(text)) : 0;
    if (id < 0 || !VEC_ROOM(&column->ids, 1)) {
        arrow->lacks_memory = true;
        return;
    }
    column->ids.items[column->ids.count++] = id;
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
    if (!arrow->is_part && arrow->columns[0].count >= BATCH_ROWS)
        write_rows(arrow, arrow);
}

// --- Beginning and end ---------------------------------------------------------------------------

static void begin(struct arrow *arrow, const enum arrow_type *types, size_t column_count)
{
    ASSERT(column_count > 0 && column_count <= ARROW_COLUMNS_MAX);
    *arrow = (struct arrow){.column_count = column_count};
    for (size_t i = 0; i < column_count; i++)
        arrow->columns[i].type = types[i];
}

void arrow_begin_part(struct arrow *arrow, const enum arrow_type *types, size_t column_count)
{
    begin(arrow, types, column_count);
    arrow->is_part = true;
}

void arrow_begin(struct arrow *arrow, struct out *out, const enum arrow_type *types,
                 const char *const *names, size_t column_count)
{
    begin(arrow, types, column_count);
    arrow->out = out;
    arrow->start = out_position(out);
    out_bytes(out, magic, sizeof magic);
    put_schema(arrow, &arrow->message, begin_message(arrow, HEADER_SCHEMA, 0), names);
    put_message(arrow);
}

static void put_blocks(struct flatbuffer *footer, size_t from, const struct arrow_block *blocks,
                       size_t count)
{
    size_t at = flatbuffer_vector(footer, from, count, BLOCK_BYTES);
    for (size_t i = 0; i < count; i++, at += BLOCK_BYTES) {
        flatbuffer_put(footer, at, blocks[i].offset, 8);
        flatbuffer_put(footer, at + 8, blocks[i].head_bytes, 4);
        flatbuffer_put(footer, at + 16, blocks[i].body_bytes, 8);
    }
}

void arrow_end(struct arrow *arrow, const char *const *names)
{
    write_rows(arrow, arrow);
    for (size_t i = 0; i < arrow->column_count; i++) {
        if (arrow->columns[i].type == ARROW_TEXT)
            write_texts(arrow, i);
    }
    put_u32(arrow->out, CONTINUES);
    put_u32(arrow->out, 0);
    static const uint8_t sizes[FOOTER_FIELDS] = {2, 4, 4, 4};
    struct flatbuffer *footer = &arrow->message;
    flatbuffer_begin(footer);
    size_t table = flatbuffer_table(footer, FLATBUFFER_ROOT, sizes, FOOTER_FIELDS);
    flatbuffer_put(footer, flatbuffer_field(footer, table, FOOTER_VERSION), VERSION_5, 2);
    put_schema(arrow, footer, flatbuffer_field(footer, table, FOOTER_SCHEMA), names);
    put_blocks(footer, flatbuffer_field(footer, table, FOOTER_DICTIONARIES),
               arrow->text_blocks.items, arrow->text_blocks.count);
    put_blocks(footer, flatbuffer_field(footer, table, FOOTER_BATCHES), arrow->blocks.items,
               arrow->blocks.count);
    flatbuffer_end(footer);
    put_bytes(arrow);
    put_u32(arrow->out, arrow->message.bytes.count);
    out_bytes(arrow->out, magic, MAGIC_BYTES);
    arrow_free(arrow);
}

void arrow_free(struct arrow *arrow)
{
    if (arrow->out && arrow->lacks_memory && !arrow->out->error_number)
        arrow->out->error_number = ENOMEM;
    for (size_t i = 0; i < arrow->column_count; i++) {
        free(arrow->columns[i].numbers.items);
        free(arrow->columns[i].has_value.items);
        free(arrow->columns[i].ids.items);
        free_texts(&arrow->columns[i].texts);
    }
    free(arrow->blocks.items);
    free(arrow->text_blocks.items);
    free(arrow->message.bytes.items);
    *arrow = (struct arrow){.out = arrow->out};
}
