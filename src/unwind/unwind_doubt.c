#include "unwind/unwind_trace.h"

#include "unwind/call_site.h"

// --- The function of a call ----------------------------------------------------------------------

// The most functions in a row that run into each other.
enum { FUNCTIONS_IN_A_ROW = 8 };

bool call_is_same_function(const struct image_set *images, uint64_t a, uint64_t b)
{
    struct image_symbol a_place, b_place;
    bool has_a = image_set_by_address(images, a, &a_place);
    bool has_b = image_set_by_address(images, b, &b_place);
    return has_a == has_b && (!has_a || a_place.address == b_place.address);
}

static bool runs_into(const struct image_set *images, uint64_t from, uint64_t pc)
{
    struct image_symbol to, place;
    bool is_there =
        image_set_by_address(images, pc, &to) && image_set_by_address(images, from, &place);
    for (unsigned i = 0; i < FUNCTIONS_IN_A_ROW && is_there && place.address < to.address; i++) {
        uint64_t end = place.address + place.symbol->size;
        is_there = image_set_by_address(images, end, &place) && place.address == end;
    }
    return is_there && place.address == to.address;
}

bool call_has_pc(const struct image_set *images, const struct trawl_call *call, uint64_t pc)
{
    uint64_t entry = call->pc & ~UINT64_C(1);
    struct image_symbol place;
    size_t member;
    if (!image_set_by_address(images, pc, &place) && image_set_member_at(images, pc, &member))
        return true;
    return call_is_same_function(images, entry, pc) || runs_into(images, entry, pc);
}

// --- Doubts --------------------------------------------------------------------------------------

// The position among the calls while the stack is compared: a call, and the call in which it was
// made.
struct walk {
    const struct index_view *view;
    const struct image_set *images;
    uint64_t lane;
    struct trawl_call call, around;
    bool has_around;
    bool is_interrupted;     // by the call
    struct trawl_event site; // the last instruction of its caller, or of the interrupted code
};

// Moves to the call in which `walk->call` was made, or which it interrupted. Calls replaced by a
// tail call have no frame and are skipped, also after an exception. STATUS_NOT_FOUND: there is
// none.
static enum status look_around(struct walk *walk, struct error *err)
{
    const struct index_view *view = walk->view;
    struct trawl_call first;
    enum status status = call_first_in_place(view, walk->lane, &walk->call, NULL, &first, err);
    if (status != STATUS_OK)
        return status;
    walk->is_interrupted = first.how & TRAWL_CALL_EXCEPTION;
    if (walk->is_interrupted)
        status = call_interrupted_site(view, walk->lane, &first, &walk->site, err);
    else
        status = index_view_event_of_lane(view, walk->lane, first.began - 1, &walk->site, err);
    if (status != STATUS_OK)
        return status;
    status = call_around(view, walk->lane, &first, &walk->around, err);
    walk->has_around = status == STATUS_OK;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

// Whether a frame is where the call was made. An exception may also come directly after a function
// has returned to it.
static bool is_at_site(const struct walk *walk, const struct unwind_frame *frame)
{
    uint64_t pc = unwind_lookup_pc(frame);
    return call_is_same_function(walk->images, walk->site.pc & ~UINT64_C(1), pc) ||
           (walk->is_interrupted && walk->has_around &&
            call_has_pc(walk->images, &walk->around, pc));
}

// Goes over the frames from the innermost, which is at the point of the trace, outward. Frames
// outside of all known calls cannot be doubted.
static enum status compare(struct walk *walk, struct unwind_stack *stack, struct error *err)
{
    size_t i = 1;
    for (bool has_call = true; has_call; i++) {
        enum status status = look_around(walk, err);
        if (status == STATUS_NOT_FOUND) {
            bool is_too_long = i < stack->count && walk->call.how & TRAWL_CALL_TASK;
            stack->doubt = is_too_long ? i : UNWIND_NO_DOUBT;
            return STATUS_OK;
        }
        if (status != STATUS_OK)
            return status;
        bool is_missing = i == stack->count;
        if (is_missing ? stack->end == UNWIND_OUTERMOST : !is_at_site(walk, &stack->frames[i]))
            stack->doubt = i;
        if (is_missing || stack->doubt != UNWIND_NO_DOUBT)
            return STATUS_OK;
        walk->call = walk->around;
        has_call = walk->has_around;
    }
    return STATUS_OK;
}

enum status unwind_doubt_find(const struct index_view *view, const struct image_set *images,
                              const struct trawl_event *at, struct unwind_stack *stack,
                              struct error *err)
{
    struct walk walk = {.view = view, .images = images, .lane = at->lane};
    struct trawl_error from;
    uint64_t next = at->in_lane + (at->in_lane + 1 < view->lanes[at->lane].events);
    enum status status =
        index_status(trawl_call_at(view->index, at->lane, next, &walk.call, &from), &from, err);
    if (status != STATUS_OK || !stack->count)
        return status == STATUS_NOT_FOUND ? STATUS_OK : status;
    return compare(&walk, stack, err);
}
