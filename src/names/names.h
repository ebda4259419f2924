// Names of functions: the symbol of the entry address, in either reading.
//
// Names come from images, or else from the index, which keeps those that its images had; under the
// tarmac-* names from one image, by TTU's rules. A name is made when it is first asked for, and
// stored by PC. The names that --hide leaves out are here too, because they are matched against
// names.
#ifndef TRAWL_NAMES_NAMES_H
#define TRAWL_NAMES_NAMES_H

#include "arch/arch.h"
#include "base/arena.h"
#include "base/hash_index.h"
#include "base/program_pc.h"
#include "base/vec.h"
#include "dwarf/image_lines.h"
#include "elf/image_set.h"
#include "flow/function_id.h"
#include "flow/reading.h"
#include "idx/trawl.h"

#include <pthread.h>

// --- names.c -------------------------------------------------------------------------------------

struct name_options {
    enum reading reading;
    bool with_offsets;              // after the symbol, for entries that are not at its start
    bool demangle;                  // READING_TRUE only
    bool keeps_mangled;             // no names are demangled, not even those of ids
    const struct function_ids *ids; // PCs are function ids; NULL: addresses. READING_TRUE only
    const struct arch *arch; // images of other machines are refused; NULL: none are. READING_TRUE
                             // only
    bool takes_any_machine;  // no image is refused: no trace says which machine it is of
    uint64_t load_offset;    // for images without their own; READING_TRUE only
};

struct suggestion;

struct given_name {
    uint64_t pc;
    const char *name;
};

// An address that a user typed as an expression, once it is looked up.
struct typed_address {
    bool is_looked_up, is_known;
    uint64_t value;
};

struct names {
    struct name_options options;
    struct arena arena;
    VEC(, struct given_name) given; // so far
    struct hash_index by_pc;
    bool lacks_memory; // some name was not found for that: what shows names must not be shown
    // READING_TTU: one image, no load offset. NULL: none.
    struct symbols *ttu_symbols;
    bool is_big_endian; // of the first image
    // READING_TRUE.
    struct image_set images;
    bool has_programs; // PCs, in the images or the index, may say of which program they are
    void *id_names;    // of options.ids
    // The function with the lowest id that was requested and is in no image; NULL: none, or no
    // images.
    const char *unknown_id;
    uint32_t unknown_id_number;
    struct image_lines *types; // of the images, once they were asked for (names_types)
    // Its symbols are the names if there are no images. Owned by the caller; NULL: none.
    struct trawl_index *index;
};

void names_init(struct names *names, const struct name_options *options);
void names_free(struct names *names);

// Adds an image: at most one with READING_TTU; FILE[@OFFSET] with READING_TRUE; with ids, any file
// that names them.
enum status names_add_image(struct names *names, const char *argument, struct error *err);

bool names_have_image(const struct names *names);

// Takes the names stored in an index, if there are no images. All are read at once. STATUS_DAMAGED:
// the index is damaged. Does nothing with READING_TTU. The index must stay open until another, or
// NULL, is taken.
enum status names_take_index(struct names *names, struct trawl_index *index, struct error *err);

// Finds the symbol `name` in the images or, without any, in the index; if there is none, by its
// demangled name. With ids: its PC.
bool names_find_symbol(struct names *names, const char *name, uint64_t *address,
                       uint64_t *size_bytes);

// The types and variables of the images, for expressions. NULL: there are no images with addresses,
// or no memory (lacks_memory). DWARF is read when a name is first looked up.
struct image_lines *names_types(struct names *names);

// A PC as it is shown: the machine's.
static inline uint64_t names_address(const struct names *names, uint64_t pc)
{
    return names->has_programs ? pc_address(pc) : pc;
}

// The bits of PCs that are no part of an address.
static inline uint64_t names_code_bits(const struct names *names)
{
    return names->options.arch ? names->options.arch->code_bits : 0;
}

// The name of the function entered at `pc` (with code bit); "" if there is none, or no memory
// (lacks_memory). Valid as long as `names`. READING_TTU: "main + 0x8004", with the whole PC;
// READING_TRUE: "main+0x4", and with ids "#12" for a function without a name.
const char *names_of(struct names *names, uint64_t pc);

// STATUS_MEMORY, once, if a name was not found for lack of memory: do not show output with names.
enum status names_check(struct names *names, struct error *err);

// Like names_of, but without a name the address, written to `address`.
#define NAMES_ADDRESS_BYTES 20
const char *names_or_address(struct names *names, uint64_t pc, char address[NAMES_ADDRESS_BYTES]);

// Like names_of, without offset for any options.
const char *names_of_root(struct names *names, uint64_t pc);

// The start of the symbol that names an address. False: there is none. Not for READING_TTU or ids.
bool names_start_of(const struct names *names, uint64_t pc, uint64_t *start);

// What a value points to that may be an address of code or data: the name of a symbol, or of a
// section of data, and the bytes behind its start, which the code bit is no part of. An
// index of an earlier version does not say what is code: there, bit 0 is one if `has_code_bit`.
// NULL: nothing. Not for READING_TTU or ids.
const char *names_of_value(struct names *names, uint64_t value, bool has_code_bit,
                           uint64_t *behind);

// Offers the names of functions, as in the images and as shown. True: one of them is exactly the
// one wanted.
bool names_offer(struct names *names, struct suggestion *suggestion);

// Whether the function at `pc` has this name, as it is shown or as in its object file.
bool names_is_called(struct names *names, uint64_t pc, const char *name);

// With ids: the PC of the first function of that name (names_is_called), which may be "#12".
bool names_find_id(struct names *names, const char *name, uint64_t *pc);

// --- Names asked for of late ---------------------------------------------------------------------

// Names that a thread asked for of late: those of functions are asked for again and again, and
// `names` may be asked by one thread at a time.

#define NAMES_AT_HAND_BITS 8

struct name_at_hand {
    uint64_t pc;
    const char *name; // NULL: none was asked for
};

struct names_at_hand {
    struct names *names;
    const char *(*find)(struct names *names, uint64_t pc); // names_of, or what makes more of it
    pthread_mutex_t *lock;                                 // of `names`; NULL: there is one thread
    struct name_at_hand items[1 << NAMES_AT_HAND_BITS];
};

// What `find` returns.
const char *name_at_hand(struct names_at_hand *at_hand, uint64_t pc);

// What another `find` returns, which is not kept.
const char *name_asked_for(const struct names_at_hand *at_hand,
                           const char *(*find)(struct names *names, uint64_t pc), uint64_t pc);

// --- Names that are hidden -----------------------------------------------------------------------

// Functions that --hide leaves out of reports, by name or pattern, and how much was left out.
//
// A call of such a function is left out together with its time and all that it calls. Handlers that
// interrupt it are not called by it: they stay, in its caller.

struct hidden_name {
    const char *pattern; // a name, with * ? and [] as in file names; the caller's
    bool was_met;
    struct typed_address address; // that it may be instead
};

// All zero hides nothing.
struct hidden_names {
    VEC(, struct hidden_name) items;
    // What was left out: whole calls with their ticks, or frames of stacks at a point.
    uint64_t ticks, calls, frames;
};

// False: no memory. Freed by hidden_names_free.
bool hidden_names_add(struct hidden_names *hidden, const char *pattern);
void hidden_names_free(struct hidden_names *hidden);

// Whether a pattern equals or matches a name.
bool hidden_name_is(const struct hidden_name *hidden, const char *name);

// Whether the caller's test is true for any of them. Records all for which it is.
bool hidden_names_have(struct hidden_names *hidden, void *self,
                       bool (*is_meant)(void *self, struct hidden_name *hidden));

#endif
