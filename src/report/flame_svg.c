// Draws the title, the boxes with the root at the bottom, notes about what is left out, and a line
// in which the script describes the frame under the pointer. Widths are calculated for a page of
// 1200 pixels; the script lays the boxes out again for the window.

#include "report/flame_svg.h"
#include "base/embed.h"
#include "base/limits.h"
#include "report/look.h"

#include <inttypes.h>
#include <stdio.h>

#ifdef __has_embed

// clang-format off
const char flame_svg_css[] = {
#embed "flame_svg.css" suffix(, 0)
};

const char flame_svg_js[] = {
#embed "flame_svg.js" suffix(, 0)
};
// clang-format on

#else

EMBED(flame_svg_css, "report/flame_svg.css");
EMBED(flame_svg_js, "report/flame_svg.js");

#endif

#define PAGE_WIDTH 1200
#define PAGE_SIDE 12
#define PAGE_INNER (PAGE_WIDTH - 2 * PAGE_SIDE)
#define HEAD_HEIGHT 66
#define ROW_HEIGHT 19
#define BOX_HEIGHT 18
#define NOTE_HEIGHT 19
#define FOOT_HEIGHT 34

// The root divided by this is 0.3 pixels wide.
#define FINEST_BOX (PAGE_INNER * 10 / 3)

// Neighbours of at least this width are separated by a gap, which would hide narrower ones.
#define GAP_FROM_HUNDREDTHS 300
#define GAP_HUNDREDTHS 80

// A generous guess at the width of a character of 12 pixels in any monospaced font.
#define CHARACTER_HUNDREDTHS 730
#define LABEL_MARGIN_HUNDREDTHS 800
#define LABEL_COLUMNS_MIN 3

#define TITLE_COLUMNS_MAX 72
#define TRACE_COLUMNS_MAX 60

struct flame_picture {
    struct out *out;
    const struct flame_graph *graph;
    struct flame_layout layout;
    struct flame_hidden hidden;
    unsigned note_count;
};

// Text

static void write_number(struct out *out, uint64_t value)
{
    if (value < 1000) {
        out_u64(out, value);
        return;
    }
    write_number(out, value / 1000);
    char group[4] = {',', (char)('0' + value / 100 % 10), (char)('0' + value / 10 % 10),
                     (char)('0' + value % 10)};
    out_bytes(out, group, sizeof group);
}

static void write_name(struct out *out, const struct flame_frame *frame, size_t columns)
{
    char address[24];
    snprintf(address, sizeof address, "0x%" PRIx64, frame->address);
    flame_text_write(out, frame->name ? frame->name : address, columns);
}

static void write_share(struct out *out, uint64_t part, uint64_t whole)
{
    out_percent(out, part, whole, 2);
    out_text(out, " %");
}

// Boxes

static uint64_t hundredths_of(const struct flame_layout *layout, uint64_t amount)
{
    if (!layout->total)
        return PAGE_INNER * 100;
    return (uint64_t)((unsigned __int128)amount * (PAGE_INNER * 100) / layout->total);
}

static void write_pixels(struct out *out, const char *attribute, uint64_t hundredths)
{
    out_byte(out, ' ');
    out_text(out, attribute);
    out_text(out, "=\"");
    out_ratio(out, hundredths, 100, 2);
    out_byte(out, '"');
}

static void write_integer(struct out *out, const char *attribute, uint64_t value)
{
    out_byte(out, ' ');
    out_text(out, attribute);
    out_text(out, "=\"");
    out_u64(out, value);
    out_byte(out, '"');
}

// The figures of a frame in the earlier run; NULL: the graph does not compare.
static const struct flame_before *before_of(const struct flame_picture *picture,
                                            const struct flame_frame *frame)
{
    const struct flame_graph *graph = picture->graph;
    return graph->before ? graph->before + (frame - graph->frames) : NULL;
}

// The time of a frame, of the later of two runs.
static uint64_t total_of(const struct flame_picture *picture, const struct flame_frame *frame)
{
    const struct flame_before *before = before_of(picture, frame);
    return before ? before->later_total : frame->total;
}

