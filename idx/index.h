// An open index: the mapped file, its directories, and the current segments. Private to the reader.
#ifndef TRAWL_IDX_INDEX_H
#define TRAWL_IDX_INDEX_H

#include "base/error.h"
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/program_pc.h"
#include "base/vec.h"
#include "idx/caller.h"
#include "idx/index_format.h"
#include "idx/live_regions.h"
#include "idx/parts.h"
#include "idx/register_layout.h"
#include "idx/segment_format.h"
#include "idx/segment_rows.h"
#include "idx/spaces.h"
#include "idx/trawl.h"

// The directories of memory: what segments store, what their loads show, and of which words loads
// show only what other records do.
enum touched { TOUCHED_STORED, TOUCHED_LOADED, TOUCHED_REREAD, TOUCHED_KINDS };

// The largest number of blocks of rows that are accepted without bytes of their own: 16 M rows.
#define INDEX_FREE_BLOCKS (UINT64_C(1) << 14)

_Static_assert(LIMIT_SEGMENT_RECORDS <= INDEX_FREE_BLOCKS * COLUMN_BLOCK, "all are believed");

// The number of segments and of groups of calls that stay open: number n in place n % INDEX_VIEWS.
// A query reads few.
#define INDEX_VIEWS 64
#define INDEX_GROUPS 16

_Static_assert(INDEX_VIEWS <= 64, "a bit for each");

// A register timeline of a segment, opened on first use.
struct timeline_view {
    struct column events, values;
    bool is_open;
    bool has_events_of_last; // those of the timeline before it, as for halves of a register
};

// A segment, whose columns are opened on first use.
struct segment_view {
    uint64_t number; // UINT64_MAX: none
    struct parts parts;
    struct column columns[PART_SEGMENT_LAST + 1];
    bool is_column_open[PART_SEGMENT_LAST + 1];
    // Registers, read on first use.
    uint64_t *register_keys, *register_starts;
    uint64_t *register_value_starts; // NULL: values follow the events
    size_t register_count;
    struct timeline_view *registers;
    // The checkpoint before the segment, read on first use.
    uint64_t *cells, *cells_known, *cell_values;
    size_t cell_count;
    bool has_checkpoint;
    // Lines and positions as steps by PC (idx/steps.h): read on first use. PCs, their lines, and
    // their bytes.
    bool has_steps;
    uint64_t *step_pcs;
    size_t step_count;
    struct hash_index step_numbers; // by PC
};

// A group of calls.
struct group_view {
    uint64_t number; // UINT64_MAX: none
    struct column columns[PART_CALL_LAST + 1];
    uint64_t verified[PART_CALL_LAST + 1];
    bool has[PART_CALL_LAST + 1];
};

_Static_assert(CALL_GROUP / COLUMN_BLOCK <= 64, "a bit for each block");

VEC(access_numbers, uint64_t);

// The memory records of one segment, by event.
struct access_order {
    uint64_t segment; // UINT64_MAX: none
    // A number for each record, sorted (idx/access_columns.c); and room for as many.
    struct access_numbers keys, spare;
    struct access_numbers words;
    VEC(, uint32_t) ranks;        // of the word of each record
    struct access_numbers values; // of each record, if they were wanted
};

// The reads of memory of one segment, by row.
struct load_table {
    uint64_t segment; // UINT64_MAX: none
    size_t count;
    VEC(, uint32_t) rows;
    VEC(, uint64_t) addresses;
    VEC(, uint8_t) sizes;
};

struct load_decoder;
void load_decoder_free(struct load_decoder *decoder);

// How many of these are kept, that of segment n in place n % LOAD_TABLES. Chains of copies lead to
// some segments again and again.
#define LOAD_TABLES 8

void load_table_free(struct load_table *table);

// The rows of one segment by lane, made after several requests: those of lane n are rows[starts[n]]
// up to rows[starts[n + 1]], ascending.
struct lane_order {
    uint64_t segment;        // UINT64_MAX: none
    uint64_t latest;         // the number of the last request for it, among all such requests
    uint32_t asked;          // number of requests since it was loaded
    uint32_t *starts, *rows; // NULL: not made yet
};

// How many of these are kept: a caller that asks for the first and last event of many lanes returns
// to a few segments.
#define LANE_ORDERS 4

void lane_order_free(struct lane_order *order);

// The functions called in a lane, or in any.
struct function_calls {
    uint64_t pc, calls;
};

struct function_list {
    bool is_counted;
    uint64_t lane;
    VEC(, struct function_calls) functions; // in order of pc
    struct hash_index by_pc;                // while they are counted
};

