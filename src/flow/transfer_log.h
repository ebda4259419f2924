// Packs transfers of control, to be matched later: shards of a trace store them for the command
// that joins their calls. One to nine bytes each, since loops repeat.
//
// A batch consists of parts (idx/parts.h), one for each column. A row is a transfer, or a drop,
// which is what a chunk leaves after its last transfer. A row stores differences from values of the
// same transfer, or of the previous one of its lane in the batch. Batches are independent of each
// other.
#ifndef TRAWL_FLOW_TRANSFER_LOG_H
#define TRAWL_FLOW_TRANSFER_LOG_H

#include "base/error.h"
#include "flow/node.h"
#include "idx/parts.h"

struct transfer_log;

// Receives batches. False: no memory.
struct transfer_batches {
    void *self;
    bool (*add)(void *self, const struct parts_writer *batch);
};

// NULL: no memory.
struct transfer_log *transfer_log_new(const struct transfer_batches *batches, enum simd simd);
void transfer_log_free(struct transfer_log *log);

// Adds the transfers of a lane's part of a chunk, whose events are absolute, and the drop after
// them (call_matcher_drop; 0: none). False: no memory.
bool transfer_log_add(struct transfer_log *log, size_t lane, const struct transfer *transfers,
                      size_t count, uint64_t drop_below);

// Passes on the last batch. False: no memory.
bool transfer_log_end(struct transfer_log *log);

// --- Reading -------------------------------------------------------------------------------------

// Receives transfers and drops, in order. False: no memory.
struct transfer_handler {
    void *self;
    bool (*transfer)(void *self, size_t lane, const struct transfer *transfer);
    bool (*drop)(void *self, size_t lane, uint64_t below);
};

struct transfer_reader;

// Reads the batches of all lanes, in order. NULL: no memory.
struct transfer_reader *transfer_reader_new(size_t lane_count);
void transfer_reader_free(struct transfer_reader *reader);

// Reads one batch. STATUS_DAMAGED: it is damaged, or its transfers are out of order.
enum status transfer_reader_take(struct transfer_reader *reader, const struct parts *batch,
                                 const struct transfer_handler *handler, struct error *err);

#endif