// Writes what hovering shows. The script also reads the name and the figures from it.
static void write_box_title(struct flame_picture *picture, const struct flame_frame *frame)
{
    struct out *out = picture->out;
    const struct flame_before *before = before_of(picture, frame);
    uint64_t all = total_of(picture, picture->graph->frames);
    out_text(out, "<title>");
    write_name(out, frame, LIMIT_FLAME_NAME_COLUMNS);
    out_text(out, "\ntotal ");
    write_number(out, total_of(picture, frame));
    out_byte(out, ' ');
    flame_text_write(out, picture->graph->unit, LIMIT_FLAME_NAME_COLUMNS);
    out_text(out, ", ");
    write_share(out, total_of(picture, frame), all);
    out_text(out, "\nself ");
    write_number(out, frame->self);
    out_byte(out, ' ');
    flame_text_write(out, picture->graph->unit, LIMIT_FLAME_NAME_COLUMNS);
    out_text(out, ", ");
    write_share(out, frame->self, all);
    if (before) {
        out_text(out, "\nbefore: total ");
        write_number(out, before->total);
        out_text(out, ", self ");
        write_number(out, before->self);
    }
    if (frame->count) {
        out_byte(out, '\n');
        write_number(out, frame->count);
        out_text(out, frame->count == 1 ? " call" : " calls");
    }
    if (frame->address && frame->name) {
        out_text(out, "\nat 0x");
        out_hex(out, frame->address, 0);
    }
    out_text(out, "</title>");
}

static void write_box(struct flame_picture *picture, const struct flame_box *box)
{
    struct out *out = picture->out;
    const struct flame_frame *frame = &picture->graph->frames[box->frame];
    uint64_t left = hundredths_of(&picture->layout, box->start);
    uint64_t width = hundredths_of(&picture->layout, box->width);
    uint64_t level = picture->layout.level_count - 1 - frame->depth;
    uint64_t top = HEAD_HEIGHT + level * ROW_HEIGHT;

    out_text(out, "<g class=\"f ");
    // Writes the class that sets the colour of a frame.
    const struct flame_before *before = before_of(picture, frame);
    char change[FLAME_CHANGE_BYTES];
    if (before) {
        flame_change_class(change, before->self, frame->self, picture->graph->change_most);
        out_text(out, change);
    } else if (frame->name && (frame->depth || frame->address)) { // not a heading
        out_byte(out, 'c');
        out_u64(out, flame_colour_of(frame->name));
    } else {
        out_byte(out, 'p');
    }
    out_byte(out, '"');
    write_integer(out, "data-d", frame->depth);
    write_integer(out, "data-s", box->start);
    write_integer(out, "data-w", box->width);
    out_byte(out, '>');
    write_box_title(picture, frame);

    out_text(out, "<rect");
    write_pixels(out, "x", PAGE_SIDE * 100 + left);
    write_integer(out, "y", top);
    write_pixels(out, "width", width >= GAP_FROM_HUNDREDTHS ? width - GAP_HUNDREDTHS : width);
    write_integer(out, "height", BOX_HEIGHT);
    out_text(out, " rx=\"2\"/>");

    uint64_t columns = width > LABEL_MARGIN_HUNDREDTHS
                           ? (width - LABEL_MARGIN_HUNDREDTHS) / CHARACTER_HUNDREDTHS
                           : 0;
    if (columns >= LABEL_COLUMNS_MIN) {
        out_text(out, "<text");
        write_pixels(out, "x", PAGE_SIDE * 100 + left + LABEL_MARGIN_HUNDREDTHS / 2);
        write_integer(out, "y", top + 13);
        out_byte(out, '>');
        write_name(out, frame, columns);
        out_text(out, "</text>");
    }
    out_text(out, "</g>\n");
}

// Around the boxes

static uint64_t boxes_end(const struct flame_picture *picture)
{
    return HEAD_HEIGHT + (uint64_t)picture->layout.level_count * ROW_HEIGHT;
}

static uint64_t page_height(const struct flame_picture *picture)
{
    return boxes_end(picture) + picture->note_count * NOTE_HEIGHT + FOOT_HEIGHT;
}

