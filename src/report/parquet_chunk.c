// Numbers are stored as deltas, which take no space where they increase by a constant. Addresses
// are stored unchanged, because compression finds their repetitions better. Texts are indexes in a
// dictionary, which grows as pages are made, so that earlier pages need fewer bits.

#include "report/parquet.h"

#include <stdlib.h>

// Rows of a page: a reader unpacks one page at a time.
#define PAGE_ROWS ((size_t)1 << 16)
#define SLOTS_MIN 64

// Numbers of the format: https://github.com/apache/parquet-format
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DELTA = 5, ENCODING_PLACES = 8 };
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };

bool parquet_scratch_init(struct parquet_scratch *scratch, enum parquet_codec codec)
{
    *scratch = (struct parquet_scratch){0};
    if (codec == PARQUET_ZSTD)
        scratch->pack = zstd_pack_new();
    return codec != PARQUET_ZSTD || scratch->pack;
}

void parquet_scratch_free(struct parquet_scratch *scratch)
{
    zstd_pack_free(scratch->pack);
    free(scratch->body.items);
    free(scratch->packed.items);
    free(scratch->head.bytes.items);
    free(scratch->values.items);
    free(scratch->places.items);
    free(scratch->has.items);
    free(scratch->slots);
}

// --- Pages ---------------------------------------------------------------------------------------

static bool append(struct byte_vec *to, const struct byte_vec *from)
{
    if (!VEC_ROOM(to, from->count))
        return false;
    if (from->count)
        memcpy(to->items + to->count, from->items, from->count);
    to->count += from->count;
    return true;
}

// Makes a page of the body on the scratch. *unpacked_bytes is increased by its size without
// compression.
static bool put_page(struct parquet_scratch *scratch, int type, int encoding, size_t value_count,
                     struct byte_vec *pages, uint64_t *unpacked_bytes)
{
    struct byte_vec *packed = scratch->pack ? &scratch->packed : &scratch->body;
    ASSERT(scratch->body.count <= INT32_MAX);
    if (scratch->pack &&
        !zstd_pack_bytes(scratch->pack, scratch->body.items, scratch->body.count, packed))
        return false;
    // The heads of data pages and dictionary pages begin with the same two fields.
    struct thrift *head = &scratch->head;
    head->bytes.count = 0;
    thrift_begin(head);
    thrift_i32(head, 1, type);
    thrift_i32(head, 2, (int32_t)scratch->body.count);
    thrift_i32(head, 3, (int32_t)packed->count);
    thrift_struct(head, type == PAGE_DATA ? 5 : 7);
    thrift_i32(head, 1, (int32_t)value_count);
    thrift_i32(head, 2, encoding);
    if (type == PAGE_DATA) {
        thrift_i32(head, 3, ENCODING_RLE);
        thrift_i32(head, 4, ENCODING_RLE);
    }
    thrift_end(head);
    thrift_end(head);
    *unpacked_bytes += scratch->head.bytes.count + scratch->body.count;
    return !scratch->head.lacks_memory && append(pages, &scratch->head.bytes) &&
           append(pages, packed);
}

// --- Dictionaries --------------------------------------------------------------------------------

