// Keys of instructions that are equal in two builds of a program: what `diff --other-image` aligns.
//
// The key of an instruction is its function, by name (build_functions.h), and its encoding, in
// which a place of code or data counts as the name of what is there, and as nothing inside the
// function itself. So code that only moved is equal, a function that changed is equal but for the
// instructions that changed, and a call of something else, or another constant, is a difference.
// (Offsets in functions were tried first: all behind an inserted instruction differs, and all
// behind each call of that function with it.) Where an image has no bytes, it is the offset.
//
// A function is decoded as a whole when one of its instructions is first met: eight bytes of memory
// for each possible instruction, and about 20 ns.
#ifndef TRAWL_DIFF_BUILD_KEYS_H
#define TRAWL_DIFF_BUILD_KEYS_H

#include "diff/build_functions.h"
#include "elf/image_memory.h"

struct coded_function {
    uint64_t start, end; // addresses
    uint32_t isa;
    size_t first; // of its keys
};

struct build_keys {
    struct names *names;
    const struct hash_seed *seed; // of both builds
    struct build_functions functions;
    struct image_memory memory;
    VEC(, struct coded_function) coded;
    struct hash_index by_start;
    VEC(, uint64_t) keys; // for each least unit of code in them; 0: no instruction begins there
    uint32_t recent;      // of coded
    bool lacks_memory;    // for a key: what was made of it is not to be shown
};

// STATUS_MEMORY or STATUS_OK; build_keys_close either way.
enum status build_keys_open(struct build_keys *keys, struct names *names,
                            const struct hash_seed *seed, struct error *err);
void build_keys_close(struct build_keys *keys);

// The key of the instruction at a PC, or with ids of a function. For struct key_map.
uint64_t build_keys_of(void *keys, uint64_t pc);

#endif
