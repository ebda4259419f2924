// The commands of `trawl tfile`. A file in this folder defines each.
#ifndef TRAWL_CMD_TFILE_COMMANDS_H
#define TRAWL_CMD_TFILE_COMMANDS_H

#include "base/limits.h"
#include "cmd/command.h"
#include "dwarf/debug_values.h"
#include "elf/image_set.h"
#include "query/expression.h"
#include "report/out.h"
#include "report/value.h"
#include "trace/tfile/frame.h"
#include "trace/tfile/tfile.h"

extern const struct command_spec tfile_frames_command, tfile_show_command, tfile_series_command;

// Shared options: how the file is read and named, which frames are selected, how commands run.
extern const struct positional_spec tfile_positional[]; // only the file
extern const struct option_spec tfile_read_options[];
extern const struct option_spec tfile_filter_options[];
extern const struct option_spec tfile_run_options[];

// Begins a command over a trace file.
void tfile_begin(struct command *command, const struct command_spec *spec);

// The first step of its report: whether the trace is a trace file, with frames that are wanted.
bool tfile_is_open(struct command *command);

// The file, if the command has it open.
struct tfile *tfile_file(const struct command *command);

// The name of the function at a PC, NULL without one.
const char *tfile_function(struct command *command, uint64_t pc);

// Whether a frame is selected.
bool tfile_wants_frame(struct command *command, uint64_t number);

// --- Names ---------------------------------------------------------------------------------------

// The meaning of names in expressions about a GDB trace file: registers of a frame, symbols of
// images.

struct tfile_names {
    const struct tfile *file;
    const struct image_set *images;
};

// Places of registers are offsets in a block of registers.
struct expression_names tfile_expression_names(struct tfile_names *names);

// A frame, and its registers; NULL: none were collected.
struct tfile_point {
    const struct tfile *file;
    const struct tfile_frame *frame;
    const uint8_t *registers;
};

struct expression_registers tfile_point_registers(struct tfile_point *point);

// --- columns.c -----------------------------------------------------------------------------------

// What to show of every frame of a GDB trace file, one column for each.
//
//     REGISTER  $VARIABLE  VARIABLE  ADDR:TYPE  EXPRESSION  registers  all-registers
//
// A name is a register, and a variable of trace state if no register has it. ADDR is an expression
// (query/expression.h) of the registers of each frame and of symbols. TYPE is u8 to u64, i8 to
// i64, f32, f64, x8 to x64 (hexadecimal), or bytes[N]. Anything else is an expression of C, as in
// `tfile show` (dwarf/debug_values.h), evaluated with the types and variables of each frame.

enum tfile_series_kind {
    TFILE_SERIES_REGISTER,
    TFILE_SERIES_VARIABLE,
    TFILE_SERIES_MEMORY,
    TFILE_SERIES_TYPED, // its value is text: typed_expression of the name
};

enum tfile_series_form {
    TFILE_SERIES_HEX,
    TFILE_SERIES_UNSIGNED,
    TFILE_SERIES_SIGNED,
    TFILE_SERIES_FLOAT,
    TFILE_SERIES_BYTES, // in their order
};

struct tfile_series {
    const char *name; // as typed, or the register's
    enum tfile_series_kind kind;
    enum tfile_series_form form;
    uint32_t size_bytes;
    uint32_t register_number;   // of TFILE_SERIES_REGISTER
    int32_t variable;           // of TFILE_SERIES_VARIABLE
    struct expression *address; // of TFILE_SERIES_MEMORY
};

// Frees them with tfile_series_free.
struct tfile_series_list {
    VEC(, struct tfile_series) items;
};

// Adds the columns for `text`, which must outlive the list. `err` has the offset of a fault in it.
enum status tfile_series_add(struct tfile_series_list *list, struct tfile_names *names,
                             const char *text, struct error *err);

void tfile_series_free(struct tfile_series_list *list);

// A value of up to 8 bytes as an unsigned number. False: not collected. `registers` are those of
// the frame; NULL: none.
bool tfile_series_value(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint64_t *value);

