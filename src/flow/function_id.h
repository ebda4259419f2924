// Functions that a trace identifies by ids instead of addresses: how ids take the place of PCs, and
// where their names come from.
#ifndef TRAWL_FLOW_FUNCTION_ID_H
#define TRAWL_FLOW_FUNCTION_ID_H

#include "base/error.h"
#include "elf/image_set.h"

// Shifted, as bit 0 of a PC belongs to the instruction set.
static inline uint64_t function_pc(uint32_t id)
{
    return (uint64_t)id << 1;
}

static inline uint32_t function_id(uint64_t pc)
{
    return (uint32_t)(pc >> 1);
}

// What stands for the PC of what a lane does outside of every call: no function has it.
#define FUNCTION_PC_OUTSIDE (UINT64_C(1) << 33)

// What programs and shared objects say of ids. A kind of trace that has ids has one of these; what
// was read so far is the caller's `self`, NULL to begin with.
struct function_ids {
    const char *outside; // what FUNCTION_PC_OUTSIDE is called
    // Reads what --image names; images are added to the set, and must stay there. The trace's
    // kind numbers the objects then (number_objects in trace/trace.h).
    enum status (*add)(void **self, const char *argument, uint64_t load_offset,
                       struct image_set *images, struct error *err);
    void (*free)(void *self);
    // The function with that id as its object calls it; NULL: it has no name.
    const char *(*name)(const void *self, uint32_t id);
    // The id of function `number`, of all that the objects have. False: there are not so many.
    bool (*at)(const void *self, size_t number, uint32_t *id);
};

#endif
