// Makes one index of the parts that the shards of a trace left (idx/shard_format.h): the same bytes
// as of an index that was made whole.
#ifndef TRAWL_SESSION_MERGING_H
#define TRAWL_SESSION_MERGING_H

#include "idx/file_writer.h"

struct merging_options {
    const char *const *parts; // paths, in any order
    size_t part_count;
    const char *path; // of the index
    enum file_writer_io io;
    bool sync; // have the index on the disk before it gets its name
};

// Publishes the index, which replaces an older one. Its time grows with the bytes that are copied
// and with the directories: nothing of the trace is read. STATUS_INPUT: a part is missing, there
// twice, of another trace, or damaged; `err` names it, and nothing is written.
enum status merging_run(const struct merging_options *how, struct error *err);

// What a part is to be of: a file as it is now, cut at equal distances.
struct shard_wanted {
    const char *trace;
    uint32_t number, count;
};

// Whether there is such a part. Its bytes are not looked at: merging does that.
bool merging_has_part(const char *path, const struct shard_wanted *wanted);

// Whether a file may be replaced by an index, or by a part of one: there is none, it is empty, or
// it is of that kind. STATUS_INPUT: it is something else, and stays.
enum status merging_may_replace(const char *path, bool is_part, struct error *err);

#endif
