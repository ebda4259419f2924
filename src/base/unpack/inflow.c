#include "base/unpack/inflow.h"

#include "base/limits.h"
#include "base/memory_limit.h"
#include "base/thread.h"
#include "base/unpack/restart.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)256 << 10)

// The most text that is kept of the current piece, which its decompression and its reader use in
// turns; and of all later pieces, together with a fraction of the memory limit.
#define AHEAD_BYTES (UINT64_C(2) << 20)
#define LATER_BYTES (UINT64_C(64) << 20)
#define MEMORY_SHARE 8

// The most threads that decompress, and the most pieces in progress.
enum { THREADS_MOST = 16, SLOTS = 2 * THREADS_MOST };

struct block {
    struct block *next;
    size_t size_bytes, at;     // `at`: how much was read
    struct unpack_point point; // passed in this block
    uint8_t bytes[BLOCK_BYTES];
};

struct slot {
    struct piece piece;
    struct block *first, **last;
    uint64_t size_bytes;       // in its blocks
    enum unpack_result result; // UNPACK_MORE until the piece has ended
    const char *fault;
    uint64_t fault_at;
    struct text_sum sum;
    bool is_entered; // the reader has begun it
};

struct inflow {
    const struct codec *codec;
    const struct packed *packed;
    struct splitter splitter;
    unsigned thread_count, started;
    pthread_t threads[THREADS_MOST];
    uint64_t later_bytes; // the most of a piece before its turn
    uint64_t kept_most;   // no further piece is begun if all pieces have this much
    // Protected by the lock. Pieces are numbered; those from `reading` up to `split` are in
    // progress.
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot slots[SLOTS];
    uint64_t reading, begun, split;
    uint64_t kept_bytes; // in the blocks of all pieces
    bool is_split;       // there are no further pieces
    bool is_whole;       // the file is not divided into pieces
    bool stops;
    struct block *unused;
    // For the reader only.
    bool is_begun, is_ended;
    bool lacks_memory; // no more is read, because the text asked for first may have been lost
    uint64_t plain_byte, skip_bytes; // the current position; and how much of the next text was
                                     // already read
    struct unpacker *alone;          // if there are no threads
    struct inflow_fault fault;
    struct gathering gathering;
    struct piece_sums sums;
};

static struct slot *slot_of(struct inflow *inflow, uint64_t piece)
{
    return &inflow->slots[piece % SLOTS];
}

struct inflow *inflow_open(const struct codec *codec, const struct packed *packed, unsigned threads)
{
    struct inflow *inflow = calloc(1, sizeof *inflow);
    if (!inflow)
        return NULL;
    inflow->codec = codec;
    inflow->packed = packed;
    inflow->splitter.packed = packed;
    inflow->is_whole = !codec->split;
    inflow_set_threads(inflow, threads);
    pthread_mutex_init(&inflow->lock, NULL);
    pthread_cond_init(&inflow->changed, NULL);
    return inflow;
}

void inflow_keep_restarts(struct inflow *inflow)
{
    gathering_begin(&inflow->gathering, true);
}

const struct restarts *inflow_restarts(const struct inflow *inflow)
{
    return inflow->is_ended && !inflow->fault.text ? gathering_restarts(&inflow->gathering) : NULL;
}

void inflow_set_threads(struct inflow *inflow, unsigned threads)
{
    uint64_t memory_bytes = u64_min(LATER_BYTES, memory_limit_bytes() / MEMORY_SHARE);
    inflow->thread_count = (unsigned)u64_max(1, u64_min(threads, THREADS_MOST));
    inflow->kept_most = memory_bytes;
    inflow->later_bytes = memory_bytes / inflow->thread_count;
}

// --- Threads that decompress ---------------------------------------------------------------------

// Whether the text of a piece is kept back until the piece has turned out to be one.
static bool is_guess(const struct inflow *inflow, const struct slot *slot)
{
    return inflow->codec->guesses_pieces && slot->piece.to != PIECE_REST;
}

static bool has_room(const struct inflow *inflow, const struct slot *slot, uint64_t piece)
{
    if (is_guess(inflow, slot))
        return slot->size_bytes < AHEAD_BYTES;
    return slot->size_bytes < (piece == inflow->reading ? AHEAD_BYTES : inflow->later_bytes);
}

// The lock must be held.
static struct block *take_block(struct inflow *inflow)
{
    struct block *block = inflow->unused;
    if (block)
        inflow->unused = block->next;
    else if (!(block = malloc(sizeof *block)))
        return NULL;
    block->next = NULL;
    block->size_bytes = block->at = 0;
    block->point = (struct unpack_point){0};
    return block;
}

