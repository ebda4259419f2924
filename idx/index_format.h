// The structure of the file around the segments: its header, its sections, and their parts.
// FORMAT.md defines their contents.
#ifndef TRAWL_IDX_INDEX_FORMAT_H
#define TRAWL_IDX_INDEX_FORMAT_H

#include "base/base.h"

#define INDEX_MAGIC "TRAWLIDX"
#define INDEX_MAJOR 2 // a change breaks older readers
#define INDEX_MINOR 2 // a change adds something that older readers skip, or refuse by its flag

struct index_section_entry {
    uint32_t number, flags;
    uint64_t offset, size_bytes;
};

// At the start of the file, all numbers little-endian:
//
//      0   8   magic
//      8   2   major version
//     10   2   minor version
//     12   4   check of the header, with these bytes 0
//     16   8   bytes of the whole file
//     24   4   number of sections listed here
//     28   4   0
//     32  24n  a section each: number 4, flags 4, offset 8, bytes 8
// For any kind of trace. Registers have 16 bits for the lane.
#define INDEX_LANES_MAX 65536

#define INDEX_SEGMENT_EVENTS_MAX (UINT64_C(1) << 24)
#define INDEX_HEADER_BYTES 512
#define INDEX_SECTIONS_AT 32
#define INDEX_SECTION_BYTES 24
#define INDEX_HEADER_SECTIONS ((INDEX_HEADER_BYTES - INDEX_SECTIONS_AT) / INDEX_SECTION_BYTES)
// Of a file, with those that SECTION_FURTHER lists.
#define INDEX_SECTIONS_MAX 64

enum index_section {
    SECTION_IDENTITY = 1,
    SECTION_SEGMENTS,
    SECTION_LANES,
    SECTION_REGISTERS,
    SECTION_MEMORY,
    SECTION_CALLS,
    SECTION_REGIONS,
    SECTION_LATE,
    SECTION_MESSAGES,
    SECTION_BLOCKS,
    SECTION_XRAY,  // of an XRay log only
    SECTION_TFILE, // of a GDB trace file only
    SECTION_LAYOUT,
    SECTION_OTHER_CALLS, // matched by the other reading; absent if the result is the same
    // Of images. Both are at the end of the file, so that they can be replaced separately.
    SECTION_SYMBOLS,
    SECTION_SOURCE_LINES,
    SECTION_TASKS,
    SECTION_ACCESS_POINTS,
    SECTION_CHECKPOINTS,    // absent if all checkpoints are whole
    SECTION_FILES,          // of a trace in several files only
    SECTION_DOUBTS,         // absent if there are none
    SECTION_UNKNOWN_WRITES, // without parts; absent if there are no writes of unknown values
    SECTION_OUTSIDE,        // without parts; absent if no memory was changed from outside
    SECTION_PLACES,         // without parts; absent if all memory is at its addresses
    SECTION_PROGRAMS,       // without parts; absent if PCs do not say of which program they are
    SECTION_FURTHER,        // those for which the header has no room (index_header.h)
    SECTION_FORMS,          // without parts; absent if no segment has steps or shared columns
    SECTION_NESTING,        // without parts; absent if calls are listed (nesting.h)
    SECTION_LAST = SECTION_NESTING,
};

// A reader that does not know a section with this flag cannot read the file.
#define SECTION_IS_REQUIRED 1

// Of SECTION_SYMBOLS.
enum symbols_part {
    PART_SYMBOL_IMAGES = 1, // text: identities of the images; 0 after each
    PART_SYMBOL_NAMES,      // text: of symbols, ascending; 0 after each
    PART_SYMBOL_ADDRESSES,  // a row per symbol, like the next ones
    PART_SYMBOL_SIZES,
    PART_SYMBOL_RANGE_STARTS,  // a row for each range of the address space, ascending
    PART_SYMBOL_RANGE_NUMBERS, // of the symbol that names it, + 1; 0: none
    PART_SYMBOL_ARM_CODE,      // a row per symbol: whether pointers to it may have the Thumb bit
};

