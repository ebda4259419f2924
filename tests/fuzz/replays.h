// Reports from an index that may be anything: what a replay reports is consistent in itself, or the
// replay is refused.
#ifndef TRAWL_TESTS_FUZZ_REPLAYS_H
#define TRAWL_TESTS_FUZZ_REPLAYS_H

#include "fuzz.h"

#include "flow/call_list.h"
#include "flow/context_tree.h"
#include "flow/replay.h"

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

// Calls nest: each is inside its lane's events, and its children are inside it.
static void walk_list(struct call_list *list, const struct lane_result *lane)
{
    struct listed_call listed;
    for (call_ref place = call_list_first(&lane->calls); place; place = listed.next_sibling) {
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

#endif
