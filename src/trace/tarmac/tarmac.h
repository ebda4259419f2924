// Tarmac traces: text written by Arm's models and cores, and by others in the same form.
#ifndef TRAWL_TRACE_TARMAC_TARMAC_H
#define TRAWL_TRACE_TARMAC_TARMAC_H

#include "base/source.h"
#include "cli/progress.h"
#include "flow/reading.h"
#include "trace/examination.h"
#include "trace/lines/language.h"
#include "trace/lines/line.h"
#include "trace/trace.h"

// --- dialect.c -----------------------------------------------------------------------------------

// How a trace was written, determined from its first lines.

// How much of a trace is sufficient to determine the dialect. For a pipe, this much is waited for,
// so that the result depends only on the bytes.
#define TARMAC_DIALECT_PEEK_BYTES 65536

struct tarmac_dialect {
    struct time_scale scale;
    enum implicit_state implicit_state; // of instruction lines, if none of them has it
    uint8_t first_world;                // of the first physical address (flow/reading.h)
};

// Determines the dialect from [text, text + size_bytes), ignoring a line without an end.
struct tarmac_dialect tarmac_dialect_of(const char *text, size_t size_bytes,
                                        const struct line_prefix *prefix);

// An expression for what stands before the records of all instructions in this text, if none is at
// the beginning of its line ("# "). False: there is none.
#define TARMAC_PREFIX_BYTES 192
bool tarmac_find_prefix(const char *text, size_t size_bytes, char expression[TARMAC_PREFIX_BYTES]);

// How lines of the dialect are read, under READING_TRUE.
struct reading_options tarmac_dialect_reading(const struct tarmac_dialect *dialect,
                                              const struct reading_options *how);

// --- tarmac.c ------------------------------------------------------------------------------------

extern const struct trace_kind tarmac_kind;

// --- branch.c ------------------------------------------------------------------------------------

// The targets of direct branches.

// Finds the target of a direct branch, with Thumb bit, and the operand of the disassembly that
// names it. Both encoding and text must show that it is a direct branch. False: it is not.
bool tarmac_branch_target(const struct line_instruction *instruction, const char *end,
                          uint64_t *target, struct text_span *operand);

// --- data_flow.c ---------------------------------------------------------------------------------

// How data flows through the instructions of a trace of an Arm core.

extern const struct trace_dataflow tarmac_dataflow;

// --- examine.c -----------------------------------------------------------------------------------

// Examines the file of a Tarmac trace: how it is written, how much of it is understood, and what
// looks wrong.

// Reads the whole trace in order, and shows this on `progress` (NULL: nowhere). `how` must already
// be adapted to the dialect.
enum status tarmac_examine(struct source *source, const struct reading_options *how,
                           const struct tarmac_dialect *dialect, struct progress *progress,
                           struct examination *examination, struct error *err);

// --- The language --------------------------------------------------------------------------------

// The language of Tarmac traces.

extern const struct line_language tarmac_language;

// --- look.c --------------------------------------------------------------------------------------

// Describes one line for viewers (trace/trace.h).

// `isa`: the instruction set of names of registers. The line has no line end.
void tarmac_look(const char *start, const char *end, const struct reading_options *how,
                 uint32_t isa, struct line_look_context *context, struct line_look *look);

// --- operands.c ----------------------------------------------------------------------------------

// Which operands an instruction reads, according to its disassembly.

// The names of registers that are read, as in the text: at most `capacity`. Returns their number. A
// name may denote something else, such as a label; looking it up as a register shows this.
size_t tarmac_read_operands(const char *start, const char *end, struct text_span *reads,
                            size_t capacity);

// --- Samples -------------------------------------------------------------------------------------

// Some instructions of a trace, with their encodings.

// Reads lines at places throughout a file, or the first lines of a pipe, which remain unread for
// others. Returns at most `capacity` instructions that have an encoding. The number of reads does
// not depend on the length.
size_t tarmac_sample(struct source *source, const struct reading_options *how,
                     struct trace_instruction *instructions, size_t capacity);

#endif
