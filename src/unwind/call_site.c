#include "unwind/call_site.h"

#include "base/limits.h"
#include "base/program_pc.h"

static enum status call_at(const struct index_view *view, uint64_t lane, uint64_t in_lane,
                           struct trawl_call *call, struct error *err)
{
    struct trawl_error from;
    return index_status(trawl_call_at(view->index, lane, in_lane, call, &from), &from, err);
}

// Whether two calls are parts of one call, before and after a task switch.
static bool is_same(const struct trawl_call *a, const struct trawl_call *b)
{
    return a->began == b->began && !pcs_differ(a->pc, b->pc) &&
           !((a->how ^ b->how) & TRAWL_CALL_EXCEPTION);
}

static bool is_called(const struct trawl_call *call)
{
    return call->began > 0 && !(call->how & TRAWL_CALL_TASK);
}

// A call was interrupted before its first instruction. If others took over before it had run, where
// it begins (of a new task) and of which program that is (a fault at its first page) shows only
// where it continues later, if that is not another one on the same stack.
static enum status find_beginning(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, struct trawl_call *around,
                                  struct error *err)
{
    const uint32_t unseen = TRAWL_CALL_TASK | TRAWL_CALL_GUESSED;
    uint64_t pc;
    if (!(exception->how & TRAWL_CALL_EXCEPTION) || around->began != exception->began ||
        pc_has_program(around->pc))
        return STATUS_OK;
    const bool is_unseen =
        (around->how & unseen) == unseen && !pcs_differ(around->pc, exception->pc);
    const enum status status = interrupted_continues_at(view, lane, exception, &pc, err);
    if (status == STATUS_OK && (is_unseen || !pcs_differ(pc, around->pc)))
        around->pc = pc | (around->pc & 1);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status call_around(const struct index_view *view, uint64_t lane, const struct trawl_call *call,
                        struct trawl_call *around, struct error *err)
{
    struct trawl_error from;
    struct trawl_call first;
    enum status status = STATUS_OK;
    if (call->how & TRAWL_CALL_TASK)
        return error_set(err, STATUS_NOT_FOUND, "the task begins here");
    if (call->parent != TRAWL_NONE) {
        status =
            index_status(trawl_call(view->index, lane, call->parent, around, &from), &from, err);
        return status == STATUS_OK ? find_beginning(view, lane, call, around, err) : status;
    }
    if (!(call->how & TRAWL_CALL_RESUMED))
        return error_set(err, STATUS_NOT_FOUND, "outside of every call");
    // When a task continues in an inner call, its outer frames are not open again until they are
    // reached.
    status = call_first_in_place(view, lane, call, NULL, &first, err);
    return status == STATUS_OK ? call_at(view, lane, first.began - 1, around, err) : status;
}

enum status call_first_in_place(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *call, const struct trawl_call *last,
                                struct trawl_call *first, struct error *err)
{
    *first = *call;
    while (first->how & TRAWL_CALL_TAIL_ENTRY && is_called(first)) {
        struct trawl_call before;
        struct trawl_event site; // of the branch: exceptions and other tasks may lie between
        struct trawl_error from;
        enum status status = call_interrupted_site(view, lane, first, &site, err);
        if (status == STATUS_OK)
            status = call_at(view, lane, site.in_lane, &before, err);
        else if (status == STATUS_NOT_FOUND)
            status = call_at(view, lane, first->began - 1, &before, err);
        if (status != STATUS_OK)
            return status;
        if (last && is_same(&before, last))
            break;
        if (before.began >= first->began)
            return index_status(index_view_no_progress(&from), &from, err);
        *first = before;
    }
    return is_called(first) ? STATUS_OK
                            : error_set(err, STATUS_NOT_FOUND, "the trace or the task begins here");
}

// --- What exceptions interrupted -----------------------------------------------------------------

static enum status nothing_before(struct error *err)
{
    return error_set(err, STATUS_NOT_FOUND, "what was interrupted has executed nothing");
}

static enum status task_at(const struct index_view *view, uint64_t lane, uint64_t in_lane,
                           struct trawl_task_run *run, struct error *err)
{
    struct trawl_error from;
    return index_status(trawl_task_run_at(view->index, lane, in_lane, run, &from), &from, err);
}

// Moves *at back to the last event before it that the task executed.
static enum status go_back(const struct index_view *view, uint64_t lane, uint64_t task,
                           uint64_t *at, struct error *err)
{
    struct trawl_task_run run;
    struct trawl_error from;
    if (!*at)
        return nothing_before(err);
    enum status status = task_at(view, lane, *at - 1, &run, err);
    for (unsigned i = 0; status == STATUS_OK && run.task != task; i++) {
        if (!run.run || i == LIMIT_TASK_RUNS_FOLLOWED)
            return nothing_before(err);
        status =
            index_status(trawl_task_run(view->index, lane, run.run - 1, &run, &from), &from, err);
    }
    *at = u64_min(*at - 1, run.last);
    return status;
}

// The exception that ends with an event. STATUS_NOT_FOUND: there is none.
static enum status exception_ending_at(const struct index_view *view, uint64_t lane, uint64_t at,
                                       struct trawl_call *call, struct error *err)
{
    struct trawl_error from;
    enum status status = call_at(view, lane, at, call, err);
    while (status == STATUS_OK && call->exit == at && !call->is_open) {
        bool goes_on = call->how & TRAWL_CALL_SUSPENDED;
        if (call->how & TRAWL_CALL_EXCEPTION && !goes_on)
            return STATUS_OK;
        if (call->parent == TRAWL_NONE)
            break;
        status = index_status(trawl_call(view->index, lane, call->parent, call, &from), &from, err);
    }
    return status == STATUS_OK ? error_set(err, STATUS_NOT_FOUND, "no exception ends there")
                               : status;
}

enum status call_interrupted_site(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, struct trawl_event *site,
                                  struct error *err)
{
    struct trawl_task_run run;
    struct trawl_call before;
    uint64_t at = exception->began;
    enum status status = task_at(view, lane, at, &run, err);
    for (unsigned i = 0; status == STATUS_OK && i < LIMIT_EXCEPTIONS_FOLLOWED; i++) {
        status = go_back(view, lane, run.task, &at, err);
        if (status != STATUS_OK)
            return status;
        status = exception_ending_at(view, lane, at, &before, err);
        if (status == STATUS_NOT_FOUND)
            return index_view_event_of_lane(view, lane, at, site, err);
        at = before.began;
    }
    return status == STATUS_OK ? nothing_before(err) : status;
}

// Where an interrupted call goes on. STATUS_NOT_FOUND: the trace does not show it.
static enum status find_resumed(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, const struct trawl_call *around,
                                uint64_t *pc, struct error *err)
{
    struct trawl_call there;
    struct trawl_event back = {0};
    uint64_t at;
    enum status status = interrupted_kept_at(view, lane, exception, pc, err);
    if (status != STATUS_NOT_FOUND)
        return status;
    if (!(exception->how & TRAWL_CALL_LEFT))
        status = interrupted_continues(view, lane, exception, &at, err);
    if (status != STATUS_OK)
        return status;
    status = call_at(view, lane, at, &there, err);
    if (status != STATUS_OK && status != STATUS_NOT_FOUND)
        return status;
    if (status == STATUS_OK ? around && is_same(&there, around) : !around)
        status = index_view_event_of_lane(view, lane, at, &back, err);
    *pc = back.pc;
    return status == STATUS_OK && !(back.flags & TRAWL_HAS_INSTRUCTION)
               ? error_set(err, STATUS_NOT_FOUND, "it does not return to what it interrupted")
               : status;
}

// An exception came in place of an instruction, as a page fault does, or before the first one that
// its task executed: it goes on there.
static enum status find_resume(const struct index_view *view, uint64_t lane,
                               const struct trawl_call *exception, struct trawl_event *site,
                               struct error *err)
{
    uint64_t pc;
    if (site->flags & TRAWL_HAS_INSTRUCTION)
        return STATUS_OK;
    const enum status status = interrupted_at(view, lane, exception, &pc, err);
    if (status == STATUS_OK) {
        site->pc = pc;
        site->flags |= TRAWL_HAS_INSTRUCTION;
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status call_move_to_resume(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, const struct trawl_call *around,
                                struct trawl_event *site, struct error *err)
{
    struct trawl_event resume;
    struct trawl_call ended, called;
    uint64_t pc;
    if (around && around->began > site->in_lane) { // before its first instruction in this lane
        site->pc = around->pc;
        site->flags |= TRAWL_HAS_INSTRUCTION;
        if (!(around->how & TRAWL_CALL_TASK))
            return STATUS_OK;
        // A task may have run in another lane, up to anywhere.
        site->flags &= ~(uint32_t)TRAWL_HAS_INSTRUCTION;
        return find_resume(view, lane, exception, site, err);
    }
    enum status status = find_resumed(view, lane, exception, around, &pc, err);
    if (status == STATUS_OK)
        site->pc = pc_like(pc & ~UINT64_C(1), site->pc) | (site->pc & 1);
    if (status != STATUS_NOT_FOUND)
        return status;
    // It has not returned: after a return, the interrupted function is where it had called, be it
    // another function that the one that returned has replaced.
    status = call_at(view, lane, site->in_lane, &ended, err);
    bool has_returned = status == STATUS_OK && ended.exit == site->in_lane && ended.began &&
                        !(ended.how & (TRAWL_CALL_EXCEPTION | TRAWL_CALL_SUSPENDED)) &&
                        (!around || ended.depth > around->depth);
    if (has_returned)
        status = call_first_in_place(view, lane, &ended, around, &called, err);
    if (has_returned && status == STATUS_OK)
        status = index_view_event_of_lane(view, lane, called.began - 1, &resume, err);
    if (has_returned && status == STATUS_OK && resume.flags & TRAWL_HAS_INSTRUCTION)
        site->pc = resume.pc;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status call_find_place(const struct index_view *view, uint64_t lane, struct trawl_event *site,
                            struct error *err)
{
    struct trawl_error from;
    struct trawl_event before;
    uint64_t number;
    if (site->flags & TRAWL_HAS_INSTRUCTION)
        return STATUS_OK;
    enum trawl_status found =
        trawl_instruction_before(view->index, lane, site->in_lane, &number, &from);
    if (found == TRAWL_OK)
        found = trawl_event(view->index, number, &before, &from);
    if (found == TRAWL_OK) {
        site->pc = before.pc;
        site->flags |= before.flags;
    }
    return found == TRAWL_NOT_FOUND ? STATUS_OK : index_status(found, &from, err);
}

enum status call_made_site(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *call, struct trawl_event *site,
                           struct error *err)
{
    struct trawl_call ended, around;
    enum status status = exception_ending_at(view, lane, call->began - 1, &ended, err);
    if (status == STATUS_OK)
        status = call_interrupted_site(view, lane, &ended, site, err);
    if (status == STATUS_NOT_FOUND) {
        status = index_view_event_of_lane(view, lane, call->began - 1, site, err);
        return status == STATUS_OK ? call_find_place(view, lane, site, err) : status;
    }
    if (status == STATUS_OK)
        status = call_around(view, lane, call, &around, err);
    if (status == STATUS_OK)
        status = call_move_to_resume(view, lane, &ended, &around, site, err);
    const bool has_run = status == STATUS_OK && site->flags & TRAWL_HAS_INSTRUCTION;
    if (status == STATUS_OK)
        status = find_resume(view, lane, &ended, site, err);
    if (status == STATUS_OK && !has_run && !pcs_differ(site->pc, call->pc))
        site->flags &= ~(uint32_t)TRAWL_HAS_INSTRUCTION; // the handler of a signal, which ran first
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status call_site(const struct index_view *view, uint64_t lane, const struct trawl_call *first,
                      const struct trawl_call *around, struct trawl_event *site, struct error *err)
{
    if (!(first->how & TRAWL_CALL_EXCEPTION))
        return call_made_site(view, lane, first, site, err);
    enum status status = call_interrupted_site(view, lane, first, site, err);
    if (status == STATUS_OK)
        status = call_move_to_resume(view, lane, first, around, site, err);
    if (status == STATUS_NOT_FOUND) {
        status = index_view_event_of_lane(view, lane, first->began - 1, site, err);
        site->flags &= ~(uint32_t)TRAWL_HAS_INSTRUCTION;
    }
    return status == STATUS_OK ? find_resume(view, lane, first, site, err) : status;
}