void function_list_free(struct function_list *list);

// The symbols of images, read on first use.
enum { SYMBOL_ADDRESSES, SYMBOL_SIZES, SYMBOL_RANGE_STARTS, SYMBOL_RANGE_NUMBERS, SYMBOL_COLUMNS };

struct symbol_table {
    bool is_read;
    size_t count, range_count;
    char *text;
    const char **names;                // within `text`; ascending
    uint64_t *columns[SYMBOL_COLUMNS]; // one allocation, which the first one points to
    uint64_t *arm_code; // of each symbol: pointers may have the Thumb bit; NULL: unknown
};

// Source lines of images: ranges of the address space, opened on first use.
enum { LINE_STARTS, LINE_FILE_NUMBERS, LINE_NUMBERS, LINE_IN_COLUMNS, LINE_COLUMNS };

struct source_line_table {
    bool is_read;
    size_t file_count;
    char *text;
    const char **files; // within `text`
    struct column columns[LINE_COLUMNS];
    // Of images whose lines are not kept: path and identity of each, within `image_text`.
    char *image_text;
    const char **images;
    size_t image_count;
    struct column image_offsets;
};

void symbol_table_free(struct symbol_table *table);
void source_line_table_free(struct source_line_table *table);
void access_order_free(struct access_order *order);

struct index_lane_row {
    uint64_t figures[LANE_ROWS];
    uint64_t other[OTHER_ROWS];
    const char *name;
};

// SECTION_TASKS, and where the tasks and switches of each lane begin in it; read on first use.
struct task_table {
    struct column columns[PART_TASKS_LAST + 1];
    struct task_lane {
        uint64_t first_task, task_count;
        uint64_t first_switch, switch_count;
    } * lanes; // NULL: not read, or there are none
};

void task_table_free(struct task_table *table);

// How addresses in questions about memory are understood (idx/places.h).
struct index_view_of_memory {
    uint64_t lane;  // TRAWL_ANY_LANE: that of the event
    uint64_t event; // TRAWL_NONE: that of the question
    bool is_physical, has_space;
    struct index_space space;
};

// Of nesting.c: opens the columns, after those of the segments.
struct index_nesting;
enum status nesting_open(struct trawl_index *index, struct error *err);
void nesting_free(struct index_nesting *nesting);

struct index_places;
void index_places_free(struct index_places *places);

struct trawl_index {
    char *path;
    struct map map;
    const uint8_t *bytes;
    uint64_t size_bytes;
    enum simd simd;
    uint64_t identity[IDENTITY_ROWS];
    bool is_packed;                      // its trace is compressed
    char task_key[INDEX_TASK_KEY_BYTES]; // "": none was given
    struct index_section_entry sections[INDEX_SECTIONS_MAX];
    struct index_section_entry further; // where those are listed that the header does not list
    size_t section_count;

    struct parts checkpoints_parts;
    struct column sparse_checkpoints; // if any
    bool has_sparse_checkpoints;
    struct parts segments_parts;
    struct column segments[PART_SEGMENTS_LAST + 1];
    uint64_t segment_count;
    struct index_lane_row *lanes;
    bool has_other_calls; // `lanes` has been exchanged with these (index_choose_calls)
    size_t lane_count;
    // For an XRay log: the first event of each lane, followed by the number of events; otherwise
    // NULL.
    uint64_t *lane_firsts;
    struct parts xray_parts;
    struct column xray_buffers[PART_XRAY_BUFFER_EVENTS + 1], xray_lanes;
    char kind[INDEX_KIND_BYTES]; // of the trace; "" if the index does not contain it
    uint64_t kind_version;       // of the kind's format; 0: none

