#include "session/call_lists.h"

#include "base/thread.h"
#include "flow/call_list.h"
#include "idx/index_write.h"

#include <stdlib.h>

// --- Calls in an index ---------------------------------------------------------------------------

// Passes the calls of a pass to the writer of an index.

// --- In preorder ---------------------------------------------------------------------------------

struct open_call {
    call_ref next;   // sibling to visit after the call
    uint64_t number; // number of the call that contains the siblings
};

// A walk over the calls of a lane, or of a forest in it.
struct call_walk {
    VEC(, struct open_call) stack;
    call_ref place;   // of the next call
    call_ref last;    // of a forest: its last sibling; 0: all calls
    uint64_t outside; // number of the surrounding call; UINT64_MAX: none
    uint64_t depth;   // number of calls around those with which the walk began
    uint64_t number;  // of the next call
};

static struct call_walk begin_walk(const struct call_content *outermost)
{
    return (struct call_walk){.place = call_list_first(outermost), .outside = UINT64_MAX};
}

// Moves to the next call, if necessary in a surrounding call. False: there is none.
static bool find_place(struct call_walk *walk)
{
    while (!walk->place && walk->stack.count) {
        const struct open_call *done = &walk->stack.items[--walk->stack.count];
        walk->place = done->next;
        walk->outside = done->number;
    }
    return walk->place != 0;
}

// Reads the next call, after find_place. False: no memory.
static bool next_call(struct call_walk *walk, const struct call_list *list, struct index_call *call)
{
    struct listed_call listed;
    call_list_read_ends(list, walk->place, &listed);
    *call = (struct index_call){
        .entry = listed.call.entry.event,
        .exit = listed.call.exit.event,
        .pc = listed.call.entry.pc,
        .depth = walk->depth + walk->stack.count + 1,
        .parent = walk->outside == UINT64_MAX ? 0 : walk->number - walk->outside,
        .is_open = listed.call.is_open,
        .how = listed.call.how,
        .before = listed.call.entry.event - listed.call.began,
    };
    if (!VEC_ROOM(&walk->stack, 1))
        return false;
    walk->stack.items[walk->stack.count++] =
        (struct open_call){walk->place == walk->last ? 0 : listed.next_sibling, walk->outside};
    walk->outside = walk->number++;
    walk->place = listed.first_child;
    return true;
}

// --- By several threads --------------------------------------------------------------------------

// The number of forests that a thread takes at once.
#define FORESTS_AT_ONCE 8

// A forest whose calls will be stored in the batch.
struct forest_place {
    const struct call_forest *forest;
    uint64_t first; // place of its first call in the batch
    uint64_t outside, depth, number;
};

struct adding {
    struct index_writer *writer;
    struct call_batch *batch;
    struct call_list *list;
    struct call_walk walk; // over the calls between forests
    VEC(, struct forest_place) forests;
    struct call_walk *walks; // within forests, one for each thread
    unsigned threads;
};

static bool store_forest(const struct adding *adding, struct call_walk *walk,
                         const struct forest_place *at)
{
    struct index_call call;
    uint64_t place = at->first;
    walk->place = at->forest->first;
    walk->last = at->forest->last;
    walk->outside = at->outside;
    walk->depth = at->depth;
    walk->number = at->number;
    for (; find_place(walk); place++) {
        if (!next_call(walk, adding->list, &call))
            return false;
        call_batch_store(adding->batch, place, &call);
    }
    ASSERT(place == at->first + at->forest->count);
    return true;
}

static bool store_forests(void *self, unsigned worker, uint64_t item)
{
    const struct adding *adding = self;
    size_t first = item * FORESTS_AT_ONCE,
           end = (size_t)u64_min(first + FORESTS_AT_ONCE, adding->forests.count);
    for (size_t i = first; i < end; i++) {
        if (!store_forest(adding, &adding->walks[worker], &adding->forests.items[i]))
            return false;
    }
    return true;
}

// Stores the forests that were skipped. False: no memory.
static bool store_all(struct adding *adding)
{
    uint64_t items = (adding->forests.count + FORESTS_AT_ONCE - 1) / FORESTS_AT_ONCE;
    unsigned threads = (unsigned)u64_min(adding->threads, items);
    bool has_memory = !items || parallel_run(threads, items, adding, store_forests);
    adding->forests.count = 0;
    return has_memory;
}

// Skips a forest, whose calls get their places. False: no memory.
static bool pass_forest(struct adding *adding, const struct call_forest *forest)
{
    struct call_walk *walk = &adding->walk;
    uint64_t first = adding->batch->count;
    if (!VEC_ROOM(&adding->forests, 1) || !call_batch_reserve(adding->batch, forest->count))
        return false;
    adding->forests.items[adding->forests.count++] =
        (struct forest_place){forest, first, walk->outside, walk->stack.count, walk->number};
    walk->number += forest->count;
    walk->place = call_list_pass(adding->list, forest);
    return true;
}

static bool add_all(struct adding *adding)
{
    struct call_walk *walk = &adding->walk;
    while (find_place(walk)) {
        const struct call_forest *forest = call_list_forest(adding->list, walk->place);
        struct index_call call;
        if (forest ? !pass_forest(adding, forest)
                   : !call_batch_reserve(adding->batch, 1) || !next_call(walk, adding->list, &call))
            return false;
        if (!forest)
            call_batch_store(adding->batch, adding->batch->count - 1, &call);
        bool is_full = call_batch_is_full(adding->batch);
        if (is_full && !(store_all(adding) && index_writer_flush_calls(adding->writer)))
            return false;
    }
    return store_all(adding);
}

