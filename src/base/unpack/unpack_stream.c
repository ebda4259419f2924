#include "base/unpack/unpack_stream.h"

#include "base/limits.h"
#include "base/spool.h"
#include "base/thread.h"
#include "base/unpack/access_point.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)256 << 10)

// The most text that is kept of the current chunk, which its decompression and its reader use in
// turns; and of all later chunks, together with a fraction of the memory limit.
#define AHEAD_BYTES (UINT64_C(2) << 20)
#define LATER_BYTES (UINT64_C(64) << 20)
#define MEMORY_SHARE 8

// The most threads that decompress, and the most chunks in progress.
enum { THREADS_MOST = 16, SLOTS = 2 * THREADS_MOST };

struct block {
    struct block *next;
    size_t size_bytes, at;     // `at`: how much was read
    struct unpack_point point; // passed in this block
    uint8_t bytes[BLOCK_BYTES];
};

struct slot {
    struct packed_chunk chunk;
    struct block *first, **last;
    uint64_t size_bytes;       // in its blocks
    enum unpack_result result; // UNPACK_MORE until the chunk has ended
    const char *fault;
    uint64_t fault_at;
    struct text_sum sum;
    bool is_entered; // the reader has begun it
};

struct unpack_stream {
    const struct codec *codec;
    const struct packed *packed;
    struct splitter splitter;
    unsigned thread_count, started;
    pthread_t threads[THREADS_MOST];
    uint64_t later_bytes; // the most of a chunk before its turn
    uint64_t kept_most;   // no further chunk is begun if all chunks have this much
    // Protected by the lock. Chunks are numbered; those from `reading` up to `split` are in
    // progress.
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[SLOTS];
    uint64_t reading, begun, split;
    uint64_t kept_bytes; // in the blocks of all chunks
    bool is_split;       // there are no further chunks
    bool is_whole;       // the file is not divided into chunks
    bool stops;
    struct block *unused;
    // For the reader only.
    bool is_begun, is_ended;
    bool lacks_memory; // no more is read, because the text asked for first may have been lost
    uint64_t plain_byte, skip_bytes; // the current position; and how much of the next text was
                                     // already read
    struct unpacker *alone;          // if there are no threads
    struct unpack_stream_fault fault;
    struct gathering gathering;
    struct chunk_sums sums;
};

static struct slot *slot_of(struct unpack_stream *unpack_stream, uint64_t chunk)
{
    return &unpack_stream->slots[chunk % SLOTS];
}

struct unpack_stream *unpack_stream_open(const struct codec *codec, const struct packed *packed,
                                         unsigned threads)
{
    struct unpack_stream *unpack_stream = calloc(1, sizeof *unpack_stream);
    if (!unpack_stream)
        return NULL;
    unpack_stream->codec = codec;
    unpack_stream->packed = packed;
    unpack_stream->splitter.packed = packed;
    unpack_stream->is_whole = !codec->split;
    unpack_stream_set_threads(unpack_stream, threads);
    pthread_mutex_init(&unpack_stream->lock, NULL);
    pthread_cond_init(&unpack_stream->changed, NULL);
    return unpack_stream;
}

void unpack_stream_keep_access_points(struct unpack_stream *unpack_stream)
{
    gathering_begin(&unpack_stream->gathering, true);
}

const struct access_points *unpack_stream_access_points(const struct unpack_stream *unpack_stream)
{
    return unpack_stream->is_ended && !unpack_stream->fault.text
               ? gathering_access_points(&unpack_stream->gathering)
               : NULL;
}

void unpack_stream_set_threads(struct unpack_stream *unpack_stream, unsigned threads)
{
    uint64_t memory_bytes = u64_min(LATER_BYTES, memory_limit_bytes() / MEMORY_SHARE);
    unpack_stream->thread_count = (unsigned)u64_max(1, u64_min(threads, THREADS_MOST));
    unpack_stream->kept_most = memory_bytes;
    unpack_stream->later_bytes = memory_bytes / unpack_stream->thread_count;
}

// --- Threads that decompress ---------------------------------------------------------------------

// Whether the text of a chunk is kept back until the chunk has turned out to be one.
static bool is_guess(const struct unpack_stream *unpack_stream, const struct slot *slot)
{
    return unpack_stream->codec->guesses_chunks && slot->chunk.to != CHUNK_REST;
}

