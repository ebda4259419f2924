// Calls as a file of speedscope: an "evented" profile for each lane, over one table of functions.
// https://www.speedscope.app/file-format-schema.json
//
// Times count from the first of all lanes: microseconds, or ticks if the duration of a tick is
// unknown.
#ifndef TRAWL_EXPORT_SPEEDSCOPE_H
#define TRAWL_EXPORT_SPEEDSCOPE_H

#include "base/vec.h"
#include "export/event_time.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "names/names.h"
#include "names/source_lines.h"
#include "report/json.h"

// Fields are private.
struct speedscope {
    struct json json;
    struct names *names;
    struct source_lines *places;
    const char *title;  // of the whole file
    uint64_t hz, start; // ticks per second, 0: unknown; the time that counts as 0
    struct name_ids ids;
    VEC(, uint32_t) open; // functions of the open calls of the lane
    bool is_begun, is_in_lane, has_event;
    uint64_t first, last; // times of the lane
    bool lacks_memory;    // it stopped for that, if not because of the output
};

// Prepares a file on `out`; nothing is written yet. `title`, `names`, `places` (where functions
// begin) and `out` must outlive it.
void speedscope_init(struct speedscope *speedscope, struct out *out, struct names *names,
                     struct source_lines *places, const char *title);

// The receiver of calls. `speedscope` must not move.
struct call_sink speedscope_sink(struct speedscope *speedscope);

// Ends the file, if it was begun, and frees everything.
void speedscope_end(struct speedscope *speedscope);

#endif
