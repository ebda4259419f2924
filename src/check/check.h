// Checks a run: values that nothing has set, the stack, heaps and locks, over the events of an
// index with the instructions of its trace.
//
// One pass in the order of the trace. What is known of each byte of memory is in a shadow
// (check/shadow.h), which calls of functions of heaps, moves of the stack pointer and stores change
// and which every access asks, as Valgrind's memcheck does. Undefined values spread through
// registers and memory by what instructions do (dataflow/spread.h): copying one is no fault,
// deciding by one is. Calls come from the index, so that interrupts, tasks and tail calls are as
// everywhere.
//
// Reading the index and comparing the instructions' texts is for other threads (check/ahead.h).
//
// What it costs: 40 to 160 ns an event (bench/RESULTS.md, Checking a run), and the shadow. Most
// events pass after a few comparisons: their instruction, whose effects are noted once, has nothing
// to do with registers that are undefined, and the bytes that it accesses are as they should be.
// What it does not say: see docs/check.md.
#ifndef TRAWL_CHECK_CHECK_H
#define TRAWL_CHECK_CHECK_H

#include "arch/arch.h"
#include "check/ahead.h"
#include "check/findings.h"
#include "check/shadow.h"
#include "check/stack_usage.h"
#include "dataflow/origin.h"
#include "dataflow/spread.h"
#include "names/names.h"

// What is checked.
enum check_part { CHECK_UNDEFINED = 1, CHECK_STACK = 2, CHECK_HEAP = 4, CHECK_LOCKS = 8 };

// --- Functions in pairs (pairs.c) ----------------------------------------------------------------

enum pair_role {
    PAIR_ALLOCATE,       // size in `size_argument`
    PAIR_ALLOCATE_ARRAY, // times the argument before it; all zero
    PAIR_REALLOCATE,     // of the block in `object_argument`
    PAIR_FREE,           // of the block in `object_argument`
    PAIR_LOCK,           // of `object_argument`, for which it waits
    PAIR_TRY_LOCK,       // for which it does not
    PAIR_UNLOCK,
    PAIR_MAKE_LOCK, // the result is one, if the first argument says so: FreeRTOS's kinds of queues
    PAIR_WAIT,      // for time, or for others
};

// When a call of a function has taken a lock.
enum pair_success { SUCCESS_ALWAYS, SUCCESS_IF_ZERO, SUCCESS_IF_NOT_ZERO };

struct pair_function {
    const char *name;
    uint8_t role;   // enum pair_role
    uint8_t family; // functions of one heap, or one kind of lock
    uint8_t object_argument, size_argument;
    uint8_t success; // enum pair_success
    bool is_of_made; // only locks that PAIR_MAKE_LOCK has made: others have other uses
};

// The argument of xQueueCreateMutex for a mutex that is not recursive.
enum { FREERTOS_MUTEX = 1 };

enum { PAIR_ARGUMENTS = 3 };

// A call of such a function, to its end also where its task was switched away.
struct pair_call {
    const struct pair_function *function;
    uint64_t lane, entry;
    uint64_t number; // of the lane's calls; the first of those in which it goes on
    // The last event of it, or of the function as which it goes on; TRAWL_NONE: the trace ends, or
    // its task never continues. Unless it has returned, there is no result.
    uint64_t end;
    bool has_returned;
    uint64_t owner;        // who calls it: lane and task
    uint64_t site, caller; // the instruction that called it: event and PC; TRAWL_NONE and 0: none
    uint64_t arguments[PAIR_ARGUMENTS];
};

// A register with an argument or a result, by the ABI.
struct pair_value {
    uint64_t number;
    bool is_there, is_known; // there is such a register; all of it is known
};

// Its value after an event of a lane. `name` NULL: there is none.
enum status pair_value_read(const struct index_view *view, uint64_t lane, uint64_t event,
                            uint32_t isa, const char *name, struct pair_value *value,
                            struct error *err);

// The result of a call that has returned.
enum status pair_result(const struct index_view *view, const struct pair_call *call,
                        struct pair_value *value, struct error *err);

// The event that is shown for a call.
static inline uint64_t pair_event(const struct pair_call *call)
{
    return call->site == TRAWL_NONE ? call->entry : call->site;
}

// The start or end of a call, in the order of events.
struct pair_mark {
    uint64_t event;
    uint32_t call; // among `calls`
    bool is_end;
};

enum { OWNERS_KEPT = 1024 };

// Whether an interrupt runs in a call.
struct call_owner {
    uint64_t lane, call;
    bool is_there, is_interrupt;
};

struct pairs {
    VEC(, struct pair_function) given; // by the user
    VEC(, char *) names;               // of the first ones of these
    VEC(, struct pair_call) calls;
    VEC(, struct pair_mark) marks;
    struct call_owner owners[OWNERS_KEPT];
};

// Who runs at an event of a lane: the lane with its task, or with its interrupts.
uint64_t pair_owner(struct pairs *pairs, const struct index_view *view, uint64_t lane,
                    uint64_t event);

