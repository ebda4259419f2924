// Calls across shards: each shard stores its transfers of control; merging matches the calls of the
// whole trace, in order.
#ifndef TRAWL_SESSION_SHARD_CALLS_H
#define TRAWL_SESSION_SHARD_CALLS_H

#include "base/spool.h"
#include "flow/pass.h"
#include "flow/transfer_log.h"
#include "idx/index_write.h"
#include "idx/shard.h"
#include "session/call_lists.h"

// --- Of a shard ----------------------------------------------------------------------------------

// All zero is empty.
struct shard_calls {
    struct transfer_log *log;
    struct spool batches;
    struct bytes bytes;
};

// False: no memory. `calls` must not be moved.
bool shard_calls_begin(struct shard_calls *calls, enum simd simd);
void shard_calls_free(struct shard_calls *calls);

// Receives the transfers of the shard.
struct transfer_consumer shard_calls_consumer(struct shard_calls *calls);

// Writes them to the part. False: no memory.
bool shard_calls_write(struct shard_calls *calls, struct index_writer *writer);

// Writes to the last part what is needed to match the calls of all shards; `functions` may be NULL.
// False: no memory.
bool matching_write(struct index_writer *writer, const struct pass_result *result,
                    const struct function_map *functions);

// --- Of all --------------------------------------------------------------------------------------

struct matching;

// Begins to match the calls of the result's lanes, whose last nodes are set, with the data in the
// last part. Fails if that is damaged.
enum status matching_begin(struct matching **matching, const struct shard *last,
                           const struct pass_result *result, struct call_lists *calls, bool is_ttu,
                           struct error *err);

// Processes the transfers of the next part.
enum status matching_take(struct matching *matching, const struct shard *shard, struct error *err);

// Ends the trace: sets the fields about calls in the lanes of the result. False: no memory.
bool matching_end(struct matching *matching);

// NULL is allowed.
void matching_free(struct matching *matching);

#endif
