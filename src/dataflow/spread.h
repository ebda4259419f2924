// How a property of bytes spreads: each event passes on what its inputs have to what it writes.
// `trawl reaches` marks a value with it, `trawl check` bytes that nothing has set.
//
// Events are looked at in order, with the accesses of the index beside them. Which instruction an
// event has is remembered by its PC together with the number of its text (dataflow/code_text.h).
// Most instructions are passed over after one comparison of two words: what they read and write,
// and what of the lane has the property.
//
// Registers and flags are here. Memory is with the user, as some want a few cells and others the
// whole of it.
#ifndef TRAWL_DATAFLOW_SPREAD_H
#define TRAWL_DATAFLOW_SPREAD_H

#include "dataflow/slice.h"
#include "dataflow/step.h"

// What a user notes of an instruction.
enum { SPREAD_NOTE_BYTES = 16 };

struct spread_rules {
    void *self;
    bool with_addresses;   // what is loaded from or stored to an address with it has it as well
    bool tells_addresses;  // `reached` is also for events of which only the address has it
    uint64_t memory_count; // 0: no memory has it
    bool is_ended;         // spread_all is to end
    // Which of the bytes of a cell have it; and has them get or lose it. False: no memory.
    unsigned (*memory_having)(void *self, const struct dataflow_bytes *bytes);
    bool (*memory_change)(void *self, const struct dataflow_bytes *bytes, bool has);
    // An event that moves it, computes with it, or decides by it; before what it writes is changed.
    enum status (*reached)(void *self, const struct dataflow_step *step,
                           const struct slice_event *event, struct error *err);
    // Notes what an instruction does, when it is met first: SPREAD_NOTE_BYTES. NULL: nothing.
    void (*note)(void *self, uint32_t isa, const struct effects *effects, void *notes);
};

// From the first to the last byte that an event accesses.
struct spread_access {
    uint64_t address, size_bytes; // 0: none
};

struct spread;

// Prepares to look at the events after event `event` (TRAWL_START: all). *made has to be freed also
// after a failure. `rules` and `flow` must stay.
enum status spread_open(struct spread **made, struct dataflow *flow, uint64_t event,
                        const struct spread_rules *rules, struct error *err);
void spread_free(struct spread *spread);

// What has the property after that event; and has bytes get or lose it at any time.
enum status spread_begin(struct spread *spread, const struct dataflow_bytes *targets, size_t count,
                         struct error *err);
enum status spread_mark(struct spread *spread, const struct dataflow_bytes *bytes, bool has,
                        struct error *err);

// Which of these bytes have it.
unsigned spread_having(struct spread *spread, const struct dataflow_bytes *bytes);

// Looks at all events, until nothing has the property or rules->is_ended (*was_ended). The index
// must have its loads.
enum status spread_all(struct spread *spread, bool *was_ended, struct error *err);

// Looks at one event, for users who go through them themselves, in order. `text`: the number of its
// instruction's text; `accessed`: its memory.
enum status spread_event(struct spread *spread, const struct trawl_event *about, uint64_t text,
                         const struct spread_access *accessed, struct error *err);

// Whether an event has nothing to do with registers and flags that have it, as most: unless it does
// with memory, spread_event need not be called for it. *notes is then what spread_notes gives.
enum status spread_passes(struct spread *spread, const struct trawl_event *about, uint64_t text,
                          bool *passes, const void **notes, struct error *err);

// What was noted of the instruction of the event that was looked at last, aligned to 8 bytes. NULL:
// it has none, was not executed, or is not known. Valid until the next event.
const void *spread_notes(const struct spread *spread);

// Whether an instruction that did this went on where a register or memory said. NULL: it did not.
bool effects_jump(const struct effects *effects);

// How many instructions are not known.
uint64_t spread_unknown(const struct spread *spread);

// The registers and flags that have it: false if `take` stops.
bool spread_left(const struct spread *spread,
                 bool (*take)(void *self, const struct dataflow_bytes *bytes), void *self);

#endif
