// Chooses and writes the form of a block.
//
// Counting how often each number occurs, as long as there are few different numbers, gives the size
// of nearly every form without trying it: of a dictionary with any share of the numbers as patches,
// of offsets of any width, and of runs, whose stride is the most frequent step. If there are too
// many different numbers, counting stops at once, and only the histogram of their widths is used.
#include "idx/block.h"

#include "idx/bitset.h"
#include "idx/varint.h"

// --- Counting ------------------------------------------------------------------------------------

// Enough slots that few numbers collide: the slot to look at next cannot be predicted.
#define SLOT_BITS 11

// The different numbers of a sequence, in the order of their first occurrence.
struct tally {
    const uint64_t *numbers;
    unsigned count;  // of numbers
    bool all_differ; // known without counting
    uint64_t min;
    unsigned full_width; // enough for each number - min
    unsigned distinct;   // 0: too many; the fields below are unused
    unsigned most;       // the index of the most frequent number in `keys`
    uint64_t mask;       // XORed with keys to find their slots
    uint64_t keys[BLOCK_DICTIONARY_MAX];
    uint16_t counts[BLOCK_DICTIONARY_MAX];
    uint8_t codes[BLOCK_COUNT_MAX]; // the index in `keys` of each number
};

// The slot of a number, or the free one where it can be put. Slots contain indices in `keys` + 1.
// If the range is narrow, each number has its own slot and no search is needed.
static ALWAYS_INLINE uint16_t *find_slot(const struct tally *tally, uint16_t *slots,
                                         uint64_t number, uint64_t min_or_mask, bool is_narrow)
{
    if (is_narrow)
        return slots + (number - min_or_mask);
    size_t slot = (number ^ min_or_mask) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS);
    while (slots[slot] && tally->keys[slots[slot] - 1] != number)
        slot = (slot + 1) & ((1 << SLOT_BITS) - 1);
    return slots + slot;
}

// Several counters for each number, so that an increment need not wait until the previous one was
// stored.
#define COUNTERS 4
typedef uint16_t tally_counts[COUNTERS][BLOCK_DICTIONARY_MAX];

// Gives a code to a number that is new. False: too many different numbers.
static ALWAYS_INLINE bool add_key(struct tally *tally, uint16_t *slot, unsigned i)
{
    if (tally->distinct == BLOCK_DICTIONARY_MAX || tally->distinct > 64 + i / 2)
        return false;
    tally->keys[tally->distinct] = tally->numbers[i];
    *slot = (uint16_t)++tally->distinct;
    return true;
}

static ALWAYS_INLINE bool encode_all(struct tally *tally, uint16_t *slots, tally_counts counts,
                                     bool is_narrow)
{
    // In local variables, because writes to `codes`, which are bytes, may alias anything for the
    // compiler.
    const uint64_t *numbers = tally->numbers;
    uint64_t min_or_mask = is_narrow ? tally->min : tally->mask;
    unsigned count = tally->count;
#pragma clang loop unroll_count(4)
    for (unsigned i = 0; i < count; i++) {
        uint16_t *slot = find_slot(tally, slots, numbers[i], min_or_mask, is_narrow);
        if (UNLIKELY(*slot == 0) && !add_key(tally, slot, i))
            return false;
        uint8_t code = (uint8_t)(*slot - 1);
        tally->codes[i] = code;
        counts[i % COUNTERS][code]++;
    }
    return true;
}

// Gives each number its code, and counts them. False: too many different numbers.
static bool encode_numbers(struct tally *tally, tally_counts counts)
{
    uint16_t slots[1 << SLOT_BITS];
    if (tally->full_width == 0) {
        tally->distinct = 1;
        tally->keys[0] = tally->min;
        memset(tally->codes, 0, tally->count);
        counts[0][0] = (uint16_t)tally->count;
        return true;
    }
    if (tally->full_width <= SLOT_BITS) {
        memset(slots, 0, sizeof *slots << tally->full_width);
        return encode_all(tally, slots, counts, true);
    }
    // The address in memory is unknown to whoever might choose numbers that share a slot.
    tally->mask = (uintptr_t)tally * UINT64_C(0xc2b2ae3d27d4eb4f);
    memset(slots, 0, sizeof slots);
    return encode_all(tally, slots, counts, false);
}

