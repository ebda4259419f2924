// The differences between a lane of one trace and a lane of another: regions whose instructions are
// in only one of them, or are equal but had different effects.
//
// Blocks of PCs of both indexes are decoded and compared directly, which takes 0.05 s for two
// traces of 1 GB. Hashes of blocks in the index were considered: they would save at most that, and
// nothing after an insertion, where blocks are cut at other places. Effects cost more (0.6 s for
// stores), so they are hashed only where instructions are the same and only if they are asked for.
#ifndef TRAWL_DIFF_LANE_DIFF_H
#define TRAWL_DIFF_LANE_DIFF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/spool.h"
#include "base/vec.h"
#include "diff/build_functions.h"
#include "elf/image_memory.h"
#include "query/stacks.h"
#include "trace/index_view.h"

// --- event_effects.c -----------------------------------------------------------------------------

// The effects of events, as a hash for each: two instructions that wrote the same to the same
// registers and memory have the same hash. Registers are identified by names, because registers
// named by a trace have different places in another index. Both runs share a seed that cannot be
// known beforehand, so no trace can be made to have the hashes of other effects.

enum event_effect {
    EFFECT_REGISTERS = 1 << 0,
    EFFECT_MEMORY = 1 << 1, // stores
};

#define EFFECT_SEGMENTS 2

struct effect_segment {
    uint64_t number;  // + 1; 0: free
    uint64_t *hashes; // of its events
};

struct event_effects {
    const struct index_view *view;
    uint64_t lane;
    unsigned which; // enum event_effect
    struct hash_seed seed;
    uint64_t event_count; // the most in a segment
    uint64_t *cells;      // the number for the name of each cell of registers; 0: does not count
    const char **names;   // a register in each cell; NULL: unknown
    struct effect_segment segments[EFFECT_SEGMENTS]; // read last
    bool has_failed;
};

enum status event_effects_open(struct event_effects *effects, const struct index_view *view,
                               uint64_t lane, unsigned which, const struct hash_seed *seed,
                               struct error *err);
void event_effects_close(struct event_effects *effects);

// Some of the registers that are not compared, because only one of the two traces writes them.
#define EFFECT_NAMES 16

struct effect_names {
    const char *names[EFFECT_NAMES]; // valid as long as the index
    size_t count;                    // may be more than EFFECT_NAMES
};

// Leaves out a register, by any of its names. False: the trace has none of that name.
bool event_effects_ignore(struct event_effects *effects, const char *name);

// Leaves out of both the registers that only one of them writes.
enum status event_effects_share(struct event_effects *const effects[2],
                                struct effect_names *left_out, struct error *err);

// The hashes of events of the lane, which are in ascending order.
enum status event_effects_read(struct event_effects *effects, const uint64_t *events, size_t count,
                               uint64_t *hashes, struct error *err);

// Whether an index has any writes of this kind.
enum status event_effects_has_any(const struct index_view *view, enum event_effect which, bool *has,
                                  struct error *err);

// --- key_source.c --------------------------------------------------------------------------------

// A sequence of 64-bit keys that is read in chunks: the input of an alignment.

struct key_source {
    void *self;
    // The keys from number `at` on that are consecutive in memory: *count of them, 0 if there are
    // no more keys. They are valid until the next call. Places near the last one are to be cheap;
    // before a place is requested for the first time, all places before it have been or will be
    // read.
    enum status (*read)(void *self, uint64_t at, const uint64_t **keys, size_t *count,
                        struct error *err);
};

// How many keys are equal from two places on, at most `most`.
enum status key_sources_same(const struct key_source sources[2], const uint64_t at[2],
                             uint64_t most, uint64_t *same, struct error *err);

// How many keys are equal before two places, at most `most`, which is not above either place.
enum status key_sources_same_before(const struct key_source sources[2], const uint64_t at[2],
                                    uint64_t most, uint64_t *same, struct error *err);

// Copies up to `count` keys; *copied is less at the end of the source.
enum status key_source_copy(const struct key_source *source, uint64_t at, uint64_t *keys,
                            size_t count, size_t *copied, struct error *err);

// How many keys there are in total, at least `from`.
enum status key_source_count(const struct key_source *source, uint64_t from, uint64_t *count,
                             struct error *err);

// --- alignment.c ---------------------------------------------------------------------------------

// Where two long sequences of keys are equal, and where they differ: both are read in step, and
// where they diverge, it searches for the place where they come together again.
//
// First nearby: the shortest edit script (Myers, 1986) with a limited number of edits, until enough
// keys in a row are equal. Then further away: runs of keys that both contain are found by hashes of
// sixteen keys, in windows that grow fourfold, and the alignment follows the heaviest chain of such
// runs. So the work grows with the distance between the two: time is n log n and memory bounded for
// any keys. If no run is found in all that is left, the rest of both is reported as different.
//
// The result depends only on the keys. It is neither the shortest script of the whole nor the only
// correct one: if a loop ran three more times, any three rounds may be reported.

