// How exceptions of an architecture look to whoever follows calls (flow/shadow_stack.h): facts that
// its row gives (arch/arch.h).
//
// Where a handler returns by a value in the link register that is no address (EXC_RETURN of Arm's M
// profile), its bits say what it returns to, and the machine itself puts registers on a stack.
#ifndef TRAWL_FLOW_EXCEPTIONS_H
#define TRAWL_FLOW_EXCEPTIONS_H

#include "base/base.h"

struct exception_rules {
    // The values with which handlers return; first > last: there are none.
    uint64_t link_first, link_last;
    uint32_t link_to_thread;  // bits of it: not to another handler;
    uint32_t link_to_process; // to the stack on which tasks run;
    uint32_t link_without_fp; // registers of floating point are not on the stack
    // What the machine puts on the stack of a task: without these, with them, and at most.
    uint32_t stacked_bytes, stacked_with_fp_bytes, stacked_most_bytes;
    // The instruction with which calls enter the other security state. Its line has that state, but
    // the machine is still in the one of the caller. 0: there is none.
    uint32_t gate_encoding;
    // Of tables of vectors that have code: of an entry, and of all. Others have addresses of
    // handlers.
    uint32_t vector_bytes, table_bytes;
    uint64_t low_vectors_end; // vectors are also below this address
    // All modes have the same stack pointer, which is as it was when an exception returns to what
    // it interrupted.
    bool has_one_stack;
    // A trace may show of an exception only that control broke off and went on in the handler.
    bool are_silent;
    // Which vectors are those of interrupts, which no instruction causes: by their number in the
    // table, as bits, where entries have `vector_bytes`, and where they have 4.
    uint8_t interrupt_entries, interrupt_words;
    // How far the link register is behind where an exception returns to, by the number of its
    // vector of 4 bytes; 0: it says nothing.
    uint8_t link_distances[8];
};

static inline bool exception_link(const struct exception_rules *rules, uint64_t link)
{
    return link >= rules->link_first && link <= rules->link_last;
}

// Whether an exception whose handler is at `pc`, with this link register, is an interrupt.
// `was_called`: it came right after an instruction that calls the system.
static inline bool exception_is_interrupt(const struct exception_rules *rules, uint64_t pc,
                                          uint64_t link, bool was_called)
{
    if (exception_link(rules, link)) // handlers are anywhere
        return !was_called;
    bool is_entry = pc % rules->vector_bytes == 0;
    return is_entry ? rules->interrupt_entries >> pc / rules->vector_bytes % 8 & 1
                    : rules->interrupt_words >> pc / 4 % 8 & 1;
}

#endif