static void count_numbers(struct tally *tally)
{
    tally_counts counts = {{0}};
    tally->distinct = 0;
    tally->most = 0;
    if (tally->all_differ)
        return;
    if (!encode_numbers(tally, counts)) {
        tally->distinct = 0;
        return;
    }
    for (unsigned k = 0; k < tally->distinct; k++) {
        unsigned count = 0;
        for (unsigned c = 0; c < COUNTERS; c++)
            count += counts[c][k];
        tally->counts[k] = (uint16_t)count;
        if (tally->counts[k] > tally->counts[tally->most])
            tally->most = k;
    }
}

// --- Choosing a coding ---------------------------------------------------------------------------

struct coding {
    const struct tally *tally;
    unsigned form; // bits 2 and 3
    size_t bytes;
    size_t cost; // bytes, plus an addition for what is slow to read
    unsigned width;
    uint64_t base;                        // of offsets
    unsigned entry_count;                 // of a dictionary
    uint8_t ranks[BLOCK_DICTIONARY_MAX];  // the rank of each different number
    uint8_t ranked[BLOCK_DICTIONARY_MAX]; // the different numbers by rank, the most frequent first
};

static size_t varint_bytes(uint64_t value)
{
    uint8_t room[VARINT_BYTES_MAX];
    return (size_t)(varint_write(room, value) - room);
}

// The bytes of all patches, without the base and width of offsets.
static size_t patches_bytes(const struct tally *tally, unsigned patches)
{
    struct bitset set = bitset_make(NULL, patches, tally->count, NULL);
    return varint_bytes(patches) + bitset_bytes(&set) + bitpack_bytes(patches, tally->full_width);
}

// Patches take time to look up, so they must save an eighth.
static bool is_better(const struct coding *coding, size_t bytes, bool is_patched)
{
    return bytes + (is_patched ? bytes / 8 : 0) < coding->cost;
}

static void take(struct coding *coding, unsigned form, size_t bytes, unsigned width)
{
    coding->form = form;
    coding->bytes = bytes;
    coding->cost = bytes + (form & BLOCK_IS_PATCHED ? bytes / 8 : 0);
    coding->width = width;
}

// Whether so many numbers are narrow that patches may save bytes; looks at a sample.
static bool may_be_patched(const struct tally *tally)
{
    enum { SAMPLE_STEP = 16 };
    unsigned narrow = 0, sampled = 0, width = tally->full_width - tally->full_width / 8;
    if (tally->full_width < 4 || tally->all_differ)
        return false;
    for (unsigned i = 0; i < tally->count; i += SAMPLE_STEP, sampled++)
        narrow += (tally->numbers[i] - tally->min) >> (width - 1) == 0;
    return narrow > sampled / 4;
}

// Considers all widths; numbers that do not fit, including those below `base`, become patches.
static void consider_widths(struct coding *coding, uint64_t base)
{
    const struct tally *tally = coding->tally;
    unsigned counts[65] = {0}, patches = 0;
    if (tally->distinct) {
        for (unsigned k = 0; k < tally->distinct; k++)
            counts[bitpack_width(tally->keys[k] - base)] += tally->counts[k];
    } else {
        for (unsigned i = 0; i < tally->count; i++)
            counts[bitpack_width(tally->numbers[i] - base)]++;
    }
    unsigned widest = tally->full_width < 64 ? tally->full_width : BITPACK_WIDTH_MAX;
    for (unsigned width = widest, wider = 64; width < 64; wider = width--) {
        patches += counts[wider];
        if (width < tally->full_width && (counts[width] || width == 0)) {
            size_t bytes = varint_bytes(base - tally->min) + 1 + patches_bytes(tally, patches) +
                           bitpack_bytes(tally->count, width);
            if (is_better(coding, bytes, true)) {
                take(coding, BLOCK_IS_PATCHED, bytes, width);
                coding->base = base;
            }
        }
    }
}

// More numbers than this are sorted by counting.
#define FEW_NUMBERS 24