// What an alignment finds, in order and without gaps.
struct alignment_sink {
    void *self;
    // `count` keys that are the same, from at[0] and at[1] on.
    enum status (*same)(void *self, const uint64_t at[2], uint64_t count, struct error *err);
    // Keys that only one of the two has. `is_rough`: there were too many to be compared in detail,
    // so keys that both have are among them.
    enum status (*apart)(void *self, const uint64_t at[2], const uint64_t counts[2], bool is_rough,
                         struct error *err);
};

enum status alignment_run(const struct key_source sources[2], const struct alignment_sink *sink,
                          struct error *err);

// --- lane_keys.c ---------------------------------------------------------------------------------

// A lane of a trace as a sequence of keys: for each instruction its PC; for each frame of a trace
// file; for each record of an XRay log whether it is an entry or an exit, and its function. Read
// from an index in chunks, the latest of which are cached, or from rows that were read for all
// lanes.

// --- Rows of lanes that are interleaved ----------------------------------------------------------

// The instructions of every lane, lane by lane, of a trace in which lanes are interleaved: read
// once, because reading them lane after lane would take as many times as there are lanes. Stored in
// spools: 16 bytes an event, 24 with times.

struct lane_rows {
    struct spool keys, events, times; // uint64_t each; times only if requested
    uint64_t *starts;                 // where the rows of each lane begin
    uint64_t *counts;                 // how many rows each lane has
};

// What stands for an instruction instead of its PC (build_keys.c). All zero: its PC.
struct key_map {
    void *self;
    uint64_t (*key)(void *self, uint64_t pc);
};

// Whether the lanes of a trace are interleaved.
bool lane_rows_are_mixed(const struct index_view *view);

// Reads all rows; `map` makes their keys. Call lane_rows_close afterwards, also on
// failure.
enum status lane_rows_open(struct lane_rows *rows, const struct index_view *view,
                           const struct key_map *map, bool has_times, struct error *err);
void lane_rows_close(struct lane_rows *rows);

static inline const uint64_t *lane_rows_keys(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->keys.base + rows->starts[lane];
}

static inline const uint64_t *lane_rows_events(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->events.base + rows->starts[lane];
}

static inline const uint64_t *lane_rows_times(const struct lane_rows *rows, uint64_t lane)
{
    return (const uint64_t *)(const void *)rows->times.base + rows->starts[lane];
}

// --- Keys ----------------------------------------------------------------------------------------

#define LANE_CHUNK_EVENTS 16384
#define LANE_CHUNKS 16 // a power of two

struct lane_chunk {
    uint64_t number;  // + 1; 0: free
    size_t count;     // of keys
    uint64_t *keys;   // room for LANE_CHUNK_EVENTS
    uint16_t *events; // of each, from the first of the chunk
    uint64_t *times;  // of each; NULL: not requested
};

struct lane_keys {
    const struct index_view *view;
    struct key_map map;
    const struct lane_rows *rows; // NULL: read from the index
    uint64_t lane;
    bool takes_all;         // also events without an instruction
    uint64_t first, end;    // the events of the trace among which those of the lane are
    VEC(, uint64_t) before; // number of keys before each known chunk, and after the last of them
    struct lane_chunk chunks[LANE_CHUNKS];
    bool has_failed;                       // the index is damaged, or there is no memory
    uint64_t *pcs, *flags, *lanes, *times; // of the chunk being read
};

enum status lane_keys_open(struct lane_keys *keys, const struct index_view *view,
                           const struct key_map *map, uint64_t lane, bool has_times,
                           struct error *err);

// The same from rows, with or without times, which must outlive it.
void lane_keys_of_rows(struct lane_keys *keys, const struct lane_rows *rows, uint64_t lane);
void lane_keys_close(struct lane_keys *keys);

struct key_source lane_keys_source(struct lane_keys *keys);

// The event of key `number`. STATUS_NOT_FOUND: there is no such key. Cheap at the end of a run of
// keys that are requested in order.
enum status lane_keys_event(struct lane_keys *keys, uint64_t number, uint64_t *event,
                            struct error *err);

// The events of `count` keys from a number on, which must exist, and their times, if these were
// requested.
enum status lane_keys_events(struct lane_keys *keys, uint64_t number, size_t count,
                             uint64_t *events, uint64_t *times, struct error *err);

// --- lane_diff.c ---------------------------------------------------------------------------------

// Regions with fewer equal instructions between them are joined.
#define LANE_DIFF_GAP 8

struct lane_region {
    uint64_t starts[2]; // numbers of instructions in the lanes, from 0
    uint64_t events[2]; // the events of these; TRAWL_NONE: the lane has ended
    uint64_t counts[2]; // lengths in instructions
    uint64_t only[2];   // of these, the instructions that the other lane does not have
    uint64_t changed;   // instructions of both with different effects
    bool is_rough;      // not compared in detail: parts may be equal
};

#define LANE_DIFF_BLOCK 1024

