// An open part of an index (shard_format.h), for whoever merges it with others.
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
    struct index_section_entry sections[INDEX_SECTIONS_MAX];
    size_t section_count;
    uint64_t identity[IDENTITY_ROWS];
    bool is_packed; // the trace is compressed
    char kind[INDEX_KIND_BYTES];
    uint64_t figures[SHARD_FIGURES];
    uint64_t segment_count;
    struct column segments[PART_SHARD_FLAGS + 1]; // by enum segments_part, and flags
    struct column late[PART_SHARD_LATE_FLAGS + 1];
};

// A segment as index_writer_add_segment takes it, and the memory for that.
struct shard_segment {
    struct segment_writer writer;
    struct segment_events events; // of one row, the first
    struct segment_input input;
    uint64_t time, line, position; // that row
    VEC(, uint64_t) column;
    bool lacks_memory;
};

// Opens a part, or a survey, as `wanted` says. `path` stays the caller's. STATUS_INPUT: it is none,
// of another version, or damaged; `err` names it.
enum status shard_open(struct shard *shard, const char *path, enum file_role wanted,
                       struct error *err);

// The trace that it was made of.
struct fingerprint shard_fingerprint(const uint64_t identity[IDENTITY_ROWS]);

// Holds all of its bytes against their hash, before any of them are copied.
enum status shard_verify(const struct shard *shard, struct error *err);
void shard_close(struct shard *shard);

// Segment `at` of the part, of a trace with that many lanes. Its bytes are those of the map.
// STATUS_INPUT: damaged.
enum status shard_segment(const struct shard *shard, uint64_t at, size_t lane_count,
                          struct shard_segment *segment, struct error *err);
void shard_segment_free(struct shard_segment *segment);

// Its corrections of events; to be freed. NULL: there are none, or `status` says why.
struct segment_late *shard_late(const struct shard *shard, size_t *count, enum status *status,
                                struct error *err);

// The bytes of a section; NULL: there is none.
const uint8_t *shard_section(const struct shard *shard, enum index_section number,
                             uint64_t *size_bytes);

// Its parts. STATUS_INPUT: it is missing or damaged.
enum status shard_parts(const struct shard *shard, enum index_section number, struct parts *parts,
                        struct error *err);

// Some bytes of the file; NULL: they are not in it.
const uint8_t *shard_bytes(const struct shard *shard, uint64_t offset, uint64_t size_bytes);

// Says that a part is damaged.
enum status shard_damaged(const struct shard *shard, const char *what, struct error *err);

#endif