static void consider_dictionary(struct coding *coding, unsigned entries, unsigned patches)
{
    const struct tally *tally = coding->tally;
    unsigned width = bitpack_width(entries - 1);
    size_t bytes = varint_bytes(entries - 1) + bitpack_bytes(entries, tally->full_width) +
                   (patches ? patches_bytes(tally, patches) : 0) +
                   bitpack_bytes(tally->count, width);
    if (!is_better(coding, bytes, patches))
        return;
    take(coding, BLOCK_IS_DICTIONARY | (patches ? BLOCK_IS_PATCHED : 0), bytes, width);
    coding->entry_count = entries;
}

static void consider_dictionaries(struct coding *coding)
{
    const struct tally *tally = coding->tally;
    // Sorts the different numbers by frequency; equally frequent ones stay in order.
    if (tally->distinct <= FEW_NUMBERS) {
        uint8_t *ranked = coding->ranked;
        for (unsigned k = 0; k < tally->distinct; k++) {
            unsigned at = k;
            for (; at && tally->counts[ranked[at - 1]] < tally->counts[k]; at--)
                ranked[at] = ranked[at - 1];
            ranked[at] = (uint8_t)k;
        }
    } else {
        uint16_t starts[BLOCK_COUNT_MAX + 2] = {0};
        unsigned most = tally->counts[tally->most];
        for (unsigned k = 0; k < tally->distinct; k++)
            starts[most - tally->counts[k] + 1]++;
        for (unsigned i = 1; i <= most; i++)
            starts[i] = (uint16_t)(starts[i] + starts[i - 1]);
        for (unsigned k = 0; k < tally->distinct; k++)
            coding->ranked[starts[most - tally->counts[k]]++] = (uint8_t)k;
    }
    for (unsigned rank = 0; rank < tally->distinct; rank++)
        coding->ranks[coding->ranked[rank]] = (uint8_t)rank;
    consider_dictionary(coding, tally->distinct, 0);
    unsigned covered = 0, rank = 0;
    for (unsigned entries = 1; entries < tally->distinct; entries *= 2) {
        while (rank < entries)
            covered += tally->counts[coding->ranked[rank++]];
        consider_dictionary(coding, entries, tally->count - covered);
    }
}

static void choose_coding(struct coding *coding, const struct tally *tally)
{
    coding->tally = tally;
    take(coding, 0, bitpack_bytes(tally->count, tally->full_width), tally->full_width);
    coding->base = tally->min;
    if (tally->distinct || may_be_patched(tally))
        consider_widths(coding, tally->min);
    if (tally->distinct == 0)
        return;
    // The least number that is not rare: rare numbers below it would make all offsets wide.
    uint64_t base = tally->keys[tally->most];
    for (unsigned k = 0; k < tally->distinct; k++) {
        if (tally->counts[k] >= tally->count / 32 &&
            tally->keys[k] - tally->min < base - tally->min)
            base = tally->keys[k];
    }
    if (base != tally->min)
        consider_widths(coding, base);
    consider_dictionaries(coding);
}

// --- Writing a coding ----------------------------------------------------------------------------

static uint8_t *write_dictionary(uint8_t *out, const struct coding *coding)
{
    uint64_t entries[BLOCK_DICTIONARY_MAX];
    for (unsigned rank = 0; rank < coding->entry_count; rank++)
        entries[rank] = coding->tally->keys[coding->ranked[rank]];
    out = varint_write(out, coding->entry_count - 1);
    return bitpack_pack(out, entries, coding->entry_count, coding->tally->full_width,
                        coding->tally->min);
}

// Makes the packed value of each number. Numbers that do not fit become patches, with 0 in their
// place.
static unsigned pack_offsets(const struct coding *coding, uint64_t *packed, uint16_t *places)
{
    const struct tally *tally = coding->tally;
    uint64_t greatest = bitpack_max(coding->width);
    unsigned patches = 0;
    for (unsigned i = 0; i < tally->count; i++) {
        uint64_t number = tally->numbers[i] - coding->base;
        bool fits = number <= greatest;
        places[patches] = (uint16_t)i;
        patches += !fits;
        packed[i] = fits ? number : 0;
    }
    return patches;
}

