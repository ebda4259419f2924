#include "session/call_lists.h"

#include "session/index_calls.h"

#include <stdlib.h>

// The memory for each list of calls; further calls are in a file.
#define CALLS_MEMORY_BYTES (UINT64_C(16) << 20)

void call_lists_begin(struct call_lists *calls, bool has_both, struct call_consumer *own,
                      struct call_consumer *other)
{
    calls->has_both = has_both;
    calls->own.ends_only = calls->other.ends_only = true;
    calls->own.spool.memory_bytes = calls->other.spool.memory_bytes =
        u64_min(CALLS_MEMORY_BYTES, spool_memory_bytes());
    *own = call_list_consumer(&calls->own);
    if (has_both)
        *other = call_list_consumer(&calls->other);
}

void call_lists_free(struct call_lists *calls)
{
    call_list_free(&calls->own);
    call_list_free(&calls->other);
    free(calls->other_figures.items);
    *calls = (struct call_lists){0};
}

// --- Calls ---------------------------------------------------------------------------------------

static bool are_counts_equal(const struct call_counts *a, const struct call_counts *b)
{
    return a->returned == b->returned && a->dropped == b->dropped &&
           a->unreturned == b->unreturned && a->unmatched == b->unmatched;
}

// If the calls differ in the other reading and that reading may use the index, writes its calls
// after all others; otherwise only the other data about them.
static bool add_other_calls(struct call_lists *calls, struct index_writer *writer,
                            const struct pass_result *result)
{
    static const struct call_content nothing = {0};
    static const struct call_counts none = {0};
    bool is_needed = false, has_calls = !result->readings_differ;
    if (!calls->has_both)
        return true;
    bool are_same = has_calls && call_list_are_same(&calls->own, &calls->other);
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        is_needed |= lane->counts.unmatched != 0;
        is_needed |= has_calls && !are_counts_equal(&lane->counts, &lane->other_counts);
        bool has_same =
            are_same && call_list_first(&lane->calls) == call_list_first(&lane->other_calls);
        is_needed |=
            has_calls && !has_same &&
            !index_calls_are_equal(&calls->own, &lane->calls, &calls->other, &lane->other_calls);
    }
    calls->writes_other = is_needed;
    uint64_t first = index_writer_call_count(writer);
    for (size_t i = 0; i < result->lane_count && is_needed; i++) {
        const struct lane_result *lane = &result->lanes[i];
        const struct call_counts *counts = has_calls ? &lane->other_counts : &none;
        if (!index_calls_add(writer, &calls->other, has_calls ? &lane->other_calls : &nothing))
            return false;
        uint64_t end = index_writer_call_count(writer);
        const uint64_t figures[OTHER_ROWS] = {
            [OTHER_UNMATCHED] = lane->counts.unmatched,
            [OTHER_RETURNED] = counts->returned,
            [OTHER_DROPPED] = counts->dropped,
            [OTHER_UNRETURNED] = counts->unreturned,
            [OTHER_UNMATCHED_OTHER] = counts->unmatched,
            [OTHER_FIRST_CALL] = first,
            [OTHER_CALLS] = end - first,
        };
        if (!VEC_ROOM(&calls->other_figures, OTHER_ROWS))
            return false;
        memcpy(calls->other_figures.items + calls->other_figures.count, figures, sizeof figures);
        calls->other_figures.count += OTHER_ROWS;
        first = end;
    }
    return true;
}

static bool add_other_section(const struct call_lists *calls, struct index_writer *writer)
{
    struct parts_writer parts = {0};
    bool is_done = !calls->writes_other ||
                   (parts_add_column(&parts, PART_OTHER_CALLS, calls->other_figures.items,
                                     calls->other_figures.count) &&
                    index_writer_add_section(writer, SECTION_OTHER_CALLS, &parts));
    parts_writer_free(&parts);
    return is_done;
}

// --- Tasks ---------------------------------------------------------------------------------------

struct task_columns {
    VEC(, uint64_t) columns[PART_SWITCH_TASKS + 1];
};

static bool add_value(struct task_columns *tasks, enum tasks_part part, uint64_t value)
{
    if (!VEC_ROOM(&tasks->columns[part], 1))
        return false;
    tasks->columns[part].items[tasks->columns[part].count++] = value;
    return true;
}

