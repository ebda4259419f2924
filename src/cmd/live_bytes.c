#include "cmd/live_bytes.h"
#include "report/look.h"

#include "report/out.h"

#include <inttypes.h>

enum { SVG_WIDTH = 900, SVG_HEIGHT = 300, SVG_EDGE = 40, SVG_STEPS = 800 };

static enum status put_csv(struct out *out, const struct check *check, struct error *err)
{
    const struct heap *heap = &check->heap;
    out_text(out, "event,time,bytes,blocks\n");
    for (size_t i = 0; i < heap->steps.count; i++) {
        const struct heap_step *step = &heap->steps.items[i];
        struct trawl_event about;
        enum status status = index_view_event(check->flow->view, step->event, &about, err);
        if (status != STATUS_OK)
            return status;
        out_format(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", step->event,
                   about.time, step->live_bytes, step->live_count);
    }
    return STATUS_OK;
}

// A polygon over the events of the run, with the most that was in use in each of its columns.
static void put_svg(struct out *out, const struct check *check)
{
    const struct heap *heap = &check->heap;
    const uint64_t events = u64_max(check->flow->view->info.events, 1);
    const uint64_t most = u64_max(heap->most_bytes, 1);
    uint64_t bytes = 0;
    size_t at = 0;
    out_format(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", SVG_WIDTH,
               SVG_HEIGHT);
    out_text(out, "<style>" LOOK_CSS
                  "text { fill: var(--front); font: 12px var(--sans) } path { fill: var(--accent) }"
                  "</style>\n");
    out_format(out,
               "<text x=\"%d\" y=\"20\">%" PRIu64 " bytes in use at most, at event:%" PRIu64
               "</text>\n<path d=\"M%d %d",
               SVG_EDGE, heap->most_bytes, heap->most_event, SVG_EDGE, SVG_HEIGHT - SVG_EDGE);
    for (uint64_t column = 0; column < SVG_STEPS; column++) {
        const uint64_t end =
            events / SVG_STEPS * (column + 1) + events % SVG_STEPS * (column + 1) / SVG_STEPS;
        uint64_t highest = bytes;
        for (; at < heap->steps.count && heap->steps.items[at].event < end; at++) {
            bytes = heap->steps.items[at].live_bytes;
            highest = u64_max(highest, bytes);
        }
        const double height = (double)highest / (double)most * (double)(SVG_HEIGHT - 2 * SVG_EDGE);
        out_format(out, "V%.1fh1", (double)(SVG_HEIGHT - SVG_EDGE) - height);
    }
    out_format(out,
               "V%dZ\"/>\n<text x=\"%d\" y=\"%d\">event:0</text>\n"
               "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">event:%" PRIu64 "</text>\n</svg>\n",
               SVG_HEIGHT - SVG_EDGE, SVG_EDGE, SVG_HEIGHT - SVG_EDGE / 2, SVG_EDGE + SVG_STEPS,
               SVG_HEIGHT - SVG_EDGE / 2, events - 1);
}

enum status live_bytes_write(const char *path, const struct check *check, struct error *err)
{
    struct out out;
    const size_t length = strlen(path);
    enum status status = out_open(&out, path, err);
    if (status != STATUS_OK)
        return status;
    if (length >= 4 && strcmp(path + length - 4, ".svg") == 0)
        put_svg(&out, check);
    else
        status = put_csv(&out, check, err);
    if (status == STATUS_OK)
        return out_close(&out, err);
    out_abandon(&out);
    return status;
}
