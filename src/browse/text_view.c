
#include "browse/browser.h"

#include <inttypes.h>

void text_view_open(struct text_view *view, const char *file, const struct trace *trace,
                    const struct trace_lines *lines, struct growth *growth)
{
    *view = (struct text_view){
        .file = file,
        .trace = trace,
        .lines = *lines,
        .growth = growth,
        .may_cancel = trace_can(trace, TRACE_CHUNKS),
        .width = 80,
        .height = 24,
    };
}

void text_view_resize(struct text_view *view, unsigned width, unsigned height)
{
    view->width = width;
    view->height = height;
}

// --- Lines ---------------------------------------------------------------------------------------

static uint64_t line_end(const struct text_view *view, uint64_t at)
{
    return trace_lines_end(&view->lines, at);
}

// The beginning of the line before the one that begins at `at`.
static uint64_t line_before(const struct text_view *view, uint64_t at)
{
    return at > 1 ? trace_lines_start(&view->lines, at - 1) : 0;
}

static void move(struct text_view *view, int64_t lines)
{
    for (uint64_t next; lines > 0; lines--) {
        if ((next = line_end(view, view->top) + 1) >= view->lines.size_bytes)
            break;
        view->top = next;
    }
    for (; lines < 0 && view->top; lines++)
        view->top = line_before(view, view->top);
}

static unsigned rows_of(const struct text_view *view)
{
    return view->height > 2 ? view->height - 2 : 0;
}

void text_view_go_to_end(struct text_view *view)
{
    view->top = line_before(view, view->lines.size_bytes);
    move(view, rows_of(view) > 1 ? 1 - (int64_t)rows_of(view) : -1);
}

void text_view_go_on(struct text_view *view, uint64_t offset)
{
    view->top = u64_min(offset, view->lines.size_bytes);
    move(view, -(int64_t)rows_of(view) / 2);
}

uint64_t text_view_bottom(const struct text_view *view)
{
    uint64_t at = view->top;
    for (unsigned y = 0; y < rows_of(view) && at < view->lines.size_bytes; y++)
        at = line_end(view, at) + 1;
    return u64_min(at, view->lines.size_bytes);
}

void text_view_key(struct text_view *view, uint32_t key)
{
    int64_t page = rows_of(view) > 1 ? rows_of(view) - 1 : 1;
    view->has_moved = true;
    view->is_refused = false;
    switch (key) {
    case 'q':
        view->is_done = true;
        break;
    case 'c':
    case KEY_FUNCTION + 9:
        view->growth->is_cancelled = view->may_cancel && !view->growth->is_cancelled;
        view->is_refused = !view->may_cancel;
        break;
    case KEY_UP_ARROW:
    case 'k':
        move(view, -1);
        break;
    case KEY_DOWN_ARROW:
    case 'j':
        move(view, 1);
        break;
    case KEY_PAGE_UP:
    case 'b':
        move(view, -page);
        break;
    case KEY_PAGE_DOWN:
    case ' ':
        move(view, page);
        break;
    case KEY_HOME_KEY:
    case 'g':
        view->top = 0;
        break;
    case KEY_END_KEY:
    case 'G':
        text_view_go_to_end(view);
        break;
    default:
        break;
    }
}

// --- Drawing -------------------------------------------------------------------------------------

static const char *hint(const struct text_view *view)
{
    if (view->is_refused)
        return "It is read as a whole: to cancel, quit.  q quit";
    if (!trace_can(view->trace, TRACE_LINES))
        return "There is nothing to see until there is an index.  q quit";
    if (!view->may_cancel)
        return "Only the text, until there is an index.  q quit";
    return view->growth->is_cancelled
               ? "Only the text.  c build the index  q quit"
               : "Only the text, until there is an index.  c cancel it  q quit";
}

bool text_view_draw(const struct text_view *view, struct screen *screen)
{
    struct line_look_context context = LINE_LOOK_START;
    uint64_t at = view->top;
    if (!screen_clear(screen, view->width, view->height))
        return false;
    unsigned rows = rows_of(view);
    if (!trace_can(view->trace, TRACE_LINES))
        at = view->lines.size_bytes; // nothing can be read
    for (unsigned y = 0; y < rows && at < view->lines.size_bytes; y++) {
        struct row row = screen_row(screen, y);
        const struct reading_options how = {.reading = READING_TRUE,
                                            .implicit_state = STATE_BY_SIZE,
                                            .prefix = view->trace->options.prefix};
        const char *start = view->lines.text + at, *end = view->lines.text + line_end(view, at);
        struct line_look look = {0};
        if (end > start && end[-1] == '\r')
            end--;
        if (view->trace->kind->text)
            view->trace->kind->text->look(start, end, &how, false, &context, &look);
        const char *done = start;
        for (size_t i = 0; i < look.part_count; i++) {
            const struct text_part *part = &look.parts[i];
            row_text(&row, ROLE_TEXT, done, (size_t)(part->start - done));
            row_text(&row, line_role(part->text_class), part->start,
                     (size_t)(part->end - part->start));
            done = part->end;
        }
        row_text(&row, ROLE_TEXT, done, (size_t)(end - done));
        at = line_end(view, at) + 1;
    }
    struct row row = screen_row(screen, rows);
    row_string(&row, ROLE_STATUS, view->file);
    row_format(&row, ROLE_STATUS, "   byte %" PRIu64 " of %" PRIu64, view->top,
               view->lines.size_bytes);
    growth_put_status(view->growth, &row);
    row_fill(&row, ROLE_STATUS);
    row = screen_row(screen, rows + 1);
    row_string(&row, ROLE_HINT, hint(view));
    return true;
}
