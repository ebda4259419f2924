// Where the code that an exception interrupted will continue while the exception is handled.
#include "unwind/call_site.h"

#include "base/limits.h"
#include "query/point.h"

static enum status not_shown(struct error *err)
{
    return error_set(err, STATUS_NOT_FOUND, "the trace does not show what an exception returns to");
}

// --- By what the machine has put on its stack ----------------------------------------------------

static bool read_named(const struct index_view *view, const struct trawl_event *about, uint32_t isa,
                       const char *name, uint64_t *value)
{
    struct trawl_register which;
    struct point_registers registers = {.view = view, .lane = about->lane, .event = about->event};
    const struct expression_registers reader = point_registers(&registers);
    return trawl_register_named(view->index, isa, name, strlen(name), &which, NULL) == TRAWL_OK &&
           reader.read(reader.self, &which, value);
}

// The M profile stacks the return address and the status register above others.
static enum status find_stacked(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, uint64_t *pc, struct error *err)
{
    enum { WORDS_BYTES = 8, ALIGNMENT = 8 };
    const struct exception_rules *rules = view->arch->exceptions;
    struct trawl_event site, first = {0}, entry = {0};
    struct trawl_write write;
    struct trawl_error from;
    uint64_t sp, link;
    uint8_t bytes[4], known[4];
    if (!rules || rules->link_first > rules->link_last)
        return not_shown(err);
    enum status status = call_interrupted_site(view, lane, exception, &site, err);
    if (status == STATUS_OK)
        status = index_view_event_of_lane(view, lane, site.in_lane + 1, &first, err);
    entry = first;
    // The line of the exception may be an event of its own.
    if (status == STATUS_OK && !(first.flags & TRAWL_HAS_INSTRUCTION))
        status = index_view_event_of_lane(view, lane, site.in_lane + 2, &entry, err);
    if (status != STATUS_OK)
        return status;
    const uint32_t isa = entry.flags & TRAWL_ISA;
    if (!read_named(view, &site, isa, "sp", &sp) || !read_named(view, &entry, isa, "lr", &link) ||
        !exception_link(rules, link))
        return not_shown(err);
    const uint64_t stacked =
        link & rules->link_without_fp ? rules->stacked_bytes : rules->stacked_with_fp_bytes;
    const uint64_t at =
        ((sp - stacked) & ~(uint64_t)(ALIGNMENT - 1)) + rules->stacked_bytes - WORDS_BYTES;
    enum trawl_status found = trawl_memory_written(view->index, entry.event, TRAWL_BACKWARD, at,
                                                   sizeof bytes, &write, &from);
    if (found == TRAWL_OK && write.event >= first.event)
        found = index_view_memory(view, entry.event, at, sizeof bytes, bytes, known, &from);
    else if (found == TRAWL_OK)
        return not_shown(err);
    if (found != TRAWL_OK)
        return index_status(found, &from, err);
    for (unsigned i = 0; i < sizeof bytes; i++)
        if (!known[i])
            return not_shown(err);
    *pc = point_number(bytes, sizeof bytes, false) & ~UINT64_C(1);
    return STATUS_OK;
}

// --- By the register that keeps it ---------------------------------------------------------------

// The value to which the register was set from event `since` on, when the lane reached `entry`.
// STATUS_NOT_FOUND: it was not set.
static enum status read_fresh(const struct index_view *view, uint64_t since,
                              const struct trawl_event *entry, const struct trawl_register *which,
                              uint64_t *value, struct error *err)
{
    struct trawl_error from;
    uint64_t written;
    struct point_registers registers = {.view = view, .lane = entry->lane, .event = entry->event};
    const struct expression_registers reader = point_registers(&registers);
    enum status status =
        index_status(trawl_register_written(view->index, entry->lane, entry->event, TRAWL_BACKWARD,
                                            which->offset, which->size_bytes, &written, &from),
                     &from, err);
    if (status == STATUS_OK && written < since)
        return not_shown(err);
    if (status != STATUS_OK || reader.read(reader.self, which, value))
        return status;
    if (!registers.has_failed)
        return not_shown(err);
    *err = registers.err;
    return err->status;
}

