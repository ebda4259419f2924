// Calls as a profile of the Firefox Profiler, in its processed format, version 61: stacks are a
// tree that all threads share, and the samples of a lane have its stack, time and duration
// ("tracing-ms"). Later versions of the viewer accept it, too.
//
// https://github.com/firefox-devtools/profiler, src/types/profile.ts and
// docs-developer/CHANGELOG-formats.md. Times are milliseconds since the first time of all lanes; a
// tick counts as a nanosecond if its duration is unknown. Stacks of no duration have no sample.
#ifndef TRAWL_EXPORT_FIREFOX_H
#define TRAWL_EXPORT_FIREFOX_H

#include "base/spool.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "names/source_lines.h"
#include "report/json.h"

// Fields are private.
struct firefox {
    struct json json;
    struct names *names;
    struct source_lines *places;
    const char *title;
    uint64_t hz, start;        // ticks per second, 0: unknown; the time that counts as 0
    uint64_t process;          // of the previous lane
    struct name_ids ids;       // of functions
    struct name_ids stacks;    // by the outer stack and the function
    VEC(, uint32_t) open;      // stacks of the lane's open calls
    uint64_t at;               // where the lane's samples end
    struct spool samples;      // of the lane, because columns are written one after the other
    VEC(, const char *) files; // files of functions
    bool is_begun, is_in_lane, has_event;
    bool lacks_memory; // it stopped for that, if not because of the output
};

// Prepares a file on `out`; nothing is written yet. `title`: what was traced. All arguments must
// outlive it.
void firefox_init(struct firefox *firefox, struct out *out, struct names *names,
                  struct source_lines *places, const char *title);

// The receiver of calls. `firefox` must not move.
struct call_sink firefox_sink(struct firefox *firefox);

// Ends the file, if it was begun, and frees everything.
void firefox_end(struct firefox *firefox);

#endif
