#include "session/images.h"

#include "base/hash_index.h"
#include "elf/image_extents.h"

#include <stdlib.h>

// How many instructions in sequence are looked for, and how many different places are considered.
enum { STRETCH = 6, PLACES_MAX = 64, VOTES_MIN = 2, PAGE_BYTES = 4096 };

struct stretch {
    uint64_t address;
    uint32_t words[STRETCH];
};

struct place {
    uint64_t offset;
    size_t votes;
};

struct placing {
    VEC(, struct stretch) stretches;
    struct hash_index by_words;
    uint64_t first_words[1024]; // a bit for each hash of a first word: few of an image's are there
    struct place places[PLACES_MAX];
    size_t place_count;
};

static uint32_t hash_of_word(uint32_t word)
{
    return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static uint64_t hash_of(struct placing *placing, const uint32_t *words)
{
    uint64_t key = ((uint64_t)words[0] << 32 | words[1]) ^
                   ((uint64_t)words[2] << 32 | words[3]) * UINT64_C(0x9e3779b97f4a7c15) ^
                   ((uint64_t)words[4] << 32 | words[5]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return hash_key(hash_index_seed(&placing->by_words), key);
}

// Takes each stretch once.
static bool add_stretches(struct placing *placing, const struct trace_instruction *instructions,
                          size_t count)
{
    for (size_t i = 0; i + STRETCH <= count; i++) {
        struct stretch stretch = {.address = instructions[i].address};
        size_t n = 0;
        for (; n < STRETCH; n++) {
            const struct trace_instruction *at = &instructions[i + n];
            if (at->size_bytes != 4 || at->address != stretch.address + 4 * n ||
                at->place != instructions[i].place || strcmp(at->lane, instructions[i].lane) != 0)
                break;
            stretch.words[n] = at->encoding;
        }
        if (n < STRETCH)
            continue;
        uint32_t number;
        uint64_t hash = hash_of(placing, stretch.words);
        HASH_INDEX_FIND(number, &placing->by_words, hash,
                        memcmp(placing->stretches.items[candidate].words, stretch.words,
                               sizeof stretch.words) == 0);
        if (number != HASH_INDEX_NONE)
            continue;
        if (!VEC_ROOM(&placing->stretches, 1) ||
            !hash_index_add(&placing->by_words, hash, (uint32_t)placing->stretches.count))
            return false;
        placing->stretches.items[placing->stretches.count++] = stretch;
        uint32_t bit = hash_of_word(stretch.words[0]);
        placing->first_words[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return true;
}

static void vote(struct placing *placing, uint64_t offset)
{
    size_t at = 0;
    if (offset % PAGE_BYTES)
        return;
    while (at < placing->place_count && placing->places[at].offset != offset)
        at++;
    if (at == PLACES_MAX)
        return;
    if (at == placing->place_count)
        placing->places[placing->place_count++] = (struct place){offset, 0};
    placing->places[at].votes++;
}

// Reads the code in parts that overlap, so that no stretch is missed between two.
static enum status search_image(struct placing *placing, const struct image *image,
                                struct error *err)
{
    enum { PART_WORDS = 1 << 18 };
    struct image_extents extents;
    uint32_t *words = malloc(PART_WORDS * sizeof *words);
    enum status status = image_extents_find(&extents, image, EXTENTS_INSTRUCTIONS, err);
    if (status == STATUS_OK && !words)
        status = error_set(err, STATUS_MEMORY, "%s: no memory for its code", image_path(image));
    for (size_t i = 0; status == STATUS_OK && i < extents.items.count; i++) {
        const struct image_extent *extent = &extents.items.items[i];
        for (uint64_t at = 0; at + 4 * STRETCH <= extent->file_bytes;) {
            size_t count = (size_t)u64_min((extent->file_bytes - at) / 4, PART_WORDS);
            if (!image_extents_read(&extents, extent->first + at, (uint8_t *)words, 4 * count))
                break;
            const uint64_t linked = extent->first + at;
            for (size_t j = 0; j + STRETCH <= count; j++) {
                uint32_t number, bit = hash_of_word(words[j]);
                if (LIKELY(!(placing->first_words[bit / 64] >> bit % 64 & 1)))
                    continue;
                HASH_INDEX_FIND(number, &placing->by_words, hash_of(placing, words + j),
                                memcmp(placing->stretches.items[candidate].words, words + j,
                                       STRETCH * sizeof *words) == 0);
                if (number != HASH_INDEX_NONE)
                    vote(placing, placing->stretches.items[number].address - (linked + 4 * j));
            }
            at += 4 * (count - STRETCH + 1);
        }
    }
    image_extents_free(&extents);
    free(words);
    return status;
}

enum status image_place_find(const struct image_set *images, size_t number,
                             const struct trace_instruction *instructions, size_t count,
                             uint64_t *offset, bool *is_found, struct error *err)
{
    const struct image_member *member = &images->members.items[number];
    enum status status = STATUS_OK;
    *is_found = false;
    if (member->is_placed || !image_is_movable(member->image))
        return STATUS_OK;
    struct placing *placing = calloc(1, sizeof *placing);
    if (!placing || !add_stretches(placing, instructions, count))
        status = error_set(err, STATUS_MEMORY, "no memory for the places of images");
    if (status == STATUS_OK && placing->stretches.count)
        status = search_image(placing, member->image, err);
    const struct place *best = NULL;
    size_t second = 0;
    for (size_t i = 0; status == STATUS_OK && i < placing->place_count; i++) {
        const struct place *place = &placing->places[i];
        if (!best || place->votes > best->votes) {
            second = best ? best->votes : 0;
            best = place;
        } else {
            second = u64_max(second, place->votes);
        }
    }
    if (best && best->votes >= VOTES_MIN && best->votes > second) {
        *offset = best->offset;
        *is_found = best->offset != 0;
    }
    if (placing) {
        free(placing->stretches.items);
        hash_index_free(&placing->by_words);
    }
    free(placing);
    return status;
}
