#include "query/doubt_text.h"

#include "base/limits.h"
#include "query/file_place.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert(LIMIT_NAMED_REGISTER_BYTES == 64, "as the texts say");

// `what` takes the number and its plural; `effect` is for reports, `advice` for `trawl doctor`.
static const struct {
    const char *one, *many, *effect, *advice;
} doubt_texts[DOUBT_KINDS] = {
    [DOUBT_GAPS] = {"gap in the flow of instructions", "gaps in the flow of instructions",
                    "calls and times around them may be wrong",
                    "the previous instruction cannot lead there: check whether tracing was paused "
                    "or filtered; calls around it may be missing"},
    [DOUBT_TIMES_BACK] = {"step back in time", "steps back in time",
                          "events have the same time until the earlier time is reached again",
                          "check whether two runs were joined; events have the same time until the "
                          "earlier time is reached again"},
    [DOUBT_TIMES_MIXED] = {"time in a unit that cannot be converted to that of the trace",
                           "times in units that cannot be converted to that of the trace",
                           "their numbers are taken as they are",
                           "cycles and durations do not mix: check which program wrote the line"},
    [DOUBT_TIMES_FINER] = {"time in a finer unit than in the first lines",
                           "times in a finer unit than in the first lines",
                           "they are rounded down to the unit of the trace",
                           "configure the producer to use one unit"},
    [DOUBT_VALUES_LONG] = {"register value of more than 64 bytes",
                           "register values of more than 64 bytes", "they are not kept",
                           "registers have their earlier values, or none, after these lines"},
    [DOUBT_LOADS] = {"load that shows another value than memory had",
                     "loads that show another value than memory had",
                     "something else than the stores of the trace changed memory, which is shown "
                     "as the load showed it, and as unknown before",
                     "a device, another master, or a core or address space that the trace does not "
                     "tell apart changed memory: 'trawl writes' lists where"},
    [DOUBT_GUESSES] = {"call that rests on a guess", "calls that rest on a guess",
                       "marked so where calls are shown",
                       "nothing shows how control came there: give the image, and check whether "
                       "tracing was paused or filtered"},
    [DOUBT_MISPLACED] = {"place where code counts for another function than its own",
                         "places where code counts for another function than its own",
                         "self times of functions are not what their code took",
                         "images and the flow of control disagree: check whether the images are "
                         "those that ran"},
};

void doubt_describe(const struct trace *trace, enum doubt_kind kind, const struct doubt *doubt,
                    char text[DOUBT_TEXT_BYTES], const char **effect, const char **advice)
{
    char place[FILE_PLACE_BYTES];
    const char *file_line = trace ? file_place_of_line(trace, doubt->line, place) : NULL;
    const char *what = doubt->count == 1 ? doubt_texts[kind].one : doubt_texts[kind].many;
    int length = snprintf(text, DOUBT_TEXT_BYTES, "%" PRIu64 " %s%s", doubt->count, what,
                          doubt->count == 1 ? " in " : ", the first in ");
    if (file_line)
        snprintf(text + length, DOUBT_TEXT_BYTES - (size_t)length, "%s", file_line);
    else
        snprintf(text + length, DOUBT_TEXT_BYTES - (size_t)length, "line %" PRIu64, doubt->line);
    *effect = doubt_texts[kind].effect;
    *advice = doubt_texts[kind].advice;
}