// Of SECTION_SOURCE_LINES.
enum source_lines_part {
    PART_LINE_FILES = 1,    // text: paths, ascending; 0 after each
    PART_LINE_STARTS,       // a row for each range of the address space, ascending
    PART_LINE_FILE_NUMBERS, // of its file, + 1; 0: unknown
    PART_LINE_NUMBERS,
    PART_LINE_COLUMNS,
    PART_LINE_IMAGES,  // text: of images whose lines are not kept: path, 0, identity, 0
    PART_LINE_OFFSETS, // two rows for each of these: where it was moved, mask of its addresses
    PART_LINES_LAST = PART_LINE_OFFSETS,
};

// Of SECTION_IDENTITY.
enum identity_part {
    PART_IDENTITY = 1,      // rows by enum identity_row
    PART_IDENTITY_KIND,     // text: the kind of the trace
    PART_IDENTITY_TASK_KEY, // text: the expression that tells tasks apart; absent if none was given
};

#define INDEX_KIND_BYTES 32      // room for a kind's name
#define INDEX_TASK_KEY_BYTES 513 // for the expression of a task's key

#define IDENTITY_ROWS_MIN IDENTITY_FUNCTIONS

enum identity_row {
    IDENTITY_TRACE_BYTES,
    IDENTITY_TRACE_MTIME_NS,
    IDENTITY_FINGERPRINT_LOW,
    IDENTITY_FINGERPRINT_HIGH,
    IDENTITY_OPTIONS, // enum trawl_option
    IDENTITY_SEGMENT_EVENTS,
    IDENTITY_EVENTS,
    IDENTITY_LINES,        // of the trace
    IDENTITY_HEADER_LINES, // before the first line that made an event
    IDENTITY_DAMAGED_LINES,
    IDENTITY_DAMAGED_BYTES,
    IDENTITY_REFUSED_LANE_LINES, // of cores beyond the limit; part of the damaged ones
    IDENTITY_TICKS_PER_SECOND,   // 0: unknown
    IDENTITY_FUNCTIONS,          // a hash of the functions used to find calls; absent if it is 0
    // For a compressed trace, otherwise absent: the bytes of its text and, if the file is damaged,
    // 1 + the offset in the file where that was found.
    IDENTITY_TEXT_BYTES,
    IDENTITY_PACKED_FAULT,
    IDENTITY_ROWS,
};

// Of SECTION_SEGMENTS: columns, a row for each segment.
enum segments_part {
    PART_SEGMENT_OFFSETS = 1,
    PART_SEGMENT_BYTES,
    PART_SEGMENT_EVENTS,
    PART_SEGMENT_LINES,     // first line
    PART_SEGMENT_POSITIONS, // first byte
    PART_SEGMENT_TIMES,     // of the first event
    PART_SEGMENT_TIMES_MAX,
    PART_SEGMENT_HOST_CALLS, // the number of those that may write memory
    PART_CHECKPOINT_OFFSETS, // of the registers before the segment
    PART_CHECKPOINT_BYTES,
    PART_SEGMENT_LANE_EVENTS, // of every lane, before the segment; absent if there is only one lane
    // With SECTION_NESTING.
    PART_SEGMENT_ENTRIES, // before the segment
    PART_SEGMENT_LEASTS,  // the fewest calls that are open after an event
    PART_SEGMENTS_LAST = PART_SEGMENT_LEASTS,
};

// Of SECTION_CHECKPOINTS.
enum checkpoints_part {
    PART_CHECKPOINT_IS_SPARSE = 1, // a row per segment: 1 if it is based on another, otherwise 0
};

// The segment on whose checkpoint a sparse one is based. The checkpoint of segment 0 cannot be
// sparse: nothing is known before it.
static inline uint64_t index_checkpoint_base(uint64_t segment)
{
    return segment ? segment & (segment - 1) : 0;
}

