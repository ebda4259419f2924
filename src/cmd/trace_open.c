#include "cmd/trace_open.h"

#include "cmd/option_kinds.h"
#include "trace/foreign.h"

#include <unistd.h>

// --- What the trace is ---------------------------------------------------------------------------

enum meter trace_command_meter(const struct trace_command *command)
{
    if (command->reading == READING_RIGHT)
        return progress_meter_for(stderr, command->quiet);
    bool is_shown = command->show_progress || (!command->quiet && isatty(STDOUT_FILENO));
    return is_shown ? METER_TTU : METER_OFF;
}

static enum trace_byte_order byte_order_of(const struct trace_command *command)
{
    if (!command->endianness)
        return TRACE_ORDER_UNKNOWN;
    return command->endianness == OPTION_BIG_ENDIAN ? TRACE_BIG_ENDIAN : TRACE_LITTLE_ENDIAN;
}

enum status trace_command_open_trace(struct trace_command *command, struct error *err)
{
    enum status status = trace_open(&command->opened, command->trace, command->reading, err);
    if (status != STATUS_OK)
        return status;
    struct trace *trace = command->opened;
    trace->options = (struct trace_options){
        .reading = command->reading,
        .byte_order = byte_order_of(command),
        .threads = command->threads,
    };
    trace->progress = &command->progress;
    trace->meter = trace_command_meter(command);
    return STATUS_OK;
}

// A file that is of none of the kinds, as its first bytes show.
static enum status check_foreign(const struct trace_command *command, struct error *err)
{
    char magic[FOREIGN_MAGIC_BYTES];
    size_t have;
    if (command->opened->kind->is || command->takes_index)
        return STATUS_OK;
    enum status status = source_peek(command->opened->source, magic, sizeof magic, &have, err);
    const char *kind = status == STATUS_OK ? foreign_kind(magic, have) : NULL;
    return kind ? error_set(err, STATUS_INPUT, "%s: %s", command->trace, kind) : status;
}

static enum status check_kind(const struct trace_command *command, struct error *err)
{
    const struct trace_kind *kind = command->opened->kind;
    const char *lacking = trace_lacks(kind, command->needs);
    if (lacking)
        return error_set(err, STATUS_INPUT, "%s: %s has no %s, which 'trawl %s' needs",
                         command->trace, kind->words.a, lacking, command->spec->name);
    return check_foreign(command, err);
}

bool trace_command_detect(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    bool is_tried = command->opened || command->open_error.status != STATUS_OK;
    if (command->reading == READING_TTU || !command->trace || is_tried)
        return true;
    enum status opened = trace_command_open_trace(command, &command->open_error);
    if (opened == STATUS_MEMORY) {
        *status = trace_command_error(command, &command->open_error);
        return false;
    }
    if (opened != STATUS_OK) // which is told when it is needed
        return true;
    if (check_kind(command, &err) == STATUS_OK)
        return command->takes_index || option_kinds_check(command, status);
    *status = trace_command_error(command, &err);
    return false;
}

bool trace_command_make_ready(struct trace_command *command, enum exit_status *status)
{
    struct trace *trace = command->opened;
    struct error err;
    if (!trace || command->is_open || !trace->kind->open)
        return true;
    command->is_open = true;
    *status = EXIT_STATUS_FAILED;
    if (trace->kind->open(trace, &command->names.images, &err) == STATUS_OK)
        return !trace->is_checked || trace_command_tell_damage(command);
    *status = trace_command_error(command, &err);
    return false;
}

// --- Images --------------------------------------------------------------------------------------

static enum status add_image(struct trace_command *command, const char *argument, struct error *err)
{
    enum status status = names_add_image(&command->names, argument, err);
    if (status == STATUS_OK || status == STATUS_MEMORY || command->reading == READING_RIGHT)
        return status;
    return error_set(err, status, "Cannot open ELF file \"%s\"", argument);
}

static bool move_images(struct trace_command *command, enum exit_status *status)
{
    struct trace *trace = command->opened;
    struct error err;
    if (!trace || !trace->kind->move_images ||
        trace->kind->move_images(trace, &command->names.images, &err) == STATUS_OK)
        return true;
    *status = trace_command_error(command, &err);
    return false;
}

bool trace_command_open_images(struct trace_command *command, enum exit_status *status)
{
    struct error err;
    if (!trace_command_detect(command, status))
        return false;
    const struct name_options options = {
        .reading = command->reading,
        .with_offsets = !command->no_offsets || command->root_only_lacks_offset,
        .demangle = command->demangle,
        .ids = command->opened ? command->opened->kind->ids : NULL,
        .is_arm = trace_command_can(command, TRACE_ARM),
        .load_offset = command->load_offset,
    };
    names_init(&command->names, &options);
    for (size_t i = 0; i < command->image_arguments.count; i++) {
        if (add_image(command, command->image_arguments.items[i], &err) != STATUS_OK) {
            *status = trace_command_error(command, &err);
            return false;
        }
    }
    bool big = command->names.is_big_endian;
    if (command->reading == READING_TTU && command->names.ttu_symbols && command->endianness &&
        big != (command->endianness == OPTION_BIG_ENDIAN))
        fprintf(stderr, "Endianness mismatch between image and provided endianness\n");
    return trace_command_make_ready(command, status) && move_images(command, status);
}