static bool has_room(const struct unpack_stream *unpack_stream, const struct slot *slot,
                     uint64_t chunk)
{
    if (is_guess(unpack_stream, slot))
        return slot->size_bytes < AHEAD_BYTES;
    return slot->size_bytes <
           (chunk == unpack_stream->reading ? AHEAD_BYTES : unpack_stream->later_bytes);
}

// The lock must be held.
static struct block *take_block(struct unpack_stream *unpack_stream)
{
    struct block *block = unpack_stream->unused;
    if (block)
        unpack_stream->unused = block->next;
    else if (!(block = malloc(sizeof *block)))
        return NULL;
    block->next = NULL;
    block->size_bytes = block->at = 0;
    block->point = (struct unpack_point){0};
    return block;
}

static void end_chunk(struct unpack_stream *unpack_stream, struct slot *slot,
                      enum unpack_result result, const struct unpacker *unpacker)
{
    slot->result = result;
    if (unpacker)
        slot->sum = unpacker->sum;
    slot->fault = unpacker ? unpacker->fault : NULL;
    slot->fault_at = unpacker ? unpacker->at : 0;
    pthread_cond_broadcast(&unpack_stream->changed);
}

// Decompresses one block of a chunk. The lock must be held, and is held afterwards. False: the
// chunk has ended.
static bool make_block(struct unpack_stream *unpack_stream, struct slot *slot,
                       struct unpacker *unpacker)
{
    struct block *block = take_block(unpack_stream);
    pthread_mutex_unlock(&unpack_stream->lock);
    enum unpack_result result = UNPACK_NO_MEMORY;
    if (block) {
        result =
            unpack_stream->codec->read(unpacker, block->bytes, BLOCK_BYTES, &block->size_bytes);
        block->point = unpacker->point;
        unpacker->point = (struct unpack_point){0};
    }
    pthread_mutex_lock(&unpack_stream->lock);
    if (block && block->size_bytes) {
        *slot->last = block;
        slot->last = &block->next;
        slot->size_bytes += block->size_bytes;
        unpack_stream->kept_bytes += block->size_bytes;
        pthread_cond_broadcast(&unpack_stream->changed);
    } else if (block) {
        free(block->point.window);
        block->next = unpack_stream->unused;
        unpack_stream->unused = block;
    }
    if (result != UNPACK_MORE)
        end_chunk(unpack_stream, slot, result, unpacker);
    return result == UNPACK_MORE;
}

// Decompresses a chunk. The lock must be held, and is held afterwards.
static void make_chunk(struct unpack_stream *unpack_stream, uint64_t number)
{
    struct slot *slot = slot_of(unpack_stream, number);
    pthread_mutex_unlock(&unpack_stream->lock);
    struct unpacker *unpacker = unpack_stream->codec->begin(unpack_stream->packed, slot->chunk);
    pthread_mutex_lock(&unpack_stream->lock);
    if (!unpacker) {
        end_chunk(unpack_stream, slot, UNPACK_NO_MEMORY, NULL);
        return;
    }
    unpacker->wants_points = unpack_stream->gathering.is_wanted;
    do {
        while (!unpack_stream->stops && !is_guess(unpack_stream, slot) &&
               !has_room(unpack_stream, slot, number))
            pthread_cond_wait(&unpack_stream->changed, &unpack_stream->lock);
        if (!has_room(unpack_stream, slot,
                      number)) { // the chunk is a guess, so nobody would make room
            end_chunk(unpack_stream, slot, UNPACK_DAMAGED, unpacker);
            break;
        }
    } while (!unpack_stream->stops && make_block(unpack_stream, slot, unpacker));
    unpack_stream->codec->end(unpacker);
}

// Finds the next chunk. The lock must be held.
static void split_chunk(struct unpack_stream *unpack_stream)
{
    struct packed_chunk chunk = {.to = CHUNK_REST};
    if (!unpack_stream->is_whole &&
        !unpack_stream->codec->split(&unpack_stream->splitter, &chunk)) {
        unpack_stream->is_split = true;
        pthread_cond_broadcast(&unpack_stream->changed);
        return;
    }
    struct slot *slot = slot_of(unpack_stream, unpack_stream->split++);
    *slot = (struct slot){.chunk = chunk};
    slot->last = &slot->first;
    unpack_stream->is_split = chunk.to == CHUNK_REST;
    pthread_cond_broadcast(&unpack_stream->changed);
}

