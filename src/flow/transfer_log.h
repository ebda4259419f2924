// Transfers of control, packed to be matched later: what the shards of a trace leave for whoever
// joins their calls. About 15 bytes each.
//
// A batch is parts (idx/parts.h) of columns with a row a transfer, or a drop, which is what a chunk
// leaves after its last transfer. A row holds differences to values of the same transfer, or of the
// one before it in its lane and batch. Batches do not depend on each other.
#ifndef TRAWL_FLOW_TRANSFER_LOG_H
#define TRAWL_FLOW_TRANSFER_LOG_H

#include "base/error.h"
#include "flow/node.h"
#include "idx/parts.h"

struct transfer_log;

// Where batches go. False: no memory.
struct transfer_batches {
    void *self;
    bool (*add)(void *self, const struct parts_writer *batch);
};

// NULL: no memory.
struct transfer_log *transfer_log_new(const struct transfer_batches *batches, enum simd simd);
void transfer_log_free(struct transfer_log *log);

// Keeps the transfers of a chunk's part, whose events are absolute, and what is dropped after them
// (call_matcher_drop). False: no memory.
bool transfer_log_add(struct transfer_log *log, size_t lane, const struct transfer *transfers,
                      size_t count, uint64_t drop_below);

// Hands on the last batch. False: no memory.
bool transfer_log_end(struct transfer_log *log);

// --- Reading -------------------------------------------------------------------------------------

// Who gets them, in their order. False: no memory.
struct transfer_taker {
    void *self;
    bool (*transfer)(void *self, size_t lane, const struct transfer *transfer);
    bool (*drop)(void *self, size_t lane, uint64_t below);
};

struct transfer_reader;

// For the batches of all lanes, in order. NULL: no memory.
struct transfer_reader *transfer_reader_new(size_t lane_count);
void transfer_reader_free(struct transfer_reader *reader);

// Reads one batch. STATUS_DAMAGED: it is damaged, or its transfers are not in order.
enum status transfer_reader_take(struct transfer_reader *reader, const struct parts *batch,
                                 const struct transfer_taker *taker, struct error *err);

#endif
