// Writes a log in flight data recorder mode, version 5, with one buffer for each thread.
#include "base/limits.h"
#include "trace/xray/build.h"

#include <stdlib.h>

#define MADE_VERSION 5

// --- Writing records -----------------------------------------------------------------------------

// Adds a record of that many bytes, set to zero. NULL: no memory.
static uint8_t *add(struct xray_made_thread *thread, size_t size_bytes)
{
    if (!VEC_ROOM(&thread->bytes, size_bytes))
        return NULL;
    uint8_t *at = thread->bytes.items + thread->bytes.count;
    thread->bytes.count += size_bytes;
    return memset(at, 0, size_bytes);
}

static uint8_t *add_metadata(struct xray_made_thread *thread, enum xray_metadata kind)
{
    uint8_t *at = add(thread, XRAY_METADATA_BYTES);
    if (at)
        at[0] = (uint8_t)(kind << 1 | 1);
    return at;
}

// Adds extents, which are filled in at the end, and the first records of a buffer.
static bool begin_buffer(struct xray_made_thread *thread)
{
    uint8_t *at;
    if (!add_metadata(thread, META_EXTENTS) || !(at = add_metadata(thread, META_NEW_BUFFER)))
        return false;
    store_little(at + 1, thread->tid, 4);
    if (!add_metadata(thread, META_WALL_CLOCK) || !(at = add_metadata(thread, META_PID)))
        return false;
    store_little(at + 1, thread->pid, 4);
    return true;
}

// Sets the clock to `tsc`, so that the next record has no ticks.
static bool set_clock(struct xray_made_thread *thread, uint64_t tsc)
{
    uint8_t *at = add_metadata(thread, META_TSC_WRAP);
    if (!at)
        return false;
    store_little(at + 1, tsc, 8);
    thread->tsc = tsc;
    return true;
}

static bool set_cpu(struct xray_made_thread *thread, uint16_t cpu, uint64_t tsc)
{
    uint8_t *at = add_metadata(thread, META_CPU);
    if (!at)
        return false;
    store_little(at + 1, cpu, 2);
    store_little(at + 3, tsc, 8);
    thread->cpu = cpu;
    thread->tsc = tsc;
    return true;
}

static bool put_call(struct xray_made_thread *thread, const struct xray_made_record *record)
{
    uint8_t *at;
    if (record->tsc - thread->tsc > UINT32_MAX && !set_clock(thread, record->tsc))
        return false;
    if (!(at = add(thread, XRAY_FUNCTION_BYTES)))
        return false;
    store_little(at, record->function << 4 | record->kind << 1, 4);
    store_little(at + 4, record->tsc - thread->tsc, 4);
    for (size_t i = 0; i < record->argument_count; i++) {
        if (!(at = add_metadata(thread, META_ARGUMENT)))
            return false;
        store_little(at + 1, record->arguments[i], 8);
    }
    return true;
}

static bool put_event(struct xray_made_thread *thread, const struct xray_made_record *record)
{
    bool is_typed = record->kind == XRAY_MADE_TYPED;
    uint64_t ticks = record->tsc - thread->tsc;
    uint8_t *at;
    if (ticks + INT32_MAX + 1 > UINT32_MAX && !set_clock(thread, record->tsc))
        return false;
    if (!(at = add_metadata(thread, is_typed ? META_TYPED_EVENT : META_CUSTOM_EVENT)))
        return false;
    store_little(at + 1, record->payload_bytes, 4);
    store_little(at + 5, record->tsc - thread->tsc, 4);
    if (is_typed)
        store_little(at + 9, record->type, 2);
    if (!record->payload_bytes)
        return true;
    if (!(at = add(thread, record->payload_bytes)))
        return false;
    memcpy(at, record->payload, record->payload_bytes);
    return true;
}

bool xray_make_record(struct xray_made_thread *thread, const struct xray_made_record *record)
{
    bool is_new = thread->bytes.count == 0;
    if (is_new && !begin_buffer(thread))
        return false;
    if ((is_new || record->cpu != thread->cpu) && !set_cpu(thread, record->cpu, record->tsc))
        return false;
    bool has_memory =
        record->kind >= XRAY_MADE_CUSTOM ? put_event(thread, record) : put_call(thread, record);
    thread->tsc = record->tsc;
    return has_memory;
}

// --- The log -------------------------------------------------------------------------------------

enum status xray_make_thread(struct xray_maker *maker, uint32_t pid, uint32_t tid,
                             struct xray_made_thread **thread, struct error *err)
{
    uint32_t number;
    maker->build.log = &maker->log;
    if (!xray_build_thread(&maker->build, pid, tid, &number))
        return error_set(err, STATUS_MEMORY, "no memory for the log");
    if (number == LIMIT_XRAY_THREADS)
        return error_set(err, STATUS_LIMIT, "more than %d threads", LIMIT_XRAY_THREADS);
    if (number == maker->threads.count) {
        if (!VEC_ROOM(&maker->threads, 1))
            return error_set(err, STATUS_MEMORY, "no memory for the log");
        maker->threads.items[maker->threads.count++] =
            (struct xray_made_thread){.pid = pid, .tid = tid};
    }
    *thread = &maker->threads.items[number];
    return STATUS_OK;
}

enum status xray_make_log(const struct xray_maker *maker, const struct xray_header *told,
                          uint8_t **bytes, uint64_t *made_bytes, struct error *err)
{
    uint64_t size = XRAY_HEADER_BYTES;
    for (size_t i = 0; i < maker->threads.count; i++)
        size += maker->threads.items[i].bytes.count;
    uint8_t *at = *bytes = malloc(size);
    if (!at)
        return error_set(err, STATUS_MEMORY, "no memory for the log");
    *made_bytes = size;
    memset(at, 0, XRAY_HEADER_BYTES);
    store_little(at, MADE_VERSION, 2);
    store_little(at + 2, XRAY_FDR, 2);
    store_little(at + 4, told->constant_tsc | told->nonstop_tsc << 1, 4);
    store_little(at + 8, told->frequency_hz, 8);
    at += XRAY_HEADER_BYTES;
    for (size_t i = 0; i < maker->threads.count; i++) {
        const struct xray_made_thread *thread = &maker->threads.items[i];
        if (!thread->bytes.count)
            continue;
        memcpy(at, thread->bytes.items, thread->bytes.count);
        store_little(at + 1, thread->bytes.count - XRAY_METADATA_BYTES, 8);
        at += thread->bytes.count;
    }
    return STATUS_OK;
}

void xray_make_free(struct xray_maker *maker)
{
    for (size_t i = 0; i < maker->threads.count; i++)
        free(maker->threads.items[i].bytes.items);
    free(maker->threads.items);
    hash_index_free(&maker->build.threads);
    xray_log_close(&maker->log);
}