static void *work(void *context)
{
    struct unpack_stream *unpack_stream = context;
    pthread_mutex_lock(&unpack_stream->lock);
    while (!unpack_stream->stops) {
        bool may_split =
            !unpack_stream->is_split && unpack_stream->split - unpack_stream->reading < SLOTS;
        // A chunk waits to be decompressed, and there is room for its text.
        bool may_begin = unpack_stream->begun < unpack_stream->split &&
                         (unpack_stream->begun == unpack_stream->reading ||
                          unpack_stream->kept_bytes < unpack_stream->kept_most);
        if (may_begin)
            make_chunk(unpack_stream, unpack_stream->begun++);
        else if (may_split)
            split_chunk(unpack_stream);
        else if (unpack_stream->is_split && unpack_stream->begun == unpack_stream->split)
            break;
        else
            pthread_cond_wait(&unpack_stream->changed, &unpack_stream->lock);
    }
    pthread_mutex_unlock(&unpack_stream->lock);
    return NULL;
}

// --- The reader ----------------------------------------------------------------------------------

static void free_blocks(struct block *block)
{
    while (block) {
        struct block *next = block->next;
        free(block->point.window);
        free(block);
        block = next;
    }
}

// Ends the threads, and discards their text.
static void stop(struct unpack_stream *unpack_stream)
{
    pthread_mutex_lock(&unpack_stream->lock);
    unpack_stream->stops = true;
    pthread_cond_broadcast(&unpack_stream->changed);
    pthread_mutex_unlock(&unpack_stream->lock);
    while (unpack_stream->started)
        pthread_join(unpack_stream->threads[--unpack_stream->started], NULL);
    for (uint64_t chunk = unpack_stream->reading; chunk < unpack_stream->split; chunk++)
        free_blocks(slot_of(unpack_stream, chunk)->first);
    unpack_stream->reading = unpack_stream->begun = unpack_stream->split = 0;
    unpack_stream->kept_bytes = 0;
    unpack_stream->is_split = unpack_stream->stops = false;
}

// Starts the threads; only one if there is only one chunk.
static enum status start(struct unpack_stream *unpack_stream, struct error *err)
{
    const struct packed_chunk whole = {.to = CHUNK_REST};
    unpack_stream->is_begun = true;
    split_chunk(unpack_stream);
    unsigned wanted = unpack_stream->is_split ? 1 : unpack_stream->thread_count;
    unpack_stream->started = threads_start(unpack_stream->threads, wanted, work, unpack_stream, 0);
    if (!unpack_stream->started &&
        (unpack_stream->alone = unpack_stream->codec->begin(unpack_stream->packed, whole))) {
        unpack_stream->alone->wants_points = unpack_stream->gathering.is_wanted;
        gathering_chunk(&unpack_stream->gathering, unpack_stream->plain_byte, whole);
    }
    return unpack_stream->started || unpack_stream->alone
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "no memory");
}