// If no more cells than this are known, checkpoints are whole.
#define INDEX_WHOLE_CHECKPOINT_CELLS 4096

// A checkpoint: columns, a row for each cell.
enum checkpoint_part {
    PART_CHECKPOINT_CELLS = 1, // lane << 16 | cell
    PART_CHECKPOINT_KNOWN,     // which of its bytes are known
    PART_CHECKPOINT_VALUES,
};

// Of SECTION_LANES.
enum lanes_part {
    PART_LANE_NAMES = 1, // checked text: names, each followed by a NUL
    PART_LANE_FIGURES,   // LANE_ROWS rows for each lane
};

enum lane_row {
    LANE_LINE_EVENTS, // lines that made an event
    LANE_EVENTS,
    LANE_INSTRUCTIONS,
    LANE_ROOT, // first event with an instruction, counted in the lane; UINT64_MAX: none
    LANE_TRANSFERS,
    LANE_RETURNED,
    LANE_DROPPED,
    LANE_UNRETURNED,
    LANE_FIRST_CALL, // in SECTION_CALLS
    LANE_CALLS,
    LANE_ROWS,
};

// Of SECTION_REGISTERS: which segments write which registers.
enum registers_part {
    PART_WRITTEN_KEYS = 1, // a row for each timeline key (segment_format.h), ascending
    PART_WRITTEN_STARTS,   // the first row of each in the next column
    PART_WRITTEN_SEGMENTS,
};

// Of SECTION_MEMORY: columns, a row for each node of a directory. Nodes of stores come before those
// of loads, and lower levels before higher ones. A node of level 1 covers MEMORY_NODE_CHILDREN
// segments, other nodes as many nodes of the level below.
enum memory_part {
    PART_NODE_KINDS = 1, // 0: of stores, 1: of loads
    PART_NODE_LEVELS,
    PART_NODE_SHIFTS,  // the node's column contains address >> shift for everything that is touched
    PART_NODE_OFFSETS, // of the column
    PART_NODE_BYTES,
};

enum reread_part {
    // The same for words of which loads show only bytes that are known from other records of the
    // segment; absent if there are none. Readers of earlier versions skip these parts.
    PART_REREAD_LEVELS = PART_NODE_BYTES + 1,
    PART_REREAD_SHIFTS,
    PART_REREAD_OFFSETS, // in PART_REREAD_COLUMNS
    PART_REREAD_BYTES,
    PART_REREAD_COLUMNS, // the columns of the nodes, one after the other
    PART_MEMORY_LAST = PART_REREAD_COLUMNS,
};

#define MEMORY_NODE_CHILDREN 16
#define MEMORY_WORD_SHIFT 3
#define MEMORY_LEVELS_MAX 15

// Of SECTION_CALLS: columns, a row for each group of CALL_GROUP calls in preorder.
enum calls_part {
    PART_GROUP_OFFSETS = 1,
    PART_GROUP_BYTES,
    PART_GROUP_ENTRIES,   // of its first call
    PART_GROUP_EXITS_MAX, // within its lane
    PART_CALL_COUNT,      // one row
};

#define CALL_GROUP 16384

// A group: columns, a row for each call. Events are counted in the lane.
enum call_part {
    PART_CALL_ENTRIES = 1,
    PART_CALL_LENGTHS, // last event - first event
    PART_CALL_DEPTHS,  // 1: not inside another call
    PART_CALL_PARENTS, // this call's number - the parent's; 0: none
    PART_CALL_PCS,     // of the entry, with Thumb bit
    PART_CALL_OPEN,    // 1: had not returned when the trace ended; absent if all are 0
    PART_CALL_HOW,     // enum trawl_call_how; absent if all are 0
    PART_CALL_BEGAN,   // entry - event at which it began, if it continues; absent if all are 0
    PART_CALL_LAST = PART_CALL_BEGAN,
};

