// Several images at once, each moved by an offset: loader, kernel, application, shared objects.
// Says which symbol of which image names an address, and where a name is.
#ifndef TRAWL_ELF_IMAGE_SET_H
#define TRAWL_ELF_IMAGE_SET_H

#include "base/vec.h"
#include "elf/address_index.h"
#include "elf/symbols.h"

struct image_member {
    struct image *image;
    struct symbols *symbols; // SYMBOLS_RIGHT
    uint64_t offset;         // added to its addresses; a negative one as two's complement
    uint64_t address_mask;   // 32 or 64 bits: addresses wrap as those of the machine do
    bool has_ranges;         // whether it says which addresses it covers
    bool is_placed;          // the user stated its offset
    bool overlaps;           // another image has some of its addresses
    bool is_doubtful;        // it does not fit all of the trace
    // Which core runs it, and when, as the user stated; NULL, 0 and UINT64_MAX: any, always.
    char *lane;  // owned
    char *space; // owned: a part of the name of the only address space that has it (idx/spaces.h)
    uint64_t first_time, last_time;
    bool is_by_encodings; // programs without an image run at its addresses
    bool shares_code;     // it is of some cores or times only, or others have code at its addresses
    uint32_t program;     // if it was moved apart from others (elf/image_programs.h): from 1
};

// The addresses first to last, both included, belong to a member.
struct image_range {
    uint64_t first, last;
    size_t member;
};

// All zero is an empty set. Fields are for reading.
struct image_set {
    VEC(, struct image_member) members; // in the order in which they were added
    VEC(, struct image_range) ranges;   // ascending, without overlap
};

struct image_symbol {
    const struct symbol *symbol;
    uint64_t address; // of the symbol as it was loaded, without the Thumb bit
    size_t member;
};

// Opens `path` and adds it, moved by `offset`. It covers its loadable segments, or without any its
// allocated sections; where two images cover an address, the one added first has it. On failure the
// set is as it was.
enum status image_set_add(struct image_set *set, const char *path, uint64_t offset,
                          struct error *err);

// Adds the image of --image: [LANE=|SPACE=]FILE[@OFFSET][ A..B], the last from time A to time B.
// The offset is a C integer that may be negative. If the whole argument, or what follows LANE=, is
// the name of a file, it has no offset. FILE alone is moved by `default_offset`. A name before "="
// that has a slash in it is no lane's. The name of a space (TTBR0_EL1=0x41000000) has "=" itself:
// it ends where a file follows.
enum status image_set_add_argument(struct image_set *set, const char *argument,
                                   uint64_t default_offset, struct error *err);

// Moves a member to where the trace shows that it was. On failure the set is empty of ranges.
enum status image_set_move(struct image_set *set, size_t member, uint64_t offset,
                           struct error *err);

void image_set_free(struct image_set *set);

// The symbol that names the run-time address `address`: from the image that covers it; if none
// does, from the first with a symbol for it among the images whose coverage is unknown. O(log n).
bool image_set_by_address(const struct image_set *set, uint64_t address, struct image_symbol *out);

// The name of the section of data around the run-time address `address`, in the image that covers
// it, and where that begins. False: there is none, it has code, or the image is not linked.
bool image_set_data_section(const struct image_set *set, uint64_t address, const char **name,
                            uint64_t *start);

// The member that covers the address. False: none is known to cover it.
bool image_set_member_at(const struct image_set *set, uint64_t address, size_t *member);

// Whether the address may be in an image: also true if the coverage of one is unknown.
bool image_set_may_cover(const struct image_set *set, uint64_t address);

// The symbol called `name` (symbols_by_name) in the first image that has one.
bool image_set_by_name(const struct image_set *set, const char *name, struct image_symbol *out);

// Whether the user stated that no core runs both at one time.
static inline bool image_members_alternate(const struct image_member *a,
                                           const struct image_member *b)
{
    return (a->lane && b->lane && strcmp(a->lane, b->lane) != 0) ||
           (a->space && b->space && strcasecmp(a->space, b->space) != 0) ||
           a->last_time < b->first_time || b->last_time < a->first_time;
}

// STATUS_LIMIT if the names of all symbols of an image, each in full, take more than
// LIMIT_IMAGE_NAME_TEXT: names may be ends of one string, so that what contains all of them would
// be out of proportion to the file.
enum status image_set_check_names(const struct image_set *set, struct error *err);

// Adds 0, and the start and end of each range. False: no memory.
static inline bool image_set_add_bounds(const struct image_set *set, struct address_vec *bounds)
{
    if (!VEC_ROOM(bounds, 2 * set->ranges.count + 1))
        return false;
    bounds->items[bounds->count++] = 0;
    for (size_t i = 0; i < set->ranges.count; i++) {
        bounds->items[bounds->count++] = set->ranges.items[i].first;
        bounds->items[bounds->count++] = set->ranges.items[i].last + 1;
    }
    return true;
}

#endif