// The same with indices into a dictionary.
static unsigned pack_codes(const struct coding *coding, uint64_t *packed, uint16_t *places)
{
    const struct tally *tally = coding->tally;
    uint8_t indices[BLOCK_DICTIONARY_MAX], is_patch[BLOCK_DICTIONARY_MAX];
    unsigned patches = 0;
    for (unsigned k = 0; k < tally->distinct; k++) {
        is_patch[k] = coding->ranks[k] >= coding->entry_count;
        indices[k] = is_patch[k] ? 0 : coding->ranks[k];
    }
    for (unsigned i = 0; i < tally->count; i++)
        packed[i] = indices[tally->codes[i]];
    if (!(coding->form & BLOCK_IS_PATCHED))
        return 0;
    for (unsigned i = 0; i < tally->count; i++) {
        places[patches] = (uint16_t)i;
        patches += is_patch[tally->codes[i]];
    }
    return patches;
}

static uint8_t *write_patches(uint8_t *out, const struct tally *tally, const uint16_t *places,
                              unsigned count)
{
    uint64_t patches[BLOCK_COUNT_MAX];
    for (unsigned i = 0; i < count; i++)
        patches[i] = tally->numbers[places[i]];
    out = varint_write(out, count);
    out = bitset_write(out, places, count, tally->count);
    return bitpack_pack(out, patches, count, tally->full_width, tally->min);
}

static uint8_t *write_coding(uint8_t *out, const struct kernels *kernels,
                             const struct coding *coding)
{
    const struct tally *tally = coding->tally;
    if (coding->form == 0)
        return kernels->pack(out, tally->numbers, tally->count, tally->full_width, tally->min);
    uint64_t packed[BLOCK_COUNT_MAX];
    uint16_t places[BLOCK_COUNT_MAX + 1];
    unsigned patches;
    if (coding->form & BLOCK_IS_DICTIONARY) {
        patches = pack_codes(coding, packed, places);
        out = write_dictionary(out, coding);
    } else {
        patches = pack_offsets(coding, packed, places);
        out = varint_write(out, coding->base - tally->min);
        *out++ = (uint8_t)coding->width;
    }
    if (coding->form & BLOCK_IS_PATCHED)
        out = write_patches(out, tally, places, patches);
    return kernels->pack(out, packed, tally->count, coding->width, 0);
}

// --- Shapes --------------------------------------------------------------------------------------

// A shape of the block, with the best coding of its numbers.
struct shape {
    size_t bytes; // of the payload
    uint64_t numbers[BLOCK_COUNT_MAX];
    struct tally tally;
    struct coding coding;
};

// A plain form is rarely shorter than a byte for this many values, and never much shorter: if runs
// or steps are that short, plain numbers are not tried.
#define PLAIN_VALUES_PER_BYTE 32

struct source {
    const struct kernels *kernels;
    const uint64_t *values;
    unsigned count;
    uint64_t min;
    unsigned width;
    bool is_rising;  // each value is greater than the one before
    uint64_t stride; // of runs
    uint16_t starts[BLOCK_COUNT_MAX];
};

static void choose_numbers(struct shape *shape, const uint64_t *numbers, unsigned count,
                           uint64_t min, unsigned full_width, bool all_differ)
{
    shape->tally.all_differ = all_differ;
    shape->tally.numbers = numbers;
    shape->tally.count = count;
    shape->tally.min = min;
    shape->tally.full_width = full_width;
    count_numbers(&shape->tally);
    choose_coding(&shape->coding, &shape->tally);
    shape->bytes += 1 + shape->coding.bytes;
}

static unsigned anchor_count(unsigned count)
{
    return (count + BLOCK_ANCHOR - 1) / BLOCK_ANCHOR;
}

