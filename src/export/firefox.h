// Calls as a profile of the Firefox Profiler, in its processed format, version 61: stacks are a
// tree that all threads share, and a lane's samples say which of them it was in from when, and for
// how long ("tracing-ms"). Later versions of the viewer take it, too.
//
// https://github.com/firefox-devtools/profiler, src/types/profile.ts and
// docs-developer/CHANGELOG-formats.md. Times are milliseconds from the first of all lanes; a tick
// is a nanosecond where the trace does not say how long it lasts. What lasts no time has no sample.
#ifndef TRAWL_EXPORT_FIREFOX_H
#define TRAWL_EXPORT_FIREFOX_H

#include "analysis/source_lines.h"
#include "base/spool.h"
#include "base/vec.h"
#include "export/name_ids.h"
#include "flow/call_sink.h"
#include "report/json.h"

// Fields are private.
struct firefox {
    struct json json;
    struct names *names;
    struct source_lines *places;
    const char *title;
    uint64_t hz, start;        // ticks per second, 0: unknown; the time that counts as 0
    uint64_t process;          // of the lane before
    struct name_ids ids;       // of functions
    struct name_ids stacks;    // by the stack around and the function
    VEC(, uint32_t) open;      // stacks of the lane's open calls
    uint64_t at;               // until where the lane has samples
    struct spool samples;      // of the lane, as their columns stand one after the other
    VEC(, const char *) files; // where functions are
    bool is_begun, is_in_lane, has_event;
    bool lacks_memory; // why it stopped, if not for the output
};

// A file on `out`, of which nothing is written yet. `title` is what was traced. All must outlive
// it.
void firefox_init(struct firefox *firefox, struct out *out, struct names *names,
                  struct source_lines *places, uint64_t hz, const char *title);

// For those who give calls. `firefox` must stay where it is.
struct call_sink firefox_sink(struct firefox *firefox);

// Ends the file, where it was begun, and frees everything.
void firefox_end(struct firefox *firefox);

#endif
