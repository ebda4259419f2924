// Builds one part of an index, or a survey of its shard, as session.index requests: for traces
// whose index is made by several processes or machines and then merged (session/merging.h). A part
// is built whenever it is requested: whether an older one fits depends on the other parts.
#ifndef TRAWL_SESSION_SHARD_BUILD_H
#define TRAWL_SESSION_SHARD_BUILD_H

#include "base/fingerprint.h"
#include "idx/shard.h"
#include "session/indexing.h"
#include "session/session.h"

// --- shard_build.c -------------------------------------------------------------------------------

// The trace must be ready and at its start.
enum status shard_build(struct session *session, const struct fingerprint *fingerprint,
                        struct error *err);

// --- surveys.c -----------------------------------------------------------------------------------

// The surveys of the shards of a trace: what a shard needs to know about the text before its shard,
// so that it need not be read. A survey is a file like a part of an index (idx/shard_format.h).

// Surveys the shard how->shard of the trace, and publishes the file how->path. All errors name
// their file.
enum status survey_run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, const struct indexing_options *how,
                       struct pass_result *result, struct error *err);

// The surveys of the shards before a shard.
struct surveys {
    struct shard *shards;        // by number of the shard
    struct packed_survey *items; // by number of the shard
    size_t count;
};

// Opens the surveys of all shards before `place`. The files can be in any order; surveys of other
// shards among them are ignored. STATUS_INPUT: one is missing, damaged, or of another trace; `err`
// names it. Free them with surveys_free in any case.
enum status surveys_open(struct surveys *surveys, const char *const *paths, size_t path_count,
                         const struct shard_place *place, const struct fingerprint *fingerprint,
                         struct error *err);
void surveys_free(struct surveys *surveys);

#endif
