// The formats of `xray convert`, one file each.
#ifndef TRAWL_CMD_XRAY_CONVERT_H
#define TRAWL_CMD_XRAY_CONVERT_H

#include "cmd/xray/command.h"
#include "trace/xray/merge.h"

// Each writes all of a merge. False: no memory.
bool xray_write_yaml(struct xray_input *input, struct xray_merge *merge, struct out *out);
bool xray_write_raw(struct xray_input *input, struct xray_merge *merge, struct out *out);

struct xray_trace_events {
    struct xray_input *input;
    bool is_sorted;                 // else thread after thread
    unsigned threads;               // to work with
    const struct xray_hider *hider; // NULL: nothing is left out
    // What was found.
    uint64_t hidden_calls;
    struct xray_exits exits;
    struct trace_damage damage;
};

// Writes all of a log. False: no memory.
bool xray_write_trace_events(struct xray_trace_events *events, struct out *out);

// A text of YAML, in such quotes as it needs.
void xray_put_yaml(struct out *out, const char *text, size_t length);

// What llvm-xray calls a function in these formats: its name, or just the id where the map, if
// there is one, does not have it. Valid until the next call.
const char *xray_convert_name(struct xray_input *input, uint32_t function);

#endif
