// An open part of an index (shard_format.h), to be merged with others.
#ifndef TRAWL_IDX_SHARD_H
#define TRAWL_IDX_SHARD_H

#include "base/error.h"
#include "base/fingerprint.h"
#include "base/map.h"
#include "idx/column.h"
#include "idx/file_role.h"
#include "idx/index_write.h"
#include "idx/parts.h"
#include "idx/shard_format.h"

struct shard {
    const char *path;
    struct map map;
    enum simd simd;
    struct index_section_entry sections[INDEX_HEADER_SECTIONS];
    size_t section_count;
    uint64_t identity[IDENTITY_ROWS];
    bool is_packed; // the trace is compressed
    char kind[INDEX_KIND_BYTES];
    char task_key[INDEX_TASK_KEY_BYTES]; // "": none
    uint64_t figures[SHARD_FIGURES];
    uint64_t segment_count;
    struct column segments[PART_SHARD_FLAGS + 1]; // by enum segments_part, and flags
    struct column late[PART_SHARD_LATE_FLAGS + 1];
};

// A segment in the form that index_writer_add_segment takes, and its memory.
struct shard_segment {
    struct segment_writer writer;
    struct segment_events events; // of one row, the first
    struct segment_input input;
    uint64_t time, line, position; // the values of that row
    VEC(, uint64_t) column;
    bool lacks_memory;
};

// Opens a part, or a survey, as `wanted` says. `path` is not copied. STATUS_INPUT: the file is not
// one, is of another version, or is damaged; `err` names it.
enum status shard_open(struct shard *shard, const char *path, enum file_role wanted,
                       struct error *err);

// Which trace it was made from.
struct fingerprint shard_fingerprint(const uint64_t identity[IDENTITY_ROWS]);

// Compares the hash of all its bytes, before any of them are copied.
enum status shard_verify(const struct shard *shard, struct error *err);
void shard_close(struct shard *shard);

// Segment `at` of the part, of a trace with that many lanes. Its bytes are in the map.
// STATUS_INPUT: damaged.
enum status shard_segment(const struct shard *shard, uint64_t at, size_t lane_count,
                          struct shard_segment *segment, struct error *err);
void shard_segment_free(struct shard_segment *segment);

// Its corrections of earlier events. The caller frees them. NULL: there are none, or `status` has
// the reason.
struct segment_late *shard_late(const struct shard *shard, size_t *count, enum status *status,
                                struct error *err);

// The bytes of a section; NULL: it is absent.
const uint8_t *shard_section(const struct shard *shard, enum index_section number,
                             uint64_t *size_bytes);

// The parts of a section. STATUS_INPUT: it is missing or damaged.
enum status shard_parts(const struct shard *shard, enum index_section number, struct parts *parts,
                        struct error *err);

// A range of bytes of the file; NULL: outside of it.
const uint8_t *shard_bytes(const struct shard *shard, uint64_t offset, uint64_t size_bytes);

// Reports that a part is damaged.
enum status shard_damaged(const struct shard *shard, const char *what, struct error *err);

#endif
