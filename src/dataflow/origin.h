// Where bytes of a register or of memory come from: the last instruction before a point that wrote
// them. Or why there is none: it is said, and never guessed.
//
// Registers and memory are asked of the index, which has the writes of every byte. It does not have
// flags, of which most traces show nothing: what set them is found among the instructions before,
// usually the next one or two.
#ifndef TRAWL_DATAFLOW_ORIGIN_H
#define TRAWL_DATAFLOW_ORIGIN_H

#include "dataflow/dataflow.h"

// Why a value is not followed further back.
enum data_end {
    DATA_GOES_ON,
    DATA_CONSTANT,    // it is in the code
    DATA_START,       // nothing wrote it since the start of the trace
    DATA_HOST,        // the debug host may have written it
    DATA_OUTSIDE,     // a device, another master: a load shows what no store explains
    DATA_EXCEPTION,   // taking an exception wrote it
    DATA_BANK,        // the mode changed, and another register of this name is shown
    DATA_SYSTEM,      // it was read from a system register
    DATA_UNKNOWN,     // by an instruction of which it is not known what it does
    DATA_UNEXPLAINED, // by an instruction that does not write it, as far as is known: lines are
                      // missing, or late
    DATA_PLACELESS,   // from memory of which the trace does not show where it is
    DATA_FAR,         // what set the flags was not found within LIMIT_FLAG_EVENTS
    DATA_GAP,         // lines are missing, which may have written it
    DATA_ENDS,
};

// In words; as a word for programs.
extern const char *const data_end_texts[DATA_ENDS];
extern const char *const data_end_keys[DATA_ENDS];

struct data_origin {
    enum data_end end;
    uint64_t event;              // that wrote; TRAWL_NONE for DATA_START and DATA_FAR; of DATA_GAP
                                 // the first after the gap
    uint64_t since;              // of DATA_OUTSIDE: the last event with the earlier value; of
                                 // DATA_GAP: the last write before the gap, or TRAWL_NONE
    bool is_left;                // only while it is searched: the event leaves them as they are
    struct dataflow_bytes bytes; // which of the bytes
};

// Finds what last wrote any of `bytes` before event `event`; with `at_event`, including what it did
// itself. What is found is about origin->bytes; ask again for the rest.
enum status data_origin_find(struct dataflow *flow, uint64_t event, bool at_event,
                             const struct dataflow_bytes *bytes, struct data_origin *origin,
                             struct error *err);

// The stack pointer of a mode, where an instruction of another mode may come between a write and
// what reads it: bytes of registers are told by cells, and those of both would be of one. It has
// the cell of the register by which the trace names it, or of a register that there is not.
#define DATA_STACK_OF_MODE (UINT64_C(1) << 32)

// Has such bytes be those that the instruction of an event itself writes.
void data_take_stack(struct dataflow *flow, const struct dataflow_step *step,
                     struct dataflow_bytes *bytes);

// Whether the instruction of an event, which writes eight bytes of registers itself, finds another
// register there than the instruction before it left, because the mode changed between them. The
// index has only the later write.
enum status data_bank_hidden(struct dataflow *flow, uint64_t lane, uint64_t event, uint64_t cell,
                             bool *is_hidden, struct error *err);

#endif
