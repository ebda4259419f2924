// The lines of the YAML of llvm-xray, one for each call and event.
#ifndef TRAWL_CMD_XRAY_YAML_LINES_H
#define TRAWL_CMD_XRAY_YAML_LINES_H

#include "cmd/xray/convert.h"

struct line_head;
struct line_tail;

// Fields are private.
struct yaml_lines {
    struct xray_input *input;
    struct line_head *heads; // by the low bits of the function
    struct line_tail *tails; // of each thread, by kind
    struct out scratch;
};

// False: no memory. Ended by yaml_lines_end either way.
bool yaml_lines_begin(struct yaml_lines *lines, struct xray_input *input);
void yaml_lines_end(struct yaml_lines *lines);

// Writes the line of an item.
void yaml_lines_put(struct yaml_lines *lines, const struct xray_item *item, struct out *out);

#endif