    struct parts written_parts, memory_parts, calls_parts, late_parts, regions_parts;
    struct column written[PART_WRITTEN_SEGMENTS + 1];
    struct column nodes[PART_NODE_BYTES + 1];
    struct column groups[PART_CALL_COUNT + 1];
    uint64_t call_count; // of all lanes, which fill the groups
    bool is_nested;      // there are no groups: calls follow from the events (idx/nesting.h)
    struct index_nesting *nesting;
    struct column late[PART_LATE_FLAGS + 1];
    bool has_late;
    // As the reference tools have it: memory is as the last store left it, whatever loads show.
    bool only_stores_count;
    bool has_snapshots; // each event is complete by itself, independent of those before
    struct column reread[PART_REREAD_BYTES - PART_REREAD_LEVELS + 1]; // without rows if absent
    const struct part *reread_columns;                                // NULL: absent
    // The first row of each level of the memory directories, and the number of rows. The rows of
    // the last one are in `reread`.
    uint64_t node_first[TOUCHED_KINDS][MEMORY_LEVELS_MAX + 1];
    uint64_t node_count[TOUCHED_KINDS][MEMORY_LEVELS_MAX + 1];
    struct column *node_columns;     // opened on first use; those of `reread` follow the others
    VEC(, struct region) regions;    // ascending by shift, block and event
    const struct live_regions *live; // those found so far, while they are being found
    uint64_t region_shifts;          // a bit for each shift that occurs
    struct register_layout layout;
    struct lane_order lane_orders[LANE_ORDERS];
    // The last one found: of events of a lane, `first` has an instruction and those up to `last`
    // have none.
    struct {
        uint64_t lane, first, last;
    } pause;
    uint64_t lane_questions;
    struct visit_block *visited; // of events.c; NULL: no visit was looked for yet
    struct access_order accesses;
    struct load_table loads[LOAD_TABLES];
    struct load_decoder *load_decoder; // NULL: none was needed yet
    struct function_list functions;
    struct symbol_table symbols;
    struct source_line_table source_lines;
    struct task_table tasks;
    bool has_places; // of memory that are not its addresses
    struct index_view_of_memory memory_view;
    struct index_places *places; // opened on first use; NULL: not yet
    // How often an address was looked up whose place had to be guessed, or is not known; the last.
    uint64_t guessed_places, unknown_places, doubtful_address;
    uint64_t seen_space; // TRAWL_NONE: that of the lane

    struct segment_view views[INDEX_VIEWS];
    uint64_t used_views; // bit i: place i had a segment
    struct group_view group_views[INDEX_GROUPS];
    uint64_t *verified; // of the columns of the directories
};

// Opens an index that is already mapped. The index takes over the map. `path` is for messages.
enum status index_open_map(struct trawl_index **index, const char *path, struct map *map,
                           struct error *err);

// False if the file was truncated or written to since it was opened: answers are then invalid.
bool index_is_intact(const struct trawl_index *index);

// Reports damage in the file, with its name. Returns STATUS_DAMAGED.
enum status index_damaged(const struct trawl_index *index, const char *what, struct error *err);

// Reports that there is no memory for a part of the file. Returns STATUS_MEMORY.
enum status index_no_memory(const struct trawl_index *index, struct error *err);

// Adds the file's name to a message about damage; other statuses stay as they are.
enum status index_in_file(const struct trawl_index *index, enum status status, struct error *err);

// Opens the parts of a segment at the place given by SEGMENTS: `offsets` is the part with the
// offset, and the next part has the size. `outside` is the message if they are outside of the file.
enum status index_segment_parts(const struct trawl_index *index, enum segments_part offsets,
                                uint64_t number, const char *outside, struct parts *parts,
                                struct error *err);

// Opens the columns `first` to `last` of a section, each of `rows` rows unless that is UINT64_MAX.
enum status index_open_columns(const struct trawl_index *index, const struct parts *parts,
                               struct column *columns, uint32_t first, uint32_t last, uint64_t rows,
                               struct error *err);

// Opens the parts of a section. STATUS_DAMAGED: it is missing or damaged.
enum status index_section(const struct trawl_index *index, enum index_section number,
                          struct parts *parts, struct error *err);
bool index_has_section(const struct trawl_index *index, enum index_section number);

// Reads SECTION_LAYOUT into index->layout, which stays empty if the section is absent.
enum status index_read_layout(struct trawl_index *index, struct error *err);

// The bytes [offset, offset + size) of the file, if they exist.
const uint8_t *index_bytes(const struct trawl_index *index, uint64_t offset, uint64_t size_bytes);

// The segment, opened. Valid until another one is requested. NULL: `err` has the reason.
struct segment_view *index_segment(struct trawl_index *index, uint64_t number, struct error *err);

// Opens a column of the segment; segment_column does so if it is not open yet.
const struct column *segment_open_column(struct trawl_index *index, struct segment_view *view,
                                         enum segment_part part, struct error *err);

// A column of the segment. NULL: `err` has the reason; if the column is absent, `err->status` is
// STATUS_NOT_FOUND.
static inline const struct column *segment_column(struct trawl_index *index,
                                                  struct segment_view *view, enum segment_part part,
                                                  struct error *err)
{
    return LIKELY(view->is_column_open[part]) ? &view->columns[part]
                                              : segment_open_column(index, view, part, err);
}

// A group of calls, opened. Valid until another one is requested. NULL: `err` has the reason.
const struct group_view *index_group(struct trawl_index *index, uint64_t number, struct error *err);