// The bytes of a larger register or of bytes[N], in the order of the block. False: not all were
// collected.
bool tfile_series_bytes(const struct tfile *file, const struct tfile_frame *frame,
                        const uint8_t *registers, const struct tfile_series *series,
                        uint8_t bytes[LIMIT_SERIES_BYTES]);

// --- Values --------------------------------------------------------------------------------------

// Registers of a frame as text.

// A number of 1 to 8 bytes as signed, or one of 4 or 8 bytes as floating point.
int64_t tfile_value_signed(uint64_t value, uint32_t size_bytes);
double tfile_value_float(uint64_t value, uint32_t size_bytes);

// All digits of a large register, "0x401136" for one of up to 8 bytes. `registers` as from
// tfile_frame_registers.
void tfile_value_hex(const struct tfile *file, const uint8_t *registers, uint32_t number,
                     char text[VALUE_TEXT_MAX]);

// In its natural form: a decimal number, an address, a floating-point number; "" for anything else.
void tfile_value_natural(const struct tfile *file, const uint8_t *registers, uint32_t number,
                         char text[VALUE_TEXT_MAX]);

// --- typed.c -------------------------------------------------------------------------------------

// What the actions of a tracepoint collected, evaluated with the debugging information of the
// images like GDB's tdump: each expression, $args and $locals.

// All zero is ready for use. Fields are for typed.c.
struct typed {
    struct debug_info **of; // for each image; NULL: none, or not opened yet
    const struct tfile_frame *frame;
    struct command *command;
    char symbol[256]; // the last one found, without the number of a static local variable
    bool lacks_memory;
};

void typed_free(struct typed *typed);

// A value that was collected: kind is "argument", "local" or "value".
struct typed_value {
    const char *kind;
    const struct debug_value_text *text;
};

struct typed_sink {
    void *self;
    void (*take)(void *self, const struct typed_value *value);
};

// Evaluates what the tracepoint at a location (NULL: unknown) collected for a frame. Nothing if the
// images have no debugging information. Registers and variables of trace state are left out if they
// are separate blocks.
void typed_values(struct typed *typed, struct command *command, const struct tfile_frame *frame,
                  const struct tfile_location *location, const struct typed_sink *sink);

// Evaluates an expression of C at a frame (debug_values_expression).
enum status typed_expression(struct typed *typed, struct command *command,
                             const struct tfile_frame *frame, const char *text,
                             const struct debug_sink *sink, struct error *err);

// Writes the declaration in C of the function at a PC. False: it is in no image.
bool typed_signature(struct typed *typed, struct command *command, uint64_t pc, struct out *out);

// --- plot_svg.c ----------------------------------------------------------------------------------

// Draws a plot as SVG: one panel for each series, above each other, over a common axis of whole
// numbers, in light and dark.
//
// A value lasts from its number to the next one, so lines are steps, and the last one ends at the
// edge. A line ends where a value is missing.
//
// For any number of points, a panel shows only the range of values in each column of pixels, so
// that the size of the picture is bounded.

#define PLOT_SVG_COLUMNS 800

// Fields are for plot_svg.c.
struct plot_svg {
    struct out *out;
    size_t panels, panel; // panel: the number of the open one
    const char *axis, *name;
    uint64_t start, end;     // of the axis
    bool has_points, is_gap; // is_gap: a value is missing since the last point
    double low, high;
    struct {
        bool has_points, is_after_gap;
        double first, last, low, high;
        double end; // of the last value, in columns
    } columns[PLOT_SVG_COLUMNS];
};

// Begins a picture of `panels` panels, over `axis` from `start` to `end` (exclusive).
void plot_svg_begin(struct plot_svg *plot, struct out *out, size_t panels, const char *axis,
                    uint64_t start, uint64_t end);

// Begins a panel.
void plot_svg_panel(struct plot_svg *plot, const char *name);

// Adds a point; `x` must not decrease. A `y` that is not finite is missing.
void plot_svg_point(struct plot_svg *plot, uint64_t x, double y);

// Adds a place without a value.
void plot_svg_gap(struct plot_svg *plot);

// Ends a panel, with the texts of its lowest and its highest value.
void plot_svg_panel_end(struct plot_svg *plot, const char *low, const char *high);
void plot_svg_end(struct plot_svg *plot);

#endif
