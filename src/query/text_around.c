#include "query/text_around.h"

#include "base/line_ends.h"
#include "base/thread.h"
#include "report/out.h"

#include <stdlib.h>

bool text_around_has(const struct trace_lines *lines, const struct line_place *place)
{
    uint64_t position = place->position;
    return position < lines->size_bytes &&
           trace_lines_want(lines, position - (position != 0), position) &&
           (position == 0 || lines->text[position - 1] == '\n');
}

// --- Steps ---------------------------------------------------------------------------------------

void text_around_go_back(const struct trace_lines *lines, struct line_place *place, uint64_t count)
{
    for (; count && place->position; count--) {
        place->position = trace_lines_start(lines, place->position - 1);
        place->line--;
    }
}

bool text_around_next(const struct trace_lines *lines, struct line_place *place)
{
    uint64_t end = trace_lines_end(lines, place->position);
    if (lines->size_bytes - end <= 1)
        return false;
    place->position = end + 1;
    place->line++;
    return true;
}

bool text_around_go_to_line(const struct trace_lines *lines, struct line_place *place,
                            uint64_t line)
{
    while (place->line < line && text_around_next(lines, place))
        continue;
    return place->line == line && place->position < lines->size_bytes;
}

bool text_around_go_to_byte(const struct trace_lines *lines, struct line_place *place,
                            uint64_t position)
{
    struct line_place next = *place;
    while (text_around_next(lines, &next) && next.position <= position)
        *place = next;
    return position < lines->size_bytes;
}

size_t text_around_line(const struct trace_lines *lines, const struct line_place *place,
                        const char **start)
{
    *start = lines->text + place->position;
    size_t length = (size_t)(trace_lines_end(lines, place->position) - place->position);
    return length - (length && (*start)[length - 1] == '\r');
}

// --- Text ----------------------------------------------------------------------------------------

static unsigned digits_of(uint64_t number)
{
    unsigned digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

void text_around_put_line(struct out *out, const struct trace_lines *lines,
                          const struct line_place *place)
{
    const char *at;
    size_t length = text_around_line(lines, place, &at);
    for (const char *end = at + length; at < end;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        out_clean_bytes(out, at, (size_t)((tab ? tab : end) - at));
        if (tab)
            out_byte(out, '\t');
        at = tab ? tab + 1 : end;
    }
}

void text_around_put(struct out *out, const struct trace_lines *lines,
                     const struct line_place *place, uint64_t context)
{
    struct line_place at = *place;
    unsigned width = digits_of(place->line + context);
    text_around_go_back(lines, &at, context);
    for (uint64_t left = place->line - at.line + 1 + context; left; left--) {
        out_text(out, at.line == place->line ? "> " : "  ");
        out_pad(out, width - digits_of(at.line));
        out_u64(out, at.line);
        out_text(out, "  ");
        text_around_put_line(out, lines, &at);
        out_byte(out, '\n');
        if (!text_around_next(lines, &at))
            break;
    }
}

// --- Finding -------------------------------------------------------------------------------------

// Lines are counted block by block.
#define BLOCK_BYTES (UINT64_C(4) << 20)

struct counting {
    const struct trace_lines *lines;
    uint64_t end; // of the counted text
    uint64_t *counts;
};

static bool count_block(void *self, unsigned worker, uint64_t block)
{
    const struct counting *counting = self;
    const char *text = counting->lines->text;
    uint64_t start = block * BLOCK_BYTES;
    (void)worker;
    counting->counts[block] =
        line_count_in(text + start, text + u64_min(start + BLOCK_BYTES, counting->end));
    return true;
}

// Counts the newlines in the blocks before `end`. NULL: no memory, so the caller counts itself.
static uint64_t *count_blocks(const struct trace_lines *lines, uint64_t end, unsigned threads)
{
    uint64_t blocks = (end + BLOCK_BYTES - 1) / BLOCK_BYTES;
    struct counting counting = {lines, end, calloc((size_t)blocks + 1, sizeof(uint64_t))};
    if (counting.counts)
        parallel_run(threads, blocks, &counting, count_block);
    return counting.counts;
}

void text_around_find_byte(const struct trace_lines *lines, uint64_t position, unsigned threads,
                           struct line_place *place)
{
    const char *text = lines->text;
    bool has_all = trace_lines_want(lines, 0, position); // otherwise nothing of it is shown
    uint64_t start = has_all ? trace_lines_start(lines, position) : 0;
    uint64_t *counts = count_blocks(lines, start, threads);
    *place = (struct line_place){1, start};
    for (uint64_t i = 0; counts && i * BLOCK_BYTES < start; i++)
        place->line += counts[i];
    if (!counts)
        place->line += line_count_in(text, text + start);
    free(counts);
}

bool text_around_find_line(const struct trace_lines *lines, uint64_t line, unsigned threads,
                           struct line_place *place)
{
    *place = (struct line_place){1, 0};
    if (!trace_lines_want(lines, 0, lines->size_bytes))
        return false;
    uint64_t *counts = count_blocks(lines, lines->size_bytes, threads), block = 0;
    uint64_t blocks = lines->size_bytes / BLOCK_BYTES;
    for (; counts && block < blocks && place->line + counts[block] < line; block++)
        place->line += counts[block];
    free(counts);
    // The line before `place` ends in this block, or is the first line.
    const char *at = lines->text + block * BLOCK_BYTES;
    if (block && at[-1] != '\n') {
        at = line_start_at(lines->text, at);
    }
    place->position = (uint64_t)(at - lines->text);
    return text_around_go_to_line(lines, place, line);
}
