// Reports from an index of any bytes: what a replay reports is consistent in itself, or the replay
// is refused, in bounded time. In fuzzing builds, checksums always fit, as in index_fuzz.c.
//
// Input: a byte with the options of the report, and the bytes of an index.
#include "idx/index_format.h"
#include "replays.h"

enum { SIZE_BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const uint64_t watched[] = {TRAWL_EXCEPTIONS, 0x1000, 0x1040, 0x80000};
    const struct pass_observer observer = {.note = on_note, .fault = on_fault};
    struct trawl_index *index;
    if (size_bytes < 1 + INDEX_HEADER_BYTES || size_bytes > SIZE_BYTES_MAX)
        return 0;
    uint8_t how = *data++;
    size_bytes--;
    struct pass_options options = {
        .how = {.reading = how & 1 ? READING_TTU : READING_TRUE},
        .keep_open_calls = how & 2,
        .range = CALL_RANGE_ALL,
        .watch = {watched, ARRAY_COUNT(watched)},
    };
    if (how & 4) {
        options.range.first_event = how >> 4;
        options.range.last_event = how;
    }
    if (how & 8)
        options.range.last_time = how;
    char *bytes = fuzz_copy(data, size_bytes);
    memcpy(bytes, INDEX_MAGIC, 8);
    bytes[8] = INDEX_MAJOR;
    bytes[9] = 0;
    for (unsigned i = 0; i < 8; i++)
        bytes[16 + i] = (char)((uint64_t)size_bytes >> 8 * i);
    if (trawl_open_bytes(&index, "fuzz", bytes, size_bytes, NULL) == TRAWL_OK) {
        ask(index, &options, &observer);
        trawl_close(index);
    }
    free(bytes);
    return 0;
}
