// A trace whose data is followed: its index, its text, and bytes of registers and memory.
#ifndef TRAWL_DATAFLOW_DATAFLOW_H
#define TRAWL_DATAFLOW_DATAFLOW_H

#include "base/limits.h"
#include "base/vec.h"
#include "query/trace_lines.h"
#include "trace/index_view.h"
#include "trace/trace.h"

// Bytes or flags that belong together: of an aligned cell of eight bytes. Memory is told by its
// place (trawl.h, trawl_place): what several address spaces have at one address is not the same,
// and one place may have several addresses.
enum dataflow_space { DATA_REGISTERS, DATA_FLAGS, DATA_MEMORY };

struct dataflow_bytes {
    uint64_t cell;     // offset / 8 in the registers of the lane, or place / 8; 0 of flags
    uint64_t to_place; // of memory: what is added to addresses where these bytes are named
    uint32_t lane;     // 0 for memory
    uint8_t space;     // enum dataflow_space
    uint16_t mask;     // bit i: byte i of the cell; or flags
};

static inline bool bytes_are_of_one_cell(const struct dataflow_bytes *a,
                                         const struct dataflow_bytes *b)
{
    return a->cell == b->cell && a->lane == b->lane && a->space == b->space;
}

// Which of them are in both.
static inline unsigned bytes_share(const struct dataflow_bytes *a, const struct dataflow_bytes *b)
{
    return bytes_are_of_one_cell(a, b) ? a->mask & b->mask : 0;
}

struct dataflow_step;

// Gaps in the flow of instructions (gaps.h).
struct lane_gaps {
    VEC(, uint64_t) events; // the first instruction after each, ascending
};

struct dataflow_gaps {
    struct lane_gaps all, *lanes; // of any lane; of each
    uint64_t lane_count;
};

// The name by which a trace shows the stack pointer of a mode, beside the one that the core uses.
struct stack_name {
    uint64_t cell; // UINT64_MAX: the trace never names it
    uint8_t mode;
    bool is_read;
};

enum { STACK_NAMES = 8 };

enum { STEP_EVENTS = 64, STEP_BLOCKS = 64, STEPS_KEPT = 512 };

// Rows of events that were read together.
struct step_block {
    uint64_t number; // + 1; 0: free
    size_t count;
    uint64_t lane[STEP_EVENTS], in_lane[STEP_EVENTS], position[STEP_EVENTS], pc[STEP_EVENTS],
        flags[STEP_EVENTS];
};

// Fields are for reading.
struct dataflow {
    const struct index_view *view;
    const struct trace_dataflow *kind;
    const struct trace_line_reader *reader;
    struct trace_lines lines;
    struct reading_options how;
    struct step_block *blocks;   // STEP_BLOCKS of them
    struct dataflow_step *steps; // STEPS_KEPT, read last
    struct trace_step *texts;    // of each
    struct effects *effects;     // of each
    uint64_t event_count;
    bool has_places;                            // other than addresses
    uint16_t vector_bytes;                      // kind->vector; 0: none is shown
    struct stack_name stack_names[STACK_NAMES]; // of mode n in place n % STACK_NAMES
    struct dataflow_gaps *gaps;                 // NULL: none, or they have not been looked for
    bool has_read_gaps;
};

// `trace` must have its text, which is that of the index. STATUS_INPUT: it has not, or nothing is
// known of what its instructions do.
enum status dataflow_open(struct dataflow *flow, const struct index_view *view,
                          const struct trace *trace, struct error *err);
// The same for another thread, with its own view of the same index. `of` must stay open as long.
enum status dataflow_open_again(struct dataflow *flow, const struct dataflow *of,
                                const struct index_view *view, struct error *err);
void dataflow_close(struct dataflow *flow);

// Lane, PC, flags and place of an event, without its line number and time.
enum status dataflow_event(struct dataflow *flow, uint64_t event, struct trawl_event *about,
                           struct error *err);

// The cell of the register by which a trace names the stack pointer of a mode (SP_EL0), which then
// has all that is written to it. UINT64_MAX: there is none.
uint64_t dataflow_stack_cell(struct dataflow *flow, unsigned mode);

// As trawl_memory and trawl_memory_written, of places and not of addresses.
enum trawl_status dataflow_memory(const struct index_view *view, uint64_t event, uint64_t place,
                                  size_t size_bytes, uint8_t *values, uint8_t *known,
                                  struct trawl_error *from);
enum trawl_status dataflow_written(const struct dataflow *flow, uint64_t event, uint64_t place,
                                   uint64_t size_bytes, struct trawl_write *write,
                                   struct trawl_error *from);

// The disassembly in the line of an event's instruction, with bytes that would disturb a terminal
// replaced. False: there is none.
bool dataflow_text(struct dataflow *flow, uint64_t event, char text[LIMIT_TRACE_TEXT_BYTES]);

#endif
