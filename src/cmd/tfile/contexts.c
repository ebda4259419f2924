// Contexts from the frames of a GDB trace file: each is a sample.
#include "cmd/tfile/commands.h"
#include "cmd/tfile/stack.h"

#include <inttypes.h>

struct sampling {
    struct contexts *contexts;
    struct trace_command *command;
    struct unwind_tfile unwind;
    struct unwind_stack stack;
    const struct tfile_variable *weight; // NULL: each frame counts once
    uint64_t ticks;
    // Of the frames that are wanted: those without a PC or weight, which are left out; stacks, and
    // those that do not reach the outermost frame.
    uint64_t lost_count, weightless_count, stack_count, early_count;
};

static enum status find_weight(struct sampling *sampling, const char *name, struct error *err)
{
    const struct tfile *file = tfile_file(sampling->command);
    if (!name)
        return STATUS_OK;
    name += *name == '$';
    sampling->weight = tfile_variable_named(file, name, strlen(name));
    return sampling->weight ? STATUS_OK
                            : error_set(err, STATUS_NOT_FOUND, "%s: has no variable $%.200s",
                                        sampling->command->session.path, name);
}

// How much a frame counts. False: that is not known, or less than nothing.
static bool ticks_of(const struct sampling *sampling, const struct tfile_frame *frame,
                     uint64_t *ticks)
{
    int64_t value = 1;
    if (sampling->weight && !tfile_frame_variable(tfile_file(sampling->command), frame,
                                                  sampling->weight->number, &value))
        return false;
    *ticks = (uint64_t)value;
    return value >= 0;
}

static enum status add_frame(struct sampling *sampling, const struct tfile_frame *frame,
                             struct error *err)
{
    struct trace_command *command = sampling->command;
    uint64_t ticks;
    if (!ticks_of(sampling, frame, &ticks)) {
        sampling->weightless_count++;
        return STATUS_OK;
    }
    if (!unwind_tfile_at(&sampling->unwind, frame, &sampling->stack)) {
        sampling->lost_count++;
        return STATUS_OK;
    }
    sampling->stack_count++;
    sampling->early_count += sampling->stack.end != UNWIND_OUTERMOST;
    if (ticks > UINT64_MAX - sampling->ticks)
        return error_set(err, STATUS_LIMIT, "%s: the weights of all frames pass 64 bits",
                         command->session.path);
    sampling->ticks += ticks;
    return contexts_add_stack(sampling->contexts, &command->session.names.images, &sampling->stack,
                              ticks)
               ? STATUS_OK
               : error_set(err, STATUS_MEMORY, "%s: no memory for the stacks",
                           command->session.path);
}

static enum status add_frames(struct sampling *sampling, struct error *err)
{
    struct trace_command *command = sampling->command;
    const struct tfile *file = tfile_file(command);
    enum status status = STATUS_OK;
    for (uint64_t i = 0; i < file->frames.count && status == STATUS_OK; i++) {
        if (tfile_wants_frame(command, i))
            status = add_frame(sampling, &file->frames.items[i], err);
    }
    if (status == STATUS_OK && !contexts_end_stacks(sampling->contexts, ""))
        status =
            error_set(err, STATUS_MEMORY, "%s: no memory for the stacks", command->session.path);
    return status;
}

static void warn(const struct sampling *sampling)
{
    struct diag *diag = &sampling->command->diag;
    if (sampling->lost_count)
        diag_warning(diag, "%" PRIu64 " frame%s not tell where the program was: left out",
                     sampling->lost_count, sampling->lost_count == 1 ? " does" : "s do");
    if (sampling->weightless_count)
        diag_warning(diag, "$%s has no value from 0 on in %" PRIu64 " frame%s: left out",
                     sampling->weight->name, sampling->weightless_count,
                     plural(sampling->weightless_count));
    if (sampling->early_count)
        diag_warning(diag, "%" PRIu64 " of %" PRIu64 " stack%s end before the outermost frame",
                     sampling->early_count, sampling->stack_count, plural(sampling->stack_count));
}

bool contexts_tfile(struct contexts *contexts, struct trace_command *command,
                    enum unwind_method how, const char *weight, enum exit_status *status)
{
    struct sampling sampling = {.contexts = contexts, .command = command};
    struct error err;
    *contexts = (struct contexts){0};
    if (!tfile_open_trace(command, status))
        return false;
    enum status result = stack_tfile_open(&sampling.unwind, &sampling.stack, command, how, &err);
    if (result == STATUS_OK)
        result = find_weight(&sampling, weight, &err);
    if (result == STATUS_OK && !contexts_begin_stacks(contexts))
        result = error_set(&err, STATUS_MEMORY, "%s: no memory", command->session.path);
    if (result == STATUS_OK)
        result = add_frames(&sampling, &err);
    if (result == STATUS_OK)
        warn(&sampling);
    if (result == STATUS_OK && !sampling.stack_count)
        result =
            error_set(&err, STATUS_NOT_FOUND, "%s: no frame gives a stack", command->session.path);
    if (result != STATUS_OK)
        *status = trace_command_error(command, &err);
    stack_tfile_close(&sampling.unwind, &sampling.stack);
    return result == STATUS_OK;
}
