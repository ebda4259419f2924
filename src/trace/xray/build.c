#include "trace/xray/build.h"

#include "base/limits.h"

#include <stdlib.h>

static size_t probe(const struct xray_build *build, uint32_t pid, uint32_t tid)
{
    uint64_t hash = hash_key(&build->seed, (uint64_t)pid << 32 | tid);
    size_t at = (size_t)hash & (build->slot_count - 1);
    for (; build->slots[at]; at = (at + 1) & (build->slot_count - 1)) {
        const struct xray_thread *thread = &build->log->threads.items[build->slots[at] - 1];
        if (thread->pid == pid && thread->tid == tid)
            break;
    }
    return at;
}

static bool grow(struct xray_build *build)
{
    size_t slot_count = build->slot_count ? 2 * build->slot_count : 64;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    free(build->slots);
    build->slots = slots;
    build->slot_count = slot_count;
    for (size_t i = 0; i < build->log->threads.count; i++) {
        const struct xray_thread *thread = &build->log->threads.items[i];
        slots[probe(build, thread->pid, thread->tid)] = (uint32_t)i + 1;
    }
    return true;
}

bool xray_build_thread(struct xray_build *build, uint32_t pid, uint32_t tid, uint32_t *thread)
{
    struct xray_log *log = build->log;
    if (2 * (log->threads.count + 1) > build->slot_count && !grow(build))
        return false;
    size_t at = probe(build, pid, tid);
    *thread = build->slots[at] - 1;
    if (build->slots[at])
        return true;
    *thread = LIMIT_XRAY_THREADS;
    if (log->threads.count == LIMIT_XRAY_THREADS)
        return true;
    if (!VEC_ROOM(&log->threads, 1))
        return false;
    *thread = (uint32_t)log->threads.count;
    log->threads.items[log->threads.count++] = (struct xray_thread){.pid = pid, .tid = tid};
    build->slots[at] = *thread + 1;
    return true;
}

bool xray_build_buffer(struct xray_build *build, const struct xray_buffer *buffer)
{
    if (!VEC_ROOM(&build->log->buffers, 1))
        return false;
    build->log->buffers.items[build->log->buffers.count++] = *buffer;
    return true;
}
