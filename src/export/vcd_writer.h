// A trace as a Value Change Dump: the changes of each segment as text, formatted in parallel and
// written in order.
//
// Needs a first pass for the header and for the queue of functions: which cores there are, whether
// they execute AArch64, and which calls return.
//
// The trace is read twice, because a header with the variables precedes all values; an index could
// save the first reading, but not the second. Both take a third of the time, formatting and the
// kernel's writing a fifth each: a VCD is 2.5 times as large as its trace, so on a disk that is the
// limit (bench/RESULTS.md, VCD).
#ifndef TRAWL_EXPORT_VCD_WRITER_H
#define TRAWL_EXPORT_VCD_WRITER_H

#include "base/base.h"
#include "base/vec.h"
#include "flow/call_list.h"
#include "flow/pass.h"
#include "flow/reading.h"
#include "flow/register_names.h"
#include "flow/segment.h"
#include "idx/register_layout.h"
#include "idx/segment_rows.h"
#include "names/names.h"
#include "report/out.h"

// --- The text of a dump --------------------------------------------------------------------------

// Writes the elements of a Value Change Dump (IEEE 1364-2005, 18): identifiers, vectors, strings.
//
// All functions write at `at`, where the caller has made room, and return the end of what they
// wrote.

// The most bytes of an identifier.
#define VCD_IDENTIFIER_BYTES_MAX 5

// The most bytes that a byte of a string takes.
#define VCD_ESCAPE_BYTES_MAX 4

// What follows the value in every change of a variable: a blank, its identifier, a newline.
struct vcd_ending {
    char text[8];
    uint8_t length;
};

// The ending of variable `number` of the file: identifiers are numbers in base 94, the least
// significant digit first.
struct vcd_ending vcd_ending_of(uint32_t number);

// Needs room for eight bytes, regardless of the length.
static ALWAYS_INLINE char *vcd_put_ending(char *at, const struct vcd_ending *ending)
{
    memcpy(at, ending->text, sizeof ending->text);
    return at + ending->length;
}

// Writes the eight binary digits of `byte`, the highest first. The product has eight copies of the
// byte, nine bits apart, so the top bit of byte j is bit 7 - j of a copy.
static ALWAYS_INLINE char *vcd_put_byte(char *at, uint8_t byte)
{
    uint64_t digits = (byte * UINT64_C(0x8040201008040201)) >> 7 & UINT64_C(0x0101010101010101);
    digits |= UINT64_C(0x3030303030303030);
    memcpy(at, &digits, sizeof digits); // all supported hosts are little-endian
    return at + sizeof digits;
}

// Writes the low `bytes` bytes of `value` as binary digits.
static ALWAYS_INLINE char *vcd_put_bits(char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
        at = vcd_put_byte(at, (uint8_t)(value >> (8 * i)));
    return at;
}

// The same without leading zeros, which readers add; zero is one digit. Needs room for 64 bytes.
char *vcd_put_short_bits(char *at, uint64_t value);

// Writes text as a string value, on one line and without blanks. Needs room for
// VCD_ESCAPE_BYTES_MAX bytes for each of `length`.
char *vcd_put_string(char *at, const char *text, size_t length);

// The same, but each run of blanks and tabs becomes its first character.
char *vcd_put_words(char *at, const char *text, size_t length);

// --- vcd_core.c ----------------------------------------------------------------------------------

// The variables of one core in a VCD file: registers, and the effects of its instructions.

#define VCD_REGISTERS_MAX 128
#define VCD_REGISTER_BYTES_MAX 256

// Only the cells of the register space that variables show are stored, in slots, in the order of
// the cells. They may differ in AArch64 state.
#define SLOT_COUNT REGISTER_CELLS
#define NO_SLOT UINT16_MAX

// The known values of a core's registers, by slot.
struct slot_values {
    uint64_t value[SLOT_COUNT];
    uint8_t known[SLOT_COUNT]; // bit i: byte i
    bool has_unknown;          // a write of an unknown value was among them
};

enum vcd_variable {
    VCD_CYCLE,
    VCD_FUNCTION,
    VCD_INST,
    VCD_INST_ASM,
    VCD_INST_EXECUTED,
    VCD_PC,
    VCD_MEM_RW,
    VCD_MEM_ADDR,
    VCD_MEM_DATA,
    VCD_VARIABLE_COUNT,
};

// The bytes of a register; those of a vector extend into the next slots.
struct vcd_location {
    uint16_t slot;
    uint8_t first_byte;
};

struct vcd_register {
    struct vcd_ending ending;
    uint32_t offsets[2];           // in the register space, in AArch32 and in AArch64 state
    struct vcd_location places[2]; // likewise
    uint16_t size_bytes;
    bool is_scalable; // as long as vectors of the trace are
    char name[8];
};

// Registers by their numbers in vcd_core.
struct vcd_register_set {
    uint64_t bits[VCD_REGISTERS_MAX / 64];
};

