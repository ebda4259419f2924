#include "analysis/call_function.h"

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
