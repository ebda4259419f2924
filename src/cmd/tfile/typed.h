// What the actions of a tracepoint collected, by the debugging information of the images: each
// expression, $args and $locals, as GDB's tdump evaluates them.
#ifndef TRAWL_CMD_TFILE_TYPED_H
#define TRAWL_CMD_TFILE_TYPED_H

#include "cmd/tfile/commands.h"
#include "elf/debug_values.h"

// All zero is one that has asked nothing yet. Fields are for typed.c.
struct typed {
    struct debug_info **of; // each image; NULL if it has none, or until one is asked
    const struct tfile_frame *frame;
    struct trace_command *command;
    char symbol[256]; // the last that was found, without the number of a local one
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

// Evaluates what the tracepoint at a location (NULL: it is unknown) collected for a frame.
// Nothing where the images have no debugging information. Registers and variables of trace state
// are left out where they are blocks of their own.
void typed_values(struct typed *typed, struct trace_command *command,
                  const struct tfile_frame *frame, const struct tfile_location *location,
                  const struct typed_sink *sink);

// Writes the function at a PC as C declares it. False: no image has it.
bool typed_signature(struct typed *typed, struct trace_command *command, uint64_t pc,
                     struct out *out);

#endif
