// profile --by line, --by inline: where the time of instructions was spent, by the source.
#ifndef TRAWL_CMD_PROFILE_PLACES_H
#define TRAWL_CMD_PROFILE_PLACES_H

#include "cmd/trace_command.h"
#include "query/place_profile.h"

enum profile_sort { SORT_SELF, SORT_TOTAL, SORT_COUNT, SORT_ADDRESS, SORT_NAME };

struct profile_places {
    enum place_kind kind;
    enum profile_sort sort;
    uint64_t top; // the most rows
};

// Checks the options before the trace is opened, and sets what the command needs. False: reported,
// end with parser->status.
bool profile_places_begin(const struct profile_places *wanted, struct trace_command *command,
                          struct options_parser *parser);

// Reports on the trace, which must be open (trace_command_open_images). Returns the status to end
// with.
enum exit_status profile_places(const struct profile_places *wanted, struct trace_command *command);

#endif
