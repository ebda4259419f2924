#include "cmd/instruction_counts.h"

#include "cmd/trace_pass.h"

static bool add_lanes(const struct trace_command *command, struct pc_counts *counts)
{
    const struct pass_result *result = &command->session.result;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (filter_takes_lane(&command->session.filter, result->lanes[i].name) &&
            !pc_counts_add_all(counts, &result->lanes[i].pcs))
            return false;
    }
    return true;
}

bool instruction_counts_add(struct trace_command *command, struct pc_counts *counts,
                            enum exit_status *status)
{
    const struct call_range range = command->session.filter.range;
    struct pass_request request = session_calls(&command->session, NULL, NULL);
    request.options.range = CALL_RANGE_ALL; // of calls
    request.options.counted = &range;
    bool is_counted = trace_command_request(command, &request, status);
    if (is_counted && !add_lanes(command, counts)) {
        *status = trace_command_no_memory(command);
        is_counted = false;
    }
    return is_counted;
}