// The effects of a block of instructions on one side, if they are compared.
struct lane_effects {
    struct event_effects effects;
    uint64_t events[LANE_DIFF_BLOCK], times[LANE_DIFF_BLOCK], hashes[LANE_DIFF_BLOCK];
};

struct lane_diff {
    // What is compared besides the instructions.
    unsigned effects; // enum event_effect
    bool times;       // the time since the previous instruction, if that is equal, too
    struct key_map maps[2];
    // What an instruction writes may appear up to so many instructions later in the other trace, as
    // RTL writes back loads and divisions late. Hashes of effects are sums, so the sums of both
    // sides are equal again as soon as nothing is missing.
    uint32_t window;
    const char *const *ignored; // names of registers that are not compared
    size_t ignored_count;
    // The rows of all lanes of a side; NULL: its lane is read from the index.
    const struct lane_rows *rows[2];

    // The receiver of regions, which come in order.
    void *self;
    enum status (*region)(void *self, const struct lane_region *region, struct error *err);

    // What was found.
    uint64_t counts[2]; // instructions
    struct effect_names left_out;
    uint64_t same, changed, only[2], regions;
    uint64_t late; // of `same`, instructions that are so only within the window

    // Private.
    struct lane_keys lanes[2];
    struct lane_effects *sides; // two; NULL: only instructions are compared
    struct lane_region open;
    uint64_t same_since; // the open region; LANE_DIFF_GAP: none is open
};

// Compares a lane of each view. The caller has set what to compare, `self` and `region`. On
// failure, *failed is the side that caused it.
enum status lane_diff_run(struct lane_diff *diff, const struct index_view *const views[2],
                          const uint64_t lanes[2], int *failed, struct error *err);

// --- build_keys.c --------------------------------------------------------------------------------

// Keys of instructions that are equal in two builds of a program: what `diff --other-image` aligns.
//
// The key of an instruction is its function, by name (build_functions.h), and its encoding, in
// which a place of code or data counts as the name of what is there, and as nothing inside the
// function itself. So code that only moved is equal, a function that changed is equal but for the
// instructions that changed, and a call of something else, or another constant, is a difference.
// (Offsets in functions were tried first: all behind an inserted instruction differs, and all
// behind each call of that function with it.) Where an image has no bytes, it is the offset.
//
// A function is decoded as a whole when one of its instructions is first met: eight bytes of memory
// for each possible instruction, and about 20 ns.

struct coded_function {
    uint64_t start, end; // addresses
    uint32_t isa;
    size_t first; // of its keys
};

struct build_keys {
    struct names *names;
    const struct hash_seed *seed; // of both builds
    struct build_functions functions;
    struct image_memory memory;
    VEC(, struct coded_function) coded;
    struct hash_index by_start;
    VEC(, uint64_t) keys; // for each least unit of code in them; 0: no instruction begins there
    uint32_t recent;      // of coded
    bool lacks_memory;    // for a key: what was made of it is not to be shown
};

// STATUS_MEMORY or STATUS_OK; build_keys_close either way.
enum status build_keys_open(struct build_keys *keys, struct names *names,
                            const struct hash_seed *seed, struct error *err);
void build_keys_close(struct build_keys *keys);

// The key of the instruction at a PC, or with ids of a function. For struct key_map.
uint64_t build_keys_of(void *keys, uint64_t pc);

// --- stack_diff.c --------------------------------------------------------------------------------

// The stacks of two runs in one tree, matched by name: the contents of a flame graph of their
// difference. Names are not copied, but for those of several builds (build_name_length).

#define STACK_DIFF_NONE UINT32_MAX

// A stack, by its innermost function. Node 0 stands for all, and has no function.
struct stack_node {
    const char *name;
    uint32_t parent, first_child, next_sibling; // STACK_DIFF_NONE: none
    uint32_t depth;                             // of node 0: 0
    bool is_nameless, is_cut;
    uint64_t pc;
    uint64_t self[2], total[2], count[2]; // in each run
};

// All zero is empty.
struct stack_diff {
    VEC(, struct stack_node) nodes;
    struct hash_index by_name;
    VEC(, uint32_t) open; // while stacks are added: the current path, from node 0 on
    int side;             // the run being added
    bool are_builds;      // the runs are of several builds: set after stack_diff_begin
    struct arena names;   // of these
};

enum status stack_diff_begin(struct stack_diff *diff, struct error *err);
void stack_diff_free(struct stack_diff *diff);

// Adds the stacks of one run (diff->side): the walk receives them; call the other two before and
// after it for the function that all of them are below. False: no memory.
struct stack_walk stack_diff_walk(struct stack_diff *diff);
bool stack_diff_enter(struct stack_diff *diff, const char *name);
void stack_diff_leave(struct stack_diff *diff);

// After both runs: adds up, and sorts siblings by name. False: no memory.
bool stack_diff_end(struct stack_diff *diff);

// The node after another in preorder, STACK_DIFF_NONE after the last.
uint32_t stack_diff_next(const struct stack_diff *diff, uint32_t node);

#endif
