#include "cmd/unwinding.h"

#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>

bool unwind_method_named(const char *name, enum unwind_method *method)
{
    static const char *const names[] = {
        [UNWIND_BY_AUTO] = "auto",   [UNWIND_BY_SFRAME] = "sframe", [UNWIND_BY_DWARF] = "dwarf",
        [UNWIND_BY_EXIDX] = "exidx", [UNWIND_BY_FP] = "fp",         [UNWIND_BY_CALLS] = "calls",
    };
    for (size_t i = UNWIND_BY_AUTO; i < ARRAY_COUNT(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *method = (enum unwind_method)i;
            return true;
        }
    }
    return false;
}

static void on_fault(void *self, const char *what, const struct error *err)
{
    struct command *command = self;
    diag_warning(&command->diag, "%s: %s", what, err->text);
}

// The first source of a method, and what an image has for it.
static const struct {
    enum unwind_source first;
    const char *has; // NULL: it needs no image
} methods[] = {
    [UNWIND_AS_USUAL] = {UNWIND_SFRAME, NULL},
    [UNWIND_BY_AUTO] = {UNWIND_SFRAME, NULL},
    [UNWIND_BY_SFRAME] = {UNWIND_SFRAME, "SFrame"},
    [UNWIND_BY_DWARF] = {UNWIND_DWARF, "DWARF's call frame information"},
    [UNWIND_BY_EXIDX] = {UNWIND_EXIDX, "Arm's exception tables"},
    [UNWIND_BY_FP] = {UNWIND_FRAME_POINTER, NULL},
    [UNWIND_BY_CALLS] = {UNWIND_CALLS, NULL},
};

enum status unwinding_open(struct unwinding *unwinding, struct command *command,
                           enum unwind_method method, struct error *err)
{
    const struct session *session = &command->session;
    const struct unwind_faults faults = {command, on_fault};
    struct error cause;
    *unwinding = (struct unwinding){.command = command};
    unwinding->stack.first = methods[method].first;
    unwinding->stack.capacity = LIMIT_STACK_FRAMES;
    unwinding->stack.frames = calloc(unwinding->stack.capacity, sizeof *unwinding->stack.frames);
    if (!unwinding->stack.frames)
        return error_set(err, STATUS_MEMORY, "%s: no memory for the stacks", session->path);
    enum status status = unwind_trace_open(&unwinding->trace, &session->view,
                                           &session->names.images, &faults, &cause);
    if (status == STATUS_OK) {
        if (!methods[method].has || unwind_trace_has(&unwinding->trace, methods[method].first))
            return STATUS_OK;
        return error_set(err, STATUS_NOT_FOUND, "%s: no image of its machine with %s is given",
                         unwinding->command->session.path, methods[method].has);
    }
    return error_set(err, status, "%s: %.400s", session->path, cause.text);
}

void unwinding_free(struct unwinding *unwinding)
{
    unwind_trace_free(&unwinding->trace);
    free(unwinding->stack.frames);
    *unwinding = (struct unwinding){0};
}

bool unwinding_has_rules(struct unwinding *unwinding)
{
    for (enum unwind_source source = UNWIND_SFRAME; source <= UNWIND_EXIDX; source++) {
        if (unwind_trace_has(&unwinding->trace, source))
            return true;
    }
    return false;
}

enum status unwinding_at(struct unwinding *unwinding, const struct trawl_event *at,
                         struct error *err)
{
    struct unwind_stack *stack = &unwinding->stack;
    enum status status = unwind_trace_at(&unwinding->trace, at, stack, err);
    if (status == STATUS_OK && stack->count) {
        unwinding->stack_count++;
        unwinding->early_count += stack->end != UNWIND_OUTERMOST;
        unwinding->doubtful_count += stack->doubt != UNWIND_NO_DOUBT;
    }
    return status;
}

void unwinding_warn(const struct unwinding *unwinding)
{
    if (unwinding->early_count)
        diag_warning(&unwinding->command->diag,
                     "%" PRIu64 " of %" PRIu64 " stack%s end before the outermost frame",
                     unwinding->early_count, unwinding->stack_count,
                     plural(unwinding->stack_count));
    if (unwinding->doubtful_count)
        diag_warning(&unwinding->command->diag,
                     "%" PRIu64 " of %" PRIu64 " stack%s doubtful: the trace shows other calls",
                     unwinding->doubtful_count, unwinding->stack_count,
                     unwinding->stack_count == 1 ? " is" : "s are");
}
