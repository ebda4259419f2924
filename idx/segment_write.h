// Builds the bytes of one segment, and the facts about it that the index needs. One header for
// segment_write.c and the files that build its parts (register_write.c, memory_write.c): all work
// on the memory of one writer, which is kept from segment to segment because allocating it anew
// costs more than filling it.
#ifndef TRAWL_IDX_SEGMENT_WRITE_H
#define TRAWL_IDX_SEGMENT_WRITE_H

#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "idx/parts.h"
#include "idx/segment_rows.h"

struct segment_input {
    const struct segment_events *events;
    uint32_t event_count;
    const struct segment_register *registers; // of each lane in the order of events
    size_t register_count;
    const struct segment_access *accesses; // in the order of events
    size_t access_count;
    const struct segment_origin *origins; // in the order of events
    size_t origin_count;
    const struct segment_regime *regimes; // of each lane in order
    size_t regime_count;
    bool is_nested; // calls are not listed
    struct segment_nesting nesting;
    uint16_t
        space_cells[SPACE_REGISTER_ROOM]; // of registers that tell address spaces apart; 0: none
    bool big_endian;
    enum simd simd;
};

// The contents of a cell after a segment that wrote to it.
struct cell_state {
    uint32_t lane_cell; // lane << 16 | cell
    uint8_t known;      // bytes that were written, the last time with a known value
    uint8_t unknown;    // bytes that were written last with an unknown value
    uint64_t value;
};

// The operation that a host call of a lane would request: r0 or x0, as far as the segment wrote it.
struct host_call_lane {
    size_t next; // the first write not yet processed
    uint64_t value;
    uint8_t known;
};

// A read of memory, in the order of the trace.
struct segment_read {
    uint64_t place; // rank of its first word * 8 + byte; of an unknown value: the address
    uint32_t event;
    uint8_t size_bytes;
    bool is_known;
};

// An access that goes on in a page whose place its line does not show.
#define PLACE_UNKNOWN UINT64_MAX

struct place_crossing {
    size_t access;  // its number
    uint64_t place; // of the next page; PLACE_UNKNOWN: the segment does not show it
    uint64_t space; // for place_write.c
};

// Memory and results that are kept from segment to segment.
struct segment_writer {
    struct bytes bytes;             // the segment
    VEC(, struct cell_state) cells; // ascending by lane_cell
    VEC(, uint64_t) register_keys;  // ascending
    VEC(, uint64_t) stored;         // words (address / 8) to which it stores, ascending
    VEC(, uint64_t) loaded;         // words of which a load shows bytes
    VEC(, uint64_t) reread;         // words of which loads show only bytes that were shown before
    VEC(, struct segment_read) reads;
    size_t word_count;           // that have ranks
    bool has_unknown_reads;      // some read has no rank
    uint8_t flags;               // all flags of any event (enum event_flag)
    VEC(, uint32_t) lane_events; // events of each lane, up to the last lane with any
    uint64_t time_max;
    uint64_t entry_count, least_depth;      // if calls are not listed
    size_t host_call_count;                 // those that may write memory
    bool has_places;                        // other than addresses
    const struct place_crossing *crossings; // ascending
    size_t crossing_count;
    // Events with a load that shows something else than what the segment knows of memory, and the
    // line of the first.
    uint64_t contradictions, contradiction_line;
    struct parts_writer parts;
    struct register_build *registers;
    struct memory_build *memory;
    struct load_build *loads;
    struct place_build *places;
    struct step_build *steps;
    bool has_steps;      // lines and positions are steps by PC
    bool has_forms;      // steps, or timelines that share columns
    uint64_t record_max; // of memory; 0: LIMIT_SEGMENT_RECORDS
    VEC(, uint64_t) column;
    VEC(, uint32_t) host_calls;
    VEC(, struct host_call_lane) host_call_lanes;
};

// The largest number of records in a segment.
static inline uint64_t memory_record_max(const struct segment_writer *writer)
{
    return writer->record_max ? writer->record_max : LIMIT_SEGMENT_RECORDS;
}

// Sets `bytes` and the other results from `input`. The bytes depend only on the input.
// STATUS_LIMIT: more memory records than a segment may have; STATUS_MEMORY: no memory.
enum status segment_write(struct segment_writer *writer, const struct segment_input *input,
                          struct error *err);

void segment_writer_free(struct segment_writer *writer);

// The parts that have files of their own, for segment_write.c only. register_write: registers; it
// sets writer->cells and writer->register_keys. memory_write: memory, with writer->host_calls set;
// it sets writer->stored, writer->loaded and writer->reread. load_write: reads of memory.
// place_find, before memory_write: the places of pages; it sets writer->has_places and
// writer->crossings; place_write: writes them. step_find: lines and positions, and
// writer->has_steps; step_write: the steps. register_write_shared: where the
// values of timelines that share columns are. False and STATUS_MEMORY: no memory; STATUS_LIMIT:
// more than memory_record_max.
bool register_write(struct segment_writer *writer, const struct segment_input *input);
bool register_write_shared(struct segment_writer *writer);
void register_build_free(struct register_build *build);
enum status memory_write(struct segment_writer *writer, const struct segment_input *input);
void memory_build_free(struct memory_build *build);
enum status load_write(struct segment_writer *writer, const struct segment_input *input);
void load_build_free(struct load_build *build);
bool place_find(struct segment_writer *writer, const struct segment_input *input);
bool place_write(struct segment_writer *writer, const struct segment_input *input);
void place_build_free(struct place_build *build);
bool step_find(struct segment_writer *writer, const struct segment_input *input);
bool step_write(struct segment_writer *writer, const struct segment_input *input);
void step_build_free(struct step_build *build);

#endif