static size_t slot_of(const struct parquet_scratch *scratch, const struct parquet_chunk *chunk,
                      uint32_t number)
{
    size_t at = (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (scratch->slot_count - 1);
    while (scratch->slots[at] && chunk->dictionary.items[scratch->slots[at] - 1] != number)
        at = (at + 1) & (scratch->slot_count - 1);
    return at;
}

// Prepares slots for a dictionary of up to `count` entries. False: no memory.
static bool lay_slots(struct parquet_scratch *scratch, const struct parquet_chunk *chunk,
                      size_t count)
{
    size_t slot_count = SLOTS_MIN;
    while (slot_count < 2 * count)
        slot_count *= 2;
    if (slot_count > scratch->slot_count) {
        free(scratch->slots);
        scratch->slots = malloc(slot_count * sizeof *scratch->slots);
        scratch->slot_count = scratch->slots ? slot_count : 0;
        if (!scratch->slots)
            return false;
    }
    memset(scratch->slots, 0, scratch->slot_count * sizeof *scratch->slots);
    for (size_t i = 0; i < chunk->dictionary.count; i++)
        scratch->slots[slot_of(scratch, chunk, chunk->dictionary.items[i])] = (uint32_t)i + 1;
    return true;
}

static bool place_of(struct parquet_scratch *scratch, struct parquet_chunk *chunk, uint32_t number,
                     uint32_t *place)
{
    size_t slot = slot_of(scratch, chunk, number);
    if (!scratch->slots[slot]) {
        if (2 * (chunk->dictionary.count + 1) > scratch->slot_count) {
            if (!lay_slots(scratch, chunk, 2 * (chunk->dictionary.count + 1)))
                return false;
            slot = slot_of(scratch, chunk, number);
        }
        if (!VEC_ROOM(&chunk->dictionary, 1))
            return false;
        chunk->dictionary.items[chunk->dictionary.count++] = number;
        scratch->slots[slot] = (uint32_t)chunk->dictionary.count;
    }
    *place = scratch->slots[slot] - 1;
    return true;
}

// --- Values --------------------------------------------------------------------------------------

// The rows of a column that a page has.
struct stretch {
    const struct parquet_column *column;
    const uint32_t *order; // NULL: consecutive rows from `first` on
    size_t first, count;
};

static size_t row_of(const struct stretch *stretch, size_t i)
{
    return stretch->order ? stretch->order[stretch->first + i] : stretch->first + i;
}

static bool is_less(enum parquet_type type, uint64_t a, uint64_t b)
{
    double values[2];
    if (type != PARQUET_F64)
        return a < b;
    memcpy(values, (const uint64_t[]){a, b}, sizeof values);
    return values[0] < values[1];
}

// Collects the numbers of the cells with a value, and which cells have one.
static bool gather_numbers(struct parquet_scratch *scratch, const struct stretch *stretch)
{
    const struct parquet_column *column = stretch->column;
    scratch->values.count = scratch->has.count = 0;
    if (!VEC_ROOM(&scratch->values, stretch->count) || !VEC_ROOM(&scratch->has, stretch->count))
        return false;
    for (size_t i = 0; i < stretch->count; i++) {
        size_t row = row_of(stretch, i);
        scratch->has.items[i] = column->has.items[row];
        scratch->values.items[scratch->values.count] = column->numbers.items[row];
        scratch->values.count += column->has.items[row];
    }
    return true;
}

static bool gather_places(struct parquet_scratch *scratch, struct parquet_chunk *chunk,
                          const struct stretch *stretch)
{
    const struct parquet_column *column = stretch->column;
    uint32_t last = PARQUET_NO_TEXT, place = 0;
    scratch->places.count = scratch->has.count = 0;
    if (!VEC_ROOM(&scratch->places, stretch->count) || !VEC_ROOM(&scratch->has, stretch->count) ||
        !lay_slots(scratch, chunk, chunk->dictionary.count + 1))
        return false;
    for (size_t i = 0; i < stretch->count; i++) {
        uint32_t number = column->texts.items[row_of(stretch, i)];
        scratch->has.items[i] = number != PARQUET_NO_TEXT;
        if (number == PARQUET_NO_TEXT)
            continue;
        if (number != last && !place_of(scratch, chunk, number, &place))
            return false;
        last = number;
        scratch->places.items[scratch->places.count++] = place;
    }
    return true;
}

static bool has_deltas(const struct parquet_chunk *chunk)
{
    return chunk->type == PARQUET_U64 || chunk->type == PARQUET_TIME;
}

static bool add_numbers(struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                        size_t row_count)
{
    bool is_delta = has_deltas(chunk) && scratch->values.count;
    size_t count = scratch->values.count;
    const uint64_t *values = scratch->values.items;
    if (count && chunk->row_count == chunk->empty_count)
        chunk->least = chunk->most = values[0];
    for (size_t i = 0; i < count; i++) {
        if (is_less(chunk->type, values[i], chunk->least))
            chunk->least = values[i];
        if (is_less(chunk->type, chunk->most, values[i]))
            chunk->most = values[i];
    }
    return (is_delta ? parquet_put_deltas : parquet_put_plain)(&scratch->body,
                                                               scratch->values.items, count) &&
           put_page(scratch, PAGE_DATA, is_delta ? ENCODING_DELTA : ENCODING_PLAIN, row_count,
                    &chunk->pages, &chunk->unpacked_bytes);
}

static bool add_places(struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                       size_t row_count)
{
    size_t entries = chunk->dictionary.count;
    unsigned width = entries < 3 ? 1 : 64 - (unsigned)__builtin_clzll(entries - 1);
    return parquet_put_places(&scratch->body, scratch->places.items, scratch->places.count,
                              width) &&
           put_page(scratch, PAGE_DATA, ENCODING_PLACES, row_count, &chunk->pages,
                    &chunk->unpacked_bytes);
}

bool parquet_chunk_add(struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                       const struct parquet_column *column, const uint32_t *order, size_t first,
                       size_t count)
{
    for (size_t done = 0; done < count;) {
        size_t now = count - done < PAGE_ROWS ? count - done : PAGE_ROWS;
        const struct stretch stretch = {column, order, first + done, now};
        bool is_text = chunk->type == PARQUET_TEXT;
        if (!(is_text ? gather_places(scratch, chunk, &stretch)
                      : gather_numbers(scratch, &stretch)))
            return false;
        size_t there = is_text ? scratch->places.count : scratch->values.count;
        scratch->body.count = 0;
        if (!parquet_put_levels(&scratch->body, there < stretch.count ? scratch->has.items : NULL,
                                stretch.count) ||
            !(is_text ? add_places : add_numbers)(chunk, scratch, stretch.count))
            return false;
        chunk->row_count += stretch.count;
        chunk->empty_count += stretch.count - there;
        done += now;
    }
    return true;
}

// --- The whole -----------------------------------------------------------------------------------

// Makes the dictionary the body on the scratch. False: no memory, or it is too long.
static bool lay_dictionary(const struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                           const struct parquet_texts *texts)
{
    uint64_t size_bytes = 0;
    scratch->body.count = 0;
    for (size_t i = 0; i < chunk->dictionary.count; i++) {
        const struct parquet_text *text = &texts->items.items[chunk->dictionary.items[i]];
        size_bytes += 4 + (uint64_t)text->length;
        if (size_bytes > LIMIT_PARQUET_DICTIONARY_BYTES ||
            !parquet_put_entry(&scratch->body, text->text, text->length))
            return false;
    }
    return true;
}

static void put_text_statistics(const struct parquet_chunk *chunk,
                                const struct parquet_texts *texts, struct thrift *about)
{
    const struct parquet_text *least = NULL, *most = NULL;
    for (size_t i = 0; i < chunk->dictionary.count; i++) {
        const struct parquet_text *text = &texts->items.items[chunk->dictionary.items[i]];
        least = !least || strcmp(text->text, least->text) < 0 ? text : least;
        most = !most || strcmp(text->text, most->text) > 0 ? text : most;
    }
    if (!least || least->length > LIMIT_PARQUET_STATISTICS_BYTES ||
        most->length > LIMIT_PARQUET_STATISTICS_BYTES)
        return;
    thrift_text(about, 5, most->text, most->length);
    thrift_text(about, 6, least->text, least->length);
}

bool parquet_chunk_end(const struct parquet_chunk *chunk, struct parquet_scratch *scratch,
                       const struct parquet_texts *texts, const char *name, struct byte_vec *file,
                       uint64_t offset, struct thrift *about, uint64_t *unpacked_bytes)
{
    bool is_text = chunk->type == PARQUET_TEXT;
    size_t start = file->count;
    uint64_t unpacked = chunk->unpacked_bytes;
    if (is_text && (!lay_dictionary(chunk, scratch, texts) ||
                    !put_page(scratch, PAGE_DICTIONARY, ENCODING_PLAIN, chunk->dictionary.count,
                              file, &unpacked)))
        return false;
    uint64_t pages_offset = offset + (file->count - start);
    if (!append(file, &chunk->pages))
        return false;
    *unpacked_bytes += unpacked;
    thrift_begin(about);
    thrift_i64(about, 2, offset);
    thrift_struct(about, 3);
    thrift_i32(about, 1,
               is_text                      ? TYPE_BYTES
               : chunk->type == PARQUET_F64 ? TYPE_DOUBLE
                                            : TYPE_INT64);
    bool is_delta = has_deltas(chunk);
    thrift_list(about, 2, THRIFT_I32, is_delta ? 3 : 2);
    thrift_item_i32(about, ENCODING_RLE);
    if (chunk->type != PARQUET_TEXT)
        thrift_item_i32(about, ENCODING_PLAIN);
    if (is_delta)
        thrift_item_i32(about, ENCODING_DELTA);
    if (chunk->type == PARQUET_TEXT)
        thrift_item_i32(about, ENCODING_PLACES);
    thrift_list(about, 3, THRIFT_TEXT, 1);
    thrift_item_text(about, name);
    thrift_i32(about, 4, scratch->pack ? PARQUET_ZSTD : PARQUET_PLAIN_PAGES);
    thrift_i64(about, 5, chunk->row_count);
    thrift_i64(about, 6, unpacked);
    thrift_i64(about, 7, file->count - start);
    thrift_i64(about, 9, pages_offset);
    if (is_text)
        thrift_i64(about, 11, offset);
    thrift_struct(about, 12);
    thrift_i64(about, 3, chunk->empty_count);
    if (chunk->type == PARQUET_TEXT) {
        put_text_statistics(chunk, texts, about);
    } else if (chunk->empty_count < chunk->row_count) {
        thrift_text(about, 5, &chunk->most, sizeof chunk->most);
        thrift_text(about, 6, &chunk->least, sizeof chunk->least);
    }
    thrift_end(about);
    thrift_end(about);
    thrift_end(about);
    return !about->lacks_memory;
}

void parquet_chunk_free(struct parquet_chunk *chunk)
{
    free(chunk->pages.items);
    free(chunk->dictionary.items);
}
