// Reports from an index of any bytes: what replay hands over is sound in itself, or it is refused,
// in bounded time. Checks always fit in builds for fuzzing, as in index_fuzz.c.
//
// Input: a byte that says how the report is asked for, and the bytes of an index.
#include "fuzz.h"

#include "flow/call_list.h"
#include "flow/context_tree.h"
#include "flow/replay.h"
#include "idx/index_format.h"

enum { SIZE_BYTES_MAX = 1 << 16 };

static uint64_t said_bytes;

static void on_note(void *self, const struct line_note_report *note)
{
    (void)self;
    for (size_t i = 0; i < note->subject_length; i++)
        said_bytes += (uint8_t)note->subject[i];
}

static bool on_fault(void *self, const struct line_fault *fault)
{
    (void)self;
    for (size_t i = 0; i < fault->length; i++)
        said_bytes += (uint8_t)fault->text[i];
    said_bytes += strlen(fault->fault.text);
    return fault->line % 7 != 0;
}

// Calls nest: each lies in its lane's events and its children in it.
static void walk_list(const struct call_list *list, const struct lane_result *lane)
{
    struct listed_call listed;
    for (call_place place = call_list_first(&lane->calls); place; place = listed.next_sibling) {
        call_list_read(list, place, &listed);
        CLAIM(listed.call.entry.event < lane->nodes && listed.call.exit.event < lane->nodes);
        CLAIM(listed.call.entry.event <= listed.call.exit.event);
    }
}

static void ask(struct trawl_index *index, struct pass_options *options,
                const struct pass_observer *observer)
{
    struct pass_result result;
    struct call_list list = {0};
    struct error err;
    options->consumer = call_list_consumer(&list);
    if (replay_run(index, options, observer, &result, &err) == STATUS_OK) {
        for (size_t i = 0; i < result.lane_count; i++)
            walk_list(&list, &result.lanes[i]);
        pass_result_free(&result);
    }
    call_list_free(&list);
    struct context_tree tree;
    if (!context_tree_init(&tree))
        return;
    options->consumer = context_tree_consumer(&tree);
    if (replay_run(index, options, observer, &result, &err) == STATUS_OK)
        pass_result_free(&result);
    context_tree_free(&tree);
}

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
        .how = {how & 1 ? READING_TTU : READING_RIGHT, false},
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
