#include "cmd/instruction_counts.h"

#include "analysis/coverage_counter.h"
#include "cmd/trace_pass.h"

static bool add_lanes(const struct trace_command *command, const struct coverage_counter *counter,
                      struct pc_counts *counts)
{
    for (size_t i = 0; i < counter->lanes.count; i++) {
        const char *lane = command->session.result.lanes[i].name;
        if (filter_takes_lane(&command->session.filter, lane) &&
            !coverage_counter_add_lane(counter, i, counts))
            return false;
    }
    return true;
}

bool instruction_counts_add(struct trace_command *command, struct pc_counts *counts,
                            enum exit_status *status)
{
    struct coverage_counter counter = {.range = command->session.filter.range};
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL;
    request.options.segments = coverage_counter_consumer(&counter);
    bool is_counted = trace_command_request(command, &request, status);
    if (is_counted && !add_lanes(command, &counter, counts)) {
        *status = trace_command_no_memory(command);
        is_counted = false;
    }
    coverage_counter_free(&counter);
    return is_counted;
}
