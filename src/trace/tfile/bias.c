#include "trace/tfile/tfile.h"

#define PAGE_BYTES UINT64_C(4096)

// Where programs on Linux are loaded without address randomization, which gdbserver turns off.
#define X86_64_BASE UINT64_C(0x555555554000)

// The function in a location as the user typed it: [FILE:]FUNCTION. NULL: a line or an address.
static const char *function_in(const char *at)
{
    const char *colon = strrchr(at, ':');
    const char *name = colon ? colon + 1 : at;
    bool is_other = *name == '*' || *name == '-' || *name == '+' || (*name >= '0' && *name <= '9');
    return *name && !is_other ? name : NULL;
}

// The load address of the image according to one tracepoint.
static bool vote(const struct tfile_location *location, const struct image_member *member,
                 uint64_t *bias)
{
    const char *name = location->at ? function_in(location->at) : NULL;
    const struct symbol *symbol = name ? symbols_by_name(member->symbols, name) : NULL;
    if (!symbol || !symbol->is_function)
        return false;
    *bias = (location->address - symbol->address) & ~(PAGE_BYTES - 1) & member->address_mask;
    uint64_t behind = (location->address - *bias - symbol->address) & member->address_mask;
    return behind < PAGE_BYTES && (!symbol->size || behind < symbol->size);
}

static bool is_usual(const struct tfile *file, const struct image_member *member)
{
    if (file->registers.machine != TFILE_X86_64)
        return false;
    for (size_t i = 0; i < file->locations.count; i++) {
        const struct symbol *symbol =
            symbols_by_address(member->symbols, file->locations.items[i].address - X86_64_BASE);
        if (symbol && symbol->is_function)
            return true;
    }
    return false;
}

bool tfile_bias(const struct tfile *file, const struct image_member *member, uint64_t *bias)
{
    uint64_t candidate = 0, voted;
    size_t balance = 0, agreeing = 0, voters = 0;
    if (!image_is_movable(member->image))
        return false;
    // Majority vote: each vote cancels one for a different address, so the majority is left over.
    for (size_t i = 0; i < file->locations.count; i++) {
        if (!vote(&file->locations.items[i], member, &voted))
            continue;
        voters++;
        candidate = balance ? candidate : voted;
        balance += voted == candidate ? 1 : (size_t)-1;
    }
    for (size_t i = 0; i < file->locations.count; i++)
        agreeing += vote(&file->locations.items[i], member, &voted) && voted == candidate;
    if (2 * agreeing > voters) {
        *bias = candidate;
        return true;
    }
    *bias = X86_64_BASE;
    return !voters && is_usual(file, member);
}