// Ends the text: at the end of the file, or because of damage or missing memory.
static enum status end_with(struct unpack_stream *unpack_stream, enum unpack_result result,
                            const char *fault, uint64_t packed_byte, struct error *err)
{
    unpack_stream->lacks_memory = result == UNPACK_NO_MEMORY;
    if (unpack_stream->lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory to decompress with");
    unpack_stream->is_ended = true;
    gathering_end(&unpack_stream->gathering, unpack_stream->plain_byte);
    if (result == UNPACK_DAMAGED)
        unpack_stream->fault =
            (struct unpack_stream_fault){fault, packed_byte, unpack_stream->plain_byte};
    return STATUS_OK;
}

// Moves to the next chunk after one that was read to its end.
static enum status end_slot(struct unpack_stream *unpack_stream, const struct slot *slot,
                            struct error *err)
{
    const struct codec *codec = unpack_stream->codec;
    bool is_wrong = slot->result == UNPACK_DAMAGED;
    if (slot->result == UNPACK_END && codec->sum_chunk_end && slot->chunk.to != CHUNK_REST)
        is_wrong = !codec->sum_chunk_end(&unpack_stream->sums, unpack_stream->packed, slot->chunk,
                                         slot->sum);
    if (is_wrong && slot->chunk.to != CHUNK_REST) {
        // Starts again, to read the file as a whole, and skips the text that the reader already
        // has.
        stop(unpack_stream);
        gathering_give_up(&unpack_stream->gathering);
        unpack_stream->is_whole = true;
        unpack_stream->skip_bytes = unpack_stream->plain_byte;
        return start(unpack_stream, err);
    }
    if (slot->result != UNPACK_END)
        return end_with(unpack_stream, slot->result, slot->fault, slot->fault_at, err);
    pthread_mutex_lock(&unpack_stream->lock);
    unpack_stream->reading++;
    pthread_cond_broadcast(&unpack_stream->changed);
    pthread_mutex_unlock(&unpack_stream->lock);
    return STATUS_OK;
}

// Waits for the first block of the current chunk, or for its end. NULL: there is no chunk.
static struct slot *wait_for_slot(struct unpack_stream *unpack_stream)
{
    struct slot *slot = NULL;
    pthread_mutex_lock(&unpack_stream->lock);
    for (;;) {
        slot = unpack_stream->reading < unpack_stream->split
                   ? slot_of(unpack_stream, unpack_stream->reading)
                   : NULL;
        bool has_block = slot && slot->first && !is_guess(unpack_stream, slot);
        bool is_ready = slot ? has_block || slot->result != UNPACK_MORE : unpack_stream->is_split;
        if (is_ready)
            break;
        pthread_cond_wait(&unpack_stream->changed, &unpack_stream->lock);
    }
    pthread_mutex_unlock(&unpack_stream->lock);
    return slot;
}

// Takes the new part of some text, whose beginning may have been read before.
static size_t take(struct unpack_stream *unpack_stream, const uint8_t *from, size_t size_bytes,
                   char *to, size_t room)
{
    size_t skipped = (size_t)u64_min(unpack_stream->skip_bytes, size_bytes);
    size_t taken = (size_t)u64_min(size_bytes - skipped, room);
    unpack_stream->skip_bytes -= skipped;
    memcpy(to, from + skipped, taken);
    gathering_text(&unpack_stream->gathering, to, taken);
    if (unpack_stream->codec->sum_text)
        unpack_stream->codec->sum_text(&unpack_stream->sums, from + skipped, taken);
    unpack_stream->plain_byte += taken;
    return skipped + taken;
}

// Records the place in a block if the reader has reached it. Returns how far the reader may
// continue.
static size_t pass_point(struct unpack_stream *unpack_stream, struct block *block)
{
    struct unpack_point *point = &block->point;
    if (point->window && point->at > block->at)
        return point->at;
    if (point->window)
        gathering_point(&unpack_stream->gathering, unpack_stream->plain_byte, point);
    return block->size_bytes;
}

// Reads from the blocks that threads made.
static enum status read_blocks(struct unpack_stream *unpack_stream, char *bytes, size_t wanted,
                               size_t *have, struct error *err)
{
    struct slot *slot = wait_for_slot(unpack_stream);
    if (!slot)
        return end_with(unpack_stream, UNPACK_END, NULL, 0, err);
    if (!slot->is_entered) { // the reader begins a chunk
        slot->is_entered = true;
        gathering_chunk(&unpack_stream->gathering, unpack_stream->plain_byte, slot->chunk);
        if (unpack_stream->codec->sum_chunk && slot->chunk.to != CHUNK_REST)
            unpack_stream->codec->sum_chunk(&unpack_stream->sums, unpack_stream->packed,
                                            slot->chunk);
    }
    struct block *block = slot->first;
    bool is_wrong = is_guess(unpack_stream, slot) && slot->result != UNPACK_END;
    if (!block || is_wrong)
        return end_slot(unpack_stream, slot, err);
    uint64_t before = unpack_stream->plain_byte;
    size_t end = pass_point(unpack_stream, block);
    block->at += take(unpack_stream, block->bytes + block->at, end - block->at, bytes + *have,
                      wanted - *have);
    *have += (size_t)(unpack_stream->plain_byte - before);
    if (pass_point(unpack_stream, block) == block->at) {
        pthread_mutex_lock(&unpack_stream->lock);
        slot->first = block->next;
        if (!slot->first)
            slot->last = &slot->first;
        slot->size_bytes -= block->size_bytes;
        unpack_stream->kept_bytes -= block->size_bytes;
        block->next = unpack_stream->unused;
        unpack_stream->unused = block;
        pthread_cond_broadcast(&unpack_stream->changed);
        pthread_mutex_unlock(&unpack_stream->lock);
    }
    return STATUS_OK;
}

// Records and counts the text that the reader has decompressed itself.
static void keep_alone(struct unpack_stream *unpack_stream, const char *bytes, size_t size_bytes)
{
    struct unpack_point *point = &unpack_stream->alone->point;
    size_t first = point->window ? point->at : size_bytes;
    gathering_text(&unpack_stream->gathering, bytes, first);
    unpack_stream->plain_byte += first;
    if (point->window)
        gathering_point(&unpack_stream->gathering, unpack_stream->plain_byte, point);
    gathering_text(&unpack_stream->gathering, bytes + first, size_bytes - first);
    unpack_stream->plain_byte += size_bytes - first;
}

// Decompresses in the reader itself.
static enum status read_alone(struct unpack_stream *unpack_stream, char *bytes, size_t wanted,
                              size_t *have, struct error *err)
{
    struct unpacker *alone = unpack_stream->alone;
    size_t made, room = (size_t)u64_min(wanted - *have, BLOCK_BYTES);
    if (unpack_stream->skip_bytes) // this text is overwritten
        room = (size_t)u64_min(room, unpack_stream->skip_bytes);
    enum unpack_result result =
        unpack_stream->codec->read(alone, (uint8_t *)bytes + *have, room, &made);
    if (unpack_stream->skip_bytes) {
        unpack_stream->skip_bytes -= made;
    } else {
        keep_alone(unpack_stream, bytes + *have, made);
        *have += made;
    }
    return result == UNPACK_MORE ? STATUS_OK
                                 : end_with(unpack_stream, result, alone->fault, alone->at, err);
}

enum status unpack_stream_read(struct unpack_stream *unpack_stream, char *bytes, size_t wanted,
                               size_t *have, struct error *err)
{
    enum status status = STATUS_OK;
    if (unpack_stream->lacks_memory)
        return end_with(unpack_stream, UNPACK_NO_MEMORY, NULL, 0, err);
    if (!unpack_stream->is_begun)
        status = start(unpack_stream, err);
    while (status == STATUS_OK && *have < wanted && !unpack_stream->is_ended)
        status = unpack_stream->alone ? read_alone(unpack_stream, bytes, wanted, have, err)
                                      : read_blocks(unpack_stream, bytes, wanted, have, err);
    return status;
}

static void end_alone(struct unpack_stream *unpack_stream)
{
    if (unpack_stream->alone)
        unpack_stream->codec->end(unpack_stream->alone);
    unpack_stream->alone = NULL;
}

void unpack_stream_rewind(struct unpack_stream *unpack_stream)
{
    stop(unpack_stream);
    end_alone(unpack_stream);
    if (unpack_stream->codec->split_end)
        unpack_stream->codec->split_end(&unpack_stream->splitter);
    unpack_stream->splitter = (struct splitter){.packed = unpack_stream->packed};
    unpack_stream->is_whole = !unpack_stream->codec->split;
    unpack_stream->is_begun = unpack_stream->is_ended = unpack_stream->lacks_memory = false;
    unpack_stream->plain_byte = unpack_stream->skip_bytes = 0;
    unpack_stream->fault = (struct unpack_stream_fault){0};
    gathering_begin(&unpack_stream->gathering, unpack_stream->gathering.is_wanted);
}

uint64_t unpack_stream_text_bytes(const struct unpack_stream *unpack_stream)
{
    return unpack_stream->is_ended ? unpack_stream->plain_byte : 0;
}

struct unpack_stream_fault unpack_stream_fault(const struct unpack_stream *unpack_stream)
{
    return unpack_stream->fault;
}

void unpack_stream_close(struct unpack_stream *unpack_stream)
{
    if (!unpack_stream)
        return;
    stop(unpack_stream);
    gathering_free(&unpack_stream->gathering);
    if (unpack_stream->codec->sum_end)
        unpack_stream->codec->sum_end(&unpack_stream->sums);
    free_blocks(unpack_stream->unused);
    end_alone(unpack_stream);
    if (unpack_stream->codec->split_end)
        unpack_stream->codec->split_end(&unpack_stream->splitter);
    pthread_cond_destroy(&unpack_stream->changed);
    pthread_mutex_destroy(&unpack_stream->lock);
    free(unpack_stream);
}