static void end_piece(struct inflow *inflow, struct slot *slot, enum unpack_result result,
                      const struct unpacker *unpacker)
{
    slot->result = result;
    if (unpacker)
        slot->sum = unpacker->sum;
    slot->fault = unpacker ? unpacker->fault : NULL;
    slot->fault_at = unpacker ? unpacker->at : 0;
    pthread_cond_broadcast(&inflow->changed);
}

// Decompresses one block of a piece. The lock must be held, and is held afterwards. False: the
// piece has ended.
static bool make_block(struct inflow *inflow, struct slot *slot, struct unpacker *unpacker)
{
    struct block *block = take_block(inflow);
    pthread_mutex_unlock(&inflow->lock);
    enum unpack_result result = UNPACK_NO_MEMORY;
    if (block) {
        result = inflow->codec->read(unpacker, block->bytes, BLOCK_BYTES, &block->size_bytes);
        block->point = unpacker->point;
        unpacker->point = (struct unpack_point){0};
    }
    pthread_mutex_lock(&inflow->lock);
    if (block && block->size_bytes) {
        *slot->last = block;
        slot->last = &block->next;
        slot->size_bytes += block->size_bytes;
        inflow->kept_bytes += block->size_bytes;
        pthread_cond_broadcast(&inflow->changed);
    } else if (block) {
        free(block->point.window);
        block->next = inflow->unused;
        inflow->unused = block;
    }
    if (result != UNPACK_MORE)
        end_piece(inflow, slot, result, unpacker);
    return result == UNPACK_MORE;
}

// Decompresses a piece. The lock must be held, and is held afterwards.
static void make_piece(struct inflow *inflow, uint64_t number)
{
    struct slot *slot = slot_of(inflow, number);
    pthread_mutex_unlock(&inflow->lock);
    struct unpacker *unpacker = inflow->codec->begin(inflow->packed, slot->piece);
    pthread_mutex_lock(&inflow->lock);
    if (!unpacker) {
        end_piece(inflow, slot, UNPACK_NO_MEMORY, NULL);
        return;
    }
    unpacker->wants_points = inflow->gathering.is_wanted;
    do {
        while (!inflow->stops && !is_guess(inflow, slot) && !has_room(inflow, slot, number))
            pthread_cond_wait(&inflow->changed, &inflow->lock);
        if (!has_room(inflow, slot, number)) { // the piece is a guess, so nobody would make room
            end_piece(inflow, slot, UNPACK_DAMAGED, unpacker);
            break;
        }
    } while (!inflow->stops && make_block(inflow, slot, unpacker));
    inflow->codec->end(unpacker);
}

// Finds the next piece. The lock must be held.
static void split_piece(struct inflow *inflow)
{
    struct piece piece = {.to = PIECE_REST};
    if (!inflow->is_whole && !inflow->codec->split(&inflow->splitter, &piece)) {
        inflow->is_split = true;
        pthread_cond_broadcast(&inflow->changed);
        return;
    }
    struct slot *slot = slot_of(inflow, inflow->split++);
    *slot = (struct slot){.piece = piece};
    slot->last = &slot->first;
    inflow->is_split = piece.to == PIECE_REST;
    pthread_cond_broadcast(&inflow->changed);
}

