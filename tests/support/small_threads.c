// Asks libtrawl everything about an index, on the main thread and then on threads with 128 KB of
// stack, which is what musl gives a thread. The answers must be the same (test_library.py).
#include "idx/trawl.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 128 << 10, THREADS = 3, ROWS = 4096, COLUMNS = 8, POINTS = 16, FEW = 64 };

struct asker {
    const char *path;
    struct trawl_index *index;
    struct trawl_info info;
    uint64_t answers; // a hash of all
    uint64_t columns[COLUMNS][ROWS];
    uint8_t values[ROWS], known[ROWS];
    struct trawl_write writes[FEW];
    struct trawl_error err;
};

static void note(struct asker *asker, const void *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        asker->answers = (asker->answers ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static void note_number(struct asker *asker, uint64_t number)
{
    note(asker, &number, sizeof number);
}

static void note_text(struct asker *asker, const char *text)
{
    if (text)
        note(asker, text, strlen(text));
}

static void note_rows(struct asker *asker, enum trawl_status status, size_t columns, size_t count)
{
    note_number(asker, status);
    for (size_t i = 0; i < columns && status == TRAWL_OK; i++)
        note(asker, asker->columns[i], count * sizeof asker->columns[i][0]);
}

static void ask_whole(struct asker *asker)
{
    struct trawl_size sizes[64];
    struct trawl_symbol symbol;
    struct trawl_line line;
    size_t count = 0;
    note_number(asker, trawl_verify(asker->index, &asker->err));
    note_number(asker, trawl_sizes(asker->index, sizes, 64, &count, &asker->err));
    for (size_t i = 0; i < count && i < 64; i++)
        note_number(asker, sizes[i].bytes);
    for (uint64_t i = 0; trawl_symbol(asker->index, i, &symbol, &asker->err) == TRAWL_OK; i++) {
        note_text(asker, symbol.name);
        note_number(asker, trawl_symbol_at(asker->index, symbol.address, &symbol, NULL));
        note_number(asker, trawl_symbol_named(asker->index, symbol.name, &symbol, NULL));
    }
    for (uint64_t i = 0; trawl_line(asker->index, i, &line, &asker->err) == TRAWL_OK; i++) {
        note_text(asker, line.file);
        note_number(asker, trawl_line_at(asker->index, line.address, &line, NULL));
    }
}

static void ask_blocks(struct asker *asker)
{
    uint64_t(*at)[ROWS] = asker->columns;
    struct trawl_register_cursor write = {0};
    struct trawl_access_cursor access = {0};
    const struct trawl_event_columns events = {at[0], at[1], at[2], at[3], at[4], at[5], at[6]};
    const struct trawl_register_write_columns writes = {at[0], at[1], at[2], at[3], at[4], at[5]};
    const struct trawl_access_columns accesses = {at[0], at[1], at[2], at[3], at[4], at[5]};
    size_t count = 0;
    uint64_t first = 0, segments = 0;
    if (asker->info.segment_events)
        segments = (asker->info.events - 1) / asker->info.segment_events + 1;
    do {
        note_rows(asker, trawl_events(asker->index, first, ROWS, &events, &count, &asker->err), 7,
                  count);
        first += count;
    } while (count);
    do {
        enum trawl_status status =
            trawl_register_log(asker->index, &write, segments, ROWS, &writes, &count, &asker->err);
        note_rows(asker, status, 6, count);
    } while (count);
    do {
        enum trawl_status status = trawl_accesses(asker->index, &access, asker->info.events, ROWS,
                                                  &accesses, &count, &asker->err);
        note_rows(asker, status, 6, count);
    } while (count);
}

static void ask_point(struct asker *asker, uint64_t lane, uint64_t event)
{
    struct trawl_event about = {0};
    struct trawl_index *index = asker->index;
    uint64_t found = 0;
    size_t count = 0;
    note_number(asker, trawl_event(index, event, &about, &asker->err));
    note_number(asker, trawl_instruction_of(index, event, &found, &asker->err));
    note_number(asker, trawl_event_at_line(index, about.line, &found, &asker->err));
    note_number(asker, trawl_event_at_position(index, about.position, &found, &asker->err));
    note_number(asker, trawl_event_at_time(index, lane, about.time, &found, &asker->err));
    note_number(asker, found);
    for (int i = 0; i < 2; i++) {
        enum trawl_direction way = i ? TRAWL_BACKWARD : TRAWL_FORWARD;
        note_number(asker, trawl_visit(index, lane, about.pc, event, way, &found, &asker->err));
        note_number(asker, found);
        enum trawl_status status = trawl_register_writes(
            index, lane, event, way, 0, FEW, asker->columns[0], FEW, &count, &asker->err);
        note_rows(asker, status, 1, count);
        status = trawl_memory_writes(index, event, way, 0, UINT64_MAX, asker->writes, FEW, &count,
                                     &asker->err);
        note_number(asker, status == TRAWL_OK ? count : status);
    }
    note_number(asker, trawl_registers(index, lane, event, 0, ROWS, asker->values, asker->known,
                                       &asker->err));
    note(asker, asker->known, ROWS);
    note_rows(asker,
              trawl_stored_words(index, TRAWL_START, event, 0, asker->columns[0], ROWS, &count,
                                 &asker->err),
              1, count);
    if (count)
        note_number(asker, trawl_memory(index, event, asker->columns[0][0], ROWS, asker->values,
                                        asker->known, &asker->err));
    note(asker, asker->values, ROWS);
}

static void ask_lane(struct asker *asker, uint64_t lane)
{
    uint64_t(*at)[ROWS] = asker->columns;
    const struct trawl_call_columns calls = {at[0], at[1], at[2], at[3],
                                             at[4], at[5], at[6], at[7]};
    struct trawl_index *index = asker->index;
    struct trawl_lane about = {0};
    struct trawl_call call;
    struct trawl_task task;
    struct trawl_task_run run;
    size_t count = 0;
    uint64_t event = 0, entered = 0;
    note_number(asker, trawl_lane(index, lane, &about, &asker->err));
    for (uint64_t first = 0; first < about.calls; first += count) {
        note_rows(asker, trawl_calls(index, lane, first, ROWS, &calls, &count, &asker->err), 8,
                  count);
        if (!count)
            break;
    }
    note_rows(asker, trawl_siblings(index, lane, 0, ROWS, &calls, &count, &asker->err), 8, count);
    note_rows(asker, trawl_functions(index, lane, 0, at[0], at[1], ROWS, &count, &asker->err), 2,
              count);
    for (uint64_t i = 0; trawl_task(index, lane, i, &task, &asker->err) == TRAWL_OK; i++)
        note_number(asker, task.stack);
    for (uint64_t i = 0; trawl_task_run(index, lane, i, &run, &asker->err) == TRAWL_OK; i++)
        note_number(asker, run.last);
    for (uint64_t i = 0; i < about.events; i += about.events / POINTS + 1) {
        if (trawl_call_at(index, lane, i, &call, &asker->err) == TRAWL_OK)
            note_number(asker, call.call);
        note_number(asker, trawl_calls_entered(index, lane, i, &entered, &asker->err));
        note_number(asker, trawl_event_of_lane(index, lane, i, &event, &asker->err));
        ask_point(asker, lane, event);
    }
}

static void *ask(void *self)
{
    struct asker *asker = self;
    asker->answers = UINT64_C(0xcbf29ce484222325);
    if (trawl_open(&asker->index, asker->path, &asker->err) != TRAWL_OK)
        return NULL;
    trawl_info(asker->index, &asker->info);
    ask_whole(asker);
    ask_blocks(asker);
    for (uint64_t lane = 0; lane < asker->info.lanes; lane++)
        ask_lane(asker, lane);
    trawl_close(asker->index);
    return asker;
}

int main(int argc, char **argv)
{
    struct asker *askers = calloc(THREADS + 1, sizeof *askers);
    pthread_t threads[THREADS];
    pthread_attr_t small;
    if (argc != 2 || !askers)
        return 2;
    for (int i = 0; i <= THREADS; i++)
        askers[i].path = argv[1];
    bool is_same = ask(&askers[THREADS]) && pthread_attr_init(&small) == 0 &&
                   pthread_attr_setstacksize(&small, STACK_BYTES) == 0;
    for (int i = 0; i < THREADS && is_same; i++)
        is_same = pthread_create(&threads[i], &small, ask, &askers[i]) == 0;
    for (int i = 0; i < THREADS && is_same; i++) {
        void *done = NULL;
        is_same = pthread_join(threads[i], &done) == 0 && done &&
                  askers[i].answers == askers[THREADS].answers;
    }
    printf("%" PRIu64 " events: %016" PRIx64 ", %s\n", askers[THREADS].info.events,
           askers[THREADS].answers, is_same ? "the same on all threads" : askers[THREADS].err.text);
    free(askers);
    return is_same ? 0 : 1;
}
