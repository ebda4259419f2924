// Any bytes as a compressed file: several threads that read it in chunks give the same text and the
// same damage as one thread that reads it from the beginning to the end.
#include "base/unpack/unpack_stream.h"
#include "fuzz.h"

// The most text that is read, because few bytes may decompress to very many.
#define TEXT_BYTES ((size_t)4 << 20)

struct text {
    char *bytes;
    size_t size_bytes;
    bool is_all; // the text, or its sound part, ends there
    const char *fault;
};

// Reads with one thread, without chunks. False: no memory.
static bool read_alone(const struct codec *codec, const struct packed *packed, struct text *text)
{
    const struct packed_chunk whole = {.to = CHUNK_REST};
    struct unpacker *unpacker = codec->begin(packed, whole);
    enum unpack_result result = UNPACK_MORE;
    CLAIM(unpacker);
    while (result == UNPACK_MORE && text->size_bytes < TEXT_BYTES) {
        size_t have, room = TEXT_BYTES - text->size_bytes;
        result = codec->read(unpacker, (uint8_t *)text->bytes + text->size_bytes, room, &have);
        CLAIM(have <= room && unpacker->at <= packed->size_bytes);
        text->size_bytes += have;
    }
    text->is_all = result != UNPACK_MORE;
    text->fault = result == UNPACK_DAMAGED ? unpacker->fault : NULL;
    CLAIM(result != UNPACK_DAMAGED || text->fault);
    codec->end(unpacker);
    return result != UNPACK_NO_MEMORY;
}

static void read_by_pieces(struct unpack_stream *unpack_stream, const struct packed *packed,
                           struct text *text)
{
    struct error err;
    *text = (struct text){.bytes = text->bytes};
    enum status status =
        unpack_stream_read(unpack_stream, text->bytes, TEXT_BYTES, &text->size_bytes, &err);
    CLAIM(status == STATUS_OK);
    text->is_all = text->size_bytes < TEXT_BYTES;
    text->fault = unpack_stream_fault(unpack_stream).text;
    CLAIM(!text->fault || unpack_stream_fault(unpack_stream).packed_byte <= packed->size_bytes);
    CLAIM(!text->fault || unpack_stream_fault(unpack_stream).plain_byte == text->size_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    const struct packed packed = {data, size_bytes};
    const struct codec *codec = NULL;
    struct error err;
    CLAIM(!size_bytes || codec_of(&packed, &codec, &err) == STATUS_OK);
    if (!codec)
        return 0;
    struct text alone = {.bytes = malloc(TEXT_BYTES)}, chunks = {.bytes = malloc(TEXT_BYTES)};
    CLAIM(alone.bytes && chunks.bytes);
    if (read_alone(codec, &packed, &alone)) {
        struct unpack_stream *unpack_stream = unpack_stream_open(codec, &packed, 3);
        CLAIM(unpack_stream);
        for (int i = 0; i < 2; i++) { // the second time after returning to the beginning
            read_by_pieces(unpack_stream, &packed, &chunks);
            CLAIM(chunks.size_bytes == alone.size_bytes);
            CLAIM(memcmp(chunks.bytes, alone.bytes, alone.size_bytes) == 0);
            CLAIM(!alone.is_all || !chunks.is_all || chunks.fault == alone.fault ||
                  (chunks.fault && alone.fault && strcmp(chunks.fault, alone.fault) == 0));
            unpack_stream_rewind(unpack_stream);
        }
        unpack_stream_close(unpack_stream);
    }
    free(alone.bytes);
    free(chunks.bytes);
    return 0;
}
