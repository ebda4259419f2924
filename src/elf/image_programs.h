// Programs that have the same addresses: processes, the cores of a chip that run different
// firmware, overlays, banks of ROM. Which of their images an instruction is from follows from its
// encoding, where the trace shows it, from what ran in the core's address space before, where the
// trace shows the registers that select it, and from the core, space and time that the user named
// for an image.
//
// The images of such programs are moved to addresses of their own, above those of the machine
// (base/program_pc.h), and so are the PCs, where the reader of the trace first sees them. So names,
// functions, lines, calls, stacks, coverage and an index need to know nothing of programs: for them
// there are no two images at one address. (The alternative, a program beside each PC, would have
// been a second key in some forty tables, and two bytes more for each event of an index.) Where PCs
// are shown, or compared with values of the machine, the number is taken off.
//
// An instruction is of the program that the one before it was of, as long as control goes on in
// sequence and the encoding is the program's; a single instruction that no image has does not
// change this, because debuggers and kernels patch code. Where control arrives from elsewhere, it
// is of the program of this group that ran last in the core's address space, or if none did, that
// ran last in any (a process begins as a copy of its parent), if the encodings agree, otherwise of
// the first one that has this encoding there, otherwise of none: code of a program whose image was
// not given has no name, rather than a wrong one, and until other code runs in between, several
// instructions in a row have to be those of an image to end it, since a few are by chance. Nothing
// looks ahead, so that the result does not depend on how a trace is cut: where two programs are
// alike at the place at which one of them begins to run, the first instructions, up to one that
// differs, may be taken for the other's.
//
// Costs: nothing where no two images have code at one address. Otherwise a comparison of some bytes
// for each instruction there, and a copy of the code of these images.
#ifndef TRAWL_ELF_IMAGE_PROGRAMS_H
#define TRAWL_ELF_IMAGE_PROGRAMS_H

#include "base/limits.h"
#include "base/program_pc.h"
#include "elf/image_set.h"
#include "idx/spaces.h"

struct image_program {
    size_t member;
    uint32_t group;                 // of programs that share addresses, directly or through others
    const char *lane, *space;       // as in struct image_member
    uint64_t first_time, last_time; // likewise
};

// Code of a program at addresses of the machine.
struct program_code {
    uint64_t first, last;
    const uint8_t *bytes; // the first of the `size_bytes` that the file has
    size_t size_bytes;
    uint32_t program; // an index of `programs`
};

// Addresses with the same candidates: `count` from `from` on in `candidates`.
struct program_range {
    uint64_t first, last;
    size_t from, count;
};

// All zero is none.
struct image_programs {
    VEC(, struct image_program) programs;
    VEC(, struct program_code) codes; // ascending
    VEC(, struct program_range) ranges;
    VEC(, uint32_t) candidates; // indexes of `codes`
    bool ignores_encodings;
    bool has_spaces; // some are of one address space only
    uint64_t hash;   // of what decides; 0: there are none
};

// How many groups remember their program separately.
#define PROGRAM_GROUPS 16
// How many address spaces do; of more, the first ones are forgotten.
#define PROGRAM_SPACES 32

// What ran last in an address space: of each group, 1 + the program; 0: none did.
struct program_space {
    uint64_t key; // index_space_key
    uint32_t chosen[PROGRAM_GROUPS];
};

// What is known of a lane's programs after an instruction.
struct program_state {
    uint64_t next;                   // where it goes on in sequence; 0: not in such code
    uint32_t current;                // 1 + its program; 0: none
    uint32_t waiting, waiting_count; // after code of none: 1 + the one that the last ones are of
    uint32_t chosen[PROGRAM_GROUPS]; // of each group, 1 + the last one that ran; 0: none did
    bool missed;                     // the instruction is not as the image has it
    uint64_t space;                  // in which it ran; 0: unknown
    uint32_t space_count;            // that were added to this:
    struct program_space spaces[PROGRAM_SPACES];
};

// The programs that a lane, in an address space, may run, a bit each.
struct lane_programs {
    uint64_t may[(LIMIT_IMAGE_PROGRAMS + 63) / 64];
};

// An instruction, without Thumb bit. size_bytes or encoding 0: the trace does not show it.
struct program_instruction {
    uint64_t address, time;
    uint64_t space; // index_space_key; 0: unknown
    uint32_t encoding, size_bytes;
};

// Sets image_member.shares_code. STATUS_MEMORY or STATUS_LIMIT.
enum status image_programs_mark(struct image_set *images, struct error *err);

// Finds the images that share code addresses with others, or are of some cores or times only, and
// moves them apart. `ignores_encodings`: they are not compared, because the trace has none, or the
// user knows better. STATUS_MEMORY or STATUS_LIMIT; freed either way by image_programs_free.
enum status image_programs_find(struct image_programs *programs, struct image_set *images,
                                bool ignores_encodings, struct error *err);
void image_programs_free(struct image_programs *programs);

struct lane_programs image_programs_of_lane(const struct image_programs *programs,
                                            const char *lane);

// Takes away those that are of other address spaces.
void image_programs_of_space(const struct image_programs *programs, struct lane_programs *of_lane,
                             const struct index_space *space);

// The addresses around `address` that have the same candidates; NULL: no program has it.
const struct program_range *image_programs_at(const struct image_programs *programs,
                                              uint64_t address);

// Which item of program_state.chosen it uses.
static inline uint32_t image_programs_group(const struct image_programs *programs,
                                            const struct program_range *range)
{
    const struct program_code *code =
        &programs->codes.items[programs->candidates.items[range->from]];
    return programs->programs.items[code->program].group % PROGRAM_GROUPS;
}

// Decides on an instruction in such a range. Returns its PC.
uint64_t image_programs_step(const struct image_programs *programs,
                             const struct lane_programs *lane, const struct program_range *range,
                             const struct program_instruction *instruction,
                             struct program_state *state);

// Two members that share addresses, and have the same code at all of them, so that encodings cannot
// tell which of them ran; the first such pair. False: there are none.
bool image_programs_alike(const struct image_programs *programs, const struct image_set *images,
                          size_t *first, size_t *other);

// Whether bytes of an image are an instruction, in any byte order: Arm code is little-endian except
// in BE32 images, and producers of traces write 32-bit T32 instructions with either halfword first.
bool image_has_instruction(const uint8_t *bytes, unsigned size_bytes, uint32_t encoding);

#endif
