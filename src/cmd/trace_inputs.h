// The traces that a command accepts, as its help describes them.
#ifndef TRAWL_CMD_TRACE_INPUTS_H
#define TRAWL_CMD_TRACE_INPUTS_H

#include "cli/options.h"

// For command_spec.describe_input, with `needs` of enum trace_ability: lists all kinds of traces
// with these abilities, so that the help cannot be wrong.
void trace_inputs_describe(const struct command_spec *spec, char text[OPTION_INPUT_BYTES]);

#endif
