// A part of an index, made from one shard of a trace. It is a file like an index (index_format.h),
// with a different magic. It can only be read by the version of the program that wrote it: it is
// intended for merging, not for keeping.
//
//     header     magic SHARD_MAGIC; sections as of an index
//     segments   the shard's, byte for byte as in the index, each followed by its digest: the facts
//                about it for the directories of the index
//     sections   LANES, IDENTITY, TRANSFERS, SHARD; of the last shard, which has read the whole
//                trace, also MATCHING and all sections that follow the directories in the index
//                and are not about calls
//
// The program that merges makes calls, checkpoints, directories and the rest of the file.
#ifndef TRAWL_IDX_SHARD_FORMAT_H
#define TRAWL_IDX_SHARD_FORMAT_H

#include "idx/index_format.h"

#define SHARD_MAGIC "TRAWLPRT"

// Numbers of sections that do not occur in an index.
#define SECTION_SHARD ((enum index_section)1000)
#define SECTION_TRANSFERS ((enum index_section)1001)
#define SECTION_MATCHING ((enum index_section)1002)
#define SECTION_SURVEY ((enum index_section)1003) // not of a part, but the only section of a survey

// SECTION_TRANSFERS: the transfers of control in the shard's bytes, as consecutive batches of parts
// (flow/transfer_log.h).

// Of SECTION_SHARD: the columns of SECTION_SEGMENTS up to PART_CHECKPOINT_BYTES, with digests in
// place of checkpoints, and these:
enum shard_part {
    PART_SHARD_FLAGS = PART_SEGMENT_LANE_EVENTS + 1, // a row for each segment: flags of any event
    PART_SHARD_FIGURES,                              // rows by enum shard_figure
    // A row for each event that was corrected late, in the order of segments.
    PART_SHARD_LATE_EVENTS,
    PART_SHARD_LATE_PCS,
    PART_SHARD_LATE_POSITIONS,
    PART_SHARD_LATE_FLAGS,
};

// Of SECTION_MATCHING: what is needed to match the calls of all transfers; columns.
enum matching_part {
    PART_MATCHING_NODES = 1, // MATCHING_ROWS rows for each lane: the last node (flow/node.h)
    PART_MATCHING_FIRSTS,    // a row for each range of the images' functions (flow/function_map.h)
    PART_MATCHING_LASTS,
    PART_MATCHING_FUNCTIONS, // where the function of the range begins
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
    SHARD_FIRST_SEGMENT, // in the trace; unused if there is none
    SHARD_HASH,          // XXH3-64 of everything between the header and the section
    SHARD_FIGURES,
};

// Of PART_SHARD_FLAGS, besides those of events: the segment has places of pages; it has
// steps or shared columns.
#define SHARD_HAS_PLACES 0x100
#define SHARD_HAS_FORMS 0x200

// A digest: columns.
enum digest_part {
    PART_DIGEST_CELLS = 1,   // lane << 16 | cell that the segment writes, ascending
    PART_DIGEST_KNOWN,       // which of its bytes are written
    PART_DIGEST_VALUES,      // at the end of the segment
    PART_DIGEST_KEYS,        // timelines of registers, ascending
    PART_DIGEST_LANE_EVENTS, // a row for each lane, up to the last lane with events
    PART_DIGEST_STORED,      // words to which it stores, ascending
    PART_DIGEST_LOADED,      // words of which a load shows bytes
    PART_DIGEST_REREAD,      // words of which loads show only bytes that were shown before
    // Events with a load that shows something else than memory had, and the line of the first;
    // absent if there are none.
    PART_DIGEST_CONTRADICTIONS,
};

#endif
