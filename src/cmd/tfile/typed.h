// What the actions of a tracepoint collected, evaluated with the debugging information of the
// images like GDB's tdump: each expression, $args and $locals.
#ifndef TRAWL_CMD_TFILE_TYPED_H
#define TRAWL_CMD_TFILE_TYPED_H

#include "cmd/tfile/commands.h"
#include "dwarf/debug_values.h"

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

// Writes the declaration in C of the function at a PC. False: it is in no image.
bool typed_signature(struct typed *typed, struct command *command, uint64_t pc, struct out *out);

#endif
