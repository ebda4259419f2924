#include "browse/shown_line.h"

#include "session/session_index.h"

#include <pthread.h>
#include <stdlib.h>

bool shown_line_name(struct browse_source *source, struct line_look *look, struct text_span *line,
                     char room[SHOWN_LINE_BYTES])
{
    const struct text_span operand = look->operand;
    char name[BROWSE_NAME_BYTES];
    if (!operand.start || !browse_has_image(source))
        return false;
    browse_address_name(source, look->target, name);
    size_t before = (size_t)(operand.start - line->start), length = strlen(name);
    size_t after = (size_t)(line->end - operand.end);
    if (before + length + after > SHOWN_LINE_BYTES)
        return false;
    memcpy(room, line->start, before);
    memcpy(room + before, name, length);
    memcpy(room + before + length, operand.end, after);
    for (size_t i = 0; i < look->part_count; i++) {
        struct text_part *part = &look->parts[i];
        const char **ends[] = {&part->start, &part->end};
        for (size_t k = 0; k < ARRAY_COUNT(ends); k++)
            *ends[k] = *ends[k] >= operand.end ? room + before + length + (*ends[k] - operand.end)
                                               : room + (*ends[k] - line->start);
    }
    look->operand = (struct text_span){room + before, room + before + length};
    *line = (struct text_span){room, room + before + length + after};
    return true;
}

// --- For searches --------------------------------------------------------------------------------

struct shown_lines {
    struct session session;
    struct browse_source source;
    pthread_mutex_t lock; // of names
};

bool shown_lines_differ(const struct browse_source *source)
{
    return source->rows == ROWS_LINES && source->trace->kind->text && browse_has_image(source);
}

enum status shown_lines_open(struct shown_lines **out, const struct session *session,
                             struct error *err)
{
    struct shown_lines *shown = calloc(1, sizeof *shown);
    *out = NULL;
    if (!shown)
        return error_set(err, STATUS_MEMORY, "no memory for the search");
    pthread_mutex_init(&shown->lock, NULL);
    enum status status = session_open_again(&shown->session, session, err);
    if (status != STATUS_OK) {
        shown_lines_close(shown);
        return status;
    }
    browse_source_open(&shown->source, &shown->session);
    *out = shown;
    return STATUS_OK;
}

void shown_lines_close(struct shown_lines *shown)
{
    if (!shown)
        return;
    session_free(&shown->session);
    pthread_mutex_destroy(&shown->lock);
    free(shown);
}

bool shown_lines_name(struct shown_lines *shown, struct text_span *line,
                      char room[SHOWN_LINE_BYTES])
{
    const struct browse_source *source = &shown->source;
    struct line_look_context context = LINE_LOOK_START;
    struct line_look look;
    context.only_operand = true;
    source->trace->kind->text->look(line->start, line->end, &source->how, source->isa, &context,
                                    &look);
    if (!look.operand.start)
        return false;
    pthread_mutex_lock(&shown->lock);
    bool is_named = shown_line_name(&shown->source, &look, line, room);
    pthread_mutex_unlock(&shown->lock);
    return is_named;
}
