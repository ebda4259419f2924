#include "flow/pass.h"

#include <stdlib.h>

const char *pass_stage_name(enum pass_stage stage)
{
    static const char *const names[STAGE_COUNT] = {"split",  "parse", "stitch", "scan", "match",
                                                   "gather", "carry", "build",  "write"};
    return names[stage];
}

bool pass_result_has_events(const struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].nodes)
            return true;
    }
    return false;
}

// Lines that may not be understood for each that is, of a trace without instructions: so many that
// what is understood of it may well be chance.
#define UNKNOWN_LINES_MAX 100

bool pass_result_is_understood(const struct pass_result *result)
{
    uint64_t events = 0;
    for (size_t i = 0; i < result->lane_count; i++) {
        if (result->lanes[i].instructions)
            return true;
        events += result->lanes[i].events;
    }
    uint64_t unknown = result->unknown_events + result->damaged_lines;
    return events - result->unknown_events > unknown / UNKNOWN_LINES_MAX;
}

void pass_result_free(struct pass_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++)
        visit_log_free(&result->lanes[i].visits);
    free(result->lanes);
    *result = (struct pass_result){0};
}
