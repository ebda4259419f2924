// Surveys of any bytes: each is refused, or can be packed again, and can be applied any number of
// times after any state. In fuzzing builds, the checksums of columns always fit.
//
// Input: the survey that a pass over a piece stores (trace/lines/survey.h).
#include "fuzz.h"

#include "trace/lines/survey.h"

#include <stdlib.h>

// As if the previous piece had ended with this state.
static void move(struct pass_entry *entry, const struct survey *survey)
{
    enum survey_obstacle obstacle = SURVEY_SERVES;
    entry->base.position = survey->position;
    entry->reader = survey->guess;
    enum status status = pass_entry_move(entry, survey, &obstacle);
    CLAIM((status == STATUS_NOT_FOUND) == (survey_obstacle_text(obstacle) != NULL));
}

static void pack_again(const struct survey *survey)
{
    struct bytes bytes = {0};
    struct survey again;
    CLAIM(survey_pack(survey, &bytes));
    CLAIM(survey_unpack(&again, bytes.items, bytes.count) == STATUS_OK);
    CLAIM(again.lanes.count == survey->lanes.count && again.event_count == survey->event_count);
    survey_free(&again);
    free(bytes.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct survey survey;
    struct pass_entry entry = {.events = 0};
    char *bytes = fuzz_copy(data, size_bytes);
    if (survey_unpack(&survey, (const uint8_t *)bytes, size_bytes) == STATUS_OK) {
        pack_again(&survey);
        move(&entry, &survey);
        move(&entry, &survey);
    }
    pass_entry_free(&entry);
    survey_free(&survey);
    free(bytes);
    return 0;
}
