#include "bench/queries.h"
#include "trace/open.h"

#include "idx/index.h"
#include "session/indexing.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define POINTS 4096
#define THREADS 2

struct point {
    uint64_t event, in_lane, lane, time, pc;
    uint64_t address;  // of memory that the trace touches
    uint64_t offset;   // of a register that it writes
    uint64_t other_pc; // of another point
};

struct queries {
    char *trace_path, *index_path;
    struct trawl_index *index;
    struct trawl_info info;
    uint64_t trace_bytes, instructions, calls, next;
    struct point points[WHERES][POINTS];
};

// --- The index -----------------------------------------------------------------------------------

bool queries_build(const struct queries *queries)
{
    struct error err;
    struct trace *trace;
    struct pass_result result = {0};
    const struct pass_observer observer = {0};
    const struct pass_options options = {.how = {.reading = READING_TRUE},
                                         .threads = THREADS,
                                         .chunk_bytes = PASS_CHUNK_BYTES_DEFAULT,
                                         .range = CALL_RANGE_ALL};
    const struct indexing_options how = {
        .path = queries->index_path,
        .segment_events = SEGMENT_EVENTS_DEFAULT,
    };
    if (trace_open(&trace, queries->trace_path, READING_TRUE, &err) != STATUS_OK)
        return false;
    bool is_made = indexing_run(trace, &options, &observer, &how, &result, &err) == STATUS_OK;
    pass_result_free(&result);
    trace_close(trace);
    return is_made;
}

void queries_reopen(struct queries *queries)
{
    trawl_close(queries->index);
    ASSERT(trawl_open(&queries->index, queries->index_path, NULL) == TRAWL_OK);
}

void queries_close(struct queries *queries)
{
    if (!queries)
        return;
    trawl_close(queries->index);
    unlink(queries->index_path);
    free(queries->trace_path);
    free(queries->index_path);
    free(queries);
}

uint64_t queries_trace_bytes(const struct queries *queries)
{
    return queries->trace_bytes;
}

uint64_t queries_index_bytes(const struct queries *queries)
{
    return queries->info.index_bytes;
}

uint64_t queries_instructions(const struct queries *queries)
{
    return queries->instructions;
}

// --- Points --------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Chooses a word and a register that occur in the segment of the event.
static void choose_places(struct trawl_index *index, struct point *point, uint64_t *seed)
{
    uint64_t word = 0;
    struct segment_view *view =
        index_segment(index, point->event / index->identity[IDENTITY_SEGMENT_EVENTS], NULL);
    ASSERT(view && segment_registers(index, view, NULL) == STATUS_OK);
    const struct column *words = segment_column(index, view, PART_MEMORY_WORDS, NULL);
    ASSERT(words && view->register_count);
    if (words->count)
        ASSERT(column_get(words, next_random(seed) % words->count, &word));
    point->address = word * 8;
    uint64_t key = view->register_keys[next_random(seed) % view->register_count];
    point->offset = register_key_cell(key) * 8;
}

static void choose_points(struct queries *queries, enum where where, uint64_t from, uint64_t to)
{
    uint64_t seed = UINT64_C(88172645463325252);
    struct trawl_event event;
    for (size_t i = 0; i < POINTS; i++) {
        struct point *point = &queries->points[where][i];
        point->event = from + next_random(&seed) % (to - from);
        ASSERT(trawl_event(queries->index, point->event, &event, NULL) == TRAWL_OK);
        point->in_lane = event.in_lane;
        point->lane = event.lane;
        point->time = event.time;
        point->pc = event.pc;
        choose_places(queries->index, point, &seed);
    }
    for (size_t i = 0; i < POINTS; i++)
        queries->points[where][i].other_pc = queries->points[where][POINTS - 1 - i].pc;
}

struct queries *queries_open(const char *trace_path, const char *index_path)
{
    struct queries *queries = calloc(1, sizeof *queries);
    ASSERT(queries);
    queries->trace_path = strdup(trace_path);
    queries->index_path = strdup(index_path);
    ASSERT(queries->trace_path && queries->index_path);
    if (access(trace_path, R_OK) != 0 || !queries_build(queries) ||
        trawl_open(&queries->index, index_path, NULL) != TRAWL_OK) {
        queries_close(queries);
        return NULL;
    }
    struct trawl_lane lane;
    struct stat about;
    ASSERT(stat(trace_path, &about) == 0);
    queries->trace_bytes = (uint64_t)about.st_size;
    trawl_info(queries->index, &queries->info);
    ASSERT(trawl_lane(queries->index, 0, &lane, NULL) == TRAWL_OK);
    queries->instructions = lane.instructions;
    queries->calls = lane.calls;
    uint64_t near = queries->info.segments / 2 * queries->info.segment_events;
    choose_points(queries, NEAR, near,
                  u64_min(near + queries->info.segment_events, queries->info.events));
    choose_points(queries, FAR, 0, queries->info.events);
    return queries;
}

// --- Questions -----------------------------------------------------------------------------------

static uint64_t ask_registers(struct trawl_index *index, const struct point *point, uint64_t offset,
                              size_t size_bytes)
{
    uint8_t values[TRAWL_REGISTER_BYTES], known[TRAWL_REGISTER_BYTES];
    ASSERT(trawl_registers(index, point->lane, point->event, offset, size_bytes, values, known,
                           NULL) == TRAWL_OK);
    return values[0] + known[size_bytes - 1];
}

