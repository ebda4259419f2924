// The parts of a segment (idx/parts.h), by number. FORMAT.md defines their contents.
#ifndef TRAWL_IDX_SEGMENT_FORMAT_H
#define TRAWL_IDX_SEGMENT_FORMAT_H

#include "idx/column.h"
#include "idx/segment_rows.h"

enum segment_part {
    // Columns, a row for each event.
    PART_TIME = 1,
    PART_LINE,
    PART_POSITION,
    PART_PC,
    PART_FLAGS,
    PART_LANE,       // absent if all are 0
    PART_PC_FILTER,  // PC_FILTER_WORDS rows for each block of events
    PART_HOST_CALLS, // events that may write memory without a line for it; absent if there are none
    // Registers, a row for each timeline.
    PART_REGISTER_KEYS,
    PART_REGISTER_STARTS, // where its events start in PART_REGISTER_DATA; then come the values
    PART_REGISTER_DATA,   // columns: events and values; timelines may share them
    // Memory, a row for each word.
    PART_MEMORY_WORDS,
    PART_MEMORY_STARTS, // its first record
    // Memory, a row for each record.
    PART_MEMORY_EVENTS,
    PART_MEMORY_KINDS,
    PART_MEMORY_VALUES,
    PART_MEMORY_TOUCHED, // a row for each MEMORY_TOUCHED_RECORDS records
    // Events without an instruction whose line names the one that they belong to, a row for each;
    // absent if there are none.
    PART_ORIGIN_EVENTS,
    PART_ORIGIN_PCS,
    // Reads of memory, by the instruction that makes them (idx/load_write.c); absent if there are
    // none. A row for each group: the events with an instruction, of an owner.
    PART_LOAD_EVENTS, // the first that reads, ascending
    PART_LOAD_COUNTS, // loads of each event * 2, 0: that varies; bit 0: see PART_LOAD_PLACES
    PART_LOAD_FIRSTS, // place of the first load, less that of the read before it in the segment
    // For each group the bytes of each load of an event; if that varies, of each load.
    PART_LOAD_SIZES,
    PART_LOAD_VISITS, // a row for each event of groups that vary: its loads; absent if none does
    // A row for each load but the first of a group: the difference from the load before it in its
    // event; for the first of an event, from that of the event before or, with bit 0 of the count,
    // from the load before it in the segment.
    PART_LOAD_PLACES,
    PART_LOAD_STRANGE, // further words: of loads of unknown values; absent if there are none
    // Places of pages (FORMAT.md, Places), by page, then by event; absent if all accesses are to
    // the places that their addresses are.
    PART_PLACE_PAGES,
    PART_PLACE_EVENTS,
    PART_PLACE_OWNERS, // place_owner
    PART_PLACES,
    PART_PLACE_REGIMES, // a row for each change of a lane's regime: event << 18 | place_owner
    // Lines and positions as steps by PC (idx/step_write.c); absent if those columns have a row for
    // each event, and not only for every STEP_ANCHOR-th. A row for each PC.
    PART_STEP_PCS,
    PART_STEP_LINES, // how many lines and bytes most of its events have
    PART_STEP_BYTES,
    // A row for each other event: its row, ascending, and what it has more, as zigzag.
    PART_STEP_EXCEPTIONS,
    PART_STEP_MORE_LINES,
    PART_STEP_MORE_BYTES,
    PART_REGISTER_VALUE_STARTS, // of each timeline; absent if no timeline shares a column
    // With SECTION_NESTING, instead of PART_PC.
    PART_ENTRY_PCS, // a row for each entry
    // A row for each block of events.
    PART_BLOCK_ENTRIES, // of the segment before it
    PART_BLOCK_DEPTHS,  // calls open before it
    PART_BLOCK_LEASTS,  // the fewest that are open after one of its events
    // A row for each event after which another number of calls is open than an entry or exit makes
    // of that before; absent if there is none.
    PART_EXCEPTION_EVENTS, // ascending
    PART_EXCEPTION_DEPTHS, // calls open after it
    PART_EXCEPTION_PCS,
    PART_SEGMENT_LAST = PART_EXCEPTION_PCS,
};

// How many timelines may share a column: those of a vector.
#define TIMELINE_SHARERS 8

#define STEP_ANCHOR 64
#define STEP_PCS_MAX 65536

// What distinguishes groups of reads with the same PC: the lane, and in bit 0 whether the
// instruction was skipped.
static inline uint32_t load_owner(unsigned lane, uint64_t flags)
{
    return (uint32_t)lane << 1 | !(flags & EVENT_EXECUTED);
}

#define PLACE_PAGE_BITS 12
#define PLACE_OWNER_BITS 18

static inline uint32_t place_owner(uint16_t lane, uint8_t regime)
{
    return (uint32_t)lane << 2 | regime;
}

// The page of a virtual address. Without a tag (the bits from 56 on): translation ignores it where
// it is accepted.
static inline uint64_t place_virtual_page(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 8) >> 8) >> PLACE_PAGE_BITS;
}

// A bit for each PC of a block of events, and for each exception.
#define PC_FILTER_WORDS 4

// PCs that differ only in lower bits have the same bit in the filter.
#define PC_FILTER_SHIFT 6

static inline unsigned pc_filter_bit(uint64_t pc)
{
    return (unsigned)((pc >> PC_FILTER_SHIFT) * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

// The address that stands for exceptions in searches for visits.
#define PC_OF_EXCEPTIONS UINT64_C(6)

// A set of PCs that may have a group of reads, by some of their bits: most instructions have none,
// and need not be looked up.
#define LOAD_FILTER_BITS 65536

static inline unsigned load_filter_bit(uint64_t pc)
{
    return (unsigned)(pc >> 1) % LOAD_FILTER_BITS;
}

// A register timeline: lane, cell, bytes of the cell.
static inline uint64_t register_key(unsigned lane, unsigned cell, unsigned mask)
{
    return (uint64_t)lane << 24 | (uint64_t)cell << 8 | mask;
}

static inline unsigned register_key_lane(uint64_t key)
{
    return (unsigned)(key >> 24);
}

static inline unsigned register_key_cell(uint64_t key)
{
    return (unsigned)(key >> 8) & 0xffff;
}

static inline uint8_t register_key_mask(uint64_t key)
{
    return (uint8_t)key;
}

// The kind of a memory record. The lower eight bits are the bytes of the word that it touches.
enum memory_kind {
    MEMORY_STORE = 0,
    MEMORY_STORE_UNKNOWN = 1 << 8, // what was stored is unknown
    MEMORY_LOAD = 2 << 8,          // shows bytes that were unknown before
    MEMORY_KIND = 3 << 8,
    MEMORY_BEFORE_HOST_CALL = 1 << 10, // of its own event; otherwise accesses come after it
    // Something else than the stores of the trace changes the bytes. A store: a load showed the
    // change here. A store of an unknown value: the change is after the event before, but the load
    // that shows it is later. A load: the bytes are changed in such a way later.
    MEMORY_OUTSIDE = 1 << 11,
};

// Values are shifted right, so that the lowest touched byte is at bit 0.
static inline unsigned mask_shift(uint8_t mask)
{
    return mask ? 8 * (unsigned)__builtin_ctz(mask) : 0;
}

// The number of records summarized by one row of PART_MEMORY_TOUCHED: the bytes of their words that
// they touch.
#define MEMORY_TOUCHED_RECORDS 64

#endif
