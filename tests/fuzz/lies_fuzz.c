// Indexes with wrong values (lie.h). All questions are asked of them, and they are replayed.
//
// Input: the number of edits, eight bytes for each, then a trace of any kind.
#include "lie.h"
#include "questions.h"
#include "replays.h"

static void ask_lie(const struct bytes *bytes, uint8_t how)
{
    static const uint64_t watched[] = {TRAWL_EXCEPTIONS, 0x1000, 0x1040, 0x80000};
    const struct pass_observer observer = {.note = on_note, .fault = on_fault};
    struct trawl_index *index;
    struct pass_options options = {
        .how = {.reading = how & 1 ? READING_TTU : READING_TRUE},
        .keep_open_calls = how & 2,
        .range = CALL_RANGE_ALL,
        .watch = {watched, ARRAY_COUNT(watched)},
    };
    char *copy = fuzz_copy(bytes->items, bytes->count); // with nothing readable after it
    if (trawl_open_bytes(&index, "lie", copy, bytes->count, NULL) == TRAWL_OK) {
        ask_all(index);
        ask(index, &options, &observer);
        trawl_close(index);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct bytes bytes = {0};
    size_t text;
    if (!lie_make(data, size_bytes, &bytes, &text))
        return 0;
    ask_lie(&bytes, data[0]);
    free(bytes.items);
    return 0;
}
