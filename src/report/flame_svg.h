// Writes a flame graph as one self-contained SVG file. Without scripts it is a complete picture;
// with scripts it can be zoomed and searched.
#ifndef TRAWL_REPORT_FLAME_SVG_H
#define TRAWL_REPORT_FLAME_SVG_H

#include "base/base.h"
#include "base/error.h"
#include "report/out.h"

// --- flame_layout.c ------------------------------------------------------------------------------

// Decides the place of each frame of a flame graph, and whether it is drawn when the graph is
// opened, only when it is zoomed, or never. Independent of how it is drawn.

struct flame_frame {
    const char *name;     // NULL: shown as its address, in grey
    uint32_t depth;       // 0 only for the root; at most one more than that of the previous frame
    uint64_t self, total; // `total` is the width
    uint64_t count;       // of calls; 0 is not shown
    uint64_t address;     // 0 is not shown
};

// A frame and its place: it covers [start, start + width) of the root's [0, total).
struct flame_box {
    size_t frame; // index in the array of frames
    uint64_t start, width;
};

struct flame_left_out {
    size_t frame_count;
    uint64_t total; // of these frames; nested ones count once
};

// The bounds of a set of boxes, and what they leave out.
struct flame_bounds {
    uint64_t width_min;  // narrower frames are left out
    uint32_t levels_max; // frames of this depth and deeper are left out
    struct flame_left_out narrow, deep;
};

struct flame_layout {
    struct flame_box *boxes; // in preorder; the first is the root
    size_t box_count;
    uint64_t total;
    uint32_t level_count;             // levels with boxes that are drawn
    struct flame_bounds drawn, known; // `drawn`: when the graph is opened; `known`: all that have a
                                      // box
};

// Lays out `frames`, which are in preorder; only the first has depth 0. Children are placed next to
// each other from their parent's left edge, in the given order. If they claim more than their
// parent has, the last ones are cut.
//
// Frames narrower than 1 / `finest` of the root, and frames deeper than LIMIT_FLAME_LEVELS, are not
// drawn. If more than LIMIT_FLAME_DRAWN are left, either narrow or deep ones are removed, whichever
// leaves the larger area. Frames without width get no box. Likewise, more are left without a box to
// keep to LIMIT_FLAME_BOXES.
enum status flame_layout_make(struct flame_layout *layout, const struct flame_frame *frames,
                              size_t frame_count, uint64_t finest, struct error *err);

// Whether the frame of this box is drawn when the graph is opened.
bool flame_is_drawn(const struct flame_layout *layout, const struct flame_frame *frames,
                    const struct flame_box *box);

void flame_layout_free(struct flame_layout *layout);

// --- flame_text.c --------------------------------------------------------------------------------

// Names in a flame graph as text of an XML document, and the colours of boxes: by name, or, in a
// graph of two runs, by how much self time changed.

// Writes `text` for an XML document, for any bytes. Text of more than `columns` columns is cut and
// ends in an ellipsis.
void flame_text_write(struct out *out, const char *text, size_t columns);

// The number of the colour of a name, the same in every graph (FNV-1a).
unsigned flame_colour_of(const char *name);

// Colours of two runs: red for more self time than before, blue for less, stronger
// for larger changes.

// The figures of a frame in the earlier run.
struct flame_before {
    uint64_t self, total;
    uint64_t later_total; // of the same frame in the later run: the width may be that of another
};

// "r1" to "r6", "b1" to "b6", "n": the class of a box, and its NUL.
#define FLAME_CHANGE_BYTES 3

// `most` is the largest change of any frame.
void flame_change_class(char text[FLAME_CHANGE_BYTES], uint64_t before, uint64_t after,
                        uint64_t most);

// The fill colours of these classes.
extern const char *const flame_change_css;

// --- flame_svg.c ---------------------------------------------------------------------------------

// Of two runs, whose times are the widths.
enum flame_run { FLAME_LATER, FLAME_EARLIER, FLAME_BOTH };

struct flame_graph {
    const struct flame_frame *frames; // in preorder, the root first; at least one
    size_t frame_count;
    const char *title;
    const char *trace_name;
    const char *unit; // of self and total, in the plural: "ticks"
    // If the graph compares two runs: the earlier trace, the figures of each frame in it, and the
    // largest change of self time.
    const char *before_name;
    const struct flame_before *before; // NULL: it does not compare
    uint64_t change_most;
    enum flame_run widths;
    // What has no width because that run has no time there; no stacks: nothing.
    struct flame_absent {
        uint64_t stacks, ticks;
        bool has_calls; // some were called in that run, but took no time
    } absent;
};

// Writes the picture. The same graph always gives the same bytes. Fails only if there is no memory;
// out_close reports failed writes.
enum status flame_svg_write(struct out *out, const struct flame_graph *graph, struct error *err);

// --- flame_hidden.c ------------------------------------------------------------------------------

// The frames of a flame graph that are drawn only when it is zoomed, as data for its script: the
// text of an invisible element with the id "hidden".
//
//     <metadata id="hidden" data-unit="ticks" data-total="TICKS">
//                       data-total only if the graph compares two runs: the time of the later one
//     COLOUR NAME       each name, in order of its first use
//                       an empty line
//     +N                the next N boxes, in preorder, are drawn
//     DEPTH,NAME,START,WIDTH,TOTAL,SELF,COUNT,ADDRESS
//                       a box that is not drawn; if the graph compares two runs, followed by
//                       ,CLASS,TOTAL BEFORE,SELF BEFORE
//     </metadata>
//
// NAME is a number, counted from 0; empty for a frame that is shown as its address. START is
// relative to the start of the previous box, drawn or not. TOTAL is empty if it equals WIDTH; other
// fields are empty if they are 0. ADDRESS is hexadecimal, all others are decimal.

struct flame_hidden {
    const struct flame_layout *layout;
    const struct flame_frame *frames;
    const char **names;     // by their numbers
    uint32_t *name_numbers; // one for each box that is not drawn
    uint32_t name_count;
    size_t box_count;
    const struct flame_before *before; // as in the graph, set by the caller
    uint64_t change_most;
};

// Numbers the names of boxes that are not drawn. Names are distinguished by their addresses in
// memory.
enum status flame_hidden_make(struct flame_hidden *hidden, const struct flame_layout *layout,
                              const struct flame_frame *frames, struct error *err);

// Writes nothing if all boxes are drawn.
void flame_hidden_write(const struct flame_hidden *hidden, struct out *out, const char *unit);

void flame_hidden_free(struct flame_hidden *hidden);

// --- Files in the program ------------------------------------------------------------------------

// The style sheet and the script of a flame graph: the unchanged files flame_svg.css and
// flame_svg.js next to this file.

// Both end in a NUL.
extern const char flame_svg_css[], flame_svg_js[];

#endif
