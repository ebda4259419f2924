// The known registers and memory after each event: goes over the events of a trace, in order, and
// writes a version of the memory tree for each event that changes something.
#ifndef TRAWL_EXPORT_TTU_VERSIONS_H
#define TRAWL_EXPORT_TTU_VERSIONS_H

#include "base/base.h"
#include "export/ttu/file.h"
#include "export/ttu/items.h"
#include "export/ttu/learned.h"
#include "export/ttu/windows.h"
#include "flow/segment.h"

// Which bytes of memory were seen recently, so that a load of them adds nothing and most loads need
// no lookup. Forgetting is always correct.

#define TTU_SHOWN_BITS 13

struct ttu_shown_word {
    uint64_t number; // address / 8
    uint8_t mask;    // of known or learned bytes
};

struct ttu_shown {
    struct ttu_shown_word words[1 << TTU_SHOWN_BITS];
};

// The bytes of [lo, hi] in one word, as a mask.
static inline uint8_t ttu_word_mask(uint64_t number, uint64_t lo, uint64_t hi)
{
    unsigned first = number == lo / 8 ? lo % 8 : 0, last = number == hi / 8 ? hi % 8 : 7;
    return (uint8_t)((0xffu << first) & (0xffu >> (7 - last)));
}

static inline struct ttu_shown_word *ttu_shown_word(struct ttu_shown *shown, uint64_t number)
{
    return &shown->words[number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TTU_SHOWN_BITS)];
}

static inline void ttu_shown_prefetch(struct ttu_shown *shown, uint64_t address)
{
    __builtin_prefetch(ttu_shown_word(shown, address / 8));
}

// Whether all of [lo, hi], at most a few words, was seen.
static inline bool ttu_shown_has(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        const struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        if (word->number != number || (word->mask & mask) != mask)
            return false;
    }
    return true;
}

static inline void ttu_shown_add(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        uint8_t mask = ttu_word_mask(number, lo, hi);
        *word = (struct ttu_shown_word){
            number, (uint8_t)(word->number == number ? word->mask | mask : mask)};
    }
}

// Forgets [lo, hi], which is no longer known. For many words it is faster to forget everything.
static inline void ttu_shown_forget(struct ttu_shown *shown, uint64_t lo, uint64_t hi)
{
    if (hi / 8 - lo / 8 > 256) {
        memset(shown, 0, sizeof *shown);
        return;
    }
    for (uint64_t number = lo / 8; number <= hi / 8; number++) {
        struct ttu_shown_word *word = ttu_shown_word(shown, number);
        if (word->number == number)
            word->mask = 0;
    }
}

struct ttu_versions {
    struct ttu_stream stream;
    struct ttu_items items;
    struct ttu_contents contents;
    struct ttu_learned learned;
    struct ttu_shown shown;
    bool big_endian;
    uint64_t header_lines; // before the first event
    uint64_t root;         // of the last version
    uint64_t count;
    bool has_state; // the instruction-set state after the previous event is known
    uint64_t state;
};

// Receives the root of each event.
struct ttu_root_sink {
    void *self;
    void (*add)(void *self, uint64_t root);
};

// Begins at `offset` of the file. False: no memory.
bool ttu_versions_begin(struct ttu_versions *versions, struct ttu_file *file, uint64_t offset,
                        bool big_endian);
void ttu_versions_free(struct ttu_versions *versions);

// Processes the next segment. *line: on failure, the line of the event at which there was no memory
// (STATUS_MEMORY) or the tree became too deep (STATUS_LIMIT).
enum status ttu_versions_take(struct ttu_versions *versions, const struct segment *segment,
                              const struct ttu_windows *windows, const struct ttu_root_sink *sink,
                              uint64_t *line);

// Writes what is only known at the end, and ends the stream. False: no memory.
bool ttu_versions_end(struct ttu_versions *versions);

#endif
