// A part of an index: what one shard of a trace gives to it. A file like an index (index_format.h),
// with a magic of its own, of one program's version only: it is made to be merged, not to be kept.
//
//     header     magic SHARD_MAGIC; sections as of an index
//     segments   the shard's, byte for byte as in the index, each followed by its digest: what the
//                directories of the index have to know of it
//     sections   LANES, IDENTITY, TRANSFERS, SHARD; of the last shard, which has read all of the
//                trace, MATCHING and all else that follows the directories in the index and is not
//                of calls
//
// Calls, checkpoints, directories and the rest of the file are made by whoever merges.
#ifndef TRAWL_IDX_SHARD_FORMAT_H
#define TRAWL_IDX_SHARD_FORMAT_H

#include "idx/index_format.h"

#define SHARD_MAGIC "TRAWLPRT"

// The numbers of sections that no index has.
#define SECTION_SHARD ((enum index_section)1000)
#define SECTION_TRANSFERS ((enum index_section)1001)
#define SECTION_MATCHING ((enum index_section)1002)
#define SECTION_SURVEY ((enum index_section)1003) // of no part, but of a survey: that alone

// SECTION_TRANSFERS: the transfers of control in the shard's bytes, as batches of parts one after
// the other (flow/transfer_log.h).

// Of SECTION_SHARD: the columns of SECTION_SEGMENTS up to PART_CHECKPOINT_BYTES, where digests
// stand for checkpoints, and these.
enum shard_part {
    PART_SHARD_FLAGS = PART_SEGMENT_LANE_EVENTS + 1, // a row a segment: all that some event has
    PART_SHARD_FIGURES,                              // rows by enum shard_figure
    // A row an event that was corrected late, in the order of segments.
    PART_SHARD_LATE_EVENTS,
    PART_SHARD_LATE_PCS,
    PART_SHARD_LATE_POSITIONS,
    PART_SHARD_LATE_FLAGS,
};

// Of SECTION_MATCHING, what the calls of all transfers are matched with: columns.
enum matching_part {
    PART_MATCHING_NODES = 1, // MATCHING_ROWS rows a lane: the last node (flow/node.h)
    PART_MATCHING_FIRSTS,    // a row a piece of the images' functions (flow/function_map.h)
    PART_MATCHING_LASTS,
    PART_MATCHING_FUNCTIONS, // where the function of the piece begins
    PART_MATCHING_ENTRIES,   // where functions begin
};

enum matching_row {
    MATCHING_EVENT,
    MATCHING_TIME,
    MATCHING_LINE,
    MATCHING_POSITION,
    MATCHING_PC,
    MATCHING_ROWS,
};

enum shard_figure {
    SHARD_NUMBER, // from 1
    SHARD_COUNT,  // of all shards
    SHARD_FROM,   // the bytes of the text in which its segments begin
    SHARD_END,
    SHARD_FIRST_SEGMENT, // of the trace; unused if there is none
    SHARD_HASH,          // XXH3-64 of all between the header and the section
    SHARD_FIGURES,
};

// Of a digest: columns.
enum digest_part {
    PART_DIGEST_CELLS = 1,   // lane << 16 | cell that the segment writes, ascending
    PART_DIGEST_KNOWN,       // which of its bytes
    PART_DIGEST_VALUES,      // that it holds at the end
    PART_DIGEST_KEYS,        // timelines of registers, ascending
    PART_DIGEST_LANE_EVENTS, // a row a lane, to the last that has some
    PART_DIGEST_STORED,      // words that it stores to, ascending
    PART_DIGEST_LOADED,      // that a load shows bytes of
};

#endif