static void *work(void *context)
{
    struct inflow *inflow = context;
    pthread_mutex_lock(&inflow->lock);
    while (!inflow->stops) {
        bool may_split = !inflow->is_split && inflow->split - inflow->reading < SLOTS;
        // A piece waits to be decompressed, and there is room for its text.
        bool may_begin = inflow->begun < inflow->split && (inflow->begun == inflow->reading ||
                                                           inflow->kept_bytes < inflow->kept_most);
        if (may_begin)
            make_piece(inflow, inflow->begun++);
        else if (may_split)
            split_piece(inflow);
        else if (inflow->is_split && inflow->begun == inflow->split)
            break;
        else
            pthread_cond_wait(&inflow->changed, &inflow->lock);
    }
    pthread_mutex_unlock(&inflow->lock);
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
static void stop(struct inflow *inflow)
{
    pthread_mutex_lock(&inflow->lock);
    inflow->stops = true;
    pthread_cond_broadcast(&inflow->changed);
    pthread_mutex_unlock(&inflow->lock);
    while (inflow->started)
        pthread_join(inflow->threads[--inflow->started], NULL);
    for (uint64_t piece = inflow->reading; piece < inflow->split; piece++)
        free_blocks(slot_of(inflow, piece)->first);
    inflow->reading = inflow->begun = inflow->split = 0;
    inflow->kept_bytes = 0;
    inflow->is_split = inflow->stops = false;
}

// Starts the threads; only one if there is only one piece.
static enum status start(struct inflow *inflow, struct error *err)
{
    const struct piece whole = {.to = PIECE_REST};
    inflow->is_begun = true;
    split_piece(inflow);
    unsigned wanted = inflow->is_split ? 1 : inflow->thread_count;
    inflow->started = threads_start(inflow->threads, wanted, work, inflow, 0);
    if (!inflow->started && (inflow->alone = inflow->codec->begin(inflow->packed, whole))) {
        inflow->alone->wants_points = inflow->gathering.is_wanted;
        gathering_piece(&inflow->gathering, inflow->plain_byte, whole);
    }
    return inflow->started || inflow->alone ? STATUS_OK
                                            : error_set(err, STATUS_MEMORY, "no memory");
}

// Ends the text: at the end of the file, or because of damage or missing memory.
static enum status end_with(struct inflow *inflow, enum unpack_result result, const char *fault,
                            uint64_t packed_byte, struct error *err)
{
    inflow->lacks_memory = result == UNPACK_NO_MEMORY;
    if (inflow->lacks_memory)
        return error_set(err, STATUS_MEMORY, "no memory to decompress with");
    inflow->is_ended = true;
    gathering_end(&inflow->gathering, inflow->plain_byte);
    if (result == UNPACK_DAMAGED)
        inflow->fault = (struct inflow_fault){fault, packed_byte, inflow->plain_byte};
    return STATUS_OK;
}

// Moves to the next piece after one that was read to its end.
static enum status end_slot(struct inflow *inflow, const struct slot *slot, struct error *err)
{
    const struct codec *codec = inflow->codec;
    bool is_wrong = slot->result == UNPACK_DAMAGED;
    if (slot->result == UNPACK_END && codec->sum_piece_end && slot->piece.to != PIECE_REST)
        is_wrong = !codec->sum_piece_end(&inflow->sums, inflow->packed, slot->piece, slot->sum);
    if (is_wrong && slot->piece.to != PIECE_REST) {
        // Starts again, to read the file as a whole, and skips the text that the reader already
        // has.
        stop(inflow);
        gathering_give_up(&inflow->gathering);
        inflow->is_whole = true;
        inflow->skip_bytes = inflow->plain_byte;
        return start(inflow, err);
    }
    if (slot->result != UNPACK_END)
        return end_with(inflow, slot->result, slot->fault, slot->fault_at, err);
    pthread_mutex_lock(&inflow->lock);
    inflow->reading++;
    pthread_cond_broadcast(&inflow->changed);
    pthread_mutex_unlock(&inflow->lock);
    return STATUS_OK;
}

// Waits for the first block of the current piece, or for its end. NULL: there is no piece.
static struct slot *wait_for_slot(struct inflow *inflow)
{
    struct slot *slot = NULL;
    pthread_mutex_lock(&inflow->lock);
    for (;;) {
        slot = inflow->reading < inflow->split ? slot_of(inflow, inflow->reading) : NULL;
        bool has_block = slot && slot->first && !is_guess(inflow, slot);
        bool is_ready = slot ? has_block || slot->result != UNPACK_MORE : inflow->is_split;
        if (is_ready)
            break;
        pthread_cond_wait(&inflow->changed, &inflow->lock);
    }
    pthread_mutex_unlock(&inflow->lock);
    return slot;
}

static void leave_block(struct inflow *inflow, struct slot *slot)
{
    struct block *block = slot->first;
    pthread_mutex_lock(&inflow->lock);
    slot->first = block->next;
    if (!slot->first)
        slot->last = &slot->first;
    slot->size_bytes -= block->size_bytes;
    inflow->kept_bytes -= block->size_bytes;
    block->next = inflow->unused;
    inflow->unused = block;
    pthread_cond_broadcast(&inflow->changed);
    pthread_mutex_unlock(&inflow->lock);
}

// Takes the new part of some text, whose beginning may have been read before.
static size_t take(struct inflow *inflow, const uint8_t *from, size_t size_bytes, char *to,
                   size_t room)
{
    size_t skipped = (size_t)u64_min(inflow->skip_bytes, size_bytes);
    size_t taken = (size_t)u64_min(size_bytes - skipped, room);
    inflow->skip_bytes -= skipped;
    memcpy(to, from + skipped, taken);
    gathering_text(&inflow->gathering, to, taken);
    if (inflow->codec->sum_text)
        inflow->codec->sum_text(&inflow->sums, from + skipped, taken);
    inflow->plain_byte += taken;
    return skipped + taken;
}

// Records the place in a block if the reader has reached it. Returns how far the reader may
// continue.
static size_t pass_point(struct inflow *inflow, struct block *block)
{
    struct unpack_point *point = &block->point;
    if (point->window && point->at > block->at)
        return point->at;
    if (point->window)
        gathering_point(&inflow->gathering, inflow->plain_byte, point);
    return block->size_bytes;
}

// Reads from the blocks that threads made.
static enum status read_blocks(struct inflow *inflow, char *bytes, size_t wanted, size_t *have,
                               struct error *err)
{
    struct slot *slot = wait_for_slot(inflow);
    if (!slot)
        return end_with(inflow, UNPACK_END, NULL, 0, err);
    if (!slot->is_entered) { // the reader begins a piece
        slot->is_entered = true;
        gathering_piece(&inflow->gathering, inflow->plain_byte, slot->piece);
        if (inflow->codec->sum_piece && slot->piece.to != PIECE_REST)
            inflow->codec->sum_piece(&inflow->sums, inflow->packed, slot->piece);
    }
    struct block *block = slot->first;
    bool is_wrong = is_guess(inflow, slot) && slot->result != UNPACK_END;
    if (!block || is_wrong)
        return end_slot(inflow, slot, err);
    uint64_t before = inflow->plain_byte;
    size_t end = pass_point(inflow, block);
    block->at +=
        take(inflow, block->bytes + block->at, end - block->at, bytes + *have, wanted - *have);
    *have += (size_t)(inflow->plain_byte - before);
    if (pass_point(inflow, block) == block->at)
        leave_block(inflow, slot);
    return STATUS_OK;
}

// Records and counts the text that the reader has decompressed itself.
static void keep_alone(struct inflow *inflow, const char *bytes, size_t size_bytes)
{
    struct unpack_point *point = &inflow->alone->point;
    size_t first = point->window ? point->at : size_bytes;
    gathering_text(&inflow->gathering, bytes, first);
    inflow->plain_byte += first;
    if (point->window)
        gathering_point(&inflow->gathering, inflow->plain_byte, point);
    gathering_text(&inflow->gathering, bytes + first, size_bytes - first);
    inflow->plain_byte += size_bytes - first;
}

// Decompresses in the reader itself.
static enum status read_alone(struct inflow *inflow, char *bytes, size_t wanted, size_t *have,
                              struct error *err)
{
    struct unpacker *alone = inflow->alone;
    size_t made, room = (size_t)u64_min(wanted - *have, BLOCK_BYTES);
    if (inflow->skip_bytes) // this text is overwritten
        room = (size_t)u64_min(room, inflow->skip_bytes);
    enum unpack_result result = inflow->codec->read(alone, (uint8_t *)bytes + *have, room, &made);
    if (inflow->skip_bytes) {
        inflow->skip_bytes -= made;
    } else {
        keep_alone(inflow, bytes + *have, made);
        *have += made;
    }
    return result == UNPACK_MORE ? STATUS_OK
                                 : end_with(inflow, result, alone->fault, alone->at, err);
}

enum status inflow_read(struct inflow *inflow, char *bytes, size_t wanted, size_t *have,
                        struct error *err)
{
    enum status status = STATUS_OK;
    if (inflow->lacks_memory)
        return end_with(inflow, UNPACK_NO_MEMORY, NULL, 0, err);
    if (!inflow->is_begun)
        status = start(inflow, err);
    while (status == STATUS_OK && *have < wanted && !inflow->is_ended)
        status = inflow->alone ? read_alone(inflow, bytes, wanted, have, err)
                               : read_blocks(inflow, bytes, wanted, have, err);
    return status;
}

static void end_alone(struct inflow *inflow)
{
    if (inflow->alone)
        inflow->codec->end(inflow->alone);
    inflow->alone = NULL;
}

void inflow_rewind(struct inflow *inflow)
{
    stop(inflow);
    end_alone(inflow);
    if (inflow->codec->split_end)
        inflow->codec->split_end(&inflow->splitter);
    inflow->splitter = (struct splitter){.packed = inflow->packed};
    inflow->is_whole = !inflow->codec->split;
    inflow->is_begun = inflow->is_ended = inflow->lacks_memory = false;
    inflow->plain_byte = inflow->skip_bytes = 0;
    inflow->fault = (struct inflow_fault){0};
    gathering_begin(&inflow->gathering, inflow->gathering.is_wanted);
}

uint64_t inflow_text_bytes(const struct inflow *inflow)
{
    return inflow->is_ended ? inflow->plain_byte : 0;
}

struct inflow_fault inflow_fault(const struct inflow *inflow)
{
    return inflow->fault;
}

void inflow_close(struct inflow *inflow)
{
    if (!inflow)
        return;
    stop(inflow);
    gathering_free(&inflow->gathering);
    if (inflow->codec->sum_end)
        inflow->codec->sum_end(&inflow->sums);
    free_blocks(inflow->unused);
    end_alone(inflow);
    if (inflow->codec->split_end)
        inflow->codec->split_end(&inflow->splitter);
    pthread_cond_destroy(&inflow->changed);
    pthread_mutex_destroy(&inflow->lock);
    free(inflow);
}