// Adds the calls of one lane, in preorder, using the writer's threads. False: no memory.
static bool index_calls_add(struct index_writer *writer, struct call_list *list,
                            const struct call_content *outermost)
{
    struct call_batch *batch = index_writer_calls(writer);
    unsigned threads = (unsigned)u64_max(batch->threads, 1);
    struct adding adding = {.writer = writer,
                            .batch = batch,
                            .list = list,
                            .walk = begin_walk(outermost),
                            .walks = calloc(threads, sizeof *adding.walks),
                            .threads = threads};
    bool has_memory = adding.walks && add_all(&adding);
    for (unsigned i = 0; adding.walks && i < threads; i++)
        free(adding.walks[i].stack.items);
    free(adding.walks);
    free(adding.walk.stack.items);
    free(adding.forests.items);
    return has_memory;
}

// --- Both readings -------------------------------------------------------------------------------

// Whether a lane has the same calls in both lists. Also false if there is no memory.
static bool index_calls_are_equal(const struct call_list *a_list,
                                  const struct call_content *a_outermost,
                                  const struct call_list *b_list,
                                  const struct call_content *b_outermost)
{
    struct call_walk a_walk = begin_walk(a_outermost), b_walk = begin_walk(b_outermost);
    struct index_call a, b;
    bool is_equal = a_list->count == b_list->count, goes_on = is_equal;
    while (goes_on) {
        bool a_goes_on = find_place(&a_walk), b_goes_on = find_place(&b_walk);
        goes_on = a_goes_on && b_goes_on;
        is_equal = a_goes_on == b_goes_on;
        if (goes_on)
            goes_on = is_equal = next_call(&a_walk, a_list, &a) && next_call(&b_walk, b_list, &b) &&
                                 a.entry == b.entry && a.exit == b.exit && a.pc == b.pc &&
                                 a.depth == b.depth && a.is_open == b.is_open && a.how == b.how;
    }
    free(a_walk.stack.items);
    free(b_walk.stack.items);
    return is_equal;
}

// --- The lists of a pass -------------------------------------------------------------------------

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
        const struct call_counts *own = &lane->counts, *other = &lane->other_counts;
        is_needed |= has_calls &&
                     (own->returned != other->returned || own->dropped != other->dropped ||
                      own->unreturned != other->unreturned || own->unmatched != other->unmatched);
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
    VEC(, uint64_t) columns[PART_TASKS_LAST + 1];
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
                  add_value(columns, PART_TASK_ENTRIES, log->tasks.items[i].entry) &&
                  add_value(columns, PART_TASK_KEYS, log->tasks.items[i].key);
    for (uint64_t i = 0; i < log->switch_count && is_done; i++)
        is_done = add_value(columns, PART_SWITCH_EVENTS, switches[i].event) &&
                  add_value(columns, PART_SWITCH_TASKS, switches[i].number);
    return is_done;
}

// Omitted if no lane ever switched tasks, and none has a key, by which its only task is named.
static bool add_tasks(struct index_writer *writer, const struct pass_result *result)
{
    struct task_columns tasks = {0};
    struct parts_writer parts = {0};
    bool is_done = true, is_needed = false, has_keys = false;
    for (size_t i = 0; i < result->lane_count && is_done; i++) {
        is_needed |= result->lanes[i].tasks.switch_count > 0;
        is_done = add_tasks_of_lane(&tasks, &result->lanes[i].tasks);
    }
    for (size_t i = 0; i < tasks.columns[PART_TASK_KEYS].count; i++)
        has_keys |= tasks.columns[PART_TASK_KEYS].items[i] > 0;
    is_needed |= has_keys;
    for (uint32_t part = PART_TASK_COUNTS; is_done && is_needed && part <= PART_TASKS_LAST; part++)
        is_done =
            (part == PART_TASK_KEYS && !has_keys) ||
            parts_add_column(&parts, part, tasks.columns[part].items, tasks.columns[part].count);
    if (is_done && is_needed)
        is_done = index_writer_add_section(writer, SECTION_TASKS, &parts);
    for (uint32_t part = PART_TASK_COUNTS; part <= PART_TASKS_LAST; part++)
        free(tasks.columns[part].items);
    parts_writer_free(&parts);
    return is_done;
}

// --- All of it -----------------------------------------------------------------------------------

bool call_lists_write(struct call_lists *calls, struct index_writer *writer,
                      const struct pass_result *result, bool are_nested, struct index_lane *lanes)
{
    uint64_t first_call = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        const struct lane_result *lane = &result->lanes[i];
        struct index_lane *filled = &lanes[i];
        *filled = (struct index_lane){.name = lane->name};
        filled->figures[LANE_LINE_EVENTS] = lane->events;
        filled->figures[LANE_EVENTS] = lane->nodes;
        filled->figures[LANE_INSTRUCTIONS] = lane->instructions;
        filled->figures[LANE_ROOT] = lane->has_root ? lane->root.event : UINT64_MAX;
        filled->figures[LANE_TRANSFERS] = lane->counts.transfers;
        filled->figures[LANE_RETURNED] = lane->counts.returned;
        filled->figures[LANE_DROPPED] = lane->counts.dropped;
        filled->figures[LANE_UNRETURNED] = lane->counts.unreturned;
        if (!are_nested && !index_calls_add(writer, &calls->own, &lane->calls))
            return false;
        // Calls that are not listed are one for each entry, whether it returned or not.
        uint64_t end = are_nested ? first_call + lane->counts.returned + lane->counts.unreturned
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
