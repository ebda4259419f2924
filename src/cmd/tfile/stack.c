#include "cmd/tfile/stack.h"

#include "base/limits.h"
#include "cmd/tfile/query.h"

#include <inttypes.h>
#include <stdlib.h>

// --- Opening -------------------------------------------------------------------------------------

static void on_fault(void *self, const struct error *err)
{
    struct trace_command *command = self;
    diag_warning(&command->diag, "SFrame: %s", err->text);
}

enum status stack_tfile_open(struct unwind_tfile *unwind, struct unwind_stack *stack,
                             struct trace_command *command, enum unwind_method how,
                             struct error *err)
{
    const struct sframe_faults faults = {command, on_fault};
    struct error cause;
    *stack = (struct unwind_stack){.capacity = LIMIT_STACK_FRAMES};
    stack->frames = calloc(stack->capacity, sizeof *stack->frames);
    enum status status =
        unwind_tfile_open(unwind, tfile_file(command), &command->session.names.images,
                          how != UNWIND_BY_FP, &faults, &cause);
    if (status != STATUS_OK)
        return error_set(err, status, "%s: %.400s", command->session.path, cause.text);
    if (!stack->frames)
        return error_set(err, STATUS_MEMORY, "%s: no memory for a stack", command->session.path);
    if (how == UNWIND_BY_SFRAME && !unwind_tfile_has_sframe(unwind))
        return error_set(err, STATUS_NOT_FOUND, "%s: no image of its machine with SFrame is given",
                         command->session.path);
    return STATUS_OK;
}

void stack_tfile_close(struct unwind_tfile *unwind, struct unwind_stack *stack)
{
    unwind_tfile_free(unwind);
    free(stack->frames);
}

// --- The report ----------------------------------------------------------------------------------

static const struct column columns[] = {
    {"Frame", "frame", COLUMN_U64},        {"PC", "pc", COLUMN_ADDRESS},
    {"Function", "function", COLUMN_TEXT}, {"SP", "sp", COLUMN_ADDRESS},
    {"Source", "source", COLUMN_TEXT},
};

static void put_stack(struct trace_command *command, struct table *table,
                      const struct unwind_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        const struct unwind_frame *frame = &stack->frames[i];
        const char *name = names_of_root(&command->session.names, unwind_lookup_pc(frame));
        table_u64(table, i);
        table_address(table, frame->pc);
        table_text(table, *name ? name : NULL);
        if (frame->sp)
            table_address(table, frame->sp);
        else // not known
            table_none(table);
        table_text(table, unwind_source_name(frame->source));
    }
    if (stack->end != UNWIND_OUTERMOST)
        diag_warning(&command->diag, "unwinding ends early: %s 0x%" PRIx64,
                     unwind_end_text(stack->end), stack->end_address);
}

static enum exit_status report(struct query *query, const struct unwind_stack *stack)
{
    struct trace_command *command = &query->common;
    struct out out;
    struct table table;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!trace_command_output(command, &out, &status) ||
        !trace_command_table(command, &table, &out, columns, ARRAY_COUNT(columns), &status))
        return status;
    put_stack(command, &table, stack);
    table_end(&table);
    return trace_command_end(command, &out);
}

enum exit_status tfile_stack(struct query *query, enum unwind_method how)
{
    if (how == UNWIND_BY_CALLS)
        return query_refuse(query, "a trace file does not show calls");
    struct trace_command *command = &query->common;
    struct unwind_tfile unwind;
    struct unwind_stack stack;
    struct error err;
    uint64_t number;
    enum exit_status status = EXIT_STATUS_FAILED;
    if (!tfile_open_trace(command, &status) ||
        !query_tfile_frame(query, "--at", query->at, &number, &status))
        return status;
    const struct tfile_frame *frame = &tfile_file(command)->frames.items[number];
    enum status result = stack_tfile_open(&unwind, &stack, command, how, &err);
    if (result == STATUS_OK && !unwind_tfile_at(&unwind, frame, &stack))
        result = error_set(&err, STATUS_NOT_FOUND,
                           "%s: frame %" PRIu64 " does not tell where the program was",
                           command->session.path, number);
    status = result == STATUS_OK ? report(query, &stack) : trace_command_error(command, &err);
    stack_tfile_close(&unwind, &stack);
    return status;
}
