// The name of a function: the symbol of its entry address, in either reading.
#ifndef TRAWL_ANALYSIS_NAMES_H
#define TRAWL_ANALYSIS_NAMES_H

#include "base/arena.h"
#include "base/hash_seed.h"
#include "elf/image_set.h"
#include "flow/function_id.h"
#include "flow/reading.h"
#include "idx/trawl.h"

struct name_options {
    enum reading reading;
    bool with_offsets;              // after the symbol, for entries that are not at its start
    bool demangle;                  // READING_RIGHT only
    bool keeps_mangled;             // no names are demangled, not even those of ids
    const struct function_ids *ids; // PCs are function ids; NULL: addresses. READING_RIGHT only
    bool is_arm;          // PCs may have the Thumb bit, images of other machines are refused;
                          // READING_RIGHT only
    uint64_t load_offset; // of images without one of their own; READING_RIGHT only
};

struct suggestion;

struct names {
    struct name_options options;
    struct arena arena;
    struct hash_seed seed;
    struct name_slot *slots; // pc to name, open addressing
    size_t slot_count, count;
    bool lacks_memory; // some name was not found for that: what shows names must not be shown
    // READING_TTU: one image, no load offset. NULL without.
    struct symbols *ttu_symbols;
    bool is_big_endian; // of the first image
    // READING_RIGHT.
    struct image_set images;
    void *id_names; // of options.ids
    // The function that was asked for and that no image knows, the one of the lowest id; NULL where
    // there is none, or no image.
    const char *unknown_id;
    uint32_t unknown_id_number;
    // Whose symbols are the names if there are no images; the caller's, and NULL: none.
    struct trawl_index *index;
};

void names_init(struct names *names, const struct name_options *options);
void names_free(struct names *names);

// Adds an image: one at most under READING_TTU; FILE[@OFFSET] under READING_RIGHT; with ids
// whatever says what they are called.
enum status names_add_image(struct names *names, const char *argument, struct error *err);

bool names_have_image(const struct names *names);

// Takes the names that an index keeps, if there are no images. They are there at once or not at
// all: STATUS_DAMAGED, the index is damaged. Does nothing under READING_TTU. The
// index must stay open until another, or NULL, is taken.
enum status names_take_index(struct names *names, struct trawl_index *index, struct error *err);

// The symbol called `name`: in the images, or without any in the index. It may be demangled where
// none is called so. With ids: its PC.
bool names_find_symbol(struct names *names, const char *name, uint64_t *address,
                       uint64_t *size_bytes);

// The name of the function entered at `pc` (with Thumb bit), "" if there is none, and without
// memory for it (lacks_memory). Valid as long as `names`. READING_TTU: "main + 0x8004" holds the
// whole PC; READING_RIGHT: "main+0x4", with ids
// "#12" where the function has no name.
const char *names_of(struct names *names, uint64_t pc);

// STATUS_MEMORY, once, after some name was not found for that: what shows names must not be shown.
enum status names_check(struct names *names, struct error *err);

// As names_of; of one without a name its address, written to `address`.
#define NAMES_ADDRESS_BYTES 20
const char *names_or_address(struct names *names, uint64_t pc, char address[NAMES_ADDRESS_BYTES]);

// The same as names_of without offset, whatever the options.
const char *names_of_root(struct names *names, uint64_t pc);

// Where the symbol begins that names an address. False: none does. Not of READING_TTU, nor of ids.
bool names_start_of(const struct names *names, uint64_t pc, uint64_t *start);

// Offers the names that functions have, in the images and as they were shown. True: one of them is
// just what is wanted.
bool names_offer(struct names *names, struct suggestion *suggestion);

// Whether the function at `pc` has this name: as it is shown, or as its object has it.
bool names_is_called(struct names *names, uint64_t pc, const char *name);

// With ids: the PC of the first function of that name (names_is_called), which may be "#12".
bool names_find_id(struct names *names, const char *name, uint64_t *pc);

#endif
