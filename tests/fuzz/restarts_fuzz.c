// Any bytes as a compressed file whose restart places are recorded and then changed: by these
// places either the correct text is shown, or none.
//
// Input: the number of changes, eight bytes for each, eight bytes that select what is requested,
// then the file.
#include "fuzz.h"

#include "base/unpack/partial.h"
#include "base/unpack/unpack_stream.h"

enum { CHANGES_MAX = 6, CHANGE_BYTES = 8, ASKED_BYTES = 8 };

#define TEXT_BYTES ((size_t)12 << 20)

static char *text;
static size_t text_bytes;

static void copy_restarts(struct restarts *copy, const struct restarts *found)
{
    *copy = (struct restarts){.text_bytes = found->text_bytes};
    CLAIM(VEC_ROOM(&copy->items, found->items.count));
    CLAIM(VEC_ROOM(&copy->windows, found->windows.count + 1));
    memcpy(copy->items.items, found->items.items, found->items.count * sizeof *copy->items.items);
    if (found->windows.count)
        memcpy(copy->windows.items, found->windows.items, found->windows.count);
    copy->items.count = found->items.count;
    copy->windows.count = found->windows.count;
}

// Reads the whole file into `text`. False: no places were recorded.
static bool gather(const struct packed_file *file, struct restarts *copy)
{
    struct error err;
    struct unpack_stream *unpack_stream = unpack_stream_open(file->codec, file->packed, 2);
    CLAIM(unpack_stream);
    unpack_stream_keep_restarts(unpack_stream);
    CLAIM(unpack_stream_read(unpack_stream, text, TEXT_BYTES, &text_bytes, &err) == STATUS_OK);
    const struct restarts *found =
        text_bytes < TEXT_BYTES ? unpack_stream_restarts(unpack_stream) : NULL;
    if (found)
        copy_restarts(copy, found);
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
static void change_end(struct restarts *restarts, uint8_t how, uint32_t more)
{
    uint64_t end = changed(restarts->text_bytes, how, more);
    if (end < 4 * TEXT_BYTES)
        restarts->text_bytes = end;
}

static void change(struct restarts *restarts, const uint8_t bytes[CHANGE_BYTES])
{
    uint32_t more;
    size_t number = (bytes[1] | (size_t)bytes[2] << 8) % restarts->items.count;
    struct restart *restart = &restarts->items.items[number];
    uint64_t *const fields[] = {&restart->plain_byte, &restart->piece.from,   &restart->piece.to,
                                &restart->window_at,  &restart->window_bytes, &restart->hash,
                                &restart->piece.frame};
    memcpy(&more, bytes + 4, sizeof more);
    unsigned field = bytes[0] % (ARRAY_COUNT(fields) + 5);
    if (field < ARRAY_COUNT(fields))
        *fields[field] = changed(*fields[field], bytes[3], more);
    else if (field == ARRAY_COUNT(fields))
        restart->piece.level = (uint8_t)more;
    else if (field == ARRAY_COUNT(fields) + 1)
        change_end(restarts, bytes[3], more);
    else if (field == ARRAY_COUNT(fields) + 2 && restarts->windows.count)
        restarts->windows.items[more % restarts->windows.count] ^= bytes[3];
    else if (field == ARRAY_COUNT(fields) + 3)
        *restart = restarts->items.items[more % restarts->items.count];
    else if (field == ARRAY_COUNT(fields) + 4)
        restarts->items.count -= restarts->items.count > 1;
}

static void ask(const struct packed_file *file, struct restarts *restarts, const uint8_t *asked)
{
    struct error err;
    struct partial *partial = partial_open(file, 1, restarts, 2);
    CLAIM(partial);
    const char *shown = partial_text(partial);
    uint64_t size_bytes = partial_text_bytes(partial);
    for (size_t i = 0; i < ASKED_BYTES && shown; i += 2) {
        uint64_t from = size_bytes * asked[i] / 256, to = from + 40 * (uint64_t)asked[i + 1];
        to = u64_min(to, size_bytes);
        if (partial_want(partial, from, to))
            CLAIM(to <= text_bytes && memcmp(shown + from, text + from, (size_t)(to - from)) == 0);
        else
            CLAIM(partial_status(partial, &err) != STATUS_OK && err.text[0]);
    }
    if (size_bytes == text_bytes)
        CLAIM(!shown || partial_status(partial, NULL) == STATUS_OK);
    partial_close(partial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct restarts restarts = {0};
    size_t changes = size_bytes ? data[0] % (CHANGES_MAX + 1) : 0;
    size_t head = 1 + changes * CHANGE_BYTES + ASKED_BYTES;
    if (size_bytes <= head)
        return 0;
    const struct packed packed = {data + head, size_bytes - head};
    const struct packed_file file = {"packed", codec_of(&packed), &packed};
    if (!text)
        CLAIM(text = malloc(TEXT_BYTES));
    if (!file.codec || !gather(&file, &restarts))
        return 0;
    for (size_t i = 0; i < changes; i++)
        change(&restarts, data + 1 + i * CHANGE_BYTES);
    if (restarts_may_be_of(&restarts, &file, 1))
        ask(&file, &restarts, data + head - ASKED_BYTES);
    restarts_free(&restarts);
    return 0;
}
