#include "report/arrow.h"

#include <string.h>

#define ALIGN_BYTES 8
#define TABLE_HEAD_BYTES 4  // the distance from a table back to its list of fields
#define FIELDS_HEAD_BYTES 4 // two sizes at the start of that list

// Adds bytes that are zero. Returns the place of the first; without memory, some valid place.
static size_t grow(struct flatbuffer *buffer, size_t size_bytes)
{
    size_t place = buffer->bytes.count;
    if (!VEC_ROOM(&buffer->bytes, size_bytes)) {
        buffer->lacks_memory = true;
        return 0;
    }
    memset(buffer->bytes.items + place, 0, size_bytes);
    buffer->bytes.count += size_bytes;
    return place;
}

// Pads so that the bytes `ahead` bytes from here are aligned.
static void align(struct flatbuffer *buffer, size_t ahead, size_t align_bytes)
{
    size_t over = (buffer->bytes.count + ahead) % align_bytes;
    if (over)
        grow(buffer, align_bytes - over);
}

void flatbuffer_put(struct flatbuffer *buffer, size_t place, uint64_t value, size_t size_bytes)
{
    if (buffer->lacks_memory)
        return;
    ASSERT(place + size_bytes <= buffer->bytes.count);
    for (size_t i = 0; i < size_bytes; i++)
        buffer->bytes.items[place + i] = (uint8_t)(value >> 8 * i);
}

static void refer(struct flatbuffer *buffer, size_t from, size_t to)
{
    flatbuffer_put(buffer, from, to - from, 4);
}

void flatbuffer_begin(struct flatbuffer *buffer)
{
    buffer->bytes.count = 0;
    grow(buffer, ALIGN_BYTES);
}

size_t flatbuffer_table(struct flatbuffer *buffer, size_t from, const uint8_t *sizes, size_t count)
{
    align(buffer, 0, 2);
    size_t fields = grow(buffer, FIELDS_HEAD_BYTES + 2 * count), size_bytes = TABLE_HEAD_BYTES;
    align(buffer, 0, ALIGN_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (!sizes[i])
            continue;
        size_bytes += (sizes[i] - size_bytes % sizes[i]) % sizes[i];
        flatbuffer_put(buffer, fields + FIELDS_HEAD_BYTES + 2 * i, size_bytes, 2);
        size_bytes += sizes[i];
    }
    size_t table = grow(buffer, size_bytes);
    flatbuffer_put(buffer, fields, FIELDS_HEAD_BYTES + 2 * count, 2);
    flatbuffer_put(buffer, fields + 2, size_bytes, 2);
    flatbuffer_put(buffer, table, table - fields, 4);
    refer(buffer, from, table);
    return table;
}

static size_t read(const struct flatbuffer *buffer, size_t place, size_t size_bytes)
{
    size_t value = 0;
    for (size_t i = 0; i < size_bytes; i++)
        value |= (size_t)buffer->bytes.items[place + i] << 8 * i;
    return value;
}

size_t flatbuffer_field(const struct flatbuffer *buffer, size_t table, size_t field)
{
    if (buffer->lacks_memory)
        return 0;
    size_t fields = table - read(buffer, table, 4);
    return table + read(buffer, fields + FIELDS_HEAD_BYTES + 2 * field, 2);
}

size_t flatbuffer_vector(struct flatbuffer *buffer, size_t from, size_t count, size_t item_bytes)
{
    align(buffer, 4, item_bytes >= ALIGN_BYTES ? ALIGN_BYTES : 4);
    size_t vector = grow(buffer, 4 + count * item_bytes);
    flatbuffer_put(buffer, vector, count, 4);
    refer(buffer, from, vector);
    return vector + 4;
}

void flatbuffer_string(struct flatbuffer *buffer, size_t from, const char *text)
{
    size_t length = strlen(text);
    align(buffer, 0, 4);
    size_t string = grow(buffer, 4 + length + 1);
    flatbuffer_put(buffer, string, length, 4);
    refer(buffer, from, string);
    if (!buffer->lacks_memory)
        memcpy(buffer->bytes.items + string + 4, text, length);
}

void flatbuffer_end(struct flatbuffer *buffer)
{
    align(buffer, 0, ALIGN_BYTES);
}
