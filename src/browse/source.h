// What is browsed: an index, the text of its trace, and the names of its images.
#ifndef TRAWL_BROWSE_SOURCE_H
#define TRAWL_BROWSE_SOURCE_H

#include "analysis/position.h"
#include "analysis/trace_lines.h"
#include "browse/growth.h"
#include "browse/rows.h"
#include "browse/timeline.h"
#include "session/session.h"

#define BROWSE_NAME_BYTES 1024

// A row of a trace that is no text (browse/event_text.h).
struct event_text {
    bool is_made;
    uint64_t event;
    size_t length, part_count;
    struct text_part parts[8];
    char bytes[BROWSE_NAME_BYTES + 256];
};

struct browse_source {
    struct session *session;
    const char *file; // as it was given
    const struct trace *trace;
    struct trace_lines lines; // of all of the trace
    const struct index_view *indexed;
    struct names *names;
    struct reading_options how;
    uint64_t load_offset; // READING_TTU
    bool uses_aarch64;
    enum browse_rows rows;
    uint64_t first_time; // of all lanes; of rows that are no lines
    struct event_text text;
    struct growth *growth; // the index is of what was read so far; NULL: of the whole trace
    bool has_failed;       // the index did; what was answered since is made up
    struct error err;
    // Where the line that was asked for last begins.
    uint64_t found_event, found_line, found_position;
};

// The session has a trace that is a file, and a view of its index; it must outlive the source.
void browse_source_open(struct browse_source *source, struct session *session);

// The session's view is of another index of the same events, or of more of them, since: nothing is
// kept of the one before.
void browse_source_renew(struct browse_source *source);

// The file of the index was written to where it is mapped: nothing can be asked any more.
void browse_source_lose(struct browse_source *source);

// How much of the text the index is of, and that text.
uint64_t browse_text_bytes(const struct browse_source *source);
struct trace_lines browse_lines(const struct browse_source *source);

// An event of the trace; TRAWL_START: all zero but its number and a PC of 2.
void browse_event(struct browse_source *source, uint64_t event, struct trawl_event *about);

// Line `line`, from 0, of an event, without its line end.
struct text_span browse_line(struct browse_source *source, uint64_t event, uint64_t line);

// The PC that an event leaves: that of the next one of its lane, or where it is a snapshot its own.
// False: nothing follows, or it is not known.
bool browse_next_pc(struct browse_source *source, uint64_t event, uint64_t *pc);

// Whether an event is the exit of a function.
bool browse_is_exit(const struct trawl_event *about);

// The next row that tells of a PC, or enters the function that it is, after *event or before it.
// False: there is none.
bool browse_next_row_of(struct browse_source *source, uint64_t pc, bool is_forward,
                        uint64_t *event);

// Whether instructions are of AArch64 after an event.
bool browse_is_aarch64(struct browse_source *source, uint64_t event);

// "main + 0x10". False: no symbol names the address, and the text is that itself.
bool browse_address_name(struct browse_source *source, uint64_t address,
                         char text[BROWSE_NAME_BYTES]);
// The same of where a call returns to, which may lie after the end of the function that called.
bool browse_return_name(struct browse_source *source, uint64_t address,
                        char text[BROWSE_NAME_BYTES]);
bool browse_has_image(const struct browse_source *source);

// Registers after an event, and what memory holds there; known[i] is 1 where values[i] is. Where
// more lines may come of the event, nothing is known yet.
void browse_registers(struct browse_source *source, uint64_t event, uint64_t offset, size_t size,
                      uint8_t *values, uint8_t *known);
void browse_memory(struct browse_source *source, uint64_t event, uint64_t address, size_t size,
                   uint8_t *values, uint8_t *known);

// The same registers of the core that `of` is an event of, after any event.
void browse_registers_beside(struct browse_source *source, uint64_t of, uint64_t event,
                             uint64_t offset, size_t size, uint8_t *values, uint8_t *known);

// The last event up to and including `event` that wrote; TRAWL_NONE: none did.
uint64_t browse_register_written(struct browse_source *source, uint64_t event, uint64_t offset,
                                 size_t size);
uint64_t browse_register_written_beside(struct browse_source *source, uint64_t of, uint64_t event,
                                        uint64_t offset, size_t size);
uint64_t browse_memory_written(struct browse_source *source, uint64_t event, uint64_t address,
                               uint64_t size);

// The register of a name in AArch64 or AArch32. False: there is none.
bool browse_register_named(const struct browse_source *source, const char *name, size_t length,
                           bool aarch64, struct trawl_register *found);

// Parses an expression with registers and symbols, or with numbers alone. `text` must outlive it.
enum status browse_parse(struct browse_source *source, uint64_t event, bool with_names,
                         const char *text, struct expression *expression, struct error *err);

// Parses REGISTER, ADDR or ADDR:SIZE (analysis/position.h). `text` must outlive the location.
enum status browse_location(struct browse_source *source, uint64_t event, const char *text,
                            struct location *location, struct error *err);

// Its value after an event. False: it has none.
bool browse_evaluate(struct browse_source *source, const struct expression *expression,
                     uint64_t event, uint64_t *value);

// Notes for browse_failed that the index could not be asked something. STATUS_OK and
// STATUS_NOT_FOUND are answers. Returns whether it is STATUS_OK.
bool browse_note(struct browse_source *source, enum status status, const struct error *err);
bool browse_note_trawl(struct browse_source *source, enum trawl_status status,
                       const struct trawl_error *err);

// What the index failed with. False: it did not.
bool browse_failed(const struct browse_source *source, struct error *err);

#endif
