#include "trace/tarmac/dialect.h"

#include "trace/tarmac/line_read.h"
#include "trace/tarmac/unit.h"

// Facts about the instruction lines without an instruction set state.
struct tally {
    uint64_t without_state;
    bool has_times, has_narrow;
};

// Whether the line is an instruction, with a state or, if may_lack_state, without one.
static bool is_instruction(const char *start, const char *end, bool may_lack_state,
                           struct tarmac_line *line)
{
    struct tarmac_context context = TARMAC_CONTEXT_START;
    const struct reading_options how = {
        .reading = READING_RIGHT,
        .implicit_state = may_lack_state ? STATE_IS_THUMB : STATE_IS_WRITTEN,
    };
    struct text_fault fault;
    return tarmac_line_read(start, end, &how, &context, line, &fault) &&
           line->kind == LINE_INSTRUCTION;
}

static void count_without_state(struct tally *tally, const struct tarmac_line *line)
{
    tally->without_state++;
    tally->has_narrow |= line->instruction.size_bytes == 2;
    tally->has_times |= line->time != 0;
}

// A single instruction with a state decides, and nearly every trace begins with one.
static enum implicit_state implicit_state_of(const char *text, const char *end)
{
    struct tally tally = {0};
    struct tarmac_line line;
    const char *newline;
    for (; (newline = memchr(text, '\n', (size_t)(end - text))); text = newline + 1) {
        const char *line_end = tarmac_line_trim(text, newline);
        if (is_instruction(text, line_end, false, &line))
            return STATE_IS_WRITTEN;
        if (is_instruction(text, line_end, true, &line))
            count_without_state(&tally, &line);
    }
    if (!tally.without_state)
        return STATE_IS_WRITTEN;
    // ARMulator writes no times, and writes a Thumb BL as two instructions of two bytes. Traces
    // with times and some encodings of two bytes are from cores of the M profile.
    return tally.has_times && tally.has_narrow ? STATE_IS_THUMB : STATE_BY_SIZE;
}

struct tarmac_dialect tarmac_dialect_of(const char *text, size_t size_bytes)
{
    return (struct tarmac_dialect){
        .scale = tarmac_time_scale(text, size_bytes),
        .implicit_state = implicit_state_of(text, text + size_bytes),
    };
}

struct reading_options tarmac_dialect_reading(const struct tarmac_dialect *dialect,
                                              const struct reading_options *how)
{
    struct reading_options reading = *how;
    reading.scale = dialect->scale;
    if (how->reading == READING_RIGHT && how->implicit_state == STATE_IS_WRITTEN)
        reading.implicit_state = dialect->implicit_state;
    return reading;
}