static void write_head(struct flame_picture *picture)
{
    struct out *out = picture->out;
    out_text(out, "<g id=\"head\"><rect class=\"page\" width=\"100%\"");
    write_integer(out, "height", HEAD_HEIGHT - 6);
    out_text(out, "/><text class=\"title\"");
    write_integer(out, "x", PAGE_SIDE);
    out_text(out, " y=\"28\">");
    flame_text_write(out, picture->graph->title, TITLE_COLUMNS_MAX);
    out_text(out, "</text><text class=\"sub\"");
    write_integer(out, "x", PAGE_SIDE);
    out_text(out, " y=\"49\">");
    if (picture->graph->before) {
        flame_text_write(out, picture->graph->before_name, TRACE_COLUMNS_MAX / 2);
        out_text(out, " \xc2\xb7 ");
        write_number(out, picture->graph->before[0].total);
        out_text(out, " \xe2\x86\x92 ");
    }
    flame_text_write(out, picture->graph->trace_name,
                     picture->graph->before ? TRACE_COLUMNS_MAX / 2 : TRACE_COLUMNS_MAX);
    out_text(out, " \xc2\xb7 ");
    write_number(out, total_of(picture, picture->graph->frames));
    out_byte(out, ' ');
    flame_text_write(out, picture->graph->unit, LIMIT_FLAME_NAME_COLUMNS);
    out_text(out, "</text></g>\n");
}

// "12 frames, 0.03 % of all, "
static void write_left_out(struct flame_picture *picture, const struct flame_left_out *left_out)
{
    struct out *out = picture->out;
    write_number(out, left_out->frame_count);
    out_text(out, left_out->frame_count == 1 ? " frame, " : " frames, ");
    write_share(out, left_out->total, picture->layout.total);
    out_text(out, " of all, ");
}

// Begins a line below the boxes. To notes of class "more", the script adds that zooming shows more.
static void begin_note(struct flame_picture *picture, const char *class, const char *text)
{
    struct out *out = picture->out;
    out_text(out, "<text class=\"");
    out_text(out, class);
    out_byte(out, '"');
    write_integer(out, "x", PAGE_SIDE);
    write_integer(out, "y",
                  boxes_end(picture) + (uint64_t)picture->note_count++ * NOTE_HEIGHT + 17);
    out_byte(out, '>');
    out_text(out, text);
}

static void write_bounds(struct flame_picture *picture, const char *class, const char *text,
                         const struct flame_bounds *bounds)
{
    struct out *out = picture->out;
    if (bounds->narrow.frame_count) {
        begin_note(picture, class, text);
        write_left_out(picture, &bounds->narrow);
        if (bounds->width_min == 1) {
            out_text(out, "which have no width");
        } else {
            out_text(out, "each narrower than ");
            out_percent(out, bounds->width_min, picture->layout.total, 4);
            out_text(out, " %");
        }
        out_text(out, ".</text>\n");
    }
    if (bounds->deep.frame_count) {
        begin_note(picture, class, text);
        write_left_out(picture, &bounds->deep);
        out_text(out, "deeper than ");
        out_u64(out, bounds->levels_max);
        out_text(out, " levels.</text>\n");
    }
}

static unsigned note_count_of(const struct flame_bounds *bounds)
{
    return !!bounds->narrow.frame_count + !!bounds->deep.frame_count;
}

