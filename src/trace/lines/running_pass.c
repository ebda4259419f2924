#include "trace/lines/running_pass.h"

#include "base/fingerprint.h"

#include <stdlib.h>

void pass_fail(struct pipeline *pipeline, enum status status, const char *text)
{
    pthread_mutex_lock(&pipeline->lock);
    if (pipeline->status == STATUS_OK)
        pipeline->status = error_set(&pipeline->error, status, "%s", text);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

bool pass_is_new_note(struct pipeline *pipeline, uint64_t hash)
{
    bool is_new = false;
    if (pipeline->notes_seen.count < LIMIT_NOTES &&
        !hashset_add(&pipeline->notes_seen, hash, &is_new))
        pass_fail(pipeline, STATUS_MEMORY, "no memory for the messages of a trace");
    return is_new;
}

void pass_add_time(struct pipeline *pipeline, enum pass_stage stage, uint64_t since_ns)
{
    __atomic_fetch_add(&pipeline->result->stage_ns[stage], monotonic_ns() - since_ns,
                       __ATOMIC_RELAXED);
}

struct chunk_data *pass_chunk_data(struct pipeline *pipeline)
{
    struct chunk_data *data = pipeline->spare;
    if (!data)
        data = calloc(1, sizeof *data);
    else
        pipeline->spare = data->next_spare;
    if (!data)
        return NULL;
    data->users = 1;
    if (!data->parsed.templates && pipeline->spare_templates) {
        data->parsed.templates = pipeline->spare_templates;
        pipeline->spare_templates = data->parsed.templates->next_spare;
    }
    return data;
}

void pass_keep_templates(struct pipeline *pipeline, struct chunk_data *data)
{
    struct line_templates *templates = data->parsed.templates;
    if (!templates)
        return;
    templates->next_spare = pipeline->spare_templates;
    pipeline->spare_templates = templates;
    data->parsed.templates = NULL;
}

void pass_release_chunk_data(struct pipeline *pipeline, struct chunk_data *data)
{
    if (--data->users)
        return;
    data->next_spare = pipeline->spare;
    pipeline->spare = data;
}

// --- The hashes of the blocks of a trace ---------------------------------------------------------
//
// (base/fingerprint.h) They are computed step by step after the reader of a chunk: the bytes that
// were just read are in the cache, so they are fetched from memory only once; hashing mainly waits
// for memory.

static uint64_t shard_end(uint64_t start, uint64_t size_bytes)
{
    return u64_min(start + FINGERPRINT_BLOCK_BYTES, size_bytes);
}

// The start of the first block whose middle is at or after `offset`. The middles of all blocks are
// before the end of the trace.
static uint64_t first_block(uint64_t offset, uint64_t size_bytes)
{
    uint64_t start = offset / FINGERPRINT_BLOCK_BYTES * FINGERPRINT_BLOCK_BYTES;
    if (start == size_bytes)
        return start;
    uint64_t end = shard_end(start, size_bytes);
    return start + (end - start) / 2 < offset ? end : start;
}

void block_hashes_begin(struct block_hashes *blocks, const struct source *source,
                        const struct source_chunk *chunk, uint64_t *hashes, enum simd simd)
{
    uint64_t size_bytes = source_size_bytes(source);
    *blocks = (struct block_hashes){
        .trace = source_bytes(source),
        .size_bytes = size_bytes,
        .at = first_block(chunk->offset, size_bytes),
        .end = first_block(chunk->offset + chunk->size_bytes, size_bytes),
        .hashes = hashes,
        .simd = simd,
    };
    hash_begin(&blocks->state);
}

void block_hashes_go_on(struct block_hashes *blocks, uint64_t up_to)
{
    up_to = u64_min(up_to, blocks->end);
    while (blocks->at < up_to) {
        uint64_t block = blocks->at / FINGERPRINT_BLOCK_BYTES;
        uint64_t end = shard_end(block * FINGERPRINT_BLOCK_BYTES, blocks->size_bytes);
        uint64_t next = u64_min(end, up_to);
        hash_add(&blocks->state, blocks->simd, blocks->trace + blocks->at,
                 (size_t)(next - blocks->at));
        blocks->at = next;
        if (next < end)
            return;
        blocks->hashes[block] = hash_end(&blocks->state);
        hash_begin(&blocks->state);
    }
}

void block_hashes_end(struct block_hashes *blocks)
{
    block_hashes_go_on(blocks, blocks->end);
}