// False: so many runs are longer than `most_bytes` in any coding, or there are almost as many runs
// as values.
static bool choose_runs(struct shape *shape, struct source *source, const struct tally *steps,
                        size_t most_bytes)
{
    // Chooses the most frequent step, if it is known, and returns the number of runs that it
    // makes.
    unsigned same = 0;
    source->stride = 0;
    if (steps->distinct) {
        source->stride = steps->keys[steps->most];
        same = steps->counts[steps->most];
    } else {
        for (unsigned i = 0; i < steps->count; i++)
            same += steps->numbers[i] == 0;
    }
    unsigned count = source->count - same;
    struct bitset set = bitset_make(NULL, count - 1, source->count, NULL);
    shape->bytes =
        varint_bytes(zigzag(source->stride)) + varint_bytes(count - 1) + bitset_bytes(&set);
    size_t least_bytes = source->is_rising ? bitpack_bytes(count, source->width) : count / 8;
    if (shape->bytes + least_bytes > most_bytes || count > source->count - source->count / 8)
        return false;
    // The first value of each run, and the places of all but the first one: a run starts after each
    // step that differs from the stride.
    const uint64_t *values = source->values;
    uint64_t stride = source->stride;
    uint16_t *restrict starts = source->starts;
    shape->numbers[0] = values[0];
    for (unsigned i = 1, runs = 1; runs < count; i++) {
        shape->numbers[runs] = values[i];
        starts[runs - 1] = (uint16_t)i;
        runs += steps->numbers[i - 1] != stride;
    }
    choose_numbers(shape, shape->numbers, count, source->min, source->width, source->is_rising);
    return true;
}

static uint8_t *write_runs(uint8_t *out, const struct shape *shape, const struct source *source)
{
    unsigned starts = shape->tally.count - 1;
    *out++ = (uint8_t)(BLOCK_RUNS | shape->coding.form);
    out = varint_write(out, zigzag(source->stride));
    out = varint_write(out, starts);
    out = bitset_write(out, source->starts, starts, source->count);
    return write_coding(out, source->kernels, &shape->coding);
}

static uint8_t *write_steps(uint8_t *out, const struct shape *shape, const struct source *source)
{
    uint64_t anchors[BLOCK_COUNT_MAX / BLOCK_ANCHOR];
    unsigned count = anchor_count(source->count);
    for (unsigned i = 0; i < count; i++)
        anchors[i] = source->values[i * BLOCK_ANCHOR];
    *out++ = (uint8_t)(BLOCK_STEPS | shape->coding.form);
    out = varint_write(out, zigzag(shape->tally.min));
    *out++ = (uint8_t)shape->tally.full_width;
    out = bitpack_pack(out, anchors, count, source->width, source->min);
    return write_coding(out, source->kernels, &shape->coding);
}

// The order in which shapes are tried makes it likely that later ones can be skipped. Of equally
// short ones the last is taken, which is the fastest to read.
uint8_t *block_write(uint8_t *out, const struct kernels *kernels, const uint64_t *values,
                     unsigned count, uint64_t min, uint64_t max)
{
    ASSERT(count >= 2 && count <= BLOCK_COUNT_MAX && min < max);
    struct source source; // its `starts` need not be cleared
    source.kernels = kernels;
    source.values = values;
    source.count = count;
    source.min = min;
    source.width = bitpack_width(max - min);
    struct shape plain, runs, steps;
    struct extremes extremes = source.kernels->steps(source.values, source.count, steps.numbers);
    unsigned width = bitpack_width(extremes.max - extremes.min);
    steps.bytes = varint_bytes(zigzag(extremes.min)) + 1 +
                  bitpack_bytes(anchor_count(source.count), source.width);
    source.is_rising = (int64_t)extremes.min > 0 && source.values[0] == source.min;
    choose_numbers(&steps, steps.numbers, source.count - 1, extremes.min, width, false);
    bool are_runs =
        choose_runs(&runs, &source, &steps.tally, steps.bytes) && runs.bytes <= steps.bytes;
    size_t best_bytes = are_runs ? runs.bytes : steps.bytes;
    if (best_bytes > count / PLAIN_VALUES_PER_BYTE) {
        plain.bytes = 0;
        choose_numbers(&plain, values, count, min, source.width, source.is_rising);
        if (plain.bytes <= best_bytes) {
            *out++ = (uint8_t)(BLOCK_PLAIN | plain.coding.form);
            return write_coding(out, kernels, &plain.coding);
        }
    }
    return are_runs ? write_runs(out, &runs, &source) : write_steps(out, &steps, &source);
}
