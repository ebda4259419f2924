// What the sources of base/joint.h know of the files.
#ifndef TRAWL_BASE_JOINT_STATE_H
#define TRAWL_BASE_JOINT_STATE_H

#include "base/fingerprint.h"
#include "base/map.h"
#include "base/merge.h"
#include "base/unpack/codec.h"
#include "base/unpack/restart.h"

#include <stdatomic.h>

struct part {
    const char *path;
    const char *core;          // of files that are merged
    struct map map;            // which shows what counts as text
    const struct codec *codec; // NULL: it is not compressed
    struct packed packed;
    struct inflow *inflow; // while it is read
    uint64_t at;           // of its text
    uint64_t left_bytes;   // of its mapped text, that are no longer needed
    uint64_t first_byte, lines_before;
    bool begins_in_line;  // that the part before ends with
    atomic_bool is_begun; // so that the three are known
    bool is_final;        // of files that are followed: nothing comes after what is shown
    // Of the last joint_fingerprint: the sample of so many bytes, of a file of that time.
    bool has_sample;
    struct hash128 sample;
    uint64_t sampled_bytes, sampled_mtime_ns;
};

struct joint {
    struct part *parts;
    size_t count, reading; // the part that is read
    unsigned threads;
    uint64_t at;         // of the text
    uint64_t lines;      // line ends up to there
    uint64_t text_bytes; // once it was read to its end
    bool is_found;       // where parts begin
    bool is_at_line_start;
    bool is_followed, is_held; // as joint_manner.follows, joint_hold
    bool is_open_end;          // merged files that were followed may go on after it
    struct merge_fault fault;
    uint64_t fault_plain_byte;           // as of struct joint_fault
    bool wants_restarts, keeps_restarts; // of what is read; unless there was no memory for them
    struct restarts restarts;
    int rights_fd; // as joint_fd
    // Of files that are merged.
    line_stamp_function *stamp; // NULL: they are not
    struct merge_file *merge_files;
    struct merge *merge;   // NULL: nothing is read
    struct merge *locator; // that goes after lines to tell which they are
};

// Opens a file of a joint; where that fails, its map has no descriptor.
enum status joint_open_part(struct part *part, struct error *err);

// Whether the same people may read both: owner, group, mode, and the access list, where there are.
bool joint_have_same_rights(int a, int b);

// Whether a file may be longer later on, and be the same trace.
bool joint_may_grow(const struct joint *joint, size_t number);

#endif
