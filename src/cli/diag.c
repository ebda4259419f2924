#include "cli/diag.h"

#include "cli/visible.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define COLOUR_ERROR "\033[1;31m"
#define COLOUR_WARNING "\033[1;35m"
#define COLOUR_OFF "\033[0m"

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

void diag_begin(struct diag *diag, FILE *out, struct progress *progress)
{
    const char *terminal = getenv("TERM");
    bool is_plain = is_set("NO_COLOR") || (terminal && strcmp(terminal, "dumb") == 0);
    *diag =
        (struct diag){.out = out, .progress = progress, .colour = !is_plain && isatty(fileno(out))};
}

static void begin_line(struct diag *diag, const char *colour)
{
    if (diag->progress)
        progress_hide(diag->progress);
    if (diag->colour)
        fprintf(diag->out, "%strawl:" COLOUR_OFF " ", colour);
    else
        fputs("trawl: ", diag->out);
}

static void put_visible(struct diag *diag, const char *text)
{
    visible_text(diag->out, text, strlen(text));
}

enum exit_status diag_error(struct diag *diag, const struct error *err)
{
    begin_line(diag, COLOUR_ERROR);
    put_visible(diag, err->text);
    bool has_offset = err->offset != ERROR_NO_OFFSET;
    if (err->line && has_offset)
        fprintf(diag->out, " (line %" PRIu64 ", byte %" PRIu64 ")", err->line, err->offset);
    else if (err->line)
        fprintf(diag->out, " (line %" PRIu64 ")", err->line);
    else if (has_offset)
        fprintf(diag->out, " (byte %" PRIu64 ")", err->offset);
    if (err->status == STATUS_MEMORY && diag->memory_bytes)
        fprintf(diag->out, " (--max-memory allows %" PRIu64 " MB)", diag->memory_bytes >> 20);
    fputc('\n', diag->out);
    return EXIT_STATUS_FAILED;
}

void diag_warning(struct diag *diag, const char *format, ...)
{
    begin_line(diag, COLOUR_WARNING);
    fputs("warning: ", diag->out);
    va_list args;
    va_start(args, format);
    visible_format(diag->out, format, args);
    va_end(args);
    fputc('\n', diag->out);
}

void diag_note(struct diag *diag, const char *format, ...)
{
    begin_line(diag, COLOUR_WARNING);
    va_list args;
    va_start(args, format);
    visible_format(diag->out, format, args);
    va_end(args);
    fputc('\n', diag->out);
}

static void show_damage(struct diag *diag, const char *text)
{
    begin_line(diag, COLOUR_WARNING);
    put_visible(diag, text);
    fputc('\n', diag->out);
}

void diag_damage(struct diag *diag, const char *path, uint64_t line, uint64_t offset,
                 uint64_t size_bytes, const char *text)
{
    diag->damage_bytes += size_bytes;
    diag->damage_count++;
    if (diag->damage_shown == DIAG_DAMAGE_SHOWN)
        return;
    char number[32] = "", place[48] = "", *held = diag->held[diag->damage_shown++];
    if (line)
        snprintf(number, sizeof number, ":%" PRIu64, line);
    if (offset != ERROR_NO_OFFSET)
        snprintf(place, sizeof place, " (byte %" PRIu64 ")", offset);
    snprintf(held, DIAG_DAMAGE_BYTES, "%s%s: %s%s", path, number, text, place);
    if (!diag->holds_damage)
        show_damage(diag, held);
}

enum exit_status diag_end(struct diag *diag, const char *path, const char *unit)
{
    uint64_t count = diag->damage_count;
    if (!count)
        return diag->is_partial ? EXIT_STATUS_DAMAGED : EXIT_STATUS_DONE;
    for (unsigned i = 0; i < diag->damage_shown && diag->holds_damage; i++)
        show_damage(diag, diag->held[i]);
    begin_line(diag, COLOUR_WARNING);
    put_visible(diag, path);
    fprintf(diag->out, ": damaged %s left out: %" PRIu64 " (%" PRIu64 " byte%s)", unit, count,
            diag->damage_bytes, plural(diag->damage_bytes));
    if (diag->damage_shown == DIAG_DAMAGE_SHOWN && count > DIAG_DAMAGE_SHOWN)
        fprintf(diag->out, ", the first %d shown", DIAG_DAMAGE_SHOWN);
    fputc('\n', diag->out);
    return EXIT_STATUS_DAMAGED;
}