struct vcd_core {
    bool has_aarch64;                                 // it executed AArch64 instructions
    bool is_true_reading;                             // READING_TRUE
    struct vcd_register registers[VCD_REGISTERS_MAX]; // in the order in which changes are written
    uint32_t register_count;
    uint32_t declared[VCD_REGISTERS_MAX]; // their numbers, in the order of declaration
    struct vcd_ending variables[VCD_VARIABLE_COUNT];
    unsigned cycle_bytes, address_bytes, data_bytes;
    uint16_t slots[REGISTER_CELLS]; // of each fixed cell, or NO_SLOT
    // Those that the trace names, after all others; NULL: not shown.
    const struct register_names *named;
    uint32_t first_named; // the number of the first one's variable
    // Registers with bytes in the low and high half of a slot, by state.
    struct vcd_register_set in_half[2][SLOT_COUNT][2];
};

static ALWAYS_INLINE uint32_t vcd_core_slot(const struct vcd_core *core, uint32_t cell)
{
    return cell < REGISTER_CELLS ? core->slots[cell] : NO_SLOT;
}

// Lays out the variables, whose identifiers begin with that of `first_variable`. READING_TTU: the
// registers of the reference; READING_TRUE: each byte in one register, except that v is in z.
// `registers` are those of the trace (trace_kind.registers), `named` those that it names; NULL:
// none.
void vcd_core_init(struct vcd_core *core, const struct register_table *registers,
                   const struct register_names *named, enum reading reading, bool has_aarch64,
                   uint32_t first_variable);

// How many there are.
uint32_t vcd_core_variables(const struct vcd_core *core);

// Declares them in a scope of that name.
void vcd_core_declare(const struct vcd_core *core, const char *scope, struct out *out);

// Gives all of them an unknown value.
void vcd_core_dump_unknown(const struct vcd_core *core, struct out *out);

// --- Registers beyond the common ones ------------------------------------------------------------

// The values of registers that a trace names, core by core, for a VCD file.

struct vcd_named_values {
    struct vcd_named_cell *cells; // of the first lane, then of the next one
    size_t lane_cells, lane_count;
};

// Allocates the registers of all lanes, all unknown. `named` NULL: none. False: no memory.
bool vcd_named_values_make(struct vcd_named_values *values, const struct register_names *named,
                           size_t lane_count);
void vcd_named_values_free(struct vcd_named_values *values);

// Both were made with the same arguments.
void vcd_named_values_copy(struct vcd_named_values *to, const struct vcd_named_values *from);

// The number of the register that a cell belongs to.
static inline uint32_t vcd_named_number(uint32_t cell)
{
    return (cell - REGISTER_CELLS) / NAMED_REGISTER_CELLS;
}

// Stores a write to a register that is shown; ignores others. Returns whether it is shown.
bool vcd_named_write(struct vcd_named_values *values, const struct segment_register *reg);

// Writes the value of register `number` of a lane, if all of it is known.
void vcd_named_put(const struct vcd_named_values *values, const struct vcd_core *core, size_t lane,
                   uint32_t number, struct out *out);

// --- The function that a core executes -----------------------------------------------------------

// The function that a core executes, as a queue of changes in the order of the trace: a function is
// entered, or its caller continues.

struct function_change {
    uint64_t event, time; // of the node at which it happens
    uint64_t pc;          // the entry of the function
};

// A position in the queue: the calls open there, from the root inward. All zero is an empty queue.
struct function_changes {
    struct call_list *list;
    VEC(, struct open_function) open;
    struct function_change head;
    bool has_head;
};

// Starts with the lane's root, entered at `root`; `calls` are the calls in it. False: no memory.
bool function_changes_begin(struct function_changes *changes, struct call_list *list,
                            const struct node_ref *root, const struct call_content *calls);

// Moves to the next change; has_head tells whether there is one. False: no memory.
bool function_changes_next(struct function_changes *changes);

void function_changes_free(struct function_changes *changes);

// --- vcd_writer.c --------------------------------------------------------------------------------

// Events in a segment: few enough that its text stays in the cache until it is written.
#define VCD_SEGMENT_EVENTS 2048

struct register_table;

struct vcd_options {
    struct reading_options how;
    bool by_trace_times; // times are those of the trace; otherwise events are counted
    bool with_date;
    struct call_range range; // what is shown
    uint32_t segment_events;
    const struct source *source;            // of the second pass; mapped
    const struct register_table *registers; // of the trace; NULL: none
    const struct register_names *named;     // those of the first pass that are shown; NULL: none
    // READING_TTU with by_trace_times: called for each event at the time of the previous one.
    void (*time_stands_still)(uint64_t time);
};

struct vcd_writer;

// A writer to `out`, which is open; names are looked up while the segments pass, one at a time.
// NULL: no memory. All arguments must outlive the writer.
struct vcd_writer *vcd_writer_new(const struct vcd_options *options, struct names *names,
                                  struct out *out);
void vcd_writer_free(struct vcd_writer *writer);

// Adds the next lane of the first pass. If `root` is not NULL, the functions of the calls on `list`
// are shown from there to the end. False: no memory.
bool vcd_writer_add_lane(struct vcd_writer *writer, const struct lane_result *lane,
                         const struct node_ref *root, struct call_list *list);

// Writes the header, after all lanes were added.
void vcd_writer_begin(struct vcd_writer *writer);

// The consumer for the segments of the second pass. STATUS_LIMIT: the reference cannot show this
// trace; the message is the reference's.
struct segment_consumer vcd_writer_consumer(struct vcd_writer *writer);

// Whether any event was shown.
bool vcd_writer_has_shown(const struct vcd_writer *writer);

// Writes the end of the file.
void vcd_writer_end(struct vcd_writer *writer);

#endif