static uint64_t ask_memory(struct trawl_index *index, const struct point *point, size_t size_bytes)
{
    uint8_t values[64], known[64];
    ASSERT(trawl_memory(index, point->event, point->address, size_bytes, values, known, NULL) ==
           TRAWL_OK);
    return values[0] + known[size_bytes - 1];
}

static uint64_t ask_memory_written(struct trawl_index *index, const struct point *point,
                                   size_t size_bytes, bool back)
{
    struct trawl_write write = {0};
    enum trawl_status status =
        trawl_memory_written(index, point->event, back ? TRAWL_BACKWARD : TRAWL_FORWARD,
                             point->address, size_bytes, &write, NULL);
    ASSERT(status == TRAWL_OK || status == TRAWL_NOT_FOUND);
    return write.event;
}

static uint64_t ask_register_written(struct trawl_index *index, const struct point *point,
                                     bool back)
{
    uint64_t event = 0;
    enum trawl_status status = trawl_register_written(index, point->lane, point->event,
                                                      back ? TRAWL_BACKWARD : TRAWL_FORWARD,
                                                      point->offset, 8, &event, NULL);
    ASSERT(status == TRAWL_OK || status == TRAWL_NOT_FOUND);
    return event;
}

static uint64_t ask_visit(struct trawl_index *index, const struct point *point, uint64_t pc,
                          bool back)
{
    uint64_t event = 0;
    enum trawl_status status = trawl_visit(index, TRAWL_ANY_LANE, pc, point->event,
                                           back ? TRAWL_BACKWARD : TRAWL_FORWARD, &event, NULL);
    ASSERT(status == TRAWL_OK || status == TRAWL_NOT_FOUND);
    return event;
}

static uint64_t ask_stack(struct trawl_index *index, const struct point *point)
{
    struct trawl_call call;
    uint64_t depth = 0;
    enum trawl_status status = trawl_call_at(index, point->lane, point->in_lane, &call, NULL);
    while (status == TRAWL_OK) {
        depth++;
        if (call.parent == TRAWL_NONE)
            return depth;
        status = trawl_call(index, point->lane, call.parent, &call, NULL);
    }
    ASSERT(status == TRAWL_NOT_FOUND);
    return depth;
}

static uint64_t ask_call(struct trawl_index *index, uint64_t number)
{
    struct trawl_call call;
    ASSERT(trawl_call(index, 0, number, &call, NULL) == TRAWL_OK);
    return call.pc;
}

static uint64_t ask_event(struct trawl_index *index, uint64_t event)
{
    struct trawl_event about;
    ASSERT(trawl_event(index, event, &about, NULL) == TRAWL_OK);
    return about.time;
}

static uint64_t ask_event_at_time(struct trawl_index *index, const struct point *point)
{
    uint64_t event;
    ASSERT(trawl_event_at_time(index, point->lane, point->time, &event, NULL) == TRAWL_OK);
    return event;
}

uint64_t queries_ask(struct queries *queries, enum question question, enum where where)
{
    uint64_t number = queries->next++;
    const struct point *point = &queries->points[where][number % POINTS];
    struct trawl_index *index = queries->index;
    switch (question) {
    case ASK_EVENT:
        return ask_event(index, point->event);
    case ASK_EVENT_AT_TIME:
        return ask_event_at_time(index, point);
    case ASK_ALL_REGISTERS:
        return ask_registers(index, point, 0, TRAWL_REGISTER_BYTES);
    case ASK_REGISTER:
        return ask_registers(index, point, point->offset, 8);
    case ASK_REGISTER_WRITTEN:
        return ask_register_written(index, point, true);
    case ASK_REGISTER_WRITTEN_NEXT:
        return ask_register_written(index, point, false);
    case ASK_MEMORY_8:
        return ask_memory(index, point, 8);
    case ASK_MEMORY_64:
        return ask_memory(index, point, 64);
    case ASK_MEMORY_WRITTEN_8:
        return ask_memory_written(index, point, 8, true);
    case ASK_MEMORY_WRITTEN_64:
        return ask_memory_written(index, point, 64, true);
    case ASK_MEMORY_WRITTEN_NEXT_8:
        return ask_memory_written(index, point, 8, false);
    case ASK_MEMORY_WRITTEN_NEXT_64:
        return ask_memory_written(index, point, 64, false);
    case ASK_STACK:
        return ask_stack(index, point);
    case ASK_NEXT_VISIT:
        return ask_visit(index, point, point->other_pc, false);
    case ASK_PREVIOUS_VISIT:
        return ask_visit(index, point, point->other_pc, true);
    case ASK_MISSED_VISIT: {
        const struct point start = {.event = TRAWL_START};
        return ask_visit(index, &start, point->pc + 2, false);
    }
    case ASK_CALLS_IN_TURN:
        return queries->calls ? ask_call(index, number % queries->calls) : 0;
    case ASK_EVENTS_IN_TURN:
        return ask_event(index, number % queries->info.events);
    case QUESTIONS:
        break;
    }
    return 0;
}
