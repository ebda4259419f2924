// The events of a trace, in a few bytes each, kept until calls are known and trees can be built.
//
// The events of a segment are packed by any thread, and added in order, with the roots of their
// versions.
#ifndef TRAWL_COMPAT_TTU_EVENT_LOG_H
#define TRAWL_COMPAT_TTU_EVENT_LOG_H

#include "base/spool.h"
#include "base/vec.h"
#include "flow/segment.h"

struct ttu_packed_events {
    VEC(, uint8_t) bytes;
};

struct ttu_event_log {
    struct spool rows, roots;
    uint64_t count, visit_count; // visits by instructions and exceptions
    uint32_t segment_events;     // in each segment except the last
    uint64_t last_root;
    bool lacks_memory;
};

// Starts an empty log.
void ttu_event_log_begin(struct ttu_event_log *log, uint32_t segment_events);

// False: no memory.
bool ttu_events_pack(struct ttu_packed_events *packed, const struct segment *segment);

// Adds the events of the next segment, then the root of each. Failures are recorded.
void ttu_event_log_add(struct ttu_event_log *log, const struct segment *segment,
                       const struct ttu_packed_events *packed);
void ttu_event_log_add_root(struct ttu_event_log *log, uint64_t root);

void ttu_event_log_free(struct ttu_event_log *log);

// An event read back.
struct ttu_event {
    uint64_t time, pc, position, line, root;
    bool has_instruction, has_exception;
};

// Reads the events in order. After all were added, there can be any number of readers.
struct ttu_event_reader {
    const struct ttu_event_log *log;
    const uint8_t *row, *root; // NULL: roots are not read
    uint64_t number;           // of the next event
    struct ttu_event event;    // the last one read
    uint64_t instruction_pc;   // of the last instruction
};

void ttu_event_reader_begin(struct ttu_event_reader *reader, const struct ttu_event_log *log,
                            bool wants_roots);

// False: there are no more.
bool ttu_event_reader_next(struct ttu_event_reader *reader);

#endif