enum status interrupted_kept_at(const struct index_view *view, uint64_t lane,
                                const struct trawl_call *exception, uint64_t *pc, struct error *err)
{
    const char *const *name = view->arch->exception_returns;
    struct trawl_event entry = {0}, before = {0};
    struct trawl_register which;
    enum status status = index_view_event_of_lane(view, lane, exception->began, &entry, err);
    // The line of the exception is an event of its own, if it has another time than the handler's
    // first instruction.
    if (status == STATUS_OK && exception->began)
        status = index_view_event_of_lane(view, lane, exception->began - 1, &before, err);
    const bool is_apart = before.flags & TRAWL_EXCEPTION && !(before.flags & TRAWL_HAS_INSTRUCTION);
    const uint64_t since = is_apart ? before.event : entry.event;
    const uint32_t isa = entry.flags & TRAWL_ISA;
    if (status != STATUS_OK)
        return status;
    if (!(view->arch->exception_returns_isas >> isa & 1))
        name = NULL;
    for (; name && *name; name++) {
        if (trawl_register_named(view->index, isa, *name, strlen(*name), &which, NULL) !=
                TRAWL_OK ||
            which.size_bytes > sizeof *pc)
            continue;
        status = read_fresh(view, since, &entry, &which, pc, err);
        if (status != STATUS_NOT_FOUND)
            return status;
    }
    // A32: the link register is behind it, except for SVC.
    const struct exception_rules *rules = view->arch->exceptions;
    const uint8_t distance = rules ? rules->link_distances[exception->pc / 4 % 8] : 0;
    if (distance &&
        trawl_register_named(view->index, isa, "lr", strlen("lr"), &which, NULL) == TRAWL_OK) {
        status = read_fresh(view, since, &entry, &which, pc, err);
        if (status == STATUS_OK && *pc < rules->link_first) {
            *pc = (*pc - distance) & ~UINT64_C(1);
            return STATUS_OK;
        }
        if (status != STATUS_OK && status != STATUS_NOT_FOUND)
            return status;
    }
    return find_stacked(view, lane, exception, pc, err);
}

// --- By where it continues -----------------------------------------------------------------------

// Moves *at on to the first event that the task executes. STATUS_NOT_FOUND: there is none soon.
static enum status find_run(const struct index_view *view, uint64_t lane, uint64_t task,
                            uint64_t *at, struct error *err)
{
    struct trawl_task_run run;
    struct trawl_error from;
    enum trawl_status found = trawl_task_run_at(view->index, lane, *at, &run, &from);
    for (unsigned i = 0; i < LIMIT_TASK_RUNS_FOLLOWED && found == TRAWL_OK && run.task != task; i++)
        found = trawl_task_run(view->index, lane, run.run + 1, &run, &from);
    if (found != TRAWL_OK)
        return index_status(found, &from, err);
    *at = u64_max(*at, run.first);
    return run.task == task ? STATUS_OK : not_shown(err);
}

// The exception that keeps the task from continuing at one of its events: the previous one, if the
// task was switched out in its handler, or another that begins there at once. STATUS_NOT_FOUND:
// none.
static enum status find_exception(const struct index_view *view, uint64_t lane, uint64_t at,
                                  const struct trawl_call *before, struct trawl_call *exception,
                                  struct error *err)
{
    struct trawl_error from;
    struct trawl_call call;
    enum status status =
        index_status(trawl_call_at(view->index, lane, at, &call, &from), &from, err);
    for (bool is_innermost = true; status == STATUS_OK; is_innermost = false) {
        bool is_same = before->how & TRAWL_CALL_SUSPENDED && call.began == before->began;
        if (call.how & TRAWL_CALL_EXCEPTION && (is_same || (is_innermost && call.entry == at))) {
            *exception = call;
            return STATUS_OK;
        }
        if (call.parent == TRAWL_NONE)
            break;
        status = index_status(trawl_call(view->index, lane, call.parent, &call, &from), &from, err);
    }
    return status == STATUS_OK ? not_shown(err) : status;
}

enum status interrupted_continues(const struct index_view *view, uint64_t lane,
                                  const struct trawl_call *exception, uint64_t *at,
                                  struct error *err)
{
    struct trawl_call next = *exception;
    struct trawl_task_run run;
    struct trawl_error from;
    enum status status = index_status(
        trawl_task_run_at(view->index, lane, exception->began, &run, &from), &from, err);
    for (unsigned i = 0; status == STATUS_OK && i < LIMIT_EXCEPTIONS_FOLLOWED; i++) {
        *at = next.exit + 1;
        if (next.is_open || *at >= view->lanes[lane].events)
            return not_shown(err);
        status = find_run(view, lane, run.task, at, err);
        if (status != STATUS_OK)
            return status;
        status = find_exception(view, lane, *at, &next, &next, err);
        if (status == STATUS_NOT_FOUND)
            return STATUS_OK;
    }
    return status == STATUS_OK ? not_shown(err) : status;
}

enum status interrupted_continues_at(const struct index_view *view, uint64_t lane,
                                     const struct trawl_call *exception, uint64_t *pc,
                                     struct error *err)
{
    struct trawl_event back;
    struct trawl_call there;
    uint64_t at;
    enum status status = interrupted_continues(view, lane, exception, &at, err);
    if (status != STATUS_OK)
        return status;
    if (trawl_call_at(view->index, lane, at, &there, NULL) == TRAWL_OK && there.began == at)
        return not_shown(err); // the handler of a signal
    status = index_view_event_of_lane(view, lane, at, &back, err);
    *pc = back.pc & ~UINT64_C(1);
    return status == STATUS_OK && !(back.flags & TRAWL_HAS_INSTRUCTION) ? not_shown(err) : status;
}

// --- Either way ----------------------------------------------------------------------------------

enum status interrupted_at(const struct index_view *view, uint64_t lane,
                           const struct trawl_call *exception, uint64_t *pc, struct error *err)
{
    enum status status = interrupted_kept_at(view, lane, exception, pc, err);
    return status == STATUS_NOT_FOUND ? interrupted_continues_at(view, lane, exception, pc, err)
                                      : status;
}
