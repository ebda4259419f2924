// The surveys of the pieces of a trace: what a shard has to know of the text before its piece, so
// that it need not read it. A survey is a file like a part of an index (idx/shard_format.h).
#ifndef TRAWL_SESSION_SURVEYS_H
#define TRAWL_SESSION_SURVEYS_H

#include "base/fingerprint.h"
#include "idx/shard.h"
#include "session/indexing.h"

// Surveys the piece how->shard of the trace, and publishes the file how->path. All errors name
// their file.
enum status survey_run(struct trace *trace, const struct pass_options *options,
                       const struct pass_observer *observer, const struct indexing_options *how,
                       struct pass_result *result, struct error *err);

// Those before a piece.
struct surveys {
    struct shard *shards;        // by number
    struct packed_survey *items; // likewise
    size_t count;
};

// Opens those of all pieces before `place`, of the files that were given in any order; others among
// them are left alone. STATUS_INPUT: one is missing, damaged, or of another trace; `err` names it.
// They have to be freed in any case.
enum status surveys_open(struct surveys *surveys, const char *const *paths, size_t path_count,
                         const struct shard_place *place, const struct fingerprint *fingerprint,
                         struct error *err);
void surveys_free(struct surveys *surveys);

#endif