static void write_notes(struct flame_picture *picture)
{
    const struct flame_layout *layout = &picture->layout;
    const struct flame_graph *graph = picture->graph;
    const struct flame_absent *absent = &graph->absent;
    bool can_zoom = picture->hidden.box_count > 0;
    picture->note_count = 0;
    out_text(picture->out, "<g id=\"notes\">\n");
    if (absent->stacks) {
        bool is_later = graph->widths == FLAME_LATER;
        uint64_t all = is_later ? graph->before->total : graph->before->later_total;
        begin_note(picture, "note", absent->has_calls ? "Without time in the " : "Not in the ");
        out_text(picture->out, is_later ? "second run: " : "first run: ");
        write_number(picture->out, absent->stacks);
        out_text(picture->out, absent->stacks == 1 ? " stack, " : " stacks, ");
        write_number(picture->out, absent->ticks);
        out_byte(picture->out, ' ');
        flame_text_write(picture->out, graph->unit, LIMIT_FLAME_NAME_COLUMNS);
        out_text(picture->out, " (");
        write_share(picture->out, absent->ticks, all);
        out_text(picture->out, is_later ? " of the first)." : " of the second).");
        out_text(picture->out, " --widths sum draws them.</text>\n");
    }
    write_bounds(picture, can_zoom ? "note more" : "note", "Not drawn: ", &layout->drawn);
    if (can_zoom)
        write_bounds(picture, "note", "Not drawn even when zoomed: ", &layout->known);
    out_text(picture->out, "</g>\n");
}

static void write_picture(struct flame_picture *picture)
{
    struct out *out = picture->out;
    out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    write_integer(out, "width", PAGE_WIDTH);
    write_integer(out, "height", page_height(picture));
    out_text(out, " viewBox=\"0 0 ");
    out_u64(out, PAGE_WIDTH);
    out_byte(out, ' ');
    out_u64(out, page_height(picture));
    out_text(out, "\">\n<title>");
    flame_text_write(out, picture->graph->title, LIMIT_FLAME_NAME_COLUMNS);
    out_text(out, "</title>\n<style><![CDATA[\n");
    out_text(out, LOOK_CSS);
    out_text(out, flame_svg_css);
    out_text(out, picture->graph->before ? flame_change_css : "");
    out_text(out, "]]></style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    out_text(out, "<g id=\"frames\">\n");
    for (size_t i = 0; i < picture->layout.box_count; i++) {
        const struct flame_box *box = &picture->layout.boxes[i];
        if (flame_is_drawn(&picture->layout, picture->graph->frames, box))
            write_box(picture, box);
    }
    out_text(out, "</g>\n");
    flame_hidden_write(&picture->hidden, out, picture->graph->unit);
    write_notes(picture);
    uint64_t top = page_height(picture) - FOOT_HEIGHT;
    out_text(out, "<g id=\"foot\"><rect class=\"page\"");
    write_integer(out, "y", top + 4);
    out_text(out, " width=\"100%\"");
    write_integer(out, "height", FOOT_HEIGHT - 4);
    out_text(out, "/><text class=\"details\" id=\"details\"");
    write_integer(out, "x", PAGE_SIDE);
    write_integer(out, "y", top + 23);
    out_text(out, ">Width: share of ");
    flame_text_write(out, picture->graph->unit, LIMIT_FLAME_NAME_COLUMNS);
    if (picture->graph->before) {
        static const char *const runs[] = {" of the second run", " of the first run",
                                           " of both runs"};
        out_text(out, runs[picture->graph->widths]);
        out_text(out, ", callees included. Color: red has more self time in the second than in "
                      "the first, blue less.</text></g>\n");
    } else {
        out_text(out, ", callees included. Color: by name; gray: no symbol.</text></g>\n");
    }
    write_head(picture);
    out_text(out, "<script><![CDATA[\n");
    out_text(out, flame_svg_js);
    out_text(out, "]]></script>\n</svg>\n");
}

enum status flame_svg_write(struct out *out, const struct flame_graph *graph, struct error *err)
{
    struct flame_picture picture = {.out = out, .graph = graph};
    enum status status =
        flame_layout_make(&picture.layout, graph->frames, graph->frame_count, FINEST_BOX, err);
    if (status != STATUS_OK)
        return status;
    status = flame_hidden_make(&picture.hidden, &picture.layout, graph->frames, err);
    picture.hidden.before = graph->before;
    picture.hidden.change_most = graph->change_most;
    picture.note_count = !!graph->absent.stacks + note_count_of(&picture.layout.drawn);
    if (picture.hidden.box_count)
        picture.note_count += note_count_of(&picture.layout.known);
    if (status == STATUS_OK)
        write_picture(&picture);
    flame_hidden_free(&picture.hidden);
    flame_layout_free(&picture.layout);
    return status;
}
