// The trace being browsed: an index, the text of its trace, and the names of its images.
#ifndef TRAWL_BROWSE_SOURCE_H
#define TRAWL_BROWSE_SOURCE_H

#include "browse/screen.h"
#include "browse/timeline.h"
#include "cli/progress.h"
#include "query/position.h"
#include "query/trace_lines.h"
#include "session/session.h"
#include "session/session_index.h"

// --- An index that grows -------------------------------------------------------------------------

// An index that grows while the user browses: it covers the part of the trace read so far, until it
// is complete.

struct growth {
    void *self;
    // What has happened since the last call; with `only_whole`, partial indexes are ignored. *fresh
    // is set for INDEX_HAS_GROWN and INDEX_IS_WHOLE.
    enum index_turn (*look)(void *self, bool only_whole, struct index_view *fresh);
    struct progress *progress; // of what builds the index; NULL: not known
    uint64_t total_bytes;      // of the trace
    bool is_cancelled;         // building it was cancelled, until this is unset
    bool wants_text;           // the trace continues where the index ends,
    bool goes_to_end;          // and its end is wanted
    // Of the current index: how much text it covers, and before which event everything is as in the
    // index of the whole trace.
    uint64_t text_bytes, known_events;
};

// Records what an index of the first bytes of the trace covers.
void growth_take(struct growth *growth, const struct index_view *indexed, uint64_t text_bytes);

// Writes the progress of the index into a status line.
void growth_put_status(const struct growth *growth, struct row *row);

// --- source.c ------------------------------------------------------------------------------------

#define BROWSE_NAME_BYTES 1024

// A row of a trace that is not text (browse/event_text.h).
struct event_text {
    bool is_made;
    uint64_t event;
    size_t length, part_count;
    struct text_part parts[8];
    char bytes[BROWSE_NAME_BYTES + 256];
};

struct browse_source {
    struct session *session;
    const char *file; // as given by the user
    const struct trace *trace;
    struct trace_lines lines; // of the whole trace
    const struct index_view *indexed;
    struct names *names;
    struct reading_options how;
    uint64_t load_offset; // READING_TTU
    uint32_t isa;         // for names of registers, of the whole trace
    enum browse_rows rows;
    uint64_t first_time; // of all lanes; if rows are not lines
    struct event_text text;
    struct growth *growth; // the index covers what was read so far; NULL: the whole trace
    bool has_tasks;        // session->tasks are those of the index
    bool has_failed;       // the index failed, and later answers are arbitrary
    struct error err;
    // The start of the last line requested.
    uint64_t found_event, found_line, found_position;
};

// The session must have a trace that is a file, and a view of its index; it must outlive the
// source.
void browse_source_open(struct browse_source *source, struct session *session);

// Call it when the session's view has become another index of the same events, or of more: forgets
// all of the previous index.
void browse_source_renew(struct browse_source *source);

// Call it when the mapped file of the index was written to: no more questions are possible.
void browse_source_lose(struct browse_source *source);

// How much of the text the index covers, and that text.
uint64_t browse_text_bytes(const struct browse_source *source);
struct trace_lines browse_lines(const struct browse_source *source);

// An event of the trace; TRAWL_START: all zero but its number and a PC of 2.
void browse_event(struct browse_source *source, uint64_t event, struct trawl_event *about);

// Line `line`, from 0, of an event, without its line end.
struct text_span browse_line(struct browse_source *source, uint64_t event, uint64_t line);

// The PC after an event: that of the next one of its lane; for a snapshot, its own. False: nothing
// follows, or it is unknown.
bool browse_next_pc(struct browse_source *source, uint64_t event, uint64_t *pc);

// Whether an event is the exit of a function.
bool browse_is_exit(const struct trawl_event *about);

// The next row of a lane (TRAWL_ANY_LANE: of any) with a PC, or that enters the function of an id,
// after *event or before it. False: there is none.
bool browse_next_row_of(struct browse_source *source, uint64_t lane, uint64_t pc, bool is_forward,
                        uint64_t *event);

// The instruction set (TRAWL_ISA) for names of registers after an event.
uint32_t browse_isa(struct browse_source *source, uint64_t event);

// "main+0x10" or ".rodata+0x16" (READING_TTU: "main + 0x10"). False: nothing names the address, and
// the text is the address.
bool browse_address_name(struct browse_source *source, uint64_t address,
                         char text[BROWSE_NAME_BYTES]);
// The same for a return address, which may be after the end of the calling function.
bool browse_return_name(struct browse_source *source, uint64_t address,
                        char text[BROWSE_NAME_BYTES]);
bool browse_has_image(const struct browse_source *source);

// Registers or memory after an event; known[i] is 1 if values[i] is known. If the event may still
// get lines, nothing is known yet.
void browse_registers(struct browse_source *source, uint64_t event, uint64_t offset, size_t size,
                      uint8_t *values, uint8_t *known);
void browse_memory(struct browse_source *source, uint64_t event, uint64_t address, size_t size,
                   uint8_t *values, uint8_t *known);

// Registers of the core of event `of`, after any event.
void browse_registers_beside(struct browse_source *source, uint64_t of, uint64_t event,
                             uint64_t offset, size_t size, uint8_t *values, uint8_t *known);

// The last event up to and including `event` that wrote; TRAWL_NONE: none did.
uint64_t browse_register_written(struct browse_source *source, uint64_t event, uint64_t offset,
                                 size_t size);
uint64_t browse_register_written_beside(struct browse_source *source, uint64_t of, uint64_t event,
                                        uint64_t offset, size_t size);
uint64_t browse_memory_written(struct browse_source *source, uint64_t event, uint64_t address,
                               uint64_t size);

// The register with a name in an instruction set. False: there is none.
bool browse_register_named(const struct browse_source *source, const char *name, size_t length,
                           uint32_t isa, struct trawl_register *found);

// What the task is called that runs next after an event; NULL: unknown, or its core shows no other.
const char *browse_task(struct browse_source *source, uint64_t event);

// Parses an expression with registers and symbols, or with numbers only. `text` must outlive it.
enum status browse_parse(struct browse_source *source, uint64_t event, bool with_names,
                         const char *text, struct expression *expression, struct error *err);

// The same for a condition: bare names of variables are their values (query/expression.h).
enum status browse_condition(struct browse_source *source, uint64_t event, const char *text,
                             struct expression *condition, struct error *err);

// Parses REGISTER, ADDR or ADDR:SIZE (query/position.h). `text` must outlive the location.
enum status browse_location(struct browse_source *source, uint64_t event, const char *text,
                            struct location *location, struct error *err);

// Its value after an event. False: it has none.
bool browse_evaluate(struct browse_source *source, const struct expression *expression,
                     uint64_t event, uint64_t *value);

// Records a failure of the index for browse_failed. STATUS_OK and STATUS_NOT_FOUND are not
// failures. Returns whether it is STATUS_OK.
bool browse_note(struct browse_source *source, enum status status, const struct error *err);
bool browse_note_trawl(struct browse_source *source, enum trawl_status status,
                       const struct trawl_error *err);

// The failure of the index. False: none.
bool browse_failed(const struct browse_source *source, struct error *err);

#endif
