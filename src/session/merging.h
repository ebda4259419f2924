// Joins the parts made from the shards of a trace (idx/shard_format.h) into one index, which is
// byte-identical to an index that was built as a whole.
//
// A shard leaves the matching of calls to this: it stores the transfers of control of its text (9
// to 13 % of a part), because calls need the stack from the beginning of the trace, and matching
// all of them here takes a few hundredths of a second for 320 MB. Parts are checked against each
// other before anything is written: each says which trace, which options and which bytes it is of.
#ifndef TRAWL_SESSION_MERGING_H
#define TRAWL_SESSION_MERGING_H

#include "idx/file_role.h"
#include "idx/file_writer.h"

struct merging_options {
    const char *const *parts; // paths, in any order
    size_t part_count;
    const char *path; // of the index
    enum file_writer_io io;
    bool sync; // write the index to disk before it gets its name
};

// Publishes the index, which replaces an older one. The time is proportional to the number of bytes
// copied and the size of the directories; the trace is not read. STATUS_INPUT: a part is missing,
// duplicated, of another trace, or damaged; `err` names it, and nothing is written.
enum status merging_run(const struct merging_options *how, struct error *err);

// The part or survey that is requested: of the file as it is now, cut at equal distances.
struct shard_wanted {
    enum file_role role;
    const char *trace;
    uint32_t number, count;
};

// Whether it exists. Its bytes are not checked: merging does that.
bool merging_has_part(const char *path, const struct shard_wanted *wanted);

// Whether a file may be replaced by an index, or by a part of one: it does not exist, is empty, or
// is of that kind. STATUS_INPUT: it is something else, and stays.
enum status merging_may_replace(const char *path, bool is_part, struct error *err);

#endif
