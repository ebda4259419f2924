#include "query/call_values.h"

#include "query/register_set.h"

#include <inttypes.h>
#include <stdio.h>

bool call_values_entry(const struct index_view *view, uint64_t lane, uint64_t began,
                       struct trawl_event *entry, struct trawl_event *before)
{
    return began && index_view_event_of_lane(view, lane, began, entry, NULL) == STATUS_OK &&
           index_view_event_of_lane(view, lane, began - 1, before, NULL) == STATUS_OK;
}

// A register of at most 8 bytes in the state after an event: "0x5", "?".
static void put_register(struct out *out, const struct index_view *view,
                         const struct trawl_event *at, const char *name)
{
    struct trawl_register which;
    struct register_value value;
    struct error err;
    char text[24] = "?";
    if (trawl_register_named(view->index, point_isa(view, at), name, strlen(name), &which, NULL) ==
            TRAWL_OK &&
        register_read(view, at->lane, at->event, &which, &value, &err) == STATUS_OK &&
        value.size_bytes <= 8 && value.known_bytes == value.size_bytes)
        snprintf(text, sizeof text, "0x%" PRIx64,
                 point_number(value.values, value.size_bytes, false));
    out_text(out, text);
}

void call_values_put(const struct index_view *view, struct names *names,
                     const struct call_place *call, struct out *arguments, struct out *result)
{
    struct trawl_event entry, before, last;
    struct point_registers registers = {.view = view, .lane = call->lane, .names = names};
    uint64_t result_address;
    if (!call_values_entry(view, call->lane, call->began, &entry, &before))
        return;
    registers.event = before.event;
    const bool is_typed = point_arguments(&registers, call->pc, arguments, &result_address);
    // The instruction set is that of the function.
    const struct trawl_event at = {.event = before.event, .flags = entry.flags, .lane = entry.lane};
    const char *const *given = is_typed ? NULL : view->arch->isas[point_isa(view, &at)].arguments;
    for (unsigned i = 0; i < CALL_VALUES_ARGUMENTS && given && given[i]; i++) {
        out_text(arguments, i ? " " : "");
        put_register(arguments, view, &at, given[i]);
    }
    if (call->exit == TRAWL_NONE ||
        index_view_event_of_lane(view, call->lane, call->exit, &last, NULL) != STATUS_OK)
        return;
    registers.event = last.event;
    const char *returned = view->arch->isas[point_isa(view, &last)].result;
    if (!(is_typed && point_result(&registers, call->pc, result_address, result)) && returned)
        put_register(result, view, &last, returned);
}
