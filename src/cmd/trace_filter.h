// Filters that let nothing through. What was asked for is then not there: an error, told with what
// is there, and no output.
#ifndef TRAWL_CMD_TRACE_FILTER_H
#define TRAWL_CMD_TRACE_FILTER_H

#include "cmd/trace_command.h"

// Whether a report goes on that has shown, or is about to show, something or nothing: with filters,
// nothing is an error. False: told, *status is what to end with.
bool trace_filter_allows(struct trace_command *command, bool shows_something,
                         enum exit_status *status);

// The names that lanes of a trace have: as many as may help to find the right one.
struct lane_names {
    const char *kind; // what they are called: "core"
    size_t count;
    bool has_more;
    char names[64][LIMIT_LANE_NAME_BYTES + 1];
};

// Adds a name, unless it is there.
void lane_names_add(struct lane_names *names, const char *name);

// Those of the result of a pass.
void lane_names_of_result(struct lane_names *names, const struct trace_command *command);

// Says that no lane is called as --lane has it, and how they are called. Returns STATUS_NOT_FOUND.
enum status trace_filter_no_lane(const struct trace_command *command,
                                 const struct lane_names *names, struct error *err);

// What lies where filters look: its first and last time, and the number of its last event.
struct filter_extent {
    uint64_t first_time, last_time, last_event;
    bool has_times;
};

// Says that the range of --time and --events holds nothing. Returns STATUS_NOT_FOUND.
enum status trace_filter_no_range(const struct trace_command *command,
                                  const struct filter_extent *extent, struct error *err);

// Says that the filters let none of `count` frames through. Returns STATUS_NOT_FOUND.
enum status trace_filter_no_frame(struct trace_command *command, size_t count, struct error *err);

#endif