// Adds a pair that a user typed: "ALLOCATE:FREE", "LOCK:UNLOCK", which of them is told by the
// names, or by "heap=" or "lock=" before them. Texts must stay. STATUS_INPUT: it is none.
enum status pairs_add(struct pairs *pairs, const char *text, struct error *err);

// Finds all calls of the functions of these parts, known ones and given ones.
enum status pairs_find(struct pairs *pairs, const struct index_view *view, struct names *names,
                       unsigned parts, struct error *err);
void pairs_free(struct pairs *pairs);

// --- Heaps (heap.c) ------------------------------------------------------------------------------

struct heap_block {
    uint64_t address, size_bytes;
    uint64_t allocated, freed; // events of the calls; TRAWL_NONE: it was not
    uint64_t lane, freed_lane, caller;
    uint8_t family;
};

// What was in use after a call that changed it.
struct heap_step {
    uint64_t event, live_bytes, live_count;
};

struct heap {
    VEC(, struct heap_step) steps; // if check->wants_steps
    VEC(, struct heap_block) blocks;
    struct hash_index by_address; // the latest at each
    uint64_t live_count, live_bytes, most_bytes, most_event;
    VEC(, uint64_t) inside; // the owners of calls of heaps that are active
};

// --- Locks (locks.c) -----------------------------------------------------------------------------

struct held_lock {
    uint64_t lock, owner; // address; lane and task
    uint64_t event, lane, caller;
    uint64_t call;  // that took it: its number
    uint64_t depth; // how often it was taken
};

struct lock_set {
    VEC(, uint64_t) items;
    struct hash_index by_lock;
};

// `second` was taken while `first` was held.
struct lock_order {
    uint64_t first, second;
    uint64_t event, lane;
};

struct locks {
    VEC(, struct held_lock) held;
    VEC(, struct lock_order) orders;
    struct hash_index by_order;
    struct lock_set taken, made; // at any time
    // Functions that took a lock, and had ended when it was released: they take it for their
    // callers.
    struct lock_set takers;
};

// --- The stack (stack_check.c) -------------------------------------------------------------------

enum { STACK_ROWS = 512 };

// A stack, as far as it was used: frames that have ended are below its stack pointer, which is
// known as it was when it was in use last.
struct used_stack {
    uint64_t low, high, sp;
};

// A stack of which something else than its use says where it is: an operating system, or symbols.
struct stack_extent {
    uint64_t bottom, top; // the first byte of it, and the first behind it
    uint64_t lane, first; // first used by that lane, at that event
    const char *owner;    // whose it is
    // How far down it was used, also by what the machine saves at an exception; and by which event.
    uint64_t lowest, lowest_event;
    bool is_told;    // as an overflow
    bool is_watched; // right outside of it
};

// Of a lane.
struct checked_stack {
    size_t which;           // among `used_stacks`
    uint64_t sp, sp_before; // after and before the event that is looked at
    bool is_known;
    bool has_return;             // the link register has what a call put there
    bool may_change;             // to that of another mode, with the next instruction
    uint64_t offset, size_bytes; // of the stack pointer in the register space
    // Writes of it, read ahead.
    uint64_t event[STACK_ROWS], value[STACK_ROWS], known[STACK_ROWS];
    size_t at, count;
    uint64_t after; // the next rows are of later events
    bool is_end;
    // While it is in [low, high], it is in the same object as before.
    uint64_t low, high;
    uint64_t object, object_bytes; // 0 bytes: none is known
};

// What an image has at an address: stack pointers are the same ones again and again.
struct known_object {
    uint64_t at;                  // + 1; 0: free
    uint64_t address, size_bytes; // 0 bytes: nothing is there
};

// Whether the function at a PC reads strings.
struct known_reader {
    uint64_t pc; // + 1; 0: free
    bool reads_strings;
};

enum { OBJECTS_KEPT = 256, READERS_KEPT = 64 };

// Where a return address is stored.
struct return_slot {
    uint64_t place, event;
    uint64_t overwritten, lane; // TRAWL_NONE: it was not
};

// An access right outside of a stack, of which it is asked at the end where its address comes from.
struct outside_access {
    struct access access;
    struct trawl_event about;
    uint64_t bottom, top; // of the stack
};

// How many of them an instruction had.
enum { ASKED_CODES = 1024 };
struct asked_code {
    uint64_t pc, count;
};

// What a check has to know of an instruction, from its effects. Of one that is not known, or was
// not executed, there is none.
struct code_note {
    bool jumps;           // it goes on where a register or memory says
    bool is_exception;    // as in its effects
    bool accesses_memory; // itself, and not the machine, which saves registers at exceptions
    // Of the link register: it is written, by a call, or loaded (as the PC), or stored.
    bool writes_link, is_call, loads_link, stores_link;
    uint8_t stack_origin;              // enum stack_origin: of the stack pointer
    uint16_t link_loaded, link_stored; // from and to there, above the lowest address accessed
    uint16_t store_bytes; // it only stores, to so many bytes without a gap (NOTE_ALL_BYTES: to all
                          // that the event accesses); 0: anything else
};

