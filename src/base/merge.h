// The text of several files that go on at the same time, as one text: lines by the time that stands
// in them, of equal times those of the file before.
//
// A line without a time stays after the line that it follows in its file. A line with a time that
// names no core has the name of its file's core put in after the time: the outcome is what would
// stand in one file of all cores.
#ifndef TRAWL_BASE_MERGE_H
#define TRAWL_BASE_MERGE_H

#include "base/error.h"
#include "base/map.h"

struct codec;
struct merge;
struct packed;

// What a line begins with.
struct line_stamp {
    bool has_time;
    uint64_t time;
    size_t name_at;     // where its core's name stands, or would stand
    size_t name_length; // 0: it has none
};

// Reads that of [start, end), which has no newline.
typedef struct line_stamp line_stamp_function(const char *start, const char *end);

// One of the files. All has to stay.
struct merge_file {
    const char *path;
    const struct map *map;
    const struct codec *codec; // NULL: it is not compressed
    const struct packed *packed;
    const char *core; // that its lines are of until one names another
    bool may_grow;    // what comes after its last line is not known: it ends with a whole one
};

// What is wrong with what was read so far: the compressed data of a file, whose text ends there.
struct merge_fault {
    const char *path, *text;
    uint64_t packed_byte;
};

// NULL: no memory.
struct merge *merge_open(const struct merge_file *files, size_t count, line_stamp_function *stamp);

// Reads until there are `wanted` bytes, or the text ends, or the next line is not certain; with
// `only_line`, only what is left of the line in hand. STATUS_INPUT: a file has no times.
enum status merge_read(struct merge *merge, char *bytes, size_t wanted, size_t *have,
                       bool only_line, struct error *err);

// Whether there is more to read.
bool merge_has_more(struct merge *merge);

// Takes up what a file's map and may_grow are by now. No line may be in hand.
void merge_refresh(struct merge *merge, size_t number);

// How much of a file was read.
uint64_t merge_read_bytes(const struct merge *merge, size_t number);

// Goes on to the next line, in place of reading it. *is_end: there is none.
enum status merge_skip_line(struct merge *merge, bool *is_end, struct error *err);

// How many lines were read or skipped, which file the last one is of, and its number there.
uint64_t merge_line(const struct merge *merge, size_t *file, uint64_t *line_in_file);

struct merge_fault merge_fault(const struct merge *merge);

void merge_close(struct merge *merge);

#endif
