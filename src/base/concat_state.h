// The state of a concatenation and its files, shared by concat*.c.
#ifndef TRAWL_BASE_CONCAT_STATE_H
#define TRAWL_BASE_CONCAT_STATE_H

#include "base/fingerprint.h"
#include "base/map.h"
#include "base/merge.h"
#include "base/unpack/codec.h"
#include "base/unpack/restart.h"

#include <stdatomic.h>

struct part {
    const char *path;
    const char *core;          // if files are merged
    struct map map;            // shows the part that counts as text
    const struct codec *codec; // NULL: it is not compressed
    struct packed packed;
    struct unpack_stream *unpack_stream; // while the part is being read
    uint64_t at;                         // in its text
    uint64_t left_bytes;                 // of its mapped text, no longer needed
    uint64_t first_byte, lines_before;
    bool begins_in_line;  // it begins with the rest of the previous part's last line
    atomic_bool is_begun; // the three fields above are valid
    bool is_final;        // followed files: nothing follows the text that is shown
    // From the last concat_fingerprint: the sample, the number of sampled bytes, and the time of
    // the file.
    bool has_sample;
    struct hash128 sample;
    uint64_t sampled_bytes, sampled_mtime_ns;
};

struct concat {
    struct part *parts;
    size_t count, reading; // reading: the current part
    unsigned threads;
    uint64_t at;         // in the text
    uint64_t lines;      // line ends up to `at`
    uint64_t text_bytes; // after the text was read to its end
    bool is_found;       // it is known where parts begin
    bool is_at_line_start;
    bool is_followed, is_held; // as concat_manner.follows, concat_hold
    bool is_open_end;          // merged files that were followed may continue after the end
    struct merge_fault fault;
    uint64_t fault_plain_byte;           // as in struct concat_fault
    bool wants_restarts, keeps_restarts; // keeps_restarts: false also if there was no memory for
                                         // them
    struct restarts restarts;
    int rights_fd; // as returned by concat_fd
    // If files are merged.
    line_stamp_function *stamp; // NULL: they are not merged
    const struct line_prefix *prefix;
    struct merge_file *merge_files;
    struct merge *merge;   // NULL: nothing was read yet
    struct merge *locator; // reads lines to find out which file they belong to
};

// Opens a file of a concatenation. On failure, the descriptor of its map is -1.
enum status concat_open_part(struct part *part, struct error *err);

// Whether two files have the same permissions: owner, group, mode, and access list if there is one.
bool concat_have_same_rights(int a, int b);

// Whether a file may grow and still be part of the same trace.
bool concat_may_grow(const struct concat *concat, size_t number);

#endif