enum { NOTE_ALL_BYTES = UINT16_MAX };

// --- The run -------------------------------------------------------------------------------------

struct known_range {
    uint64_t address, size_bytes;
};

struct check {
    // Given, all else zero.
    struct dataflow *flow;
    struct names *names;
    unsigned parts;   // enum check_part
    uint64_t lane;    // whose findings are wanted; TRAWL_ANY_LANE
    unsigned threads; // at least 1
    bool wants_steps; // of what is in use of the heap
    VEC(, struct known_range) known;
    VEC(, struct stack_extent) extents; // in the order of their first use, lane by lane
    struct pairs pairs;
    // Called now and then with how many bytes of the trace were looked at. NULL: nobody asks.
    void (*advanced)(void *self, uint64_t bytes);
    void *self;

    struct findings findings;
    uint64_t unknown_instructions;
    bool has_no_stack;  // the trace shows no stack pointer
    bool is_from_start; // it begins where an image does
    bool is_cut;        // memory for the shadow was at its limit

    struct shadow shadow;
    struct heap heap;
    struct locks locks;
    struct checked_stack *stacks; // of each lane
    struct stack_registers registers[ARCH_ISAS];
    struct known_object objects[OBJECTS_KEPT];
    struct known_reader readers[READERS_KEPT];
    VEC(, struct used_stack) used_stacks;
    VEC(, struct return_slot) slots;
    VEC(, struct outside_access) outside;
    struct asked_code asked[ASKED_CODES];
    struct hash_index by_place;
    struct spread *spread;
    struct spread_rules rules;
    VEC(, uint64_t) undefined_loads; // events that loaded what nothing had set, ascending
    const struct trawl_event *now;
    const struct code_note *code; // of its instruction, as soon as that was looked at; NULL: none
    bool lacks_memory;
    struct {
        struct access *items;
        size_t count;
    } accesses;                  // of the event
    VEC(, uint64_t) passed_over; // bytes that are undefined again after it
};

// Makes the pass. The index must have its loads. To be freed also after a failure.
enum status check_run(struct check *check, struct error *err);
void check_free(struct check *check);

// Finds for an undefined value where it was loaded, which becomes a cause. Takes a slice.
enum status check_explain(struct check *check, struct finding *finding, struct error *err);

// --- For its parts -------------------------------------------------------------------------------

// Notes a finding of the event that is looked at. NULL: it was there before, or is not to be noted.
struct finding *check_note(struct check *check, unsigned kind, uint64_t pc, uint64_t key);
// The same of an access.
struct finding *check_note_access(struct check *check, unsigned kind, const struct access *access);

enum status heap_call(struct check *check, const struct pair_call *call, bool is_end,
                      struct error *err);
// The block that had an address at an event. NULL: none did.
const struct heap_block *heap_block_at(const struct heap *heap, uint64_t address, uint64_t event);
// An access to bytes with SHADOW_FREED.
void heap_access(struct check *check, const struct access *access, unsigned state);
// Finds the blocks to which nothing points.
enum status heap_end(struct check *check, struct error *err);

enum status locks_call(struct check *check, const struct pair_call *call, bool is_end,
                       struct error *err);
void locks_end(struct check *check);

enum status stack_open(struct check *check, struct error *err);
// What the check has to know of an instruction.
void stack_note(const struct check *check, uint32_t isa, const struct effects *effects,
                struct code_note *note);
// Whether an event writes the stack pointer; asked in order.
static inline bool stack_is_written(const struct checked_stack *stack, uint64_t event)
{
    return stack->at < stack->count ? stack->event[stack->at] <= event : !stack->is_end;
}
// Before and after the instruction of the event that is looked at.
void stack_before(struct check *check, const struct trawl_event *about);
enum status stack_after(struct check *check, const struct trawl_event *about,
                        const struct spread_access *accessed, struct error *err);
// --- outside.c ---
// Watches what is right outside of a stack.
void outside_watch(struct check *check, struct stack_extent *extent);
// An access to bytes with SHADOW_EDGE, with this stack pointer.
void outside_access(struct check *check, const struct access *access, uint64_t sp);
enum status outside_end(struct check *check, struct error *err);

// --- stack_check.c ---
// Whether an address is in a frame of the stack in use: what leaves its block is an overflow.
bool stack_has(const struct check *check, uint64_t address);
// Changes bytes of a stack, page by page, as each may be anywhere.
void stack_change(struct check *check, uint64_t address, uint64_t size_bytes, unsigned takes,
                  unsigned gives);
// Stacks that were used below their ends by what is no instruction of theirs.
void stack_end(struct check *check);
// The stack that had an address at an event: of several in the course of time, the latest. NULL:
// none is known.
struct stack_extent *stack_extent_at(struct check *check, uint64_t address, uint64_t event);
// An access to bytes that still have SHADOW_DEAD after the instruction.
void stack_access(struct check *check, const struct access *access);
// A store to bytes with SHADOW_RETURN.
void stack_store_to_return(struct check *check, const struct access *access);

#endif
