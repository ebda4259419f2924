// The state of a source of several files, shared by source_concat.c and source_concat_growth.c.
#ifndef TRAWL_BASE_SOURCE_CONCAT_H
#define TRAWL_BASE_SOURCE_CONCAT_H

#include "base/merge.h"
#include "base/source.h"
#include "base/source_kind.h"
#include "base/unpack/access_point.h"
#include "base/unpack/codec.h"

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
    // From the last fingerprint: the sample, the number of sampled bytes, and the time of
    // the file.
    bool has_sample;
    struct hash128 sample;
    uint64_t sampled_bytes, sampled_mtime_ns;
};

struct concat {
    struct source source;
    struct part *parts;
    size_t count, reading; // reading: the current part
    uint64_t at;           // in the text
    uint64_t lines;        // line ends up to `at`
    uint64_t text_bytes;   // after the text was read to its end
    bool is_found;         // it is known where parts begin
    bool is_at_line_start;
    bool is_held;     // reading ends after the current line, until the files grow
    bool is_open_end; // merged files that were followed may continue after the end
    struct merge_fault fault;
    uint64_t fault_plain_byte; // in the whole text; UINT64_MAX: unknown, as files are merged
    bool wants_access_points, keeps_access_points; // keeps_access_points: false also if there was
                                                   // no memory for them
    struct access_points access_points;
    int rights_fd; // as returned by source_fd
    // If files are merged.
    line_stamp_function *stamp; // NULL: they are not merged
    const struct line_prefix *prefix;
    struct merge_file *merge_files;
    struct merge *merge;   // NULL: nothing was read yet
    struct merge *locator; // reads lines to find out which file they belong to
};

static inline struct concat *concat_of(struct source *source)
{
    return (struct concat *)source;
}

static inline const struct concat *const_concat_of(const struct source *source)
{
    return (const struct concat *)source;
}

// Opens a file. On failure, the descriptor of its map is -1.
enum status concat_open_part(struct part *part, struct error *err);

// Whether two files have the same permissions: owner, group, mode, and access list if there is one.
bool concat_have_same_rights(int a, int b);

// Whether a file may grow and still be part of the same trace.
bool concat_may_grow(const struct concat *concat, size_t number);

// Whether no file is compressed, so that they can be followed.
bool concat_is_plain(const struct concat *concat);

// Goes back to the beginning.
void concat_rewind(struct source *source);

bool concat_is_replaced(const struct source *source);

enum status concat_fingerprint(struct source *source, struct fingerprint *fingerprint,
                               struct error *err);

// --- Files that grow (source_concat_growth.c) ----------------------------------------------------

// Shows only what is certain of the files, which have just been opened to be followed.
void concat_follow(struct concat *concat);

extern const struct source_following concat_following;

bool concat_has_no_writers(const struct source *source);
uint64_t concat_read_bytes(const struct source *source, size_t number);
bool concat_begins_as_before(const struct source *source);

// The beginning of a file, as of the last fingerprint; is not known if any is compressed.
struct source_file_beginning concat_beginning(const struct concat *concat, size_t number);
bool concat_file_beginning(const struct source *source, size_t number,
                           struct source_file_beginning *beginning);
bool concat_begins_with(const struct source *source, const struct source_beginning *beginning);
void concat_end_after(struct source *source, const struct source_beginning *beginning);

#endif
