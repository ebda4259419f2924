#include "trace/xray/build.h"

#include "base/limits.h"

#include <stdlib.h>

bool xray_build_thread(struct xray_build *build, uint32_t pid, uint32_t tid, uint32_t *thread)
{
    struct xray_log *log = build->log;
    const struct xray_thread *threads = log->threads.items;
    uint64_t hash = hash_key(hash_index_seed(&build->threads), (uint64_t)pid << 32 | tid);
    HASH_INDEX_FIND(*thread, &build->threads, hash,
                    threads[candidate].pid == pid && threads[candidate].tid == tid);
    if (*thread != HASH_INDEX_NONE)
        return true;
    *thread = LIMIT_XRAY_THREADS;
    if (log->threads.count == LIMIT_XRAY_THREADS)
        return true;
    if (!VEC_ROOM(&log->threads, 1) ||
        !hash_index_add(&build->threads, hash, (uint32_t)log->threads.count))
        return false;
    *thread = (uint32_t)log->threads.count;
    log->threads.items[log->threads.count++] = (struct xray_thread){.pid = pid, .tid = tid};
    return true;
}

bool xray_build_buffer(struct xray_build *build, const struct xray_buffer *buffer)
{
    if (!VEC_ROOM(&build->log->buffers, 1))
        return false;
    build->log->buffers.items[build->log->buffers.count++] = *buffer;
    return true;
}