// Of SECTION_TASKS: columns. Counts have a row for each lane; columns of tasks have a row for each
// task, and those of switches a row for each switch, lane by lane.
enum tasks_part {
    PART_TASK_COUNTS = 1, // of a lane
    PART_SWITCH_COUNTS,   // of a lane
    PART_TASK_STACKS,     // SP when it was first seen; for the first task, the highest
    PART_TASK_STACKS_LOW, // the lowest SP at the entry of a function
    PART_TASK_ENTRIES,    // PC when it was first seen
    PART_SWITCH_EVENTS,   // in the lane; ascending
    PART_SWITCH_TASKS,    // that runs from there on
    PART_TASK_KEYS,       // absent if all are 0
    PART_TASKS_LAST = PART_TASK_KEYS,
};

// Of SECTION_OTHER_CALLS: a column, OTHER_ROWS rows for each lane.
#define PART_OTHER_CALLS 1

enum other_row {
    OTHER_UNMATCHED, // returns from calls that are not in the trace, for the calls in LANES
    OTHER_RETURNED,
    OTHER_DROPPED,
    OTHER_UNRETURNED,
    OTHER_UNMATCHED_OTHER,
    OTHER_FIRST_CALL, // in SECTION_CALLS, after those of all lanes in LANES
    OTHER_CALLS,
    OTHER_ROWS,
};

// Of SECTION_REGIONS: memory that host calls may have written, in dyadic blocks: 2^n bytes at a
// multiple of 2^n. Rows ascend by n, block and event.
enum regions_part {
    PART_REGION_SHIFTS = 1, // n
    PART_REGION_BLOCKS,     // address / 2^n
    PART_REGION_EVENTS,
};

// Of SECTION_LATE: instructions and exceptions that belong to an event of an earlier segment.
enum late_part {
    PART_LATE_EVENTS = 1, // ascending
    PART_LATE_PCS,        // EVENT_WITHOUT_PC for an exception
    PART_LATE_FLAGS,      // to be added to those of the event
};

// Of SECTION_DOUBTS: a column, DOUBT_ROWS rows for each kind of doubt (flow/doubts.h).
#define PART_DOUBTS 1

enum doubt_row {
    DOUBT_ROW_KIND,
    DOUBT_ROW_COUNT,
    DOUBT_ROW_LINE, // of the first
    DOUBT_ROWS,
};

// Of SECTION_MESSAGES: the messages of a pass over the trace, in order.
enum messages_part {
    PART_MESSAGE_FIGURES = 1, // MESSAGE_ROWS rows for each message
    PART_MESSAGE_TEXT,        // checked text: the message, then the line or its subject
};

// Of SECTION_BLOCKS: the trace in blocks of a fixed size (base/fingerprint.h).
enum blocks_part {
    PART_BLOCK_HASHES = 1,
};

// Of SECTION_ACCESS_POINTS: where decompression can start (base/unpack/access_point.h); columns
// with a row per place.
enum access_points_part {
    PART_ACCESS_POINT_POSITIONS = 1, // in the text; ascending
    PART_ACCESS_POINT_STARTS,        // in the file
    PART_ACCESS_POINT_ENDS,          // of the piece; 0: the end of the file
    PART_ACCESS_POINT_LEVELS,
    PART_ACCESS_POINT_HASHES, // of the text up to the next place
    PART_ACCESS_POINT_WINDOW_BYTES,
    PART_ACCESS_POINT_WINDOWS, // text: one after the other
    // For a trace in several files: the file of each place; and with a row per file, where it
    // begins in the text, how many lines end before it, and whether it begins within a line.
    PART_ACCESS_POINT_FILES,
    PART_ACCESS_POINT_FILE_POSITIONS,
    PART_ACCESS_POINT_FILE_LINES,
    PART_ACCESS_POINT_FILE_IN_LINE,
};