static bool add_tasks_of_lane(struct task_columns *columns, const struct task_log *log)
{
    const struct task_switch *switches = task_log_switches(log);
    bool is_done = add_value(columns, PART_TASK_COUNTS, log->tasks.count) &&
                   add_value(columns, PART_SWITCH_COUNTS, log->switch_count);
    for (size_t i = 0; i < log->tasks.count && is_done; i++)
        is_done = add_value(columns, PART_TASK_STACKS, log->tasks.items[i].stack) &&
                  add_value(columns, PART_TASK_STACKS_LOW, log->tasks.items[i].stack_low) &&
                  add_value(columns, PART_TASK_ENTRIES, log->tasks.items[i].entry);
    for (uint64_t i = 0; i < log->switch_count && is_done; i++)
        is_done = add_value(columns, PART_SWITCH_EVENTS, switches[i].event) &&
                  add_value(columns, PART_SWITCH_TASKS, switches[i].number);
    return is_done;
}

// Omitted if no lane ever switched tasks.
static bool add_tasks(struct index_writer *writer, const struct pass_result *result)
{
    struct task_columns tasks = {0};
    struct parts_writer parts = {0};
    bool is_done = true, is_needed = false;
    for (size_t i = 0; i < result->lane_count && is_done; i++) {
        is_needed |= result->lanes[i].tasks.switch_count > 0;
        is_done = add_tasks_of_lane(&tasks, &result->lanes[i].tasks);
    }
    for (uint32_t part = PART_TASK_COUNTS; is_done && is_needed && part <= PART_SWITCH_TASKS;
         part++)
        is_done =
            parts_add_column(&parts, part, tasks.columns[part].items, tasks.columns[part].count);
    if (is_done && is_needed)
        is_done = index_writer_add_section(writer, SECTION_TASKS, &parts);
    for (uint32_t part = PART_TASK_COUNTS; part <= PART_SWITCH_TASKS; part++)
        free(tasks.columns[part].items);
    parts_writer_free(&parts);
    return is_done;
}

// --- All of it -----------------------------------------------------------------------------------

static void fill_lane(struct index_lane *filled, const struct lane_result *lane)
{
    *filled = (struct index_lane){.name = lane->name};
    filled->figures[LANE_LINE_EVENTS] = lane->events;
    filled->figures[LANE_EVENTS] = lane->nodes;
    filled->figures[LANE_INSTRUCTIONS] = lane->instructions;
    filled->figures[LANE_ROOT] = lane->has_root ? lane->root.event : UINT64_MAX;
    filled->figures[LANE_TRANSFERS] = lane->counts.transfers;
    filled->figures[LANE_RETURNED] = lane->counts.returned;
    filled->figures[LANE_DROPPED] = lane->counts.dropped;
    filled->figures[LANE_UNRETURNED] = lane->counts.unreturned;
}

bool call_lists_write(struct call_lists *calls, struct index_writer *writer,
                      const struct pass_result *result, bool are_written, struct index_lane *lanes)
{
    uint64_t first_call = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        fill_lane(&lanes[i], lane);
        if (!are_written && !index_calls_add(writer, &calls->own, &lane->calls))
            return false;
        // A kind that writes its calls itself has one for each entry, whether it returned or not.
        uint64_t end = are_written ? first_call + lane->counts.returned + lane->counts.unreturned
                                   : index_writer_call_count(writer);
        lanes[i].figures[LANE_FIRST_CALL] = first_call;
        lanes[i].figures[LANE_CALLS] = end - first_call;
        first_call = end;
    }
    return add_other_calls(calls, writer, result);
}

static bool add_doubts(struct index_writer *writer, const struct pass_result *result)
{
    struct parts_writer parts = {0};
    bool is_needed;
    bool is_done = doubts_write(&result->doubts, &parts, &is_needed) &&
                   (!is_needed || index_writer_add_section(writer, SECTION_DOUBTS, &parts));
    parts_writer_free(&parts);
    return is_done;
}

bool call_lists_write_sections(const struct call_lists *calls, struct index_writer *writer,
                               const struct pass_result *result)
{
    return add_other_section(calls, writer) && add_tasks(writer, result) &&
           add_doubts(writer, result);
}
