// Any bytes as a compressed file whose access points are recorded and then changed: by these
// places either the correct text is shown, or none.
//
// Input: the number of changes, eight bytes for each, eight bytes that select what is requested,
// then the file.
#include "fuzz.h"

#include "base/unpack/seekable.h"
#include "base/unpack/unpack_stream.h"

enum { CHANGES_MAX = 6, CHANGE_BYTES = 8, ASKED_BYTES = 8 };

#define TEXT_BYTES ((size_t)12 << 20)

static char *text;
static size_t text_bytes;

static void copy_access_points(struct access_points *copy, const struct access_points *found)
{
    *copy = (struct access_points){.text_bytes = found->text_bytes};
    CLAIM(VEC_ROOM(&copy->items, found->items.count));
    CLAIM(VEC_ROOM(&copy->windows, found->windows.count + 1));
    memcpy(copy->items.items, found->items.items, found->items.count * sizeof *copy->items.items);
    if (found->windows.count)
        memcpy(copy->windows.items, found->windows.items, found->windows.count);
    copy->items.count = found->items.count;
    copy->windows.count = found->windows.count;
}

// Reads the whole file into `text`. False: no places were recorded.
static bool gather(const struct packed_file *file, struct access_points *copy)
{
    struct error err;
    struct unpack_stream *unpack_stream = unpack_stream_open(file->codec, file->packed, 2);
    CLAIM(unpack_stream);
    unpack_stream_keep_access_points(unpack_stream);
    CLAIM(unpack_stream_read(unpack_stream, text, TEXT_BYTES, &text_bytes, &err) == STATUS_OK);
    const struct access_points *found =
        text_bytes < TEXT_BYTES ? unpack_stream_access_points(unpack_stream) : NULL;
    if (found)
        copy_access_points(copy, found);
    unpack_stream_close(unpack_stream);
    return found != NULL;
}

static uint64_t changed(uint64_t value, uint8_t how, uint32_t more)
{
    switch (how & 3) {
    case 0:
        return value + 1 + more % 8;
    case 1:
        return value - 1 - more % 8;
    case 2:
        return value ^ UINT64_C(1) << more % 64;
    default:
        return more;
    }
}

// A text that claims to be longer than any would only need memory.
static void change_end(struct access_points *access_points, uint8_t how, uint32_t more)
{
    uint64_t end = changed(access_points->text_bytes, how, more);
    if (end < 4 * TEXT_BYTES)
        access_points->text_bytes = end;
}

static void change(struct access_points *access_points, const uint8_t bytes[CHANGE_BYTES])
{
    uint32_t more;
    size_t number = (bytes[1] | (size_t)bytes[2] << 8) % access_points->items.count;
    struct access_point *access_point = &access_points->items.items[number];
    uint64_t *const fields[] = {&access_point->plain_byte,   &access_point->chunk.from,
                                &access_point->chunk.to,     &access_point->window_at,
                                &access_point->window_bytes, &access_point->hash,
                                &access_point->chunk.frame};
    memcpy(&more, bytes + 4, sizeof more);
    unsigned field = bytes[0] % (ARRAY_COUNT(fields) + 5);
    if (field < ARRAY_COUNT(fields))
        *fields[field] = changed(*fields[field], bytes[3], more);
    else if (field == ARRAY_COUNT(fields))
        access_point->chunk.level = (uint8_t)more;
    else if (field == ARRAY_COUNT(fields) + 1)
        change_end(access_points, bytes[3], more);
    else if (field == ARRAY_COUNT(fields) + 2 && access_points->windows.count)
        access_points->windows.items[more % access_points->windows.count] ^= bytes[3];
    else if (field == ARRAY_COUNT(fields) + 3)
        *access_point = access_points->items.items[more % access_points->items.count];
    else if (field == ARRAY_COUNT(fields) + 4)
        access_points->items.count -= access_points->items.count > 1;
}

static void ask(const struct packed_file *file, struct access_points *access_points,
                const uint8_t *asked)
{
    struct error err;
    struct seekable *seekable = seekable_open(file, 1, access_points, 2);
    CLAIM(seekable);
    const char *shown = seekable_text(seekable);
    uint64_t size_bytes = seekable_text_bytes(seekable);
    for (size_t i = 0; i < ASKED_BYTES && shown; i += 2) {
        uint64_t from = size_bytes * asked[i] / 256, to = from + 40 * (uint64_t)asked[i + 1];
        to = u64_min(to, size_bytes);
        if (seekable_want(seekable, from, to))
            CLAIM(to <= text_bytes && memcmp(shown + from, text + from, (size_t)(to - from)) == 0);
        else
            CLAIM(seekable_status(seekable, &err) != STATUS_OK && err.text[0]);
    }
    if (size_bytes == text_bytes)
        CLAIM(!shown || seekable_status(seekable, NULL) == STATUS_OK);
    seekable_close(seekable);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct access_points access_points = {0};
    size_t changes = size_bytes ? data[0] % (CHANGES_MAX + 1) : 0;
    size_t head = 1 + changes * CHANGE_BYTES + ASKED_BYTES;
    if (size_bytes <= head)
        return 0;
    const struct packed packed = {data + head, size_bytes - head};
    struct packed_file file = {"packed", NULL, &packed};
    struct error err;
    CLAIM(codec_of(&packed, &file.codec, &err) == STATUS_OK);
    if (!text)
        CLAIM(text = malloc(TEXT_BYTES));
    if (!file.codec || !gather(&file, &access_points))
        return 0;
    for (size_t i = 0; i < changes; i++)
        change(&access_points, data + 1 + i * CHANGE_BYTES);
    if (access_points_may_be_of(&access_points, &file, 1))
        ask(&file, &access_points, data + head - ASKED_BYTES);
    access_points_free(&access_points);
    return 0;
}
