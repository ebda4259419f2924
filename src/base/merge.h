// Merges several files that were written at the same time into one text: lines are ordered by the
// time that they begin with, and for equal times by the order of the files.
//
// Where lines have no times but are counted (line_stamp.is_counted), the files take turns: how
// their lines were ordered is unknown.
//
// A line without a time stays after the previous line of its file. If a line with a time names no
// core, the name of its file's core is inserted after the time. So the result is what a single file
// of all cores would contain.
#ifndef TRAWL_BASE_MERGE_H
#define TRAWL_BASE_MERGE_H

#include "base/error.h"
#include "base/map.h"

struct codec;
struct merge;
struct packed;

// The beginning of a line.
struct line_stamp {
    bool has_time;
    bool has_unit;  // of durations
    bool has_point; // the time is in millionths of its unit
    int exponent;   // of the unit: -9: billionths of a second
    uint64_t time;
    bool is_counted;    // instead of a time, such lines are counted: their order in one file
    size_t name_at;     // where the name of its core is, or would be
    size_t name_length; // 0: it has none
};

// A time by which files in different units can be compared. `exponent` is that of the file's last
// unit, which also counts for lines without one: LINE_STAMP_EXPONENT at first, and for cycles.
#define LINE_STAMP_EXPONENT (-9)

static inline unsigned __int128 line_stamp_time(const struct line_stamp *stamp, int *exponent)
{
    enum { FINEST = 15 + 6 }; // millionths of femtoseconds
    unsigned __int128 time = stamp->time;
    *exponent = stamp->has_unit ? stamp->exponent : *exponent;
    for (int i = FINEST + *exponent - (stamp->has_point ? 6 : 0); i > 0; i--) {
        if (__builtin_mul_overflow(time, 10, &time))
            return ~(unsigned __int128)0;
    }
    return time;
}

struct line_prefix;

// Reads the beginning of the line [start, end), which has no newline, after the prefix that lines
// of these files have; NULL: none.
typedef struct line_stamp line_stamp_function(const char *start, const char *end,
                                              const struct line_prefix *prefix);

// One of the files. All of this must stay valid.
struct merge_file {
    const char *path;
    const struct map *map;
    const struct codec *codec; // NULL: it is not compressed
    const struct packed *packed;
    const char *core; // the core of its lines, until a line names another
    bool may_grow;    // what follows its last line is unknown, and it ends with a complete line
};

// Damage in the compressed data of a file, which ends the whole text.
struct merge_fault {
    const char *path, *text;
    uint64_t packed_byte;
};

// The prefix must stay valid. NULL: no memory.
struct merge *merge_open(const struct merge_file *files, size_t count, line_stamp_function *stamp,
                         const struct line_prefix *prefix);

// Reads until there are `wanted` bytes, the text ends, or the next line is not certain yet; with
// `only_line`, only the rest of the current line. STATUS_INPUT: a file has no times.
enum status merge_read(struct merge *merge, char *bytes, size_t wanted, size_t *have,
                       bool only_line, struct error *err);

// Whether there is more to read.
bool merge_has_more(struct merge *merge);

// Uses the current values of a file's map and may_grow. There must be no current line.
void merge_refresh(struct merge *merge, size_t number);

// How many bytes of a file were read.
uint64_t merge_read_bytes(const struct merge *merge, size_t number);

// Skips the next line. *is_end: there is none.
enum status merge_skip_line(struct merge *merge, bool *is_end, struct error *err);

// The number of lines read or skipped; also the file of the last one, and its number there.
uint64_t merge_line(const struct merge *merge, size_t *file, uint64_t *line_in_file);

struct merge_fault merge_fault(const struct merge *merge);

void merge_close(struct merge *merge);

#endif
