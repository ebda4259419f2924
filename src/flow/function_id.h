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

// The PC for what a lane does outside of all calls: no function has it.
#define FUNCTION_PC_OUTSIDE (UINT64_C(1) << 33)

// Reads from programs and shared objects what ids mean; for each kind of trace with ids. The
// caller's `self` has what was read so far, and is NULL at first.
struct function_ids {
    const char *outside; // the name of FUNCTION_PC_OUTSIDE
    // Reads the file of --image; images are added to the set, and must stay there. Afterwards the
    // trace's kind numbers the objects (number_objects in trace/trace.h).
    enum status (*add)(void **self, const char *argument, uint64_t load_offset,
                       struct image_set *images, struct error *err);
    void (*free)(void *self);
    // The name of the function with that id in its object; NULL: none.
    const char *(*name)(const void *self, uint32_t id);
    // The id of function `number` among all functions of the objects. False: there are fewer.
    bool (*at)(const void *self, size_t number, uint32_t *id);
};

#endif
