// The formats of `xray convert`, one file each.
#ifndef TRAWL_CMD_XRAY_CONVERT_H
#define TRAWL_CMD_XRAY_CONVERT_H

#include "cmd/xray/command.h"
#include "cmd/xray/in_order.h"

// Each writes a complete merge. False: no memory.
bool xray_write_yaml(struct xray_input *input, struct xray_merge *merge, struct out *out);
bool xray_write_raw(struct xray_input *input, struct xray_merge *merge, struct out *out);

struct xray_trace_events {
    struct xray_input *input;
    bool is_sorted;                 // otherwise thread by thread
    unsigned threads;               // to work with
    const struct xray_hider *hider; // NULL: nothing is left out
    // What was found.
    uint64_t hidden_calls;
    struct xray_exits exits;
    struct trace_damage damage;
};

// Writes a complete log. False: no memory.
bool xray_write_trace_events(struct xray_trace_events *events, struct out *out);

// Writes a text in YAML, with the quotes that it needs.
void xray_put_yaml(struct out *out, const char *text, size_t length);

// llvm-xray's name of a function in these formats: its name, or only the id if there is no map, or
// it is not in the map. Valid until the next call.
const char *xray_convert_name(struct xray_input *input, uint32_t function);

#endif
