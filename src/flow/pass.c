#include "flow/pass.h"

#include <stdlib.h>

const char *pipeline_stage_name(enum pipeline_stage stage)
{
    static const char *const names[STAGE_COUNT] = {"split",  "parse", "stitch", "scan", "match",
                                                   "gather", "carry", "build",  "write"};
    return names[stage];
}

void pipeline_result_free(struct pipeline_result *result)
{
    for (size_t i = 0; i < result->lane_count; i++)
        visit_log_free(&result->lanes[i].visits);
    free(result->lanes);
    *result = (struct pipeline_result){0};
}