// Of SECTION_FILES: identifies the files of a trace by their beginnings (base/source.h); a row per
// file.
enum files_part {
    PART_FILE_BYTES = 1, // covered by the index
    PART_FILE_SAMPLES_LOW,
    PART_FILE_SAMPLES_HIGH,
    PART_FILE_IS_FINAL, // 1: more data in this file would change the text covered
};

// Of SECTION_XRAY. If it is present, events are numbered lane by lane, and the columns that contain
// lanes in other indexes are absent.
enum xray_part {
    PART_XRAY_LOG = 1, // rows by enum xray_log_row
    // A row for each buffer, in the order in which the lanes' events are in them.
    PART_XRAY_BUFFER_OFFSETS,
    PART_XRAY_BUFFER_BYTES,
    PART_XRAY_BUFFER_LANES,
    PART_XRAY_BUFFER_EVENTS, // its first event, or where that would be
    PART_XRAY_LANES,         // XRAY_LANE_ROWS rows for each lane
    PART_XRAY_FAULTS,        // XRAY_FAULT_ROW_COUNT rows for each of the first faults
};

enum xray_log_row {
    XRAY_LOG_TYPE, // 0 basic, 1 FDR
    XRAY_LOG_VERSION,
    XRAY_LOG_BIG_ENDIAN,
    XRAY_LOG_FREQUENCY_HZ,
    XRAY_LOG_ROWS,
};

enum xray_lane_row {
    XRAY_LANE_PID,
    XRAY_LANE_TID,
    XRAY_LANE_TAIL_EXITS,
    XRAY_LANE_ARGUMENTS,
    XRAY_LANE_CUSTOM_EVENTS,
    XRAY_LANE_TYPED_EVENTS,
    XRAY_LANE_FALLING_TIMES,
    XRAY_LANE_ROWS,
};

enum xray_fault_row {
    XRAY_FAULT_ROW_KIND, // a number defined by the program (trace/xray/log.h)
    XRAY_FAULT_ROW_VALUE,
    XRAY_FAULT_ROW_OFFSET,
    XRAY_FAULT_ROW_BYTES,
    XRAY_FAULT_ROW_COUNT,
};

// Of SECTION_TFILE. If it is present, the register space is the block that the target sends,
// followed by eight bytes for each variable.
enum tfile_part {
    PART_TFILE_NAMES = 1, // machine, architecture; 0 after each
    PART_TFILE_FIGURES,   // rows by enum tfile_figure
    PART_TFILE_NUMBERS,   // GDB's numbers of the registers of SECTION_LAYOUT
    PART_TFILE_VARIABLES, // TFILE_VARIABLE_ROWS rows for each variable: number, initial value
};

enum tfile_figure {
    TFILE_FIGURE_BIG_ENDIAN,
    TFILE_FIGURE_REGISTER_BYTES, // of the block
    TFILE_FIGURES,
};

#define TFILE_VARIABLE_ROWS 2

// Of SECTION_LAYOUT: the registers, in runs of numbered registers with the same name.
enum layout_part {
    PART_LAYOUT_NAMES = 1, // of the runs; 0 after each
    PART_LAYOUT_FIGURES,   // rows by enum layout_figure
    // A row for each run.
    PART_LAYOUT_COUNTS, // registers, numbered from 0; 0: a single one, without a number
    PART_LAYOUT_OFFSETS,
    PART_LAYOUT_BYTES,
    PART_LAYOUT_BESIDE,  // the number of registers in an adjacent group,
    PART_LAYOUT_STRIDES, // and the distance from one group to the next
    PART_LAYOUT_FLAGS,   // enum trawl_register_flag
    PART_LAYOUT_STATES,  // isas | shown << 4, bit n for instruction set n
    PART_LAYOUT_DWARF,   // number of the first + 1; 0: none
};

enum layout_figure {
    LAYOUT_ANY_CASE, // 1: names are case-insensitive
    LAYOUT_ADDRESS_BYTES,
    LAYOUT_MACHINE, // e_machine of ELF
    LAYOUT_FIGURES,
};

#endif
