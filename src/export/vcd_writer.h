// A trace as a Value Change Dump: the changes of each segment as text, formatted in parallel and
// written in order.
//
// Needs a first pass for the header and for the queue of functions: which cores there are, whether
// they execute AArch64, and which calls return.
//
// The trace is read twice, because a header with the variables precedes all values; an index could
// save the first reading, but not the second. Both take a third of the time, formatting and the
// kernel's writing a fifth each: a VCD is 2.5 times as large as its trace, so on a disk that is the
// limit (bench/RESULTS.md, VCD).
#ifndef TRAWL_EXPORT_VCD_WRITER_H
#define TRAWL_EXPORT_VCD_WRITER_H

#include "flow/call_list.h"
#include "flow/pass.h"
#include "names/names.h"
#include "report/out.h"

// Events in a segment: few enough that its text stays in the cache until it is written.
#define VCD_SEGMENT_EVENTS 2048

struct register_table;

struct vcd_options {
    struct reading_options how;
    bool by_trace_times; // times are those of the trace; otherwise events are counted
    bool with_date;
    struct call_range range; // what is shown
    uint32_t segment_events;
    const struct source *source;            // of the second pass; mapped
    const struct register_table *registers; // of the trace; NULL: none
    const struct register_names *named;     // those of the first pass that are shown; NULL: none
    // READING_TTU with by_trace_times: called for each event at the time of the previous one.
    void (*time_stands_still)(uint64_t time);
};

struct vcd_writer;

// A writer to `out`, which is open; names are looked up while the segments pass, one at a time.
// NULL: no memory. All arguments must outlive the writer.
struct vcd_writer *vcd_writer_new(const struct vcd_options *options, struct names *names,
                                  struct out *out);
void vcd_writer_free(struct vcd_writer *writer);

// Adds the next lane of the first pass. If `root` is not NULL, the functions of the calls on `list`
// are shown from there to the end. False: no memory.
bool vcd_writer_add_lane(struct vcd_writer *writer, const struct lane_result *lane,
                         const struct node_ref *root, struct call_list *list);

// Writes the header, after all lanes were added.
void vcd_writer_begin(struct vcd_writer *writer);

// The consumer for the segments of the second pass. STATUS_LIMIT: the reference cannot show this
// trace; the message is the reference's.
struct segment_consumer vcd_writer_consumer(struct vcd_writer *writer);

// Whether any event was shown.
bool vcd_writer_has_shown(const struct vcd_writer *writer);

// Writes the end of the file.
void vcd_writer_end(struct vcd_writer *writer);

#endif
