#include "flow/stack_pointer.h"

#include "idx/caller.h"
#include "idx/segment_rows.h"

// Whether SP is known at an event, as a register of one instruction set: from its first write on.
static enum trawl_status find_in_set(struct trawl_index *index, uint64_t lane, uint64_t event,
                                     uint32_t isa, bool *shows, struct trawl_error *from)
{
    struct trawl_register sp;
    uint8_t values[8], known[8] = {0};
    enum trawl_status status = trawl_register_with(index, isa, TRAWL_REGISTER_SP, &sp, from);
    if (status == TRAWL_OK && sp.size_bytes <= sizeof values)
        status = trawl_registers(index, lane, event, sp.offset, (size_t)sp.size_bytes, values,
                                 known, from);
    *shows |= known[0];
    return status == TRAWL_NOT_FOUND ? TRAWL_OK : status;
}

// AArch64 has a separate register for SP. The SP of AArch32 is stored in place of x13, so it is
// checked only if the lane ended in AArch32.
static enum trawl_status find_in_lane(struct trawl_index *index, uint64_t lane, uint64_t events,
                                      bool *shows, struct trawl_error *from)
{
    uint64_t last;
    struct trawl_event about;
    enum trawl_status status = trawl_event_of_lane(index, lane, events - 1, &last, from);
    if (status == TRAWL_OK)
        status = trawl_event(index, last, &about, from);
    if (status == TRAWL_OK)
        status = find_in_set(index, lane, last, EVENT_ISA_A64, shows, from);
    if (status == TRAWL_OK && (about.flags & TRAWL_ISA) != EVENT_ISA_A64)
        status = find_in_set(index, lane, last, about.flags & TRAWL_ISA, shows, from);
    return status;
}

enum status stack_pointer_lacks(struct trawl_index *index, bool *lacks, struct error *err)
{
    uint64_t transfers = 0;
    bool shows = false;
    struct trawl_info info;
    struct trawl_lane about;
    struct trawl_error from;
    enum trawl_status status = TRAWL_OK;
    trawl_info(index, &info);
    for (uint64_t i = 0; i < info.lanes && status == TRAWL_OK && !shows; i++) {
        status = trawl_lane(index, i, &about, &from);
        if (status != TRAWL_OK)
            break;
        transfers += about.transfers;
        if (about.events)
            status = find_in_lane(index, i, about.events, &shows, &from);
    }
    *lacks = status == TRAWL_OK && !shows && transfers;
    return status == TRAWL_MEMORY ? index_status(status, &from, err) : STATUS_OK;
}