// The lane of an event, and the lanes of `count` events from `first` on. Only if index->lane_firsts
// is set.
uint64_t index_lane_of(const struct trawl_index *index, uint64_t event);
void index_lanes_of(const struct trawl_index *index, uint64_t first, size_t count, uint64_t *lanes);

// The PCs of a block of events of a segment, COLUMN_BLOCK at most, from row `from` on. May replace
// open segments.
enum status index_read_pcs(struct trawl_index *index, struct segment_view *view, uint64_t from,
                           size_t count, uint64_t *pcs, struct error *err);

// The lanes of a block of events of a segment, COLUMN_BLOCK at most, from row `from` on.
enum status index_read_lanes(struct trawl_index *index, struct segment_view *view, uint64_t from,
                             size_t count, uint64_t *lanes, struct error *err);

// Converts stored flags to those of trawl.h, which keeps the flags of different kinds of traces
// apart.
static inline uint32_t index_flags(const struct trawl_index *index, uint64_t stored)
{
    uint32_t flags = (uint32_t)stored & 0xff;
    return index->lane_firsts ? (flags & ~0xc0u) | (flags & 0xc0) << 2 : flags;
}

enum status index_event(struct trawl_index *index, uint64_t event, struct trawl_event *about,
                        struct error *err);

// The number of events of the lane before a segment. False: damage.
bool index_lane_events_before(const struct trawl_index *index, uint64_t lane, uint64_t segment,
                              uint64_t *count);

// The number of events in a segment.
uint64_t index_segment_events(const struct trawl_index *index, uint64_t number);

// Load view->register_keys, and the checkpoint.
enum status segment_registers(struct trawl_index *index, struct segment_view *view,
                              struct error *err);
enum status segment_checkpoint(struct trawl_index *index, struct segment_view *view,
                               struct error *err);

// Timeline `i` of the segment; NULL: `err` has the reason.
const struct timeline_view *segment_timeline(struct trawl_index *index, struct segment_view *view,
                                             size_t i, struct error *err);

// A set of words of memory, given by their numbers. If [first, last] has at most WORD_SET_BITS
// words, bit i says whether first + i is in the set, which always contains `first` and `last`;
// otherwise all words of the range are in it.
#define WORD_SET_BITS 64

struct word_set {
    uint64_t first, last, bits;
};

// The lowest n + 1 bits.
static inline uint64_t bits_up_to(uint64_t n)
{
    return UINT64_MAX >> (63 - n);
}

static inline bool word_set_is_range(const struct word_set *words)
{
    return words->last - words->first >= WORD_SET_BITS ||
           words->bits == bits_up_to(words->last - words->first);
}

static inline struct word_set word_set_of_range(uint64_t first, uint64_t last)
{
    return (struct word_set){first, last, bits_up_to(u64_min(last - first, WORD_SET_BITS - 1))};
}

// The first segment at or after `from` (with `back`, the last at or before it) that stores to one
// of the words or, with another kind, has a load of one. The directory is approximate: it may name
// a segment that does not. UINT64_MAX: none. False: damage.
bool index_find_touched(struct trawl_index *index, enum touched kind, const struct word_set *words,
                        uint64_t from, bool back, uint64_t *segment);

// The last host call at or before event `event` (counted in the trace) that may have written the
// byte; if `back` is false, the first at or after it. UINT64_MAX: none.
uint64_t index_region_at(const struct trawl_index *index, uint64_t address, uint64_t event,
                         bool back);

// Whether a host call may have written any of the bytes [first, last].
bool index_has_regions(const struct trawl_index *index, uint64_t first, uint64_t last);

// The index in index->regions of the first region of the block that is not before `event`, or the
// index after the block's regions.
size_t index_region_find(const struct trawl_index *index, unsigned shift, uint64_t block,
                         uint64_t event);

// The implementation of trawl_memory, for the indexer. Private to the reader.

// Like trawl_memory, but uses only loads before the host call of event `seen_by`: the result is
// what was known then.
enum status index_memory(struct trawl_index *index, uint64_t event, uint64_t seen_by,
                         uint64_t address, size_t size_bytes, uint8_t *values, uint8_t *known,
                         struct error *err);

// Whether PCs say of which program they are, and an address of memory, which never does.
static inline bool index_has_programs(const struct trawl_index *index)
{
    return (index->identity[IDENTITY_OPTIONS] & TRAWL_HAS_PROGRAMS) != 0;
}

static inline uint64_t index_pc_address(const struct trawl_index *index, uint64_t address)
{
    return index_has_programs(index) ? pc_address(address) : address;
}

#endif
