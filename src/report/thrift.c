#include "report/thrift.h"

enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_I8 = 3, TYPE_LIST = 9 };

static void put(struct thrift *thrift, const void *bytes, size_t length)
{
    if (!VEC_ROOM(&thrift->bytes, length)) {
        thrift->lacks_memory = true;
    } else if (length) {
        memcpy(thrift->bytes.items + thrift->bytes.count, bytes, length);
        thrift->bytes.count += length;
    }
}

static void put_byte(struct thrift *thrift, unsigned value)
{
    const uint8_t byte = (uint8_t)value;
    put(thrift, &byte, 1);
}

static void put_number(struct thrift *thrift, uint64_t value)
{
    uint8_t bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    put(thrift, bytes, count);
}

static void put_signed(struct thrift *thrift, int64_t value)
{
    put_number(thrift, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static void put_field(struct thrift *thrift, int field, unsigned type)
{
    int *last = &thrift->last[thrift->depth - 1];
    ASSERT(field > *last && field - *last <= 15);
    put_byte(thrift, (unsigned)(field - *last) << 4 | type);
    *last = field;
}

void thrift_begin(struct thrift *thrift)
{
    ASSERT(thrift->depth < THRIFT_NESTING);
    thrift->last[thrift->depth++] = 0;
}

void thrift_struct(struct thrift *thrift, int field)
{
    put_field(thrift, field, THRIFT_STRUCT);
    thrift_begin(thrift);
}

void thrift_end(struct thrift *thrift)
{
    ASSERT(thrift->depth > 0);
    put_byte(thrift, 0);
    thrift->depth--;
}

void thrift_i8(struct thrift *thrift, int field, int8_t value)
{
    put_field(thrift, field, TYPE_I8);
    put_byte(thrift, (uint8_t)value);
}

void thrift_i32(struct thrift *thrift, int field, int32_t value)
{
    put_field(thrift, field, THRIFT_I32);
    put_signed(thrift, value);
}

void thrift_i64(struct thrift *thrift, int field, uint64_t value)
{
    ASSERT(value <= INT64_MAX);
    put_field(thrift, field, THRIFT_I64);
    put_signed(thrift, (int64_t)value);
}

void thrift_bool(struct thrift *thrift, int field, bool value)
{
    put_field(thrift, field, value ? TYPE_TRUE : TYPE_FALSE);
}

static void put_text(struct thrift *thrift, const void *text, size_t length)
{
    put_number(thrift, length);
    put(thrift, text, length);
}

void thrift_text(struct thrift *thrift, int field, const void *text, size_t length)
{
    put_field(thrift, field, THRIFT_TEXT);
    put_text(thrift, text, length);
}

void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t count)
{
    put_field(thrift, field, TYPE_LIST);
    put_byte(thrift, (unsigned)(count < 15 ? count : 15) << 4 | type);
    if (count >= 15)
        put_number(thrift, count);
}

void thrift_item_i32(struct thrift *thrift, int32_t value)
{
    put_signed(thrift, value);
}

void thrift_item_text(struct thrift *thrift, const char *text)
{
    put_text(thrift, text, strlen(text));
}

void thrift_append(struct thrift *thrift, const struct thrift *other)
{
    thrift->lacks_memory |= other->lacks_memory;
    put(thrift, other->bytes.items, other->bytes.count);
}
